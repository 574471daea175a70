"""Figures: where in an encoder tasks are solved, and scores by distance."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from lingprobe.analysis.answers import differences
from lingprobe.analysis.layers import Depth
from lingprobe.analysis.row import ResultRow
from lingprobe.pages.captions import shorten_task
from lingprobe.pages.scores import test_notes
from lingprobe.tables.drawing import PlotProblem, tell
from lingprobe.tables.panels import (
    BOLD,
    LETTER,
    NAMES,
    ROW,
    abreast,
    below,
    blank,
    by_width,
    cut,
    fold,
    key,
    label_rows,
    panels,
    point,
    room,
    sign,
    stroke,
)
from lingprobe.tables.printing import printed_width
from lingprobe.tables.style import BEST, BLUE, COLOURS, GREY, INK, MARKERS, PALE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

ACROSS = 3  # panels beside each other
WIDE, TALL = 2.6, 2.2  # inches of a panel
NARROW, LOW = 1.4, 1.6  # of one on paper, at least
TITLE = 27  # letters above it
NAME = 36  # letters of a task beside the overview
WEIGHTS = 0.2  # of a panel, for the bars at its bottom
ALONE, LEXICAL = "alone", "lexical (dashed)"
MIX = "mix of 0 to here; upright: its expected layer"


def layers_figure(depths: Sequence[Depth]) -> Figure:
    """The overview (expected layer and centre of gravity of each task) above each task's curves
    over layers; PlotProblem where there is nothing.
    """
    if not depths:
        raise PlotProblem("nothing to draw: no task was measured on several layers")
    mixed = any(depth.is_mixed for depth in depths)
    across = abreast(len(depths), ACROSS, NARROW)
    parts = [1.1 + 0.36 * len(depths)] * mixed
    parts += [0.4 + panel_height(across) * math.ceil(len(depths) / across)]
    about = f"Where {', '.join(shorten_task(depth.task) for depth in depths)} by layer."
    figure = blank((max(0.5 + WIDE * across, 7.4), sum(parts)), about)
    *first, last = figure.subfigures(len(parts), height_ratios=parts, squeeze=False).flat
    for part in first:
        _overview(part, depths)
    span = _range([row for depth in depths for row in depth.rows])
    for axes, depth in zip(panels(last, len(depths), across), depths, strict=True):
        _curves(axes, depth, span)
    key(last, list(_key(mixed)), 4, "upper")
    below(figure, [t for d in depths for t in differences(d.rows, ", ".join(_label(d)))])
    return figure


def _label(depth: Depth) -> tuple[str, str]:
    return shorten_task(depth.task), shorten_task(depth.encoder)


def _key(mixed: bool) -> Iterator[Any]:
    """What lines and bars mean."""
    from matplotlib.patches import Patch

    yield stroke(BLUE, ALONE, marker="o")
    if mixed:
        yield stroke(BEST, MIX, marker="s")
    yield stroke(GREY, LEXICAL, "--")
    if mixed:
        yield Patch(color=PALE, label="weight in the mix")


def _overview(part: SubFigure, depths: Sequence[Depth]) -> None:
    """A line for each task: a bar to the expected layer with its interval, a diamond at the centre
    of gravity, and at the right what the mix adds.
    """
    from matplotlib.patches import Patch

    axes = part.subplots()
    if printed_width() is None:  # on paper the caption says it
        axes.set_title("Scores by layer")
    most = by_width(NAME, NAMES)
    label_rows(axes, ["\n".join(cut(text, most) for text in _label(depth)) for depth in depths])
    axes.set_xlim(0, max(1, *(depth.layers[-1] for depth in depths)))
    whole_numbers(axes)
    for place, depth in enumerate(depths):
        _draw_expected_layer(axes, place, depth)
    right = axes.secondary_yaxis("right")
    right.set_yticks(range(len(depths)), list(map(_gain, depths)))
    right.spines[:].set_visible(False)
    axes.set_title("layer 0 → mix", loc="right", fontsize=8, fontweight="normal", color=GREY)
    bar = Patch(color=BLUE, alpha=0.5, label="expected layer, with its interval")
    key(part, [bar, sign("D", BEST, "centre of gravity of the mix")], 2)


def _gain(depth: Depth) -> str:
    """The scores of layer 0 and of the mix of all."""
    ends = depth.cumulative.get(0), depth.cumulative.get(depth.layers[-1])
    return " → ".join(f"{row.score:.1f}" for row in ends if row)


def whole_numbers(axes: Axes) -> None:
    """Whole numbers below."""
    from matplotlib.ticker import MaxNLocator

    nbins = 13 if printed_width() is None else 5
    axes.xaxis.set_major_locator(MaxNLocator(nbins=nbins, integer=True))


def _draw_expected_layer(axes: Axes, place: int, depth: Depth) -> None:
    """A bar to the expected layer with its interval, or that there is none."""
    expected, gravity = depth.expected, depth.gravity.value
    if math.isnan(expected.layer):
        at, is_right = 0.0 if math.isnan(gravity) else gravity, gravity > depth.layers[-1] / 2
        none = "no expected layer" if printed_width() is None else "none"
        axes.annotate(
            none, (at, place), (-6 if is_right else 6, 0), va="center",
            textcoords="offset points", ha="right" if is_right else "left", color=GREY, fontsize=8,
        )  # fmt: skip
    else:
        (bar,) = axes.barh(place, expected.layer, 0.45, color=BLUE, alpha=0.5)
        tell(bar, f"expected layer: {expected.layer:.2f}")
        if not math.isnan(expected.low):
            axes.hlines(place, expected.low, expected.high, colors=INK, linewidth=1.4)
    if not math.isnan(gravity):
        point(axes, (gravity, place), sign("D", BEST), f"centre of gravity: {gravity:.2f}")


def _range(rows: Sequence[ResultRow]) -> tuple[float, float]:
    """From and to a multiple of ten, with all intervals inside."""
    every = (value for row in rows for value in (row.low, row.high, row.score))
    ends = [value for value in every if not math.isnan(value)]
    if not ends:
        raise PlotProblem("nothing to draw: no layer has a score")
    low, high = 10 * math.floor(min(ends) / 10), 10 * math.ceil(max(ends) / 10)
    return low, max(high, low + 10)


def panel_height(across: int) -> float:
    """Inches of a panel, which on paper is lower where it is narrow."""
    wide = printed_width()
    return TALL if wide is None else max(LOW, min(TALL, TALL / WIDE * wide / across))


def draw_title(axes: Axes, title: tuple[str, str], raised: int = 0) -> None:
    """A title, with a line below it that is not as loud, both as long as a panel is wide; `raised`
    leaves so many lines free below.
    """
    place = axes.get_subplotspec()
    across = place.get_gridspec().ncols if place else ACROSS
    first, second = (
        cut(title[0], TITLE * ACROSS // across),
        cut(title[1], (TITLE + 8) * ACROSS // across),
    )
    if (wide := printed_width()) is not None:
        first, second = (
            fold(title[0], 0.88 * wide / across, BOLD),
            fold(title[1], 0.88 * wide / across),
        )
    rise = 4 + 10 * raised
    axes.set_title(first, pad=rise + 11 + 10 * second.count("\n"))
    axes.annotate(
        second, (0, 1), (0, rise), xycoords="axes fraction",
        textcoords="offset points", color=GREY, fontsize=8,
    )  # fmt: skip


def _curves(axes: Axes, depth: Depth, span: tuple[float, float]) -> None:
    """Scores of single layers and of growing mixes with bands, word embeddings as a line, weights
    as bars at the bottom.
    """
    draw_title(axes, _label(depth))
    axes.set_xlabel("layer")
    whole_numbers(axes)
    if depth.lexical is not None:
        axes.axhline(depth.lexical.score, color=GREY, ls="--", lw=1)
    if not math.isnan(depth.expected.layer):
        axes.axvline(depth.expected.layer, color=BEST, ls="--", lw=0.8)
    for rows, look in (
        (depth.single, stroke(BLUE, ALONE, marker="o")),
        (depth.cumulative, stroke(BEST, "mix of 0 to here", marker="s")),
    ):
        if len(rows) > 1:
            band(axes, {float(layer): row for layer, row in rows.items()}, look)
    told = [f"weight of layer {i}: {weight:.3f}" for i, weight in enumerate(depth.weights)]
    _bars(axes, dict(enumerate(depth.weights)), told, span)


def _bars(
    axes: Axes, tall: Mapping[int, float], told: Sequence[str], span: tuple[float, float]
) -> None:
    """Bars below the scores, on a scale of their own."""
    low, high = span
    axes.set_ylim(low - (high - low) * WEIGHTS / (1 - WEIGHTS) if tall else low, high)
    if not tall:
        return
    axes.set_yticks([tick for tick in _ticks(axes, span) if low <= tick <= high])
    parts = [WEIGHTS * value / max(tall.values()) for value in tall.values()]
    shares = axes.get_xaxis_transform()  # of the height
    bars = axes.bar([*tall], parts, 0.6, color=PALE, transform=shares, zorder=1)
    for bar, text in zip(bars, told, strict=True):
        tell(bar, text)


def _ticks(axes: Axes, span: tuple[float, float]) -> Sequence[float]:
    """Numbers beside a panel, of which a low one on paper has room for few."""
    from matplotlib.ticker import MaxNLocator

    if printed_width() is None:
        return list(axes.get_yticks())
    return list(MaxNLocator(4).tick_values(*span))


def band(
    axes: Axes,
    rows: Mapping[float, ResultRow],
    look: Line2D,
    said: Callable[[float], str] = "{:g}".format,
) -> None:
    """A line of scores over a band of their intervals; `said` is what a place across is called."""
    known = sorted(x for x, row in rows.items() if not math.isnan(row.score))
    sure = [x for x in known if not math.isnan(rows[x].low)]
    ends = [rows[x].low for x in sure], [rows[x].high for x in sure]
    colour = look.get_color()
    axes.fill_between(sure, *ends, color=colour, alpha=0.18, lw=0)
    axes.plot(known, [rows[x].score for x in known], color=colour, ls=look.get_linestyle())
    mark = sign(look.get_marker(), colour)
    mark.set_markersize(3.5)
    for x in known:
        row = rows[x]
        told = f"{look.get_label()}, {said(x)}: {row.score:.1f} ({row.low:.1f} – {row.high:.1f})"
        point(axes, (x, row.score), mark, told)


def strata_figure(rows: Sequence[ResultRow], stratum: str) -> Figure:
    """Scores by a stratum with bands of their 95 % intervals, and bars of how many examples there
    are, a panel for each task; PlotProblem where there is nothing.
    """
    plain = [row for row in rows if row.control == "none"]
    if not plain:
        raise PlotProblem("nothing to draw: no row without a control")
    names = list(dict.fromkeys(map(_name_line, plain)))
    looks = {
        name: stroke(COLOURS[i % len(COLOURS)], name, marker=MARKERS[i % len(MARKERS)])
        for i, name in enumerate(names)
    }
    tasks = list(dict.fromkeys(row.task for row in plain))
    across = abreast(len(tasks), 2, NARROW)
    about = f"Scores of {', '.join(map(shorten_task, tasks))} by {stratum}."
    wide = max(3.4 * across, 1 + room(names))
    down = math.ceil(len(tasks) / across)
    figure = blank((wide, (0.4 + panel_height(across)) * down + 0.2 * len(names)), about)
    for axes, task in zip(panels(figure, len(tasks), across), tasks, strict=True):
        _by_stratum(axes, [row for row in plain if row.task == task], stratum, looks)
    key(figure, [*looks.values()], 1, "upper")
    below(figure, test_notes(plain))
    return figure


def _by_stratum(
    axes: Axes, rows: Sequence[ResultRow], stratum: str, looks: Mapping[str, Line2D]
) -> None:
    """One task: how many examples each value has as bars, and the scores above."""
    values = {value: i for i, value in enumerate(dict.fromkeys(r.stratum for r in rows))}
    draw_title(
        axes,
        (shorten_task(rows[0].task), f"{rows[0].metric.partition(',')[0]}; bars: test examples"),
    )
    lines = defaultdict[str, dict[float, ResultRow]](dict)
    for row in rows:
        lines[_name_line(row)][values[row.stratum]] = row
    for name, mine in lines.items():
        band(axes, mine, looks[name], said=lambda x: [*values][int(x)])
    counts = {values[row.stratum]: row.n for row in rows}
    _bars(axes, counts, [f"{n:,} test examples" for n in counts.values()], _range(rows))
    _categories(axes, [*values])
    axes.set_xlabel(stratum)


def _categories(axes: Axes, values: Sequence[str]) -> None:
    """Names below, slanted where they need more room than there is."""
    place, paper = axes.get_subplotspec(), printed_width()
    across = place.get_gridspec().ncols if place else 1
    wide = WIDE if paper is None else paper / across - 0.4
    step = math.ceil(len(values) / (16 if paper is None else max(2, int(wide / ROW))))
    is_wide = LETTER * sum(map(len, chain(values[::step]))) + 0.1 * len(values) > wide
    slant: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    looks = slant if is_wide else {}
    shown = [cut(value, 16) for value in values[::step]]
    axes.set_xticks(range(0, len(values), step), shown, **looks)
    axes.set_xlim(-0.5, len(values) - 0.5)


def _name_line(row: ResultRow) -> str:
    layer = "" if row.layer == "-" else f", {row.layer}"
    return f"{row.encoder}{layer}, {row.probe}"
