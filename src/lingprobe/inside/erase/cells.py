"""The cells of a matrix of erasures: scores, floors, tests, and what changes besides."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lingprobe.inside.erase.change import reliability
from lingprobe.inside.erase.fitting import FLOORS
from lingprobe.inside.erase.matrix import Outcome
from lingprobe.metrics.constant import best_constant, constant_column, constants, find_metric
from lingprobe.metrics.intervals import Answers, contrast, difference
from lingprobe.metrics.metric import Metric
from lingprobe.metrics.multiplicity import ALPHA, holm

PERCENT = 100.0
NAN = math.nan


@dataclass(frozen=True, slots=True)
class ErasureCell:
    """One task erased, one task measured. Scores are percent; NaN where something was not measured.

    erased, measured  the tasks; the same on the diagonal
    method, rank      of the eraser; `asked` is the rank that was asked for, 0 for what is needed
    fitted, train, n  examples of the eraser, of the probe, and of test
    constant          what the best constant answer scores
    before, after     what the probe scores that was fitted to vectors as they are, and to erased
                      ones; `low` and `high` are of after
    fall, fall_p      before less after, with its interval and p
    rank_floor, variance_floor, shuffled_floor  the score after each kind of floor, a mean over its
                      draws
    beyond, beyond_p  how much lower the score is than after the floor that does most, and the p of
                      not being lower or higher than each of them
    verdict           falls, rises or no significant difference: against all floors
    left_p            p of no difference from the constant answer
    nonlinear_before, nonlinear_after  what the nonlinear probe scores
    completeness      of the erasure (diagonal), collateral change of another task, with that of
                      the floor that changes most, and reliability, as `change` defines them
    dependence        Cramér's V of the two tasks' labels
    sample            all; independent: examples in which the two tasks' labels are; dependent:
                      they are not, and there are too few such examples; unknown: too few examples
                      have both labels
    angle             the smallest between the erased subspaces of the two tasks, in degrees
    p values are corrected for all cells of a matrix (Holm).
    """

    encoder: str
    layer: str
    method: str
    asked: int
    rank: int
    erased: str
    measured: str
    probe: str
    fitted: int
    train: int
    n: int
    constant: float
    before: float
    after: float
    low: float
    high: float
    fall: float
    fall_low: float
    fall_high: float
    fall_p: float
    rank_floor: float
    variance_floor: float
    shuffled_floor: float
    beyond: float
    beyond_p: float
    verdict: str
    left_p: float
    nonlinear_before: float
    nonlinear_after: float
    completeness: float
    collateral: float
    collateral_floor: float
    reliability: float
    dependence: float
    sample: str
    angle: float

    @property
    def is_own(self) -> bool:
        """Whether it is the erased task that is measured."""
        return self.erased == self.measured


def cells(outcomes: Sequence[Outcome], named: tuple[str, str, int, str]) -> list[ErasureCell]:
    """The cells of one matrix, whose p values are corrected together; of which encoder, by which
    method, of which rank (0 for what is needed), and which probe.
    """
    tested = [_tests(one) for one in outcomes]
    fall_p = holm([each.fall_p for each in tested])
    beyond_p = holm([each.beyond_p for each in tested])
    left_p = holm([each.left_p for each in tested])
    complete = {one.erased: one.complete for one in outcomes if one.erased == one.measured}
    return [
        _cell(one, each, named, complete.get(one.erased, NAN), p)
        for one, each, p in zip(
            outcomes, tested, zip(fall_p, beyond_p, left_p, strict=True), strict=True
        )
    ]


@dataclass(frozen=True, slots=True)
class _Tests:
    """What is tested of a cell, before correction."""

    fall: tuple[float, float, float]
    fall_p: float
    beyond: float
    beyond_p: float
    left_p: float


def _tests(one: Outcome) -> _Tests:
    answers, metric = one.answers, find_metric(one.metric)
    before, after = answers["before"], answers["after"]
    fall = difference(metric, before, after)
    floors = [answers[kind] for kind in FLOORS if kind in answers]
    beyond, beyond_p = beyond_floors(metric, floors, after)
    left = _p_of_constant(one, after)
    return _Tests((fall.value, fall.low, fall.high), fall.p, beyond, beyond_p, left)


def beyond_floors(
    metric: str | Metric, floors: Sequence[Answers], after: Answers
) -> tuple[float, float]:
    """How much lower a score is than the floor that does most, and the p of not being lower or
    higher than each draw of each; NaN without floors.
    """
    drawn = [[replace(floor, predicted=[said]) for said in floor.predicted] for floor in floors]
    gaps = [
        contrast(metric, [*((1 / len(each), one) for one in each), (-1.0, after)]) for each in drawn
    ]
    if not gaps:
        return NAN, NAN
    least, most = min(g.value for g in gaps), max(g.value for g in gaps)
    # draws differ by more than examples say, so it must be beyond each, and not their mean alone
    score = np.mean(after.scores(metric))
    signs = {np.sign(one - score) for floor in floors for one in floor.scores(metric)}
    return (
        least if least > 0 else min(most, 0.0),
        max(g.p for g in gaps) if signs in ({1.0}, {-1.0}) else 1.0,
    )


def _p_of_constant(one: Outcome, after: Answers) -> float:
    """The p of no difference from the best constant answer; NaN where labels have none."""
    answer = constants(one.train, one.metric)
    if not answer:
        return NAN
    kind = "class" if after.gold.classes is not None else "set"
    plain = constant_column(answer[kind], one.train.names, len(after.gold), kind)
    return difference(one.metric, after, Answers(after.gold, [plain], after.clusters)).p


def _cell(
    one: Outcome,
    tested: _Tests,
    named: tuple[str, str, int, str],
    complete: float,
    p: tuple[float, float, float],
) -> ErasureCell:
    encoder, method, asked, probe = named
    answers = one.answers
    low, high = answers["after"].interval(one.metric)
    floors = [_score(one, answers, kind) for kind in FLOORS]
    collateral = one.collateral.get("after", NAN)
    beside = [one.collateral[kind] for kind in FLOORS if kind in one.collateral]
    is_own = one.erased == one.measured
    return ErasureCell(
        *(encoder, one.read, method, asked, one.rank, one.erased, one.measured, probe),
        *(one.fitted, len(one.train), one.test),
        PERCENT * best_constant(one.train, answers["after"].gold, one.metric),
        *(_score(one, answers, "before"), _score(one, answers, "after")),
        *(PERCENT * low, PERCENT * high),
        *(PERCENT * tested.fall[0], PERCENT * tested.fall[1], PERCENT * tested.fall[2], p[0]),
        *(floors[0], floors[1], floors[2]),
        PERCENT * tested.beyond,
        p[1],
        verdict_of(tested.beyond, p[1]),
        p[2],
        _score(one, answers, "nonlinear before"),
        _score(one, answers, "nonlinear after"),
        PERCENT * (complete if is_own else NAN),
        PERCENT * collateral,
        PERCENT * max(beside, default=NAN),
        PERCENT * (NAN if is_own else reliability(complete, collateral)),
        one.dependence.v,
        one.sample,
        one.angle,
    )


def verdict_of(beyond: float, p: float) -> str:
    """What a corrected p lets one say of a score and all its floors."""
    if not p < ALPHA:
        return "no significant difference"
    return "falls" if beyond > 0 else "rises"


def _score(one: Outcome, answers: Mapping[str, Answers], name: str) -> float:
    if name not in answers:
        return NAN
    return PERCENT * float(np.mean(answers[name].scores(one.metric)))
