"""A keyed permutation of the first n numbers, in constant memory: a Feistel network, and a walk
along its cycles back into range.

Black & Rogaway 2002, Ciphers with arbitrary finite domains, section 3. A walk ends because it stays
on a cycle that its own start is on.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sonde.generation.events.cells import EXACT

ROUNDS = 6
WIDEST = 1 << 120  # up to here half a number fits into 64 bits
# Steele et al. 2014, SplitMix
_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


@dataclass(frozen=True)
class Permutation:
    """A permutation of range(size) that a key picks."""

    size: int
    key: tuple[int, ...]

    @cached_property
    def _keys(self) -> NDArray[np.uint64]:
        return np.random.default_rng([*self.key]).integers(0, 1 << 63, ROUNDS, dtype=np.uint64)

    @cached_property
    def _half(self) -> int:
        return max(1, ((self.size - 1).bit_length() + 1) // 2)

    def __call__(self, positions: NDArray[Any]) -> NDArray[Any]:
        """Where some positions [n], below `size`, go; int64, or Python's numbers where the range
        needs them.
        """
        if self.size > WIDEST:
            return np.array([self._walk(int(p)) for p in positions], object)
        kind = np.uint64 if self.size < EXACT else object
        images = self._network(positions.astype(kind))
        while len(out := np.flatnonzero(images >= self.size)):
            images[out] = self._network(images[out])
        return images.astype(np.int64) if self.size < EXACT else images

    def _network(self, values: NDArray[Any]) -> NDArray[Any]:
        """The network, on halves that fit into 64 bits."""
        kind = values.dtype.type if values.dtype != object else int
        half, mask = kind(self._half), kind((1 << self._half) - 1)
        left, right = (values >> half).astype(np.uint64), (values & mask).astype(np.uint64)
        low = np.uint64((1 << self._half) - 1)
        for key in self._keys:
            mixed = (right + key) * _MIX[0]
            mixed = (mixed ^ (mixed >> np.uint64(30))) * _MIX[1]
            mixed = (mixed ^ (mixed >> np.uint64(27))) * _MIX[2]
            left, right = right, (left ^ (mixed ^ (mixed >> np.uint64(31)))) & low
        joined: NDArray[Any] = (left.astype(values.dtype) << half) | right.astype(values.dtype)
        return joined

    def _walk(self, value: int) -> int:
        """The same for one number of any size."""
        mask = (1 << self._half) - 1
        while True:
            left, right = value >> self._half, value & mask
            for key in self._keys:
                content = right.to_bytes((self._half + 7) // 8, "little")
                mixed = hashlib.blake2b(
                    content, key=int(key).to_bytes(8, "little"), digest_size=64
                ).digest()
                left, right = right, (left ^ int.from_bytes(mixed, "little")) & mask
            value = left << self._half | right
            if value < self.size:
                return value
