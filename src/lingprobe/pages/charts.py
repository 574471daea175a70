"""Charts of the scores of several tasks: dots with intervals, a heat map, a radar. Baselines and
oracles stand beside in each, as in the table (`pages.wide`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from lingprobe.analysis.row import PERCENT, Row
from lingprobe.data.core import Result
from lingprobe.data.errors import UsageProblem
from lingprobe.data.references import Contents
from lingprobe.pages.wide import Grid, Line, firsts, grid, label_of
from lingprobe.tables.drawing import (
    Anchor,
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
    ticks,
)

FIGURES = Contents(
    "figure",
    "lingprobe.figures",
    {name: f"{__name__}:{name}" for name in ("dots", "heat", "radar")},
    made=False,
)
COLOURS = ("#1b6ca8", "#d1603d", "#3a7d44", "#7b4b94", "#b8860b", "#52616b", "#a23b72", "#2a9d8f")
BLUE, BEST, GREY, PALE = COLOURS[0], COLOURS[1], "#7d8a94", "#c9d3db"
ROW, EDGE, PANEL, GAP = 16.0, 12.0, 150.0, 18.0  # points
SMALL = 8.0
BOLD = "best, or not significantly different from it"
ACROSS = 4  # panels beside each other
NAME = 200.0  # points of an encoder's name; a longer one loses its middle


class Axis(NamedTuple):
    """A range of scores over some points."""

    low: float
    high: float
    start: float
    length: float

    def at(self, score: float) -> float:
        """Where a score lies."""
        share = (score - self.low) / (self.high - self.low)
        return self.start + self.length * min(max(share, 0.0), 1.0)


def chart(results: Sequence[Result], kind: str) -> Drawing:
    """A chart of one of the kinds of `FIGURES`."""
    return figure_of(kind)(grid(results))


def figure_of(kind: str) -> Callable[[Grid], Drawing]:
    """What draws a kind of figure; UsageProblem for a name that there is not."""
    if "@" not in kind and kind not in FIGURES.places():
        raise UsageProblem(f"no figure {kind!r}: choose one of {', '.join(FIGURES.places())}")
    return FIGURES.find(kind)


def dots(made: Grid) -> Drawing:
    """A panel for each task: a dot on its interval for each encoder, baselines hollow, oracles as
    diamonds, constant answers as a line.
    """
    lines, labels = made.lines, [label_of(made, line) for line in made.lines]
    names = [cut(label, NAME) for label in labels]
    left = EDGE + max(map(breadth, names)) + 8
    across = min(ACROSS, len(made.columns))
    tall = 30 + ROW * len(lines) + 26
    low, high = _range(made)
    constants = firsts(made)
    marks: list[Mark] = []
    for place, column in enumerate(made.columns):
        down, along = divmod(place, across)
        top = EDGE + down * tall + 30
        axis = Axis(low, high, left + along * (PANEL + GAP), PANEL)
        if along == 0:
            marks += _names(names, lines, left - 8, top)
        cells = [line.cells.get(column.task) for line in lines]
        marks += frame(axis, made.said(column), top, ROW * len(lines))
        constant = constants[column.task].majority
        marks += _constant(axis.at(constant), top, ROW * len(lines))
        marks += _rules(axis, lines, top)
        for i, (row, name) in enumerate(zip(cells, labels, strict=True)):
            if row is not None and not math.isnan(row.score):
                marks += _score(made, row, name, axis, top + ROW * (i + 0.5))
    height = EDGE + tall * math.ceil(len(made.columns) / across) + 16
    width = left + across * (PANEL + GAP)
    key = _key(made, EDGE, height - 8)
    width = max(width, max(end(mark) for mark in key) + EDGE)
    return Drawing(width, height, (*marks, *key), f"{_about(made)}, with 95 % intervals.")


def _about(made: Grid) -> str:
    names = ", ".join(made.said(column) for column in made.columns)
    return f"Scores of {len(made.lines)} rows on {names}"


def _range(made: Grid) -> tuple[float, float]:
    """From and to a multiple of ten, with all scores, intervals and constants inside."""
    rows = [row for line in made.lines for row in line.cells.values() if row.score == row.score]
    if not rows:
        raise PlotProblem("nothing to draw: no task has a score")
    low = min(min(row.low, row.score, row.majority) for row in rows)
    high = max(max(row.high, row.score) for row in rows)
    return 10 * math.floor(low / 10), 10 * math.ceil(high / 10)


def _names(
    labels: Sequence[str], lines: Sequence[Line], right: float, top: float
) -> Iterator[Mark]:
    for i, (name, line) in enumerate(zip(labels, lines, strict=True)):
        colour = GREY if line.kind != "trained" else "currentColor"
        yield Label(right, top + ROW * (i + 0.5) + 3, name, anchor="end", colour=colour)


def frame(axis: Axis, title: str, top: float, tall: float) -> Iterator[Mark]:
    """The name above a panel, its grid, and the scores below."""
    yield Label(axis.start, top - 10, cut(title, axis.length), bold=True)
    for score in ticks(axis.low, axis.high):
        x = axis.at(score)
        yield Stroke(((x, top), (x, top + tall)), PALE, 0.6)
        yield Label(x, top + tall + 11, f"{score:g}", SMALL, "middle", GREY)


def cut(text: str, room: float) -> str:
    """A name that is too long for its place, without its middle."""
    many = int(room / breadth("m"))
    return text if len(text) <= many else f"{text[: many // 2]}…{text[-(many - many // 2 - 1) :]}"


def _constant(x: float, top: float, tall: float) -> Iterator[Mark]:
    yield Stroke(((x, top), (x, top + tall)), GREY, 1.0, dashed=True)


def _rules(axis: Axis, lines: Sequence[Line], top: float) -> Iterator[Mark]:
    """Thin rules between kinds."""
    for i in range(1, len(lines)):
        if lines[i].kind != lines[i - 1].kind:
            y = top + ROW * i
            yield Stroke(((axis.start, y), (axis.start + axis.length, y)), GREY, 0.5)


def _score(made: Grid, row: Row, name: str, axis: Axis, y: float) -> Iterator[Mark]:
    """A dot on its interval."""
    best = (row.task, row.encoder, row.layer, row.probe) in made.strong
    colour = BEST if best else BLUE if row.kind == "trained" else GREY
    sign = made.signs.get(id(row), "")
    told = f"{name}: {row.score:.1f}{sign} ({row.low:.1f} – {row.high:.1f}), n = {row.n:,}"
    if not math.isnan(row.low):
        yield Stroke(((axis.at(row.low), y), (axis.at(row.high), y)), colour, 1.6)
    x = axis.at(row.score)
    if row.kind == "oracle":
        yield diamond(x, y, 4.2, colour, told)
    else:
        yield Dot(x, y, 3.2, colour, row.kind == "baseline", told)
    if sign:
        yield Label(x + 5, y - 2, sign, SMALL, colour=colour)


def _key(made: Grid, x: float, y: float) -> list[Mark]:
    """What the marks mean, on one line."""
    kinds = {line.kind for line in made.lines}
    marks: list[Mark] = []

    def tell(sign: Callable[[float], Mark], text: str) -> None:
        nonlocal x
        marks.extend((sign(x + 4), Label(x + 12, y, text, SMALL, colour=GREY)))
        x += 12 + breadth(text, SMALL) + 14

    if "trained" in kinds:
        tell(lambda at: Dot(at, y - 3, 3.2, BLUE), "encoder")
    if made.strong:
        tell(lambda at: Dot(at, y - 3, 3.2, BEST), BOLD)
    if "baseline" in kinds:
        tell(lambda at: Dot(at, y - 3, 3.2, GREY, hollow=True), "baseline")
    if "oracle" in kinds:
        tell(lambda at: diamond(at, y - 3, 4.2, GREY), "oracle")
    tell(lambda at: Stroke(((at, y - 8), (at, y + 1)), GREY, dashed=True), "constant answer")
    tell(lambda at: Stroke(((at - 5, y - 3), (at + 5, y - 3)), GREY, 1.6), "95 % interval")
    return marks


def end(mark: Mark) -> float:
    """How far to the right a mark reaches."""
    if isinstance(mark, Stroke | Shape):
        return max(x for x, _ in mark.points)
    if isinstance(mark, Dot):
        return mark.x + mark.radius
    share = {"start": 1.0, "middle": 0.5, "end": 0.0}[mark.anchor]
    return mark.x + share * breadth(mark.text, mark.size)


CELL, TALL = 46.0, 20.0


def heat(made: Grid) -> Drawing:
    """A cell for each encoder and task: the score, on a colour from that of the constant answer to
    a hundred.
    """
    labels = [label_of(made, line) for line in made.lines]
    names = [made.said(column) for column in made.columns]
    left, top = EDGE + max(map(breadth, labels)) + 8, EDGE + _slanted(names)
    constants = firsts(made)
    marks: list[Mark] = [
        Label(left + CELL * (c + 0.5) + 2, top - 6, name, slant=-40) for c, name in enumerate(names)
    ]
    y = top
    for i, (line, label) in enumerate(zip(made.lines, labels, strict=True)):
        y += 6 if i and line.kind != made.lines[i - 1].kind else 0
        colour = GREY if line.kind != "trained" else "currentColor"
        marks.append(Label(left - 8, y + TALL / 2 + 3, label, anchor="end", colour=colour))
        for c, column in enumerate(made.columns):
            if row := line.cells.get(column.task):
                marks += _cell(made, row, constants[column.task].majority, left + CELL * c, y)
        y += TALL
    key = _scale(left, y + 12)
    right = max(left + CELL * len(names) + breadth(names[-1]) * 0.77, *map(end, key))
    about = f"{_about(made)}, as a heat map."
    return Drawing(right + EDGE, y + 36, (*marks, *key), about)


def _slanted(names: Sequence[str]) -> float:
    """How high slanted names are."""
    return max(map(breadth, names)) * math.sin(math.radians(40)) + 14


def _cell(made: Grid, row: Row, constant: float, x: float, y: float) -> Iterator[Mark]:
    if math.isnan(row.score):
        return
    share = min(max((row.score - constant) / max(PERCENT - constant, 1e-9), 0.0), 1.0)
    told = f"{row.score:.1f} ({row.low:.1f} – {row.high:.1f}), n = {row.n:,}"
    yield Shape(box(x + 1, y + 1, CELL - 2, TALL - 2), _blend(share), title=told)
    best = (row.task, row.encoder, row.layer, row.probe) in made.strong
    text = f"{row.score:.1f}{made.signs.get(id(row), '')}"
    colour = "#ffffff" if share > 0.6 else "#1c2328"
    yield Label(x + CELL / 2, y + TALL / 2 + 3, text, 9, "middle", colour, best)


LIGHT, DARK = (236, 242, 247), (16, 70, 115)


def _blend(share: float) -> str:
    mixed = (round(a + (b - a) * share) for a, b in zip(LIGHT, DARK, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _scale(x: float, y: float) -> list[Mark]:
    """What the colours mean."""
    low, high = "constant answer", "100"
    start = x + breadth(low, SMALL) + 6
    steps = [Shape(box(start + 8 * i, y - 8, 8.2, 10), _blend(i / 11)) for i in range(12)]
    texts = [(x, low), (start + 102, high), (start + 132, f"bold: {BOLD}")]
    return [*steps, *(Label(at, y, text, SMALL, colour=GREY) for at, text in texts)]


RADIUS = 130.0


def radar(made: Grid) -> Drawing:
    """A polygon for each encoder over the tasks around a circle, from 0 in the middle to 100; the
    best baseline of each task in grey.

    PlotProblem for fewer than three tasks, and for more encoders than can be told apart.
    """
    tasks = [column.task for column in made.columns]
    whole = [line for line in made.lines if line.kind == "trained" and _is_whole(line, tasks)]
    if len(tasks) < 3:
        raise PlotProblem(
            f"a radar needs at least three tasks, and there are {len(tasks)}: draw dots"
        )
    if not 0 < len(whole) <= len(COLOURS):
        raise PlotProblem(
            f"a radar shows up to {len(COLOURS)} encoders that were measured on all tasks, and"
            f" there are {len(whole)}: choose some by name, or draw a heat map"
        )
    names = [made.said(column) for column in made.columns]
    side = RADIUS + max(map(breadth, names)) + 14 + EDGE
    centre = side, RADIUS + EDGE + 18
    marks = [*web(centre, names)]
    floors = _floors(made, tasks)
    if floors:
        marks.append(Shape(ring_points(centre, floors), GREY, 0.35))
    for line, colour in zip(whole, COLOURS, strict=False):
        points = ring_points(centre, [line.cells[task].score for task in tasks])
        marks.append(Stroke((*points, points[0]), colour, 1.8))
        marks += [
            Dot(x, y, 2.6, colour, title=f"{label_of(made, line)}: {line.cells[task].score:.1f}")
            for (x, y), task in zip(points, tasks, strict=True)
        ]
    key = list(_radar_key(made, whole, bool(floors), centre[1] + RADIUS + 40))
    width = max(2 * side, *map(end, key)) + EDGE
    height = centre[1] + RADIUS + 34 + 14 * len(key) / 2
    return Drawing(width, height, (*marks, *key), f"{_about(made)}, around a circle.")


def _is_whole(line: Line, tasks: Sequence[str]) -> bool:
    return all(task in line.cells and line.cells[task].score >= 0 for task in tasks)


def _floors(made: Grid, tasks: Sequence[str]) -> list[float]:
    """The best score of a baseline on each task, constant answers among them."""
    constants: Mapping[str, Row] = firsts(made)
    return [
        max(
            constants[task].majority,
            *(
                line.cells[task].score
                for line in made.lines
                if line.kind == "baseline" and task in line.cells
            ),
            0.0,
        )
        for task in tasks
    ]


def ring_points(
    centre: tuple[float, float], scores: Sequence[float]
) -> tuple[tuple[float, float], ...]:
    """Where scores lie around a circle, the first on top."""
    turns = [2 * math.pi * i / len(scores) for i in range(len(scores))]
    return tuple(
        (
            centre[0] + RADIUS * score / PERCENT * math.sin(turn),
            centre[1] - RADIUS * score / PERCENT * math.cos(turn),
        )
        for score, turn in zip(scores, turns, strict=True)
    )


def web(centre: tuple[float, float], names: Sequence[str]) -> Iterator[Mark]:
    """Rings, spokes and names around a circle."""
    for ring in (25, 50, 75, 100):
        points = ring_points(centre, [ring] * len(names))
        yield Stroke((*points, points[0]), PALE, 0.8)
        yield Label(centre[0] + 3, centre[1] - RADIUS * ring / 100 + 9, f"{ring}", 7, colour=GREY)
    ends = ring_points(centre, [107] * len(names))
    for name, end, rim in zip(names, ends, ring_points(centre, [100] * len(names)), strict=True):
        yield Stroke((centre, rim), PALE, 0.8)
        beside = end[0] - centre[0]
        anchor: Anchor = "middle" if abs(beside) < 5 else "start" if beside > 0 else "end"
        yield Label(end[0], end[1] + 3, name, anchor=anchor)


def _radar_key(
    made: Grid, lines: Sequence[Line], floors: bool, y: float
) -> Iterator[Stroke | Label]:
    entries = [(colour, label_of(made, line)) for line, colour in zip(lines, COLOURS, strict=False)]
    entries += [(GREY, "best baseline of each task, or constant answer")] if floors else []
    for colour, text in entries:
        yield Stroke(((EDGE, y - 3), (EDGE + 16, y - 3)), colour, 3 if colour != GREY else 6)
        yield Label(EDGE + 22, y, text)
        y += 14
