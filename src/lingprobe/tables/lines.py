"""Lines of scores over bands of their intervals, in panels beside each other: what a panel has, and
how it is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from lingprobe.tables.drawing import PlotProblem, set_tooltip
from lingprobe.tables.panels import (
    BOLD_LETTER_INCHES,
    LETTER_INCHES,
    MAX_NAME_WIDTH_SHARE,
    break_text,
    by_width,
    label_rows,
    make_legend_mark,
    mark_point,
    shorten_name,
)
from lingprobe.tables.printing import printed_width
from lingprobe.tables.style import BEST_COLOUR, CHART_BLUE, DARK_GREY, INK_COLOUR, PALE_GREY

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import SubFigure
    from matplotlib.lines import Line2D

MAX_PANELS_ABREAST = 3  # panels beside each other
PANEL_INCHES, _TALL = 2.6, 2.2  # inches of a panel
MIN_PANEL_INCHES, _LOW = 1.4, 1.6  # of one on paper, at least
_TITLE = 27  # letters above it
_WEIGHTS = 0.2  # of a panel, for the bars at its bottom
_RING = "best"
_BAR_LABEL = 36  # letters of what is beside a bar


class LinePoint(NamedTuple):
    """A score on its interval, percent, at a place from left to right, and what a pointer reads."""

    x: float
    score: float
    low: float
    high: float
    told: str


@dataclass(frozen=True)
class LineSeries:
    """A line of scores.

    is_banded  whether there are intervals
    level      a value for comparison, as a dashed line of its colour; NaN for none
    ring       the point that is ringed
    start      a point that stands apart, before the others
    """

    look: Line2D
    points: Sequence[LinePoint]
    is_banded: bool = True
    level: float = math.nan
    ring: LinePoint | None = None
    start: LinePoint | None = None


class PanelBar(NamedTuple):
    """A bar at the bottom of a panel, of any unit, and what a pointer reads."""

    height: float
    told: str


class CornerText(NamedTuple):
    """A text at the right above a panel."""

    text: str
    colour: str
    is_bold: bool = False


@dataclass(frozen=True)
class LinePanel:
    """What a panel has.

    titles    the title, and a line below it that is not as loud
    label     what stands below
    places    what places from left to right are called, as far as there is room; whole numbers
              without
    levels    values for comparison, as grey dashed lines of these widths
    uprights  places that are pointed out
    bars      at the bottom, by place
    ends      the lowest and the highest score that is shown
    corner    at the right above; None where there is no room for any
    """

    titles: tuple[str, str]
    label: str
    series: Sequence[LineSeries]
    places: Mapping[float, str] = field(default_factory=dict)
    levels: Sequence[tuple[float, float]] = ()
    uprights: Sequence[float] = ()
    bars: Mapping[float, PanelBar] = field(default_factory=dict)
    ends: tuple[float, float] | None = None
    corner: Sequence[CornerText] | None = None


class BarValues(NamedTuple):
    """A bar with its interval, NaN for none; a sign at another place; how far both can reach."""

    value: float
    low: float
    high: float
    sign: float
    last: float


class BarLine(NamedTuple):
    """A bar with its label, a text at the right, and what a pointer reads of bar and sign."""

    label: str
    values: BarValues
    right: str
    told: Sequence[str]


class BarLook(NamedTuple):
    """The title above bars at the left, which a caption has on paper, and that at the right; what
    stands in place of a bar, and on paper.
    """

    title: str
    right: str
    none: str
    none_on_paper: str


def draw_line_panel(axes: Axes, panel: LinePanel) -> None:
    """Draw a panel."""
    is_raised = panel.corner is not None and printed_width() is not None
    draw_title(axes, panel.titles, int(is_raised))
    _draw_corner(axes, panel.corner or ())
    axes.set_xlabel(panel.label)
    if panel.places:
        _name_places(axes, panel.places)
    else:
        whole_numbers(axes)
    for value, width in panel.levels:
        if not math.isnan(value):
            axes.axhline(value, color=DARK_GREY, ls="--", lw=width)
    for place in panel.uprights:
        axes.axvline(place, color=BEST_COLOUR, ls="--", lw=0.8)
    for series in panel.series:
        _draw_series(axes, series)
    if panel.ends:
        draw_bars(axes, panel.bars, panel.ends)


def _draw_series(axes: Axes, series: LineSeries) -> None:
    look, start, colour = series.look, series.start, series.look.get_color()
    if not math.isnan(series.level):
        axes.axhline(series.level, color=colour, ls="--", lw=0.9)
    draw_band(axes, series.points, look, series.is_banded)
    if series.ring:
        place = series.ring.x, series.ring.score
        axes.plot(*place, "o", mfc="none", color=colour, ms=9, mew=1.4, gid=_RING)
    if start:
        if series.points:
            first = series.points[0]
            places, scores = [start.x, first.x], [start.score, first.score]
            axes.plot(places, scores, color=colour, ls="--", lw=1)
        mark_point(axes, (start.x, start.score), make_legend_mark("o", colour), start.told)


def draw_band(
    axes: Axes, points: Sequence[LinePoint], look: Line2D, is_banded: bool = True
) -> None:
    """A line of scores over a band of their intervals."""
    known = sorted(one for one in points if not math.isnan(one.score))
    sure = [one for one in known if not math.isnan(one.low)]
    colour, places = look.get_color(), [one.x for one in known]
    if is_banded:
        ends = [one.low for one in sure], [one.high for one in sure]
        axes.fill_between([one.x for one in sure], *ends, color=colour, alpha=0.18, lw=0)
    axes.plot(places, [one.score for one in known], color=colour, ls=look.get_linestyle())
    mark = make_legend_mark(look.get_marker(), colour)
    mark.set_markersize(3.5)
    for one in known:
        mark_point(axes, (one.x, one.score), mark, one.told)


class IntervalScore(Protocol):
    """A score with its interval."""

    @property
    def score(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


def make_points(
    scores: Mapping[float, IntervalScore], name: str, places: Mapping[float, str]
) -> list[LinePoint]:
    """The points of a line of this name, at places of these names."""
    return [
        LinePoint(
            *(x, one.score, one.low, one.high),
            f"{name}, {places[x]}: {one.score:.1f} ({one.low:.1f} – {one.high:.1f})",
        )
        for x, one in scores.items()
    ]


def round_ends(values: Iterable[float]) -> tuple[float, float]:
    """From and to a multiple of ten, with all values inside that are known; PlotProblem where none
    is.
    """
    known = [value for value in values if not math.isnan(value)]
    if not known:
        raise PlotProblem("nothing to draw: there is no score")
    low, high = 10 * math.floor(min(known) / 10), 10 * math.ceil(max(known) / 10)
    return low, max(high, low + 10)


def draw_bars(axes: Axes, bars: Mapping[float, PanelBar], span: tuple[float, float]) -> None:
    """Bars below the scores, on a scale of their own."""
    low, high = span
    axes.set_ylim(low - (high - low) * _WEIGHTS / (1 - _WEIGHTS) if bars else low, high)
    if not bars:
        return
    axes.set_yticks([tick for tick in _ticks(axes, span) if low <= tick <= high])
    most = max(bar.height for bar in bars.values())
    parts = [_WEIGHTS * bar.height / most for bar in bars.values()]
    shares = axes.get_xaxis_transform()  # of the height
    drawn = axes.bar([*bars], parts, 0.6, color=PALE_GREY, transform=shares, zorder=1)
    for patch, bar in zip(drawn, bars.values(), strict=True):
        set_tooltip(patch, bar.told)


def draw_bar_lines(figure: SubFigure, lines: Sequence[BarLine], look: BarLook) -> None:
    """Bars below each other."""
    axes = figure.subplots()
    if printed_width() is None:
        axes.set_title(look.title)
    most = by_width(_BAR_LABEL, MAX_NAME_WIDTH_SHARE)
    label_rows(
        axes, ["\n".join(shorten_name(t, most) for t in one.label.split("\n")) for one in lines]
    )
    axes.set_xlim(0, max(1, *(one.values.last for one in lines)))
    whole_numbers(axes)
    for place, one in enumerate(lines):
        _draw_bar_line(axes, place, one, look)
    right = axes.secondary_yaxis("right")
    right.set_yticks(range(len(lines)), [one.right for one in lines])
    right.spines[:].set_visible(False)
    axes.set_title(look.right, loc="right", fontsize=8, fontweight="normal", color=DARK_GREY)


def _draw_bar_line(axes: Axes, place: int, one: BarLine, look: BarLook) -> None:
    """A bar with its interval, or that there is none."""
    value, low, high, mark, last = one.values
    if math.isnan(value):
        at, is_right = 0.0 if math.isnan(mark) else mark, mark > last / 2
        none = look.none if printed_width() is None else look.none_on_paper
        axes.annotate(
            none, (at, place), (-6 if is_right else 6, 0), va="center",
            textcoords="offset points", ha="right" if is_right else "left",
            color=DARK_GREY, fontsize=8,
        )  # fmt: skip
    else:
        (bar,) = axes.barh(place, value, 0.45, color=CHART_BLUE, alpha=0.5)
        set_tooltip(bar, one.told[0])
        if not math.isnan(low):
            axes.hlines(place, low, high, colors=INK_COLOUR, linewidth=1.4)
    if not math.isnan(mark):
        mark_point(axes, (mark, place), make_legend_mark("D", BEST_COLOUR), one.told[1])


def _ticks(axes: Axes, span: tuple[float, float]) -> Sequence[float]:
    """Numbers beside a panel, of which a low one on paper has room for few."""
    from matplotlib.ticker import MaxNLocator

    if printed_width() is None:
        return list(axes.get_yticks())
    return list(MaxNLocator(4).tick_values(*span))


def panel_height(across: int) -> float:
    """Inches of a panel, which on paper is lower where it is narrow."""
    wide = printed_width()
    return _TALL if wide is None else max(_LOW, min(_TALL, _TALL / PANEL_INCHES * wide / across))


def draw_title(axes: Axes, title: tuple[str, str], raised: int = 0) -> None:
    """A title, with a line below it that is not as loud, both as long as a panel is wide; `raised`
    leaves so many lines free below.
    """
    place = axes.get_subplotspec()
    across = place.get_gridspec().ncols if place else MAX_PANELS_ABREAST
    first, second = (
        shorten_name(title[0], _TITLE * MAX_PANELS_ABREAST // across),
        shorten_name(title[1], (_TITLE + 8) * MAX_PANELS_ABREAST // across),
    )
    if (wide := printed_width()) is not None:
        first, second = (
            break_text(title[0], 0.88 * wide / across, BOLD_LETTER_INCHES),
            break_text(title[1], 0.88 * wide / across),
        )
    rise = 4 + 10 * raised
    axes.set_title(first, pad=rise + 11 + 10 * second.count("\n"))
    axes.annotate(
        second, (0, 1), (0, rise), xycoords="axes fraction",
        textcoords="offset points", color=DARK_GREY, fontsize=8,
    )  # fmt: skip


def _draw_corner(axes: Axes, texts: Sequence[CornerText]) -> None:
    from matplotlib.offsetbox import AnchoredOffsetbox, HPacker, TextArea

    if not texts:
        return
    looks: list[dict[str, Any]] = [
        {"color": one.colour, "size": 8, "weight": "bold" if one.is_bold else "normal"}
        for one in texts
    ]
    pairs = zip(texts, looks, strict=True)
    areas: list[Artist] = [TextArea(one.text, textprops=look) for one, look in pairs]
    axes.add_artist(
        AnchoredOffsetbox(
            "lower right", child=HPacker(children=areas, sep=5, pad=0), frameon=False, pad=0,
            borderpad=0.2, bbox_to_anchor=(1, 1), bbox_transform=axes.transAxes,
        )
    )  # fmt: skip


def _name_places(axes: Axes, places: Mapping[float, str]) -> None:
    """Names of places below a panel, as many as there is room for; the last is always there."""
    order = sorted(places)
    first, last = order[0], order[-1]
    shown: list[float] = []
    for x in reversed(order):
        letters = len(places[x]) + (len(places[shown[-1]]) if shown else 0)
        free = (last - first) * (0.02 + LETTER_INCHES / PANEL_INCHES / 2 * letters)
        if not shown or shown[-1] - x >= free:
            shown.append(x)
    axes.set_xticks(shown, [places[x] for x in shown])
    if first == last:
        axes.set_xlim(first - 0.5, first + 0.5)


def whole_numbers(axes: Axes) -> None:
    """Whole numbers below."""
    from matplotlib.ticker import MaxNLocator

    nbins = 13 if printed_width() is None else 5
    axes.xaxis.set_major_locator(MaxNLocator(nbins=nbins, integer=True))
