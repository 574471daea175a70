"""Code in files that references name (`mine.py@thing`), and which of it may run.

A file runs only if it was allowed in this process. Functions that take references from the user
allow what they are given; nothing else does. So a reference that was read from results, a sheet or
a corpus, or is nested in one, finds built-in things and plugins only.
"""

from __future__ import annotations

import os
import sys
import typing
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lingprobe.data._foreign_code import import_file, module_name
from lingprobe.data._reference import (
    PYTHON_SUFFIX,
    Reference,
    try_parse_reference,
)
from lingprobe.data.errors import ReferenceProblem, UsageProblem

_allowed: set[Path] = set()


class UntrustedCode(ReferenceProblem):
    """Code in a file that the user has not named, nor said to trust."""


def allow_code(*references: Any) -> None:
    """Let the files of code run that references name, also inside values: references that the user
    wrote, or trusts. What is no reference is passed over.
    """
    _allowed.update(map(_resolve_path, _code_in(references)))


def is_code_allowed(*references: Any) -> bool:
    """Whether code in files that references name may run, by `--trust` or as it did: each was
    allowed, here or in the process that started this one.
    """
    return all(
        _resolve_path(path) in _allowed or module_name(Path(path)) in sys.modules
        for path in _code_in(references)
    )


def resolve_beside(file: Path, text: str) -> str:
    """A reference in a file that the user named, as it is written from the working folder: the code
    that it names lies in the folder of that file. UsageProblem for code from elsewhere.
    """
    reference = Reference.parse(text)
    if "trust_remote_code" in unquote(text):
        raise UsageProblem(
            f"{file}: {text!r} runs code from outside the folder of the file, which is not"
            " allowed; name it in the command"
        )
    folder = file.resolve().parent

    def from_here(code: str) -> str:
        place = (folder / Path(code).expanduser()).resolve()
        if not place.is_relative_to(folder):
            raise UsageProblem(
                f"{file}: {text!r} is code outside the folder of the file, which is not allowed;"
                " move it there"
            )
        return os.path.relpath(place)

    moved = reference.with_code(from_here)
    return text if moved == reference else str(moved)


def from_file(name: str) -> Callable[..., Any]:
    """The thing that `mine.py@thing` names. Untrusted where its file may not run, ReferenceProblem
    where there is none.
    """
    path, _, attribute = name.rpartition("@")
    file = _resolve_path(path)
    if not path.endswith(PYTHON_SUFFIX) or file.suffix != PYTHON_SUFFIX:
        raise ReferenceProblem(
            f"{name!r}: {path!r} is not a Python file: names end in {PYTHON_SUFFIX}"
        )
    if not is_code_allowed(Reference(name)):
        raise UntrustedCode(
            f"{name!r} was named by a file, not by you, so {path!r} was not run: read it, and if"
            " you trust it, repeat with --trust (in Python, trust=True)"
        )
    if not file.is_file():
        raise ReferenceProblem(f"no file {path!r}, which {name!r} names")
    module = import_file(file)
    if not hasattr(module, attribute):
        raise ReferenceProblem(f"{path} does not define {attribute!r}")
    return typing.cast(Callable[..., Any], getattr(module, attribute))


def _resolve_path(path: str) -> Path:
    return Path(path).expanduser().resolve()


def _code_in(references: Iterable[Any]) -> list[str]:
    """The files of code that references name."""
    files: list[str] = []

    def note_file(path: str) -> str:
        files.append(path)
        return path

    for each in references:
        parsed = try_parse_reference(str(each)) if isinstance(each, str | Path) else each
        if isinstance(parsed, Reference):
            parsed.with_code(note_file)
    return files
