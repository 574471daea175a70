"""The cells of a hyper-parameter grid before and after training; imports no torch, so settings can
be made without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lingprobe.data.vectors import Floats


@dataclass(frozen=True, slots=True)
class GridMember:
    """One cell of a grid; no hidden units means logistic regression."""

    hidden: int
    dropout: float = 0.0
    decay: float = 0.0


@dataclass(frozen=True, slots=True)
class TrainedNetwork:
    """A member at its best on dev.

    layers     weights [out, in] and bias [out, 1], layer by layer
    score      accuracy on dev for classes, otherwise minus the loss
    loss       loss an example on dev
    passes     over the training examples, when it was at its best
    likeliest  the same as it was at its lowest loss on dev, where that was asked for
    """

    member: GridMember
    layers: tuple[Floats, ...]
    score: float
    loss: float
    passes: float
    likeliest: TrainedNetwork | None = None


def count_network_weights(grid: Sequence[GridMember], features: int, outputs: int) -> int:
    """How many numbers the weights of networks are."""
    return sum(m.hidden * (features + outputs) or features * outputs for m in grid)
