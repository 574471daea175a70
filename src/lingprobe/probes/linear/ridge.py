"""Ridge regression of numbers, or of labels that hold or not, with exact leave-one-out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.vectors import Ints
from lingprobe.probes.linear.calibration import (
    compute_label_losses,
    fit_label_lines,
)
from lingprobe.probes.linear.decomposition import SharedDecomposition
from lingprobe.probes.linear.discriminant import LinearModel

Doubles = NDArray[np.float64]

RIDGE_PENALTIES = tuple(10.0 ** (k / 2) for k in range(-12, 9))
"""Relative to the mean eigenvalue."""
_COARSE, _FINER = range(18, 1, -4), (2, 1)  # which are tried, then at which steps around the best
_FACTORED = range(14, 5, -2)  # where each penalty takes a factorisation


def find_penalty(loss: Callable[[float], float], decomposition: SharedDecomposition) -> float:
    """The penalty of the least leave-one-out loss among `RIDGE_PENALTIES`; of equal
    ones the largest.
    """
    grid, steps = (_FACTORED, ()) if decomposition.is_factored else (_COARSE, _FINER)
    losses = {k: loss(RIDGE_PENALTIES[k]) for k in grid}
    best = min(losses, key=losses.__getitem__)
    for step in steps:
        near = {best + step, best - step} & set(range(len(RIDGE_PENALTIES)))
        losses |= {k: loss(RIDGE_PENALTIES[k]) for k in sorted(near, reverse=True)}
        best = min(losses, key=losses.__getitem__)
    return float(RIDGE_PENALTIES[best])


@dataclass(frozen=True, slots=True)
class RidgeRegression:
    """Ridge regression on targets [n, k] over a decomposition, for any penalty; targets that are
    NaN count as the mean of the others.

    rows   training examples whose leave-one-out scores are asked for
    sums   what the features make of the targets, projected [k, r]
    """

    decomposition: SharedDecomposition
    targets: Doubles
    mean: Doubles
    rows: Ints
    sums: Doubles

    @classmethod
    def of(
        cls, decomposition: SharedDecomposition, targets: Doubles, rows: Ints
    ) -> RidgeRegression:
        """That on targets [n, k]."""
        known = ~np.isnan(targets)
        mean = np.where(known, targets, 0).sum(0) / np.maximum(known.sum(0), 1)
        centred = np.where(known, targets - mean, 0)
        sums = decomposition.project_sums(centred.T) / len(targets)
        return cls(decomposition, targets, mean, rows, sums)

    def fit(self, penalty: float) -> LinearModel:
        halved = self.decomposition.halve(self.sums, penalty)
        return LinearModel(self.decomposition.solve_halved(halved, penalty), self.mean)

    def leave_one_out(self, penalty: float) -> Doubles:
        """Scores [rows, k] of examples by the regression on all others: (fitted - h * target) / (1
        - h) with the leverage h (Allen 1974). The ridge of the sum of squares and the means of
        NaN stay as they are.
        """
        halves, norms = self.decomposition.halve_features(self.rows, penalty)
        fitted = halves @ self.decomposition.halve(self.sums, penalty).T + self.mean
        n, wanted = len(self.targets), self.targets[self.rows]
        leverage = norms / n + 1 / n
        leverage = np.minimum(leverage, 1 - 1e-9)[:, None]
        target = np.where(np.isnan(wanted), self.mean, wanted)
        return np.asarray((fitted - leverage * target) / (1 - leverage))

    def squared_error(self, penalty: float) -> float:
        """The mean leave-one-out squared error."""
        return float(np.nanmean((self.leave_one_out(penalty) - self.targets[self.rows]) ** 2))

    def label_loss(self, penalty: float) -> float:
        """The mean leave-one-out log loss in nats of labels that hold or not, summed over labels,
        under the line from scores to log odds that is best for each.
        """
        scores, holds = self.leave_one_out(penalty), self.targets[self.rows]
        odds = fit_label_lines(scores, holds).apply(scores)
        return float(compute_label_losses(odds, holds).mean())
