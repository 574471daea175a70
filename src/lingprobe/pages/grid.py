"""Scores as lines and columns, a line for each thing measured: what tables and figures show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby

from lingprobe.analysis.comparison import find_leaders
from lingprobe.analysis.frame import FrameRow, ResultFrame
from lingprobe.analysis.row import NO_CONTROL, ROLE_ORDER
from lingprobe.data.oracles import Kind
from lingprobe.pages.captions import name_encoders
from lingprobe.pages.groups import TaskColumn, arrange_columns
from lingprobe.pages.scores import rows_without_control, signs_of

ORACLE_ROLE = "oracle"


@dataclass(frozen=True, slots=True)
class EncoderLine:
    """One row of the table: an encoder, what was read of it and by what probe, and its scores by
    task.
    """

    encoder: str
    layer: str
    probe: str
    kind: Kind
    cells: dict[str, FrameRow] = field(default_factory=dict)


@dataclass(frozen=True)
class ScoreGrid:
    """The lines and the columns of the table, and the rows of its controls.

    strong  the scores that are set in bold, as `find_leaders` names them
    family  the comparisons that decided it
    signs   by id of a row, the sign of one over other test examples
    names   of encoders that are not called by their references
    strong_means  what it means that a score is strong
    """

    rows: tuple[FrameRow, ...]
    lines: tuple[EncoderLine, ...]
    columns: tuple[TaskColumn, ...]
    controls: Mapping[str, Sequence[EncoderLine]]
    strong: frozenset[tuple[str, ...]]
    family: str
    signs: Mapping[int, str]
    names: Mapping[str, str]
    strong_means: str = "best, or not significantly different from it"

    @cached_property
    def groups(self) -> list[list[TaskColumn]]:
        """The columns of each group."""
        return [list(mine) for _, mine in groupby(self.columns, key=lambda column: column.group)]

    def full_name(self, column: TaskColumn) -> str:
        """What a column is called below the table."""
        several = len(self.groups) > 1 and column.group
        return f"{column.group}, {column.name}" if several else column.name

    def without_layers(self) -> ScoreGrid:
        """The same with a line for each encoder, which has one layer of each task."""
        controls = {name: merge_layers(lines) for name, lines in self.controls.items()}
        return replace(self, lines=merge_layers(self.lines), controls=controls)

    @cached_property
    def has_layers(self) -> bool:
        """Whether there is a choice of what is read."""
        return any(line.layer != "-" for line in self.lines)

    @cached_property
    def has_probes(self) -> bool:
        """Whether lines differ in their probes."""
        return any(line.probe for line in self.lines)


def merge_layers(lines: Sequence[EncoderLine]) -> tuple[EncoderLine, ...]:
    """The lines of each encoder as one."""
    merged: dict[tuple[str, str, Kind], EncoderLine] = {}
    for line in lines:
        key = line.encoder, line.probe, line.kind
        one = merged.setdefault(key, EncoderLine(line.encoder, "-", line.probe, line.kind))
        one.cells.update(line.cells)
    return tuple(merged.values())


def make_grid(scored: ResultFrame) -> ScoreGrid:
    """Scores as lines and columns."""
    every = scored.rows
    plain = rows_without_control(every)
    controls = dict.fromkeys(row.control for row in every if row.control != NO_CONTROL)
    apart = _of_several_probes(plain)
    return ScoreGrid(
        every,
        tuple(lines_of(plain, apart)),
        tuple(arrange_columns(list(dict.fromkeys(row.task for row in plain)))),
        {c: lines_of([row for row in every if row.control == c], apart) for c in controls},
        *find_leaders(scored),
        signs_of(every),
        name_encoders(dict.fromkeys(row.encoder for row in plain)),
    )


def _of_several_probes(plain: Sequence[FrameRow]) -> frozenset[str]:
    """Tasks of which several probes read one thing, or the encoders that are compared."""
    things: dict[tuple[str, ...], set[str]] = {}
    for row in plain:
        things.setdefault((row.task, row.encoder, row.layer), set()).add(row.probe)
        if row.kind == "trained":
            things.setdefault((row.task,), set()).add(row.probe)
    return frozenset(task for (task, *_), probes in things.items() if len(probes) > 1)


def lines_of(rows: Sequence[FrameRow], apart: frozenset[str] = frozenset()) -> list[EncoderLine]:
    """A line for each thing that was measured, baselines first; the oracles of different tasks are
    one line, and so is what different probes read of an encoder, but for the tasks that several
    probes read (`apart`).
    """
    places = {(row.encoder, row.layer): -i for i, row in enumerate(reversed(rows))}
    lines: dict[tuple[str, str, str], EncoderLine] = {}
    first: dict[tuple[str, str], tuple[str, str, str]] = {}
    for row in sorted(rows, key=lambda row: row.task not in apart):
        probe = row.probe if row.task in apart else ""
        key = row.encoder, row.layer, probe
        if row.kind == "oracle":
            line = ORACLE_ROLE, "-", probe
            line = line if probe else first.get(line[:2], line)
            if line not in lines or row.task not in lines[line].cells:
                key = line
        elif not probe:
            key = first.get(key[:2], key)
        first.setdefault(key[:2], key)
        lines.setdefault(key, EncoderLine(*key, row.kind)).cells[row.task] = row
    return sorted(
        lines.values(),
        key=lambda one: (ROLE_ORDER.index(one.kind), places.get((one.encoder, one.layer), 0)),
    )
