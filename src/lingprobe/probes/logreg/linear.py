"""L2-penalised linear models under several penalties at once: joint L-BFGS that shares every
product with the input.

Each problem is mean loss + penalty / 2 * |weights|^2, the bias free. All run in lockstep in
coordinates where the Hessian is nearly the identity: along the eigenvectors of the input's Gram
matrix, scaled by its eigenvalues and the penalty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lingprobe.data.vectors import Floats
from lingprobe.probes.features import Aim
from lingprobe.probes.logreg.descent import Search
from lingprobe.probes.logreg.room import PART, ROWS, WHOLE, problems_at_once, rows_at_once
from lingprobe.probes.losses import LOSSES, Curved

FEW = 200  # rows for each score up to which turning the input pays; about thirty steps are taken
# rows that the first round is solved on, where there are at least four times as many
SAMPLE = 16384


class Linear(NamedTuple):
    """Weights [penalties, outputs, dim] and biases [penalties, outputs], float64, and the
    objectives [penalties].
    """

    weights: Tensor
    biases: Tensor
    objectives: Tensor

    def model(self, k: int, aims: Aim) -> tuple[Floats, Floats]:
        """The weights [outputs, dim] and the bias [outputs] of one penalty, of targets as they
        were.
        """
        weights = (self.weights[k] * aims.factor).float().cpu().numpy()
        return weights, (self.biases[k] * aims.factor + aims.shift).float().cpu().numpy()

    def judge(self, x: Floats, wanted: Tensor, loss: Curved) -> NDArray[np.float64]:
        """The mean quality and loss on other examples of each penalty's model [2, penalties]."""
        device = self.weights.device
        weights, biases = self.weights.float(), self.biases.float()
        sums = biases.new_zeros(2, len(biases), dtype=torch.float64)
        for start in range(0, len(x), size := rows_at_once(biases.numel())):
            rows = torch.from_numpy(x[start : start + size]).to(device)
            scores = torch.einsum("koi,ni->kon", weights, rows) + biases[:, :, None]
            answers = wanted[start : start + size].to(device).movedim(0, -1)
            sums += torch.cat(loss.judge(scores[None], answers[None]))
        return np.asarray((sums / len(x)).cpu().numpy())


@dataclass(frozen=True, slots=True)
class Sums:
    """Losses and gradients over examples x [examples, dim] float32, centred, with targets."""

    x: Tensor
    wanted: Tensor
    loss: Curved

    def scores(self, weights: Tensor, biases: Tensor, rows: slice) -> Tensor:
        """Scores [1, penalties, outputs, rows] of one run of rows."""
        scores = weights.float().flatten(0, 1) @ self.x[rows].T
        return scores.view(1, *biases.shape, -1) + biases.float()[None, :, :, None]

    def runs(self, outputs: int) -> Iterator[slice]:
        """The rows of each product, where each has so many scores."""
        size = rows_at_once(outputs)
        return (slice(start, start + size) for start in range(0, len(self.x), size))

    def means(self, weights: Tensor, biases: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Mean loss [penalties] and its gradients in weights and biases, float64."""
        total = weights.new_zeros(len(weights))
        inner, outer = torch.zeros_like(weights), torch.zeros_like(biases)
        for rows in self.runs(biases.numel()):
            wanted = self.wanted[rows].movedim(0, -1)[None]
            losses, slope = self.loss.both(self.scores(weights, biases, rows), wanted)
            total += losses[0]
            outer += slope[0].sum(-1, dtype=torch.float64)
            inner += (slope[0].flatten(0, 1) @ self.x[rows]).view(inner.shape)
        return total / len(self.x), inner / len(self.x), outer / len(self.x)


def solve(x: Tensor, wanted: Tensor, loss: str, outputs: int, penalties: Tensor) -> Linear:
    """The minimum for each penalty [penalties] float64; x [examples, dim] float32 is centred in
    place, and may be turned. It is looked for on the device that all are on.
    """
    mean = _sum_of(x, lambda some: some.sum(0)) / len(x)
    centred, sample = x.sub_(mean.float()), torch.arange(len(x), device=x.device)
    if len(x) >= 4 * SAMPLE:
        drawn = torch.randperm(len(x), generator=torch.Generator().manual_seed(0))
        sample = drawn[:SAMPLE].to(x.device)
    spectrum = spectrum_of(centred[sample] if len(sample) < len(x) else centred)
    turn = spectrum.basis if _pays(len(x), x.shape[1], outputs * len(penalties)) else None
    if turn is not None:
        spectrum = spectrum._replace(basis=None)
        _turn(centred, turn)
    rounds = [(Sums(centred, wanted, LOSSES[loss]), 1e-6)]
    if len(sample) < len(x):
        rounds = [(Sums(centred[sample], wanted[sample], LOSSES[loss]), 1e-4), *rounds]

    def minima(some: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return _descend_rounds(
            rounds,
            lambda sums, inner, outer: Space(sums, inner, outer, some, spectrum),
            some.new_zeros(len(some), outputs, x.shape[1]),
            some.new_zeros(len(some), outputs),
        )

    parts = torch.split(penalties, problems_at_once(outputs * (x.shape[1] + 1)))
    weights, biases, objectives = map(torch.cat, zip(*map(minima, parts), strict=True))
    if turn is not None:
        weights = weights @ turn.T
    return Linear(weights, biases - weights @ mean, objectives)


def _descend_rounds(
    rounds: Sequence[tuple[Sums, float]],
    space: Callable[[Sums, Tensor, Tensor], Space],
    weights: Tensor,
    biases: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """Weights, biases and objectives after all rounds: each starts where the one before ended."""
    for sums, tolerance in rounds:
        here = space(sums, weights, biases)
        search = Search.begin(here.objective, here.start)
        while not search.over:
            search.step(here.objective, tolerance)
        weights, biases = here.at(search.place, torch.arange(len(weights), device=weights.device))
    return weights, biases, search.found


def _pays(rows: int, dim: int, scores: int) -> bool:
    """Whether to turn the input once, in place of the weights at every step."""
    return dim <= WHOLE and rows <= FEW * scores


def _sum_of(x: Tensor, work: Callable[[Tensor], Tensor]) -> Tensor:
    """The sum over runs of rows, which are float64 one after the other: torch would copy all."""
    return torch.stack([work(some.double()) for some in torch.split(x, ROWS)]).sum(0)


def _turn(x: Tensor, basis: Tensor) -> None:
    """Turn an input in place, so that its coordinates are those of the basis."""
    for start in range(0, len(x), ROWS):
        some = slice(start, start + ROWS)
        x[some] = x[some] @ basis.float()


class Spectrum(NamedTuple):
    """The largest eigenvalues [some] of a Gram matrix, their vectors [dim, some], None where the
    input is turned to them, and the mean of the eigenvalues that are left.
    """

    values: Tensor
    basis: Tensor | None
    rest: float


def spectrum_of(x: Tensor) -> Spectrum:
    """The spectrum of x.T @ x / rows: whole, or of wide input the upper end by subspace iteration
    (Halko et al. 2011).
    """
    rows, dim = x.shape
    if dim <= WHOLE:
        values, basis = torch.linalg.eigh((x.T @ x).double() / rows)
        return Spectrum(values.clamp_min(0.0), basis, 0.0)
    basis = torch.randn(dim, PART, generator=torch.Generator().manual_seed(0)).to(x.device)
    for _ in range(3):
        basis = torch.linalg.qr(x.T @ (x @ basis))[0]
    seen = (x @ basis).double()
    values, turn = torch.linalg.eigh(seen.T @ seen / rows)
    rest = float(_sum_of(x, lambda some: some.square().sum())) / rows - float(values.sum())
    return Spectrum(values.clamp_min(0.0), basis.double() @ turn, max(rest, 0.0) / (dim - PART))


class Space:
    """The coordinates that one round runs in: flat vectors [penalties, outputs * (dim + 1)] around
    a start.
    """

    def __init__(
        self, sums: Sums, weights: Tensor, biases: Tensor, penalties: Tensor, spectrum: Spectrum
    ) -> None:
        self.sums, self.penalties, self.basis = sums, penalties, spectrum.basis
        self.weights, self.biases = weights, biases
        curvature = (
            sums.loss.curvature(sums.scores(weights, biases, next(sums.runs(biases.numel()))))[0]
            .double()
            .clamp_min(1e-4)[:, None, None]
        )
        penalty = penalties[:, None, None]
        self.along = (curvature * spectrum.values + penalty).clamp_min(1e-12).rsqrt()
        self.across = (curvature * spectrum.rest + penalty).clamp_min(1e-12).rsqrt()
        self.free = curvature.rsqrt()

    def stretch_coordinates(self, moved: Tensor, which: Tensor) -> tuple[Tensor, Tensor]:
        """Coordinates [some, outputs * (dim + 1)] to weights and biases, or gradients in these to
        gradients in coordinates.
        """
        parts = moved.view(len(moved), self.biases.shape[1], -1)
        inner, along, across = parts[:, :, :-1], self.along[which], self.across[which]
        if self.basis is None:
            weights = inner * along
        else:
            weights = inner * across + ((inner @ self.basis) * (along - across)) @ self.basis.T
        return weights, parts[:, :, -1] * self.free[which, :, 0]

    def at(self, place: Tensor, which: Tensor) -> tuple[Tensor, Tensor]:
        """Weights and biases at a place of some of the problems."""
        weights, biases = self.stretch_coordinates(place, which)
        return self.weights[which] + weights, self.biases[which] + biases

    @property
    def start(self) -> Tensor:
        """The coordinates of the weights and biases that it is around."""
        size = self.weights[0].numel() + self.biases[0].numel()
        return self.penalties.new_zeros(len(self.penalties), size)

    def objective(self, place: Tensor, which: Tensor) -> tuple[Tensor, Tensor]:
        """Values [some] and gradients of the objectives of some of the problems at a place."""
        weights, biases = self.at(place, which)
        means, inner, outer = self.sums.means(weights, biases)
        penalty = self.penalties[which]
        values = means + penalty / 2 * weights.square().sum((1, 2))
        slope = torch.cat([inner + penalty[:, None, None] * weights, outer[:, :, None]], 2)
        inner, outer = self.stretch_coordinates(slope.flatten(1), which)
        return values, torch.cat([inner, outer[:, :, None]], 2).flatten(1)
