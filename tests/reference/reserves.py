"""How much vectors score beyond a floor on one draw than on another, in plain loops: differences of
means, whose errors are independent (a textbook's variance of a sum).
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

Scored = Sequence[tuple[float, float, float]]
"""A score and its 95 % interval for each set."""


def gap(public: Scored, reserve: Scored) -> tuple[float, float]:
    """The mean of public minus reserve over sets, and its standard error."""
    reach = NormalDist().inv_cdf(0.975)
    total, variance = 0.0, 0.0
    for sign, draw in ((1, public), (-1, reserve)):
        for score, low, high in draw:
            total += sign * score
            variance += ((high - low) / 2 / reach) ** 2
    return total / len(public), variance**0.5 / len(public)


def one_sided(gap: float, error: float, floor: float, floor_error: float) -> float:
    """How probable so much more than the floor's gap is by chance."""
    spread = (error**2 + floor_error**2) ** 0.5
    return 1 - NormalDist(0, spread).cdf(gap - floor)


def holm(values: Sequence[float]) -> list[float]:
    """Holm's correction, by its steps (Holm 1979)."""
    found = [0.0] * len(values)
    worst = 0.0
    for step, place in enumerate(sorted(range(len(values)), key=lambda i: values[i])):
        worst = max(worst, min(1.0, values[place] * (len(values) - step)))
        found[place] = worst
    return found
