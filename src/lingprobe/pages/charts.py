"""Charts of the scores of several tasks: dots with intervals, a heat map, a radar. Baselines and
oracles stand beside in each, as in the table (`pages.wide`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lingprobe.analysis.frame import FrameRow, ResultFrame
from lingprobe.analysis.row import PERCENT_SCALE
from lingprobe.data.checks import check_choice
from lingprobe.data.errors import UsageProblem
from lingprobe.data.references import Contents
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.grid import EncoderLine, ScoreGrid, lines_of, make_grid, merge_layers
from lingprobe.pages.groups import TaskColumn
from lingprobe.pages.scores import signs_of
from lingprobe.pages.wide import label_of, select_first_rows
from lingprobe.tables.dots import DotPanels
from lingprobe.tables.drawing import PlotProblem
from lingprobe.tables.heat import HeatCell, HeatLook, HeatMap, draw_heat_maps
from lingprobe.tables.panels import (
    NAME_ROW_INCHES,
    draw_dot,
    draw_legend,
    fold_names,
    make_figure,
    make_legend_line,
    make_legend_mark,
    mark_point,
    measure_names,
)
from lingprobe.tables.printing import printed_width
from lingprobe.tables.style import (
    BEST_COLOUR,
    CHART_BLUE,
    DARK_GREY,
    INK_COLOUR,
    LINE_COLOURS,
    LINE_MARKERS,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

FIGURES = Contents(
    "figure",
    "lingprobe.figures",
    {name: f"{__name__}:{name}" for name in ("dots", "heat", "radar")}
    | {"layers": "lingprobe.pages.layer_curves:layers"},
    made=False,
)
_NAME = 40  # letters of an encoder; a longer name loses its middle


def draw_chart(scored: ResultFrame, kind: str) -> Figure:
    """A chart of one of the kinds of `FIGURES`."""
    made = make_grid(scored)
    return draw_scores(
        kind, replace(made, names=label_encoders(line.encoder for line in made.lines))
    )


def draw_scores(kind: str, grid: ScoreGrid) -> Figure:
    """Scores drawn as a kind of figure; UsageProblem for what returns no Figure."""
    drawn = figure_of(kind)(grid)
    from matplotlib.figure import Figure  # behind what says that it is missing

    if not isinstance(drawn, Figure):
        raise UsageProblem(f"the figure {kind!r} returns {drawn!r:.60}: give a matplotlib Figure")
    return drawn


def figure_of(kind: str) -> Callable[[ScoreGrid], Figure]:
    """What draws a kind of figure; UsageProblem for a name that there is not."""
    if "@" not in kind:
        check_choice("figure", kind, FIGURES.places())
    return FIGURES.find(kind)


def dots(grid: ScoreGrid) -> Figure:
    """A panel for each task: a dot on its interval for each encoder, baselines hollow, oracles as
    diamonds, constant answers as a line.
    """
    if not any(row.score == row.score for line in grid.lines for row in line.cells.values()):
        raise PlotProblem("nothing to draw: no task has a score")
    names = fold_names([label_of(grid, line) for line in grid.lines], _NAME)
    titles = list(map(grid.full_name, grid.columns))
    drawn = DotPanels.of(titles, names, f"{_about(grid)}, with 95 % intervals.", 0.4)
    for axes, column in zip(drawn.axes, grid.columns, strict=True):
        axes.axvline(select_first_rows(grid)[column.task].majority, color=DARK_GREY, ls="--", lw=1)
        _rules(axes, grid.lines)
        for place, line in enumerate(grid.lines):
            if row := line.cells.get(column.task):
                _draw_score_dot(grid, row, label_of(grid, line), axes, place)
    drawn.label_rows([line.kind != "trained" for line in grid.lines])
    figure = drawn.figure
    draw_legend(figure, list(_key(grid)), max(1, int(figure.get_figwidth() / 1.7)))
    return figure


def draw_row_dots(
    rows: Sequence[FrameRow],
    titles: Mapping[str, str],
    names: Mapping[str, str],
    leading: frozenset[tuple[str, ...]],
) -> Figure:
    """Rows as `dots`, a line for each encoder.

    titles   of the tasks' panels, in order
    names    of encoders that are not called by their references
    leading  the task, encoder, layer and probe of scores that are marked
    """
    columns = tuple(TaskColumn(task, title, "") for task, title in titles.items())
    lines = merge_layers(lines_of(rows))
    signs = signs_of(rows)
    return dots(ScoreGrid(tuple(rows), lines, columns, {}, leading, "", signs, names, "leading"))


def _about(made: ScoreGrid) -> str:
    names = ", ".join(made.full_name(column) for column in made.columns)
    return f"Scores of {len(made.lines)} rows on {names}"


def _rules(axes: Axes, lines: Sequence[EncoderLine]) -> None:
    """Thin rules between kinds."""
    axes.yaxis.grid(visible=False)
    for i in range(1, len(lines)):
        if lines[i].kind != lines[i - 1].kind:
            axes.axhline(i - 0.5, color=DARK_GREY, lw=0.5)


def _draw_score_dot(made: ScoreGrid, row: FrameRow, name: str, axes: Axes, place: int) -> None:
    """A dot on its interval."""
    mark = made.signs.get(id(row), "")
    told = f"{name}: {row.score:.1f}{mark} ({row.low:.1f} – {row.high:.1f}), n = {row.n:,}"
    shown = _sign(row.kind, is_best=_is_best(made, row))
    draw_dot(axes, place, (row.score, row.low, row.high), shown, told)
    if mark and row.score == row.score:
        at = (row.score, place)
        axes.annotate(mark, at, (4, 1), textcoords="offset points", color=shown.get_color())


def _is_best(made: ScoreGrid, row: FrameRow) -> bool:
    return (row.task, row.encoder, row.layer, row.probe) in made.strong


def _sign(kind: str, name: str = "", is_best: bool = False) -> Line2D:
    """How a score of a kind of encoder is marked."""
    colour = BEST_COLOUR if is_best else CHART_BLUE if kind == "trained" else DARK_GREY
    shape = "D" if kind == "oracle" else "s" if is_best else "o"
    return make_legend_mark(shape, colour, name, kind == "baseline")


def _key(made: ScoreGrid) -> Iterator[Any]:
    """What the marks mean."""
    kinds = {line.kind for line in made.lines}
    if "trained" in kinds:
        yield _sign("trained", "encoder")
    if made.strong:
        yield _sign("trained", made.strong_means, is_best=True)
    for kind in ("baseline", "oracle"):
        if kind in kinds:
            yield _sign(kind, kind)
    yield make_legend_line(DARK_GREY, "constant answer", "--")
    yield make_legend_line(DARK_GREY, "95 % interval")


def heat(grid: ScoreGrid) -> Figure:
    """A cell for each encoder and task: the score, on a colour from that of the constant answer to
    a hundred.
    """
    constants = select_first_rows(grid)
    cells = [
        _build_heat_cell(grid, line, column, constants[column.task].majority)
        for line in grid.lines
        for column in grid.columns
    ]
    return draw_heat_maps(
        [HeatMap("", cells, [line.kind for line in grid.lines])],
        HeatLook(
            f"{_about(grid)}, as a heat map.",
            ends=("constant answer", "100"),
            note=f"bold: {grid.strong_means}",
        ),
    )


def _build_heat_cell(
    made: ScoreGrid, line: EncoderLine, column: TaskColumn, constant: float
) -> HeatCell:
    row, place = line.cells.get(column.task), (label_of(made, line), made.full_name(column))
    if row is None:
        return HeatCell(*place, "", math.nan)
    return HeatCell(
        *place,
        f"{row.score:.1f}{made.signs.get(id(row), '')}",
        (row.score - constant) / max(PERCENT_SCALE - constant, 1e-9),
        _is_best(made, row),
        told=f"{row.score:.1f} ({row.low:.1f} – {row.high:.1f}), n = {row.n:,}",
    )


def radar(grid: ScoreGrid) -> Figure:
    """A polygon for each encoder over the tasks around a circle, from 0 in the middle to 100; the
    best baseline of each task in grey.

    PlotProblem for fewer than three tasks, and for more encoders than can be told apart.
    """
    tasks = [column.task for column in grid.columns]
    whole = [line for line in grid.lines if line.kind == "trained" and _is_whole(line, tasks)]
    if len(tasks) < 3:
        raise PlotProblem(
            f"a radar needs at least three tasks, and there are {len(tasks)}: draw dots"
        )
    if not 0 < len(whole) <= len(LINE_COLOURS):
        raise PlotProblem(
            f"a radar shows up to {len(LINE_COLOURS)} encoders that were measured on all tasks, and"
            f" there are {len(whole)}: choose some by name, or draw a heat map"
        )
    names = fold_names(
        [grid.full_name(column) for column in grid.columns], 1000, CIRCLE_NAME_WIDTH_SHARE
    )
    size = (
        3.2 + 2 * measure_names(names),
        get_circle_size(names) + 0.7 + NAME_ROW_INCHES * (len(whole) + 1),
    )
    if printed_width() is not None:
        size = size[0], get_circle_size(names)  # the key makes room for itself
    figure = make_figure(size, f"{_about(grid)}, around a circle.")
    axes = draw_circle(figure.add_subplot(projection="polar"), names)
    floors = _floors(grid, tasks)
    axes.fill(compute_angles(len(tasks)), floors, color=DARK_GREY, alpha=0.35, lw=0, label=_FLOORS)
    for place, line in enumerate(whole):
        label = label_of(grid, line)
        draw_polygon(axes, [line.cells[task].score for task in tasks], place, label, names)
    draw_legend(figure, axes.get_legend_handles_labels()[0], 1)
    return figure


CIRCLE_NAME_WIDTH_SHARE = 0.29  # of the width of paper, for names at each side of a circle


def get_circle_size(names: Sequence[str]) -> float:
    """Inches of a circle with names above and below."""
    wide = printed_width()
    return 3.2 if wide is None else min(3.2, wide - 2 * measure_names(names)) + 0.4


_FLOORS = "best baseline of each task, or constant answer"


def _is_whole(line: EncoderLine, tasks: Sequence[str]) -> bool:
    return all(task in line.cells and line.cells[task].score >= 0 for task in tasks)


def _floors(made: ScoreGrid, tasks: Sequence[str]) -> list[float]:
    """The best score of a baseline on each task, constant answers among them."""
    constants, baselines = (
        select_first_rows(made),
        [x.cells for x in made.lines if x.kind == "baseline"],
    )
    return [
        max(constants[task].majority, 0.0, *(x[task].score for x in baselines if task in x))
        for task in tasks
    ]


def compute_angles(task_count: int) -> list[float]:
    """Where tasks lie around a circle."""
    return [2 * math.pi * i / task_count for i in range(task_count)]


def draw_circle(axes: Any, names: Sequence[str]) -> Any:
    """A circle from 0 to 100 with names around it, the first on top."""
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    axes.set_ylim(0, PERCENT_SCALE)
    # on paper names are close to the circle, whose outermost line is a hundred
    axes.set_yticks([25, 50, 75, 100], ["25", "50", "75", "100" * (printed_width() is None)])
    axes.set_rlabel_position(180 / len(names))  # between two names
    axes.tick_params(axis="y", labelsize=7 if printed_width() is None else 8, labelcolor=DARK_GREY)
    axes.set_xticks(compute_angles(len(names)), names)
    axes.tick_params(axis="x", pad=2, labelcolor=INK_COLOUR)
    for text, angle in zip(axes.get_xticklabels(), compute_angles(len(names)), strict=True):
        side = round(math.sin(angle), 6)
        text.set_horizontalalignment("center" if not side else "left" if side > 0 else "right")
    return axes


def draw_polygon(
    axes: Axes, scores: Sequence[float], place: int, name: str, tasks: Sequence[str]
) -> None:
    """The scores of an encoder around a circle."""
    turns, colour = compute_angles(len(scores)), LINE_COLOURS[place]
    shape = LINE_MARKERS[place]
    axes.plot([*turns, turns[0]], [*scores, scores[0]], f"-{shape}", color=colour, label=name)
    for turn, score, task in zip(turns, scores, tasks, strict=True):
        mark_point(
            axes, (turn, score), make_legend_mark(shape, colour), f"{name}, {task}: {score:.1f}"
        )
