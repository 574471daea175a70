"""Lines of text files in whatever encoding: UTF-8, UTF-16 by its byte order mark, or one that is
named.

Bytes of a line that are no text stay in it as surrogates, so that a reader can leave out that row
and go on; `decoding_problem` finds them.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

from lingprobe.corpora.files import MAX_LINE_BYTES, check_archive, read_pieces
from lingprobe.data.core import DataProblem

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_JOINED = "\ufeff"  # begins a line where a file with a byte order mark was added to another
_UNDECODED = re.compile("[\udc80-\udcff]")


def text_lines(path: str | Path, encoding: str = "") -> Iterator[str]:
    """The lines of a file, without their ends; only LF and CR LF end a line.

    encoding  without, that of the byte order mark, or else UTF-8
    """
    held = ""
    for text in _decode_pieces(path, encoding):
        *whole, held = (held + text).split("\n")
        for line in whole:
            yield line.removesuffix("\r").removeprefix(_JOINED)
        if len(held) > MAX_LINE_BYTES:
            raise DataProblem(
                f"{path}: no line ends within {MAX_LINE_BYTES >> 20} MiB; is it a text?"
            )
    if "\r" in held.removesuffix("\r"):
        raise DataProblem(f"{path}: lines end in CR alone; convert it, as with `tr '\\r' '\\n'`")
    if held:
        yield held.removesuffix("\r").removeprefix(_JOINED)


def decoding_problem(line: str, encoding: str = "") -> str:
    """What is wrong with a line that has bytes which are no text; '' if nothing is."""
    found = _UNDECODED.search(line)
    if found is None:
        nul = (
            "there is a NUL in it, as in UTF-16 without a byte order mark, which"
            " encoding=utf-16-le would read; fix the line if it is not"
        )
        return nul if "\0" in line else ""
    byte = ord(found[0]) - 0xDC00
    return (
        f"byte 0x{byte:02x} is not {(encoding or 'utf-8').upper()}: state the encoding, as"
        " encoding=latin-1, or fix the line"
    )


def _decode_pieces(path: str | Path, encoding: str) -> Iterator[str]:
    """The text of a file in pieces."""
    decoder: codecs.IncrementalDecoder | None = None
    for piece in read_pieces(path):
        if decoder is None:
            check_archive(piece, path)
            decoder = _decoder(encoding or _encoding_of(piece), path)
        yield _decode(decoder, piece, path, False)
    if decoder is not None:
        yield _decode(decoder, b"", path, True)


def _encoding_of(start: bytes) -> str:
    """The encoding that the first bytes of a file say; UTF-8 where they say none."""
    return next((name for mark, name in _MARKS if start.startswith(mark)), "utf-8")


def _decoder(encoding: str, path: str | Path) -> codecs.IncrementalDecoder:
    try:
        "a".encode(encoding)  # which some codecs of bytes refuse
        return codecs.getincrementaldecoder(encoding)("surrogateescape")
    except (LookupError, ValueError, TypeError, AttributeError):
        raise DataProblem(
            f"{path}: no encoding called {encoding!r}; write encoding=latin-1, for example"
        ) from None


def _decode(decoder: codecs.IncrementalDecoder, data: bytes, path: str | Path, end: bool) -> str:
    try:
        return decoder.decode(data, end)
    except UnicodeError as error:
        raise DataProblem(
            f"{path}: is not text in its encoding ({error}); name another, as encoding=latin-1, or"
            " download it again"
        ) from None
