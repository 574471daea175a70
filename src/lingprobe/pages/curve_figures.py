"""Learning curves as figures: the figures of the trainings on dev first, then a panel for each task
(Conneau et al. 2018, Figure 1). Panels of tasks span the same number of points, so that slopes can
be compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from lingprobe.analysis.answers import differences
from lingprobe.analysis.curves import Curve, Curves, History, rows_of
from lingprobe.analysis.row import Row
from lingprobe.pages.captions import short
from lingprobe.pages.charts import COLOURS, EDGE, GREY, PALE, SMALL
from lingprobe.pages.plots import (
    ABOVE,
    ACROSS,
    BELOW,
    TALL,
    WIDE,
    Panel,
    band,
    headed,
    panelled,
    whole,
)
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
    ticks,
)

LEAST = 10.0  # points of score that a panel spans at least
APART = 64  # times as many steps, from which on they stand on a scale of powers
WIDER = 4  # times as much of a setting, from which on
ROOMY = 4  # lines, up to which each has its trend above a panel
MANY = 2 * len(COLOURS)  # lines that can be told apart
STEPS = 7  # numbers below a panel


class Line(NamedTuple):
    """How a line is told from others, and what it is called."""

    name: str
    colour: str
    dashed: bool


class Scale(NamedTuple):
    """Where points of trainings lie, from left to right: epochs evenly, steps that are far apart by
    their powers.
    """

    points: tuple[int, ...]
    powers: bool

    def at(self, point: int) -> float:
        """The place of a point; before training is a power before the first."""
        if not self.powers:
            return float(point)
        first = min(p for p in self.points if p > 0)
        return math.log2(point) if point else math.log2(first) - 1


def curves_drawing(found: Curves) -> Drawing:
    """The figures of trainings and the scores of tasks, each in a panel; PlotProblem where there is
    nothing, or more lines than can be told apart.
    """
    drawn = [
        curve for curve in found.curves if any(r.score == r.score for r in curve.rows.values())
    ]
    if not drawn:
        raise PlotProblem("nothing to draw: no epoch or step of a training has a score")
    lines = lines_of(found)
    scales = {unit: _scale(found, unit) for unit in dict.fromkeys(h.unit for h in found.histories)}
    marks = [*_key(found, lines)]
    top = EDGE + 14.0 * len(lines) + 14
    place = 0
    for unit, figure in _courses(found):
        marks += _course(_Field(found, scales[unit], lines, place, top), unit, figure)
        place += 1
    span = _span(found, drawn)
    for (task, unit), mine in _tasks(found, drawn).items():
        marks += _task(_Field(found, scales[unit], lines, place, top), (task, unit), mine, span)
        place += 1
    bottom = top + math.ceil(place / ACROSS) * (ABOVE + TALL + BELOW)
    notes = [
        text
        for mine in _tasks(found, drawn).values()
        for text in differences(rows_of(mine), short(mine[0].task))
    ]
    units = [unit for unit in scales if unit not in ("epoch", "step")]
    about = f"Scores of {', '.join(dict.fromkeys(short(c.task) for c in drawn))}" + (
        f" by {', '.join(units)}." if units else " during training."
    )
    return whole(marks, bottom, notes, about)


class _Field(NamedTuple):
    """A place for a panel, and what all panels share."""

    found: Curves
    scale: Scale
    lines: Mapping[tuple[str, ...], Line]
    place: int
    top: float

    def panel(self, low: float, high: float) -> Panel:
        """An empty panel."""
        ends = self.scale.at(self.scale.points[0]), self.scale.at(self.scale.points[-1])
        first, last = ends if ends[0] < ends[1] else (ends[0] - 0.5, ends[1] + 0.5)
        return panelled(self.place, self.top, (first, last), (low, high))


def lines_of(found: Curves) -> dict[tuple[str, ...], Line]:
    """A line for each training, read and probe; PlotProblem for more than can be told apart."""
    names = called(found)
    if len(names) > MANY:
        raise PlotProblem(
            f"a figure shows up to {MANY} lines, and there are {len(names)}: choose some trainings"
            " by name (-e), or reads (--read)"
        )
    return {
        key: Line(name, COLOURS[i % len(COLOURS)], i >= len(COLOURS))
        for i, (key, name) in enumerate(names.items())
    }


def called(found: Curves) -> dict[tuple[str, ...], str]:
    """What the lines are called: (training, read, probe) -> the training's folder or model, with
    what is read and the probe where there are several.
    """
    keys = list(dict.fromkeys(map(line_of, found.curves)))
    trainings = list(dict.fromkeys(key[0] for key in keys))
    brief = {name: short(name) for name in trainings}
    # two folders of one name are told apart by where they lie
    if len(set(brief.values())) < len(trainings):
        brief = {name: name for name in trainings}
    reads, probes = {key[1] for key in keys}, {key[2] for key in keys}
    return {
        key: brief[key[0]]
        + (f", {key[1]}" if len(reads) > 1 and key[1] != "-" else "")
        + (f", {key[2]}" if len(probes) > 1 else "")
        for key in keys
    }


def line_of(curve: Curve) -> tuple[str, ...]:
    """What tells the line of a curve from others in a panel."""
    return curve.training, curve.read, curve.probe


def _scale(found: Curves, unit: str) -> Scale:
    names = {history.name for history in found.histories if history.unit == unit}
    points = {at for curve in found.curves if curve.training in names for at in curve.rows}
    later = [at for at in points if at > 0]
    apart = {"epoch": math.inf, "step": APART}.get(unit, WIDER)
    powers = bool(later) and max(later) >= apart * min(later)
    return Scale(tuple(sorted(points)), powers)


def _courses(found: Curves) -> list[tuple[str, str]]:
    """The figures that trainings were judged by, each with the unit of its points."""
    return list(
        dict.fromkeys(
            (history.unit, history.figure)
            for history in found.histories
            if history.figure and history.course(history.figure)
        )
    )


def _tasks(found: Curves, drawn: Sequence[Curve]) -> dict[tuple[str, str], list[Curve]]:
    """The curves of each panel: a task, and the unit of its points."""
    units = {history.name: history.unit for history in found.histories}
    panels: dict[tuple[str, str], list[Curve]] = {}
    for curve in drawn:
        panels.setdefault((curve.task, units[curve.training]), []).append(curve)
    return panels


def _span(found: Curves, drawn: Sequence[Curve]) -> float:
    """How many points of score each panel spans: those of the task that takes most."""
    ends = [_ends(mine) for mine in _tasks(found, drawn).values()]
    return max(LEAST, *(5 * math.ceil((high - low) / 5) for low, high in ends))


def _ends(mine: Sequence[Curve]) -> tuple[float, float]:
    """The lowest and the highest end of an interval."""
    values = [
        value
        for row in rows_of(mine)
        for value in (row.low, row.score, row.high)
        if not math.isnan(value)
    ]
    return min(values), max(values)


def _task(field: _Field, of: tuple[str, str], mine: Sequence[Curve], span: float) -> Iterator[Mark]:
    """The scores of one task, a line for each training."""
    low, high = _ends(mine)
    start = math.floor((low + high - span) / 2)
    panel = field.panel(start, start + span)
    metric = mine[0].metric.partition(",")[0]
    yield from headed(panel, (short(of[0]), metric))
    yield from _trends(field, panel, mine)
    yield from _points(panel, field.scale, of[1])
    majority = next(iter(mine[0].rows.values())).majority
    if start <= majority <= start + span:
        yield from _level(panel, majority, GREY, "constant answer")
    for curve in mine:
        yield from _line(field, panel, curve)


def _line(field: _Field, panel: Panel, curve: Curve) -> Iterator[Mark]:
    """Scores on the band of their intervals; before training stands apart, the best point is
    ringed.
    """
    line, scale = field.lines[line_of(curve)], field.scale
    known = {at: row for at, row in curve.rows.items() if row.score == row.score}
    learnt = {scale.at(at): row for at, row in known.items() if at > 0}
    history = next(h for h in field.found.histories if h.name == curve.training)
    called = {scale.at(at): f"{history.unit} {_number(at)}" for at in known}
    yield from band(panel, learnt, line.colour, line.name, line.dashed, called.__getitem__)
    if (best := known.get(history.best)) is not None and history.best:
        yield Dot(*panel.at(scale.at(history.best), best.score), 4.4, line.colour, hollow=True)
    if (before := known.get(0)) is not None:
        point = panel.at(scale.at(0), before.score)
        if learnt:
            first = min(learnt)
            ends = point, panel.at(first, learnt[first].score)
            yield Stroke(ends, line.colour, 1.0, dashed=True)
        yield Dot(*point, 2.6, line.colour, title=_told(line.name, before))


def _told(name: str, row: Row) -> str:
    return f"{name}, before training: {row.score:.1f} ({row.low:.1f} – {row.high:.1f})"


def _trends(field: _Field, panel: Panel, mine: Sequence[Curve]) -> Iterator[Mark]:
    """ρ of each line in its colour at the right above the panel, bold where it is significant."""
    known = [curve for curve in mine if not math.isnan(curve.trend.correlation)]
    if not 0 < len(known) <= ROOMY:
        return
    x, y = panel.across.start + WIDE, panel.up.start - 7
    for curve in reversed(known):
        text = f"{round(curve.trend.correlation, 2) + 0:+.2f}".replace("-", "−")
        strong = curve.trend.is_significant
        yield Label(x, y, text, SMALL, "end", field.lines[line_of(curve)].colour, strong)
        x -= breadth(text, SMALL) + 6
    yield Label(x, y, "ρ", SMALL, "end", GREY)


def _points(panel: Panel, scale: Scale, unit: str) -> Iterator[Mark]:
    """Numbers of points below a panel, as many as there is room for, and what they are."""
    y, free = panel.bottom, panel.across.start - 1e9
    many = max(1, math.ceil(len(scale.points) / (2 * STEPS if scale.points[-1] < 100 else STEPS)))
    shown = [*scale.points[::many], scale.points[-1]]
    for at in dict.fromkeys(shown):
        x, text = panel.across.at(scale.at(at)), _number(at)
        room = breadth(text, SMALL) / 2
        if x - room > free:
            yield Label(x, y + 11, text, SMALL, "middle", GREY)
            free = x + room + 3
    name = f"{unit} (log scale)" if scale.powers else unit
    middle = panel.across.start + WIDE / 2
    yield Label(middle, y + 21, name, SMALL, "middle", GREY)


def _number(at: int) -> str:
    """A number of steps, with k for thousands."""
    return f"{at // 1000}k" if at >= 10_000 and at % 1000 == 0 else f"{at}"


def _level(panel: Panel, value: float, colour: str, title: str) -> Iterator[Mark]:
    y, start = panel.at(panel.across.low, value)[1], panel.across.start
    yield Stroke(((start, y), (start + WIDE, y)), colour, 0.9, dashed=True)


def _course(field: _Field, unit: str, figure: str) -> Iterator[Mark]:
    """A figure of trainings on dev, with the best of what needs no encoder as a line."""
    mine = [h for h in field.found.histories if (h.unit, h.figure) == (unit, figure)]
    colours = {key[0]: line for key, line in reversed([*field.lines.items()])}
    bars = {history.name: _bar(history) for history in mine}
    values = [v for h in mine for v in h.course(figure).values()]
    values += [bar for bar in bars.values() if not math.isnan(bar)]
    low, high = _round(min(values), max(values))
    panel = field.panel(low, high)
    yield from headed(panel, (f"{named(figure)} on dev", "dashed: the best baseline"))
    yield from _points(panel, field.scale, unit)
    for history in mine:
        if history.name not in colours:
            continue
        line, course = colours[history.name], history.course(figure)
        bar = bars[history.name]
        if not math.isnan(bar):
            yield from _level(panel, bar, line.colour, "")
        places = {at: panel.at(field.scale.at(at), value) for at, value in course.items()}
        if len(places) > 1:
            yield Stroke(tuple(places.values()), line.colour, 1.6)
        for at, place in places.items():
            told = f"{line.name}, {unit} {at}: {course[at]:.2f}"
            yield Dot(*place, 2.2, line.colour, title=told)
        if history.best in places:
            yield Dot(*places[history.best], 4.4, line.colour, hollow=True)


def _bar(history: History) -> float:
    """The best that needs no encoder has of a training's figure; NaN for nothing known."""
    known = [v for name, v in history.trivial.items() if name.startswith(history.figure)]
    best = min if history.figure in ("perplexity", "loss") else max
    return best(known) if known else math.nan


def _round(low: float, high: float) -> tuple[float, float]:
    """Ends of an axis a little outside, at round numbers."""
    room = (high - low) * 0.08 or 1.0
    steps = list(ticks(low - room, high + room, 4))
    step = steps[1] - steps[0] if len(steps) > 1 else room
    return step * math.floor(low / step), step * math.ceil(high / step)


def named(figure: str) -> str:
    """How a figure is written."""
    return "BLEU" if figure == "bleu" else figure


def _key(found: Curves, lines: Mapping[tuple[str, ...], Line]) -> Iterator[Mark]:
    """What the lines are, and what rings and dashes mean."""
    objectives = {history.name: history.objective for history in found.histories}
    for i, (key, line) in enumerate(lines.items()):
        y = EDGE + 14.0 * i + 6
        yield Stroke(((EDGE, y - 3), (EDGE + 18, y - 3)), line.colour, 2.4, line.dashed)
        objective = objectives[key[0]]
        yield Label(EDGE + 24, y, line.name + (f" ({objective})" if objective else ""), SMALL)
    y = EDGE + 14.0 * len(lines) + 6
    said = (
        "bands: 95 % intervals; grey dashes: constant answer; bold ρ: significant after correction"
    )
    if any(0 in curve.rows for curve in found.curves):
        said += "; 0: before training"
    if any(history.best for history in found.histories):
        yield Dot(EDGE + 9, y - 3, 4.4, GREY, hollow=True)
        yield Label(EDGE + 24, y, f"best on dev; {said}", SMALL, colour=GREY)
    else:
        yield Shape(box(EDGE, y - 6, 18, 6), PALE)
        yield Label(EDGE + 24, y, said, SMALL, colour=GREY)
