"""Tests a paper's claims on its own table, from the published scores and their standard errors.

The standard error of an accuracy follows from the number of test examples, and encoders are assumed
to err independently, as in `significance`. Tenney et al. (2019) print intervals of their F1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from lingprobe.analysis.verdicts import Estimate, Settled, Verdict, mean, settled, verdict
from lingprobe.errors import UsageProblem
from lingprobe.metrics import corrected
from lingprobe.papers import SUITES
from lingprobe.papers.claims import EPOCHS, Claim, Contrast, Terms, claims, contrasts
from lingprobe.papers.facts import PERCENT, Block, Paper
from lingprobe.papers.significance import REACH

R = TypeVar("R")
PAPERS = ("conneau2018", "ud2019", "ettinger2018", "tenney2019")
ITEMS = 1000  # test items of each task (Ettinger et al. 2018, section 7)
PEOPLE = "Hum. Eval."
JUDGED = {  # sentences that people judged, or whose annotation was checked (Conneau et al. 2018, 2)
    **dict.fromkeys(("BShift", "SOMO", "CoordInv"), 1000),
    **dict.fromkeys(("TreeDepth", "TopConst", "Tense", "SubjNum", "ObjNum"), 200),
}
HALF = {"Coref. (W)": 3.0, "SPR1": 1.0, "SPR2": 1.0}  # Tenney et al. 2019, caption of Table 2
LARGE, USUAL = 6.0, 0.5  # of Winograd with BERT-large; of all other tasks


class Cell(NamedTuple):
    """A published score in percent, its standard error, and the test examples; 0 where they are not
    said.
    """

    score: float
    error: float
    n: int


@dataclass(frozen=True, slots=True)
class TestedClaim:
    """A claim that was tested, with the difference that decides it, in percent.

    data, probe   the data and the probe of the results; '' for a paper's own table
    first         the encoder that the claim is about, in the decisive difference
    second        the encoder that it is compared with
    task          the tasks of that difference
    low, high     its 95 % interval
    p             of the claim; `corrected`: for all claims that were tested
    n             test examples of that difference
    compared      how many differences the claim is about
    agree         how many of them have the sign of the claim
    verdict       of results: reproduced, not reproduced or inconclusive; of a paper's own table:
                  holds, does not hold or inconclusive; the reason if it was not tested
    """

    paper: str
    id: str
    where: str
    claim: str
    relation: str
    within: float
    data: str
    probe: str
    first: str
    second: str
    task: str
    first_score: float
    second_score: float
    difference: float
    low: float
    high: float
    p: float
    corrected: float
    n: int
    compared: int
    agree: int
    verdict: str
    cause: str


Judgement = tuple[TestedClaim, Settled]
"""What is known of a claim before p values are corrected, and what decides it."""
HOLDS: Mapping[Verdict, str] = {
    "supported": "holds",
    "contradicted": "does not hold",
    "inconclusive": "inconclusive",
}
FIGURE = "not in a table"


class Found(NamedTuple):
    """A difference that was estimated: both scores in percent, and the test examples."""

    estimate: Estimate
    first: float
    second: float
    n: int


Estimator = Callable[[Contrast[R], Claim], Found | None]
"""Estimates a difference; None where a score of it is not there."""


def published(paper: str, correction: str = "holm") -> list[TestedClaim]:
    """What a paper's table says of each of its claims, in order; p values are corrected for all of
    them. UsageProblem for a paper whose claims are not known.
    """
    if paper not in PAPERS:
        raise UsageProblem(f"no claims of {paper!r}: choose one of {', '.join(PAPERS)}")
    table: Paper = SUITES.make(paper).paper
    cells = cells_of(paper, table)
    rows = list(dict.fromkeys(row for row, _ in cells))
    mine = [claim for claim in claims() if claim.paper == paper]

    def estimated(contrast: Contrast[str], claim: Claim) -> Found | None:
        return _estimated(contrast, claim, cells)

    tested = [tested_on(c, rows, table.columns, str, estimated) for c in mine]
    return [
        one or untested(claim, FIGURE)
        for claim, one in zip(mine, judged(tested, HOLDS, correction), strict=True)
    ]


def row_name(block: Block, row: str) -> str:
    """What a claim calls a row of a paper: with its architecture or language, where blocks are
    these.
    """
    heading = block.heading.removesuffix(" encoder")
    architecture = heading != block.heading
    return f"{heading}, {row}" if architecture or heading in ("English", "Polish") else row


def cells_of(paper: str, table: Paper) -> dict[tuple[str, str], Cell]:
    """The scores of a paper's table that are known to some precision, by row and column."""
    return {
        (row_name(block, line.name), column): Cell(figure.value, error, n)
        for block in table.blocks
        for line in block.lines
        for column, figure in zip(table.columns, line.figures, strict=True)
        if not math.isnan(figure.value)
        for error, n in [_error(paper, table, (block.heading, line.name, column), figure.value)]
        if not math.isnan(error)
    }


def _error(
    paper: str, table: Paper, place: tuple[str, str, str], score: float
) -> tuple[float, int]:
    """The standard error of a published score in percent, and its test examples, by block, row and
    column; NaN where nothing says it.
    """
    block, row, column = place
    if paper == "tenney2019":
        large = column == "Coref. (W)" and row.startswith("BERT-large")
        return (LARGE if large else HALF.get(column, USUAL)) / REACH, 0
    n = ITEMS if paper == "ettinger2018" else table.examples(block, column)
    n = JUDGED.get(column, 0) if row == PEOPLE else n
    variance = table.variance(column, score)
    # a share of 100 % is not beyond doubt
    return (PERCENT * math.sqrt(max(variance, 1 / n) / n), n) if n else (math.nan, 0)


def _estimated(
    contrast: Contrast[str], claim: Claim, cells: Mapping[tuple[str, str], Cell]
) -> Found | None:
    """A difference of published scores, which are taken as independent."""
    if any((row, task) not in cells for _, row, task in contrast.terms):
        return None
    known = [(weight, cells[row, task]) for weight, row, task in contrast.terms]
    first = sum(weight * cells[row, task].score for weight, row, task in contrast.ours)
    second = sum(weight * cells[row, task].score for weight, row, task in contrast.theirs)
    second += claim.level or 0.0
    error = math.sqrt(sum((weight * cell.error) ** 2 for weight, cell in known))
    return Found(Estimate(first - second, error), first, second, min(c.n for _, c in known))


def tested_on(
    claim: Claim,
    rows: Sequence[R],
    tasks: Sequence[str],
    name: Callable[[R], str],
    estimator: Estimator[R],
) -> Judgement | None:
    """What some scores say of a claim, before p values are corrected; None where they say nothing
    of it.
    """
    if claim.relation in EPOCHS:
        return None
    return decided(claim, list(contrasts(claim, rows, tasks, name).values()), estimator)


def decided(
    claim: Claim, groups: Sequence[Sequence[Contrast[R]]], estimator: Estimator[R]
) -> Judgement | None:
    """What differences say of a claim, those of a group on average; None where none is known."""
    known = [one for group in groups if (one := _joined(group, estimator, claim))]
    if not known:
        return None
    what = settled([found.estimate for _, found in known], claim.direction, claim.within)
    contrast, found = known[what.decisive]
    low, high = found.estimate.interval
    tested = replace(
        untested(claim, ""),
        first=contrast.first,
        second=contrast.second,
        task=", ".join(contrast.tasks),
        first_score=found.first,
        second_score=found.second,
        difference=found.estimate.value,
        low=low,
        high=high,
        p=what.p,
        corrected=what.p,
        n=found.n,
        compared=len(known),
        agree=what.agree,
    )
    return tested, what


def _joined(
    group: Sequence[Contrast[R]], estimator: Estimator[R], claim: Claim
) -> tuple[Contrast[R], Found] | None:
    """The differences of a group on average, as one; None where none is known.

    Those of one task are over the same examples, and are estimated together.
    """
    by_tasks: dict[tuple[str, ...], list[Contrast[R]]] = {}
    for contrast in group:
        if estimator(contrast, claim) is not None:
            by_tasks.setdefault(contrast.tasks, []).append(contrast)
    if not by_tasks:
        return None
    founds = [found for mine in by_tasks.values() if (found := estimator(_mean(mine), claim))]
    kept = [contrast for mine in by_tasks.values() for contrast in mine]
    names = _names([c.first for c in kept]), _names([c.second for c in kept])
    ours, theirs = (
        tuple(term for side in sides for term in side)
        for sides in ([c.ours for c in kept], [c.theirs for c in kept])
    )
    return Contrast(*names, ours, theirs), Found(
        mean([found.estimate for found in founds]),
        sum(found.first for found in founds) / len(founds),
        sum(found.second for found in founds) / len(founds),
        sum(found.n for found in founds),
    )


def _mean(same: Sequence[Contrast[R]]) -> Contrast[R]:
    """The mean of differences over the same tasks."""
    many = len(same)
    ours, theirs = (
        tuple((weight / many, row, task) for term in side for weight, row, task in term)
        for side in ([c.ours for c in same], [c.theirs for c in same])
    )
    return same[0]._replace(ours=_added(ours), theirs=_added(theirs))


def _added(terms: Terms[R]) -> Terms[R]:
    """The terms with one weight for each score."""
    weights: dict[tuple[R, str], float] = {}
    for weight, row, task in terms:
        weights[row, task] = weights.get((row, task), 0.0) + weight
    return tuple((weight, row, task) for (row, task), weight in weights.items())


def _names(names: Sequence[str]) -> str:
    """The names of a side; of many only how many there are."""
    known = list(dict.fromkeys(names))
    return "; ".join(known) if len(known) < 4 else f"{len(known)} encoders"


def untested(claim: Claim, why: str) -> TestedClaim:
    """A claim of which nothing is known, and why."""
    return TestedClaim(
        *(claim.paper, claim.id, claim.where, claim.claim, claim.relation, claim.within),
        *("", "", claim.first, claim.second, claim.tasks),
        *(math.nan,) * 7,
        *(0, 0, 0, why, claim.cause),
    )


def judged(
    tested: Sequence[Judgement | None],
    words: Mapping[Verdict, str],
    correction: str,
) -> list[TestedClaim | None]:
    """The same with p values corrected for all of them, and verdicts."""
    p = corrected([math.nan if one is None else one[0].p for one in tested], correction)
    return [
        None
        if one is None
        else replace(one[0], corrected=float(v), verdict=words[verdict(one[1], float(v))])
        for one, v in zip(tested, p, strict=True)
    ]
