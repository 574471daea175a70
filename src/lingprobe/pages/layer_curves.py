"""Scores over layers, a panel for each task: a curve for each encoder, between the constant answer,
the best baseline and the oracle.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from lingprobe.analysis.frame import FrameRow
from lingprobe.analysis.row import PERCENT_SCALE
from lingprobe.pages.grid import ScoreGrid
from lingprobe.pages.groups import TaskColumn
from lingprobe.pages.wide import select_first_rows
from lingprobe.tables.drawing import PlotProblem
from lingprobe.tables.lines import draw_band, make_points, whole_numbers
from lingprobe.tables.panels import (
    break_text,
    draw_legend,
    make_figure,
    make_legend_line,
    make_panels,
    row_height,
)
from lingprobe.tables.style import DARK_GREY, LINE_COLOURS, LINE_MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ACROSS = 5  # panels beside each other
_WIDE, _TALL = 1.95, 1.35  # inches of a panel
_LETTER = _WIDE / 20  # inches of a letter above it
_LINES = {"constant answer": "--", "best baseline": "-", "oracle": ":"}
Curves = Mapping[str, Mapping[str, Mapping[float, FrameRow]]]


def layers(grid: ScoreGrid) -> Figure:
    """A panel for each task: scores over layers with bands of their 95 % intervals, all encoders
    above each other; constant answer, best baseline and oracle as lines.
    """
    curves = curves_of(grid)
    if not curves:
        raise PlotProblem("nothing to draw: no encoder was read at several layers")
    shown = sorted(curves, key=lambda name: -_average_curves(curves[name]))[: len(LINE_COLOURS)]
    looks = {
        name: make_legend_line(colour, name, marker=marker)
        for name, colour, marker in zip(shown, LINE_COLOURS, LINE_MARKERS, strict=False)
    }
    across = min(_ACROSS, len(grid.columns))
    titles = [break_text(grid.full_name(column), _WIDE, _LETTER) for column in grid.columns]
    high = row_height(titles, _TALL)
    size = max(_WIDE * across, 4.5), high * math.ceil(len(grid.columns) / across) + 0.7
    names = ", ".join(grid.full_name(column) for column in grid.columns)
    figure = make_figure(size, f"Scores of {', '.join(shown)} over layers, on {names}.")
    every = zip(make_panels(figure, len(titles), across), grid.columns, titles, strict=True)
    for axes, column, title in every:
        axes.set_title(title)
        whole_numbers(axes)
        _draw_reference_lines(axes, grid, column)
        for name, look in looks.items():
            if rows := curves[name].get(column.task):
                places = {x: f"layer {x:g}" for x in rows}
                draw_band(axes, make_points(rows, name, places), look)
    signs: list[Any] = [
        *looks.values(),
        *(make_legend_line(DARK_GREY, name, ls) for name, ls in _LINES.items()),
    ]
    draw_legend(figure, signs, max(1, int(size[0] / 1.8)))
    return figure


def curves_of(grid: ScoreGrid) -> Curves:
    """By encoder and task the scores of layers, where there are several."""
    curves: dict[str, dict[str, dict[float, FrameRow]]] = {}
    for line in grid.lines:
        if line.kind == "trained" and line.layer.isdecimal():
            name = grid.names.get(line.encoder, line.encoder)
            mine = curves.setdefault(", ".join(filter(None, (name, line.probe))), {})
            for task, row in line.cells.items():
                mine.setdefault(task, {})[float(line.layer)] = row
    several = {name: {t: rows for t, rows in mine.items() if len(rows) > 1}
               for name, mine in curves.items()}  # fmt: skip
    return {name: mine for name, mine in several.items() if mine}


def _average_curves(tasks: Mapping[str, Mapping[float, FrameRow]]) -> float:
    return fmean(row.score for rows in tasks.values() for row in rows.values())


def _draw_reference_lines(axes: Axes, made: ScoreGrid, column: TaskColumn) -> None:
    """What a score is to be compared with, and room from the least of it to the oracle."""
    values = dict(zip(_LINES, _references(made, column.task), strict=True))
    for name, value in values.items():
        axes.axhline(value, color=DARK_GREY, ls=_LINES[name], lw=1)
    scores = [line.cells[column.task].low for line in made.lines if column.task in line.cells]
    low = min(v for v in (*values.values(), *scores) if not math.isnan(v))
    axes.set_ylim(max(low - 4, -2), PERCENT_SCALE + 3)


def _references(made: ScoreGrid, task: str) -> Iterator[float]:
    """The constant answer, the best baseline and the oracle; NaN for none."""
    yield select_first_rows(made)[task].majority
    for kind in ("baseline", "oracle"):
        rows: Sequence[FrameRow] = [
            line.cells[task] for line in made.lines if line.kind == kind and task in line.cells
        ]
        yield max((row.score for row in rows), default=math.nan)
