"""Where tensors lie in a safetensors file, by its header, which is looked at before anything is
decoded: a length in eight bytes, then JSON with the type, shape and place of each tensor.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.strict import parse_json_bytes

TENSOR_TYPES: Mapping[str, str] = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "U8": "|u1",
}
"""Types of numbers, as such a file calls them and as numpy does."""
_LENGTH_BYTES = 8
_MAX_HEADER_BYTES = 2**20


class TensorPlace(NamedTuple):
    """From which to which byte of a file a tensor lies, its type, and its shape."""

    start: int
    stop: int
    kind: str
    shape: tuple[int, ...]

    def map_from(self, path: Path) -> NDArray[Any]:
        """The tensor where it lies: rows are read when they are asked for."""
        if not math.prod(self.shape):
            return np.zeros(self.shape, TENSOR_TYPES[self.kind])
        return np.memmap(path, TENSOR_TYPES[self.kind], "r", self.start, self.shape)


def locate_tensors(path: Path) -> dict[str, TensorPlace]:
    """The tensors of a file by name. ValueError where the header does not fit the file."""
    many = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        if not 0 < length <= min(_MAX_HEADER_BYTES, many - _LENGTH_BYTES):
            raise ValueError(f"a header of {length:,} bytes in a file of {many:,}")
        header = parse_json_bytes(file.read(length), path)
    if not isinstance(header, dict):
        raise ValueError("its header is not a table of tensors")
    start = _LENGTH_BYTES + length
    found = {
        name: _place_tensor(name, about, start)
        for name, about in header.items()
        if name != "__metadata__"
    }
    end = start
    for place in sorted(found.values()):
        if place.start != end:
            raise ValueError("its tensors do not lie one after the other")
        end = place.stop
    if end != many:
        raise ValueError(f"{end:,} bytes are announced, and it has {many:,}")
    return found


def _place_tensor(name: str, about: Any, start: int) -> TensorPlace:
    """Where a tensor lies, by its entry in the header."""
    kind, shape, (first, last) = about["dtype"], about["shape"], about["data_offsets"]
    numbers = (*shape, first, last)
    if kind not in TENSOR_TYPES or not all(type(each) is int and each >= 0 for each in numbers):
        raise ValueError(f"{name:.40} of {kind!r:.20} and shape {shape!r:.40}")
    if last - first != math.prod(shape) * np.dtype(TENSOR_TYPES[kind]).itemsize:
        raise ValueError(f"{name:.40} takes {last - first} bytes for shape {shape}")
    return TensorPlace(start + first, start + last, kind, tuple(shape))


def write_header(name: str, kind: str, shape: tuple[int, ...], size: int) -> bytes:
    """The beginning of a file with one tensor, in so many bytes, padded with spaces as the format
    allows; ValueError where it takes more.
    """
    many = math.prod(shape) * np.dtype(TENSOR_TYPES[kind]).itemsize
    entry = {"dtype": kind, "shape": [*shape], "data_offsets": [0, many]}
    text = json.dumps({name: entry}).encode()
    if len(text) > size - _LENGTH_BYTES:
        raise ValueError(f"a header of {len(text)} bytes does not fit in {size}")
    return (size - _LENGTH_BYTES).to_bytes(_LENGTH_BYTES, "little") + text.ljust(
        size - _LENGTH_BYTES
    )
