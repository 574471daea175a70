"""Whether scores differ: the one place that decides a comparison, for every table and page.

A question asks of one row whether it is better than each of some others over the same test
examples. The difference is that from the best of these. The row is better if it is significantly
better than each, which needs no correction, and worse if it is significantly worse than one of
them, corrected for their number (an intersection-union test; Berger 1982, Technometrics 24:295).
Of one other row that is the usual test of two sides. Questions that are answered together are a
family: p values and intervals are corrected for their number, and an interval excludes 0 exactly
where the verdict is not open.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any, Literal, NamedTuple, Protocol

from lingprobe.analysis.answers import mark_test_sets
from lingprobe.analysis.comparable import (
    constant,
    explain_mismatch,
    group_rows_by_task,
)
from lingprobe.analysis.row import PERCENT, ResultRow
from lingprobe.analysis.rows import (
    MeasuredRow,
    get_encoder_kind,
    on_dev,
)
from lingprobe.data.checks import check_choice
from lingprobe.data.core import Result
from lingprobe.data.oracles import Kind
from lingprobe.metrics import difference
from lingprobe.metrics.constant import find_metric
from lingprobe.metrics.intervals import Difference
from lingprobe.metrics.multiplicity import ALPHA, WITH_INTERVALS
from lingprobe.metrics.resampling import DRAWS, bootstrap, permutation

Verdict = Literal["better", "worse", "cannot be told"]
Test = Literal["t", "permutation", "bootstrap"]
CORRECTION = "bonferroni"
PAIRS = "all pairs"
CLEAR = 10  # draws beyond the level at which a family is tested, so that p can fall below it


class Tested(Protocol):
    """How much higher one score is than another, as a share, and the p of none (two sides)."""

    @property
    def value(self) -> float: ...
    @property
    def p(self) -> float: ...

    def interval(self, level: float) -> tuple[float, float]:
        """The interval that misses with this probability."""
        ...


class ComparisonQuestion(NamedTuple):
    """Whether one row is better than each of some others, which are over the same test examples.

    layers  how many the row's was chosen from, by scores on dev
    """

    one: MeasuredRow
    others: tuple[MeasuredRow, ...]
    layers: int = 1

    @property
    def best(self) -> MeasuredRow:
        """The best of the others."""
        return max(self.others, key=lambda other: other.row.score)


class Questions(NamedTuple):
    """What is asked together, and in words how many comparisons of what that is; by task what
    could not be compared; and, where one layer of several is asked about, the same of each layer.
    """

    asked: list[ComparisonQuestion]
    family: str
    left_out: tuple[tuple[str, str], ...] = ()
    of_layers: tuple[ComparisonQuestion, ...] = ()


class Decision(NamedTuple):
    """The answer to a question; differences are percent.

    difference  how much higher the row is than the best of the others
    low, high   the interval of the difference, corrected as p is for the family
    p           that the row is neither better nor worse; `corrected` for the family
    detectable  the smallest difference from the best that is told four times in five
    student     the difference from the best as shares; level: that of one comparison
    """

    question: ComparisonQuestion
    difference: float
    low: float
    high: float
    p: float
    corrected: float
    detectable: float
    student: Difference
    level: float

    def plain(self) -> dict[str, Any]:
        """All numbers by name."""
        return {**dict(zip(self._fields[1:-2], self[1:-2], strict=True)), "verdict": self.verdict}

    @property
    def verdict(self) -> Verdict:
        """What can be said of the row."""
        if not self.corrected < ALPHA:
            return "cannot be told"
        return "better" if self.difference > 0 else "worse"

    @property
    def is_answered(self) -> bool:
        """Whether another row answers the task, so that none can be better: as length does where
        the question is how long a sentence is.
        """
        best, answers, _, _ = self.question.best
        if self.verdict == "better" or not best.passes:
            return False
        low = PERCENT * answers.interval(best.metric)[0]
        return (
            not low <= best.majority < best.score
        )  # two examples lie on a line, whatever they are


def decide_comparisons(
    asked: Sequence[ComparisonQuestion],
    correction: str = CORRECTION,
    test: Test = "t",
    comparisons: int = 0,
) -> list[Decision]:
    """The answers to the questions of a family, in order.

    correction   bonferroni, or bh (Benjamini-Hochberg)
    comparisons  of the family, where `asked` are only some of them
    UsageProblem for another correction.
    """
    check_choice("correction", correction, WITH_INTERVALS)
    many = comparisons or len(asked)
    tests = [_tests(question, test, many) for question in asked]
    p = [_of_all(each) for each in tests]
    whole = WITH_INTERVALS[correction](p, many)
    answers = zip(asked, tests, p, whole.p.tolist(), strict=True)
    return [_decision(*answer, whole.level) for answer in answers]


def _tests(question: ComparisonQuestion, test: Test, many: int) -> list[tuple[Tested, Difference]]:
    """The row against each of the others: the test that is asked for, and Student's."""
    metric, one = find_metric(question.one.row.metric), question.one.answers
    draws = max(DRAWS, math.ceil(CLEAR * many / ALPHA))
    found: list[tuple[Tested, Difference]] = []
    for other in question.others:
        student: Difference = difference(metric, one, other.answers)
        tested: Tested = student
        if test == "permutation":
            tested = student._replace(p=permutation(metric, one, other.answers, draws))
        elif test == "bootstrap":
            tested = bootstrap(metric, one, other.answers, draws)
        found.append((tested, student))
    return found


def _of_all(tests: Sequence[tuple[Tested, Difference]]) -> float:
    """The p (two sides) of being better than each of some others, or worse than one."""
    not_better = max(tested.p if tested.value > 0 else 1.0 for tested, _ in tests)
    not_worse = min(1.0 if tested.value > 0 else tested.p for tested, _ in tests)
    return min(not_better, len(tests) * not_worse)


def _decision(
    question: ComparisonQuestion,
    tests: Sequence[tuple[Tested, Difference]],
    p: float,
    corrected: float,
    level: float,
) -> Decision:
    """The answer, with the interval of the smallest of the differences."""
    low = min(tested.interval(level)[0] for tested, _ in tests)
    high = min(tested.interval(level / len(tests))[1] for tested, _ in tests)
    value, at = min((tested.value, i) for i, (tested, _) in enumerate(tests))
    return Decision(
        question,
        difference=PERCENT * value,
        low=PERCENT * low,
        high=PERCENT * high,
        p=p,
        corrected=corrected,
        detectable=PERCENT * tests[at][1].detects(level),
        student=tests[at][1],
        level=level,
    )


def with_baselines(results: Sequence[Result], chosen: Sequence[Result] | None = None) -> Questions:
    """Each encoder against all baselines of each task, constant answers among them; `chosen` are
    the results that are asked about (default: all).

    Of the layers of an encoder it is the one with the best score on dev; where results do not say
    that, or have folds, it is each layer, so that the correction knows that one can be chosen.
    """
    kind = _kind_to_compare(results if chosen is None else chosen)
    ids = {id(result) for result in (results if chosen is None else chosen)}
    asked: list[ComparisonQuestion] = []
    of_layers: list[ComparisonQuestion] = []
    left_out: list[tuple[str, str]] = []
    for mine in group_rows_by_task(results):
        baselines = [one for one in mine if one.row.kind == "baseline" != kind]
        rows = [one for one in mine if one.row.kind == kind and id(one.result) in ids]
        scored = [one for one in rows if not math.isnan(one.row.score)]
        layers = {id(one): many for one, many in _candidates(scored)}
        posed = {}
        for one in scored:
            reasons = [(other, explain_mismatch(one, other)) for other in baselines]
            fixed = [constant(one)] if one.answers.gold.has_constant else []
            others = (*fixed, *(other for other, why in reasons if not why))
            if others:
                posed[id(one)] = ComparisonQuestion(one, others, layers.get(id(one), 1))
            if id(one) in layers:
                left_out += [_not_compared(one, other, why) for other, why in reasons if why]
        of_layers += posed.values()
        asked += [posed[each] for each in layers if each in posed]
    how = "against the baselines" if kind == "trained" else "against constant answers"
    if any(question.layers > 1 for question in asked):
        how += ", at the layer that is best on dev"
    return Questions(asked, _family(asked, how), tuple(left_out), tuple(of_layers))


def against(results: Sequence[Result], chosen: Callable[[Result], bool]) -> Questions:
    """Each row of each task against those of the chosen that are read as it is and by the same
    probe, where there are some.
    """
    every = [pair for mine in group_rows_by_task(results, chosen) for pair in _likest(mine, chosen)]
    asked, left_out = _comparable(every)
    names = dict.fromkeys(other.row.encoder for question in asked for other in question.others)
    return Questions(asked, _family(asked, f"against {', '.join(names)}"), left_out)


def pairs(results: Sequence[Result], kind: Kind | None = None) -> Questions:
    """All pairs of the encoders' rows of each task, or of the rows of a kind. Baselines, untrained
    networks among them, are floors: each encoder is compared with the best of them, and not they
    with each other, which would make the family larger.
    """
    judged = kind or _kind_to_compare(results)
    tasks = group_rows_by_task(results)
    every = [
        pair
        for mine in tasks
        for pair in combinations([one for one in mine[::-1] if one.row.kind == judged], 2)
    ]
    has_floors = any(one.row.kind != judged for mine in tasks for one in mine)
    asked, left_out = _comparable(every)
    how = f"{PAIRS}, without baselines" if has_floors else PAIRS
    return Questions(asked, _family(asked, how), left_out)


class Leaders(NamedTuple):
    """The best row of each task, and those that do not differ significantly from it: task, encoder,
    layer and probe; and the family of comparisons that decided it.
    """

    rows: frozenset[tuple[str, ...]]
    family: str


def leaders(results: Sequence[Result]) -> Leaders:
    """The leaders by the comparison of all `pairs` of encoders' rows, over the test examples that
    most are over; none where a task has one such row.
    """
    every = pairs(results, "trained")
    tasks: dict[tuple[str, str], list[ComparisonQuestion]] = {}
    for question in every.asked:
        tasks.setdefault((question.one.row.task, question.one.row.metric), []).append(question)
    best: set[tuple[str, ...]] = set()
    told: list[ComparisonQuestion] = []
    for mine in tasks.values():
        rows = {what(m.row): m.row for q in mine for m in (q.one, *q.others)}
        signs = zip(rows.items(), mark_test_sets(list(rows.values())), strict=True)
        whole = {place: row for (place, row), sign in signs if not sign}
        if len(whole) < 2:
            continue
        first = max(whole, key=lambda place: whole[place].score)
        best |= whole.keys()
        told += [q for q in mine if first in (what(q.one.row), what(q.best.row))]
    for decision in decide_comparisons(told, comparisons=len(every.asked)):
        both = decision.question.one, decision.question.best
        if decision.verdict != "cannot be told":
            best.discard(what(both[decision.verdict == "better"].row))
    return Leaders(frozenset(best), every.family)


def what(row: ResultRow) -> tuple[str, ...]:
    """What was measured."""
    return row.task, row.encoder, row.layer, row.probe


def _kind_to_compare(results: Sequence[Result]) -> Kind:
    """The kind of row that is asked about: baselines only where there is nothing else."""
    return (
        "trained"
        if any(get_encoder_kind(result) == "trained" for result in results)
        else "baseline"
    )


def _candidates(mine: Sequence[MeasuredRow]) -> Iterator[tuple[MeasuredRow, int]]:
    """Of what a probe reads of an encoder the best on dev, with the number that it is chosen from;
    all where that is not known.
    """
    groups: dict[tuple[str, str], list[MeasuredRow]] = {}
    for one in mine:
        groups.setdefault((one.row.encoder, one.row.probe), []).append(one)
    for reads in groups.values():
        scores = [on_dev(result for fit in one.fits for result in fit) for one in reads]
        known = not any(map(math.isnan, scores))
        if known:
            yield reads[scores.index(max(scores))], len(reads)
        else:
            yield from ((one, 1) for one in reads)


def _likest(
    mine: Sequence[MeasuredRow], chosen: Callable[[Result], bool]
) -> Iterator[tuple[MeasuredRow, MeasuredRow]]:
    """Each row with those of the chosen that are most like it."""
    others = [m for m in mine if chosen(m.result)]
    for one in mine:
        if not chosen(one.result) and others:
            likeness = [
                (m.row.probe == one.row.probe, m.row.layer == one.row.layer) for m in others
            ]
            yield from (
                (one, m) for m, like in zip(others, likeness, strict=True) if like == max(likeness)
            )


def _comparable(
    every: Sequence[tuple[MeasuredRow, MeasuredRow]],
) -> tuple[list[ComparisonQuestion], tuple[tuple[str, str], ...]]:
    reasons = [(one, other, explain_mismatch(one, other)) for one, other in every]
    left_out = tuple(_not_compared(one, other, why) for one, other, why in reasons if why)
    return [ComparisonQuestion(one, (other,)) for one, other, why in reasons if not why], left_out


def _not_compared(one: MeasuredRow, other: MeasuredRow, why: str) -> tuple[str, str]:
    return one.row.task, f"{one.name}, and {other.name}: {why}."


def _family(asked: Sequence[ComparisonQuestion], how: str) -> str:
    """How many comparisons a family has, of what; a layer that dev chose is that of its encoder."""
    rows: dict[str, set[tuple[str, ...]]] = {}
    for question in asked:
        every = (question.one, *question.others) if how.startswith(PAIRS) else (question.one,)
        chosen = question.layers > 1
        rows.setdefault(question.one.row.task, set()).update(
            (one.row.encoder, "" if chosen else one.row.layer, one.row.probe) for one in every
        )
    both = set().union(*rows.values())
    encoders = {encoder for encoder, *_ in both}
    of = _many(len(encoders), "encoder")
    if len(both) > len(encoders):
        of = f"{_many(len(both), 'row')} of {of}"
    tasks = _many(len(rows), "task")
    if any(len(mine) < len(both) for mine in rows.values()):
        tasks += ", not all on each"
    return f"{_many(len(asked), 'comparison')} ({of} on {tasks}, {how})"


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"
