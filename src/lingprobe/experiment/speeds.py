"""How fast this machine is at what encoders and fits do."""

from __future__ import annotations

import functools
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lingprobe.data.sizes import WorkAmount

_SIDE = 512  # of matrices that are multiplied
_MOVED = 2**22  # numbers that are added to as many
_COUNTED = 40_000  # additions of Python that take as long as a step of a network beside its arrays
_ROUNDS = 25


class MachineSpeeds(NamedTuple):
    """What a machine does in a second, or takes for once.

    products  additions and multiplications of large products of matrices in float32
    memory    bytes that are read and written where each is used once
    step      seconds that Python and torch take to call the operations of a step
    """

    products: float
    memory: float
    step: float

    def seconds(self, work: WorkAmount) -> float:
        """How long work takes."""
        moved = work.moved / self.memory
        return work.products / self.products + moved + work.steps * self.step


@functools.cache
def measure_speeds() -> MachineSpeeds:
    """Those of this machine as it is now, with what else it does."""
    matrix, product = np.ones((2, _SIDE, _SIDE), np.float32)
    one, other, both = np.ones((3, _MOVED), np.float32)
    return MachineSpeeds(
        2 * _SIDE**3 / _usual(lambda: np.matmul(matrix, matrix, out=product)),
        both.nbytes * 3 / _usual(lambda: np.add(one, other, out=both)),
        _usual(lambda: sum(number for number in range(_COUNTED))),
    )


def _usual(do: Callable[[], object]) -> float:
    """Seconds that it takes, the median of some rounds."""
    took = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        do()
        took.append(time.perf_counter() - start)
    return statistics.median(took)
