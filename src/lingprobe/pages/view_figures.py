"""Figures as declarations, and how they are drawn of the rows of a view: heat maps, and lines of
scores in panels. Texts are macros of the view's template, values are columns or expressions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from lingprobe.analysis.frame import ResultFrame
from lingprobe.pages.captions import shorten_task
from lingprobe.pages.view_text import ViewText
from lingprobe.tables.dots import DotPanels
from lingprobe.tables.drawing import PlotProblem
from lingprobe.tables.heat import HeatCell, HeatLook, HeatMap, draw_heat_maps
from lingprobe.tables.lines import (
    MAX_PANELS_ABREAST,
    MIN_PANEL_INCHES,
    PANEL_INCHES,
    BarLine,
    BarLook,
    BarValues,
    CornerText,
    LinePanel,
    LinePoint,
    LineSeries,
    PanelBar,
    draw_bar_lines,
    draw_line_panel,
    panel_height,
    round_ends,
)
from lingprobe.tables.panels import (
    add_notes_below,
    count_panels_abreast,
    draw_dot,
    draw_legend,
    fold_names,
    make_figure,
    make_legend_line,
    make_legend_mark,
    make_panels,
)
from lingprobe.tables.style import CHART_BLUE, DARK_GREY, LINE_COLOURS, LINE_MARKERS

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_MOST_LINES = 2 * len(LINE_COLOURS)  # that can be distinguished
_ABOVE_CONSTANT = "(score - constant_score) / ([100 - constant_score, 1e-9]|max)"
"""How far a score is from the constant answer's, of 1, to 100."""
_LEAST_SPAN = 10.0  # points of score that a panel spans at least
_ROOM_FOR_TEXTS = 4  # lines, up to which each has a text above a panel
_NO_LINE = ("", "")


@dataclass(frozen=True)
class HeatFigure:
    """A heat map for each of the values of some columns: macros that have title and text,
    expressions of how far a cell is from the first colour to the last, of whether it is bold, and
    of whether a map is drawn, of its first row (if none is, all are). What the figure shows is a
    template of all `rows`; rows go from the lowest up where it is `upward`.
    """

    rows: str
    columns: str
    maps: Sequence[str]
    look: HeatLook
    title: str
    text: str
    strong: str
    share: str = _ABOVE_CONSTANT
    when: str = "true"
    is_upward: bool = False

    def draw(self, shown: ResultFrame, text: ViewText) -> Figure:
        """The heat maps of some rows."""
        every = [shown.take(some) for some in shown.groups(self.maps).values()]
        maps = []
        for part in [some for some in every if text.decide(self.when, some[0])] or every:
            cells = [
                HeatCell(
                    shorten_task(name),
                    shorten_task(column),
                    text.fill(self.text, row),
                    text.decide(self.share, row),
                    text.decide(self.strong, row),
                )
                for (name, column), row in part.find_places(self.rows, self.columns).items()
            ]
            if self.is_upward:
                rows = list(dict.fromkeys(cell.row for cell in cells))
                cells.sort(key=lambda cell: -rows.index(cell.row))
            maps.append(HeatMap(text.fill(self.title, part[0]), cells))
        return draw_heat_maps(maps, replace(self.look, about=text.render(self.look.about, shown)))


@dataclass(frozen=True)
class DotFigure:
    """A panel for each of the values of some columns, with a row for each of some names, and on it
    a dot on its interval.

    rows     the column of names, which stand in `order`
    by       the columns
    values   columns of the score and the ends of its interval
    title    the macro of the title of a panel; `told`: of what a pointer reads of a dot
    grey     an expression: whether a dot is grey and hollow
    when     an expression: which rows are drawn; a panel without any score is not
    about, nothing  as of `LineFigure`; notes: what stands below
    """

    rows: str
    order: Sequence[str]
    by: Sequence[str]
    values: tuple[str, str, str]
    title: str
    told: str
    about: str
    nothing: str
    grey: str = "false"
    when: str = "true"
    notes: Sequence[str] = ()

    def draw(self, shown: ResultFrame, text: ViewText) -> Figure:
        """The panels of some rows; PlotProblem where there is nothing."""
        rows = shown.take([k for k, row in enumerate(shown) if text.decide(self.when, row)])
        every = [rows.take(numbers) for numbers in rows.groups(self.by).values()]
        parts = [part for part in every if not all(map(math.isnan, part.column(self.values[0])))]
        if not parts:
            raise PlotProblem(self.nothing)
        there = {name for part in parts for name in part.column(self.rows)}
        order = [name for name in self.order if name in there]
        names = fold_names(order, 1000)
        titles = [text.fill(self.title, part[0]) for part in parts]
        drawn = DotPanels.of(titles, names, text.render(self.about, shown), 0.3)
        for axes, part in zip(drawn.axes, parts, strict=True):
            axes.yaxis.grid(visible=False)
            for row in part:
                score, low, high = (getattr(row, name) for name in self.values)
                is_grey = text.decide(self.grey, row)
                mark = make_legend_mark("o", DARK_GREY if is_grey else CHART_BLUE, hollow=is_grey)
                place = order.index(getattr(row, self.rows))
                draw_dot(axes, place, (score, low, high), mark, text.fill(self.told, row))
        drawn.label_rows()
        add_notes_below(drawn.figure, self.notes)
        return drawn.figure


@dataclass(frozen=True)
class FigureLine:
    """A line of scores, or one for each of the values of the columns that tell lines of a figure
    apart.

    score, low, high  columns; without an interval there is no band
    told    the macro that has what a pointer reads of a row
    look    the colour and the mark of a line that is one; others have their own
    level   an expression of the first row: a value for comparison
    ring    an expression: whether a point is ringed
    start   an expression: whether it stands apart, before the others
    least   points that a line has at least
    by      the columns, where these are not those of the figure
    """

    score: str
    told: str
    low: str = ""
    high: str = ""
    look: tuple[str, str] = _NO_LINE
    level: str = "none"
    ring: str = "false"
    start: str = "false"
    least: int = 1
    by: Sequence[str] = ()


@dataclass(frozen=True)
class FigurePanels:
    """A panel for each of the values of some columns.

    titles    the macros of the title, and of the line below it
    x, label  the column of places from left to right, and the macro of what they are
    places    the macro of what a place is called, and the columns whose rows have the same places
    levels    expressions of values for comparison, with the widths of their lines
    uprights  expressions of places that are pointed out
    bars      the column of bars at the bottom, and the macro of what a pointer reads
    ends      which scores are shown: the same in all panels, as many around those of each, or free
    counted   columns that are among them, beside those of the lines
    corner    the macro of a text above the panel for each line, and whether it is bold
    corner_sign  what stands before these
    when      an expression: which rows are in panels
    """

    by: Sequence[str]
    titles: tuple[str, str]
    x: str
    label: str
    lines: Sequence[FigureLine]
    places: tuple[str, str] = _NO_LINE
    levels: Sequence[tuple[str, float]] = ()
    uprights: Sequence[str] = ()
    bars: tuple[str, str] = _NO_LINE
    ends: Literal["same", "centred", "free"] = "free"
    counted: Sequence[str] = ()
    corner: tuple[str, str] = _NO_LINE
    corner_sign: str = ""
    when: str = "true"


@dataclass(frozen=True)
class FigureKey:
    """What a mark means: a line, a ring or a patch; `when` is an expression of all `rows`."""

    kind: Literal["line", "ring", "patch", "sign"]
    label: str
    colour: str = DARK_GREY
    mark: str = ""
    style: str = "-"
    alpha: float | None = None
    when: str = "true"


@dataclass(frozen=True)
class BarFigure:
    """Bars below each other, above the panels: macros and columns of `BarLine`.

    by      a bar for each of the values of these columns
    labels  macros of the lines of a label
    values  columns of the value, the ends of its interval, the sign, and how far both can reach
    right, told  macros, as of `BarLine`
    when    an expression of all `rows`: whether there are bars
    """

    by: Sequence[str]
    look: BarLook
    labels: Sequence[str]
    values: tuple[str, str, str, str, str]
    right: str
    told: tuple[str, str]
    key: Sequence[FigureKey]
    when: str = "true"

    def make_lines(self, shown: ResultFrame, text: ViewText) -> list[BarLine]:
        """The bars of some rows; none where they are not there."""
        if not text.decide(self.when, shown[0], rows=shown.rows):
            return []
        groups = [shown.take(numbers).rows for numbers in shown.groups(self.by).values()]
        return [
            BarLine(
                "\n".join(text.fill(macro, rows[0]) for macro in self.labels),
                BarValues(*(getattr(rows[0], name) for name in self.values)),
                text.fill(self.right, rows),
                tuple(text.fill(macro, rows[0]) for macro in self.told),
            )
            for rows in groups
        ]


@dataclass(frozen=True)
class LineFigure:
    """Lines of scores in panels, with what lines and marks mean, and notes below.

    about    a template of what the figure shows
    nothing  what to say where there is nothing to draw
    lines    columns that tell lines apart which each have a colour; `name` is the macro of what
             one is called, `choose` what to do about more than can be distinguished
    bars     what stands above
    least    inches that it is wide; `high`: inches beside panels, and for each line
    """

    about: str
    nothing: str
    panels: Sequence[FigurePanels]
    key: Sequence[FigureKey]
    least: float
    high: tuple[float, float]
    lines: Sequence[str] = ()
    name: str = ""
    choose: str = ""
    notes: str = ""
    bars: BarFigure | None = None
    key_columns: int = 1

    def draw(self, shown: ResultFrame, text: ViewText) -> Figure:
        """The panels of some rows; PlotProblem where there is nothing, or more lines than can be
        distinguished.
        """
        looks = self._list_looks(shown, text)
        drawn = [
            panel
            for declared in self.panels
            for panel in _PanelMaker(declared, self, shown, text, looks).panels()
        ]
        if not any(panel.ends for panel in drawn):
            raise PlotProblem(self.nothing)
        across = count_panels_abreast(len(drawn), MAX_PANELS_ABREAST, MIN_PANEL_INCHES)
        high, each = self.high
        tall = panel_height(across) * math.ceil(len(drawn) / across) + each * len(looks) + high
        bars = self.bars.make_lines(shown, text) if self.bars else []
        parts = [1.1 + 0.36 * len(bars)] * bool(bars) + [tall]
        size = max(0.5 + PANEL_INCHES * across, self.least), sum(parts)
        figure = make_figure(size, text.render(self.about, shown))
        place: Any = figure
        if self.bars:
            *first, place = figure.subfigures(len(parts), height_ratios=parts, squeeze=False).flat
            for part in first:
                draw_bar_lines(part, bars, self.bars.look)
                draw_legend(part, list(_list_signs(self.bars.key, shown, text)), 2)
        for axes, panel in zip(make_panels(place, len(drawn), across), drawn, strict=True):
            draw_line_panel(axes, panel)
        signs = [*looks.values(), *_list_signs(self.key, shown, text)]
        draw_legend(place, signs, self.key_columns, "upper")
        add_notes_below(figure, text.list_lines(self.notes, shown.rows))
        return figure

    def _list_looks(self, shown: ResultFrame, text: ViewText) -> dict[tuple[Any, ...], Line2D]:
        """How each line looks that has a colour of its own."""
        groups = shown.groups(self.lines) if self.lines else {}
        if len(groups) > _MOST_LINES:
            raise PlotProblem(
                f"a figure shows up to {_MOST_LINES} lines, and there are {len(groups)}:"
                f" {self.choose}"
            )
        names = [text.fill(self.name, shown[numbers[0]]) for numbers in groups.values()]
        return {
            line: make_legend_line(
                LINE_COLOURS[i % len(LINE_COLOURS)], name, "--" if i >= len(LINE_COLOURS) else "-",
                LINE_MARKERS[i % len(LINE_COLOURS)],
            )
            for i, (line, name) in enumerate(zip(groups, names, strict=True))
        }  # fmt: skip


@dataclass(frozen=True)
class _PanelMaker:
    """Makes the panels of a declaration of the rows of a figure."""

    declared: FigurePanels
    figure: LineFigure
    shown: ResultFrame
    text: ViewText
    looks: Mapping[tuple[Any, ...], Line2D]

    def panels(self) -> list[LinePanel]:
        """The panels in which there is a score."""
        declared, text = self.declared, self.text
        rows = self.shown.take(
            [k for k, row in enumerate(self.shown) if text.decide(declared.when, row)]
        )
        parts = [rows.take(numbers) for numbers in rows.groups(declared.by).values()]
        parts = [part for part in parts if self._scores(part, [x.score for x in declared.lines])]
        ends = self._ends(parts)
        return [self._panel(part, end) for part, end in zip(parts, ends, strict=True)]

    def _panel(self, part: ResultFrame, ends: tuple[float, float] | None) -> LinePanel:
        declared, text, first = self.declared, self.text, part[0]
        levels = [
            (text.decide(value, first, rows=part.rows), width) for value, width in declared.levels
        ]
        low, high = ends or (-math.inf, math.inf)
        bars, told = declared.bars
        known = [row for row in part if bars and not math.isnan(getattr(row, bars))]
        title, below_title = (text.fill(macro, first) for macro in declared.titles)
        return LinePanel(
            titles=(title, below_title),
            label=text.fill(declared.label, first),
            series=list(self._series(part)),
            places=self._places(first),
            levels=[(value, width) for value, width in levels if low <= value <= high],
            uprights=[
                place
                for expression in declared.uprights
                if not math.isnan(place := text.decide(expression, first))
            ],
            bars={
                getattr(row, declared.x): PanelBar(getattr(row, bars), text.fill(told, row))
                for row in known
            },
            ends=ends,
            corner=self._corner(part) if declared.corner != _NO_LINE else None,
        )

    def _series(self, part: ResultFrame) -> Iterator[LineSeries]:
        """The lines of a panel."""
        for line in self.declared.lines:
            for numbers in part.groups(line.by or self.figure.lines).values():
                series = self._line(line, part.take(numbers))
                if len(series.points) + (series.start is not None) >= line.least:
                    yield series

    def _line(self, line: FigureLine, rows: ResultFrame) -> LineSeries:
        decide, first = self.text.decide, rows[0]
        points: dict[float, LinePoint] = {}
        ring = start = None
        for row in rows:
            score = getattr(row, line.score)
            if math.isnan(score):
                continue
            low, high = (getattr(row, each) if each else score for each in (line.low, line.high))
            x = float(getattr(row, self.declared.x))
            point = LinePoint(x, score, low, high, self.text.fill(line.told, row))
            if decide(line.start, row):
                start = point
            else:
                points.setdefault(x, point)
            ring = point if decide(line.ring, row) else ring
        colour, mark = line.look
        own = (
            make_legend_line(colour, "", marker=mark)
            if colour
            else self.looks[self._line_of(first)]
        )
        level = decide(line.level, first)
        return LineSeries(
            own,
            sorted(points.values()),
            bool(line.low),
            math.nan if level is None else level,
            ring,
            start,
        )

    def _line_of(self, row: Any) -> tuple[Any, ...]:
        return tuple(getattr(row, name) for name in self.figure.lines)

    def _places(self, first: Any) -> dict[float, str]:
        """What places are called in the panel of a row."""
        macro, shared = self.declared.places
        if not macro:
            return {}
        same = self.shown.where(**{shared: getattr(first, shared)})
        return {float(getattr(row, self.declared.x)): self.text.fill(macro, row) for row in same}

    def _corner(self, part: ResultFrame) -> list[CornerText]:
        macro, bold = self.declared.corner
        rows = [part[numbers[0]] for numbers in part.groups(self.figure.lines).values()]
        texts = [(row, text) for row in rows if (text := self.text.fill(macro, row))]
        if not 0 < len(texts) <= _ROOM_FOR_TEXTS:
            return []
        return [
            CornerText(self.declared.corner_sign, DARK_GREY),
            *(
                CornerText(
                    text,
                    str(self.looks[self._line_of(row)].get_color()),
                    bool(self.text.decide(bold, row)),
                )
                for row, text in texts
            ),
        ]

    def _scores(self, part: ResultFrame, columns: Sequence[str]) -> list[float]:
        """What is known of some columns."""
        values = (value for name in columns if name for value in part.column(name))
        return [value for value in values if not math.isnan(value)]

    def _ends(self, parts: Sequence[ResultFrame]) -> list[tuple[float, float] | None]:
        """The lowest and the highest score that each panel shows."""
        lines = self.declared.lines
        columns = [name for x in lines for name in (x.low, x.score, x.high)]
        columns += self.declared.counted
        values = [self._scores(part, columns) for part in parts]
        if self.declared.ends == "free" or not parts:
            return [None] * len(parts)
        if self.declared.ends == "same":
            return [round_ends(value for each in values for value in each)] * len(parts)
        spans = [5 * math.ceil((max(each) - min(each)) / 5) for each in values]
        span = max(_LEAST_SPAN, *spans)
        starts = [math.floor((min(each) + max(each) - span) / 2) for each in values]
        return [(start, start + span) for start in starts]


def _list_signs(declared: Sequence[FigureKey], shown: ResultFrame, text: ViewText) -> Iterator[Any]:
    """What marks mean, for a legend."""
    from matplotlib.patches import Patch

    for one in declared:
        if not text.decide(one.when, shown[0], rows=shown.rows):
            continue
        if one.kind == "line":
            yield make_legend_line(one.colour, one.label, one.style, one.mark)
        elif one.kind == "patch":
            yield Patch(color=one.colour, label=one.label, alpha=one.alpha)
        else:
            made = make_legend_mark(one.mark, one.colour, one.label, one.kind == "ring")
            if one.kind == "ring":
                made.set_markersize(9)
            yield made
