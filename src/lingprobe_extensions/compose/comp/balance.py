"""How often each contrast comes: every named construction has its least share, and under these
shares rules of thumb are right half of the time, and single shallow features go with yes about as
often as with no.

Least shares come first. What they leave of a rule stays: a construction is not given up because a
shallow rule knows it ("was helped by the ...").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from lingprobe.extend import Floats, Ints
from lingprobe_extensions.compose.comp.rules import Rule
from lingprobe_extensions.compose.comp.shallow import (
    Flags,
    ShallowExamples,
    extract_shallow_features,
)

Matrix = NDArray[np.float64]
_STEPS, _CLOSE = 400, 1e-10
_EASED = tuple(10.0**-k for k in range(-6, 1))  # slacks on the way to the ones asked for, in turn
_ROUNDING = 1e-14  # of the dual, as a share of it
_NEAR = 1e-6  # least prices up to this that fall are zero at once on this way


def compute_shares(balances: Matrix, at: Matrix) -> Matrix:
    """The shares of contrasts [contrasts, balances] at some prices [balances]: they add up to 1."""
    return _softmax(balances @ at)


def find_prices(
    balances: Matrix, slack: Matrix, is_minimum: NDArray[np.bool_], begin: Matrix | None = None
) -> Matrix:
    """The prices [balances] at which every balance [contrasts, balances] sums to nearly zero, or,
    where `is_minimum`, to nearly zero or more; `begin` is where to begin looking.

    Of all shares that will do, those nearest to even are wanted, in relative entropy. They are
    proportional to exp(balances @ prices). A sum misses zero by its slack [balances] times its
    price; the price of a least sum that is not short is zero. Projected Newton steps on the dual,
    which is convex, so there is one solution. Where they end elsewhere, as in a corner or on a
    plateau, it is come to from solutions with more slack.
    """
    solution = np.zeros(balances.shape[1]) if begin is None else begin.copy()
    solution[is_minimum] = np.maximum(solution[is_minimum], 0)
    dual = _Dual(balances, slack, is_minimum)
    # more threads take longer over so little, and give other last bits
    with threadpool_limits(1):
        found = _minimize_dual(dual, solution)
        if dual.off(found) < _CLOSE:
            return found
        for ease in _EASED:
            solution = _minimize_dual(dual._replace(slack=slack * ease), solution, _NEAR)
        return solution if dual.off(solution) < dual.off(found) else found


def _minimize_dual(dual: _Dual, solution: Matrix, near: float = 0.0) -> Matrix:
    """Prices after projected Newton steps (Bertsekas 1982) until no sum is off, or none leads
    down. Where prices are large, the last of that is below the rounding of the dual, and whole
    steps go on as long as sums come nearer.
    """
    for _ in range(_STEPS):
        if dual.off(solution) < _CLOSE:
            break
        after = _take_step(dual, solution, near)
        if after is None:
            break
        solution = after
    return solution


class _Dual(NamedTuple):
    """What prices make least."""

    balances: Matrix
    slack: Matrix
    least: NDArray[np.bool_]

    def value(self, at: Matrix) -> float:
        """Its value at some prices."""
        logits = self.balances @ at
        top = float(logits.max())
        return top + float(np.log(np.exp(logits - top).sum())) + float(self.slack @ at**2) / 2

    def slope(self, at: Matrix) -> Matrix:
        """Its slope at some prices: by how much each sum misses zero."""
        return self.balances.T @ _softmax(self.balances @ at) + self.slack * at

    def zero_mask(self, at: Matrix, slope: Matrix, near: float) -> NDArray[np.bool_]:
        """Which prices are to be zero: least ones, zero or near it, that fall."""
        return np.asarray(self.least & (at <= near) & (slope >= 0), np.bool_)

    def off(self, at: Matrix) -> float:
        """How far the sums are from what they should be, at most."""
        slope = self.slope(at)
        return float(np.abs(slope[~self.zero_mask(at, slope, 0.0)]).max(initial=0))

    def step(self, at: Matrix, slope: Matrix, near: float) -> Matrix:
        """Newton's step for the prices that may move; the others go to zero."""
        weights, held = _softmax(self.balances @ at), self.zero_mask(at, slope, near)
        centred = (self.balances - self.balances.T @ weights)[:, ~held]
        bend = (centred * weights[:, None]).T @ centred + np.diag(self.slack[~held])
        step = np.where(held, np.maximum(at, 0), 0)
        step[~held] = np.linalg.solve(bend, slope[~held])
        return step

    def inside(self, at: Matrix) -> Matrix:
        """The nearest prices that may be: those of least sums are not negative."""
        return np.where(self.least, np.maximum(at, 0), at)


def _take_step(dual: _Dual, at: Matrix, near: float) -> Matrix | None:
    """Prices after a step: half as far again and again until the dual falls enough (Armijo); None
    where it falls no more. A step that is below the rounding of the dual is taken whole where sums
    come nearer.
    """
    value, slope = dual.value(at), dual.slope(at)
    step = dual.step(at, slope, near)
    if abs(float(slope @ step)) < _ROUNDING * abs(value):
        whole = dual.inside(at - step)
        if dual.off(whole) < dual.off(at):
            return whole
    length = 1.0
    while length > 1e-9:
        after = dual.inside(at - length * step)
        if dual.value(after) <= value - 1e-4 * float(slope @ (at - after)):
            return after
        length /= 2
    return None


def _softmax(logits: Matrix) -> Matrix:
    weights = np.exp(logits - logits.max())
    return np.asarray(weights / weights.sum(), np.float64)


def round_shares(weights: Matrix, n: int, balances: Matrix) -> Ints:
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


# slack of least shares, of what is to be even and of rules of thumb, and of single features
_LEAST, EVEN_SHARE_SLACK, _FEATURE = 1e-8, 2e-4, 2e-6


class SampledItems(NamedTuple):
    """Sampled items of some contrasts as shallow rules see them.

    of      the contrast of each [n]
    yes     whether its answer is yes [n]
    weight  its share in its contrast [n]
    """

    seen: ShallowExamples
    of: Ints
    yes: Flags
    weight: Floats


class ShareBalance(NamedTuple):
    """What shares are solved for.

    columns  [contrasts, balances]: by how much each of some things speaks for yes, or how much of
             a construction a contrast has above its least share
    slack    [balances]: how near to zero a sum must come
    least    [balances]: which sums may be above zero
    prices   of a solution for fewer columns, or for more contrasts, which is near [balances]
    """

    columns: Matrix
    slack: Matrix
    least: NDArray[np.bool_]
    prices: Matrix

    @classmethod
    def of(cls, columns: Matrix, slack: float, *, least: bool = False) -> ShareBalance:
        """Columns with one slack."""
        n = columns.shape[1]
        return cls(columns, np.full(n, slack), np.full(n, least), np.zeros(n))

    def solve_prices(self) -> ShareBalance:
        """The same with its own prices."""
        return self._replace(prices=find_prices(self.columns, self.slack, self.least, self.prices))

    def among(self, rows: Sequence[int]) -> ShareBalance:
        """The balance of some of the contrasts. Of a construction that none of them has there is
        no least share.
        """
        columns = self.columns[rows]
        kept = ~self.least | (columns > 0).any(0)
        left = ShareBalance(columns[:, kept], self.slack[kept], self.least[kept], self.prices[kept])
        return left.solve_prices()

    def shares(self) -> Matrix:
        """How often each contrast comes, at these prices."""
        return compute_shares(self.columns, self.prices)

    def plus(self, more: ShareBalance) -> ShareBalance:
        """With more columns."""
        return ShareBalance(
            *(np.concatenate([mine, theirs], -1) for mine, theirs in zip(self, more, strict=True))
        )


Least = Mapping[str, Mapping[str, float]]
"""Stratum -> construction -> the least share of it; '' stands for each other construction."""


def balance_constructions(strata: Sequence[Mapping[str, str]], min_shares: Least) -> ShareBalance:
    """Constructions each have at least their share of train (5 %, markers of negation more), by
    what each contrast is.
    """
    columns = []
    for stratum, by_name in min_shares.items():
        names = [tags.get(stratum, "") for tags in strata]
        for name in sorted(set(names) - {""}):
            share = by_name.get(name, by_name.get("", 0.0))
            columns.append([(one == name) - share for one in names])
    return ShareBalance.of(np.array(columns, float).reshape(-1, len(strata)).T, _LEAST, least=True)


def balance_contrasts(
    balance: ShareBalance, items: SampledItems, named: Sequence[Rule], *, single_features: bool
) -> ShareBalance:
    """The balance of contrasts: `balance` is what is to hold whatever shallow rules say; no named
    rule and, if wanted, no single feature is to say much.
    """

    def signed_balance(holds: Flags, slack: float) -> ShareBalance:
        return ShareBalance.of(_yes_excess(items, holds, len(balance.columns)), slack)

    if named:
        balance = balance.plus(
            signed_balance(np.stack([rule(items.seen) for rule in named], 1), EVEN_SHARE_SLACK)
        )
    if single_features:
        balance = balance.plus(signed_balance(extract_shallow_features(items.seen).holds, _FEATURE))
    return balance.solve_prices()


def _yes_excess(items: SampledItems, holds: Flags, contrasts: int) -> Matrix:
    """How much oftener what holds [items, features] goes with yes than with no [contrasts,
    features].
    """
    from scipy.sparse import coo_array

    signs = np.where(items.yes, 1.0, -1.0) * items.weight
    shape = (contrasts, len(items.of))
    by_contrast = coo_array((signs, (items.of, np.arange(len(signs)))), shape=shape).tocsr()
    return np.asarray(by_contrast @ holds.astype(np.float64))
