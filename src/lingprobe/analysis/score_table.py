"""A table of scores, encoders by columns, from one source or several: what correlations are over.

Scores that were measured in different ways, or by others, are columns of their own, each with its
source. Rows are joined where they are the same encoder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import DataProblem
from lingprobe.data.errors import UsageProblem
from lingprobe.data.references import Reference, ReferenceProblem
from lingprobe.metrics.metric import Doubles

_MODELS = frozenset({"hf", "st"})
"""Encoders whose argument is a model, which several of them may read."""
_OTHER = frozenset({"weights", "vectors"})
"""Options that make another encoder of one: it has learnt something else, or nothing."""


class EncoderName(NamedTuple):
    """A row: an encoder as tables call it, the family of variants that it is one of, and the bare
    name of its model, by which other sources may know it.
    """

    name: str
    family: str
    model: str = ""


class MeasuredTask(NamedTuple):
    """A column: a task as one source measured it.

    task      what versions of the task in several languages have in common
    language  its three-letter code, '' where nobody says
    """

    name: str
    source: str
    task: str
    language: str = ""
    metric: str = ""


class ScoreCell(NamedTuple):
    """One cell: a score in percent, and the variance of the mean over its seeds; NaN where there is
    one seed.
    """

    row: EncoderName
    column: MeasuredTask
    value: float
    noise: float = float("nan")


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Encoders by columns.

    scores   [encoders, columns], NaN where something was not measured
    noise    the variance of each score over seeds, NaN where that is not known
    remarks  what was excluded, and why
    """

    rows: tuple[EncoderName, ...]
    columns: tuple[MeasuredTask, ...]
    scores: Doubles
    noise: Doubles
    remarks: tuple[str, ...] = ()

    @property
    def families(self) -> tuple[str, ...]:
        """The families of the rows, each once, in order."""
        return tuple(dict.fromkeys(row.family for row in self.rows))

    def with_rows(self, numbers: Sequence[int], *remarks: str) -> ScoreTable:
        """The table with some of its rows."""
        rows = tuple(self.rows[i] for i in numbers)
        scores, noise = self.scores[list(numbers)], self.noise[list(numbers)]
        return ScoreTable(rows, self.columns, scores, noise, (*self.remarks, *remarks))

    def chosen_rows(self, patterns: Sequence[str]) -> ScoreTable:
        """The table with the rows that patterns name, by name, kind or family; UsageProblem for
        none.
        """
        kept = [
            i
            for i, row in enumerate(self.rows)
            if any(fnmatchcase(name, p) for name in _list_row_names(row) for p in patterns)
        ]
        if not kept:
            raise UsageProblem(
                f"no encoder is called {', '.join(patterns)}: there are"
                f" {', '.join(row.name for row in self.rows[:12])}"
            )
        return self.with_rows(kept)

    def with_columns(self, numbers: Sequence[int], *remarks: str) -> ScoreTable:
        """The table with some of its columns."""
        columns = tuple(self.columns[i] for i in numbers)
        scores, noise = self.scores[:, list(numbers)], self.noise[:, list(numbers)]
        return ScoreTable(self.rows, columns, scores, noise, (*self.remarks, *remarks))

    def reliability(self, column: int) -> float:
        """The share of a column's variance that is not that of seeds; NaN where seeds are not
        known.
        """
        known = ~np.isnan(self.noise[:, column])
        if known.sum() < 3:
            return float("nan")
        variance = float(np.nanvar(self.scores[known, column], ddof=1))
        return max(0.0, 1 - float(self.noise[known, column].mean()) / variance) if variance else 0.0


def join_scores(sources: Sequence[Iterable[ScoreCell]], remarks: Iterable[str] = ()) -> ScoreTable:
    """One table of the scores of several sources, encoders of the first in front, whose models
    match by name, also where only the organisation differs: an encoder of a later source is one of
    the first where it has its name, or where it alone is run of a model of that name.
    """
    cells: dict[tuple[EncoderName, MeasuredTask], ScoreCell] = {}
    rows: dict[str, EncoderName] = {}
    for scores in map(list, sources):
        alike = _joins(rows.values(), [score.row for score in scores])
        for score in scores:
            row = alike[score.row]
            rows.setdefault(row.name, row)
            if (row, score.column) in cells:
                raise DataProblem(
                    f"{score.column.source}: {row.name} has two scores of {score.column.name}:"
                    " give each variant its own name"
                )
            cells[row, score.column] = score
    columns = list(dict.fromkeys(column for _, column in cells))
    every = list(rows.values())
    places = {row: i for i, row in enumerate(every)}
    across = {column: i for i, column in enumerate(columns)}
    grid = np.full((2, len(every), len(columns)), np.nan)
    for (row, column), score in cells.items():
        grid[:, places[row], across[column]] = score.value, score.noise
    return ScoreTable(tuple(every), tuple(_told_apart(columns)), grid[0], grid[1], tuple(remarks))


def _joins(
    known: Iterable[EncoderName], rows: Sequence[EncoderName]
) -> Mapping[EncoderName, EncoderName]:
    """For each of the rows, the one of the known that it is, or itself."""
    names, models = dict[str, EncoderName](), dict[str, list[EncoderName]]()
    for row in known:
        names[row.name] = row
        models.setdefault(row.model, []).append(row)
    own: dict[str, list[EncoderName]] = {}
    for row in rows:
        own.setdefault(row.model, []).append(row)
    joins = {}
    for row in rows:
        mine = {*own[row.model]}
        is_one_model = bool(row.model) and len({each.family for each in mine}) == 1
        there = models.get(row.model, []) if is_one_model else []
        family = there[0].family if there else row.family
        is_one_row = len(there) == 1 and len(mine) == 1
        joins[row] = names.get(row.name) or (
            there[0] if is_one_row else row._replace(family=family)
        )
    return joins


def _told_apart(columns: Sequence[MeasuredTask]) -> list[MeasuredTask]:
    """The columns, whose names say the whole task, the language or the source where they would
    else be the same.
    """
    tasks: dict[tuple[str, str], set[str]] = {}
    for column in columns:
        tasks.setdefault((column.name, column.source), set()).add(column.task)
    by_task = [
        column._replace(name=column.task) if len(tasks[column.name, column.source]) > 1 else column
        for column in columns
    ]
    by_language = _with(by_task, lambda column: column.language)
    return _with(by_language, lambda column: column.source)


def _with(
    columns: Sequence[MeasuredTask], said: Callable[[MeasuredTask], str]
) -> list[MeasuredTask]:
    """The columns, with what is said of them in names that several have."""
    names = [column.name for column in columns]
    return [
        column._replace(name=f"{column.name} ({said(column)})")
        if names.count(column.name) > 1 and said(column)
        else column
        for column in columns
    ]


def _list_row_names(row: EncoderName) -> tuple[str, str, str]:
    return row.name, row.family, re.split("[:,]", row.name)[0]


def strip_model_owner(reference: str) -> str:
    """The name of a model without who made it, in small letters, as `all-minilm-l6-v2`."""
    return re.split(r"/|__", reference.rstrip("/"))[-1].casefold()


def derive_encoder_name(shown: str, read: str = "") -> EncoderName:
    """The family of an encoder of lingprobe, its model, or the encoder without its options,
    whatever is read of it and however; random weights, and other vectors, make another one.
    """
    try:
        parsed = Reference.parse(shown)
    except ReferenceProblem:
        return EncoderName(f"{shown}{read}", shown, strip_model_owner(shown))
    argument = (parsed.argument or "").partition("@")[0]
    kept = tuple(option for option in parsed.options if option[0] in _OTHER)
    if parsed.name in _MODELS and argument and not kept:
        return EncoderName(f"{shown}{read}", argument, strip_model_owner(argument))
    return EncoderName(f"{shown}{read}", str(Reference(parsed.name, parsed.argument, kept)))


def with_families(table: ScoreTable, families: Callable[[str], str | None]) -> ScoreTable:
    """The table whose rows are of the families that a function makes of their names; of their own
    where it gives none.
    """
    rows = [row._replace(family=families(row.name) or row.family) for row in table.rows]
    return replace(table, rows=tuple(rows))


def by_pattern(pattern: str) -> Callable[[str], str | None]:
    """Families by a regular expression: what its groups match in a name, or all that it matches.
    UsageProblem for none.
    """
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise UsageProblem(f"families by {pattern!r}: not a regular expression: {error}") from None

    def family(name: str) -> str | None:
        match = compiled.search(name)
        if match is None:
            return None
        return ", ".join(part for part in match.groups() if part) or match[0]

    return family


def select_columns(
    columns: Sequence[MeasuredTask], patterns: Sequence[str], option: str
) -> list[int]:
    """The columns that patterns name, by name, task or source; UsageProblem where there is none."""
    found = [
        i
        for i, column in enumerate(columns)
        if any(
            fnmatchcase(name, pattern)
            for pattern in patterns
            for name in (column.name, column.task, column.source)
        )
    ]
    if not found:
        raise UsageProblem(
            f"no column for {option} {', '.join(patterns)}: there are"
            f" {', '.join(column.name for column in columns[:20])}"
        )
    return found


def drop_constant_columns(table: ScoreTable) -> ScoreTable:
    """The table without columns that have fewer than three scores, or one score for all."""
    short: list[str] = []
    flat: list[str] = []
    kept = []
    for i, column in enumerate(table.columns):
        known = table.scores[~np.isnan(table.scores[:, i]), i]
        if len(known) < 3:
            short.append(column.name)
        elif np.ptp(known) == 0:
            flat.append(column.name)
        else:
            kept.append(i)
    remarks = [
        f"{', '.join(names)}: excluded, {why}"
        for names, why in (
            (short, "fewer than three encoders have a score"),
            (flat, "all encoders have the same score"),
        )
        if names
    ]
    return table.with_columns(kept, *remarks)


def average_families(table: ScoreTable) -> Doubles:
    """Variants of one model count once: the mean of each family's variants in each column,
    [families, columns].
    """
    families = np.array([table.families.index(row.family) for row in table.rows], np.int64)
    known: NDArray[np.bool_] = ~np.isnan(table.scores)
    sums = np.zeros((len(table.families), len(table.columns)))
    counts = np.zeros_like(sums)
    np.add.at(sums, families, np.where(known, table.scores, 0))
    np.add.at(counts, families, known)
    out: Doubles = np.full_like(sums, np.nan)
    np.divide(sums, counts, out=out, where=counts > 0)
    return out
