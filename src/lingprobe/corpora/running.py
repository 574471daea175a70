"""Running text as it comes: the paragraphs or lines of files and of the files in a .zip, as one
stream, whatever is wrong with some of them.

What cannot be read is yielded too, with the problem, so that nothing is lost in silence; what was
mended is said of the passage in which it stood.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple

import regex

from lingprobe.corpora.files import CHUNK_BYTES, open_zip, read_pieces
from lingprobe.corpora.marks import SENTENCE_END_PATTERN
from lingprobe.corpora.text import CONLLU_ROW_PROBLEM, is_row
from lingprobe.data.core import DataProblem

_LONGEST = 1 << 20  # bytes of a line, beyond which it is cut at a space
_ENOUGH = 1 << 14  # characters after which a passage ends with the next line that ends a sentence
_MOST = 1 << 17  # characters after which it ends with any line

_CUT = f"a line of more than {_LONGEST >> 20} MiB, cut at a space"
_JOINED = f"no blank line in {_MOST >> 10} thousand characters, cut at the end of a line"
_CONTROL_REMARK = "NUL bytes and control characters, read as spaces"
_HIDDEN_REMARK = "invisible characters (soft hyphens, byte order marks), removed"
_EMPTY, _NOT_UTF8 = "an empty file", "bytes that are not UTF-8"

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
_HIDDEN = re.compile("[\u00ad\u200b\u2060\ufeff]")
_FINAL = regex.compile(rf"[{SENTENCE_END_PATTERN}][\"'”’»)\]]*$")


class TextPassage(NamedTuple):
    """Some running text without line ends, and where it begins.

    problem  why it cannot be read, '' where it can; its text is then what stands there, with bytes
             that are no text as escapes
    mended   what was changed in it, or cut
    """

    text: str
    file: str
    line: int
    problem: str = ""
    mended: tuple[str, ...] = ()


def read_passages(path: str | Path, *, lines: bool = False) -> Iterator[TextPassage]:
    """The passages of a file, in order: what stands between blank lines, or with `lines` each line
    but those that begin with `# `. A .zip has those of its files, by name.

    A file or a part of it that cannot be read at all is a passage without text.
    """
    file = Path(path)
    streams = _archive_files(file) if file.suffix == ".zip" else [(file.name, read_pieces(file))]
    try:
        for name, data in streams:
            for passage in _passages(name, data, lines):
                yield passage._replace(problem=passage.problem.replace(str(path), file.name))
    except DataProblem as problem:
        yield TextPassage("", file.name, 0, str(problem).replace(str(path), file.name))


def _archive_files(path: Path) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The name and the bytes of each file in an archive."""
    with open_zip(path) as archive:
        for name in sorted(n for n in archive.namelist() if not n.endswith("/")):
            with archive.open(name) as member:
                yield f"{path.name}!{name}", _read_member(f"{path.name}!{name}", member)


def _read_member(name: str, member: IO[bytes]) -> Iterator[bytes]:
    """The bytes of a file in an archive."""
    try:
        yield from iter(partial(member.read, CHUNK_BYTES), b"")
    except (OSError, EOFError, ValueError, zlib.error, zipfile.BadZipFile) as error:
        raise DataProblem(f"{name} is damaged ({error}); download it again") from None


def _passages(name: str, data: Iterable[bytes], lines: bool) -> Iterator[TextPassage]:
    empty, faults = True, list[str]()
    held: list[TextPassage] = []
    size = 0
    for line in _clean_lines(name, _split_stream(_until(_normalise_line_ends(data), faults))):
        empty = False
        if line.problem or lines or not line.text:
            yield from _join_lines(held)
            held, size = [], 0
            if line.problem or (line.text and not line.text.startswith("# ")):
                yield line
            continue
        held.append(line)
        size += len(line.text)
        if size > _MOST or (size > _ENOUGH and _FINAL.search(line.text)):
            yield from _join_lines(held, "" if _FINAL.search(line.text) else _JOINED)
            held, size = [], 0
    yield from _join_lines(held)
    if faults or empty:
        yield TextPassage("", name, 0, faults[0] if faults else _EMPTY)


def _until(data: Iterable[bytes], faults: list[str]) -> Iterator[bytes]:
    """Some bytes, up to what is wrong with them, which is kept."""
    try:
        yield from data
    except DataProblem as problem:
        faults.append(str(problem))


def _join_lines(held: list[TextPassage], cut: str = "") -> Iterator[TextPassage]:
    """Some lines as one passage; nothing without lines."""
    if held:
        mended = dict.fromkeys([*(what for line in held for what in line.mended), cut])
        yield held[0]._replace(
            text=" ".join(line.text for line in held), mended=tuple(filter(None, mended))
        )


def _clean_lines(name: str, numbered: Iterable[tuple[int, bytes, bool]]) -> Iterator[TextPassage]:
    """Lines as text, spaces made single, or with what is wrong with them."""
    for number, raw, whole in numbered:
        if is_row(raw):
            yield TextPassage(
                raw.decode("utf-8", "backslashreplace"), name, number, CONLLU_ROW_PROBLEM
            )
            continue
        mended = () if whole else (_CUT,)
        try:
            text, changed = clean_text(raw.decode())
        except UnicodeDecodeError:
            yield TextPassage(raw.decode("utf-8", "backslashreplace"), name, number, _NOT_UTF8)
            continue
        yield TextPassage(text, name, number, "", (*mended, *changed))


def clean_text(text: str) -> tuple[str, tuple[str, ...]]:
    """A line without what is no text, spaces made single, and what was changed in it."""
    mended: tuple[str, ...] = ()
    if _CONTROL.search(text):
        text, mended = _CONTROL.sub(" ", text), (_CONTROL_REMARK,)
    if _HIDDEN.search(text):
        text, mended = _HIDDEN.sub("", text), (*mended, _HIDDEN_REMARK)
    return " ".join(text.split()), mended


def _split_stream(data: Iterable[bytes]) -> Iterator[tuple[int, bytes, bool]]:
    """The lines of some bytes with their numbers, and whether each is whole; ends of lines are
    those of any system, and one that is too long comes in parts.
    """
    number, rest = 1, b""
    for piece in data:
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            for part in _cut_long_line(line):
                yield number, part, len(part) == len(line)
            number += 1
        if len(rest) > _LONGEST:
            *parts, rest = _cut_long_line(rest)
            yield from ((number, part, False) for part in parts)
    if rest:
        yield number, rest, True


def _cut_long_line(line: bytes) -> Iterator[bytes]:
    """A line, cut where it is too long."""
    while len(line) > _LONGEST:
        part, line = _cut(line)
        yield part
    yield line


def _cut(line: bytes) -> tuple[bytes, bytes]:
    """A line in two, at its last space before the limit; without one, between two characters."""
    at = line.rfind(b" ", 0, _LONGEST)
    if at <= 0:
        at = _LONGEST
        while at > _LONGEST - 4 and line[at] & 0xC0 == 0x80:
            at -= 1
    return line[:at], line[at:]


_MARK = b"\xef\xbb\xbf"


def _normalise_line_ends(data: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes with LF alone at ends of lines, a leading mark of byte order excluded."""
    held, first = b"", True
    for piece in data:
        if first and piece.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise DataProblem("UTF-16, not UTF-8; convert it, as with `iconv -f UTF-16 -t UTF-8`")
        bare = held + (piece.removeprefix(_MARK) if first else piece)
        first = False
        held = b"\r" if bare.endswith(b"\r") else b""  # its \n may lie in the next piece
        yield bare[: len(bare) - len(held)].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if held:
        yield b"\n"
