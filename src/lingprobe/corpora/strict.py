"""JSON that means one thing: no key twice, no NaN, no number beyond all measure, no half
characters, no endless nesting.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NoReturn

from lingprobe.corpora.files import decode_text, read_short_file
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import LingprobeError

_DIGITS = 40  # of a whole number, at most
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def read_json_document(path: str | Path, nan: bool = False) -> Any:
    """The value in a file that holds one; what is wrong is a DataProblem with the file, and the
    line where one is to blame.
    """
    return parse_json_bytes(read_short_file(path), path, nan)


def parse_json_bytes(data: bytes, location: str | Path, nan: bool = False) -> Any:
    """The value that the bytes of a whole file describe; what is wrong is a DataProblem."""
    text = decode_text(data.removeprefix(b"\xef\xbb\xbf"), location, 1)
    try:
        return parse_json(text, nan)
    except MalformedJson as problem:
        raise DataProblem(
            f"{location}:{problem.line}: {problem}" if problem.line else f"{location}: {problem}"
        ) from None


class MalformedJson(LingprobeError, ValueError):
    """Text that is not JSON as we read it; `line` is the one at fault, 0 where it takes several."""

    def __init__(self, why: str, line: int = 0) -> None:
        super().__init__(why)
        self.line = line


def parse_json(text: str, nan: bool = False) -> Any:
    """The value that a text describes; Malformed says in a few words what is wrong, and where. With
    `nan`, NaN is a number.
    """
    try:
        value = json.loads(
            text,
            object_pairs_hook=_once,
            parse_int=_int,
            parse_constant=float if nan else _refuse_constant,
        )
    except json.JSONDecodeError as error:
        raise MalformedJson(
            f"not JSON ({error.msg.removesuffix(' at')} at character {error.colno})", error.lineno
        ) from None
    except RecursionError:
        raise MalformedJson("nested too deeply") from None
    if _HALF.search(text) and not _whole(value):
        raise MalformedJson(
            "one half of a character without the other (\\ud800 to \\udfff), which no file can hold"
        )
    return value


def short_json(value: Any, max_length: int = 40) -> str:
    """A value as JSON writes it, cut short."""
    text = json.dumps(value, default=str)
    return text if len(text) <= max_length else text[:max_length] + " ..."


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys differ: of two that are equal Python would forget the first."""
    keyed = dict(pairs)
    if len(keyed) < len(pairs):
        names = [name for name, _ in pairs]
        raise MalformedJson(
            f"the key {next(name for name in names if names.count(name) > 1)!r} occurs twice in one"
            " object"
        )
    return keyed


def _int(text: str) -> int:
    if len(text) > _DIGITS:
        raise MalformedJson(f"a number of {len(text)} digits")
    return int(text)


def _refuse_constant(name: str) -> NoReturn:
    raise MalformedJson(f"{name} is not a number in JSON")


def _whole(value: Any) -> bool:
    """Whether all of it can be written as UTF-8."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
