"""Tasks as the columns of one table: what each is called there, and the group that it stands in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from lingprobe.data.references import Reference, try_parse_reference
from lingprobe.pages.captions import shorten_task


class TaskColumn(NamedTuple):
    """A task with its name and its group, '' for one that stands alone."""

    task: str
    name: str
    group: str


def arrange_columns(tasks: Sequence[str]) -> list[TaskColumn]:
    """A column for each task, those of a group together: tasks of a family ('ud'), and where that
    asks one question of several sources, of a family and a source ('ud:UD_English-EWT').

    What all tasks of a group have in common stands in its name, what tells them apart in theirs;
    options of all tasks, which `shared_options` gives, in none.
    """
    every = [key for key, _ in shared_options(tasks)]
    parsed = {task: reference and reference.without(*every) for task, reference in _all(tasks)}
    families: dict[str, list[str]] = {}
    for task, reference in parsed.items():
        families.setdefault(reference.name.partition("/")[0] if reference else "", []).append(task)
    columns: list[TaskColumn] = []
    for family, mine in families.items():
        references = {task: one for task in mine if (one := parsed[task])}
        if family and len({one.name for one in references.values()}) < len(references):
            columns += _by_source(family, references)
        elif family:
            columns += _group_columns(family, references)
        else:
            columns += [TaskColumn(task, shorten_task(task), "") for task in mine]
    return columns


def shared_options(tasks: Sequence[str]) -> list[tuple[str, str]]:
    """The options that all of some tasks have."""
    options = [reference.options if reference else () for _, reference in _all(tasks)]
    return [option for option in options[0] if all(option in others for others in options)]


def _all(tasks: Sequence[str]) -> list[tuple[str, Reference | None]]:
    return [(task, _parse_task(task)) for task in tasks]


def _parse_task(task: str) -> Reference | None:
    """The reference of a task of a family, its source as tables write it; None for others."""
    reference = try_parse_reference(shorten_task(task))
    known = reference is not None and "/" in reference.name and "@" not in reference.name
    return reference if known else None


def _by_source(family: str, references: dict[str, Reference]) -> list[TaskColumn]:
    sources: dict[str | None, dict[str, Reference]] = {}
    for task, one in references.items():
        sources.setdefault(one.argument, {})[task] = one
    return [column for mine in sources.values() for column in _group_columns(family, mine)]


def _group_columns(family: str, references: dict[str, Reference]) -> list[TaskColumn]:
    """The columns of a group."""
    counts = Counter(option for one in references.values() for option in set(one.options))
    shared = {option for option, count in counts.items() if count == len(references)}
    first, *others = references.values()
    source = first.argument if all(one.argument == first.argument for one in others) else None
    common = tuple(option for option in first.options if option in shared)
    group = str(Reference(family, source, common))
    return [
        TaskColumn(task, str(Reference(question, None, own)), group)
        for task, one in references.items()
        for question in [one.name.partition("/")[2]]
        for own in [tuple(option for option in one.options if option not in shared)]
    ]
