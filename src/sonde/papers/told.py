"""Which differences of a published table its test sets can show, from nothing but the scores and
how many examples they are over.

How often two encoders are right on the same examples is not published, so a difference is tested as
if they erred independently. Those that err alike differ more surely: beside each difference stands
on how many examples the two may disagree at most for a paired test to show it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from sonde.metrics import corrected
from sonde.metrics.multiplicity import ALPHA, NAMES
from sonde.papers.facts import PERCENT, Block, Line, Paper
from sonde.tables.table import Section, Table, number

SHOWN = 2  # encoders that are not told from the best, before the others are counted
REACH = 1.959964  # standard errors of a normal distribution on either side of 95 % of it
POWER = 0.841621  # more of them for a difference that is shown four times in five


@dataclass(frozen=True, slots=True)
class Printed:
    """Two published scores of one task, in percent, over n test examples each.

    p         of no difference, if both err independently (two sides); `corrected` for all pairs of
              the task
    disagree  the examples on which the two may disagree at most for McNemar's test to tell them
              apart at 0.05, if they are the same examples; 0 of correlations, which it does not
              test
    """

    task: str
    block: str
    first: str
    second: str
    first_score: float
    second_score: float
    n: int
    p: float
    corrected: float
    disagree: int

    @property
    def difference(self) -> float:
        """How much higher the first is."""
        return self.first_score - self.second_score


def printed(paper: Paper, correction: str = "holm") -> list[Printed]:
    """All pairs of a paper's encoders, task by task, the higher score first; of columns of which
    the number of test examples is known.
    """
    return [
        one
        for heading, lines in _compared(paper.blocks, paper)
        for column, task in enumerate(paper.columns)
        if (n := paper.examples(heading, task))
        for one in _corrected(_pairs(paper, (heading, lines), column, n), correction)
    ]


def _compared(blocks: Sequence[Block], paper: Paper) -> Iterator[tuple[str, list[Line]]]:
    """The rows that are over the same test examples: those of a block, or of all of them."""
    if paper.blocks_differ:
        for block in blocks:
            yield block.heading, [line for line in block.lines if line.name not in paper.apart]
    else:
        named = [
            line._replace(name=f"{block.heading}, {line.name}" if len(blocks) > 1 else line.name)
            for block in blocks
            for line in block.lines
            if line.name not in paper.apart
        ]
        yield "", named


def _pairs(paper: Paper, block: tuple[str, Sequence[Line]], column: int, n: int) -> list[Printed]:
    heading, lines = block
    scored = [line for line in lines if not math.isnan(line.figures[column].value)]
    ordered = sorted(scored, key=lambda line: -line.figures[column].value)
    return [
        _pair(paper, (heading, column), (one, other), n) for one, other in combinations(ordered, 2)
    ]


def _pair(paper: Paper, where: tuple[str, int], lines: tuple[Line, Line], n: int) -> Printed:
    block, column = where
    task = paper.columns[column]
    first, second = (line.figures[column].value for line in lines)
    gap = (first - second) / PERCENT
    error = math.sqrt(sum(paper.variance(task, score) for score in (first, second)) / n)
    p = math.erfc(gap / error / math.sqrt(2)) if error else float(gap == 0)
    disagree = 0 if task in paper.correlated else math.floor((gap * n / REACH) ** 2)
    names = lines[0].name, lines[1].name
    return Printed(task, block, *names, first, second, n, p, p, disagree)


def _corrected(pairs: Sequence[Printed], correction: str) -> list[Printed]:
    p = corrected([one.p for one in pairs], correction)
    return [replace(one, corrected=float(v)) for one, v in zip(pairs, p, strict=True)]


def by_task(pairs: Sequence[Printed]) -> dict[tuple[str, str], list[Printed]]:
    """Pairs by block and task."""
    groups: dict[tuple[str, str], list[Printed]] = {}
    for one in pairs:
        groups.setdefault((one.block, one.task), []).append(one)
    return groups


def summary(paper: Paper, pairs: Sequence[Printed], correction: str = "holm") -> Table:
    """A line a task: the best, what cannot be told from it, and how many pairs cannot."""
    bodies: dict[str, list[tuple[str, ...]]] = {}
    for (block, task), mine in by_task(pairs).items():
        best = mine[0]
        left = [one for one in mine if one.corrected >= ALPHA]
        alike = [f"{one.second} {one.second_score:g}" for one in left if one.first == best.first]
        bodies.setdefault(block, []).append(
            (
                task,
                f"{best.first} {best.first_score:g}",
                _some(alike),
                f"{len(left)} of {len(mine)}",
                number(detectable(paper.variance(task, best.first_score), best.n)),
                f"{best.n:,}",
            )
        )
    notes = (
        f"{paper.title}.",
        f"Not told: the p value of the difference is {ALPHA:g} or above, corrected for the pairs of"
        f" a task ({NAMES[correction]}), if encoders err independently of each other. Encoders that"
        " err on the same examples differ more surely, which a published table cannot show.",
        "detectable: the difference from the best score that so many examples would show four times"
        " in five, before the correction.",
    )
    words = ("task", "best", "not told from the best", "pairs not told")
    sections = tuple(Section(block, tuple(body)) for block, body in bodies.items())
    return Table((*words, "detectable", "n"), sections, frozenset(words), notes)


def _some(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return "; ".join(names[:SHOWN]) + more or "–"


def untold(paper: Paper, pairs: Sequence[Printed], correction: str = "holm") -> Table:
    """The pairs that cannot be told apart, task by task."""
    tested = ("difference", "p", f"p ({NAMES[correction]})", "disagree")
    sections = []
    for (block, task), mine in by_task(pairs).items():
        body = tuple(_cells(one) for one in mine if one.corrected >= ALPHA)
        told = f"{len(mine) - len(body)} of {len(mine)} pairs are told apart"
        title = f"{block}, {task}" if block else task
        sections.append(Section(title, body, f"n = {mine[0].n:,}; {told}."))
    notes = (
        f"{paper.title}.",
        "These are the pairs that cannot be told apart if encoders err independently of each"
        " other; p values are corrected for all pairs of a task.",
        "disagree: the examples on which the two may disagree at most for a paired test to tell"
        " them apart at 0.05, before the correction.",
    )
    head = ("score of", "score", "against", "its score", *tested)
    return Table(head, tuple(sections), frozenset({"score of", "against"}), notes)


def _cells(one: Printed) -> tuple[str, ...]:
    return (
        one.first,
        f"{one.first_score:g}",
        one.second,
        f"{one.second_score:g}",
        f"{one.difference:+.2f}",
        f"{one.p:.3f}",
        f"{one.corrected:.3f}",
        f"{one.disagree:,}" if one.disagree else "–",
    )


def detectable(variance: float, n: int) -> float:
    """The difference in percent that n examples of such a variance each show four times in five at
    0.05.
    """
    return (REACH + POWER) * PERCENT * math.sqrt(2 * max(variance, 1 / n) / n)
