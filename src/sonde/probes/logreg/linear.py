"""L2-penalised linear models under several penalties at once: joint L-BFGS that shares every
product with the input.

Each problem is mean loss + penalty / 2 * |weights|^2, the bias free. All run in lockstep in
coordinates where the Hessian is nearly the identity: along the eigenvectors of the input's Gram
matrix, scaled by its eigenvalues and the penalty.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sonde.probes.features import Aim
from sonde.probes.losses import LOSSES, Curved
from sonde.vectors import Floats

Objective = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
"""Places [some, size] and the numbers of the problems -> values [some] and gradients [some, size].
"""

MEMORY, MOST, TRIALS = 12, 300, 12
ENOUGH = 1e-4  # share of the promised decrease that a step must bring (Armijo)
NEAR = 0.01  # share of the first value below which values count as that share: nearly perfect fits


class Move(NamedTuple):
    """A step of each problem and the change of the gradient over it [problems, size], one over
    their product, and the step's scale as the inverse Hessian sees it [problems].
    """

    step: Tensor
    change: Tensor
    share: Tensor
    scale: Tensor

    @classmethod
    def of(cls, step: Tensor, change: Tensor) -> Move:
        bend, size = (step * change).sum(1), (change * change).sum(1)
        curved = bend > 1e-12 * size  # a step without curvature says nothing
        scale = torch.where(curved, bend / size.clamp_min(1e-300), 1.0)
        return cls(step, change, torch.where(curved, 1 / bend, 0.0), scale)


def minimise(objective: Objective, start: Tensor, tolerance: float) -> tuple[Tensor, Tensor]:
    """Minima [problems, size] and their values; a problem ends when two steps in a row gain less
    than `tolerance` of its value, or of the part NEAR of its first.
    """
    place = start.clone()
    going = torch.arange(len(start), device=start.device)
    values, slope = objective(place, going)
    least = values.abs().clamp_min(1e-30) * NEAR
    found, small = values.clone(), torch.zeros_like(going)
    history: list[Move] = []
    for _ in range(MOST):
        direction = -_scaled(slope, history)
        downhill = (direction * slope).sum(1) < 0
        direction = torch.where(downhill[:, None], direction, -slope)
        moved, reached, there = _step(objective, (place[going], values, slope, going), direction)
        history = [*history, Move.of(moved - place[going], there - slope)][-MEMORY:]
        gain = (values - reached) / torch.maximum(values.abs(), least[going])
        place[going], found[going] = moved, reached
        small[going] = torch.where(gain < tolerance, small[going] + 1, 0)
        on = small[going] < 2
        values, slope = reached, there
        if not bool(on.all()):
            going, values, slope = going[on], values[on], slope[on]
            history = [Move(*(part[on] for part in move)) for move in history]
        if not len(going):
            break
    return place, found


def _scaled(slope: Tensor, history: list[Move]) -> Tensor:
    """The inverse Hessian, as the last steps tell it, times the gradient [problems, size] (the
    two-loop recursion).
    """
    if not history:
        return slope
    q, weights = slope.clone(), []
    for move in reversed(history):
        weight = move.share * (move.step * q).sum(1)
        q.addcmul_(move.change, weight[:, None], value=-1)
        weights.append(weight)
    q *= history[-1].scale[:, None]
    for move, weight in zip(history, reversed(weights), strict=True):
        q.addcmul_(move.step, (weight - move.share * (move.change * q).sum(1))[:, None])
    return q


def _step(
    objective: Objective, here: tuple[Tensor, Tensor, Tensor, Tensor], direction: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """A step of each problem that brings enough: places, values and gradients there; steps shrink
    along a parabola until they do.
    """
    place, values, slope, numbers = here
    promise = (direction * slope).sum(1)
    length = values.new_ones(len(place))
    moved, reached, there = place.clone(), values.clone(), slope.clone()
    trying = torch.arange(len(place), device=place.device)
    for _ in range(TRIALS):
        tried = place[trying] + length[trying, None] * direction[trying]
        value, gradient = objective(tried, numbers[trying])
        good = (
            value
            <= values[trying]
            + ENOUGH * length[trying] * promise[trying]
            + 1e-12 * values[trying].abs()
        )
        done = trying[good]
        moved[done], reached[done], there[done] = tried[good], value[good], gradient[good]
        trying, value = trying[~good], value[~good]
        if not len(trying):
            break
        t, down = length[trying], promise[trying]
        best = -down * t * t / (2 * (value - values[trying] - t * down))
        length[trying] = torch.where(best.isfinite(), best, 0.0).clamp(0.1 * t, 0.5 * t)
    return moved, reached, there


ROWS = 8192  # of one product: its scores stay in the cache
# dimensions up to which all eigenvectors are taken, and how many of wider input
WHOLE, PART = 1024, 256
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

    def judged(self, x: Floats, wanted: Tensor, loss: Curved) -> NDArray[np.float64]:
        """The mean quality and loss on other examples of each penalty's model [2, penalties]."""
        device = self.weights.device
        rows = torch.from_numpy(x).to(device)
        scores = torch.einsum("koi,ni->kon", self.weights.float(), rows)
        scores += self.biases.float()[:, :, None]
        sums = torch.cat(loss.judge(scores[None], wanted.to(device).movedim(0, -1)[None]))
        return np.asarray((sums / len(x)).cpu().numpy())


@dataclass(frozen=True, slots=True)
class Sums:
    """Losses and gradients over examples x [examples, dim] float32, centred, with targets."""

    x: Tensor
    wanted: Tensor
    loss: Curved

    def scores(self, weights: Tensor, biases: Tensor, start: int) -> Tensor:
        """Scores [1, penalties, outputs, rows] of one run of rows."""
        scores = weights.float().flatten(0, 1) @ self.x[start : start + ROWS].T
        return scores.view(1, *biases.shape, -1) + biases.float()[None, :, :, None]

    def means(self, weights: Tensor, biases: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Mean loss [penalties] and its gradients in weights and biases, float64."""
        total = weights.new_zeros(len(weights))
        inner, outer = torch.zeros_like(weights), torch.zeros_like(biases)
        for start in range(0, len(self.x), ROWS):
            wanted = self.wanted[start : start + ROWS].movedim(0, -1)[None]
            losses, slope = self.loss.both(self.scores(weights, biases, start), wanted)
            total += losses[0]
            outer += slope[0].sum(-1, dtype=torch.float64)
            inner += (slope[0].flatten(0, 1) @ self.x[start : start + ROWS]).view(inner.shape)
        return total / len(self.x), inner / len(self.x), outer / len(self.x)


def solve(x: Tensor, wanted: Tensor, loss: str, outputs: int, penalties: Tensor) -> Linear:
    """The minimum for each penalty [penalties] float64; x [examples, dim] float32. It is looked for
    on the device that all are on.
    """
    mean = x.mean(0, dtype=torch.float64)
    centred, sample = x - mean.float(), torch.arange(len(x), device=x.device)
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
    weights = penalties.new_zeros(len(penalties), outputs, x.shape[1])
    biases = penalties.new_zeros(len(penalties), outputs)
    objectives = torch.zeros_like(penalties)
    for part, tolerance in rounds:
        space = Space(part, penalties, weights, biases, spectrum)
        weights, biases, objectives = space.minimum(tolerance)
    if turn is not None:
        weights = weights @ turn.T
    return Linear(weights, biases - weights @ mean, objectives)


def _pays(rows: int, dim: int, scores: int) -> bool:
    """Whether to turn the input once, in place of the weights at every step."""
    return dim <= WHOLE and rows <= FEW * scores


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
    rest = float(x.square().sum(dtype=torch.float64)) / rows - float(values.sum())
    return Spectrum(values.clamp_min(0.0), basis.double() @ turn, max(rest, 0.0) / (dim - PART))


class Space:
    """The coordinates that one round runs in: flat vectors [penalties, outputs * (dim + 1)] around
    a start.
    """

    def __init__(
        self, sums: Sums, penalties: Tensor, weights: Tensor, biases: Tensor, spectrum: Spectrum
    ) -> None:
        self.sums, self.penalties, self.basis = sums, penalties, spectrum.basis
        self.weights, self.biases = weights, biases
        curvature = (
            sums.loss.curvature(sums.scores(weights, biases, 0))[0]
            .double()
            .clamp_min(1e-4)[:, None, None]
        )
        penalty = penalties[:, None, None]
        self.along = (curvature * spectrum.values + penalty).clamp_min(1e-12).rsqrt()
        self.across = (curvature * spectrum.rest + penalty).clamp_min(1e-12).rsqrt()
        self.free = curvature.rsqrt()

    def stretched(self, moved: Tensor, which: Tensor) -> tuple[Tensor, Tensor]:
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
        weights, biases = self.stretched(place, which)
        return self.weights[which] + weights, self.biases[which] + biases

    def objective(self, place: Tensor, which: Tensor) -> tuple[Tensor, Tensor]:
        """Values [some] and gradients of the objectives of some of the problems at a place."""
        weights, biases = self.at(place, which)
        means, inner, outer = self.sums.means(weights, biases)
        penalty = self.penalties[which]
        values = means + penalty / 2 * weights.square().sum((1, 2))
        slope = torch.cat([inner + penalty[:, None, None] * weights, outer[:, :, None]], 2)
        inner, outer = self.stretched(slope.flatten(1), which)
        return values, torch.cat([inner, outer[:, :, None]], 2).flatten(1)

    def minimum(self, tolerance: float) -> tuple[Tensor, Tensor, Tensor]:
        """Weights, biases and objectives where nothing is to be gained but `tolerance` of the
        objective.
        """
        size = self.weights[0].numel() + self.biases[0].numel()
        start = self.penalties.new_zeros(len(self.penalties), size)
        place, values = minimise(self.objective, start, tolerance)
        return *self.at(place, torch.arange(len(place), device=place.device)), values
