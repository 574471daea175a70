"""What a section of a table is called: the task, shortened, and how many classes it has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from sonde.analysis.row import Row
from sonde.references import Reference, ReferenceProblem

TELLING = 6  # letters, from which on the name of a file or folder says what it is


def heading(rows: Sequence[Row]) -> str:
    """The task of some rows and how many classes it has: with others it is another task."""
    size = rows[0].posed.size
    return short(rows[0].task) + (f" ({size})" if size else "")


def short(task: str) -> str:
    """A task's reference with the last part of its path only, or the last two where the last is as
    short as GUM/dep.
    """
    try:
        parsed = Reference.parse(task)
    except ReferenceProblem:
        return task
    if parsed.argument is None:
        return task
    path = PurePath(parsed.argument)
    last = (
        f"{path.parent.name}/{path.name}"
        if len(path.name) < TELLING and path.parent.name
        else path.name
    )
    return str(Reference(parsed.name, last or parsed.argument, parsed.options))
