"""Sets of the suite `flash`, which are folders of tables: what a board calls them, and their family
and language, which the reference of a table does not say.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import PurePath
from typing import NamedTuple

from lingprobe.data.references import REMEMBERED, try_parse_reference
from lingprobe.suites.flash import (
    DRAWS,
    Set,
    read_flash_sets,
)


class Drawn(NamedTuple):
    """A set of the suite, in one draw."""

    set: Set
    draw: str

    @property
    def family(self) -> str:
        """The family of the task that it was built from."""
        return self.set.task.partition("/")[0]


@lru_cache(maxsize=REMEMBERED)
def set_of(task: str) -> Drawn | None:
    """The set that a task reads from a folder DRAW/SET, as published; None for others."""
    parsed = try_parse_reference(task)
    place = PurePath((parsed.argument if parsed else None) or "")
    if place.parent.name not in DRAWS:
        return None
    known = {each.name: each for each in read_flash_sets()}
    return Drawn(known[place.name], place.parent.name) if place.name in known else None
