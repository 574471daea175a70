"""The types that vectors are kept in: how values are rounded to one, written and read.

numpy has no bfloat16. Its values are float32 without the lower half of their bits, so that the
upper half is what is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sonde.store.blocks import StoreProblem

Precision = Literal["float32", "float16", "bfloat16"]

_HALF = 16  # bits


@dataclass(frozen=True)
class Kept:
    """How vectors are kept.

    stored  the type of what is written
    read    the type of what is read
    """

    name: str
    stored: np.dtype[Any]
    read: np.dtype[Any]

    def rounded(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values as they will be read; what is beyond the type is infinite."""
        with np.errstate(over="ignore", invalid="ignore"):
            if self.stored == self.read:
                return values.astype(self.read, copy=False)
            return self.opened(_upper(values.astype(np.float32, copy=False)))

    def written(self, values: NDArray[Any]) -> NDArray[Any]:
        """What is written of values that were rounded."""
        if self.stored == self.read:
            return values.astype(self.stored, copy=False)
        return _upper(np.asarray(values, np.float32))

    def opened(self, written: NDArray[Any]) -> NDArray[Any]:
        """The values of what was written."""
        if self.stored == self.read:
            return written
        return (written.astype(np.uint32) << _HALF).view(np.float32)


def kept_as(name: str) -> Kept:
    """The type of a name; StoreProblem for one that there is not."""
    if name not in get_args(Precision):
        raise StoreProblem(f"vectors are kept as float32, float16 or bfloat16, not {name}")
    if name == "bfloat16":
        return Kept(name, np.dtype("<u2"), np.dtype(np.float32))
    return Kept(name, np.dtype(name), np.dtype(name))


def _upper(values: NDArray[np.float32]) -> NDArray[np.uint16]:
    """The upper half of the bits, rounded to nearest, ties to even; a NaN stays one."""
    bits = np.ascontiguousarray(values).view(np.uint32)
    odd = (bits >> _HALF) & 1
    upper = ((bits + 0x7FFF + odd) >> _HALF).astype("<u2")
    upper[np.isnan(values)] = 0x7FC0
    return upper
