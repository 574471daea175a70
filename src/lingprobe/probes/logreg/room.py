"""How much of a fit is done at once, and what memory that takes."""

from __future__ import annotations

from lingprobe.data.sizes import FitSize
from lingprobe.nets.memory import at_most

DOUBLE, SINGLE = 8, 4
MOVES = 12  # last steps of a search that are kept, each with the change of the gradient
BESIDE = 10  # places, gradients and directions of a search beside them
ROWS = 8192  # of one product: its scores stay in the cache
SCORES = 2**28  # bytes of the scores of one product, whose rows are fewer with many classes
STATE = 2**31  # bytes of the last moves, where several penalties are searched at once


def problems_at_once(size: int) -> int:
    """How many problems of so many numbers are searched at once: their last moves are kept."""
    return max(1, at_most(STATE, 0.25) // (2 * MOVES * DOUBLE * size))


def rows_at_once(outputs: int) -> int:
    """Of how many rows so many scores are computed at once."""
    return max(1, min(ROWS, at_most(SCORES, 0.05) // SINGLE // outputs))


def least_memory(size: FitSize) -> int:
    """Bytes that the search under one penalty takes: what was read and its copy on one scale, and
    the state of the search.
    """
    copies = size.inputs + SINGLE * size.features * size.train
    state = DOUBLE * size.outputs * (size.features + 1) * (2 * MOVES + BESIDE)
    return copies + size.targets + state + size.scores
