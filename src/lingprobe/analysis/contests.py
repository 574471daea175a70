"""Whether answers are better than those of each of some others over the same test examples: what
`comparison` says how it is decided, of answers whatever they are of.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from lingprobe.analysis.row import PERCENT_SCALE
from lingprobe.metrics import FitAnswers, Metric, compute_difference
from lingprobe.metrics.intervals import ScoreDifference, difference_from_draws
from lingprobe.metrics.multiplicity import INTERVAL_CORRECTIONS, SIGNIFICANCE_LEVEL
from lingprobe.metrics.resampling import RESAMPLE_COUNT, bootstrap_difference, compute_permutation_p

Verdict = Literal[
    "better", "worse", "no significant difference", "solved by a baseline", "too few clusters"
]
Test = Literal["t", "permutation", "bootstrap"]
DEFAULT_CORRECTION = "bonferroni"
_NO_ERROR = 1e-12  # of equal answers, so that it divides
_CLEAR = 10  # draws beyond the level at which a family is tested, so that p can fall below it


class DifferenceTest(Protocol):
    """How much higher one score is than another, as a share, and the p of none (two sides)."""

    @property
    def value(self) -> float: ...
    @property
    def p(self) -> float: ...

    def interval(self, level: float) -> tuple[float, float]:
        """The interval that misses with this probability."""
        ...


class ContestOpponent(NamedTuple):
    """The answers of another: whether they are constant, and whether they are draws of the weights
    of one network.
    """

    answers: FitAnswers
    is_constant: bool = False
    is_drawn: bool = False


class AnswerContest(NamedTuple):
    """Answers, and those that they may be better than."""

    metric: Metric
    one: FitAnswers
    others: Sequence[ContestOpponent]


class ContestOutcome(NamedTuple):
    """How a contest ends; differences are percent.

    difference  how much higher the score is than the best of the others
    low, high   the interval of the difference, corrected as p is for the family
    p           of being neither better nor worse; `corrected` for the family
    detectable  the smallest difference from the best that is told four times in five
    student     the difference from the best as shares; level: that of one comparison
    blocking    which of the others it is least surely better than, by Student's t, whose p decides;
                where it is worse, that with the lowest upper end
    """

    difference: float
    low: float
    high: float
    p: float
    corrected: float
    detectable: float
    student: ScoreDifference
    level: float
    blocking: int


def describe_outcome(difference: float, corrected: float, detectable: float) -> Verdict:
    """Better, worse or no significant difference, by the corrected p; nothing where the test
    examples form fewer than six clusters, as paradigms.
    """
    if math.isinf(detectable):
        return "too few clusters"
    if not corrected < SIGNIFICANCE_LEVEL:
        return "no significant difference"
    return "better" if difference > 0 else "worse"


def decide_contests(
    family: Sequence[AnswerContest],
    correction: str = DEFAULT_CORRECTION,
    test: Test = "t",
    comparisons: int = 0,
) -> list[ContestOutcome]:
    """The outcomes of a family of contests, in order.

    comparisons  of the family, where these are only some of them
    """
    many = comparisons or len(family)
    tests = [_tests(contest, test, many) for contest in family]
    fixed = [[other.is_constant for other in contest.others] for contest in family]
    p = [_of_all(*each) for each in zip(tests, fixed, strict=True)]
    whole = INTERVAL_CORRECTIONS[correction](p, many)
    answers = zip(family, tests, p, whole.p.tolist(), strict=True)
    return [_outcome(*answer, whole.level) for answer in answers]


def _tests(
    contest: AnswerContest, test: Test, many: int
) -> list[tuple[DifferenceTest, ScoreDifference]]:
    """The answers against each of the others: the test that is asked for, and Student's."""
    metric, one = contest.metric, contest.one
    draws = max(RESAMPLE_COUNT, math.ceil(_CLEAR * many / SIGNIFICANCE_LEVEL))
    found: list[tuple[DifferenceTest, ScoreDifference]] = []
    for other in contest.others:
        compare = difference_from_draws if other.is_drawn else compute_difference
        student: ScoreDifference = compare(metric, one, other.answers)
        tested: DifferenceTest = student
        if test == "permutation":
            tested = student._replace(p=compute_permutation_p(metric, one, other.answers, draws))
        elif test == "bootstrap":
            tested = bootstrap_difference(metric, one, other.answers, draws)
        found.append((tested, student))
    return found


def _of_all(
    tests: Sequence[tuple[DifferenceTest, ScoreDifference]], constants: Sequence[bool] = ()
) -> float:
    """The p (two sides) of being better than every baseline, or worse than at least one that is no
    constant.
    """
    fixed = constants or [False] * len(tests)
    able = [tested for (tested, _), is_fixed in zip(tests, fixed, strict=True) if not is_fixed]
    not_better = max(tested.p if tested.value > 0 else 1.0 for tested, _ in tests)
    not_worse = min((1.0 if tested.value > 0 else tested.p for tested in able), default=1.0)
    return min(not_better, len(tests) * not_worse)


def _outcome(
    contest: AnswerContest,
    tests: Sequence[tuple[DifferenceTest, ScoreDifference]],
    p: float,
    corrected: float,
    level: float,
) -> ContestOutcome:
    """The outcome, with the interval of the difference from the best of the others; where the score
    is worse, from the one that it is most surely worse than.
    """
    values = [tested.value for tested, _ in tests]
    lows = [tested.interval(level)[0] for tested, _ in tests]
    highs = [tested.interval(level / len(tests))[1] for tested, _ in tests]
    at = values.index(min(values))
    sure = [student.value / max(student.error, _NO_ERROR) for _, student in tests]
    blocking = sure.index(min(sure))
    if corrected < SIGNIFICANCE_LEVEL and min(values) < 0:
        others = zip(highs, contest.others, strict=True)
        able = [math.inf if other.is_constant else end for end, other in others]
        at = blocking = able.index(min(able))
    return ContestOutcome(
        difference=PERCENT_SCALE * values[at],
        low=PERCENT_SCALE * min(lows),
        high=PERCENT_SCALE * min(highs),
        p=p,
        corrected=corrected,
        detectable=PERCENT_SCALE * tests[at][1].detects(level),
        student=tests[at][1],
        level=level,
        blocking=blocking,
    )
