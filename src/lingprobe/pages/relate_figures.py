"""Correlations as figures: heat maps, between families with insignificant cells in grey and within
families of variants, and dots on their intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from lingprobe.analysis.relation import Correlation, Relation
from lingprobe.metrics.correlation import SYMBOLS
from lingprobe.pages.charts import BEST, BLUE, EDGE, GREY, PALE, ROW, SMALL, Axis, end
from lingprobe.tables.drawing import (
    Dot,
    Drawing,
    Label,
    Mark,
    PlotProblem,
    Shape,
    Stroke,
    box,
    breadth,
)

CELL, TALL = 40.0, 20.0
INSIGNIFICANT, FAINT = "#d8dde1", "#5f6b74"
NEGATIVE, NEUTRAL, POSITIVE = (178, 60, 40), (246, 246, 244), (27, 88, 150)
MOST = 80  # pairs that are drawn as dots
PANEL = 260.0


class Kind(NamedTuple):
    """A kind of heat map: what a cell shows, whether it is grey, what is said of it, and what grey
    means; '' where no cell can be.
    """

    value: Callable[[Correlation], float]
    faint: Callable[[Correlation], bool]
    said: Callable[[Correlation], str]
    grey: Callable[[Relation], str]


def heat(relation: Relation) -> Drawing:
    """A cell for each pair, blue where two columns rise together, red where one falls; grey where
    that is not significant.
    """
    return _map(relation, BETWEEN)


def within(relation: Relation) -> Drawing:
    """The same for the mean correlation within families of variants; grey where it is not of one
    sign in all of them.
    """
    if not any(one.groups for one in relation.found):
        raise PlotProblem(
            "no family has three variants, so there are no correlations within families to draw;"
            " define families with --within or --family"
        )
    return _map(relation, WITHIN)


def _map(relation: Relation, kind: Kind) -> Drawing:
    """A heat map of all pairs."""
    names = [column.name for column in relation.table.columns]
    square = relation.across == relation.down
    down, across = relation.down[square:], relation.across[: len(relation.across) - square]
    if not down or not across:
        raise PlotProblem("nothing to draw: there is no pair of columns")
    left = EDGE + max(breadth(names[i]) for i in down) + 8
    top = EDGE + max(breadth(names[j]) for j in across) * math.sin(math.radians(40)) + 14
    pairs = {(one.first, one.second): one for one in relation.found}
    marks: list[Mark] = [
        Label(left + CELL * (c + 0.5) + 2, top - 6, names[j], slant=-40)
        for c, j in enumerate(across)
    ]
    for r, i in enumerate(down):
        y = top + TALL * r
        marks.append(Label(left - 8, y + TALL / 2 + 3, names[i], anchor="end"))
        for c, j in enumerate(across):
            one = pairs.get((names[i], names[j])) or pairs.get((names[j], names[i]))
            if one and not (square and j >= i):
                marks += _cell(one, kind, left + CELL * c, y)
    bottom = top + TALL * len(down)
    marks += _key(kind.grey(relation), left, bottom + 20)
    right = max(map(end, marks), default=left)
    right = max(right, left + CELL * len(across) + 0.77 * breadth(names[across[-1]]))
    return Drawing(right + EDGE, bottom + 44, tuple(marks), _about(relation))


def _cell(one: Correlation, kind: Kind, x: float, y: float) -> Iterator[Mark]:
    value, grey = kind.value(one), kind.faint(one)
    if math.isnan(value):
        return
    fill = INSIGNIFICANT if grey else _colour(value)
    yield Shape(box(x + 1, y + 1, CELL - 2, TALL - 2), fill, title=kind.said(one))
    colour = "#1c2328" if abs(value) <= 0.6 else "#ffffff"
    colour = FAINT if grey else colour
    text = f"{round(value, 2) + 0:.2f}".replace("-", "−")
    yield Label(x + CELL / 2, y + TALL / 2 + 3, text, 9, "middle", colour)


def said(one: Correlation) -> str:
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
    said,
    _untold,
)
WITHIN = Kind(
    lambda one: one.within,
    lambda one: bool(one.positive and one.negative),
    _signs,
    lambda relation: "sign differs between families",
)


def _colour(value: float) -> str:
    end = POSITIVE if value >= 0 else NEGATIVE
    share = min(abs(value), 1.0)
    mixed = (round(a + (b - a) * share) for a, b in zip(NEUTRAL, end, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _key(grey: str, x: float, y: float) -> list[Mark]:
    """What the colours mean."""
    marks: list[Mark] = [Label(x, y, "−1", SMALL, colour=GREY)]
    start = x + 16
    marks += [Shape(box(start + 8 * i, y - 8, 8.2, 10), _colour(i / 8 - 1)) for i in range(17)]
    marks.append(Label(start + 142, y, "1", SMALL, colour=GREY))
    if grey:
        marks.append(Shape(box(start + 164, y - 8, 12, 10), INSIGNIFICANT))
        marks.append(Label(start + 181, y, grey, SMALL, colour=GREY))
    else:
        marks.append(
            Label(start + 164, y, "without p values: too few families", SMALL, colour=GREY)
        )
    return marks


def dots(relation: Relation) -> Drawing:
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
    names = [f"{one.first}, {one.second}" for one in known]
    left = EDGE + max(map(breadth, names)) + 8
    axis, top = Axis(-1.0, 1.0, left, PANEL), EDGE + 14
    marks: list[Mark] = [*scale(axis, top, ROW * len(known))]
    for i, (one, name) in enumerate(zip(known, names, strict=True)):
        y = top + ROW * (i + 0.5)
        marks.append(Label(left - 8, y + 3, name, anchor="end"))
        colour = BEST if one.is_significant else BLUE if math.isnan(one.p) else GREY
        marks += dot(axis, y, (one.correlation, one.low, one.high), colour, said(one))
        marks.append(Label(left + PANEL + 8, y + 3, f"n = {one.n:,}", SMALL, colour=GREY))
    bottom = top + ROW * len(known) + 30
    key = "orange: significant after correction; lines: 95 % intervals"
    marks.append(Label(left, bottom, key, SMALL, colour=GREY))
    return Drawing(max(map(end, marks)) + EDGE, bottom + 10, tuple(marks), _about(relation))


def dot(
    axis: Axis, y: float, values: tuple[float, float, float], colour: str, title: str
) -> Iterator[Mark]:
    """A correlation on its interval."""
    value, low, high = values
    if not math.isnan(low):
        yield Stroke(((axis.at(low), y), (axis.at(high), y)), colour, 1.6)
    yield Dot(axis.at(value), y, 3.2, colour, title=title)


def scale(axis: Axis, top: float, tall: float) -> Iterator[Mark]:
    """Lines and numbers of correlations."""
    for value in (-1, -0.5, 0, 0.5, 1):
        if value >= axis.low:
            x = axis.at(value)
            colour, width = (GREY, 0.9) if value == 0 else (PALE, 0.6)
            yield Stroke(((x, top), (x, top + tall)), colour, width)
            yield Label(x, top + tall + 11, f"{value:g}".replace("-", "−"), SMALL, "middle", GREY)


def _about(relation: Relation) -> str:
    unit = "families" if relation.families else "encoders"
    many = max((one.n for one in relation.found), default=0)
    return (
        f"Correlations ({SYMBOLS[relation.asked.method]}) between"
        f" {len({*relation.across, *relation.down})} columns of scores over {many} {unit}."
    )


CHARTS: Mapping[str, Callable[[Relation], Drawing]] = {
    "heat": heat,
    "within": within,
    "dots": dots,
}
FIGURES = tuple(CHARTS)


def figure_of(relation: Relation, kind: str) -> Drawing:
    """A figure of one of the kinds of `FIGURES`."""
    return CHARTS[kind](relation)
