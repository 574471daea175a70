"""Requests on disk, and drawn sentences to disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from sonde.core import DataProblem
from sonde.sources.events.batch import Batch, in_order
from sonde.sources.events.draw import Draw, draw
from sonde.sources.events.request import Request, request
from sonde.sources.events.space import Space, space
from sonde.sources.files import opened


def read(path: str | Path, language: str | None = None) -> Request:
    """The request in a JSON file, in a language if one is given; what is wrong is named with the file and the place."""
    with opened(path) as file:
        content = file.read()
    try:
        value = json.loads(content, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise DataProblem(f"{path}:{error.lineno}: is not JSON: {error.msg} at column {error.colno}") from None
    except (UnicodeDecodeError, DataProblem) as error:
        raise DataProblem(f"{path}: {error}") from None
    try:
        return request({**value, "language": language} if language is not None and isinstance(value, dict) else value)
    except DataProblem as problem:
        raise DataProblem(f"{path}: {problem}") from None


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object; a key that is there twice would be lost unseen."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise DataProblem(f"the key {twice!r} is there twice in one object")
    return found


def admitted(asked: Request) -> Space:
    """All sentences that a request admits."""
    return space(asked)


def drawn(found: Space, asked: Request, n: int | None, seed: int) -> Draw:
    """So many sentences of a request's space, with the shares that it asks for."""
    return draw(found, n, seed, asked.priors, even=asked.even)


def write(path: str | Path, drawn: Draw, *, bare: bool = False, told: Callable[[int], object] = lambda n: None) -> None:
    """Write drawn sentences as they come, as JSON or bare; the file is there whole or not at all."""
    out = Path(path).expanduser()
    out.parent.mkdir(parents=True, exist_ok=True)
    draft = out.with_name(f".{out.name}.part")
    try:
        with draft.open("w", encoding="utf-8") as file:
            for n, parts in drawn.chunks():
                found = in_order(parts, n, Batch.texts if bare else Batch.lines)
                file.write("\n".join(found) + "\n")
                told(n)
        draft.replace(out)
    finally:
        draft.unlink(missing_ok=True)
