"""How much of a fit is done at once, and what memory and work that takes."""

from __future__ import annotations

from lingprobe.data.sizes import SINGLE, FitSize, Work
from lingprobe.nets.memory import at_most

DOUBLE = 8
MOVES = 12  # last steps of a search that are kept, each with the change of the gradient
BESIDE = 10  # places, gradients and directions of a search beside them
ROWS = 8192  # of one product: its scores stay in the cache
SCORES = 2**28  # bytes of the scores of one product, whose rows are fewer with many classes
WHOLE, PART = 1024, 256  # dimensions up to which all axes are found, and how many of wider input
PASSES = 100  # over the features that a search usually makes
AXIS = 75  # additions and multiplications that n axes take, by the cube of n
CALLS = 40  # of a search, counted in steps of a network
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


def work(size: FitSize, penalties: int) -> Work:
    """That of a search under so many penalties at once, after its axes are found. A score needs one
    pass, and two classes have one output.
    """
    numbers = size.train * size.features
    axes = size.features if size.features <= WHOLE else PART
    passes = PASSES if size.outputs > 1 else 1
    columns = penalties * (size.outputs - (size.outputs == 2 and not size.sets))
    products = 4 * passes * numbers * columns + 4 * numbers * axes + AXIS * axes**3
    return Work(products, 2 * passes * SINGLE * numbers, CALLS)
