"""What is shown of trainings: the scores of encoders at several points of their training, and
whether these go with how long it has taken (Conneau et al. 2018, section 5, Figure 1). A table has
a section for each training: its figures on dev, then the scores of each task, point by point.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lingprobe.analysis.course_statistics import RankTrend
from lingprobe.analysis.frame import RUN_KEYS, ResultFrame
from lingprobe.analysis.points import (
    CurvePoint,
    TrainingHistory,
    find_points,
    find_settings,
    list_trainings,
)
from lingprobe.analysis.row import NO_CONTROL
from lingprobe.analysis.statistics import ClusterNames, ExampleMarks, MeanScore
from lingprobe.data.core import DataProblem
from lingprobe.pages.captions import label_encoders, shorten_task
from lingprobe.pages.groups import arrange_columns, shared_options
from lingprobe.pages.view_figures import FigureKey, FigureLine, FigurePanels, LineFigure
from lingprobe.pages.view_page import FrameView, ListTable
from lingprobe.tables.style import DARK_GREY

_CURVE = ("task", "training", "layer", "probe", "metric")
_LINE = ("training", "layer", "probe")
_MOST_POINTS = 12  # beside each other; of more, some are shown
_FAR_STEPS = 64  # times as many steps, from which on they stand on a scale of powers
_FAR_SETTINGS = 4  # times as much of a setting, from which on
_MARK = "•"


def place_points(frame: ResultFrame, by: str = "") -> ResultFrame:
    """The rows of encoders at points of trainings, by these, with what is known of the training as
    columns; a point that was measured under two names counts once. DataProblem where there are no
    two points of one training.

    by  a setting of trainings, as hidden: points are trainings that differ in it alone
    """
    points = find_settings(frame, by) if by else find_points(frame)
    histories = {history.name: history for history in list_trainings(points.values())}
    plain = frame.where(control=NO_CONTROL, encoder=tuple(points))
    encoders = plain.column("encoder")
    own = [points[encoder] for encoder in encoders]
    rows = plain.with_columns({"training": [one.run for one in own], "at": [one.at for one in own]})
    kept: list[int] = []
    curves = rows.groups(_CURVE)
    for numbers in curves.values():
        by_point: dict[int, list[int]] = {}
        for number in numbers:
            by_point.setdefault(own[number].at, []).append(number)
        for _, these in sorted(by_point.items()):
            first = max(these, key=lambda number: own[number].outright)
            kept += [number for number in these if encoders[number] == encoders[first]]
    placed = rows.take(kept)
    if not any(len({own[k].at for k in numbers}) > 1 for numbers in curves.values()):
        raise DataProblem(_describe_nothing(points.values(), by))
    shown = [histories[name] for name in placed.column("training")]
    trained = frame.where(role="trained").column("encoder")
    excluded = dict.fromkeys(name for name in trained if name not in points)
    known = placed.with_columns(_describe_training(placed.column("at"), shown))
    return name_points(known).with_columns({"excluded": [", ".join(excluded)] * len(known)})


def _describe_nothing(points: Iterable[CurvePoint], by: str) -> str:
    """That there are no curves, and how they are measured."""
    how = (
        "`lingprobe run -e 'trained:FOLDER,epoch=*'` measures all epochs of a training, `-e"
        " 'hf:NAME,revisions=step1000+step2000'` a published model at several steps"
    )
    one = next(iter(points), None)
    if one is None:
        return f"no result is of an epoch or step of a training: {how}"
    if by:
        return f"no two trainings were measured that differ in {by} and in nothing else"
    return f"only {one.unit} {one.at} of {one.run} was measured, and a curve needs more: {how}"


def _describe_training(
    places: Sequence[int], histories: Sequence[TrainingHistory]
) -> Mapping[str, Sequence[Any]]:
    """What is known of the training of each row, in all and at its point."""
    pairs = list(zip(places, histories, strict=True))
    return {
        "unit": [one.unit for one in histories],
        "objective": [one.objective for one in histories],
        "figure": [one.figure for one in histories],
        "best": [one.best for one in histories],
        "of": [one.of for one in histories],
        "is_best": [int(at == one.best and at > 0) for at, one in pairs],
        "best_value": [one.value(one.best) for one in histories],
        "dev": [one.value(at) for at, one in pairs],
        "loss": [one.value(at, "loss") for at, one in pairs],
        "bar": [_find_bar(one) for one in histories],
        "trivial": [_list_values(one.trivial) for one in histories],
        "figures": [_list_values(one.figures.get(at, {})) for at, one in pairs],
        "figure_names": [
            list(dict.fromkeys(name for each in one.figures.values() for name in each))
            for one in histories
        ],
    }


def _list_values(values: Mapping[str, float]) -> list[dict[str, Any]]:
    return [{"name": name, "value": value} for name, value in values.items()]


def _find_bar(history: TrainingHistory) -> float:
    """The best baseline of a training's figure without an encoder, the dashed line; NaN for nothing
    known.
    """
    known = [v for name, v in history.trivial.items() if name.startswith(history.figure)]
    best = min if history.figure in ("perplexity", "loss") else max
    return best(known) if known else math.nan


def name_points(rows: ResultFrame) -> ResultFrame:
    """Points of curves with what they are called, which of a curve were not measured, which are
    shown, and where each stands in a figure, as columns. They have those of `_describe_training`.
    """
    cells: list[dict[str, Any]] = [{} for _ in range(len(rows))]
    ats, tasks, best = map(rows.column, ("at", "task", "best"))
    for (unit,), numbers in rows.groups(("unit",)).items():
        points = sorted({ats[k] for k in numbers})
        shown = _select_points(points, {best[k] for k in numbers})
        group, names = _name_tasks(list(dict.fromkeys(tasks[k] for k in numbers)))
        places = _scale_points(points, unit)
        for k in numbers:
            cells[k] |= {"is_shown": ats[k] in shown, "place": places[ats[k]]}
            cells[k] |= {"task_group": group, "task_name": names[tasks[k]]}
            cells[k] |= {"is_log": places[points[-1]] != points[-1]}
    for (_, name, *_), numbers in rows.groups(_CURVE).items():
        every = {
            at for at, other in zip(ats, rows.column("training"), strict=True) if other == name
        }
        lost = sorted(
            (every | {*range(1, rows.column("of")[numbers[0]] + 1)}) - {ats[k] for k in numbers}
        )
        for k in numbers:
            cells[k]["unmeasured"] = ", ".join(f"{at:,}" for at in lost)
    made = {name: [cell[name] for cell in cells] for name in cells[0]}
    return rows.with_columns({**made, **_name_lines(rows)})


def _name_lines(rows: ResultFrame) -> dict[str, list[str]]:
    """What the lines of trainings are called, and what tells those of one training apart."""
    trainings = rows.column("training")
    brief = {name: shorten_task(name) for name in trainings}
    # two folders of one name are told apart by where they lie
    if len(set(brief.values())) < len(brief):
        brief = {name: name for name in brief}
    more = _tell_lines_apart(rows)
    lines = {
        name: {m for m, other in zip(more, trainings, strict=True) if other == name}
        for name in brief
    }
    pairs = list(zip(trainings, more, strict=True))
    return {
        "line_name": [", ".join(filter(None, (brief[name], each))) for name, each in pairs],
        "line_more": [each if len(lines[name]) > 1 else "" for name, each in pairs],
    }


def _tell_lines_apart(rows: ResultFrame) -> list[str]:
    """What is read, and the probe, where there are several."""
    reads, probes = rows.column("layer"), rows.column("probe")
    has_reads, has_probes = len(set(reads)) > 1, len(set(probes)) > 1
    return [
        ", ".join([read] * (has_reads and read != "-") + [probe] * has_probes)
        for read, probe in zip(reads, probes, strict=True)
    ]


def _select_points(points: Sequence[int], best: Iterable[int]) -> set[int]:
    """Points that stand beside each other: all of few, else some, the best ones and the ends among
    them.
    """
    if len(points) <= _MOST_POINTS:
        return set(points)
    kept = {points[0], points[-1], *({*best} & {*points})}
    step = math.ceil(len(points) / (_MOST_POINTS - len(kept)))
    return kept | set(points[::step])


def _name_tasks(tasks: Sequence[str]) -> tuple[str, dict[str, str]]:
    """What tasks have in common, if they are one group, and what each is called beside that."""
    columns = arrange_columns(tasks)
    groups = {column.group for column in columns}
    if len(groups) > 1 or groups == {""}:
        return "", {task: shorten_task(task) for task in tasks}
    options = "".join(f",{key}={value}" for key, value in shared_options(tasks))
    return groups.pop() + options, {column.task: column.name for column in columns}


def _scale_points(points: Sequence[int], unit: str) -> dict[int, float]:
    """Where points lie, from left to right: epochs evenly, steps that are far apart on a log scale;
    before training is a power before the first.
    """
    later = [at for at in points if at > 0]
    far = {"epoch": math.inf, "step": _FAR_STEPS}.get(unit, _FAR_SETTINGS)
    if not later or max(later) < far * min(later):
        return {at: float(at) for at in points}
    return {at: math.log2(at) if at else math.log2(min(later)) - 1 for at in points}


_TABLE = ListTable(
    columns=(
        ("task", "task_text"),
        ("{{ at|count }}", "score", "is_shown", "false", "at"),
        *(("±", "half"), ("constant", "constant"), ("n", "n_most")),
        ("ρ", "trend", "true", "trend_corrected <= 0.05"),
        *(("95 % of ρ", "trend_interval"), ("p", "trend_p"), ("points", "trend_n")),
    ),
    rows="true",
    lines=_CURVE,
    tables=("unit",),
    sections=("training",),
    heading="{{ training|task }}",
    line="{{ line(rows[0]) }}",
    above=("figure_names", "figure_label", "figure_cell"),
    words=("task",),
    mark=_MARK,
    lead="",
)
_COURSES = FigurePanels(
    by=("unit", "figure"),
    when="figure and dev is not unknown",
    titles=("course_title", "course_line"),
    x="place",
    label="axis",
    places=("point_name", "unit"),
    lines=(
        FigureLine(
            *("dev", "course_told"),
            by=("training",),
            level="bar",
            ring="is_best",
        ),
    ),
)
_SCORES = FigurePanels(
    by=("task", "unit"),
    titles=("task_title", "metric_name"),
    x="place",
    label="axis",
    places=("point_name", "unit"),
    lines=(FigureLine(*("score", "score_told", "low", "high"), ring="is_best", start="at == 0"),),
    levels=(("constant_score", 0.9),),
    ends="centred",
    corner=("trend_sign", "trend_corrected <= 0.05"),
    corner_sign="ρ",
)
_FIGURE = LineFigure(
    about="{{ about(rows) }}",
    nothing="nothing to draw: no epoch or step of a training has a score",
    panels=(_COURSES, _SCORES),
    lines=_LINE,
    name="line_text",
    choose="choose some training runs by name (-e), or layer selections (--layers)",
    key=(FigureKey("ring", "best on dev", DARK_GREY, "o", when="rows|selectattr('best')|list"),),
    least=6.5,
    high=(0.5, 0.17),
    notes="figure_notes",
)


def make_curve_view(by: str = "", seed: int = 0) -> FrameView:
    """The view of learning curves: by epochs and steps, or by a setting in which trainings differ;
    `seed` is that of the permutations of long curves.
    """
    return FrameView(
        name="curves",
        about="Scores during training, beside the figures that the training recorded.",
        keys=(*RUN_KEYS, "training", "at"),
        extra=("checkpoint", "fit"),
        prepare=partial(place_points, by=by),
        where={},
        statistics=(
            MeanScore(),
            ClusterNames("clusters"),
            ExampleMarks("mark", ("task", "unit")),
            RankTrend("trend", _CURVE, "at", seed),
        ),
        tables=(_TABLE,),
        fields=(
            *("task", "training", "objective", "read=layer", "probe", "unit", "at"),
            *("best=is_best", "metric", "score", "low", "high", "majority=constant_score"),
            *("n=n_test", "seeds", "figure", "dev", "loss", "correlation=trend"),
            *("correlation_low=trend_low", "correlation_high=trend_high", "p=trend_p"),
            *("corrected=trend_corrected", "points=trend_n"),
        ),
        sentences=Path(__file__).with_name("curves.j2"),
        names=label_encoders,
        figure=_FIGURE,
    )
