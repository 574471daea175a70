"""Sets of the suite `flash`, which are folders of tables: what a board calls them, and their family
and language, which the reference of a table does not say.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import PurePath
from typing import NamedTuple

from lingprobe.extend import read_flash_sets, try_parse_reference


class Drawn(NamedTuple):
    """A set of the suite, in one draw: its column, the language, the family of the task that it was
    built from, and the draw.
    """

    column: str
    language: str
    family: str
    draw: str


@lru_cache(maxsize=1024)
def set_of(task: str) -> Drawn | None:
    """The set that a task reads from a folder DRAW/SET, as published; None for others."""
    parsed = try_parse_reference(task)
    place = PurePath((parsed.argument if parsed else None) or "")
    if place.parent.name not in ("public", "reserve"):
        return None
    known = {each.name: each for each in read_flash_sets()}
    if (found := known.get(place.name)) is None:
        return None
    family = found.task.partition("/")[0]
    return Drawn(found.column, found.language, family, place.parent.name)
