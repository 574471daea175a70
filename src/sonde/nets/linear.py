"""L2-penalised linear models under several penalties at once: joint L-BFGS that shares every product with the input.

Each problem is mean loss + penalty / 2 * |weights|^2, the bias free. All run in lockstep in coordinates where the Hessian is
nearly the identity: the eigenvectors of the input's Gram matrix, scaled by its eigenvalues and the penalty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from sonde.nets.lbfgs import minimise
from sonde.nets.losses import LOSSES, Loss

ROWS = 8192  # of one product: its scores stay in the cache
SAMPLE = 16384  # rows that the first round is solved on, where there are at least four times as many


class Linear(NamedTuple):
    """Weights [penalties, outputs, dim] and biases [penalties, outputs], float64, and the objectives [penalties]."""

    weights: Tensor
    biases: Tensor
    objectives: Tensor


@dataclass(frozen=True, slots=True)
class Sums:
    """Losses and gradients over examples x [examples, dim] float32, centred, with targets."""

    x: Tensor
    wanted: Tensor
    loss: Loss

    def scores(self, weights: Tensor, biases: Tensor, start: int) -> Tensor:
        """Scores [1, penalties, outputs, rows] of one run of rows."""
        scores = weights.float().flatten(0, 1) @ self.x[start : start + ROWS].T
        return scores.view(1, *biases.shape, -1) + biases.float()[None, :, :, None]

    def means(self, weights: Tensor, biases: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Mean loss [penalties] and its gradients in weights and biases, float64."""
        total = torch.zeros(len(weights), dtype=torch.float64)
        inner, outer = torch.zeros_like(weights), torch.zeros_like(biases)
        for start in range(0, len(self.x), ROWS):
            wanted = self.wanted[start : start + ROWS].movedim(0, -1)[None]
            losses, slope = self.loss.both(self.scores(weights, biases, start), wanted)
            total += losses[0]
            outer += slope[0].sum(-1, dtype=torch.float64)
            inner += (slope[0].flatten(0, 1) @ self.x[start : start + ROWS]).view(inner.shape)
        return total / len(self.x), inner / len(self.x), outer / len(self.x)


def solve(x: Tensor, wanted: Tensor, loss: str, outputs: int, penalties: Tensor) -> Linear:
    """The minimum for each penalty [penalties] float64; x [examples, dim] float32."""
    mean = x.mean(0, dtype=torch.float64)
    centred = x - mean.float()
    sums = Sums(centred, wanted, LOSSES[loss])
    sample = sums
    if len(x) >= 4 * SAMPLE:
        rows = torch.randperm(len(x), generator=torch.Generator().manual_seed(0))[:SAMPLE]
        sample = Sums(centred[rows], wanted[rows], LOSSES[loss])
    values, basis = torch.linalg.eigh((sample.x.T @ sample.x).double() / len(sample.x))
    values = values.clamp_min(0.0)
    weights = torch.zeros(len(penalties), outputs, x.shape[1], dtype=torch.float64)
    biases = torch.zeros(len(penalties), outputs, dtype=torch.float64)
    objectives = torch.zeros(len(penalties), dtype=torch.float64)
    for part, tolerance in ((sample, 1e-4), (sums, 1e-6)) if sample is not sums else ((sums, 1e-6),):
        space = Space(part, penalties, weights, biases, values, basis)
        weights, biases, objectives = space.minimum(tolerance)
    return Linear(weights, biases - weights @ mean, objectives)


class Space:
    """The coordinates that one round runs in: flat vectors [penalties, outputs * (dim + 1)] around a start."""

    def __init__(self, sums: Sums, penalties: Tensor, weights: Tensor, biases: Tensor, values: Tensor, basis: Tensor) -> None:
        self.sums, self.penalties, self.basis = sums, penalties, basis
        self.weights, self.biases = weights, biases
        curvature = sums.loss.curvature(sums.scores(weights, biases, 0))[0].double().clamp_min(1e-4)
        stretch = torch.cat([curvature[:, None] * values + penalties[:, None], curvature[:, None]], 1)
        self.stretch = stretch.clamp_min(1e-12).sqrt()[:, None]

    def at(self, place: Tensor, which: Tensor) -> tuple[Tensor, Tensor]:
        """Weights and biases at a place [some, outputs * (dim + 1)] of some of the problems."""
        moved = place.view(len(place), self.biases.shape[1], -1) / self.stretch[which]
        return self.weights[which] + moved[:, :, :-1] @ self.basis.T, self.biases[which] + moved[:, :, -1]

    def objective(self, place: Tensor, which: Tensor) -> tuple[Tensor, Tensor]:
        """Values [some] and gradients of the objectives of some of the problems at a place."""
        weights, biases = self.at(place, which)
        means, inner, outer = self.sums.means(weights, biases)
        penalty = self.penalties[which]
        values = means + penalty / 2 * weights.square().sum((1, 2))
        inner += penalty[:, None, None] * weights
        slope = torch.cat([inner @ self.basis, outer[:, :, None]], 2) / self.stretch[which]
        return values, slope.flatten(1)

    def minimum(self, tolerance: float) -> tuple[Tensor, Tensor, Tensor]:
        """Weights, biases and objectives where nothing is to be gained but `tolerance` of the objective."""
        start = torch.zeros(len(self.penalties), self.biases.shape[1] * self.stretch.shape[2], dtype=torch.float64)
        place, values = minimise(self.objective, start, tolerance)
        return *self.at(place, torch.arange(len(place))), values
