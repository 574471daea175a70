"""Files as they lie on disk: plain, .gz, .bz2, .xz or .zst, with or without a byte order mark, any
line ends.

`read_chunks` streams their bytes, `lines` their text, `checked_lines` also that of files which are
not UTF-8 throughout; `find_treebank_files` finds the files of a treebank and the splits they name;
`digest` is what a file's content adds to an identity, remembered so that a second run need not read
it.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from lingprobe.corpora.places import locate_path
from lingprobe.corpora.unpacking import UnpackedStream, check_unpacked
from lingprobe.data._foreign_code import one_line
from lingprobe.data.cache import cache_dir, recall_value, remember_value
from lingprobe.data.checks import check_regular
from lingprobe.data.core import DataProblem
from lingprobe.data.digests import RunningDigest, digest_pieces

CHUNK_BYTES = 1 << 20
_YOUNG = 2_000_000_000  # nanoseconds for which a file may change again within a tick of its clock
MAX_LINE_BYTES = (
    1 << 26
)  # bytes without an end of a line or sentence, after which a file holds none
_OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
COMPRESSION_SUFFIXES = (*_OPENERS, ".zst")
_SPLIT = re.compile(r"(?:^|[-_.])(train|dev|test)(?=[-_.]|$)")
_DAMAGE = (EOFError, lzma.LZMAError, zlib.error)


class CorpusPart(NamedTuple):
    """One file of a corpus and the split that its name says, '' where it says none."""

    split: str
    path: Path


def open_file(path: str | Path, name: str | None = None, raw: BinaryIO | None = None) -> BinaryIO:
    """The bytes of a file, uncompressed on the way as its name says, or the name given; read from
    `raw` where it is open already.
    """
    file = Path(path).expanduser()
    suffix = file.suffix if name is None else Path(name).suffix
    try:
        check_regular(file, DataProblem)
        packed = raw or file.open("rb")
        if suffix not in COMPRESSION_SUFFIXES:
            return packed
        unpack = _OPENERS.get(suffix, _open_zstandard)
        return cast(BinaryIO, BufferedReader(UnpackedStream(file, packed, unpack), CHUNK_BYTES))
    except OSError as error:
        raise DataProblem(f"cannot open {path}: {(error.strerror or str(error)).lower()}") from None


def _open_zstandard(packed: BinaryIO) -> BinaryIO:
    import pyarrow

    return cast(BinaryIO, pyarrow.CompressedInputStream(packed, "zstd"))


def read_chunks(path: str | Path, end: bytes = b"\n") -> Iterator[bytes]:
    """The bytes of a file in pieces that stop after `end` (but for the last), line ends made LF, a
    leading BOM excluded.

    A file in which `end` is too far off is refused: it is something else, or was packed to do harm.
    """
    waiting: list[bytes] = []
    tail = b""  # the last bytes that wait, which may begin an `end`
    for data in _normalise_line_ends(path):
        seen = tail + data
        at = seen.rfind(end)
        if at >= 0:
            cut = at + len(end) - len(tail)
            yield b"".join([*waiting, data[:cut]])
            waiting, seen = [data[cut:]], data[cut:]
        else:
            waiting.append(data)
        tail = seen[len(seen) - len(end) + 1 :] if len(seen) >= len(end) else seen
        if sum(map(len, waiting)) > MAX_LINE_BYTES:
            what = "line" if end == b"\n" else "sentence (with a blank line after it)"
            raise DataProblem(
                f"{path}: no {what} ends within {MAX_LINE_BYTES >> 20} MiB; is it such a file?"
            )
    if rest := b"".join(waiting):
        yield rest


def _normalise_line_ends(path: str | Path) -> Iterator[bytes]:
    """The bytes of a file in pieces, line ends made LF, a leading BOM excluded."""
    held = b""
    first = True
    for new in read_pieces(path):
        data = held + new
        if first and len(data) < len(_BOM):
            held = data
            continue
        if first:
            data, first = _remove_byte_order_mark(data, path), False
            _check_ends(data, path)
        held = b"\r" if data.endswith(b"\r") else b""  # its \n may lie in the next piece
        data = data[: len(data) - len(held)]
        yield data.replace(b"\r\n", b"\n") if b"\r" in data else data
    if held:
        yield held.replace(b"\r\n", b"\n")


_BOM = b"\xef\xbb\xbf"
_ZIP = b"PK\x03\x04"
_TAR = slice(257, 262)  # where a header of tar says what it is


def _remove_byte_order_mark(data: bytes, path: str | Path) -> bytes:
    """The first bytes of a file without a byte order mark; UTF-16 and archives are refused."""
    check_archive(data, path)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataProblem(
            f"{path}:1: is UTF-16, not UTF-8; convert it, as with `iconv -f UTF-16 -t UTF-8`"
        )
    return data.removeprefix(_BOM)


def check_archive(data: bytes, path: str | Path) -> None:
    """Refuse a file that begins as an archive of files does."""
    is_zip = data.startswith(_ZIP)
    if is_zip or data[_TAR.start : _TAR.stop] == b"ustar":
        way = f"`unzip {path}`, or save a spreadsheet as CSV" if is_zip else f"`tar xf {path}`"
        raise DataProblem(
            f"{path} is an archive of files, not a text; unpack it and name one of them, as with"
            f" {way}"
        )


def _check_ends(data: bytes, path: str | Path) -> None:
    """Refuse a file whose lines end as they did on old Macs, which would be one line."""
    if data.count(b"\r") > 1 and b"\n" not in data:
        raise DataProblem(
            f"{path}:1: its lines end in CR alone; convert it, as with `tr '\\r' '\\n'`"
        )


def read_short_file(path: str | Path) -> bytes:
    """The bytes of a file that is not long."""
    return b"".join(read_pieces(path))


def read_pieces(path: str | Path, name: str | None = None) -> Iterator[bytes]:
    """The bytes of a file in pieces, uncompressed as its name says, or the name given; what is
    damaged is a DataProblem.
    """
    with open_file(path, name) as file:
        while True:
            try:
                piece = file.read(CHUNK_BYTES)
            except (OSError, *_DAMAGE) as error:
                if isinstance(error, OSError) and error.strerror:
                    raise DataProblem(f"cannot read {path}: {error.strerror.lower()}") from None
                raise DataProblem(
                    f"{path} is damaged or not a {Path(name or path).suffix} file ({error});"
                    " download it again"
                ) from None
            if not piece:
                return
            yield piece


@contextmanager
def open_zip(path: str | Path) -> Iterator[zipfile.ZipFile]:
    """A zip while it is read; what is raised over damaged bytes, which may be anything, is a
    DataProblem.
    """
    try:
        with zipfile.ZipFile(Path(path).expanduser()) as archive:
            members = archive.infolist()
            sizes = sum(each.compress_size for each in members), sum(m.file_size for m in members)
            check_unpacked(path, *sizes)
            yield archive
    except DataProblem:
        raise
    except OSError as error:
        raise DataProblem(f"cannot open {path}: {(error.strerror or str(error)).lower()}") from None
    except Exception as error:
        raise DataProblem(
            f"{path} is damaged or not a zip ({one_line(error)}); download it again"
        ) from None


def decode_text(data: bytes, path: str | Path, line: int, encoding: str = "utf-8") -> str:
    """Text of bytes that begin on `line`; bytes that are no text are named by the line that they
    stand on.
    """
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line += data.count(b"\n", 0, error.start)
        raise DataProblem(f"{path}:{line}: {_decoding_problem(error)}") from None


def _decoding_problem(error: UnicodeDecodeError) -> str:
    byte = f"byte 0x{error.object[error.start]:02x} is not {error.encoding.upper()}"
    return byte + (
        "; convert the file (as with `iconv -f LATIN1 -t UTF-8`) or fix that line"
        if error.encoding == "utf-8"
        else ""
    )


def read_text_lines(path: str | Path, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers, from 1; only LF and CR LF end a line."""
    number = 1
    for data in read_chunks(path):
        text = decode_text(data, path, number, encoding)
        split = text.removesuffix("\n").split("\n")
        yield from enumerate(split, number)
        number += len(split)


def checked_lines(path: str | Path, encoding: str = "utf-8") -> Iterator[tuple[int, str, str]]:
    """The lines of a file, each with what is wrong with it: one whose bytes are no text comes as
    '', as a rule nothing is wrong.
    """
    first = 1
    for data in read_chunks(path):
        split = data.removesuffix(b"\n").split(b"\n")
        for number, line in enumerate(split, first):
            try:
                yield number, line.decode(encoding), ""
            except UnicodeDecodeError as error:
                yield number, "", _decoding_problem(error)
            except LookupError:
                raise DataProblem(
                    f"no encoding called {encoding!r}; write encoding=latin-1, for example"
                ) from None
        first += len(split)


def find_treebank_files(
    path: str | Path, suffixes: tuple[str, ...] = (".conllu",)
) -> list[CorpusPart]:
    """The files that a path names (a file, a folder, a code such as `en_ewt`, `embedded`), in the
    order train, dev, test.

    Of a folder those count whose names end in one of the suffixes, before .gz or .xz.
    """
    if str(path) == "embedded" and ".conllu" in suffixes:
        from lingprobe.corpora.embedded import treebank_file

        return [CorpusPart("", treebank_file())]
    place = locate_path(path, codes=".conllu" in suffixes)
    if place.is_file():
        return [CorpusPart(split_of(place), place)]
    first = suffixes[0]
    if not place.is_dir():
        raise DataProblem(
            f"no file or folder {str(path)!r}; give a {first} file (or {first}.gz, {first}.xz) or a"
            " folder of them"
        )
    paths = plain_first(p for p in place.iterdir() if _has_suffix(p, suffixes))
    if not paths:
        raise DataProblem(
            f"no {', '.join(suffixes)} files (nor {first}.gz, {first}.xz) in"
            f" {str(path)!r}{_hint(place, suffixes)}"
        )
    parts = [CorpusPart(split_of(p), p) for p in paths]
    order = ("train", "dev", "test", "")
    return sorted(parts, key=lambda part: (order.index(part.split), part.path.name))


def _hint(place: Path, suffixes: tuple[str, ...]) -> str:
    """The first folder inside a folder that has such files, as a question."""
    for below in sorted(part for part in place.iterdir() if part.is_dir()):
        if any(_has_suffix(file, suffixes) for file in below.iterdir()):
            return f"; did you mean {str(below)!r}?"
    return ""


def _has_suffix(path: Path, suffixes: tuple[str, ...]) -> bool:
    return uncompressed_path(path).suffix in suffixes and path.is_file()


def plain_first(paths: Iterable[Path]) -> list[Path]:
    """One path a file: where the same file lies there both plain and compressed, the plain one."""
    chosen: dict[Path, Path] = {}
    for path in compressed_last(paths):
        chosen.setdefault(uncompressed_path(path), path)
    return sorted(chosen.values())


def compressed_last(paths: Iterable[Path]) -> list[Path]:
    """All paths by name, plain ones before compressed ones."""
    return sorted(paths, key=lambda p: (p.suffix in COMPRESSION_SUFFIXES, p.name))


def uncompressed_path(path: Path) -> Path:
    """The path without a compression suffix."""
    return path.with_suffix("") if path.suffix in COMPRESSION_SUFFIXES else path


def split_of(path: Path) -> str:
    """The split that a file's name says (`en_ewt-ud-train.conllu.xz` says train), or ''."""
    splits = _SPLIT.findall(uncompressed_path(path).name)
    return str(splits[-1]) if splits else ""


def digest_files(paths: Iterable[str | Path]) -> str:
    """A hash of the files' contents, in order; each is remembered by path for as long as size,
    times and number stay the same.
    """
    return digest_pieces(*(_digest(Path(path)) for path in paths))


def _digest(path: Path) -> str:
    if remembered := known_digest(path):
        return remembered
    with open_and_hash(path) as (_, finish):
        return finish()


def known_digest(path: Path) -> str:
    """The digest of a file's content where it is remembered; else ''."""
    known, remembered = _state(path), recall_value(cache_dir() / "digests", _resolve_path(path))
    if isinstance(remembered, dict) and {**remembered, "digest": None} == {**known, "digest": None}:
        return str(remembered["digest"])
    return ""


@contextmanager
def open_and_hash(path: Path) -> Iterator[tuple[BinaryIO, Callable[[], str]]]:
    """The bytes of a file, uncompressed on the way as its name says, and what reads on to its end
    for its digest, so that one reading is enough for both.
    """
    known = _state(path)
    with open_file(path, "") as file:
        hashing = _Hashed(file)
        raw = cast(BinaryIO, BufferedReader(hashing, CHUNK_BYTES))

        def finish() -> str:
            try:
                while raw.read(CHUNK_BYTES):
                    pass
            except OSError as error:
                said = (error.strerror or str(error)).lower()
                raise DataProblem(f"cannot read {path}: {said}") from None
            found = hashing.total.hex()
            old = time.time_ns() - max(known["written"], known["changed"]) > _YOUNG
            if old and _state(path) == known:
                remember_value(
                    cache_dir() / "digests", _resolve_path(path), {**known, "digest": found}
                )
            return found

        yield open_file(path, raw=raw), finish


def _resolve_path(path: Path) -> str:
    return str(path.expanduser().resolve())


class _Hashed(RawIOBase):
    """A file that is hashed as it is read."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.total = file, RunningDigest()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.file.read(len(buffer))
        self.total.add(data)
        buffer[: len(data)] = data
        return len(data)


def _state(path: Path) -> dict[str, int]:
    """What changes when a file does: its size, times and number; a time of writing can be set back,
    that of change cannot.
    """
    try:
        stat = path.expanduser().stat()
    except OSError as error:
        raise DataProblem(f"cannot open {path}: {(error.strerror or str(error)).lower()}") from None
    return {
        "size": stat.st_size,
        "written": stat.st_mtime_ns,
        "changed": stat.st_ctime_ns,
        "file": stat.st_ino,
        "device": stat.st_dev,
    }
