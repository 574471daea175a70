"""Learning curves as tables: for each training its figures on dev and the scores of the tasks,
point by point, with how each goes with the progress of training.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lingprobe.analysis.answers import (
    differences,
    mark_test_sets,
    over,
)
from lingprobe.analysis.curves import Curve, Curves, History, rows_of
from lingprobe.pages.captions import shorten_task
from lingprobe.pages.curve_figures import curves_figure, line_of, metric_name, name_lines
from lingprobe.pages.groups import arrange_columns, shared_options
from lingprobe.pages.records import format_csv
from lingprobe.pages.relate import coefficient
from lingprobe.tables.page import Page
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
    format_p_value,
)

MARK = "•"
MOST = 12  # points beside each other; of more, some are shown
AFTER = ("±", "constant", "n", "ρ", "95 % of ρ", "p", "points")


@dataclass(frozen=True, slots=True)
class CurveRow:
    """One point of a curve, for programs; scores are percent, NaN where something is not known.

    at, unit     how far the training had come; 0 is before it
    best         1 at the best point on dev, else 0
    majority     what the most frequent label scores
    figure, dev  a figure of the training by which the best point is told, and its value on dev
    loss         that of train
    correlation  of the score with the progress of training, with its interval, p alone and for all
                 curves, and how many points it is over
    """

    task: str
    training: str
    objective: str
    read: str
    probe: str
    unit: str
    at: int
    best: int
    metric: str
    score: float
    low: float
    high: float
    majority: float
    n: int
    seeds: int
    figure: str
    dev: float
    loss: float
    correlation: float
    correlation_low: float
    correlation_high: float
    p: float
    corrected: float
    points: int


def curves_page(found: Curves) -> Page[Curves]:
    """Learning curves in every format."""
    return Page(
        found,
        lambda: tables(found),
        {"csv": lambda: format_csv(curve_rows(found))},
        figure=lambda: curves_figure(found),
    )


def tables(found: Curves) -> list[Table]:
    """A table for epochs and one for steps, a section for each training; notes stand below the
    last.
    """
    units = list(dict.fromkeys(history.unit for history in found.histories))
    return [_table(found, unit, last=unit == units[-1]) for unit in units]


def _table(found: Curves, unit: str, last: bool) -> Table:
    histories = [history for history in found.histories if history.unit == unit]
    mine = [curve for history in histories for curve in found.of(history)]
    points = _select_points(sorted({at for curve in mine for at in curve.rows}), histories)
    signs = _signs(mine)
    group, tasks = _name_tasks(list(_by_task(mine)))
    sections = tuple(_section(found, history, points, signs, tasks) for history in histories)
    words = frozenset({"task"})
    head = ("task", *(f"{at:,}" for at in points), *AFTER)
    every = sorted({at for curve in mine for at in curve.rows})
    learnt = unit in ("epoch", "step")
    along = f"{unit}s; 0 is before training" if learnt else f"{unit}, each a separate training run"
    notes = [
        f"Columns: {along}. ±: half of the widest 95 % interval of a row. {MARK}: the trend is"
        " significant after correction."
        + (
            ""
            if len(points) == len(every)
            else f" {len(every)} {unit if learnt else 'point'}s were measured; CSV has all."
        ),
        f"Scores: {over('seed', rows_of(mine))}",
        *(
            text
            for these in _by_task(mine).values()
            for text in differences(rows_of(these), shorten_task(these[0].task))
        ),
        *(found.notes if last else ()),
    ]
    title = "Scores during training" if learnt else f"Scores by {unit}"
    title += f": {group}" if group else ""
    return Table(head, sections, words, tuple(notes), title, mark=MARK)


def _select_points(points: Sequence[int], histories: Sequence[History]) -> list[int]:
    """Points that stand beside each other: all of few, else some, the best ones and the ends among
    them.
    """
    if len(points) <= MOST:
        return list(points)
    kept = {points[0], points[-1], *(h.best for h in histories if h.best in points)}
    step = math.ceil(len(points) / (MOST - len(kept)))
    return sorted(kept | set(points[::step]))


def _name_tasks(tasks: Sequence[str]) -> tuple[str, dict[str, str]]:
    """What tasks have in common, if they are one group, and what each is called beside that."""
    columns = arrange_columns(tasks)
    groups = {column.group for column in columns}
    if len(groups) > 1 or groups == {""}:
        return "", {task: shorten_task(task) for task in tasks}
    options = "".join(f",{key}={value}" for key, value in shared_options(tasks))
    return groups.pop() + options, {column.task: column.name for column in columns}


def _by_task(mine: Sequence[Curve]) -> dict[str, list[Curve]]:
    tasks: dict[str, list[Curve]] = {}
    for curve in mine:
        tasks.setdefault(curve.task, []).append(curve)
    return tasks


def _signs(mine: Sequence[Curve]) -> dict[int, str]:
    """The sign of each row that is over other test examples than most of its task."""
    signs: dict[int, str] = {}
    for these in _by_task(mine).values():
        rows = rows_of(these)
        signs |= dict(zip(map(id, rows), mark_test_sets(rows), strict=True))
    return signs


def _section(
    found: Curves,
    history: History,
    points: Sequence[int],
    signs: Mapping[int, str],
    tasks: Mapping[str, str],
) -> TableSection:
    """One training: its figures, and the scores of each task."""
    curves = found.of(history)
    names, many = name_lines(found), len({line_of(curve) for curve in curves}) > 1
    figures = [
        (_figure(name), *_course(history, name, points), *[""] * len(AFTER))
        for name in dict.fromkeys(name for each in history.figures.values() for name in each)
    ]
    body, strong = list(figures), set()
    for curve in curves:
        more = names[line_of(curve)].partition(", ")[2] if many else ""
        task = tasks[curve.task] + (f", {more}" if more else "")
        scores = (_score(curve, at, signs) for at in points)
        if curve.trend.is_significant:
            strong.add((len(body), len(points) + 1 + AFTER.index("ρ")))
        body.append((task, *scores, *_after(curve)))
    rules = frozenset({len(figures)} if figures and curves else ())
    return TableSection(
        shorten_task(history.name), tuple(body), _line(history), frozenset(strong), rules=rules
    )


def _line(history: History) -> str:
    """What the encoder was trained for, and its best point."""
    said = [f"trained to {history.objective}"] if history.objective else []
    if history.best:
        value = history.course(history.figure).get(history.best, math.nan)
        figure = "" if math.isnan(value) else f" ({metric_name(history.figure)} {value:,.1f})"
        said.append(f"best on dev: {history.unit} {history.best}{figure}")
    bars = [f"{_name_baseline(name)} {value:,.1f}" for name, value in history.trivial.items()]
    if bars:
        said.append(f"baselines: {', '.join(bars)}")
    return "; ".join(said)


def _name_baseline(baseline: str) -> str:
    """A baseline, such as 'bleu of copying', with its metric as tables write it."""
    metric, of, what = baseline.partition(" ")
    return metric_name(metric) + of + what


def _figure(name: str) -> str:
    return "loss on train" if name == "loss" else f"{metric_name(name)} on dev"


def _course(history: History, figure: str, points: Sequence[int]) -> list[str]:
    known = history.course(figure)
    return [
        f"{known[at]:,.{2 if figure == 'loss' else 1}f}" if at in known else "" for at in points
    ]


def _score(curve: Curve, at: int, signs: Mapping[int, str]) -> str:
    row = curve.rows.get(at)
    return "" if row is None else format_number(row.score) + signs.get(id(row), "")


def _after(curve: Curve) -> tuple[str, ...]:
    """What stands behind the scores of a line."""
    rows, trend = list(curve.rows.values()), curve.trend
    halves = [(row.high - row.low) / 2 for row in rows if row.high == row.high]
    low, high = coefficient(trend.low), coefficient(trend.high)
    return (
        format_number(max(halves, default=math.nan)),
        format_number(rows[0].majority),
        f"{max(row.n for row in rows):,}",
        coefficient(trend.correlation),
        "" if math.isnan(trend.low) else f"{low} – {high}",
        format_p_value(trend.corrected),
        f"{trend.n}",
    )


def curve_rows(found: Curves) -> list[CurveRow]:
    """Every point of every curve, for programs."""
    histories = {history.name: history for history in found.histories}
    listed = []
    for curve in found.curves:
        history, trend = histories[curve.training], curve.trend
        ends = trend.correlation, trend.low, trend.high, trend.p, trend.corrected, trend.n
        for at, row in curve.rows.items():
            figures = history.figures.get(at, {})
            listed.append(
                CurveRow(
                    curve.task,
                    curve.training,
                    history.objective,
                    curve.read,
                    curve.probe,
                    history.unit,
                    at,
                    int(at == history.best and at > 0),
                    curve.metric,
                    *(row.score, row.low, row.high, row.majority, row.n, row.seeds),
                    history.figure,
                    figures.get(history.figure, math.nan),
                    figures.get("loss", math.nan),
                    *ends,
                )
            )
    return listed
