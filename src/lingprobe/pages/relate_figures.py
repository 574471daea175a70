"""Correlations as figures: heat maps, between families with insignificant cells in grey and within
families of variants, and dots on their intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from lingprobe.analysis.relation import Correlation, Relation
from lingprobe.metrics.correlation import SYMBOLS
from lingprobe.tables.drawing import PlotProblem, tell
from lingprobe.tables.panels import (
    beneath,
    blank,
    cell,
    column_names,
    dot,
    fold_names,
    in_bands,
    label_columns,
    label_rows,
    map_height,
    room,
    row_height,
    scale,
    sign,
)
from lingprobe.tables.printing import printed_width
from lingprobe.tables.style import BEST, BLUE, GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

INSIGNIFICANT, FAINT = "#d8dde1", "#5f6b74"
ENDS = "#b23c28", "#f6f6f4", "#1b5896"  # of falling together, of nothing, of rising together
MOST = 80  # pairs that are drawn as dots
PANEL = 3.6  # inches of the dots


class Kind(NamedTuple):
    """A kind of heat map: what a cell shows, whether it is grey, what is said of it, and what grey
    means; '' where no cell can be.
    """

    value: Callable[[Correlation], float]
    faint: Callable[[Correlation], bool]
    said: Callable[[Correlation], str]
    grey: Callable[[Relation], str]


def heat(relation: Relation) -> Figure:
    """A cell for each pair, blue where two columns rise together, red where one falls; grey where
    that is not significant.
    """
    return _map(relation, BETWEEN)


def within(relation: Relation) -> Figure:
    """The same for the mean correlation within families of variants; grey where it is not of one
    sign in all of them.
    """
    if not any(one.groups for one in relation.found):
        raise PlotProblem(
            "no family has three variants, so there are no correlations within families to draw;"
            " define families with --within or --family"
        )
    return _map(relation, WITHIN)


def _map(relation: Relation, kind: Kind) -> Figure:
    """A heat map of all pairs."""
    names = [column.name for column in relation.table.columns]
    square = relation.across == relation.down
    down = [names[i] for i in relation.down[square:]]
    across = [names[j] for j in relation.across[: len(relation.across) - square]]
    if not down or not across:
        raise PlotProblem("nothing to draw: there is no pair of columns")
    labels, colours = fold_names(down, 1000), _colours()
    wide = max(room(labels) + 0.55 * len(across) + 0.6 * room(across[-1:]), 4.0)
    maps = in_bands(len(across), room(labels))
    # below the diagonal; columns further right begin further down
    rows = [labels[places.start if square else 0 :] for places in maps]
    tall = [map_height(across, mine, 0.27) for mine in rows]
    figure = blank((wide, sum(tall) + 0.7), _about(relation))
    every = list(figure.subplots(len(maps), 1, squeeze=False, height_ratios=tall).flat)
    for axes, places, mine in zip(every, maps, rows, strict=True):
        label_columns(axes, column_names([across[c] for c in places]), len(maps[0]))
        label_rows(axes, mine)
        _cells(axes, relation, kind, [across[c] for c in places], down[-len(mine) :])
    grey = kind.grey(relation)
    note = f"grey, italic: {grey}" if grey else UNTESTED
    scale(figure, every[-1], colours, (-1, "−1"), (1, "1"), note)
    return figure


def _cells(
    axes: Axes, relation: Relation, kind: Kind, across: Sequence[str], down: Sequence[str]
) -> None:
    """The pairs of some columns; of those that stand in rows and columns each pair once."""
    pairs = {(one.first, one.second): one for one in relation.found}
    colours, square = _colours(), relation.across == relation.down
    for (r, first), (c, second) in product(enumerate(down), enumerate(across)):
        one = pairs.get((first, second)) or pairs.get((second, first))
        if one and not (square and c > r):
            _cell(axes, one, kind, (c, r), colours)


UNTESTED = "without p values: too few families"


def _colours() -> Colormap:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("correlations", ENDS)


def _cell(
    axes: Axes, one: Correlation, kind: Kind, place: tuple[int, int], colours: Colormap
) -> None:
    value, grey = kind.value(one), kind.faint(one)
    if math.isnan(value):
        return
    looks: dict[str, Any] = {"color": FAINT, "style": "italic"} if grey else {}
    text = f"{round(value, 2) + 0:.2f}".replace("-", "−")
    fill = INSIGNIFICANT if grey else colours((value + 1) / 2)
    patch, _ = cell(axes, place, text, fill, **looks)
    tell(patch, kind.said(one))


def describe_correlation(one: Correlation) -> str:
    """A pair in words, for a pointer."""
    interval = "" if math.isnan(one.low) else f" ({one.low:.2f} – {one.high:.2f})"
    p = "" if math.isnan(one.p) else f", p = {one.corrected:.2g} corrected"
    return f"{one.first}, {one.second}: {one.correlation:.2f}{interval}{p}, n = {one.n:,}"


def _signs(one: Correlation) -> str:
    """A pair within families in words, for a pointer."""
    return (
        f"{one.first}, {one.second}: {one.within:.2f} within {one.groups:,} families, positive in"
        f" {one.positive:,} and negative in {one.negative:,}"
    )


def _untold(relation: Relation) -> str:
    tested = any(not math.isnan(one.p) for one in relation.found)
    return "not significant (corrected)" if tested else ""


BETWEEN = Kind(
    lambda one: one.correlation,
    lambda one: not math.isnan(one.p) and not one.is_significant,
    describe_correlation,
    _untold,
)
WITHIN = Kind(
    lambda one: one.within,
    lambda one: bool(one.positive and one.negative),
    _signs,
    lambda relation: "sign differs between families",
)


def dots(relation: Relation) -> Figure:
    """A dot on its interval for each pair, the strongest on top; grey where it is not
    significant.
    """
    known = [one for one in relation.found if not math.isnan(one.correlation)]
    if not 0 < len(known) <= MOST:
        raise PlotProblem(
            f"dots show up to {MOST} pairs, and there are {len(known):,}: choose some with --rows"
            " and --columns, or draw a heat map"
        )
    known.sort(key=lambda one: -one.correlation)
    names = fold_names([f"{one.first}, {one.second}" for one in known], 1000)
    size = room(names) + PANEL + 0.7, 0.7 + row_height(names) * len(known)
    figure = blank(size, _about(relation))
    axes = figure.subplots()
    draw_correlation_scale(axes, names)
    for place, one in enumerate(known):
        is_weak = not (one.is_significant or math.isnan(one.p))
        colour = BEST if one.is_significant else GREY if is_weak else BLUE
        dot(
            axes,
            place,
            (one.correlation, one.low, one.high),
            sign("o", colour, hollow=is_weak),
            describe_correlation(one),
        )
    right = axes.secondary_yaxis("right")
    right.set_yticks(range(len(known)), [f"n = {one.n:,}" for one in known])
    right.tick_params(labelcolor=GREY)
    right.spines[:].set_visible(False)
    beneath(figure, axes, "filled: significant after correction; lines: 95 % intervals")
    return figure


def draw_correlation_scale(axes: Axes, names: Sequence[str]) -> None:
    """A scale of correlations, with names at the left."""
    axes.set_xlim(-1.03, 1.03)
    axes.set_xticks([-1, -0.5, 0, 0.5, 1] if printed_width() is None else [-1, 0, 1])
    axes.axvline(0, color=GREY, lw=0.9)
    label_rows(axes, names)


def _about(relation: Relation) -> str:
    unit = "families" if relation.families else "encoders"
    many = max((one.n for one in relation.found), default=0)
    return (
        f"Correlations ({SYMBOLS[relation.asked.method]}) between"
        f" {len({*relation.across, *relation.down})} columns of scores over {many} {unit}."
    )


CHARTS: Mapping[str, Callable[[Relation], Figure]] = {
    "heat": heat,
    "within": within,
    "dots": dots,
}
