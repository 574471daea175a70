"""How much a file may unpack to, so that one of a kilobyte does not take all memory.

Any file may unpack to `_FREE_BYTES`, and to `_MAX_RATIO` bytes for each of its own: texts and
vectors pack to a tenth or a fiftieth. What says its sizes is checked before it is unpacked, what is
a stream while it is.
"""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import lru_cache
from io import SEEK_SET, RawIOBase
from pathlib import Path
from typing import Any, BinaryIO

from lingprobe.corpora.arrow_sizes import read_batch_sizes
from lingprobe.data.cache import format_bytes
from lingprobe.data.errors import DataProblem

_FREE_BYTES = 1 << 28
_MAX_RATIO = 200
_SMALL_BYTES = 1 << 22  # of a packed file, which is unpacked once to see how long it is
_LOOK_BYTES = 1 << 20
Unpacker = Callable[[BinaryIO], BinaryIO]
"""From packed bytes to what they unpack to."""
_VALUE_BYTES = 16  # of a cell, at least: of all rows of a table there are objects


def _most_bytes(packed: int) -> int:
    return max(_FREE_BYTES, _MAX_RATIO * packed)


def check_unpacked(path: str | Path, packed: int, unpacked: int) -> None:
    """Refuse so many bytes of a file that has so few. DataProblem."""
    if unpacked > _most_bytes(packed):
        raise DataProblem(
            f"{path} has {format_bytes(packed)} and unpacks to {format_bytes(unpacked)} or more: it"
            " was packed to fill the memory, or repeats itself; write it with less in it"
        )


class UnpackedStream(RawIOBase):
    """What is unpacked of a file, as it is read; of a small one it is seen first how long it is."""

    def __init__(self, path: Path, packed: BinaryIO, unpack: Unpacker) -> None:
        about = path.stat()
        if about.st_size <= _SMALL_BYTES:
            _check_whole(path, (about.st_size, about.st_mtime_ns), unpack)
        self._path, self._inner, self._raw = path, unpack(packed), packed
        self._packed, self._done = about.st_size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._inner.seekable()

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        self._done = self._inner.seek(offset, whence)
        return self._done

    def tell(self) -> int:
        return self._done

    def readinto(self, buffer: Any) -> int:
        data = self._inner.read(len(buffer))
        buffer[: len(data)] = data
        self._done += len(data)
        check_unpacked(self._path, self._packed, self._done)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._inner.close()
            self._raw.close()
        super().close()


@lru_cache(maxsize=256)
def _check_whole(path: Path, state: tuple[int, int], unpack: Unpacker) -> None:
    """Unpack a small file once, as far as it may be unpacked; what is damaged is said when it is
    read.
    """
    done = 0
    with (
        suppress(OSError, EOFError, ValueError, lzma.LZMAError, zlib.error),
        path.open("rb") as raw,
    ):
        stream = unpack(raw)
        while piece := stream.read(_LOOK_BYTES):
            done += len(piece)
            if done > _most_bytes(state[0]):
                break
    check_unpacked(path, state[0], done)


def open_parquet(file: BinaryIO, columns: Collection[str] | None = None) -> Any:
    """A Parquet file whose columns (default: all) do not decode to too much. DataProblem."""
    import pyarrow.parquet as pq

    table = pq.ParquetFile(file, page_checksum_verification=True)
    path, packed = Path(file.name), Path(file.name).stat().st_size
    sure, coded, most = 0, dict[int, list[str]](), 0
    for group in range(table.num_row_groups):
        for number in range(table.metadata.num_columns):
            chunk = table.metadata.row_group(group).column(number)
            name = chunk.path_in_schema
            if columns is not None and name.partition(".")[0] not in columns:
                continue
            width = max(_VALUE_BYTES, table.schema.column(number).length)
            sure += chunk.num_values * width
            if chunk.physical_type != "BYTE_ARRAY":
                continue
            if chunk.has_dictionary_page:
                most += chunk.num_values * chunk.total_uncompressed_size
                coded.setdefault(group, []).append(name)
            else:
                sure += chunk.total_uncompressed_size
        check_unpacked(path, packed, sure)
    if sure + most > _most_bytes(packed):
        for group, names in coded.items():
            table = pq.ParquetFile(file, read_dictionary=names)
            tops = list(dict.fromkeys(name.partition(".")[0] for name in names))
            for column in table.read_row_group(group, columns=tops).columns:
                sure += sum(map(count_bytes, column.chunks))
                check_unpacked(path, packed, sure)
        table = pq.ParquetFile(file, page_checksum_verification=True)
    return table


def open_arrow(file: BinaryIO) -> Any:
    """An open Arrow file, or a stream, as the library `datasets` writes it, whose batches do not
    decode to too much. DataProblem.
    """
    import pyarrow as pa

    start = file.read(6)
    file.seek(0)
    if start[:4] == b"FEA1":
        raise DataProblem(
            f"{file.name} is Feather of version 1, which is read no longer: save it again, as with"
            " frame.to_feather"
        )
    path, packed = Path(file.name), Path(file.name).stat().st_size
    found, unpacked, batches = list(read_batch_sizes(file)), 0, 0
    for one in found:
        unpacked += max(one.decoded, _VALUE_BYTES * one.values)
        batches += not one.is_dictionary
        check_unpacked(path, packed, unpacked)
    file.seek(0)
    if start != b"ARROW1":
        return pa.ipc.open_stream(file)
    table = pa.ipc.open_file(file)
    if table.num_record_batches != batches:  # by a list at the end, which may name others
        raise DataProblem(f"{path} lists other batches than it has: write it again")
    return table


def count_bytes(array: Any) -> int:
    """How many bytes the letters of strings in a dictionary take, each as often as it stands in an
    array of pyarrow, lists and records included.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(array.type):
        if not (
            pa.types.is_string(array.type.value_type)
            or pa.types.is_large_string(array.type.value_type)
            or pa.types.is_binary(array.type.value_type)
            or pa.types.is_large_binary(array.type.value_type)
        ):
            return 0
        lengths = pc.binary_length(array.dictionary).cast(pa.int64())
        return int(pc.sum(lengths.take(array.indices)).as_py() or 0)
    if pa.types.is_struct(array.type):
        return sum(count_bytes(array.field(i)) for i in range(array.type.num_fields))
    if pa.types.is_map(array.type):
        return count_bytes(array.keys) + count_bytes(array.items)
    if (
        pa.types.is_list(array.type)
        or pa.types.is_large_list(array.type)
        or pa.types.is_fixed_size_list(array.type)
    ):
        return count_bytes(array.flatten())
    return 0
