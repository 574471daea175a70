"""Scores by a stratum of the test examples, as a figure."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from lingprobe.analysis.frame import FrameRow
from lingprobe.pages.captions import shorten_task
from lingprobe.pages.scores import test_notes
from lingprobe.tables.drawing import PlotProblem
from lingprobe.tables.lines import (
    MIN_PANEL_INCHES,
    PANEL_INCHES,
    PanelBar,
    draw_band,
    draw_bars,
    draw_title,
    make_points,
    panel_height,
    round_ends,
)
from lingprobe.tables.panels import (
    LETTER_INCHES,
    NAME_ROW_INCHES,
    add_notes_below,
    count_panels_abreast,
    draw_legend,
    make_figure,
    make_legend_line,
    make_panels,
    measure_names,
    shorten_name,
)
from lingprobe.tables.printing import printed_width
from lingprobe.tables.style import LINE_COLOURS, LINE_MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


def strata_figure(rows: Sequence[FrameRow], stratum: str) -> Figure:
    """Scores by a stratum with bands of their 95 % intervals, and bars of how many examples there
    are, a panel for each task; PlotProblem where there is nothing.
    """
    plain = [row for row in rows if row.control == "none"]
    if not plain:
        raise PlotProblem("nothing to draw: no row without a control")
    names = list(dict.fromkeys(map(_name_line, plain)))
    looks = {
        name: make_legend_line(
            LINE_COLOURS[i % len(LINE_COLOURS)], name, marker=LINE_MARKERS[i % len(LINE_MARKERS)]
        )
        for i, name in enumerate(names)
    }
    tasks = list(dict.fromkeys(row.task for row in plain))
    across = count_panels_abreast(len(tasks), 2, MIN_PANEL_INCHES)
    about = f"Scores of {', '.join(map(shorten_task, tasks))} by {stratum}."
    wide = max(3.4 * across, 1 + measure_names(names))
    down = math.ceil(len(tasks) / across)
    figure = make_figure((wide, (0.4 + panel_height(across)) * down + 0.2 * len(names)), about)
    for axes, task in zip(make_panels(figure, len(tasks), across), tasks, strict=True):
        _by_stratum(axes, [row for row in plain if row.task == task], stratum, looks)
    draw_legend(figure, [*looks.values()], 1, "upper")
    add_notes_below(figure, test_notes(plain))
    return figure


def _by_stratum(
    axes: Axes, rows: Sequence[FrameRow], stratum: str, looks: Mapping[str, Line2D]
) -> None:
    """One task: how many examples each value has as bars, and the scores above."""
    values = {value: i for i, value in enumerate(dict.fromkeys(r.stratum for r in rows))}
    draw_title(
        axes,
        (shorten_task(rows[0].task), f"{rows[0].metric.partition(',')[0]}; bars: test examples"),
    )
    lines = defaultdict[str, dict[float, FrameRow]](dict)
    for row in rows:
        lines[_name_line(row)][values[row.stratum]] = row
    for name, mine in lines.items():
        points = make_points(mine, name, {x: value for value, x in values.items()})
        draw_band(axes, points, looks[name])
    counts = {values[row.stratum]: row.n for row in rows}
    bars = {float(x): PanelBar(n, f"{n:,} test examples") for x, n in counts.items()}
    draw_bars(axes, bars, round_ends(v for row in rows for v in (row.low, row.high, row.score)))
    _categories(axes, [*values])
    axes.set_xlabel(stratum)


def _categories(axes: Axes, values: Sequence[str]) -> None:
    """Names below, slanted where they need more room than there is."""
    place, paper = axes.get_subplotspec(), printed_width()
    across = place.get_gridspec().ncols if place else 1
    wide = PANEL_INCHES if paper is None else paper / across - 0.4
    step = math.ceil(len(values) / (16 if paper is None else max(2, int(wide / NAME_ROW_INCHES))))
    is_wide = LETTER_INCHES * sum(map(len, chain(values[::step]))) + 0.1 * len(values) > wide
    slant: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    looks = slant if is_wide else {}
    shown = [shorten_name(value, 16) for value in values[::step]]
    axes.set_xticks(range(0, len(values), step), shown, **looks)
    axes.set_xlim(-0.5, len(values) - 0.5)


def _name_line(row: FrameRow) -> str:
    layer = "" if row.layer == "-" else f", {row.layer}"
    return f"{row.encoder}{layer}, {row.probe}"
