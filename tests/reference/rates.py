"""Learning rates by step, as tables."""

from __future__ import annotations

from math import cos, pi


def falling(rate: float, epochs: int, steps: int) -> list[list[float]]:
    """Of each step of each epoch, in a straight line from the rate at the first step to nothing
    after the last.
    """
    whole = epochs * steps
    return [
        [rate * (whole - (epoch * steps + step)) / whole for step in range(steps)]
        for epoch in range(epochs)
    ]


def annealed(rate: float, steps: int, warm: int) -> list[float]:
    """Up in a straight line over the first steps, then down along half a cosine (Loshchilov &
    Hutter 2017, equation 5, without restarts).
    """
    up = [rate * (step + 1) / warm for step in range(warm)]
    left = steps - warm
    return up + [rate * (1 + cos(pi * step / left)) / 2 for step in range(left)]
