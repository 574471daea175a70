"""How often each contrast comes, so that no shallow rule is right more often than wrong, or hardly
so.

Rules of thumb are named beforehand; others are learnt, against shares that balance all that was
learnt before, until nothing much is left to learn. What is linear in the shares is balanced exactly
as far as it can be; trees may only be held near it, since some constructions are told by two words
beside the asked ones ("was helped by the ...") and would have to go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.tasks.comp.rules import Rule
from lingprobe.tasks.comp.shallow import Features, Flags, Seen, Tree, features, tree, two_questions
from lingprobe.vectors import Floats, Ints

Matrix = NDArray[np.float64]
STEPS, CLOSE = 200, 1e-11


def shares(balances: Matrix, at: Matrix) -> Matrix:
    """The shares of contrasts [contrasts, balances] at some prices [balances]: they add up to 1."""
    return _softmax(balances @ at)


def prices(balances: Matrix, slack: Matrix, begin: Matrix | None = None) -> Matrix:
    """The prices [balances] at which every balance [contrasts, balances] sums to nearly zero;
    `begin` is where to begin looking.

    Of all shares that will do, those nearest to even are wanted, in relative entropy. They are
    proportional to exp(balances @ prices), and each sum is its slack [balances] times its price, so
    that no balance drives a whole construction out for a last bit. Newton's method on the dual,
    which is convex, so there is one solution and it is always found.
    """
    solution = np.zeros(balances.shape[1]) if begin is None else begin.copy()
    for _ in range(STEPS):
        weights = _softmax(balances @ solution)
        slope = balances.T @ weights + slack * solution
        if np.abs(slope).max(initial=0) < CLOSE:
            break
        centred = balances - balances.T @ weights
        bend = (centred * weights[:, None]).T @ centred + np.diag(slack)
        step = np.asarray(np.linalg.solve(bend, slope), np.float64)
        solution -= step * _length(balances, solution, step, float(slope @ step), slack)
    return solution


def _length(balances: Matrix, prices: Matrix, step: Matrix, fall: float, slack: Matrix) -> float:
    """How far to go: half as far again and again until the dual falls enough (Armijo)."""

    def dual(at: Matrix) -> float:
        logits = balances @ at
        top = float(logits.max())
        return top + float(np.log(np.exp(logits - top).sum())) + float(slack @ at**2) / 2

    value, length = dual(prices), 1.0
    while dual(prices - length * step) > value - 1e-4 * length * fall and length > 1e-9:
        length /= 2
    return length


def _softmax(logits: Matrix) -> Matrix:
    weights = np.exp(logits - logits.max())
    return np.asarray(weights / weights.sum(), np.float64)


def counted(weights: Matrix, n: int, balances: Matrix) -> Ints:
    """How many of n each gets: its share rounded down, or up for those that bring the balances
    [contrasts, balances] nearest to their sums.

    With many contrasts and few to share out nearly all are rounded up or down, and the largest
    remainders alone would be a biased choice.
    """
    exact = weights * n
    counts = np.floor(exact).astype(np.int64)
    left = exact - counts
    off = balances.T @ -left
    size = (balances**2).sum(1)
    for _ in range(n - int(counts.sum())):
        cost = size + 2 * balances @ off - left
        best = int(np.where(left > 0, cost, np.inf).argmin())
        counts[best] += 1
        off += balances[best]
        left[best] = 0
    return counts


# slack of what is to be even, of single features, and of trees
EXACT, LINEAR, NEAR = 2e-4, 2e-6, 5e-3
ROUNDS = 12  # of learning rules and balancing them
ENOUGH = 0.52  # how often a rule may be right


class Items(NamedTuple):
    """Sampled items of some contrasts as shallow rules see them.

    of      the contrast of each [n]
    yes     whether its answer is yes [n]
    weight  its share in its contrast [n]
    """

    seen: Seen
    of: Ints
    yes: Flags
    weight: Floats


class Balance(NamedTuple):
    """What shares are solved for: by how much each of some things speaks for yes in each contrast,
    and how near to zero that must come.

    columns  [contrasts, balances]
    slack    [balances]
    prices   of a solution for fewer columns, or for more contrasts, which is near [balances]
    """

    columns: Matrix
    slack: Matrix
    prices: Matrix

    @classmethod
    def of(cls, columns: Matrix, slack: float) -> Balance:
        """Columns with one slack."""
        n = columns.shape[1]
        return cls(columns, np.full(n, slack), np.zeros(n))

    def solved(self) -> Balance:
        """The same with its own prices."""
        return self._replace(prices=prices(self.columns, self.slack, self.prices))

    def shares(self) -> Matrix:
        """How often each contrast comes, at these prices."""
        return shares(self.columns, self.prices)

    def plus(self, columns: Matrix, slack: float) -> Balance:
        """With more columns."""
        more = Balance.of(columns, slack)
        return Balance(
            *(np.concatenate([mine, theirs], -1) for mine, theirs in zip(self, more, strict=True))
        )


def balanced(even: Matrix, items: Items, named: Sequence[Rule], *, learn: bool) -> Balance:
    """The balance of contrasts: `even` is to be zero exactly [contrasts, any], and no named or
    learnt rule is to say much.
    """
    if not named and not learn:
        return Balance.of(even, EXACT).solved()
    says = (
        np.stack([rule(items.seen) for rule in named], 1)
        if named
        else np.zeros((len(items.of), 0), bool)
    )
    holds, rows = np.unique(
        np.hstack([(every := features(items.seen)).holds, says]), axis=0, return_inverse=True
    )
    sums = _Sums.of(items, rows.ravel(), (len(even), len(holds)))
    balance = Balance.of(even, EXACT).plus(sums.signed(holds[:, len(every.names) :]), EXACT)
    if not learn:
        return balance.solved()
    balance = balance.plus(sums.signed(holds[:, : len(every.names)][:, every.apart]), LINEAR)
    table = Features(holds, (*every.names, *map(str, range(len(named)))))
    for _ in range(ROUNDS):
        balance = balance.solved()
        weights = sums.weights(balance.shares())
        worst = [
            grown
            for grown in (tree(table, weights), two_questions(table, weights))
            if _right(grown, holds, weights) > ENOUGH
        ]
        if not worst:
            break
        for leaves in (grown.leaves(holds) for grown in worst if isinstance(grown, Tree)):
            balance = balance.plus(
                sums.signed(leaves[:, None] == np.arange(leaves.max() + 1)), NEAR
            )
    return balance.solved()


def _right(grown: Tree | bool, holds: Flags, weights: Floats) -> float:
    """How often a tree is right; an answer that is always the same counts as never, since nothing
    can mend it.
    """
    return (
        float(weights[np.arange(len(holds)), grown.says(holds).astype(int)].sum())
        if isinstance(grown, Tree)
        else 0.0
    )


class _Sums(NamedTuple):
    """How much of each contrast has which features and the answer no, and yes: two of [contrasts,
    rows of features].
    """

    no: Any
    yes: Any

    @classmethod
    def of(cls, items: Items, rows: Ints, shape: tuple[int, int]) -> _Sums:
        from scipy.sparse import coo_array

        weight = items.weight.astype(np.float64)
        sides = (np.where(items.yes == side, weight, 0) for side in (False, True))
        return cls(*(coo_array((side, (items.of, rows)), shape=shape).tocsr() for side in sides))

    def signed(self, holds: Flags) -> Matrix:
        """How much oftener what holds goes with yes than with no [contrasts, features]."""
        return np.asarray((self.yes - self.no) @ holds.astype(np.float64))

    def weights(self, shares: Matrix) -> Floats:
        """How much of each row has the answer no and yes [rows, 2], where contrasts have some
        shares.
        """
        return np.stack([side.T @ shares for side in (self.no, self.yes)], 1)
