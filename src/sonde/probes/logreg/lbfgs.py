"""L-BFGS (Liu & Nocedal 1989) on several problems in lockstep, so that they can share what their
objectives have in common.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

Objective = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
"""Places [some, size] and the numbers of the problems -> values [some] and gradients [some, size].
"""

MEMORY, MOST, TRIALS = 12, 300, 12
ENOUGH = 1e-4  # share of the promised decrease that a step must bring (Armijo)


def minimise(objective: Objective, start: Tensor, tolerance: float) -> tuple[Tensor, Tensor]:
    """Minima [problems, size] and their values; a problem ends when two steps in a row gain less
    than `tolerance` of its value.
    """
    place = start.clone()
    going = torch.arange(len(start))
    values, slope = objective(place, going)
    found, small = values.clone(), torch.zeros(len(start), dtype=torch.int64)
    history: list[tuple[Tensor, Tensor]] = []
    for _ in range(MOST):
        direction = -_scaled(slope, history)
        downhill = (direction * slope).sum(1) < 0
        direction = torch.where(downhill[:, None], direction, -slope)
        moved, reached, there = _step(objective, (place[going], values, slope, going), direction)
        history = [*history, (moved - place[going], there - slope)][-MEMORY:]
        gain = (values - reached) / values.abs().clamp_min(1e-30)
        place[going], found[going] = moved, reached
        small[going] = torch.where(gain < tolerance, small[going] + 1, 0)
        on = small[going] < 2
        going, values, slope = going[on], reached[on], there[on]
        history = [(s[on], y[on]) for s, y in history]
        if not len(going):
            break
    return place, found


def _scaled(slope: Tensor, history: list[tuple[Tensor, Tensor]]) -> Tensor:
    """The inverse Hessian, as the last steps tell it, times the gradient [problems, size] (the
    two-loop recursion).
    """
    if not history:
        return slope
    q, kept = slope.clone(), []
    for s, y in reversed(history):
        bend = (s * y).sum(1)
        # a step without curvature says nothing
        share = torch.where(bend > 1e-12 * (y * y).sum(1), 1 / bend, 0.0)
        weight = share * (s * q).sum(1)
        q -= weight[:, None] * y
        kept.append((s, y, share, weight))
    s, y, share, _ = kept[0]
    q *= torch.where(share > 0, (s * y).sum(1) / (y * y).sum(1).clamp_min(1e-300), 1.0)[:, None]
    for s, y, share, weight in reversed(kept):
        q += (weight - share * (y * q).sum(1))[:, None] * s
    return q


def _step(
    objective: Objective, here: tuple[Tensor, Tensor, Tensor, Tensor], direction: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """A step of each problem that brings enough: places, values and gradients there; steps shrink
    along a parabola until they do.
    """
    place, values, slope, numbers = here
    promise = (direction * slope).sum(1)
    length = torch.ones(len(place), dtype=torch.float64)
    moved, reached, there = place.clone(), values.clone(), slope.clone()
    trying = torch.arange(len(place))
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
