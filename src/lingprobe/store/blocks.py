"""One immutable file: facts in a JSON header, named arrays after it, checksums over every byte.

    5 bytes 'sonde' | 3 digits format | 8 bytes header length | 16 bytes blake2b of all of this and
    the header | header | arrays

Arrays start at multiples of 64 bytes and each has a CRC-32 in the header, which is checked when the
array is first read. Equal arrays have one place. A file is written beside its place, flushed to the
disk and renamed: it is there whole or not at all. It is open only while it is read, however many
there are.

Format 2 says in its header which version of lingprobe wrote it. Format 1, that of sonde 0.1.0, is
the same without, and is read.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import itertools
import json
import logging
import mmap
import os
import secrets
import struct
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.digests import hash_bytes
from lingprobe.data.errors import LingprobeError
from lingprobe.store.maps import map_file, try_anew

_MAGIC, BLOCK_FORMAT_VERSION = b"sonde", 2
_OLDEST = 1  # the first format, which is read still
# suffixes of the files in a folder of results
RESULT_FILE_SUFFIXES = (
    ".result",
    ".scores",
    ".experiment",
    ".failed",
    ".agreement",
    ".fit",
    ".canary",
    ".checked",
)
_PREAMBLE = struct.Struct("<5s3sQ16s")
_ALIGN = 64
_MAPPED = 4 << 20  # bytes from which on an array is mapped, not read into memory
# seconds after which an unfinished file is taken to be left over from a process that died
_STALE = 24 * 3600


log = logging.getLogger("lingprobe.store")
T = TypeVar("T")


class StoreProblem(LingprobeError, ValueError):
    """A store that cannot be read or written as asked; the message says what to do."""


class DamagedFile(LingprobeError):
    """A file whose bytes are not those that were written."""


class RemovedFile(DamagedFile):
    """A file that was removed, or that another took the place of, after it had been opened."""


class BlockFile:
    """A file whose header is checked now, each array when it is first asked for.

    format  that the file has; `made` is the version of lingprobe that wrote it
    kind, facts, arrays   what was written
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._mark, size, (self.format, header) = try_anew(self._look)
        try:
            self.made: str = header.get("sonde", "0.1.0")
            self.kind: str = header["kind"]
            self.facts: dict[str, Any] = header["facts"]
            self.arrays: dict[str, dict[str, Any]] = header["arrays"]
            stop = max((a["stop"] for a in self.arrays.values()), default=0)
        except (KeyError, TypeError, AttributeError):
            raise DamagedFile("its header lacks what lingprobe writes") from None
        self._checked: set[str] = set()
        self._map: NDArray[np.uint8] | None = None
        if size != self._start + stop:
            raise DamagedFile(f"it has {size} bytes, not as many as were written")

    def _look(self) -> tuple[tuple[int, ...], int, tuple[int, dict[str, Any]]]:
        with self.path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            return _mark(file), size, self._header(file, size)

    def _header(self, file: IO[bytes], size: int) -> tuple[int, dict[str, Any]]:
        preamble = file.read(_PREAMBLE.size)
        if len(preamble) < _PREAMBLE.size:
            raise DamagedFile(f"it has {size} bytes")
        magic, version, length, digest = _PREAMBLE.unpack(preamble)
        self._start = _PREAMBLE.size + length
        text = file.read(length) if magic == _MAGIC and self._start <= size else b""
        if not text or hash_bytes(preamble[:16] + text, 16) != digest:
            raise DamagedFile("its header is not what was written")
        if not _OLDEST <= int(version) <= BLOCK_FORMAT_VERSION:
            raise StoreProblem(
                f"{self.path} has format {int(version)}, this version of lingprobe reads {_OLDEST}"
                f" to {BLOCK_FORMAT_VERSION}: update lingprobe or use another folder"
            )
        try:
            header: dict[str, Any] = json.loads(text)
        except (ValueError, RecursionError):
            raise DamagedFile("its header is not JSON that can be read") from None
        return int(version), header

    def array(self, name: str) -> NDArray[Any]:
        """One array, read-only; a large one is mapped, and keeps the file open for as long as it
        lives.

        Raises Damaged if its bytes changed since it was written, Gone if they are no longer there.
        """
        about = self.arrays[name]
        start, stop = self._start + about["start"], self._start + about["stop"]
        try:
            held = try_anew(lambda: self._read_bytes(start, stop))
        except FileNotFoundError:
            raise RemovedFile("it was removed") from None
        if name not in self._checked:
            if zlib.crc32(held) != about["crc32"]:
                raise DamagedFile(f"the bytes of {name!r} are not what was written")
            self._checked.add(name)
        return self._shape(name, held)

    def mapped_array(self, name: str) -> NDArray[Any]:
        """One array that was checked before, mapped whatever its size; one map serves all arrays of
        the block, and no file stays open. Gone if the bytes are no longer there.
        """
        if self._map is None:
            try:
                self._map = try_anew(self._map_whole)
            except FileNotFoundError:
                raise RemovedFile("it was removed") from None
        return self._shape(name, self._map[self._start + self.arrays[name]["start"] :])

    def _shape(self, name: str, held: Any) -> NDArray[Any]:
        """An array that bytes begin with."""
        dtype, shape = np.dtype(self.arrays[name]["dtype"]), tuple(self.arrays[name]["shape"])
        return np.frombuffer(held, dtype, int(np.prod(shape, dtype=np.int64))).reshape(shape)

    def _map_whole(self) -> NDArray[np.uint8]:
        with self.path.open("rb") as file:
            if _mark(file) != self._mark:
                raise RemovedFile("another file took its place")
            return map_file(file)

    def _read_bytes(self, start: int, stop: int) -> memoryview:
        """Some bytes of the file, in memory or mapped."""
        with self.path.open("rb") as file:
            if _mark(file) != self._mark:
                raise RemovedFile("another file took its place")
            if stop - start >= _MAPPED:
                return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))[start:stop]
            file.seek(start)
            return memoryview(file.read(stop - start))

    def check(self) -> None:
        """Read every array once."""
        for name in self.arrays:
            self.array(name)


def _mark(file: IO[bytes]) -> tuple[int, ...]:
    """What tells an open file from another that took its place."""
    about = os.fstat(file.fileno())
    return about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns


@functools.cache
def get_version() -> str:
    """The version of lingprobe that writes now."""
    return importlib.metadata.version("lingprobe")


def write_block_file(
    path: Path,
    kind: str,
    facts: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    keep: bool = False,
) -> None:
    """Write a block whole or not at all; a full disk and the like are a StoreProblem and leave
    everything as it was.

    With `keep`, a file that another process put there in the meantime stays; otherwise it is
    replaced.
    """
    about, chunks = _laid_out({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    text = json.dumps(
        {"kind": kind, "sonde": get_version(), "facts": facts, "arrays": about},
        default=_convert_to_json,
    ).encode()
    text += b" " * (-(_PREAMBLE.size + len(text)) % _ALIGN)
    lead = _PREAMBLE.pack(_MAGIC, b"%03d" % BLOCK_FORMAT_VERSION, len(text), bytes(16))[:16]
    _commit(path, [lead, hash_bytes(lead + text, 16), text, *chunks], keep)


def _laid_out(arrays: Mapping[str, NDArray[Any]]) -> tuple[dict[str, dict[str, Any]], list[Any]]:
    """Where each array goes, and the bytes of all, one after the other; equal arrays go to one
    place.
    """
    about: dict[str, dict[str, Any]] = {}
    known: dict[tuple[Any, ...], str] = {}
    parts: list[Any] = []
    at = 0
    for name, array in arrays.items():
        data, filling = _flat(array), bytes(-array.nbytes % _ALIGN)
        kind = {
            "dtype": array.dtype.str,
            "shape": array.shape,
            "crc32": zlib.crc32(filling, zlib.crc32(data)),
        }
        like = known.setdefault(tuple(kind.values()), name)
        if like != name and data == _flat(arrays[like]):
            about[name] = about[like]
            continue
        about[name] = {**kind, "start": at, "stop": at + len(data) + len(filling)}
        parts += [data, filling]
        at = about[name]["stop"]
    return about, parts


def check_is_folder(folder: Path) -> None:
    """Refuse what is there and is no folder."""
    if folder.exists() and not folder.is_dir():
        raise StoreProblem(f"{folder} is a file: name a folder for the results")


def check_folder_writable(folder: Path) -> None:
    """Make a folder if need be and write into it to see that one can; a StoreProblem says why
    not.
    """
    try:
        check_is_folder(folder)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"sonde")
    except OSError as error:
        raise StoreProblem(
            f"cannot write into {folder}: {error.strerror or error}; make room, or choose another"
            " folder"
        ) from error


def _flat(array: NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data if array.size else memoryview(b"")


def _commit(path: Path, parts: Iterable[Any], keep: bool) -> None:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("xb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        _publish_draft(draft, path, keep)
        _flush_folder(path.parent)
    except OSError as error:
        _forget(draft)
        raise StoreProblem(
            f"cannot write {path}: {error.strerror or error}; what was finished before is kept, so"
            " make room or choose another folder and run the same again"
        ) from error
    except BaseException:
        _forget(draft)
        raise


def _publish_draft(draft: Path, path: Path, keep: bool) -> None:
    """Give a finished draft its name, in one step."""
    if keep:
        try:
            os.link(draft, path)  # unlike a rename, never replaces
        except FileExistsError:
            if not path.is_file():
                set_aside(path, "it is a folder or leads nowhere")
                draft.replace(path)
        except OSError:  # no hard links here
            if not path.exists():
                draft.replace(path)
        _forget(draft)
    else:
        draft.replace(path)


def _forget(draft: Path) -> None:
    with contextlib.suppress(OSError):
        draft.unlink()


def _flush_folder(folder: Path) -> None:
    """Make a rename last through a power cut, where folders can be opened."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some network file systems cannot; the rename is still whole
        pass
    finally:
        os.close(handle)


def set_aside(path: Path, reason: object) -> None:
    """Rename a damaged file, and say so; of one that is gone, or lies where nothing can be written,
    it is only said.
    """
    if isinstance(reason, RemovedFile):
        log.warning("%s cannot be read (%s); what it held will be made again", path, reason)
        return
    place = _place_aside(path)
    try:
        path.replace(place)
    except FileNotFoundError:  # another process was quicker
        pass
    except OSError as error:
        log.warning(
            "%s is damaged (%s), and cannot be set aside (%s); it is skipped",
            path,
            reason,
            (error.strerror or str(error)).lower(),
        )
        return
    log.warning(
        "%s is damaged (%s); it is set aside as %s and what it held will be made again",
        path,
        reason,
        place.name,
    )


def _place_aside(path: Path) -> Path:
    """Where what is damaged goes: in place of an earlier file, a folder under a free name."""
    places = (path.with_name(f"{path.name}{number or ''}.damaged") for number in itertools.count())
    return next(
        each
        for each in places
        if not each.is_dir() and not (path.is_dir() and os.path.lexists(each))
    )


def list_folder_files(
    folder: Path, *suffixes: str, chosen: Callable[[str], bool] = lambda _: True
) -> list[tuple[int, str]]:
    """Age and name of the folder's files with these suffixes, oldest first; leftovers are removed,
    others' files ignored.

    Of those with a suffix, only the chosen names are looked at any closer.
    """
    try:
        return try_anew(lambda: _scan_folder(folder, suffixes, chosen))
    except FileNotFoundError:
        return []


def _scan_folder(
    folder: Path, suffixes: tuple[str, ...], chosen: Callable[[str], bool]
) -> list[tuple[int, str]]:
    files, foreign = [], []
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(suffixes) and not entry.name.startswith("."):
                if chosen(entry.name):
                    with contextlib.suppress(FileNotFoundError):
                        files.append((entry.stat().st_mtime_ns, entry.name))
            elif entry.name.endswith((".part", ".claim")):
                with contextlib.suppress(OSError):
                    if time.time() - entry.stat().st_mtime > _STALE:
                        Path(entry.path).unlink()
            elif not entry.name.endswith(".damaged"):
                foreign.append(entry.name)
    if foreign:
        log.info(
            "%s: ignored %d files that are not ours, such as %s", folder, len(foreign), min(foreign)
        )
    return sorted(files)


def open_block(path: Path) -> BlockFile | None:
    """A block, or None where there is none or it is damaged and set aside now."""
    try:
        return BlockFile(path)
    except FileNotFoundError:
        return None
    except (DamagedFile, IsADirectoryError) as damage:
        set_aside(path, damage)
        return None


def _convert_to_json(value: Any) -> Any:
    """What JSON lacks, in its nearest terms."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)
