"""Differences of scores over different examples."""

from __future__ import annotations

import math


def compare_independent(
    left_score: tuple[float, float, float], right_score: tuple[float, float, float]
) -> tuple[float, float, float]:
    """The difference of two independent scores with its interval, from a score and its interval
    each (Zou & Donner 2008, equation 4: variances are recovered from the limits).
    """
    (a, a_low, a_high), (b, b_low, b_high) = left_score, right_score
    low = a - b - math.hypot(a - a_low, b_high - b)
    return a - b, low, a - b + math.hypot(a_high - a, b - b_low)
