"""One table for several tasks, as papers print it: encoders below each other, tasks beside each
other in groups with their means, baselines above and oracles below.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import fmean

from lingprobe.analysis import computing
from lingprobe.analysis.frame import FrameRow
from lingprobe.analysis.row import CONSTANT_ENCODER, PERCENT_SCALE, said_of
from lingprobe.pages.descriptions import get_question
from lingprobe.pages.grid import ORACLE_ROLE, EncoderLine, ScoreGrid
from lingprobe.pages.groups import TaskColumn, shared_options
from lingprobe.pages.scores import describe_scores, list_facts
from lingprobe.tables.table import (
    LATEX_FLOAT_LABEL,
    Table,
    TableSection,
    format_number,
)

_MEAN = "mean"
BOLD_MARK = "•"


def make_wide_table(grid: ScoreGrid, questions: Mapping[str, str] | None = None) -> Table:
    """The scores of all tasks in one table, with all that has to be said of them below."""
    own = [*explain_table(grid), *_describe_tasks(grid, questions or {}), *made_by(grid)]
    notes = describe_scores(grid.rows, own)
    return replace(
        build_wide_table(grid),
        notes=notes,
        caption=_caption(grid, notes[0]),
        label=LATEX_FLOAT_LABEL,
    )


def build_wide_table(grid: ScoreGrid) -> Table:
    """The same without what has to be said of them."""
    words = ["encoder", *(["layer"] * grid.has_layers), *(["probe"] * grid.has_probes)]
    columns, groups = [*words], [""] * len(words)
    for mine in grid.groups:
        columns += [column.name for column in mine] + [_MEAN] * has_mean(grid, mine)
        groups += [mine[0].group] * (len(mine) + has_mean(grid, mine))
    return Table(
        tuple(columns),
        (_build_score_section(grid), *_list_side_sections(grid)),
        frozenset(words),
        groups=tuple(groups) if any(groups) else (),
        mark=BOLD_MARK,
    )


def has_mean(grid: ScoreGrid, columns: Sequence[TaskColumn]) -> bool:
    """Whether a group has a mean: of several tasks that are judged by one metric."""
    metrics = {
        line.cells[column.task].metric.partition(",")[0]
        for line in grid.lines
        for column in columns
        if column.task in line.cells
    }
    return len(columns) > 1 and len(metrics) == 1 and columns[0].group != ""


def mean_of(
    line: EncoderLine, columns: Sequence[TaskColumn], value: Callable[[FrameRow], float]
) -> float:
    """The mean of each group of tasks, of a line; NaN where one is missing."""
    if any(column.task not in line.cells for column in columns):
        return math.nan
    return fmean(value(line.cells[column.task]) for column in columns)


def label_of(grid: ScoreGrid, line: EncoderLine) -> str:
    """What a line is called in a figure."""
    read = said_of(line.layer) if grid.has_layers else ""
    return ", ".join([_name_line(grid, line)[0] + read, *([line.probe] if line.probe else [])])


def _name_line(made: ScoreGrid, line: EncoderLine) -> list[str]:
    old = {row.version for row in line.cells.values() if row.format}
    name = made.names.get(line.encoder, line.encoder)
    name += "".join(f" ({version})" for version in sorted(old))
    return [name, *([line.layer] * made.has_layers), *([line.probe] * made.has_probes)]


def _format_group_cells(
    made: ScoreGrid,
    line: EncoderLine,
    cell: Callable[[FrameRow], str],
    value: Callable[[FrameRow], float],
) -> tuple[str, ...]:
    """The cells of a line, group by group with the mean."""
    cells = _name_line(made, line)
    for mine in made.groups:
        cells += [cell(row) if (row := line.cells.get(column.task)) else "–" for column in mine]
        cells += [format_number(mean_of(line, mine, value))] * has_mean(made, mine)
    return tuple(cells)


def _build_score_section(made: ScoreGrid) -> TableSection:
    """Scores with their intervals below constant answers, and numbers of test examples."""
    constant = EncoderLine(CONSTANT_ENCODER, "-", "", "baseline", select_first_rows(made))
    lines = [
        _format_group_cells(
            made, constant, lambda row: format_number(row.majority), lambda row: row.majority
        ),
        *(
            _format_group_cells(
                made, line, lambda row: score_cell(made, row), lambda row: row.score
            )
            for line in made.lines
        ),
        _format_group_cells(
            made, EncoderLine("n", "", "", "oracle", constant.cells), _many, lambda _: math.nan
        ),
    ]
    kinds = ["baseline", *(line.kind for line in made.lines), "n"]
    rules = frozenset(i for i, (one, two) in enumerate(pairwise(kinds), 1) if one != two)
    shown = tuple(map(_without_mean, _align_cells(lines)))
    return TableSection("", shown, "", _strong(made), rules=rules)


def _align_cells(lines: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The lines with the numbers behind ± as wide as the widest of their column."""
    widths = [
        max(len(cell.partition("±")[2]) for cell in column) for column in zip(*lines, strict=True)
    ]
    return [
        tuple(
            f"{score}±{doubt:>{width}}" if doubt else cell
            for cell, width in zip(line, widths, strict=True)
            for score, _, doubt in [cell.partition("±")]
        )
        for line in lines
    ]


def _without_mean(cells: tuple[str, ...]) -> tuple[str, ...]:
    """The line of numbers of examples without a dash for their mean."""
    return tuple("" if cells[0] == "n" and cell == "–" else cell for cell in cells)


def _many(row: FrameRow) -> str:
    return f"{row.n:,}"


def select_first_rows(grid: ScoreGrid) -> dict[str, FrameRow]:
    """Of each task a row over the test examples that most are over."""
    firsts: dict[str, FrameRow] = {}
    for line in grid.lines:
        for task, row in line.cells.items():
            if task not in firsts or grid.signs.get(id(firsts[task])):
                firsts[task] = row
    return firsts


def score_cell(grid: ScoreGrid, row: FrameRow) -> str:
    """A score with its sign and the wider side of its interval."""
    if math.isnan(row.score):
        return "–"
    score = format_number(row.score) + grid.signs.get(id(row), "")
    if row.high - row.low >= PERCENT_SCALE:  # too few clusters for an interval
        return score
    return f"{score} ±{format_number(max(row.high - row.score, row.score - row.low))}"


def _strong(made: ScoreGrid) -> frozenset[tuple[int, int]]:
    """The scores in bold: the best encoder of a task, and those not significantly different from
    it.
    """
    return frozenset(
        (r, c)
        for r, c, row in locate_scores(made)
        if (row.task, row.encoder, row.layer, row.probe) in made.strong
    )


def locate_scores(grid: ScoreGrid) -> Iterator[tuple[int, int, FrameRow]]:
    """Each score with its line and column in the table; the constant stands above them."""
    columns: dict[str, int] = {}
    at = 1 + grid.has_layers + grid.has_probes
    for mine in grid.groups:
        columns |= {column.task: at + i for i, column in enumerate(mine)}
        at += len(mine) + has_mean(grid, mine)
    for r, line in enumerate(grid.lines, 1):
        for task, row in line.cells.items():
            yield r, columns[task], row


def _list_side_sections(made: ScoreGrid) -> Iterator[TableSection]:
    """What stands below the scores: controls, selectivity, lengths of codes."""
    for control, lines in made.controls.items():
        yield _section(made, control, lines, lambda row: row.score)
        if any(not math.isnan(row.selectivity) for line in lines for row in line.cells.values()):
            name = f"selectivity over {control}"
            yield _section(made, name, lines, lambda row: row.selectivity)
    if any(not math.isnan(row.bits) for line in made.lines for row in line.cells.values()):
        yield _section(made, "kbit", made.lines, lambda row: row.bits / 1000)
        yield _section(made, "compression", made.lines, lambda row: row.compression)
        yield _section(made, "over prior", made.lines, lambda row: row.over_prior)


def _section(
    made: ScoreGrid, name: str, lines: Sequence[EncoderLine], value: Callable[[FrameRow], float]
) -> TableSection:
    """One measure beside the scores."""

    def cell(row: FrameRow) -> str:
        return format_number(value(row)) + made.signs.get(id(row), "")

    rules = frozenset(i for i, (a, b) in enumerate(pairwise(lines), 1) if a.kind != b.kind)
    return TableSection(
        name, tuple(_format_group_cells(made, line, cell, value) for line in lines), rules=rules
    )


def explain_table(grid: ScoreGrid) -> Iterator[str]:
    """How to read the table."""
    yield (
        f"±: the wider side of the 95 % interval; {CONSTANT_ENCODER}: the same answer for every"
        " example; n: test examples."
    )
    if grid.strong:
        yield (
            f"Bold ({BOLD_MARK} in a terminal): the best encoder on each task, and those not"
            " significantly different from it (p ≥ 0.05 in lingprobe compare --pairs, corrected for"
            f" {grid.family}); baselines and oracles are not compared."
        )
    if any(has_mean(grid, mine) for mine in grid.groups):
        yield (
            "mean: over the tasks of a group, with equal weight, and without an interval, because"
            " the tasks share sentences."
        )
    named = [mine for mine in grid.groups if len(mine) > 1 and mine[0].group]
    if not all(has_mean(grid, mine) for mine in named):
        yield "A group of tasks with different metrics has no mean."


def _describe_tasks(made: ScoreGrid, questions: Mapping[str, str]) -> Iterator[str]:
    """What each task asks, a line each."""
    if shared := shared_options([column.task for column in made.columns]):
        yield f"All tasks: {', '.join(f'{key}={value}' for key, value in shared)}."
    for column in made.columns:
        mine = [row for line in made.lines if (row := line.cells.get(column.task))]
        size = f" ({mine[0].class_size})" if mine[0].class_size else ""
        name = f"{made.full_name(column)}{size}"
        question = questions.get(column.task) or get_question(column.task)
        facts = f" ({'; '.join(listed)})" if (listed := list_facts(mine)) else ""
        yield f"{name}: {question}{facts}" if question or facts else f"{name}."
    oracles: dict[str, dict[str, None]] = {}
    for line in made.lines:
        for column in made.columns if line.encoder == ORACLE_ROLE else ():
            if row := line.cells.get(column.task):
                oracles.setdefault(row.encoder, {})[made.full_name(column)] = None
    if oracles:
        which = "; ".join(f"{name} for {', '.join(tasks)}" for name, tasks in oracles.items())
        yield f"{ORACLE_ROLE}: {which}."


def made_by(grid: ScoreGrid) -> Iterator[str]:
    """The probes where no column has them, and the seeds and ways of computing of rows that differ
    in them.
    """
    plain = [row for line in grid.lines for row in line.cells.values()]
    probes: dict[str, set[TaskColumn]] = {}
    for column in grid.columns:
        for line in grid.lines:
            if (row := line.cells.get(column.task)) and row.probe != line.probe:
                probes.setdefault(row.probe, set()).add(column)
    if len(probes) == 1 and not grid.has_probes:
        yield f"Probe: {next(iter(probes))}."
    elif probes:
        which = "; ".join(f"{one} ({', '.join(_together(grid, c))})" for one, c in probes.items())
        yield f"Probes: {which}."
    yield from _by("seeds", grid, lambda row: str(row.seeds))
    what = computing.find_computing_differences(plain)
    if what:
        yield from _by("computed", grid, lambda row: computing.format_computation(row, what))


def _together(made: ScoreGrid, columns: set[TaskColumn]) -> Iterator[str]:
    """What columns are called, a group that is whole by its own name."""
    for mine in made.groups:
        if mine[0].group and len(made.groups) > 1 and columns.issuperset(mine):
            yield mine[0].group
        else:
            yield from (made.full_name(column) for column in mine if column in columns)


def _by(name: str, made: ScoreGrid, value: Callable[[FrameRow], str]) -> Iterator[str]:
    """The encoders of each value, where there are several; an encoder that has several, with the
    probe of each.
    """
    rows = [row for line in made.lines for row in line.cells.values()]
    pairs = {(row.encoder, value(row)) for row in rows}
    many = Counter(encoder for encoder, _ in pairs)
    values: dict[str, dict[str, None]] = {}
    for row in rows:
        called = made.names.get(row.encoder, row.encoder)
        probe = f" with {row.probe}" if made.has_probes and many[row.encoder] > 1 else ""
        values.setdefault(value(row), {})[called + probe] = None
    if len(values) > 1:
        which = "; ".join(f"{one}: {', '.join(names)}" for one, names in values.items())
        yield f"{name}: {which}."


def _caption(made: ScoreGrid, first: str) -> str:
    """What stands below the table in a paper."""
    return f"{first} ±: the wider side of the 95 % interval.{explain_bold(made)}"


def explain_bold(grid: ScoreGrid) -> str:
    """What bold says in a caption, with the correction, after a space; '' where nothing is bold."""
    if not grid.strong:
        return ""
    return (
        " Bold: the best encoder on each task, and those not significantly different from it"
        f" (paired, corrected for {grid.family})."
    )
