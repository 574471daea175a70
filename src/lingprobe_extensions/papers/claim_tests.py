"""Tests a paper's claims on its own table, from the published scores and their standard errors.

The standard error of an accuracy follows from the number of test examples, and encoders are assumed
to err independently, as in `significance`. Tenney et al. (2019) print intervals of their F1. There
are two verdicts: of the encoders in the table, and of the recipes by which each was trained once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from lingprobe.extend import PaperTable, check_choice, correct_p_values, get_contents
from lingprobe_extensions.papers.claims import (
    CORRELATION_RELATIONS,
    EPOCH_RELATIONS,
    UNTESTED_RELATIONS,
    Comparison,
    PaperClaim,
    ScoreContrast,
    list_claim_comparisons,
    read_claims,
)
from lingprobe_extensions.papers.correlations import (
    CorrelationDifference,
    find_claimed_correlations,
)
from lingprobe_extensions.papers.verdicts import (
    ClaimEvidence,
    DifferenceEstimate,
    Verdict,
    combine_at_least,
    compute_evidence,
    judge_claim,
)

R = TypeVar("R")
PAPERS_WITH_CLAIMS = ("conneau2018", "ud2019", "ettinger2018", "tenney2019")
_ITEMS = 1000  # test items of each task (Ettinger et al. 2018, section 7)
_PEOPLE = "Hum. Eval."
_JUDGED = {  # sentences that people judged, or whose annotation was checked (Conneau 2018, 2)
    **dict.fromkeys(("BShift", "SOMO", "CoordInv"), 1000),
    **dict.fromkeys(("TreeDepth", "TopConst", "Tense", "SubjNum", "ObjNum"), 200),
}
_HALF = {"Coref. (W)": 3.0, "SPR1": 1.0, "SPR2": 1.0}  # Tenney et al. 2019, caption of Table 2
_LARGE, _USUAL = 6.0, 0.5  # of Winograd with BERT-large; of all other tasks
TRAINING_DEVIATION_POINTS: Mapping[str, float] = {
    "conneau2018": 1.5,
    "ud2019": 1.7,
    "ettinger2018": 2.4,
}
"""The standard deviation in points between trainings of one recipe, measured on tasks like those of
a paper (benchmarks/results/trained.md); of those of Tenney et al. (2019) nobody measured it.
"""


class PublishedScore(NamedTuple):
    """A published score in percent, its standard error, and the test examples; 0 where they are not
    said.
    """

    score: float
    error: float
    n: int


@dataclass(frozen=True, slots=True)
class TestedClaim:
    """A claim that was tested, with the difference that decides it, in percent.

    quote       the paper's words; `claim`: what is tested
    quantifier  of how many comparisons the paper says it; '' of a single one
    data, probe the data and the probe of the results; '' for a paper's own table
    first       the encoder that the claim is about, in the decisive difference
    second      the encoder that it is compared with
    task        the tasks of that difference
    low, high   its 95 % interval
    p           of the claim; `corrected`: for all claims that were tested
    n           test examples of that difference
    compared    how many comparisons the claim is about; `needed`: how many must be true
    agree       how many of them have the sign of the claim
                Of a correlation, scores and difference are correlations times a hundred, n is 0,
                and the difference of two has no interval.
    verdict     of results: reproduced, not reproduced or inconclusive; of a paper's own table:
                holds, does not hold or inconclusive; the reason if it was not tested
    recipes     the verdict on a paper's own table if variation between trainings is counted; ''
                where it is not known, and of results, whose verdict counts it
    """

    paper: str
    id: str
    where: str
    quote: str
    claim: str
    quantifier: str
    relation: str
    within: float
    data: str = ""
    probe: str = ""
    first: str = ""
    second: str = ""
    task: str = ""
    first_score: float = math.nan
    second_score: float = math.nan
    difference: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    corrected: float = math.nan
    n: int = 0
    compared: int = 0
    needed: int = 0
    agree: int = 0
    verdict: str = ""
    recipes: str = ""
    cause: str = ""


Judgement = tuple[TestedClaim, ClaimEvidence]
"""What is known of a claim before p values are corrected, and what decides it."""
_HOLDS: Mapping[Verdict, str] = {
    "supported": "holds",
    "contradicted": "does not hold",
    "inconclusive": "inconclusive",
}


class EstimatedDifference(NamedTuple):
    """A difference that was estimated: both scores in percent, and the test examples."""

    estimate: DifferenceEstimate
    first: float
    second: float
    n: int


Estimator = Callable[[ScoreContrast[R], PaperClaim], EstimatedDifference | None]
"""Estimates a difference; None where a score of it is not there."""


def judge_paper(paper: str, correction: str = "holm") -> list[TestedClaim]:
    """What a paper's table says of each of its claims, in order; p values are corrected for all of
    them. UsageProblem for a paper whose claims are not known.
    """
    check_choice("claims of", paper, PAPERS_WITH_CLAIMS)
    plain = _judge_table(paper, 0.0, correction)
    if paper not in TRAINING_DEVIATION_POINTS:
        return plain
    recipes = _judge_table(paper, TRAINING_DEVIATION_POINTS[paper], correction)
    return [
        replace(one, recipes=other.verdict if _counts_trainings(one) else "")
        for one, other in zip(plain, recipes, strict=True)
    ]


def _counts_trainings(one: TestedClaim) -> bool:
    """Whether variation between trainings can change a verdict; a correlation over encoders has it
    in it.
    """
    return bool(one.compared) and one.relation not in CORRELATION_RELATIONS


def _judge_table(paper: str, trainings: float, correction: str) -> list[TestedClaim]:
    """The same; `trainings` counts how much trainings with other seeds vary (recipes), as a
    standard deviation.
    """
    table: PaperTable = get_contents("suites").make(paper).paper
    cells = collect_published_scores(paper, table, trainings)
    rows = list(dict.fromkeys(row for row, _ in cells))
    mine = [claim for claim in read_claims() if claim.paper == paper]
    scores = {place: cell.score for place, cell in cells.items()}

    def estimate_contrast(
        contrast: ScoreContrast[str], claim: PaperClaim
    ) -> EstimatedDifference | None:
        return _estimate_difference(contrast, claim, cells)

    tested = [
        _judge_correlations(c, find_claimed_correlations(c, scores, rows, table.columns))
        if c.relation in CORRELATION_RELATIONS
        else tested_on(c, rows, table.columns, str, estimate_contrast)
        for c in mine
    ]
    return [
        one or untested_claim(claim, UNTESTED_RELATIONS["figure"])
        for claim, one in zip(mine, judge_claims(tested, _HOLDS, correction), strict=True)
    ]


def _judge_correlations(
    claim: PaperClaim, found: Sequence[CorrelationDifference]
) -> Judgement | None:
    """What correlations say of a claim; None where none is known."""
    if not found:
        return None
    parts = [
        compute_evidence(each.estimate, claim.direction, claim.within, k)
        for k, each in enumerate(found)
    ]
    what = combine_at_least(needed := claim.required_count(len(parts)), parts)
    one = found[what.decisive]
    tested = replace(
        untested_claim(claim, ""),
        first=one.first,
        second=one.second,
        task=one.task,
        first_score=one.found,
        second_score=one.other,
        difference=one.found if math.isnan(one.other) else one.found - one.other,
        low=one.low,
        high=one.high,
        p=what.p,
        corrected=what.p,
        compared=len(parts),
        needed=needed,
        agree=sum(part.agrees for part in parts),
    )
    return tested, what


def collect_published_scores(
    paper: str, table: PaperTable, trainings: float = 0.0
) -> dict[tuple[str, str], PublishedScore]:
    """The scores of a paper's table that are known to some precision, by row and column; each row
    but baselines and people is one training.
    """
    cells = {}
    for block in table.blocks:
        for line in block.lines:
            once = 0.0 if line.name in table.apart else trainings
            for column, figure in zip(table.columns, line.figures, strict=True):
                error, n = _error(paper, table, (block.heading, line.name, column), figure.value)
                if not math.isnan(figure.value) and not math.isnan(error):
                    cell = PublishedScore(figure.value, math.hypot(error, once), n)
                    cells[block.row(line.name), column] = cell
    return cells


def _error(
    paper: str, table: PaperTable, place: tuple[str, str, str], score: float
) -> tuple[float, int]:
    """The standard error of a published score in percent, and its test examples, by block, row and
    column; NaN where nothing says it.
    """
    block, row, column = place
    if paper == "tenney2019":
        large = column == "Coref. (W)" and row.startswith("BERT-large")
        return (
            _LARGE if large else _HALF.get(column, _USUAL)
        ) / 1.959964, 0  # standard errors on each side of a 95 % interval
    n = _ITEMS if paper == "ettinger2018" else table.examples(block, column)
    n = _JUDGED.get(column, 0) if row == _PEOPLE else n
    return (table.error(column, score, n), n) if n else (math.nan, 0)


def _estimate_difference(
    contrast: ScoreContrast[str], claim: PaperClaim, cells: Mapping[tuple[str, str], PublishedScore]
) -> EstimatedDifference | None:
    """A difference of published scores, which are taken as independent."""
    if any((row, task) not in cells for _, row, task in contrast.terms):
        return None
    known = [(weight, task, cells[row, task]) for weight, row, task in contrast.terms]
    first = sum(weight * cells[row, task].score for weight, row, task in contrast.ours)
    second = sum(weight * cells[row, task].score for weight, row, task in contrast.theirs)
    second += claim.level or 0.0
    error = math.hypot(*(weight * cell.error for weight, _, cell in known))
    n = sum(min(cell.n for _, of, cell in known if of == task) for task in contrast.tasks)
    return EstimatedDifference(DifferenceEstimate(first - second, error), first, second, n)


def tested_on(
    claim: PaperClaim,
    rows: Sequence[R],
    tasks: Sequence[str],
    name: Callable[[R], str],
    estimator: Estimator[R],
) -> Judgement | None:
    """What some scores say of a claim, before p values are corrected; None where they say nothing
    of it.
    """
    if claim.relation in EPOCH_RELATIONS or claim.relation in UNTESTED_RELATIONS:
        return None
    return decide_claim(claim, list_claim_comparisons(claim, rows, tasks, name), estimator)


def decide_claim(
    claim: PaperClaim, comparisons: Sequence[Comparison[R]], estimator: Estimator[R]
) -> Judgement | None:
    """What differences say of a claim; None where none is known."""
    known: list[tuple[ScoreContrast[R], EstimatedDifference]] = []

    def weigh_condition(condition: Sequence[ScoreContrast[R]]) -> Iterator[ClaimEvidence]:
        if one := _average_group(condition, estimator, claim):
            known.append(one)
            yield compute_evidence(one[1].estimate, claim.direction, claim.within, len(known) - 1)

    parts = []
    for comparison in comparisons:
        every = [
            [e for group in conditions for e in weigh_condition(group)] for conditions in comparison
        ]
        alternatives = [combine_at_least(len(each), each) for each in every if each]
        parts += [combine_at_least(1, alternatives)] if alternatives else []
    if not parts:
        return None
    needed = claim.required_count(len(parts))
    what = combine_at_least(needed, parts)
    contrast, difference = known[what.decisive]
    low, high = difference.estimate.interval
    tested = replace(
        untested_claim(claim, ""),
        first=contrast.first,
        second=contrast.second,
        task=", ".join(contrast.tasks),
        first_score=difference.first,
        second_score=difference.second,
        difference=difference.estimate.value,
        low=low,
        high=high,
        p=what.p,
        corrected=what.p,
        n=difference.n,
        compared=len(parts),
        needed=needed,
        agree=sum(part.agrees for part in parts),
    )
    return tested, what


def _average_group(
    group: Sequence[ScoreContrast[R]], estimator: Estimator[R], claim: PaperClaim
) -> tuple[ScoreContrast[R], EstimatedDifference] | None:
    """The differences of a group on average, as one, without tasks on which they are not over the
    same examples; None where none is known.
    """
    by_tasks: dict[tuple[str, ...], list[ScoreContrast[R]]] = {}
    for contrast in group:
        if estimator(contrast, claim):
            by_tasks.setdefault(contrast.tasks, []).append(contrast)
    kept = [mine for mine in by_tasks.values() if estimator(_average_contrasts(mine), claim)]
    joined = _average_contrasts([contrast for mine in kept for contrast in mine])
    difference = estimator(joined, claim) if kept else None
    return (joined, difference) if difference else None


def _average_contrasts(group: Sequence[ScoreContrast[R]]) -> ScoreContrast[R]:
    """The mean of some differences."""
    share = 1 / max(1, len(group))
    return ScoreContrast(
        _join_side_names([c.first for c in group]),
        _join_side_names([c.second for c in group]),
        tuple((share * weight, row, task) for c in group for weight, row, task in c.ours),
        tuple((share * weight, row, task) for c in group for weight, row, task in c.theirs),
    )


def _join_side_names(names: Sequence[str]) -> str:
    """The names of a side; of many only how many there are."""
    known = list(dict.fromkeys(names))
    return "; ".join(known) if len(known) < 4 else f"{len(known)} encoders"


def untested_claim(claim: PaperClaim, reason: str) -> TestedClaim:
    """A claim of which nothing is known, and why."""
    return TestedClaim(
        claim.paper,
        claim.id,
        claim.where,
        claim.quote,
        claim.claim,
        claim.quantifier,
        claim.relation,
        claim.within,
        first=claim.first,
        second=claim.second,
        task=claim.tasks,
        verdict=reason,
        cause=claim.cause,
    )


def judge_claims(
    tested: Sequence[Judgement | None],
    words: Mapping[Verdict, str],
    correction: str,
) -> list[TestedClaim | None]:
    """The same with p values corrected over all claims of a table, and verdicts."""
    p = correct_p_values([math.nan if one is None else one[0].p for one in tested], correction)
    return [
        None
        if one is None
        else replace(one[0], corrected=float(v), verdict=words[judge_claim(one[1], float(v))])
        for one, v in zip(tested, p, strict=True)
    ]
