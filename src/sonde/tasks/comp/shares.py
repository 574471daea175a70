"""How often each contrast comes: as evenly as can be while every rule is right as often as
wrong.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sonde.vectors import Ints

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
