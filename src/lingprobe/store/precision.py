"""The types that vectors are kept in: how values are rounded to one, written and read; and how wide
vectors are projected to fewer numbers first.

numpy has no bfloat16. Its values are float32 without the lower half of their bits, so that the
upper half is what is written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.narrowing import draw_sign_matrix
from lingprobe.store.blocks import StoreProblem

Precision = Literal["float32", "float16", "bfloat16"]

_HALF = 16  # bits


@dataclass(frozen=True)
class StoragePrecision:
    """How vectors are kept.

    stored  the type of what is written
    read    the type of what is read
    most    numbers that wider vectors are projected to; 0 for all that they have
    """

    name: str
    stored: np.dtype[Any]
    read: np.dtype[Any]
    most: int = 0

    def width(self, width: int) -> int:
        """How many numbers are kept of vectors of so many."""
        return min(width, self.most) if self.most else width

    def narrow_vectors(self, values: NDArray[Any]) -> NDArray[Any]:
        """`--project`: vectors [units, dim] by a random projection where they are wider than what
        is kept, else as they are.
        """
        if self.width(values.shape[1]) == values.shape[1]:
            return values
        with np.errstate(over="ignore", invalid="ignore"):
            matrix = draw_sign_matrix(values.shape[1], self.most)
            return np.asarray(values, np.float32) @ matrix

    def round_values(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values rounded to a type, as they will be read; what is beyond it, as 65,504 in float16,
        is infinite.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            if self.stored == self.read:
                return values.astype(self.read, copy=False)
            return self.unpack_values(_upper(values.astype(np.float32, copy=False)))

    def pack_values(self, values: NDArray[Any]) -> NDArray[Any]:
        """What is written of values that were rounded."""
        if self.stored == self.read:
            return values.astype(self.stored, copy=False)
        return _upper(np.asarray(values, np.float32))

    def unpack_values(self, written: NDArray[Any]) -> NDArray[Any]:
        """The values of what was written."""
        if self.stored == self.read:
            return written
        return (written.astype(np.uint32) << _HALF).view(np.float32)


def type_name(name: str, project: int | None) -> str:
    """The name of a type with what wider vectors are projected to, as identities and folders have
    it.
    """
    return name if project is None else f"{name}-{project}"


def kept_as(name: str) -> StoragePrecision:
    """The type of a name; StoreProblem for one that there is not."""
    name, narrow, most = name.partition("-")
    if narrow:
        if not most.isdecimal() or int(most) < 1:
            raise StoreProblem(f"project={most}: vectors are projected to at least one dimension")
        return replace(kept_as(name), name=f"{name}-{most}", most=int(most))
    if name not in get_args(Precision):
        raise StoreProblem(f"vectors are kept as float32, float16 or bfloat16, not {name}")
    if name == "bfloat16":
        return StoragePrecision(name, np.dtype("<u2"), np.dtype(np.float32))
    return StoragePrecision(name, np.dtype(name), np.dtype(name))


def _upper(values: NDArray[np.float32]) -> NDArray[np.uint16]:
    """The upper half of the bits, rounded to nearest, ties to even; a NaN stays one."""
    bits = np.ascontiguousarray(values).view(np.uint32)
    odd = (bits >> _HALF) & 1
    upper = ((bits + 0x7FFF + odd) >> _HALF).astype("<u2")
    upper[np.isnan(values)] = 0x7FC0
    return upper
