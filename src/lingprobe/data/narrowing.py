"""Layers with fewer numbers: the first ones of each vector, which Matryoshka training (Kusupati et
al. 2022) puts most into, or its projection on random directions, which makes encoders of unlike
width comparable.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.digests import stretch_key

_NAME = re.compile(r"(first|random)([1-9]\d{0,8}):(.+)")
_ALONE = re.compile(r"(first|random)[1-9]\d{0,8}")


class NarrowName(NamedTuple):
    """What 'first64:6' and 'random64:6' name: so many numbers of a layer."""

    how: Literal["first", "random"]
    width: int
    layer: str

    @classmethod
    def parse(cls, name: str) -> NarrowName | None:
        """What a layer's name says; None for a layer as it is."""
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        how: Literal["first", "random"] = "first" if found[1] == "first" else "random"
        return cls(how, int(found[2]), found[3])

    def __str__(self) -> str:
        return f"{self.how}{self.width}:{self.layer}"

    def narrow(self, layer: NDArray[Any]) -> Any:
        """Fewer numbers of a layer [units, dim], [units, width]: read where they lie, as the layer
        is. A layer that has no more numbers is read whole.
        """
        return layer if self.width >= layer.shape[1] else NarrowLayer(layer, self)


def is_narrow(text: str) -> bool:
    """Whether a read is 'first64' or 'random64', which stands for that of each layer."""
    return _ALONE.fullmatch(text) is not None


def narrow_part(read: str) -> str:
    """What a read takes of a layer, as 'first64:'; '' for all."""
    part = NarrowName.parse(read)
    return f"{part.how}{part.width}:" if part else ""


@dataclass(frozen=True, eq=False)
class NarrowLayer:
    """A layer [units, width] that takes rows from one with more numbers, as an array does."""

    layer: NDArray[Any]
    name: NarrowName

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.layer), self.name.width

    @property
    def ndim(self) -> int:
        return 2

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.layer.dtype if self.name.how == "first" else np.dtype(np.float32)

    @property
    def nbytes(self) -> int:
        """What all units would take in memory."""
        return self.shape[0] * self.shape[1] * self.dtype.itemsize

    def __len__(self) -> int:
        return len(self.layer)

    def __getitem__(self, key: Any) -> NDArray[Any]:
        rows = np.asarray(self.layer[key])
        if self.name.how == "first":
            return rows[..., : self.name.width]
        directions = draw_sign_matrix(rows.shape[-1], self.name.width)
        return np.asarray(rows.astype(np.float32, copy=False) @ directions, np.float32)

    def take(
        self, indices: NDArray[Any], axis: int = 0, out: None = None, mode: str = "raise"
    ) -> NDArray[Any]:
        """Some of the units, as `numpy.take` asks for them."""
        return self[np.asarray(indices)]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        whole = self[:]
        return whole if dtype is None else whole.astype(dtype, copy=False)


_KEY = b"sonde projection"  # never to change: what is kept was made with it


@lru_cache(maxsize=8)
def draw_sign_matrix(dim: int, width: int) -> NDArray[np.float32]:
    """A fixed matrix [dim, width] of random signs by the key, over the root of `width` (Achlioptas
    2003), which keeps distances approximately: a random projection.
    """
    cells = dim * width
    key = _KEY + b"%d %d" % (dim, width)
    bits = np.frombuffer(stretch_key(key, -(-cells // 8), 128), np.uint8)
    signs = np.unpackbits(bits)[:cells].reshape(dim, width).astype(np.float32)
    return (2 * signs - 1) / np.float32(np.sqrt(width))
