"""The scores that are related in two languages, beside each other: around a circle, as Figure 2 of
Krasnowska-Kieraś & Wróblewska (2019), and as dots.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from lingprobe.analysis.profiles import Languages
from lingprobe.metrics.metric import Doubles
from lingprobe.pages.charts import (
    COLOURS,
    EDGE,
    PANEL,
    RADIUS,
    ROW,
    Axis,
    end,
    frame,
    ring_points,
    web,
)
from lingprobe.tables.drawing import Dot, Drawing, Label, Mark, PlotProblem, Stroke, breadth


def halves(found: Languages) -> tuple[Doubles, Doubles]:
    """The scores in each of the two languages, [encoders, tasks]."""
    scores = found.relation.table.scores
    return scores[:, 0::2], scores[:, 1::2]


def _encoders(found: Languages) -> list[int]:
    """Those that have all scores; PlotProblem for none, and for more than can be told apart."""
    complete = ~np.isnan(found.relation.table.scores).any(1)
    chosen = np.flatnonzero(complete).tolist()
    if not 0 < len(chosen) <= len(COLOURS):
        raise PlotProblem(
            f"this figure shows up to {len(COLOURS)} encoders that have all scores, and there are"
            f" {len(chosen)}: choose some with -e"
        )
    return list(map(int, chosen))


def radar(found: Languages) -> Drawing:
    """A polygon for each encoder over the tasks around a circle, a circle for each language, from 0
    in the middle to 100.
    """
    names, encoders = [each.task for each in found.tasks], _encoders(found)
    if len(names) < 3:
        raise PlotProblem(f"a radar needs three tasks, and there are {len(names)}: draw scores")
    side = RADIUS + max(map(breadth, names)) + 14 + EDGE
    marks: list[Mark] = []
    for place, (half, language) in enumerate(
        zip(halves(found), (found.first, found.second), strict=True)
    ):
        centre = side * (1 + 2 * place), RADIUS + EDGE + 36
        marks.append(Label(centre[0], EDGE + 10, language, anchor="middle", bold=True))
        marks += web(centre, names)
        for i, colour in zip(encoders, COLOURS, strict=False):
            marks += _polygon(found, centre, half[i], i, colour)
    return _with_key(found, marks, encoders, 2 * RADIUS + EDGE + 76)


def _polygon(
    found: Languages, centre: tuple[float, float], scores: Doubles, row: int, colour: str
) -> Iterator[Mark]:
    points = ring_points(centre, scores.tolist())
    yield Stroke((*points, points[0]), colour, 1.8)
    name = found.relation.table.rows[row].name
    for (x, y), score, each in zip(points, scores, found.tasks, strict=True):
        yield Dot(x, y, 2.6, colour, title=f"{name}, {each.task}: {score:.1f}")


def scores_drawing(found: Languages) -> Drawing:
    """The same as dots: a line for each task, a panel for each language."""
    names, encoders = [each.task for each in found.tasks], _encoders(found)
    left, tall = EDGE + max(map(breadth, names)) + 8, ROW * len(names)
    parts = halves(found)
    shown = np.concatenate([part[encoders] for part in parts])
    low, high = 10 * math.floor(shown.min() / 10), 10 * math.ceil(shown.max() / 10)
    marks: list[Mark] = []
    top = EDGE + 24
    for place, (half, language) in enumerate(zip(parts, (found.first, found.second), strict=True)):
        axis = Axis(low, max(high, low + 10), left + place * (PANEL + 18), PANEL)
        marks += frame(axis, language, top, tall)
        for task, name in enumerate(names):
            y = top + ROW * (task + 0.5)
            if place == 0:
                marks.append(Label(left - 8, y + 3, name, anchor="end"))
            for i, colour in zip(encoders, COLOURS, strict=False):
                told = f"{found.relation.table.rows[i].name}, {name}: {half[i, task]:.1f}"
                marks.append(Dot(axis.at(float(half[i, task])), y, 3.2, colour, title=told))
    return _with_key(found, marks, encoders, top + tall + 30)


def _with_key(found: Languages, marks: list[Mark], encoders: list[int], y: float) -> Drawing:
    """The marks with the names of encoders in their colours below."""
    for i, colour in zip(encoders, COLOURS, strict=False):
        marks.append(Dot(EDGE + 6, y - 3, 3.2, colour))
        marks.append(Label(EDGE + 16, y, found.relation.table.rows[i].name))
        y += 14
    about = f"Scores of {len(encoders)} encoders in {found.first} and {found.second}."
    return Drawing(max(map(end, marks)) + EDGE, y, tuple(marks), about)
