"""Rows of a table whose columns are over data of their own: which of several data stand in one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath

from lingprobe.data.references import Reference
from lingprobe.suites.facts import CellResults, ScorePlace


def join_data_rows(columns: Mapping[int, str], entries: Sequence[CellResults]) -> list[CellResults]:
    """Entries over different data in rows that go over several columns: the first data of each
    column together, then the second. `columns` are the names of those that the rows are headed by.
    """
    places: dict[tuple[int, str, bool], list[str]] = {}
    for place, *_ in entries:
        known = places.setdefault((place.column, place.block, bool(place.why)), [])
        if place.data not in known:
            known.append(place.data)

    def group(place: ScorePlace) -> tuple[int, str, bool]:
        kind = place.block, bool(place.why)
        return places[place.column, *kind].index(place.data), *kind

    members: dict[tuple[int, str, bool], dict[int, ScorePlace]] = {}
    for place, *_ in entries:
        members.setdefault(group(place), {})[place.column] = place
    heads: dict[tuple[int, str, bool], tuple[str, str]] = {}
    for key, mine in members.items():
        heads[key] = (
            _name_data(columns, mine),
            "; ".join(dict.fromkeys(place.why for place in mine.values() if place.why)),
        )
    moved = []
    for entry in entries:
        data, why = heads[group(entry.place)]
        moved.append(entry._replace(place=entry.place._replace(data=data, why=why)))
    return moved


def _name_data(names: Mapping[int, str], places: Mapping[int, ScorePlace]) -> str:
    """The data of some columns: as they are where all have the same, else each with its
    columns.
    """
    columns: dict[str, list[str]] = {}
    for c in sorted(places):
        if c in names:
            columns.setdefault(places[c].data, []).append(names[c])
    if len(columns) == 1:
        return next(iter(columns))
    return "; ".join(f"{', '.join(mine)} {_short(data)}" for data, mine in columns.items())


def _short(data: str) -> str:
    """The last two parts of a path (GUM/dep), with options."""
    parsed = Reference.parse(data)
    options = "".join(f",{key}={value}" for key, value in parsed.options)
    return ("/".join(PurePath(parsed.argument or "").parts[-2:]) or data) + options
