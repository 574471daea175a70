"""NumPy's files: one array in a .npy file, several with names in a .npz file.

An array is as long as the file says in two places, of which neither is believed alone: its header,
and the bytes that are there. They are compared before memory is taken. Nothing is unpickled.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.damage import report_damage
from lingprobe.corpora.unpacking import check_unpacked
from lingprobe.data.core import DataProblem

_NPY, _ZIP = b"\x93NUMPY", b"PK"  # what the two kinds begin with
_MAX_RATIO = 1032  # of the bytes that deflate makes of one; see zlib's technical details


class ArrayFile(Mapping[str, NDArray[Any]]):
    """The arrays of a .npz file by name, each read when it is asked for, or under '' that of a .npy
    file, mapped into memory where it is not empty.

    Raises DataProblem for a file that is none of the two, for objects, and for an array that is not
    as long as it says.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with _damage(path):
            with path.open("rb") as file:
                self.is_single = _has_magic(file, _NPY)
                if not self.is_single and not _has_magic(file, _ZIP):
                    raise ValueError("it begins with other bytes")
            self._members = {} if self.is_single else _list_members(path)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if self.is_single and name == "":
            return _map_array(self._path)
        member = self._members[name]
        with _damage(self._path), zipfile.ZipFile(self._path) as archive:
            with archive.open(member) as file:
                _check_size(file, member.file_size, f"{self._path}: {member.filename}")
            if member.file_size > _MAX_RATIO * (member.compress_size + 1):
                raise DataProblem(
                    f"{self._path}: {member.filename} says it unpacks to more than its"
                    f" {member.compress_size:,} bytes can hold; download the file again"
                )
            check_unpacked(self._path, member.compress_size, member.file_size)
            with archive.open(member) as file:
                array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
                file.read()  # to the end, where the checksum is compared
                return array

    def __iter__(self) -> Iterator[str]:
        return iter([""] if self.is_single else self._members)

    def __len__(self) -> int:
        return 1 if self.is_single else len(self._members)


@contextmanager
def _damage(path: Path) -> Iterator[None]:
    with report_damage(path, "a NumPy file"):
        yield


def _has_magic(file: IO[bytes], magic: bytes) -> bool:
    file.seek(0)
    return file.read(len(magic)) == magic


def _list_members(path: Path) -> dict[str, zipfile.ZipInfo]:
    with zipfile.ZipFile(path) as archive:
        return {
            member.filename.removesuffix(".npy"): member
            for member in archive.infolist()
            if member.filename.endswith(".npy")
        }


def _map_array(path: Path) -> NDArray[Any]:
    """An array of a file, mapped into memory where it is not empty; one of Python objects is
    refused, not unpickled.
    """
    with _damage(path):
        with path.open("rb") as file:
            size = _check_size(file, path.stat().st_size, str(path))
        array: NDArray[Any] = np.load(path, mmap_mode="r" if size else None, allow_pickle=False)
        return array


def _check_size(file: IO[bytes], size: int, what: str) -> int:
    """The bytes of the numbers of an array, from its beginning in a file of so many bytes; refuse
    one whose header says otherwise.
    """
    version = np.lib.format.read_magic(file)
    read = (
        np.lib.format.read_array_header_1_0
        if version == (1, 0)
        else np.lib.format.read_array_header_2_0
    )
    shape, _, dtype = read(file)
    if dtype.hasobject:
        raise ValueError("Object arrays cannot be read")
    numbers = math.prod(shape) * dtype.itemsize
    if file.tell() + numbers != size:
        raise DataProblem(
            f"{what} is truncated: its header says {dtype} {list(shape)}; save it again"
        )
    return numbers
