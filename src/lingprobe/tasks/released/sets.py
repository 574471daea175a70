"""Published sets of one sentence (`text/`) or two (`pair/`): `sets.toml` has the columns of their
files, their names and the questions.

Quotes are data, and rows keep their order. docs/tasks-published.md has the layouts and counts.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from lingprobe.corpora.columns import ColumnLayout
from lingprobe.data.core import DATA_SPLITS
from lingprobe.tasks.released.family import TaskRelease
from lingprobe.tasks.released.folders import FolderLayout, O, choose_release, define_release_task
from lingprobe.tasks.task import TaskDefinition


def define_set(
    name: str, options: type[O], choose: Callable[[O], TaskRelease] | None = None
) -> TaskDefinition[O]:
    """The task of a set, with the release that `choose` makes of the options, or else the one whose
    files are there.
    """
    asks: str = _read_file()["tasks"][name]["question"]
    return define_release_task(name, asks, options, choose or choose_release(*list_releases(name)))


def list_releases(name: str) -> list[TaskRelease]:
    """The releases that a set is distributed in."""
    rows = _read_file()["tasks"][name]["releases"]
    text = name.startswith("text/")  # files of these have blank lines as published
    return [_make_release(row, gaps=text) for row in rows]


def make_layout(name: str) -> ColumnLayout:
    """A layout by its name in the file."""
    cells = {"label": None, **_resolve(_read_file()["layouts"], name)}
    return ColumnLayout(**{key: _as_field(key, cell) for key, cell in cells.items()})


@cache
def _read_file() -> Any:
    return tomllib.loads(Path(__file__).with_name("sets.toml").read_text("utf-8"))


def _resolve(layouts: Mapping[str, Mapping[str, Any]], name: str) -> dict[str, Any]:
    """The cells of a layout, with those of the one that it is like."""
    cells = dict(layouts[name])
    like = cells.pop("like", None)
    return cells if like is None else {**_resolve(layouts, like), **cells}


def _as_field(key: str, cell: Any) -> Any:
    """A cell as the field of a layout has it; labels that have no other name go by their own."""
    if isinstance(cell, dict):
        return tuple(cell.items())
    if isinstance(cell, list):
        return tuple((name, name) for name in cell) if key == "called" else tuple(cell)
    return cell


def _make_release(row: Mapping[str, Any], *, gaps: bool) -> TaskRelease:
    files = FolderLayout(
        tuple(row["folders"]), tuple(_list_files(row)), row.get("beside", 1), row.get("some", False)
    )
    release = TaskRelease(
        "", (), make_layout(row["layout"]), row.get("fetched", ""), where=files, gaps=gaps
    )
    return replace(release, needs=tuple(row.get("needs", release.needs)))


def _list_files(row: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The split of each file and the names that it may have."""
    listed: list[tuple[str, Sequence[Any]]] = [("", row.get("rows", ()))]
    listed += [(split, row.get(split, row.get("files", ()))) for split in DATA_SPLITS]
    for split, patterns in listed:
        for subset in row.get("subsets", ("",)):
            for names in patterns:
                several = [names] if isinstance(names, str) else names
                yield split, tuple(n.format(split=split, subset=subset) for n in several)
