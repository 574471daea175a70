"""What views compute: statistics that add columns to the rows of a frame.

Each is a declaration. It is asked for the rows that are shown, beside all rows of the frame, reads
what probes predict where it has to, and calls the function of `metrics` that has the formula.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, NamedTuple, Protocol

import numpy as np

from lingprobe.analysis.answers import (
    describe_test_sets,
    find_mismatch,
    join_constants,
    join_predictions,
    mark_test_sets,
)
from lingprobe.analysis.contests import (
    AnswerContest,
    ContestOpponent,
    ContestOutcome,
    decide_contests,
    describe_outcome,
)
from lingprobe.analysis.frame import AnyValue, Columns, Folds, ResultFrame, is_among
from lingprobe.analysis.row import CONSTANT_ENCODER, PERCENT_SCALE
from lingprobe.data.digests import digest_pieces
from lingprobe.metrics import FitAnswers, compute_difference, contrast, correct_holm, interval
from lingprobe.metrics.areas import auc_values
from lingprobe.metrics.clusters import number_clusters
from lingprobe.metrics.constant import find_metric
from lingprobe.metrics.metric import Doubles, Metric
from lingprobe.metrics.multiplicity import SIGNIFICANCE_LEVEL
from lingprobe.metrics.resampling import joint_permutation

_NO_DIFFERENCE = "no significant difference"


class FrameStatistic(Protocol):
    """Adds columns to some rows of a frame."""

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        """Columns with a cell for each row that is shown; `frame` has these rows and all others."""
        ...


@dataclass(frozen=True)
class MeanScore:
    """The score, mean over repeats, with its 95 % interval: `score`, `low`, `high`."""

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        numbers = range(len(shown))
        low, high = zip(*map(shown.interval, numbers), strict=True) if numbers else ((), ())
        return {"score": list(map(shown.score, numbers)), "low": low, "high": high}


@dataclass(frozen=True)
class OtherScore:
    """The score of the row with the same keys but for some; NaN where there is none, and in rows
    that differ in some columns, `same`.
    """

    name: str
    other: Mapping[str, Any]
    same: Sequence[str] = ()

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        scores = [
            frame.score(k[0]) if k else math.nan for k in frame.find_others(shown, self.other)
        ]
        for column in self.same:
            pairs = zip(shown.column(self.same[0]), shown.column(column), scores, strict=True)
            scores = [score if one == other else math.nan for one, other, score in pairs]
        return {self.name: scores}


@dataclass(frozen=True)
class OtherMaximum:
    """The largest value of a column in rows with the same keys but for some; NaN without any."""

    name: str
    column: str
    other: Mapping[str, Any]

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        rows = frame if self.column in frame.names else shown
        cells = rows.column(self.column)
        found = [[cells[k] for k in numbers] for numbers in rows.find_others(shown, self.other)]
        return {self.name: [max(values, default=math.nan) for values in found]}


@dataclass(frozen=True)
class OtherBest:
    """The best score of the rows with the same keys but for some; NaN where none has a score."""

    name: str
    other: Mapping[str, Any]

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        others = frame.find_others(shown, self.other)
        scores = [[frame.score(k) for k in numbers] for numbers in others]
        known = [[score for score in values if not math.isnan(score)] for values in scores]
        return {self.name: [max(values, default=math.nan) for values in known]}


@dataclass(frozen=True)
class PairedDifference:
    """How much lower a score is than that of the row with the same keys but for some, with its
    interval and p: `NAME`, `NAME_low`, `NAME_high`, `NAME_p`; NaN where there is none.
    """

    name: str
    other: Mapping[str, Any]

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        rows: list[tuple[float, ...]] = []
        for number, others in enumerate(frame.find_others(shown, self.other)):
            if not others:
                rows.append((math.nan,) * 4)
                continue
            metric = shown.column("metric")[number]
            found = compute_difference(metric, frame.answers(others[0]), shown.answers(number))
            rows.append((*(PERCENT_SCALE * value for value in found[:3]), found.p))
        names = ("", "_low", "_high", "_p")
        return {f"{self.name}{end}": [row[i] for row in rows] for i, end in enumerate(names)}


@dataclass(frozen=True)
class LowerThanEach:
    """How much lower a score is than the other that is nearest below, as than baselines after
    erasing, of rows with the same keys but for some, and the p of not being lower (or higher) than
    each repeat of each: `NAME` and `NAME_p`; NaN where there are none.
    """

    name: str
    other: Mapping[str, Any]

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        values, p = [], []
        for number, others in enumerate(frame.find_others(shown, self.other)):
            metric = shown.column("metric")[number]
            answers = [frame.answers(k) for k in others]
            value, tested = compare_with_each(metric, answers, shown.answers(number))
            values.append(PERCENT_SCALE * value)
            p.append(tested)
        return {self.name: values, f"{self.name}_p": p}


def compare_with_each(
    metric: str | Metric, others: Sequence[FitAnswers], after: FitAnswers
) -> tuple[float, float]:
    """How much lower a score is than the nearest of some others, as a share, and the p of not being
    lower or higher than each repeat of each; NaN without others.
    """
    drawn = [
        [replace(other, predicted=[predicted]) for predicted in other.predicted] for other in others
    ]
    gaps = [
        contrast(metric, [*((1 / len(each), one) for one in each), (-1.0, after)]) for each in drawn
    ]
    if not gaps:
        return math.nan, math.nan
    least, most = min(g.value for g in gaps), max(g.value for g in gaps)
    # repeats differ by more than examples say, so it must be beyond each, and not their mean alone
    score = np.mean(after.scores(metric))
    signs = {np.sign(one - score) for other in others for one in other.scores(metric)}
    return (
        least if least > 0 else min(most, 0.0),
        max(g.p for g in gaps) if signs in ({1.0}, {-1.0}) else 1.0,
    )


@dataclass(frozen=True)
class ConstantTest:
    """The p of no difference from the constant answer that is best on train; NaN where labels have
    none.
    """

    name: str

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        return {self.name: [self._p_value(shown, number) for number in range(len(shown))]}

    def _p_value(self, shown: ResultFrame, number: int) -> float:
        folds = shown.folds(number)[0]
        if not folds[0].constants:
            return math.nan
        metric, own = shown.column("metric")[number], shown.answers(number)
        return compute_difference(metric, own, join_constants(folds)).p


@dataclass(frozen=True)
class HolmCorrection:
    """Columns of p values, each corrected for the tests of a family: rows with the same values of
    some columns.
    """

    columns: Sequence[str]
    family: Sequence[str]

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        corrected = {name: list(shown.column(name)) for name in self.columns}
        for numbers in shown.groups(self.family).values():
            for p in corrected.values():
                for number, value in zip(
                    numbers, correct_holm([p[k] for k in numbers]), strict=True
                ):
                    p[number] = float(value)
        return corrected


@dataclass(frozen=True)
class DifferenceVerdict:
    """In a word what a difference and its p say: that a score falls, or rises, or neither."""

    name: str
    difference: str
    p: str

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        pairs = zip(shown.column(self.difference), shown.column(self.p), strict=True)
        return {self.name: [describe_difference(value, p) for value, p in pairs]}


def describe_difference(lower: float, p: float) -> str:
    """Whether a score gets a star: it falls significantly below its baselines, being `lower` by so
    much with this corrected p, or rises, or neither.
    """
    if not p < SIGNIFICANCE_LEVEL:
        return _NO_DIFFERENCE
    return "falls" if lower > 0 else "rises"


@dataclass(frozen=True)
class ShareOfLargest:
    """How large the values of a column are beside its largest, at least 0: a scale for figures."""

    name: str
    column: str

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        values = np.nan_to_num(np.array(shown.column(self.column), np.float64))
        return {self.name: (values / max(values.max(initial=0.0), 1e-9)).tolist()}


@dataclass(frozen=True)
class BetterThanEach:
    """Whether a score is above each of some others over the same test examples, of rows with the
    same keys but for some: how much higher than the best of them (`NAME`), the interval and p,
    which are corrected for all rows (`NAME_low`, `NAME_high`, `NAME_p`; `NAME_p_alone` is not),
    what can be said (`NAME_verdict`), and of the best of them the encoder and the score
    (`NAME_best`, `NAME_best_score`). NaN, or '', where there are none.

    role          of the rows that are asked about, or `ANY`
    has_constant  whether the constant answer is one of the others; baselines are asked about it
                  where there is nothing else to be asked about
    is_lower      how much lower than the best of them, not higher
    only          a column that says which rows are asked about, each by itself: those that are the
                  best of as many as stand in `ONLY_of`, which p is corrected for
    is_by_labels  whether equal labels alone say that test examples are the same
    """

    name: str
    other: Mapping[str, Any]
    role: str | AnyValue = "trained"
    has_constant: bool = False
    is_lower: bool = False
    only: str = ""
    is_by_labels: bool = False

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        roles = shown.column("role")
        has_role = any(is_among(role, self.role) for role in roles)
        rivals = frame.find_others(shown, self.other)
        asked: list[tuple[int, list[RivalRow]]] = []
        chosen = shown.column(self.only) if self.only else [True] * len(shown)
        for number, role in enumerate(roles):
            is_judged = is_among(role, self.role) or (self.has_constant and not has_role)
            if is_judged and chosen[number] and not math.isnan(shown.score(number)):
                others = self._rivals(shown, number, frame, rivals[number] if has_role else [])
                if others:
                    asked.append((number, others))
        contests = [
            AnswerContest(
                find_metric(shown.column("metric")[number]),
                shown.answers(number),
                [
                    ContestOpponent(rival.answers, rival.encoder == CONSTANT_ENCODER)
                    for rival in others
                ],
            )
            for number, others in asked
        ]
        cells: list[tuple[Any, ...]] = [(*(math.nan,) * 5, "", "", math.nan)] * len(roles)
        outcomes = self._decide(shown, contests, [number for number, _ in asked])
        for (number, others), outcome in zip(asked, outcomes, strict=True):
            best = max(others, key=attrgetter("score"))
            cells[number] = (*self._numbers(outcome), best.encoder, best.score)
        ends = ("", "_low", "_high", "_p", "_p_alone", "_verdict", "_best", "_best_score")
        return {f"{self.name}{end}": [row[i] for row in cells] for i, end in enumerate(ends)}

    def _decide(
        self, shown: ResultFrame, contests: Sequence[AnswerContest], numbers: Sequence[int]
    ) -> list[ContestOutcome]:
        """The outcomes of contests, which are one family, or each its own."""
        if not self.only:
            return decide_contests(contests) if contests else []
        tries = shown.column(f"{self.only}_of")
        pairs = zip(contests, numbers, strict=True)
        return [
            outcome
            for contest, number in pairs
            for outcome in decide_contests([contest], comparisons=tries[number])
        ]

    def _rivals(
        self, shown: ResultFrame, number: int, frame: ResultFrame, others: Sequence[int]
    ) -> list[RivalRow]:
        """The others of a row that are over the same test examples, the constant answer first."""
        own = shown.column("run_id")[number]
        runs, encoders = frame.column("run_id"), frame.column("encoder")
        found = [
            RivalRow(encoders[k], frame.score(k), frame.answers(k))
            for k in others
            if runs[k] != own and are_comparable(shown, number, frame, k, self.is_by_labels)
        ]
        if not self.has_constant or not shown.answers(number).gold.has_constant:
            return found
        answers = join_constants(shown.folds(number)[0])
        (score,) = answers.scores(shown.column("metric")[number])
        return [RivalRow(CONSTANT_ENCODER, PERCENT_SCALE * score, answers), *found]

    def _numbers(self, outcome: ContestOutcome) -> tuple[Any, ...]:
        value, low, high, p, corrected, detectable, *_ = outcome
        verdict = describe_outcome(value, corrected, detectable)
        ends = (-value, -high, -low) if self.is_lower else (value, low, high)
        return (*ends, corrected, p, verdict)


class RivalRow(NamedTuple):
    """Another row, or the constant answer, that a score may be above."""

    encoder: str
    score: float
    answers: FitAnswers


def are_comparable(
    left_frame: ResultFrame,
    number: int,
    right_frame: ResultFrame,
    k: int,
    is_by_labels: bool = False,
) -> bool:
    """Whether two rows have a score, and are over the same test examples, by their labels and their
    digests, or by labels alone.
    """
    return not explain_row_mismatch(left_frame, number, right_frame, k, is_by_labels)


def explain_row_mismatch(
    left_frame: ResultFrame,
    number: int,
    right_frame: ResultFrame,
    k: int,
    is_by_labels: bool = False,
) -> str:
    """Why two rows cannot be compared, '' where they can."""
    tests = () if is_by_labels else (_tests_of(left_frame, number), _tests_of(right_frame, k))
    golds = left_frame.answers(number).gold, right_frame.answers(k).gold
    return find_mismatch((left_frame.score(number), right_frame.score(k)), golds, tests)


def _tests_of(frame: ResultFrame, number: int) -> str:
    """What stands for the test examples of a row; '' where it is not known."""
    tests = sorted(fold.tested for fold in frame.folds(number)[0])
    return " ".join(tests) if all(tests) else ""


@dataclass(frozen=True)
class RankArea:
    """The area under the ROC curve, with its interval: `NAME`, `NAME_low`, `NAME_high`; NaN where
    probabilities were not kept. Each fold has its own, since fits differ in scale.
    """

    name: str

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        rows = [self._area(shown.folds(number)) for number in range(len(shown))]
        names = ("", "_low", "_high")
        return {f"{self.name}{end}": [row[i] for row in rows] for i, end in enumerate(names)}

    def _area(self, fits: Sequence[Folds]) -> tuple[float, ...]:
        values = []
        for folds in fits:
            known = [(fold.gold.classes, fold.logits) for fold in folds]
            if any(gold is None or scores is None for gold, scores in known):
                return (math.nan,) * 3
            areas = [auc_values(g, s.values) for g, s in known if g is not None and s is not None]
            values.append(np.concatenate(areas))
        every = np.array(values)
        if not every.size:  # one class alone
            return (math.nan,) * 3
        ends = interval(every, 0.0, join_predictions(fits[:1]).clusters)
        return tuple(PERCENT_SCALE * value for value in (float(every.mean()), *ends))


@dataclass(frozen=True)
class ScoreWhere:
    """The score of rows that have the same value in two columns; of others what another column
    has.
    """

    name: str
    same: tuple[str, str]
    otherwise: str

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        one, other = map(shown.column, self.same)
        rows = zip(one, other, shown.column("score"), shown.column(self.otherwise), strict=True)
        return {self.name: [score if a == b else known for a, b, score, known in rows]}


@dataclass(frozen=True)
class FirstKnown:
    """The first number that is known of those in some columns."""

    name: str
    columns: Sequence[str]

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        rows = zip(*map(shown.column, self.columns), strict=True)
        return {self.name: [next((v for v in row if not math.isnan(v)), math.nan) for row in rows]}


@dataclass(frozen=True)
class ShareKept:
    """The gain that is kept: how far a score is above a floor, as percent of how far an upper bound
    is; NaN where that is not above it.
    """

    name: str
    floor: str
    upper: str

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        rows = zip(*map(shown.column, ("score", self.floor, self.upper)), strict=True)
        return {
            self.name: [
                PERCENT_SCALE * (score - floor) / (upper - floor) if upper - floor > 0 else math.nan
                for score, floor, upper in rows
            ]
        }


@dataclass(frozen=True)
class OtherMean:
    """The mean score of the rows with the same keys but for some; NaN where there are none."""

    name: str
    other: Mapping[str, Any]

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        scores = [[frame.score(k) for k in some] for some in frame.find_others(shown, self.other)]
        return {self.name: [float(np.mean(some)) if some else math.nan for some in scores]}


@dataclass(frozen=True)
class BestRow:
    """Which of the rows with the same values of some columns is the best on dev, or on test where
    one does not say what it scored on dev: `NAME`, whether dev said so (`NAME_by_dev`), and how
    many rows the test has to choose from (`NAME_of`, 1 where dev chose).
    """

    name: str
    within: Sequence[str]

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        best, by_dev, tries = ([False] * len(shown), [False] * len(shown), [1] * len(shown))
        for numbers in shown.groups(self.within).values():
            dev = [shown.column("dev_score")[k] for k in numbers]
            is_known = not any(map(math.isnan, dev))
            scores = dev if is_known else [shown.score(k) for k in numbers]
            best[numbers[scores.index(max(scores))]] = True
            for number in numbers:
                by_dev[number], tries[number] = is_known, 1 if is_known else len(numbers)
        return {self.name: best, f"{self.name}_by_dev": by_dev, f"{self.name}_of": tries}


@dataclass(frozen=True)
class JointPermutation:
    """Which heads are better than before training: rows above their other, the best row with the
    same keys but for some: its score (`NAME`), the p of no difference, by the largest of all
    differences in a family under swapped answers (`NAME_p`; Westfall & Young 1993), and whether the
    row is significantly above it (`NAME_below`); of the family how many are (`NAME_count`), of how
    many (`NAME_of`), and whether each has an other (`NAME_whole`). NaN where there is none.
    """

    name: str
    other: Mapping[str, Any]
    family: Sequence[str]

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        others = [
            self._best(shown, number, frame, some)
            for number, some in enumerate(frame.find_others(shown, self.other))
        ]
        scores = [math.nan if k is None else frame.score(k) for k in others]
        p, cells = [math.nan] * len(shown), [(0, 0, False)] * len(shown)
        for numbers in shown.groups(self.family).values():
            pairs = [(number, k) for number in numbers if (k := others[number]) is not None]
            for (number, _), value in zip(pairs, self._test(shown, frame, pairs), strict=True):
                p[number] = value
            above = [p[k] < SIGNIFICANCE_LEVEL and shown.score(k) > scores[k] for k in numbers]
            for number in numbers:
                cells[number] = (sum(above), len(numbers), len(pairs) == len(numbers))
        below = [
            value < SIGNIFICANCE_LEVEL and shown.score(number) > score
            for number, (value, score) in enumerate(zip(p, scores, strict=True))
        ]
        columns: dict[str, Sequence[Any]] = {
            self.name: scores,
            f"{self.name}_p": p,
            f"{self.name}_below": below,
        }
        ends = ("_count", "_of", "_whole")
        return columns | {f"{self.name}{e}": [c[i] for c in cells] for i, e in enumerate(ends)}

    def _best(
        self, shown: ResultFrame, number: int, frame: ResultFrame, others: Sequence[int]
    ) -> int | None:
        """The best of some rows, if it is over the same test examples."""
        best = max(reversed(others), key=frame.score, default=None)
        return best if best is not None and are_comparable(shown, number, frame, best) else None

    def _test(
        self, shown: ResultFrame, frame: ResultFrame, pairs: Sequence[tuple[int, int]]
    ) -> list[float]:
        """The p of no difference of each of some pairs of rows."""
        if not pairs:
            return []
        table = np.stack([self._contributions(shown, one, frame, k) for one, k in pairs])
        clusters = shown.answers(pairs[0][0]).clusters
        ways = [number_clusters(codes) for codes in clusters.values()]
        summed: list[Doubles] = [
            np.stack([np.bincount(codes, row).astype(np.float64) for row in table])
            for codes in ways
            if codes.max() > 0
        ]
        # examples that share in several ways are swapped in that which moves the differences most
        widest = max(summed, key=_sum_squares, default=table)
        return [float(p) for p in joint_permutation(widest)]

    def _contributions(
        self, shown: ResultFrame, number: int, frame: ResultFrame, k: int
    ) -> Doubles:
        """What each example adds to the difference between two rows, [n]; of a score that is no
        mean to the first order.
        """
        metric, answers = find_metric(shown.column("metric")[number]), shown.answers(number)
        sides = [
            np.mean([metric.influences(answers.gold, labels) for labels in each.predicted], 0)
            for each in (answers, frame.answers(k))
        ]
        difference = (shown.score(number) - frame.score(k)) / PERCENT_SCALE
        return np.asarray(sides[0] - sides[1] + difference / len(answers.gold))


def _sum_squares(values: Doubles) -> float:
    return float((values**2).sum())


class ExampleSet(NamedTuple):
    """The test examples that a row is over, as signs tell them apart."""

    n: int
    tested: str
    missing: str


def list_test_sets(shown: ResultFrame) -> list[ExampleSet]:
    """The test examples of each row."""
    pairs = zip(shown.column("n_test"), shown.column("missing"), strict=True)
    return [ExampleSet(n, _tests_of(shown, k), lost) for k, (n, lost) in enumerate(pairs)]


@dataclass(frozen=True)
class ExampleDigest:
    """A digest of the test examples of each row; '' where it is not known."""

    name: str

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        tests = [_tests_of(shown, number) for number in range(len(shown))]
        return {self.name: [digest_pieces(test, size=8) if test else "" for test in tests]}


@dataclass(frozen=True)
class ExampleMarks:
    """Which rows of a family are over other test examples than most: a sign, '' for none (`NAME`),
    and for the family what signs mean and which folds are missing (`NAME_notes`): signs, each with
    a sentence.

    where  which rows are looked at
    """

    name: str
    family: Sequence[str]
    where: Mapping[str, Any] = field(default_factory=dict)

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        signs, notes = [""] * len(shown), [list[list[str]]()] * len(shown)
        sets = list_test_sets(shown)
        cells = [(shown.column(name), value) for name, value in self.where.items()]
        for numbers in shown.groups(self.family).values():
            able = [k for k in numbers if all(is_among(c[k], value) for c, value in cells)]
            these = [sets[k] for k in able]
            marks = mark_test_sets(these)
            told = [list(pair) for pair in describe_test_sets(these, marks)]
            for k in numbers:
                notes[k] = told
            for k, mark in zip(able, marks, strict=True):
                signs[k] = mark
        return {self.name: signs, f"{self.name}_notes": notes}


@dataclass(frozen=True)
class ClassNumber:
    """How many classes the labels have; 0 where they are none."""

    name: str

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        golds = [shown.answers(number).gold for number in range(len(shown))]
        return {
            self.name: [
                len(gold.names) if gold.numbers is None and gold.has_constant else 0
                for gold in golds
            ]
        }


@dataclass(frozen=True)
class ClusterNames:
    """What test examples were drawn together by, as `sentence, words`; '' for nothing known."""

    name: str

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        numbers = range(len(shown))
        return {self.name: [", ".join(shown.answers(number).clusters) for number in numbers]}
