"""How much the record batches of an Arrow file decode to, by what the file says of itself: nothing
is decoded. Of a compressed buffer, its first eight bytes say how long it is.

The format: https://arrow.apache.org/docs/format/Columnar.html, and its Message.fbs.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

_MAGIC = b"ARROW1"
_CONTINUES = 0xFFFFFFFF
_DICTIONARY, _RECORDS = 2, 3  # kinds of messages
_MOST_METADATA = 1 << 28  # bytes, of one message


class BatchSize(NamedTuple):
    """The values of a record batch or a dictionary, those in lists counted, and the bytes that its
    buffers decode to.
    """

    is_dictionary: bool
    values: int
    decoded: int


class _Table:
    """A table of a flatbuffer: fields by number."""

    def __init__(self, data: bytes, place: int) -> None:
        self.data, self.place = data, place
        self.fields = place - self.read("<i", place)
        self.size = self.read("<H", self.fields)

    def read(self, kind: str, place: int) -> int:
        return int(struct.unpack_from(kind, self.data, place)[0])

    def find(self, number: int) -> int:
        """Where a field is; 0 for one that is not there."""
        at = 4 + 2 * number
        offset = self.read("<H", self.fields + at) if at < self.size else 0
        return self.place + offset if offset else 0

    def number(self, field: int, kind: str) -> int:
        place = self.find(field)
        return self.read(kind, place) if place else 0

    def table(self, field: int) -> _Table | None:
        place = self.find(field)
        return _Table(self.data, place + self.read("<I", place)) if place else None

    def vector(self, field: int) -> tuple[int, int]:
        """Where the items of a vector begin, and how many there are."""
        place = self.find(field)
        if not place:
            return 0, 0
        start = place + self.read("<I", place)
        return start + 4, self.read("<I", start)


def read_batch_sizes(file: BinaryIO) -> Iterator[BatchSize]:
    """The record batches and dictionaries of a file or stream, in order. struct.error or ValueError
    for something else than Arrow.
    """
    file.seek(8 if file.read(len(_MAGIC)) == _MAGIC else 0)
    while (length := _read_length(file)) > 0:
        if length > _MOST_METADATA:
            raise ValueError(f"a message of {length} bytes")
        data = file.read(length)
        message = _Table(data, struct.unpack_from("<I", data)[0])
        body, kind = file.tell(), message.number(1, "<B")
        records = message.table(2)
        if kind == _DICTIONARY and records is not None:
            records = records.table(1)
        if kind in (_DICTIONARY, _RECORDS) and records is not None:
            yield _measure_batch(file, body, records, kind == _DICTIONARY)
        file.seek(body + message.number(3, "<q"))


def _read_length(file: BinaryIO) -> int:
    """The length of the next message; 0 at the end."""
    start = file.read(4)
    if len(start) == 4 and struct.unpack("<I", start)[0] == _CONTINUES:
        start = file.read(4)
    return int(struct.unpack("<I", start)[0]) if len(start) == 4 else 0


def _measure_batch(file: BinaryIO, body: int, records: _Table, is_dictionary: bool) -> BatchSize:
    nodes, columns = records.vector(1)
    values = sum(struct.unpack_from("<q", records.data, nodes + 16 * k)[0] for k in range(columns))
    decoded, (start, count) = 0, records.vector(2)
    is_packed = records.table(3) is not None
    for k in range(count):
        offset, length = struct.unpack_from("<qq", records.data, start + 16 * k)
        if is_packed and length > 8:
            file.seek(body + offset)
            (whole,) = struct.unpack("<q", file.read(8))
            length = whole if whole >= 0 else length - 8  # -1: it stands as it is
        decoded += length
    return BatchSize(is_dictionary, values, decoded)
