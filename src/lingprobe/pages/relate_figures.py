"""Correlations as figures: heat maps, between families with insignificant cells in grey and within
families of variants, and dots on their intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from lingprobe.analysis.relation import Correlation, CorrelationTable
from lingprobe.metrics.correlation import CORRELATION_SYMBOLS
from lingprobe.tables.drawing import PlotProblem
from lingprobe.tables.heat import HeatCell, HeatLook, HeatMap, draw_heat_maps
from lingprobe.tables.panels import (
    draw_dot,
    draw_note_below,
    fold_names,
    label_rows,
    make_figure,
    make_legend_mark,
    measure_names,
    row_height,
)
from lingprobe.tables.printing import printed_width
from lingprobe.tables.style import BEST_COLOUR, CHART_BLUE, DARK_GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ENDS = "#b23c28", "#f6f6f4", "#1b5896"  # of falling together, of nothing, of rising together
_MOST = 80  # pairs that are drawn as dots
_PANEL = 3.6  # inches of the dots


class HeatMapKind(NamedTuple):
    """A kind of heat map: what a cell shows, whether it is grey, what is said of it, and what grey
    means; '' where no cell can be.
    """

    value: Callable[[Correlation], float]
    faint: Callable[[Correlation], bool]
    said: Callable[[Correlation], str]
    grey: Callable[[CorrelationTable], str]


def draw_correlation_heat(relation: CorrelationTable) -> Figure:
    """A cell for each pair, blue where two columns rise together, red where one falls; grey where
    that is not significant.
    """
    return _map(relation, _BETWEEN)


def draw_family_heat(relation: CorrelationTable) -> Figure:
    """The same for the mean correlation within families of variants; grey where it is not of one
    sign in all of them.
    """
    if not any(one.groups for one in relation.found):
        raise PlotProblem(
            "no family has three variants, so there are no correlations within families to draw;"
            " define families with --within or --family"
        )
    return _map(relation, _WITHIN)


def _map(relation: CorrelationTable, kind: HeatMapKind) -> Figure:
    """A heat map of all pairs; of columns that stand in rows, too, the half below the diagonal."""
    names = [column.name for column in relation.table.columns]
    square = relation.across == relation.down
    down = [names[i] for i in relation.down[square:]]
    across = [names[j] for j in relation.across[: len(relation.across) - square]]
    if not down or not across:
        raise PlotProblem("nothing to draw: no pair of columns")
    pairs = {(one.first, one.second): one for one in relation.found}
    cells = [
        _build_heat_cell(
            first, second, pairs.get((first, second)) or pairs.get((second, first)), kind
        )
        for (r, first), (c, second) in product(enumerate(down), enumerate(across))
        if not (square and c > r)
    ]
    grey = kind.grey(relation)
    note = f"grey, italic: {grey}" if grey else _UNTESTED
    return draw_heat_maps(
        [HeatMap("", cells)],
        HeatLook(_about(relation), _ENDS, wide=0.57, ends=("−1", "1"), note=note),
    )


_UNTESTED = "without p values: too few families"


def _build_heat_cell(row: str, column: str, one: Correlation | None, kind: HeatMapKind) -> HeatCell:
    value = math.nan if one is None else kind.value(one)
    if one is None or math.isnan(value):
        return HeatCell(row, column, "", math.nan)
    text = f"{round(value, 2) + 0:.2f}".replace("-", "−")
    return HeatCell(
        row, column, text, (value + 1) / 2, is_faint=kind.faint(one), told=kind.said(one)
    )


def describe_correlation(pair: Correlation) -> str:
    """A pair in words, for a pointer."""
    interval = "" if math.isnan(pair.low) else f" ({pair.low:.2f} – {pair.high:.2f})"
    p = "" if math.isnan(pair.p) else f", p = {pair.corrected:.2g} corrected"
    return f"{pair.first}, {pair.second}: {pair.correlation:.2f}{interval}{p}, n = {pair.n:,}"


def _describe_family_pair(one: Correlation) -> str:
    """A pair within families in words, for a pointer."""
    return (
        f"{one.first}, {one.second}: {one.within:.2f} within {one.groups:,} families, positive in"
        f" {one.positive:,} and negative in {one.negative:,}"
    )


def _untold(relation: CorrelationTable) -> str:
    tested = any(not math.isnan(one.p) for one in relation.found)
    return "not significant (corrected)" if tested else ""


_BETWEEN = HeatMapKind(
    lambda one: one.correlation,
    lambda one: not math.isnan(one.p) and not one.is_significant,
    describe_correlation,
    _untold,
)
_WITHIN = HeatMapKind(
    lambda one: one.within,
    lambda one: bool(one.positive and one.negative),
    _describe_family_pair,
    lambda relation: "sign differs between families",
)


def draw_correlation_dots(relation: CorrelationTable) -> Figure:
    """A dot on its interval for each pair, the strongest on top; grey where it is not
    significant.
    """
    known = [one for one in relation.found if not math.isnan(one.correlation)]
    if not 0 < len(known) <= _MOST:
        raise PlotProblem(
            f"dots show up to {_MOST} pairs, and there are {len(known):,}: choose some with --rows"
            " and --columns, or draw a heat map"
        )
    known.sort(key=lambda one: -one.correlation)
    names = fold_names([f"{one.first}, {one.second}" for one in known], 1000)
    size = measure_names(names) + _PANEL + 0.7, 0.7 + row_height(names) * len(known)
    figure = make_figure(size, _about(relation))
    axes = figure.subplots()
    draw_correlation_scale(axes, names)
    for place, one in enumerate(known):
        is_weak = not (one.is_significant or math.isnan(one.p))
        colour = BEST_COLOUR if one.is_significant else DARK_GREY if is_weak else CHART_BLUE
        draw_dot(
            axes,
            place,
            (one.correlation, one.low, one.high),
            make_legend_mark("o", colour, hollow=is_weak),
            describe_correlation(one),
        )
    right = axes.secondary_yaxis("right")
    right.set_yticks(range(len(known)), [f"n = {one.n:,}" for one in known])
    right.tick_params(labelcolor=DARK_GREY)
    right.spines[:].set_visible(False)
    draw_note_below(figure, axes, "filled: significant after correction; lines: 95 % intervals")
    return figure


def draw_correlation_scale(axes: Axes, names: Sequence[str]) -> None:
    """A scale of correlations, with names at the left."""
    axes.set_xlim(-1.03, 1.03)
    axes.set_xticks([-1, -0.5, 0, 0.5, 1] if printed_width() is None else [-1, 0, 1])
    axes.axvline(0, color=DARK_GREY, lw=0.9)
    label_rows(axes, names)


def _about(relation: CorrelationTable) -> str:
    unit = "families" if relation.families else "encoders"
    many = max((one.n for one in relation.found), default=0)
    return (
        f"Correlations ({CORRELATION_SYMBOLS[relation.asked.method]}) between"
        f" {len({*relation.across, *relation.down})} columns of scores over {many} {unit}."
    )


RELATION_CHARTS: Mapping[str, Callable[[CorrelationTable], Figure]] = {
    "heat": draw_correlation_heat,
    "within": draw_family_heat,
    "dots": draw_correlation_dots,
}
