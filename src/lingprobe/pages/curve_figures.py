"""Learning curves as figures: the figures of the trainings on dev first, then a panel for each task
(Conneau et al. 2018, Figure 1). Panels of tasks span the same number of points, so that slopes can
be compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from lingprobe.analysis.answers import differences
from lingprobe.analysis.curves import Curve, Curves, History, rows_of
from lingprobe.analysis.row import ResultRow
from lingprobe.pages.captions import shorten_task
from lingprobe.pages.plots import ACROSS, NARROW, WIDE, band, draw_title, panel_height
from lingprobe.tables.drawing import PlotProblem
from lingprobe.tables.panels import LETTER, abreast, below, blank, key, panels, point, sign, stroke
from lingprobe.tables.printing import printed_width
from lingprobe.tables.style import COLOURS, GREY, MARKERS

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

LEAST = 10.0  # points of score that a panel spans at least
APART = 64  # times as many steps, from which on they stand on a scale of powers
WIDER = 4  # times as much of a setting, from which on
ROOMY = 4  # lines, up to which each has its trend above a panel
MANY = 2 * len(COLOURS)  # lines that can be told apart
NAMED = ("epoch", "step")
RING = "best"


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


def curves_figure(found: Curves) -> Figure:
    """The figures of trainings and the scores of tasks, each in a panel; PlotProblem where there is
    nothing, or more lines than can be told apart.
    """
    drawn = [
        curve for curve in found.curves if any(r.score == r.score for r in curve.rows.values())
    ]
    if not drawn:
        raise PlotProblem("nothing to draw: no epoch or step of a training has a score")
    looks = looks_of(found)
    courses, tasks = _courses(found), _tasks(found, drawn)
    many = len(courses) + len(tasks)
    across = abreast(many, ACROSS, NARROW)
    tall = panel_height(across) * math.ceil(many / across) + 0.17 * len(looks) + 0.5
    figure = blank((max(0.5 + WIDE * across, 6.5), tall), _about(found, drawn))
    every = iter(panels(figure, many, across))
    for unit, name in courses:
        _course(_Panel(found, looks, unit, next(every)), name)
    span = _span(tasks.values())
    for (task, unit), mine in tasks.items():
        _task(_Panel(found, looks, unit, next(every)), task, mine, span)
    key(figure, [*_key(found, looks)], 1, "upper")
    notes = [
        t for mine in tasks.values() for t in differences(rows_of(mine), shorten_task(mine[0].task))
    ]
    below(figure, [_read(found), *notes])
    return figure


def _about(found: Curves, drawn: Sequence[Curve]) -> str:
    units = [u for u in dict.fromkeys(h.unit for h in found.histories) if u not in NAMED]
    by = f"by {', '.join(units)}." if units else "during training."
    return f"Scores of {', '.join(dict.fromkeys(shorten_task(c.task) for c in drawn))} {by}"


class _Panel:
    """What is drawn of trainings whose points have one unit, and where."""

    def __init__(
        self, found: Curves, looks: Mapping[tuple[str, ...], Line2D], unit: str, axes: Axes
    ) -> None:
        self.found, self.looks, self.unit, self.axes = found, looks, unit, axes
        self.scale = _scale(found, unit)


def looks_of(found: Curves) -> dict[tuple[str, ...], Line2D]:
    """How the line of each training, read and probe looks; PlotProblem for more than can be told
    apart.
    """
    names = name_lines(found)
    if len(names) > MANY:
        raise PlotProblem(
            f"a figure shows up to {MANY} lines, and there are {len(names)}: choose some training"
            " runs by name (-e), or layer selections (--layers)"
        )
    return {
        at: stroke(
            COLOURS[i % len(COLOURS)], name, "--" if i >= len(COLOURS) else "-",
            MARKERS[i % len(COLOURS)],
        )
        for i, (at, name) in enumerate(names.items())
    }  # fmt: skip


def name_lines(found: Curves) -> dict[tuple[str, ...], str]:
    """What the lines are called: (training, read, probe) -> the training's folder or model, with
    what is read and the probe where there are several.
    """
    keys = list(dict.fromkeys(map(line_of, found.curves)))
    trainings = list(dict.fromkeys(key[0] for key in keys))
    brief = {name: shorten_task(name) for name in trainings}
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


def _span(panels: Iterable[Sequence[Curve]]) -> float:
    """How many points of score each panel spans: those of the task that takes most."""
    ends = map(_ends, panels)
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


def _task(panel: _Panel, task: str, mine: Sequence[Curve], span: float) -> None:
    """The scores of one task, a line for each training."""
    low, high = _ends(mine)
    start, axes = math.floor((low + high - span) / 2), panel.axes
    axes.set_ylim(start, start + span)
    is_paper = printed_width() is not None  # where the trends have a line of their own
    draw_title(axes, (shorten_task(task), mine[0].metric.partition(",")[0]), int(is_paper))
    _trends(panel, mine)
    _points(panel)
    majority = next(iter(mine[0].rows.values())).majority
    if start <= majority <= start + span:
        axes.axhline(majority, color=GREY, ls="--", lw=0.9)
    for curve in mine:
        _line(panel, curve)


def _line(panel: _Panel, curve: Curve) -> None:
    """Scores on the band of their intervals; before training stands apart, the best point is
    ringed.
    """
    look, at = panel.looks[line_of(curve)], panel.scale.at
    known = {point: row for point, row in curve.rows.items() if row.score == row.score}
    learnt = {at(point): row for point, row in known.items() if point > 0}
    names = {at(point): f"{panel.unit} {_number(point)}" for point in known}
    band(panel.axes, learnt, look, names.__getitem__)
    history = next(h for h in panel.found.histories if h.name == curve.training)
    if (best := known.get(history.best)) is not None and history.best:
        _ring(panel.axes, (at(history.best), best.score), look)
    if (before := known.get(0)) is not None:
        if learnt:
            ends = [before.score, learnt[min(learnt)].score]
            panel.axes.plot([at(0), min(learnt)], ends, color=look.get_color(), ls="--", lw=1)
        place, colour = (at(0), before.score), look.get_color()
        point(panel.axes, place, sign("o", colour), _describe_start(str(look.get_label()), before))


def _ring(axes: Axes, place: tuple[float, float], look: Line2D) -> None:
    axes.plot(*place, "o", mfc="none", color=look.get_color(), ms=9, mew=1.4, gid=RING)


def _describe_start(name: str, row: ResultRow) -> str:
    return f"{name}, before training: {row.score:.1f} ({row.low:.1f} – {row.high:.1f})"


def _trends(panel: _Panel, mine: Sequence[Curve]) -> None:
    """ρ of each line in its colour at the right above the panel, bold where it is significant."""
    from matplotlib.offsetbox import AnchoredOffsetbox, HPacker, TextArea

    known = [curve for curve in mine if not math.isnan(curve.trend.correlation)]
    if not 0 < len(known) <= ROOMY:
        return
    texts: list[Artist] = [TextArea("ρ", textprops={"color": GREY, "size": 8})]
    for curve in known:
        looks = {
            "color": panel.looks[line_of(curve)].get_color(),
            "weight": "bold" if curve.trend.is_significant else "normal",
            "size": 8,
        }
        value = f"{round(curve.trend.correlation, 2) + 0:+.2f}".replace("-", "−")
        texts.append(TextArea(value, textprops=looks))
    panel.axes.add_artist(
        AnchoredOffsetbox(
            "lower right", child=HPacker(children=texts, sep=5, pad=0), frameon=False, pad=0,
            borderpad=0.2, bbox_to_anchor=(1, 1), bbox_transform=panel.axes.transAxes,
        )
    )  # fmt: skip


def _points(panel: _Panel) -> None:
    """Numbers of points below a panel, as many as there is room for, and what they are."""
    scale, shown = panel.scale, list[int]()
    first, last = scale.at(scale.points[0]), scale.at(scale.points[-1])
    for at in reversed(scale.points):  # the last is always said
        letters = len(_number(at)) + (len(_number(shown[-1])) if shown else 0)
        free = (last - first) * (0.02 + LETTER / WIDE / 2 * letters)
        if not shown or scale.at(shown[-1]) - scale.at(at) >= free:
            shown.append(at)
    panel.axes.set_xticks(list(map(scale.at, shown)), list(map(_number, shown)))
    if first == last:
        panel.axes.set_xlim(first - 0.5, first + 0.5)
    panel.axes.set_xlabel(f"{panel.unit} (log scale)" if scale.powers else panel.unit)


def _number(at: int) -> str:
    """A number of steps, with k for thousands."""
    return f"{at // 1000}k" if at >= 10_000 and at % 1000 == 0 else f"{at}"


def _course(panel: _Panel, figure: str) -> None:
    """A figure of trainings on dev, with the best of what needs no encoder as a line."""
    draw_title(panel.axes, (f"{metric_name(figure)} on dev", "dashed: the best baseline"))
    _points(panel)
    looks = {at[0]: look for at, look in reversed([*panel.looks.items()])}
    for history in panel.found.histories:
        if (history.unit, history.figure) == (panel.unit, figure) and history.name in looks:
            _history(panel, history, looks[history.name])


def _history(panel: _Panel, history: History, look: Line2D) -> None:
    """The figure of one training, its best point ringed."""
    course, bar, at = history.course(history.figure), _bar(history), panel.scale.at
    if not math.isnan(bar):
        panel.axes.axhline(bar, color=look.get_color(), ls="--", lw=0.9)
    panel.axes.plot(list(map(at, course)), [*course.values()], color=look.get_color())
    mark = sign(look.get_marker(), look.get_color())
    mark.set_markersize(3.5)
    for step, value in course.items():
        told = f"{look.get_label()}, {panel.unit} {step}: {value:.2f}"
        point(panel.axes, (at(step), value), mark, told)
    if history.best in course:
        _ring(panel.axes, (at(history.best), course[history.best]), look)


def _bar(history: History) -> float:
    """The best that needs no encoder has of a training's figure; NaN for nothing known."""
    known = [v for name, v in history.trivial.items() if name.startswith(history.figure)]
    best = min if history.figure in ("perplexity", "loss") else max
    return best(known) if known else math.nan


def metric_name(figure: str) -> str:
    """How a figure is written."""
    return "BLEU" if figure == "bleu" else figure


def _key(found: Curves, looks: Mapping[tuple[str, ...], Line2D]) -> Iterator[Any]:
    """What the lines and rings are."""
    objectives = {history.name: history.objective for history in found.histories}
    for (training, *_), look in looks.items():
        objective = objectives[training]
        name = str(look.get_label()) + (f" ({objective})" if objective else "")
        yield stroke(look.get_color(), name, look.get_linestyle(), look.get_marker())
    if any(history.best for history in found.histories):
        ring = sign("o", GREY, "best on dev", hollow=True)
        ring.set_markersize(9)
        yield ring


def _read(found: Curves) -> str:
    """How the figure is read."""
    before = "; 0: before training" * any(0 in curve.rows for curve in found.curves)
    return (
        "Bands: 95 % intervals; grey dashes: constant answer; bold ρ: significant after"
        f" correction{before}."
    )
