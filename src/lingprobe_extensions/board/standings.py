"""How models compare on each task: in groups, by comparison with the baselines and with the best.

Groups are of what the operator of a board measured. What others report stands beside them, and is
compared with nothing but what the operator measured of the same model.

The best of a task is found on the same test examples as it is tested on, so what its comparisons
are corrected for is the family of all pairs, as for what tables set in bold (`leaders`); p is
corrected by Holm's method (1979, Scandinavian Journal of Statistics 6:65). The comparisons are
those of `analysis.comparison`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, Literal, NamedTuple

import numpy as np

from lingprobe import Result, ResultFrame
from lingprobe.extend import (
    ComparedRow,
    ComparisonQuestion,
    TaskVerdict,
    compute_scores,
    correct_p_values,
    decide_comparisons,
    explain_mismatch,
    group_rows_by_task,
    judge_encoders,
    list_languages,
    mark_test_sets,
)
from lingprobe_extensions.board.frame import CONSTANT_ANSWER
from lingprobe_extensions.board.own_metrics import (
    SubmittedRow,
    divide_by_metric,
    submitted_row,
    submitted_rows,
)

_ALPHA = 0.05

Group = Literal[
    "leading", "behind", "not above baselines", "no baselines", "not compared", "not computed"
]
Key = tuple[str, str, str]
"""A task, a probe and a metric: scores that stand below each other."""


class ModelStanding(NamedTuple):
    """A model that the operator measured on a task, at the layer that is judged.

    group       leading: above all baselines, and the best or not significantly worse; behind:
                significantly worse than the best; not above: not significantly above all baselines;
                no baselines: of this task none was measured; not compared: over other test
                examples; not computed: by a metric that is not run here
    difference  from the best, in percent; p: corrected by Holm's method; NaN for the best itself
    floor       how it compares with the baselines; None where there is nothing to compare with
    others      the rows of its other layers
    """

    row: Any
    group: Group
    difference: float
    p: float
    floor: TaskVerdict | None
    others: tuple[Any, ...]

    @property
    def is_above_floors(self) -> bool:
        """Whether it is significantly better than every baseline and constant answer."""
        return _is_above(self.floor)


class ReportedScore(NamedTuple):
    """A score that a submitter reports of a model on a task, at the layer that is best on dev.

    measured    what the operator measured of the same layer; None for nothing
    difference  of the report from it, in percent, with p corrected by Holm's method; NaN where they
                are not compared
    others      reported scores of its other layers
    """

    row: Any
    measured: Any | None
    difference: float
    p: float
    others: tuple[Any, ...]

    @property
    def differs(self) -> bool:
        """Whether the report differs significantly from the measurement of the operator."""
        return self.p < _ALPHA


class TaskStandings(NamedTuple):
    """All that is known of a task with a probe, in the order of the encoders' names.

    shown      the trained probes behind the rows of models and baselines
    controls   those of controls, at any layer, and those without beside them
    floors     rows of baselines; ceilings: of oracles
    languages  of the data, as eng-Latn
    reported   what submitters report of models
    """

    key: Key
    shown: ResultFrame
    controls: ResultFrame
    models: tuple[ModelStanding, ...] = ()
    floors: tuple[Any, ...] = ()
    ceilings: tuple[Any, ...] = ()
    languages: tuple[str, ...] = ()
    reported: tuple[ReportedScore, ...] = ()

    def of(self, group: Group) -> list[ModelStanding]:
        """The models of a group."""
        return [one for one in self.models if one.group == group]


class BoardStandings(NamedTuple):
    """The standings on each task, and what p values of groups, of baselines and of reports are
    corrected for; '' where no report is compared.
    """

    tasks: tuple[TaskStandings, ...]
    family: str
    floors_family: str
    reports_family: str = ""


def compute_standings(
    measured: Sequence[Result], reported: Sequence[Result] = ()
) -> BoardStandings:
    """Only what the operator measured is compared: how models compare on each task, and beside them
    what is reported, which changes nothing of it. Scores by metrics that are not run here stand by
    themselves.
    """
    results, others = divide_by_metric(measured)
    frame, nothing = ResultFrame.of(results), ResultFrame.of([])
    scored = compute_scores(frame)
    own = _compare_models(scored, frame, results)
    tasks = {one.key: one for one in (*own.tasks, *_not_computed(others))}
    reports = _reports(reported, scored)
    for key, mine in reports.items():
        known = tasks.get(key, TaskStandings(key, nothing, nothing))
        languages = known.languages or tuple(list_languages(one.results[0] for one, _ in mine))
        shown = tuple(one for _, one in mine)
        tasks[key] = known._replace(reported=shown, languages=languages)
    compared = sum(not math.isnan(one.p) for mine in reports.values() for _, one in mine)
    family = f"{compared:,} comparisons of reported scores with those measured here"
    family *= bool(compared)
    return own._replace(tasks=tuple(tasks.values()), reports_family=family)


def _compare_models(
    scored: ResultFrame, frame: ResultFrame, results: Sequence[Result]
) -> BoardStandings:
    """How models compare on each task, by the scores of a frame of these results."""
    verdicts = judge_encoders(scored)
    judged = {_get_row_key(task.row): task for one in verdicts.encoders for task in one.tasks}
    measured: dict[Key, list[ComparedRow]] = {}
    for mine in group_rows_by_task(scored):
        for one in mine:
            measured.setdefault(_key(one.row), []).append(one)
    models = {key: _at_chosen_layers(mine, judged) for key, mine in measured.items()}
    pairs = sum(_count_task_pairs(mine, judged) for mine in models.values())
    compared = _with_the_best(models, pairs)
    ceilings = scored.where(control="none", role="oracle")
    places = frame.groups(_PLACE)
    languages = _list_languages(frame, results)
    controls = frame.column("control")
    tasks = []
    for key, mine in models.items():
        every = [one.row for one in measured[key]]
        floors = [one for one in measured[key] if one.row.kind == "baseline"]
        shown = [k for one in (*mine, *floors) for k in places[_get_place(one.row)]]
        beside = [places[_get_place(one.row)] for one in measured[key]]
        controlled = [some for some in beside if any(controls[k] != "none" for k in some)]
        tasks.append(
            TaskStandings(
                key,
                frame.take(shown).where(control="none"),
                frame.take([k for some in controlled for k in some]),
                tuple(_standing(one.row, every, judged, compared) for one in mine),
                tuple(one.row for one in floors),
                tuple(row for row in ceilings if _key(row) == key),
                languages[key[0]],
            )
        )
    family = f"{pairs:,} pairs of models and layers on {len(tasks):,} tasks"
    floors_family = f"{verdicts.comparisons:,} comparisons of models and layers with the baselines"
    return BoardStandings(tuple(tasks), family, floors_family)


def _not_computed(results: Sequence[Result]) -> Iterator[TaskStandings]:
    """Tasks whose metrics are not run here, each model at the layer that is best on dev."""
    for key, mine in _by_key(submitted_rows(results)).items():
        every_row = [one.row for one in mine]
        judged = [one.row for one in _best_on_dev(mine)]
        standing = (_not_compared(row, "not computed", every_row) for row in judged)
        yield TaskStandings(
            key,
            ResultFrame.of([]),
            ResultFrame.of([]),
            tuple(standing),
            tuple(row for row in every_row if row.kind == "baseline"),
            tuple(row for row in every_row if row.kind == "oracle"),
            tuple(list_languages(one.results[0] for one in mine)),
        )


def _by_key(every: Iterable[SubmittedRow]) -> dict[Key, list[SubmittedRow]]:
    known: dict[Key, list[SubmittedRow]] = {}
    for one in every:
        known.setdefault(_key(one.row), []).append(one)
    return known


def _best_on_dev(mine: Sequence[SubmittedRow]) -> list[SubmittedRow]:
    """Of each model the layer that is best on dev, else the one with the best score."""
    best: dict[str, SubmittedRow] = {}
    for one in sorted(mine, key=lambda one: (_or_least(one.on_dev), one.row.score)):
        if one.row.kind == "trained":
            best[one.row.encoder] = one
    return [best[name] for name in sorted(best)]


def _or_least(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _reports(
    reported: Sequence[Result], own: ResultFrame
) -> dict[Key, list[tuple[SubmittedRow, ReportedScore]]]:
    """What is reported of models on each task, with how it differs from what was measured of the
    same layer over the same test examples.
    """
    computable, others = divide_by_metric([one for one in reported if one.trial.control == "none"])
    frame = ResultFrame.of(computable)
    rows, places = _list_by_place(compute_scores(frame)), frame.groups(_PLACE)
    measured = _list_by_place(own)
    computed = (
        submitted_row(one.row, [computable[k] for k in places[_get_place(one.row)]])
        for one in rows.values()
    )
    every = _by_key([*computed, *submitted_rows(others)])
    chosen = {key: _best_on_dev(mine) for key, mine in every.items()}
    asked = []
    for one in (one for mine in chosen.values() for one in mine):
        place = _measured_place(one.row)
        both = place in rows and place in measured
        if both and not explain_mismatch(rows[place], measured[place]):
            asked.append(ComparisonQuestion(rows[place], (measured[place],)))
    decided = decide_comparisons(asked)
    p = correct_p_values([decision.p for decision in decided]).tolist() if decided else []
    compared = {
        _measured_place(decision.question.one.row): _Compared(decision.difference, value)
        for decision, value in zip(decided, p, strict=True)
    }
    found = {}
    for key, mine in chosen.items():
        beside = [one.row for one in every[key]]
        found[key] = [(one, _report(one.row, beside, measured, compared)) for one in mine]
    return found


def _report(
    row: Any,
    beside: Sequence[Any],
    measured: Mapping[tuple[str, ...], ComparedRow],
    compared: Mapping[tuple[str, ...], _Compared],
) -> ReportedScore:
    """A report beside the measurement, with whether it differs significantly from it (paired,
    Holm).
    """
    place = _measured_place(row)
    known = compared.get(place, _Compared(math.nan, math.nan))
    here = measured[place].row if place in measured else None
    return ReportedScore(row, here, *known, tuple(_other_layers(row, beside)))


def _list_by_place(scored: ResultFrame) -> dict[tuple[str, ...], ComparedRow]:
    """Rows that can be compared, by what they are of."""
    listed = (one for mine in group_rows_by_task(scored) for one in mine)
    return {_measured_place(one.row): one for one in listed}


_PLACE = ("task", "encoder", "layer", "probe", "metric")
"""What a row is of, and the rows under controls beside it."""
_get_place = attrgetter(*_PLACE)


def _list_languages(frame: ResultFrame, results: Sequence[Result]) -> dict[str, tuple[str, ...]]:
    """The languages of each task, of a frame of these results."""
    tasks = frame.groups(("task",)).items()
    return {task: tuple(list_languages(results[k] for k in some)) for (task,), some in tasks}


def _key(row: Any) -> Key:
    return row.task, row.probe, row.metric


def _measured_place(row: Any) -> tuple[str, ...]:
    return row.task, row.encoder, row.layer, row.probe, row.control, row.metric


def _get_row_key(row: Any) -> tuple[str, str, str]:
    return row.task, row.encoder, row.probe


def _at_chosen_layers(
    mine: Sequence[ComparedRow], judged: Mapping[tuple[str, str, str], TaskVerdict]
) -> list[ComparedRow]:
    """Of each model the layer that `compare` judges; the best where it judges none."""
    kept: dict[str, ComparedRow] = {}
    for one in mine:
        if one.row.kind != "trained" or math.isnan(one.row.score):
            continue
        verdict, before = judged.get(_get_row_key(one.row)), kept.get(one.row.encoder)
        if verdict is not None:
            if verdict.row.layer == one.row.layer:
                kept[one.row.encoder] = one
        elif before is None or before.row.score < one.row.score:
            kept[one.row.encoder] = one
    return [kept[name] for name in sorted(kept)]


def _count_task_pairs(
    mine: Sequence[ComparedRow], judged: Mapping[tuple[str, str, str], TaskVerdict]
) -> int:
    """How many pairs a task has; of a model whose layer dev did not choose each layer counts."""
    known = [judged.get(_get_row_key(one.row)) for one in mine]
    many = sum(1 if each is None or each.on_dev else each.layers for each in known)
    return many * (many - 1) // 2


class _Compared(NamedTuple):
    """How much higher a row scores than the best, with p corrected; NaN for the best itself."""

    difference: float
    p: float


def _with_the_best(
    models: Mapping[Key, Sequence[ComparedRow]], pairs: int
) -> dict[tuple[str, ...], _Compared]:
    """The comparison of each model with the best of its task, where it is over the same test
    examples.
    """
    compared: dict[tuple[str, ...], _Compared] = {}
    asked: list[ComparisonQuestion] = []
    for mine in models.values():
        signs = mark_test_sets([one.row for one in mine])
        whole = [one for one, sign in zip(mine, signs, strict=True) if not sign]
        if not whole:
            continue
        best = max(whole, key=lambda one: one.row.score)
        compared[_measured_place(best.row)] = _Compared(math.nan, math.nan)
        rest = (one for one in whole if one is not best and not explain_mismatch(best, one))
        asked += [ComparisonQuestion(one, (best,)) for one in rest]
    decided = decide_comparisons(asked, comparisons=max(pairs, len(asked)))
    p = [decision.p for decision in decided]
    corrected = correct_p_values([*p, *np.ones(max(pairs - len(p), 0))])[: len(p)]
    for decision, value in zip(decided, corrected.tolist(), strict=True):
        compared[_measured_place(decision.question.one.row)] = _Compared(decision.difference, value)
    return compared


def _standing(
    row: Any,
    every: Sequence[Any],
    judged: Mapping[tuple[str, str, str], TaskVerdict],
    compared: Mapping[tuple[str, ...], _Compared],
) -> ModelStanding:
    """The group of a model on a task: leading if it is above the baselines, and the best or not
    significantly worse; else behind, not above baselines, or without baselines.
    """
    known = compared.get(_measured_place(row))
    floor = judged.get(_get_row_key(row))
    if known is None:
        return _not_compared(row, "not compared", every)._replace(floor=floor)
    group: Group = "leading"
    if not _has_baselines(floor):
        group = "no baselines"
    elif not _is_above(floor):
        group = "not above baselines"
    elif known.p < _ALPHA and known.difference < 0:
        group = "behind"
    return ModelStanding(row, group, *known, floor, tuple(_other_layers(row, every)))


def _has_baselines(floor: TaskVerdict | None) -> bool:
    """Without baselines nothing is ranked: whether a verdict rests on more than constant
    answers.
    """
    answers = floor.answers if floor else ()
    others = [other for answer in answers for other in answer.decision.question.others]
    return any(other.row.encoder != CONSTANT_ANSWER for other in others)


def _is_above(floor: TaskVerdict | None) -> bool:
    """Above the baselines: better than every baseline and constant answer."""
    return floor is not None and floor.strictest.verdict == "better"


def _not_compared(row: Any, group: Group, every: Sequence[Any]) -> ModelStanding:
    return ModelStanding(row, group, math.nan, math.nan, None, tuple(_other_layers(row, every)))


def _other_layers(row: Any, every: Sequence[Any]) -> Iterator[Any]:
    yield from (one for one in every if one.encoder == row.encoder and one.layer != row.layer)
