"""Whether scores differ: the one place that decides a comparison, for every table and page.

A question asks of one row whether it is better than each of some others over the same test
examples. The difference is that from the best of these. The row is better if it is significantly
better than each, which needs no correction, and worse if it is significantly worse than one of
them, corrected for their number (an intersection-union test; Berger 1982, Technometrics 24:295);
nothing is worse than a constant answer. Of one other row that is the usual test of two sides.
Questions of one kind that are answered together are a family: p values and intervals are corrected
for their number, and an interval excludes 0 exactly where the verdict is not open, unless it lies
below a constant answer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain, combinations
from typing import Any, Literal, NamedTuple

from lingprobe.analysis.answers import mark_test_sets
from lingprobe.analysis.comparable import (
    ComparedRow,
    explain_mismatch,
    get_constant_answer,
    group_rows_by_task,
)
from lingprobe.analysis.contests import (
    DEFAULT_CORRECTION,
    AnswerContest,
    ContestOpponent,
    Test,
    Verdict,
    decide_contests,
    describe_outcome,
)
from lingprobe.analysis.frame import FrameRow, ResultFrame
from lingprobe.analysis.opponents import (
    ENCODER_QUESTIONS,
    choose_layers,
    find_ceiling,
    list_opponents,
)
from lingprobe.analysis.row import CONSTANT_ENCODER, PERCENT_SCALE, passes_task, said_of
from lingprobe.data.checks import check_choice
from lingprobe.data.narrowing import narrow_part
from lingprobe.data.oracles import BEYOND_SURFACE_QUESTION, EncoderQuestion, Kind
from lingprobe.metrics.constant import find_metric
from lingprobe.metrics.intervals import ScoreDifference
from lingprobe.metrics.multiplicity import INTERVAL_CORRECTIONS, SIGNIFICANCE_LEVEL

SIGNIFICANT_VERDICTS: tuple[Verdict, ...] = ("better", "worse")
ALL_PAIRS_SCOPE = "all pairs"


class ComparisonQuestion(NamedTuple):
    """Whether one row is better than each of some others, which are over the same test examples.

    layers    how many the row's was chosen from, by scores on dev
    asks      what is asked of an encoder: decodable, or beyond the surface; '' of other rows
    ceiling   the score of the best oracle, percent; NaN where there is none
    narrowed  the same of two encoders at the width of the narrower one, where that was measured
    """

    one: ComparedRow
    others: tuple[ComparedRow, ...]
    layers: int = 1
    asks: EncoderQuestion | Literal[""] = ""
    ceiling: float = math.nan
    narrowed: ComparisonQuestion | None = None

    @property
    def best(self) -> ComparedRow:
        """The best of the others."""
        return max(self.others, key=lambda other: other.row.score)


class ComparisonFamily(NamedTuple):
    """What is asked together, and in words how many comparisons of what that is; by task what
    could not be compared; and, where one layer of several is asked about, the same of each layer.
    """

    asked: list[ComparisonQuestion]
    family: str
    left_out: tuple[tuple[str, str], ...] = ()
    of_layers: tuple[ComparisonQuestion, ...] = ()


class ComparisonDecision(NamedTuple):
    """The answer to a question: the outcome of its contest, with the other that is `blocking`."""

    question: ComparisonQuestion
    difference: float
    low: float
    high: float
    p: float
    corrected: float
    detectable: float
    student: ScoreDifference
    level: float
    blocking: ComparedRow

    def plain(self) -> dict[str, Any]:
        """All numbers by name."""
        numbers = ("difference", "low", "high", "p", "corrected", "detectable")
        values = self._asdict()
        return {**{name: values[name] for name in numbers}, "verdict": self.verdict}

    @property
    def verdict(self) -> Verdict:
        """What can be said of the row: better than all others, worse than one, or neither; of an
        encoder nothing where a baseline solves the task by itself.
        """
        known = describe_outcome(self.difference, self.corrected, self.detectable)
        if known != "too few clusters" and self.question.asks and self.is_answered:
            return "solved by a baseline"
        return known

    @property
    def is_answered(self) -> bool:
        """Whether a task is not counted, as its oracle is not above a baseline, or a baseline
        solves it by its definition, as length does where the question is how long a sentence is.
        """
        best, answers = self.question.best.row, self.question.best.answers
        if self.corrected < SIGNIFICANCE_LEVEL and self.difference > 0:
            return False
        if self.question.ceiling <= best.score and best.encoder != CONSTANT_ENCODER:
            return True
        if not passes_task(best):
            return False
        low = PERCENT_SCALE * answers.interval(best.metric)[0]
        # two examples lie on a line, whatever they are
        return not low <= best.majority < best.score


def decide_comparisons(
    questions: Sequence[ComparisonQuestion],
    correction: str = DEFAULT_CORRECTION,
    test: Test = "t",
    comparisons: int = 0,
) -> list[ComparisonDecision]:
    """Better, worse or no significant difference: the answers to questions, in order; p values and
    intervals are corrected for all comparisons made together, the family of those of one kind
    (`asks`).

    correction   bonferroni, or bh (Benjamini-Hochberg)
    comparisons  of the family, where `questions` are only some of them
    UsageProblem for another correction.
    """
    check_choice("correction", correction, INTERVAL_CORRECTIONS)
    decided: dict[int, ComparisonDecision] = {}
    for asks in dict.fromkeys(question.asks for question in questions):
        family = [question for question in questions if question.asks == asks]
        contests = [_contest_of(question) for question in family]
        outcomes = decide_contests(contests, correction, test, comparisons)
        for question, outcome in zip(family, outcomes, strict=True):
            decided[id(question)] = ComparisonDecision(
                question,
                *outcome[:-1],
                blocking=question.others[outcome.blocking],
            )
    return [decided[id(question)] for question in questions]


def _contest_of(question: ComparisonQuestion) -> AnswerContest:
    others = [
        ContestOpponent(other.answers, other.row.encoder == CONSTANT_ENCODER, bool(other.copies))
        for other in question.others
    ]
    return AnswerContest(find_metric(question.one.row.metric), question.one.answers, others)


def with_opponents(scored: ResultFrame, chosen: ResultFrame | None = None) -> ComparisonFamily:
    """Of each encoder and task whether it is above all that opposes it: once for what is decodable,
    once for what is beyond the surface, each a family of its own. `chosen` has the task, encoder
    and layer of the rows that are asked about (default: all).

    Of the layers of an encoder it is the one with the best score on dev; where results do not say
    that, or have folds, it is each layer, so that the correction knows that one can be chosen.
    """
    return _pose(scored, chosen, ENCODER_QUESTIONS)


def with_baselines(scored: ResultFrame, chosen: ResultFrame | None = None) -> ComparisonFamily:
    """Each encoder against all baselines of each task together, constant answers and reference
    lines among them; layers as of `with_opponents`.
    """
    return _pose(scored, chosen, ("",))


def _pose(
    scored: ResultFrame,
    chosen: ResultFrame | None,
    questions: Sequence[EncoderQuestion | Literal[""]],
) -> ComparisonFamily:
    chosen = scored if chosen is None else chosen
    kind, places = _kind_to_compare(chosen), chosen.groups(("task", "encoder", "layer"))
    asked: list[ComparisonQuestion] = []
    of_layers: list[ComparisonQuestion] = []
    left_out: list[tuple[str, str]] = []
    for rows in group_rows_by_task(scored, lambda one: True):
        mine = [one for one in rows if one.row.kind != "oracle"]
        baselines = [one for one in mine if one.row.kind == "baseline" != kind]
        candidates = list_whole_layers(
            [
                one
                for one in mine
                if one.row.kind == kind and describe_measurement(one.row)[:3] in places
            ]
        )
        known_rows = [one for one in candidates if not math.isnan(one.row.score)]
        layers = {id(one): many for one, many in choose_layers(known_rows)}
        posed: dict[int, list[ComparisonQuestion]] = {}
        for one in known_rows:
            reasons = [(other, explain_mismatch(one, other)) for other in baselines]
            ceiling = find_ceiling(one, rows)
            for asks in questions:
                if asks and kind == "trained":
                    others = list_opponents(one, [*baselines, *candidates], asks)
                elif (
                    asks == BEYOND_SURFACE_QUESTION
                ):  # baselines are above a constant answer or not
                    continue
                else:
                    fixed = [get_constant_answer(one)] if one.answers.gold.has_constant else []
                    others = (*fixed, *(other for other, why in reasons if not why))
                if others:
                    known = ComparisonQuestion(one, others, layers.get(id(one), 1), asks, ceiling)
                    posed.setdefault(id(one), []).append(known)
            if id(one) in layers:
                left_out += [_not_compared(one, other, why) for other, why in reasons if why]
        of_layers += chain.from_iterable(posed.values())
        asked += chain.from_iterable(posed.get(each, ()) for each in layers)
    how = "against the baselines" if kind == "trained" else "against constant answers"
    if any(question.layers > 1 for question in asked):
        how += ", at the layer that is best on dev"
    first = [question for question in asked if question.asks == questions[0]]
    family = _family(first, how)
    if len({question.asks for question in asked}) > 1:
        family += " for each question"
    return ComparisonFamily(asked, family, tuple(left_out), tuple(of_layers))


def pair_with_encoders(scored: ResultFrame, encoders: Collection[str]) -> ComparisonFamily:
    """Each row of each task against those of some encoders, named in full, that are read as it is
    and by the same probe, where there are some.
    """

    def is_chosen(one: ComparedRow) -> bool:
        return one.encoder in encoders

    tasks = group_rows_by_task(scored, is_chosen)
    every = [pair for mine in tasks for pair in _likest(mine, is_chosen)]
    asked, left_out = _comparable(every)
    names = dict.fromkeys(other.row.encoder for question in asked for other in question.others)
    return ComparisonFamily(asked, _family(asked, f"against {', '.join(names)}"), left_out)


def pair_encoder_rows(scored: ResultFrame, kind: Kind | None = None) -> ComparisonFamily:
    """All pairs of the encoders' rows of each task, or of the rows of a kind. Baselines, untrained
    networks among them, are baselines: each encoder is compared with the best of them, and not they
    with each other, which would make the family larger.
    """
    judged = kind or _kind_to_compare(scored)
    tasks = [mine[::-1] for mine in group_rows_by_task(scored)]
    every = [
        pair
        for mine in tasks
        for pair in combinations(
            [one for one in list_whole_layers(mine) if one.row.kind == judged], 2
        )
    ]
    has_floors = any(one.row.kind != judged for mine in tasks for one in mine)
    asked, left_out = _comparable(every)
    of_task = {mine[0].row.task: mine for mine in tasks if mine}
    asked = [_at_common_width(question, of_task[question.one.row.task]) for question in asked]
    how = f"{ALL_PAIRS_SCOPE}, without baselines" if has_floors else ALL_PAIRS_SCOPE
    return ComparisonFamily(asked, _family(asked, how), left_out)


def list_whole_layers(rows: Sequence[ComparedRow]) -> list[ComparedRow]:
    """Rows without those that read some numbers of layers, where their encoder and probe have rows
    of whole ones: these stand beside the whole, and are no layers to choose from.
    """
    whole = {(o.row.encoder, o.row.probe) for o in rows if not narrow_part(o.row.layer)}
    return [
        one
        for one in rows
        if not narrow_part(one.row.layer) or (one.row.encoder, one.row.probe) not in whole
    ]


def _at_common_width(
    question: ComparisonQuestion, rows: Sequence[ComparedRow]
) -> ComparisonQuestion:
    """The same with the rows at the smaller width of two encoders, where these were measured."""
    (other,) = question.others
    width = min(question.one.about.width, other.about.width)
    known = {(row.row.encoder, row.row.probe, row.row.layer): row for row in rows}
    found = [
        each
        if each.about.width == width
        else known.get((each.row.encoder, each.row.probe, f"random{width}:{each.row.layer}"))
        for each in (question.one, other)
    ]
    if question.one.about.width == other.about.width or None in found:
        return question
    first, second = (each for each in found if each is not None)
    return question._replace(narrowed=ComparisonQuestion(first, (second,)))


class OrderChange(NamedTuple):
    """Two encoders of which one is better under one probe, the other under another: the difference
    of the first from the second under both probes, of which at least one is significant.
    """

    one: ComparisonDecision
    other: ComparisonDecision

    def plain(self) -> dict[str, Any]:
        """All of it by name; differences and their ends are percent."""
        first, second = self.one.question.one.row, self.one.question.best.row
        told = {"task": first.task, "metric": first.metric}
        told |= {
            name: row.encoder + said_of(row.layer)
            for name, row in (("first", first), ("second", second))
        }
        for place, decision in (("one", self.one), ("other", self.other)):
            told[f"{place}_probe"] = decision.question.one.row.probe
            told |= {f"{place}_{name}": value for name, value in decision.plain().items()}
        return told


class OrderChanges(NamedTuple):
    """Pairs of encoders that change order between probes.

    changes    those with a significant difference
    uncertain  how many change order without one: by chance, as far as these data show
    compared   how many pairs there are, of encoders and of probes, over all tasks
    family     what intervals and p values are corrected for
    """

    changes: tuple[OrderChange, ...] = ()
    uncertain: int = 0
    compared: int = 0
    family: str = ""


def find_order_changes(
    scored: ResultFrame, correction: str = DEFAULT_CORRECTION, test: Test = "t"
) -> OrderChanges:
    """Which pairs of encoders change order between probes: significantly better under one, behind
    under another, of encoders that are judged, and of these and baselines; differences are paired,
    and corrected for all pairs under all probes.
    """
    judged = _kind_to_compare(scored)
    differences: set[tuple[int, int]] = set()
    changing: list[tuple[ComparisonQuestion, ComparisonQuestion]] = []
    compared = 0
    for mine in group_rows_by_task(scored):
        for one, other in combinations(_by_probe(mine).values(), 2):
            for key, against in _pair_encoders([key for key in one if key in other]):
                four = one[key], one[against], other[key], other[against]
                if judged not in (four[0].row.kind, four[1].row.kind) or any(
                    explain_mismatch(four[0], each) for each in four[1:]
                ):
                    continue
                compared += 1
                differences |= {(id(four[0]), id(four[1])), (id(four[2]), id(four[3]))}
                ahead = [four[k].row.score - four[k + 1].row.score for k in (0, 2)]
                if ahead[0] * ahead[1] < 0:
                    pair = (
                        ComparisonQuestion(four[0], (four[1],)),
                        ComparisonQuestion(four[2], (four[3],)),
                    )
                    changing.append(pair)
    asked = [question for pair in changing for question in pair]
    decided = decide_comparisons(asked, correction, test, len(differences))
    changes = [OrderChange(*pair) for pair in zip(decided[::2], decided[1::2], strict=True)]
    sure = [c for c in changes if {c.one.verdict, c.other.verdict} & {*SIGNIFICANT_VERDICTS}]
    family = f"{_many(len(differences), 'comparison')} of two encoders under one probe"
    return OrderChanges(tuple(sure), len(changes) - len(sure), compared, family)


def _pair_encoders(
    keys: Sequence[tuple[str, str]],
) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Pairs of two encoders, each with a layer; at the same layer where both have several."""
    layers = Counter(encoder for encoder, _ in keys)
    for one, other in combinations(keys, 2):
        several = min(layers[one[0]], layers[other[0]]) > 1
        if one[0] != other[0] and (one[1] == other[1] or not several):
            yield one, other


def _by_probe(mine: Sequence[ComparedRow]) -> dict[str, dict[tuple[str, str], ComparedRow]]:
    """The rows of a task by probe, and by encoder; of its layers the best on dev, or each."""
    scored = [one for one in mine if not math.isnan(one.row.score)]
    found: dict[str, dict[tuple[str, str], ComparedRow]] = {}
    for one, layers in choose_layers(scored):
        layer = "" if layers > 1 else one.row.layer
        found.setdefault(one.row.probe, {})[one.row.encoder, layer] = one
    return found


class TaskLeaders(NamedTuple):
    """The best row of each task, and those that do not differ significantly from it: task, encoder,
    layer and probe; and the family of comparisons that decided it.
    """

    rows: frozenset[tuple[str, ...]]
    family: str


def find_leaders(scored: ResultFrame) -> TaskLeaders:
    """What bold marks: the best encoder of each task, and every one that is not significantly
    different from it, by all `pairs` over the test examples that most are over; none where a task
    has one such row.
    """
    every = pair_encoder_rows(scored, "trained")
    tasks: dict[tuple[str, str], list[ComparisonQuestion]] = {}
    for question in every.asked:
        tasks.setdefault((question.one.row.task, question.one.row.metric), []).append(question)
    best: set[tuple[str, ...]] = set()
    told: list[ComparisonQuestion] = []
    for mine in tasks.values():
        rows = {describe_measurement(m.row): m.row for q in mine for m in (q.one, *q.others)}
        signs = zip(rows.items(), mark_test_sets(list(rows.values())), strict=True)
        whole = {place: row for (place, row), sign in signs if not sign}
        if len(whole) < 2:
            continue
        first = max(whole, key=lambda place: whole[place].score)
        best |= whole.keys()
        told += [
            q
            for q in mine
            if first in (describe_measurement(q.one.row), describe_measurement(q.best.row))
        ]
    for decision in decide_comparisons(told, comparisons=len(every.asked)):
        both = decision.question.one, decision.question.best
        if decision.verdict in SIGNIFICANT_VERDICTS:
            best.discard(describe_measurement(both[decision.verdict == "better"].row))
    return TaskLeaders(frozenset(best), every.family)


def describe_measurement(row: FrameRow) -> tuple[str, ...]:
    """What was measured."""
    return row.task, row.encoder, row.layer, row.probe


def _kind_to_compare(frame: ResultFrame) -> Kind:
    """The kind of row that is asked about: baselines only where there is nothing else."""
    return "trained" if "trained" in frame.column("role") else "baseline"


def _likest(
    mine: Sequence[ComparedRow], chosen: Callable[[ComparedRow], bool]
) -> Iterator[tuple[ComparedRow, ComparedRow]]:
    """Each row with those of the chosen that are most like it."""
    others = [m for m in mine if chosen(m)]
    for one in mine:
        if not chosen(one) and others:
            likeness = [
                (m.row.probe == one.row.probe, m.row.layer == one.row.layer) for m in others
            ]
            yield from (
                (one, m) for m, like in zip(others, likeness, strict=True) if like == max(likeness)
            )


def _comparable(
    every: Sequence[tuple[ComparedRow, ComparedRow]],
) -> tuple[list[ComparisonQuestion], tuple[tuple[str, str], ...]]:
    reasons = [(one, other, explain_mismatch(one, other)) for one, other in every]
    left_out = tuple(_not_compared(one, other, why) for one, other, why in reasons if why)
    return [ComparisonQuestion(one, (other,)) for one, other, why in reasons if not why], left_out


def _not_compared(one: ComparedRow, other: ComparedRow, why: str) -> tuple[str, str]:
    return one.row.task, f"{one.name}, and {other.name}: {why}."


def _family(asked: Sequence[ComparisonQuestion], how: str) -> str:
    """The name of a family of comparisons, as in the note below the table: how many, of what; a
    layer that dev chose is that of its encoder.
    """
    rows: dict[str, set[tuple[str, ...]]] = {}
    for question in asked:
        every = (
            (question.one, *question.others) if how.startswith(ALL_PAIRS_SCOPE) else (question.one,)
        )
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
