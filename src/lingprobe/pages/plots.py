"""Figures: where in an encoder tasks are solved, and scores by distance. As SVG they need nothing;
PNG and PDF are drawn by matplotlib, which comes with the extra `plots`.
"""

from __future__ import annotations

import math
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from lingprobe.analysis.answers import differences
from lingprobe.analysis.layers import Depth
from lingprobe.analysis.row import Row
from lingprobe.metrics.layers import Expected
from lingprobe.pages.captions import short
from lingprobe.pages.charts import BEST, BLUE, COLOURS, EDGE, GREY, PALE, SMALL, Axis, cut, end
from lingprobe.pages.scores import test_notes
from lingprobe.tables.drawing import (
    EM,
    Dot,
    Drawing,
    Label,
    Mark,
    PlotProblem,
    Shape,
    Stroke,
    box,
    breadth,
    diamond,
    save,
    svg,
    ticks,
)

ACROSS = 3  # panels beside each other
WIDE, TALL = 190.0, 120.0  # points of a panel
LEFT, ABOVE, BELOW = 34.0, 34.0, 30.0  # around it: scores, titles, layers
LINE, BAR = 26.0, 11.0  # of a task in the overview
WEIGHTS = 0.2  # of a panel, for the weights at its bottom


def layers_figure(depths: Sequence[Depth], to: Path) -> None:
    """The overview (expected layer and centre of gravity of each task) above each task's curves
    over layers, as a file.
    """
    save(layers_drawing(depths), to)


def layers_svg(depths: Sequence[Depth]) -> str:
    """The same as an SVG element for a page."""
    return svg(layers_drawing(depths))


def strata_figure(rows: Sequence[Row], stratum: str, to: Path) -> None:
    """Scores by a stratum with bands of their 95 % intervals, and bars of how many examples there
    are, a panel for each task, as a file.
    """
    save(strata_drawing(rows, stratum), to)


class Panel(NamedTuple):
    """A field with an axis across and one up, from its left lower corner.

    floor  the lowest score; below it stand bars, where there are any
    """

    across: Axis
    up: Axis
    floor: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a value lies; the highest is on top."""
        top, tall = self.up.start, self.up.length
        return self.across.at(x), top + tall - (self.up.at(y) - top)

    @property
    def bottom(self) -> float:
        """Where it ends."""
        return self.up.start + self.up.length


def layers_drawing(depths: Sequence[Depth]) -> Drawing:
    """What `layers_figure` draws; PlotProblem where there is nothing."""
    if not depths:
        raise PlotProblem("nothing to draw: no task was measured on several layers")
    labels = [_label(depth) for depth in depths]
    mixed = any(depth.is_mixed for depth in depths)
    marks = [*_overview(depths, labels)] if mixed else []
    top = EDGE + (22 + LINE * len(depths) + 40 if mixed else 6)
    unmixed = {name: CURVES[name] for name in ("alone", "lexical (dashed)")}
    marks += _key(CURVES if mixed else unmixed, EDGE, top)
    low, high = _range([row for depth in depths for row in depth.rows])
    for place, depth in enumerate(depths):
        panel = _panel(place, ACROSS, top + 8, (0.0, float(max(depth.layers[-1], 1))), (low, high))
        marks += _frame(panel, labels[place], range(len(depth.layers)))
        marks += _curves(panel, depth)
    down = math.ceil(len(depths) / ACROSS)
    bottom = top + 8 + down * (ABOVE + TALL + BELOW)
    texts = (t for d in depths for t in differences(d.rows, f"{short(d.task)}, {d.encoder}"))
    about = f"Where {', '.join(short(depth.task) for depth in depths)} by layer."
    return whole(marks, bottom, list(texts), about)


def strata_drawing(rows: Sequence[Row], stratum: str) -> Drawing:
    """What `strata_figure` draws; PlotProblem where there is nothing."""
    plain = [row for row in rows if row.control == "none"]
    if not plain:
        raise PlotProblem("nothing to draw: no row without a control")
    marks: list[Mark] = []
    names = list(dict.fromkeys(map(_measured, plain)))
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}
    tasks = list(dict.fromkeys(row.task for row in plain))
    top = EDGE + 14.0 * len(names)
    for i, (name, colour) in enumerate(colours.items()):
        marks += _entry(colour, name, EDGE, EDGE + 14.0 * i + 6)
    for place, task in enumerate(tasks):
        mine = [row for row in plain if row.task == task]
        marks += _by_stratum(mine, place, top, stratum, colours)
    down = math.ceil(len(tasks) / 2)
    bottom = top + down * (ABOVE + TALL + BELOW + 12)
    about = f"Scores of {', '.join(map(short, tasks))} by {stratum}."
    return whole(marks, bottom, test_notes(plain), about)


def whole(marks: list[Mark], bottom: float, notes: Sequence[str], about: str) -> Drawing:
    """The marks with what must not be overlooked below, on as much room as they take."""
    room = max(end(mark) for mark in marks) - EDGE
    many = max(int(room / (EM * SMALL)), 40)
    lines = [line for note in notes for line in textwrap.wrap(note, many)]
    marks = [*marks, *(Label(EDGE, bottom + 12 * i + 8, t, SMALL) for i, t in enumerate(lines))]
    return Drawing(EDGE + max(map(end, marks)), bottom + 12 * len(lines) + 8, tuple(marks), about)


def _range(rows: Sequence[Row]) -> tuple[float, float]:
    """From and to a multiple of ten, with all intervals inside."""
    every = (value for row in rows for value in (row.low, row.high, row.score))
    ends = [value for value in every if not math.isnan(value)]
    if not ends:
        raise PlotProblem("nothing to draw: no layer has a score")
    low, high = 10 * math.floor(min(ends) / 10), 10 * math.ceil(max(ends) / 10)
    return low, max(high, low + 10)


def _panel(
    place: int, across: int, top: float, x: tuple[float, float], y: tuple[float, float]
) -> Panel:
    """The panel of a place, row by row, with room for bars at the bottom."""
    room = (y[1] - y[0]) * WEIGHTS / (1 - WEIGHTS)
    more = 12 if across != ACROSS else 0
    return panelled(place, top, x, y, _Room(across, more, room))


class _Room(NamedTuple):
    """Panels beside each other, points more below each, and scores for bars at its bottom."""

    across: int = ACROSS
    more: float = 0.0
    bars: float = 0.0


def panelled(
    place: int,
    top: float,
    x: tuple[float, float],
    y: tuple[float, float],
    room: _Room = _Room(),  # noqa: B008
) -> Panel:
    """The panel of a place, row by row."""
    down, along = divmod(place, room.across)
    left = EDGE + LEFT + along * (WIDE + LEFT)
    upper = top + ABOVE + down * (ABOVE + TALL + BELOW + room.more)
    low, high = y
    return Panel(Axis(*x, left, WIDE), Axis(low - room.bars, high, upper, TALL), low)


def _frame(panel: Panel, title: tuple[str, str], layers: Sequence[int]) -> Iterator[Mark]:
    """Title, grid and numbers of a panel over layers."""
    yield from headed(panel, title)
    step = max(1, math.ceil(len(layers) / 13))
    for layer in layers[::step]:
        x = panel.across.at(layer)
        yield Label(x, panel.bottom + 11, str(layer), SMALL, "middle", GREY)
    middle = panel.across.start + WIDE / 2
    yield Label(middle, panel.bottom + 21, "layer", SMALL, "middle", GREY)


def headed(panel: Panel, title: tuple[str, str]) -> Iterator[Mark]:
    """Title, lines and scores at the left of a panel."""
    start, top = panel.across.start, panel.up.start
    yield Label(start, top - 18, cut(title[0], WIDE), bold=True)
    yield Label(start, top - 7, cut(title[1], WIDE), SMALL, colour=GREY)
    for score in ticks(panel.floor, panel.up.high, 4):  # none beside the bars
        y = panel.at(panel.across.low, score)[1]
        yield Stroke(((start, y), (start + WIDE, y)), PALE, 0.6)
        yield Label(start - 5, y + 3, f"{score:g}", SMALL, "end", GREY)


MIX = "mix of 0 to here; upright: its expected layer"
CURVES = {
    "alone": BLUE,
    MIX: BEST,
    "lexical (dashed)": GREY,
    "weight in the mix": PALE,
}


def _key(names: Mapping[str, str], x: float, y: float) -> list[Mark]:
    """What the colours mean, on one line."""
    marks: list[Mark] = []
    for name, colour in names.items():
        marks += _entry(colour, name, x, y)
        x += 22 + breadth(name, SMALL) + 14
    return marks


def _entry(colour: str, name: str, x: float, y: float) -> list[Mark]:
    return [Shape(box(x, y - 6, 14, 5), colour), Label(x + 20, y, name, SMALL)]


def _label(depth: Depth) -> tuple[str, str]:
    return short(depth.task), short(depth.encoder)


def _overview(depths: Sequence[Depth], labels: Sequence[tuple[str, str]]) -> Iterator[Mark]:
    """A line for each task: a bar to the expected layer with its interval, a diamond at the centre
    of gravity, and at the right what the mix adds.
    """
    left = EDGE + max(max(breadth(a), breadth(b, SMALL)) for a, b in labels) + 10
    last = max(depth.layers[-1] for depth in depths)
    axis = Axis(0.0, float(max(last, 1)), left, 2 * WIDE)
    top, tall = EDGE + 22, LINE * len(depths)
    yield Label(left, EDGE + 8, "Scores by layer", bold=True)
    yield Label(left + axis.length + 10, EDGE + 8, "score of layer 0 → of the mix", SMALL)
    for layer in range(0, last + 1, max(1, math.ceil(last / 13))):
        x = axis.at(layer)
        yield Stroke(((x, top), (x, top + tall)), PALE, 0.6)
        yield Label(x, top + tall + 11, str(layer), SMALL, "middle", GREY)
    for place, depth in enumerate(depths):
        y = top + LINE * (place + 0.5)
        yield Label(left - 8, y - 1, labels[place][0], anchor="end")
        yield Label(left - 8, y + 9, labels[place][1], SMALL, "end", GREY)
        yield from _expected(axis, y, depth.expected)
        if not math.isnan(depth.gravity.value):
            told = f"centre of gravity: {depth.gravity.value:.2f}"
            yield diamond(axis.at(depth.gravity.value), y, 4.2, BEST, told)
        ends = depth.cumulative.get(0), depth.cumulative.get(depth.layers[-1])
        gain = " → ".join(f"{row.score:.1f}" for row in ends if row)
        yield Label(left + axis.length + 10, y + 3, gain)
    y = top + tall + 24
    yield from _entry(BLUE, "expected layer, with its interval", left, y)
    x = left + 34 + breadth("expected layer, with its interval", SMALL)
    yield diamond(x + 4, y - 3, 4.2, BEST)
    yield Label(x + 14, y, "centre of gravity of the mix", SMALL)


def _expected(axis: Axis, y: float, expected: Expected) -> Iterator[Mark]:
    """A bar to the expected layer with its interval, or that there is none."""
    if math.isnan(expected.layer):
        yield Label(axis.start + 4, y + 3, "no expected layer", SMALL, colour=GREY)
        return
    told = f"expected layer: {expected.layer:.2f}"
    width = axis.at(expected.layer) - axis.start
    yield Shape(box(axis.start, y - BAR / 2, width, BAR), BLUE, 0.5, told)
    if not math.isnan(expected.low):
        yield Stroke(((axis.at(expected.low), y), (axis.at(expected.high), y)), width=1.4)


def _curves(panel: Panel, depth: Depth) -> Iterator[Mark]:
    """Scores of single layers and of growing mixes with bands, word embeddings as a line, weights
    as bars at the bottom.
    """
    yield from _weights(panel, depth.weights)
    if depth.lexical is not None:
        y = panel.at(0, depth.lexical.score)[1]
        start = panel.across.start
        yield Stroke(((start, y), (start + WIDE, y)), GREY, 1.0, dashed=True)
    if not math.isnan(depth.expected.layer):
        x = panel.across.at(depth.expected.layer)
        yield Stroke(((x, panel.up.start), (x, panel.bottom)), BEST, 0.8, dashed=True)
    for rows, name in ((depth.single, "alone"), (depth.cumulative, MIX)):
        if len(rows) > 1:
            places = {float(layer): row for layer, row in rows.items()}
            yield from band(panel, places, CURVES[name], name.partition(";")[0])


def _weights(panel: Panel, weights: Sequence[float]) -> Iterator[Mark]:
    """Bars at the bottom."""
    width = 0.6 * WIDE / max(len(weights), 1)
    for layer, weight in enumerate(weights):
        tall = WEIGHTS * TALL * weight / max(weights)
        x = panel.across.at(layer) - width / 2
        corners = box(x, panel.bottom - tall, width, tall)
        yield Shape(corners, PALE, title=f"weight of layer {layer}: {weight:.3f}")


def band(
    panel: Panel,
    rows: Mapping[float, Row],
    colour: str,
    name: str,
    dashed: bool = False,
    said: Callable[[float], str] = "{:g}".format,
) -> Iterator[Mark]:
    """A line of scores over a band of their intervals; `said` is what a place across is called."""
    known = sorted(x for x, row in rows.items() if not math.isnan(row.score))
    sure = [x for x in known if not math.isnan(rows[x].low)]
    upper = [panel.at(x, rows[x].high) for x in sure]
    lower = [panel.at(x, rows[x].low) for x in reversed(sure)]
    if len(sure) > 1:
        yield Shape((*upper, *lower), colour, 0.18)
    points = [panel.at(x, rows[x].score) for x in known]
    if len(points) > 1:
        yield Stroke(tuple(points), colour, 1.6, dashed)
    for x, point in zip(known, points, strict=True):
        row = rows[x]
        told = f"{name}, {said(x)}: {row.score:.1f} ({row.low:.1f} – {row.high:.1f})"
        yield Dot(*point, 2.2, colour, title=told)


def _by_stratum(
    rows: Sequence[Row], place: int, top: float, stratum: str, colours: Mapping[str, str]
) -> Iterator[Mark]:
    """One task: how many examples each value has as bars, and the scores above."""
    values = {value: float(i) for i, value in enumerate(dict.fromkeys(r.stratum for r in rows))}
    panel = _panel(place, 2, top, (-0.5, len(values) - 0.5), _range(rows))
    counts = {values[row.stratum]: row.n for row in rows}
    metric = rows[0].metric.partition(",")[0]
    yield from headed(panel, (short(rows[0].task), f"{metric}; bars: test examples"))
    width = 0.7 * WIDE / len(values)
    for x, n in counts.items():
        tall = WEIGHTS * TALL * n / max(counts.values())
        corners = box(panel.across.at(x) - width / 2, panel.bottom - tall, width, tall)
        yield Shape(corners, PALE, title=f"{n:,} test examples")
    lines = defaultdict[str, dict[float, Row]](dict)
    for row in rows:
        lines[_measured(row)][values[row.stratum]] = row
    for name, mine in lines.items():
        yield from band(panel, mine, colours[name], name, said=lambda x: [*values][int(x)])
    room = WIDE / len(values)
    step = max(1, math.ceil((max(map(breadth, values)) + 4) / room)) if room < WIDE / 2 else 1
    for value, x in list(values.items())[::step]:
        at = panel.across.at(x)
        yield Label(at, panel.bottom + 11, cut(value, step * room), SMALL, "middle", GREY)
    middle = panel.across.start + WIDE / 2
    yield Label(middle, panel.bottom + 23, stratum, SMALL, "middle", GREY)


def _measured(row: Row) -> str:
    layer = "" if row.layer == "-" else f", {row.layer}"
    return f"{row.encoder}{layer}, {row.probe}"
