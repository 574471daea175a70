"""L-BFGS for several problems in lockstep, one step after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor

from lingprobe.probes.logreg.room import MOVES

Objective = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
"""Places [some, size] and the numbers of the problems -> values [some] and gradients [some, size].
"""

MOST, TRIALS = 300, 12
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


@dataclass(slots=True)
class Search:
    """Minima on their way.

    place, found, small   of all problems: where each is [problems, size], its value there, and how
                          many steps in a row gained little
    least                 values below which gains are shares of these
    going, values, slope  the numbers of the problems that go on, their values and gradients
    history               their last moves
    """

    place: Tensor
    found: Tensor
    small: Tensor
    least: Tensor
    going: Tensor
    values: Tensor
    slope: Tensor
    history: list[Move] = field(default_factory=list)
    steps: int = 0

    @classmethod
    def begin(cls, objective: Objective, start: Tensor) -> Search:
        """A search that has not moved."""
        going = torch.arange(len(start), device=start.device)
        values, slope = objective(start, going)
        least = values.abs().clamp_min(1e-30) * NEAR
        small = torch.zeros_like(going)
        return cls(start.clone(), values.clone(), small, least, going, values, slope)

    @property
    def over(self) -> bool:
        """Whether all problems have ended."""
        return not len(self.going) or self.steps == MOST

    def step(self, objective: Objective, tolerance: float) -> None:
        """A step of all problems; one ends when two steps in a row gain less than `tolerance` of
        its value, or of the part NEAR of its first.
        """
        place, going, values, slope = self.place, self.going, self.values, self.slope
        direction = -_scale_gradient(slope, self.history)
        downhill = (direction * slope).sum(1) < 0
        direction = torch.where(downhill[:, None], direction, -slope)
        moved, reached, there = _step(objective, (place[going], values, slope, going), direction)
        self.history = [*self.history, Move.of(moved - place[going], there - slope)][-MOVES:]
        gain = (values - reached) / torch.maximum(values.abs(), self.least[going])
        place[going], self.found[going] = moved, reached
        self.small[going] = torch.where(gain < tolerance, self.small[going] + 1, 0)
        on = self.small[going] < 2
        self.values, self.slope = reached, there
        if not bool(on.all()):
            self.going, self.values, self.slope = going[on], reached[on], there[on]
            self.history = [Move(*(part[on] for part in move)) for move in self.history]
        self.steps += 1


def _scale_gradient(slope: Tensor, history: list[Move]) -> Tensor:
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
