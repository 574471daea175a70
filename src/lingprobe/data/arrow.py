"""Arrays of pyarrow without `pa.array`, which imports pandas wherever that is installed: a third of
a second, for a table that is only printed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

_CELLS = {
    "null": (),
    "bool": (bool,),
    "string": (str,),
    "double": (float, int, np.number),
    "int64": (int, np.integer),
}
"""What is made into arrays of these types here."""


def make_array(cells: Sequence[Any], kind: pa.DataType | None = None) -> pa.Array:
    """What `pa.array` makes of cells: made here of texts, numbers, truth values, with None among
    them, and of lists of such.
    """
    import pyarrow as pa

    kinds = {type(cell) for cell in cells if cell is not None}
    if kind is None and kinds == {list} and None not in cells:
        ends = np.cumsum([0, *map(len, cells)], dtype=np.int32)
        return pa.ListArray.from_arrays(
            pa.Array.from_buffers(pa.int32(), len(ends), [None, pa.py_buffer(ends)]),
            make_array([*chain.from_iterable(cells)]),
        )
    if kind is None and len(kinds) < 2:
        usual = {bool: pa.bool_(), str: pa.string(), float: pa.float64(), int: pa.int64()}
        kind = usual.get(*kinds) if kinds else pa.null()
    known = _CELLS.get(str(kind))
    only = known is not None and all(issubclass(each, known) for each in kinds)
    if kind is None or not only or (bool in kinds and not pa.types.is_boolean(kind)):
        return pa.array(cells, kind)
    there = np.array([cell is not None for cell in cells], bool)
    bits = None if there.all() or pa.types.is_null(kind) else pa.py_buffer(_pack(there))
    return pa.Array.from_buffers(kind, len(cells), [bits, *_values_of(cells, kind)])


def _values_of(cells: Sequence[Any], kind: pa.DataType) -> list[pa.Buffer]:
    """The buffers of an array behind that of which cells are there."""
    import pyarrow as pa

    if pa.types.is_null(kind):
        return []
    if pa.types.is_string(kind):
        texts = [b"" if cell is None else cell.encode() for cell in cells]
        ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
        return [pa.py_buffer(ends), pa.py_buffer(b"".join(texts))]
    values = [0 if cell is None else cell for cell in cells]
    if pa.types.is_boolean(kind):
        return [pa.py_buffer(_pack(np.array(values, bool)))]
    return [pa.py_buffer(np.array(values, np.float64 if pa.types.is_floating(kind) else np.int64))]


def _pack(bits: np.ndarray[Any, np.dtype[np.bool_]]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Bits as Arrow has them."""
    return np.packbits(bits, bitorder="little")
