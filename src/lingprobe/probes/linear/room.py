"""What memory and work a fit of the linear probe takes."""

from __future__ import annotations

from lingprobe.data.sizes import FLOAT32_BYTES, FitSize, WorkAmount

_DOUBLE = 8
_SAMPLED, _LEAST = 4000, 1000  # examples of leave-one-out predictions
_SCORED = 400_000  # scores of these, where they are more than the least
_MOVES = 24  # of a search by L-BFGS that are kept, beside places and gradients
_PASSES = 60  # over the features that a search usually makes
_AXES = 25  # additions and multiplications that n axes take, by the cube of n


def estimate_linear_memory(size: FitSize) -> int:
    """Bytes that a fit takes: its features twice, their decomposition, a sample of leave-one-out
    scores, and the state of a search.
    """
    few = min(size.features, size.train)
    sample = min(_SAMPLED, size.train)
    state = _DOUBLE * size.outputs * (size.features + 1) * _MOVES
    decomposition = _DOUBLE * few * (few + size.features + sample)
    scores = 6 * _DOUBLE * min(max(_SCORED, _LEAST * size.outputs), sample * size.outputs)
    return size.inputs + FLOAT32_BYTES * size.features * size.train + decomposition + state + scores


def estimate_linear_work(size: FitSize) -> WorkAmount:
    """That of a decomposition, of the closed form and of one search."""
    numbers, few = size.train * size.features, min(size.features, size.train)
    columns = size.outputs - (size.outputs == 2 and not size.sets)
    searched = 4 * _PASSES * numbers * columns if size.outputs > 1 else 0
    return WorkAmount(
        4 * numbers * few + _AXES * few**3 + searched, 4 * FLOAT32_BYTES * numbers, _PASSES
    )
