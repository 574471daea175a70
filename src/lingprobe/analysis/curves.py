"""Results at several points of a training -> curves: what an encoder knows as it learns, and
whether that goes with how long it has learnt (Conneau et al. 2018, section 5, Figure 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from lingprobe.analysis.answers import mark_test_sets
from lingprobe.analysis.points import Point, by_setting, places
from lingprobe.analysis.row import NO_CONTROL, ResultRow
from lingprobe.analysis.rows import rows, strip_fold
from lingprobe.data.core import DataProblem, Result
from lingprobe.data.references import shorten_reference
from lingprobe.encoders import ENCODERS
from lingprobe.metrics.correlation import MANY, coefficients, least_p, p_values
from lingprobe.metrics.correlation_intervals import intervals
from lingprobe.metrics.multiplicity import ALPHA, correct_p_values

FEW = 10  # points, below which a trend is a hint
NOTHING = math.nan
FOLLOW = (
    "The points of one training run are not independent: a small p means that the order of these"
    " scores is not due to chance, not that another run would show the same."
)
ALONE = "Each point is one training run at its best epoch; another seed would give another score."


@dataclass(frozen=True, slots=True)
class Trend:
    """How a score goes with the progress of a training: Spearman's ρ over n points after its
    beginning; NaN where there is none.

    p, corrected  two sides, by permutation, alone and for all curves at once (Holm)
    how           p was found: exact, permutation, approximation
    """

    correlation: float = NOTHING
    low: float = NOTHING
    high: float = NOTHING
    p: float = NOTHING
    corrected: float = NOTHING
    how: str = ""
    n: int = 0

    @property
    def is_significant(self) -> bool:
        """Whether the corrected p is below 0.05."""
        return self.corrected <= ALPHA


@dataclass(frozen=True, slots=True)
class Curve:
    """The scores of a task at the points of a training; `rows` by epochs or steps, 0 is before it.

    read   what was read of the encoder, '-' if there is no choice
    """

    task: str
    training: str
    read: str
    probe: str
    metric: str
    rows: Mapping[int, ResultRow]
    trend: Trend = Trend()

    @property
    def learnt(self) -> dict[int, ResultRow]:
        """The scored points after the start of training, restricted to the test set that most
        points share.
        """
        known = {at: row for at, row in self.rows.items() if at > 0 and row.score == row.score}
        signs = mark_test_sets([*known.values()])
        return {at: row for (at, row), sign in zip(known.items(), signs, strict=True) if not sign}


def rows_of(curves: Iterable[Curve]) -> list[ResultRow]:
    """The scores at all points of some curves."""
    return [row for curve in curves for row in curve.rows.values()]


@dataclass(frozen=True, slots=True)
class History:
    """A training, as far as results tell of it.

    name       the encoder's reference without the point
    unit       of points: epoch, step, or the setting in which trainings differ
    objective  what it was trained for; '' where nobody says
    figure     of dev, by which the best point is told
    best, of   that point, and how many there were; 0 where nobody says
    figures    by point: the loss of train, and figures of dev
    trivial    figures of what needs no encoder
    """

    name: str
    unit: str
    objective: str = ""
    figure: str = ""
    best: int = 0
    of: int = 0
    figures: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    trivial: Mapping[str, float] = field(default_factory=dict)

    def course(self, figure: str) -> dict[int, float]:
        """A figure by point, where it is known."""
        return {at: each[figure] for at, each in self.figures.items() if figure in each}


@dataclass(frozen=True, slots=True)
class Curves:
    """Learning curves; `notes` are about all of them."""

    curves: tuple[Curve, ...]
    histories: tuple[History, ...]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.curves)

    def of(self, history: History) -> list[Curve]:
        """The curves of a training."""
        return [curve for curve in self.curves if curve.training == history.name]


def curves(results: Sequence[Result], seed: int = 0, by: str = "") -> Curves:
    """The learning curves of some results; DataProblem where there is none of two points.

    seed  of the permutations of long curves
    by    a setting of trainings, as hidden: points are trainings that differ in it alone, each at
          its best epoch
    """
    points = by_setting(results, by) if by else places(results)
    found = [_curve(key, group, points) for key, group in _groups(results, points).items()]
    if not any(len(curve.rows) > 1 for curve in found):
        raise DataProblem(_nothing(points.values(), by))
    found = _add_trends(found, seed)
    histories = _histories(points.values())
    return Curves(tuple(found), histories, tuple(_notes(found, histories, _aside(results, points))))


def _groups(
    results: Sequence[Result], points: Mapping[str, Point]
) -> dict[tuple[str, ...], dict[int, dict[str, list[Result]]]]:
    """The results of each curve, by point and by the encoder's name."""
    groups: dict[tuple[str, ...], dict[int, dict[str, list[Result]]]] = {}
    for result in results:
        if result.trial.encoder in points and result.trial.control == NO_CONTROL:
            point = points[result.trial.encoder]
            at = groups.setdefault(_key(result, point), {}).setdefault(point.at, {})
            at.setdefault(result.trial.encoder, []).append(result)
    return groups


def best_points(results: Sequence[Result]) -> list[str]:
    """Which point of each training is the best on dev, where several of one were measured."""
    points = places(results)
    told = []
    for history in _histories(points.values()):
        many = len({point.at for point in points.values() if point.run == history.name})
        if many > 1 and history.best:
            value = history.course(history.figure).get(history.best)
            said = "" if value is None else f" ({history.figure} {value:,.1f})"
            told.append(f"{history.name}: {history.unit} {history.best} is the best on dev{said}.")
    return told


def _nothing(points: Iterable[Point], by: str) -> str:
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


def _key(result: Result, point: Point) -> tuple[str, ...]:
    trial = result.trial
    return strip_fold(trial.task), point.run, trial.read, trial.probe, result.metric


def _curve(
    key: tuple[str, ...],
    group: Mapping[int, Mapping[str, Sequence[Result]]],
    points: Mapping[str, Point],
) -> Curve:
    """The rows of a curve; a point that was measured under two names counts once."""
    found = {
        at: rows(by_name[max(by_name, key=lambda name: points[name].outright)])[0]
        for at, by_name in sorted(group.items())
    }
    first = next(iter(found.values()))
    return Curve(first.task, key[1], first.layer, first.probe, first.metric, found)


def _add_trends(found: Sequence[Curve], seed: int) -> list[Curve]:
    """The curves with their trends, whose p values are corrected for all of them."""
    points = sorted({at for curve in found for at in curve.learnt})
    columns = [[float(at) for at in points]]
    for curve in found:
        learnt = curve.learnt
        columns.append([learnt[at].score if at in learnt else NOTHING for at in points])
    values, pairs = np.array(columns).T, [(0, column) for column in range(1, len(columns))]
    observed, tests = coefficients(values, pairs), p_values(values, pairs, seed=seed)
    sure = intervals(values, pairs)
    p = [math.nan if math.isnan(observed[pair].value) else tests[pair].p for pair in pairs]
    whole = correct_p_values(p)
    return [
        replace(curve, trend=Trend(value, *sure[pair], one, float(held), tests[pair].how, n))
        for curve, pair, (value, n), one, held in zip(
            found, pairs, observed.values(), p, whole, strict=True
        )
    ]


def _histories(points: Iterable[Point]) -> tuple[History, ...]:
    """The trainings, in the order in which they come; what is known last of one holds."""
    made: dict[str, History] = {}
    for point in points:
        before = made.get(point.run, History(point.run, point.unit))
        known = point.known
        if known is None:
            made[point.run] = before
            continue
        figures = {**before.figures, **({known.at: known.figures} if known.figures else {})}
        newer = known.of >= before.of
        made[point.run] = replace(
            before,
            objective=known.objective,
            figure=known.figure,
            best=known.best if newer else before.best,
            of=max(known.of, before.of),
            figures=dict(sorted(figures.items())),
            trivial=known.trivial,
        )
    return tuple(made.values())


def _aside(results: Sequence[Result], points: Mapping[str, Point]) -> list[str]:
    """Encoders that are judged, but at no point of a training."""
    names = dict.fromkeys(
        shorten_reference(ENCODERS, r.trial.encoder)
        for r in results
        if r.trial.encoder not in points and r.provenance.kind == "trained"
    )
    reason = "excluded, not of an epoch or step of a training run"
    return [f"{', '.join(names)}: {reason}"] if names else []


def _notes(found: Sequence[Curve], histories: Sequence[History], aside: list[str]) -> list[str]:
    """What was not measured, and how far trends can be trusted."""
    notes = [*aside]
    for history in histories:
        mine = [curve for curve in found if curve.training == history.name]
        every = {at for curve in mine for at in curve.rows} | set(range(1, history.of + 1))
        lost: dict[tuple[int, ...], list[Curve]] = {}
        for curve in mine:
            lost.setdefault(tuple(sorted(every - set(curve.rows))), []).append(curve)
        notes += [
            f"{history.name}: {_points(missing, history.unit)} not measured"
            + ("." if len(these) == len(mine) else f" on {', '.join(_tasks(these))}.")
            for missing, these in lost.items()
            if missing
        ]
    units = list(dict.fromkeys(history.unit for history in histories))
    return notes + _doubts([c.trend for c in found if not math.isnan(c.trend.p)], units)


def _points(missing: Sequence[int], unit: str) -> str:
    many = len(missing) > 1
    named = ", ".join(f"{at:,}" for at in missing)
    return f"{unit}{'s' * many} {named} {'were' if many else 'was'}"


def _tasks(found: Sequence[Curve]) -> list[str]:
    return list(dict.fromkeys(curve.task.partition(":")[0] for curve in found))


def _read(many: int, units: Sequence[str]) -> str:
    """How trends are read."""
    of, follow = "epochs or steps, those after the beginning of training", FOLLOW
    if not set(units) <= {"epoch", "step"}:
        of, follow = ", ".join(units), ALONE
    return (
        f"ρ: Spearman's correlation of the score with {of}. p: by permutation of the points,"
        f" corrected for {many:,} curve{'s' * (many > 1)} (Holm). {follow}"
    )


def _doubts(tests: Sequence[Trend], units: Sequence[str]) -> list[str]:
    """What trends say, and what they cannot."""
    if not tests:
        return []
    notes = [_read(len(tests), units)]
    most, fewest = max(trend.n for trend in tests), min(trend.n for trend in tests)
    if fewest < FEW:
        counts = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        notes.append(f"Warning: {counts} points are few. Below ten, take ρ as a hint.")
    needed = ALPHA / len(tests)
    if most < MANY and least_p(most) > needed:
        enough = next(n for n in range(most, MANY) if least_p(n) <= needed)
        notes.append(
            f"With {most} points the smallest possible p is {least_p(most):.2g}, so that none of"
            f" {len(tests):,} can be significant. Measure {enough} points, or choose fewer curves"
            " (-t)."
        )
    return notes
