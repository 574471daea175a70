"""How models compare on each task: in groups, by comparison with the best, and with the baselines.

The best of a task is found on the same test examples as it is tested on, so what its comparisons
are corrected for is the family of all pairs, as for what tables set in bold (`leaders`); p is
corrected by Holm's method (1979, Scandinavian Journal of Statistics 6:65). The comparisons are
those of `analysis.comparison`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
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
from lingprobe_extensions.board.own_metrics import Submitted, divide, submitted_rows

Group = Literal["leading", "behind", "not compared", "as submitted"]
Key = tuple[str, str, str]
"""A task, a probe and a metric: scores that stand below each other."""


class Standing(NamedTuple):
    """A model on a task, at the layer that is judged.

    group       leading: the best, or not significantly worse; behind: significantly worse; as
                submitted: by a metric that is not run here
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
        return self.floor is not None and self.floor.strictest.verdict == "better"


class TaskStandings(NamedTuple):
    """All that was measured on a task with a probe, in the order of the encoders' names.

    languages  of the data, as eng-Latn
    floors     rows of baselines; upper bounds: of oracles
    shown      the trained probes behind the rows of models and baselines
    controls   those of controls, at any layer, and those without beside them
    """

    key: Key
    models: tuple[Standing, ...]
    floors: tuple[Any, ...]
    ceilings: tuple[Any, ...]
    languages: tuple[str, ...]
    shown: ResultFrame
    controls: ResultFrame

    def of(self, group: Group) -> list[Standing]:
        """The models of a group."""
        return [one for one in self.models if one.group == group]


class Standings(NamedTuple):
    """The standings on each task, and what p values of groups and of baselines are corrected
    for.
    """

    tasks: tuple[TaskStandings, ...]
    family: str
    floors_family: str


def standings(results: Sequence[Result]) -> Standings:
    """How the models among some results compare on each task; scores by metrics that are not run
    here stand by themselves.
    """
    results, others = divide(results)
    frame = ResultFrame.of(results)
    scored = compute_scores(frame)
    verdicts = judge_encoders(scored)
    judged = {_place(task.row): task for one in verdicts.encoders for task in one.tasks}
    measured: dict[Key, list[ComparedRow]] = {}
    for mine in group_rows_by_task(scored):
        for one in mine:
            measured.setdefault(_key(one.row), []).append(one)
    models = {key: _at_chosen_layers(mine, judged) for key, mine in measured.items()}
    pairs = sum(_pairs(mine, judged) for mine in models.values())
    compared = _with_the_best(models, pairs)
    ceilings = scored.where(control="none", role="oracle")
    places = frame.groups(_PLACE)
    languages = _list_languages(frame, results)
    tasks = []
    for key, mine in models.items():
        every = [one.row for one in measured[key]]
        standing = tuple(_standing(one.row, every, judged, compared) for one in mine)
        floors = [one for one in measured[key] if one.row.kind == "baseline"]
        shown = [k for one in (*mine, *floors) for k in places[_get_place(one.row)]]
        plain = frame.take(shown).where(control="none")
        beside = [places[_get_place(one.row)] for one in measured[key]]
        controls = frame.column("control")
        controlled = [some for some in beside if any(controls[k] != "none" for k in some)]
        tasks.append(
            TaskStandings(
                key,
                standing,
                tuple(one.row for one in floors),
                tuple(row for row in ceilings if _key(row) == key),
                languages[key[0]],
                plain,
                frame.take([k for some in controlled for k in some]),
            )
        )
    family = f"{pairs:,} pairs of models and layers on {len(tasks):,} tasks"
    floors_family = f"{verdicts.comparisons:,} comparisons of models and layers with the baselines"
    return Standings((*tasks, *_as_submitted(others)), family, floors_family)


def _as_submitted(results: Sequence[Result]) -> Iterator[TaskStandings]:
    """Tasks whose metrics are not run here, each model at the layer that is best on dev."""
    every: dict[Key, list[Submitted]] = {}
    for one in submitted_rows(results):
        every.setdefault(_key(one.row), []).append(one)
    for key, mine in every.items():
        best: dict[str, Submitted] = {}
        for one in sorted(mine, key=lambda one: (_or_least(one.on_dev), one.row.score)):
            if one.row.kind == "trained":
                best[one.row.encoder] = one
        every_row = [one.row for one in mine]
        judged = (best[name].row for name in sorted(best))
        standing = (_not_compared(row, "as submitted", every_row) for row in judged)
        yield TaskStandings(
            key,
            tuple(standing),
            tuple(row for row in every_row if row.kind == "baseline"),
            tuple(row for row in every_row if row.kind == "oracle"),
            tuple(list_languages(one.results[0] for one in mine)),
            ResultFrame.of([]),
            ResultFrame.of([]),
        )


def _or_least(value: float) -> float:
    return -math.inf if math.isnan(value) else value


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
    return row.task, row.encoder, row.layer, row.probe


def _place(row: Any) -> tuple[str, str, str]:
    return row.task, row.encoder, row.probe


def _at_chosen_layers(
    mine: Sequence[ComparedRow], judged: Mapping[tuple[str, str, str], TaskVerdict]
) -> list[ComparedRow]:
    """Of each model the layer that `compare` judges; the best where it judges none."""
    kept: dict[str, ComparedRow] = {}
    for one in mine:
        if one.row.kind != "trained" or math.isnan(one.row.score):
            continue
        verdict, before = judged.get(_place(one.row)), kept.get(one.row.encoder)
        if verdict is not None:
            if verdict.row.layer == one.row.layer:
                kept[one.row.encoder] = one
        elif before is None or before.row.score < one.row.score:
            kept[one.row.encoder] = one
    return [kept[name] for name in sorted(kept)]


def _pairs(mine: Sequence[ComparedRow], judged: Mapping[tuple[str, str, str], TaskVerdict]) -> int:
    """How many pairs a task has; of a model whose layer dev did not choose each layer counts."""
    known = [judged.get(_place(one.row)) for one in mine]
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
) -> Standing:
    known = compared.get(_measured_place(row))
    others = tuple(_other_layers(row, every))
    floor = judged.get(_place(row))
    if known is None:
        return _not_compared(row, "not compared", every)._replace(floor=floor)
    difference, p = known
    is_behind = p < 0.05 and difference < 0
    return Standing(row, "behind" if is_behind else "leading", difference, p, floor, others)


def _not_compared(row: Any, group: Group, every: Sequence[Any]) -> Standing:
    return Standing(row, group, math.nan, math.nan, None, tuple(_other_layers(row, every)))


def _other_layers(row: Any, every: Sequence[Any]) -> Iterator[Any]:
    yield from (one for one in every if one.encoder == row.encoder and one.layer != row.layer)
