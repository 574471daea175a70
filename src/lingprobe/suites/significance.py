"""Which differences in a published table are significant, from the scores and the number of test
examples alone.

A paper does not publish on which examples two encoders are right, so their errors are assumed to be
independent. If the encoders err on the same examples, a paired test has more power. Beside each
difference is therefore the largest number of examples on which the two may disagree for such a test
to be significant.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from lingprobe.analysis.row import PERCENT_SCALE
from lingprobe.metrics import correct_p_values
from lingprobe.metrics.multiplicity import CORRECTION_NAMES, SIGNIFICANCE_LEVEL
from lingprobe.suites.facts import PaperBlock, PaperRow, PaperTable
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_number,
)

_SHOWN = 2  # encoders named as not significantly different from the best; more are counted
_REACH = 1.959964  # standard errors on each side of a 95 % interval
_POWER = 0.841621  # further standard errors for a power of 80 %


@dataclass(frozen=True, slots=True)
class PublishedDifference:
    """Two published scores of one task, in percent, over n test examples each.

    p         two-sided, of no difference, if both err independently; `corrected`: for all pairs of
              the task
    disagree  the most examples on which the two may disagree for McNemar's test to be significant
              at 0.05, if they were tested on the same ones; 0 for correlations, where the test does
              not apply
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


def compare_paper(paper: PaperTable, correction: str = "holm") -> list[PublishedDifference]:
    """Which differences of a published table are significant, from scores and the number of test
    examples alone: all pairs of encoders, task by task, the higher score first.
    """
    return [
        one
        for heading, lines in _comparable_rows(paper.blocks, paper)
        for column, task in enumerate(paper.columns)
        if (n := paper.examples(heading, task))
        for one in _correct_pairs(
            _list_printed_pairs(paper, (heading, lines), column, n), correction
        )
    ]


def _comparable_rows(
    blocks: Sequence[PaperBlock], paper: PaperTable
) -> Iterator[tuple[str, list[PaperRow]]]:
    """The rows with the same test examples: those of one block, or of all blocks."""
    if paper.blocks_differ:
        for block in blocks:
            yield block.heading, [line for line in block.lines if line.name not in paper.apart]
    else:
        named = [
            line._replace(name=block.row(line.name))
            for block in blocks
            for line in block.lines
            if line.name not in paper.apart
        ]
        yield "", named


def _list_printed_pairs(
    paper: PaperTable, block: tuple[str, Sequence[PaperRow]], column: int, n: int
) -> list[PublishedDifference]:
    heading, lines = block
    scored = [line for line in lines if not math.isnan(line.figures[column].value)]
    ordered = sorted(scored, key=lambda line: -line.figures[column].value)
    return [
        _pair(paper, (heading, column), (one, other), n) for one, other in combinations(ordered, 2)
    ]


def _pair(
    paper: PaperTable, where: tuple[str, int], lines: tuple[PaperRow, PaperRow], n: int
) -> PublishedDifference:
    block, column = where
    task = paper.columns[column]
    first, second = (line.figures[column].value for line in lines)
    error = math.hypot(*(paper.error(task, score, n) for score in (first, second)))
    p = math.erfc((first - second) / error / math.sqrt(2))
    gap = (first - second) / PERCENT_SCALE
    disagree = 0 if task in paper.correlated else math.floor((gap * n / _REACH) ** 2)
    names = lines[0].name, lines[1].name
    return PublishedDifference(task, block, *names, first, second, n, p, p, disagree)


def _correct_pairs(
    pairs: Sequence[PublishedDifference], correction: str
) -> list[PublishedDifference]:
    p = correct_p_values([one.p for one in pairs], correction)
    return [replace(one, corrected=float(v)) for one, v in zip(pairs, p, strict=True)]


def by_task(
    pairs: Sequence[PublishedDifference],
) -> dict[tuple[str, str], list[PublishedDifference]]:
    """Pairs by block and task."""
    groups: dict[tuple[str, str], list[PublishedDifference]] = {}
    for one in pairs:
        groups.setdefault((one.block, one.task), []).append(one)
    return groups


def tabulate_best_encoders(
    paper: PaperTable, pairs: Sequence[PublishedDifference], correction: str = "holm"
) -> Table:
    """A line for each task: the best, what does not differ from it significantly, and how many
    pairs do not.
    """
    bodies: dict[str, list[tuple[str, ...]]] = {}
    for (block, task), mine in by_task(pairs).items():
        best = mine[0]
        left = [one for one in mine if one.corrected >= SIGNIFICANCE_LEVEL]
        alike = [f"{one.second} {one.second_score:g}" for one in left if one.first == best.first]
        bodies.setdefault(block, []).append(
            (
                task,
                f"{best.first} {best.first_score:g}",
                _list_first_names(alike),
                f"{len(left)} of {len(mine)}",
                format_number(
                    compute_detectable_difference(paper.error(task, best.first_score, best.n))
                ),
                f"{best.n:,}",
            )
        )
    notes = (
        f"{paper.title}.",
        f"Not significant: the p value of the difference is {SIGNIFICANCE_LEVEL:g} or above,"
        f" corrected for the pairs of a task ({CORRECTION_NAMES[correction]}). The test assumes"
        " that encoders make errors independently of each other. If they err on the same examples,"
        " a paired test has more power, but it needs more than a published table.",
        "detectable: the difference from the best score that n examples show with a power of 80 %,"
        " before the correction.",
    )
    words = ("task", "best", "not significantly different", "pairs that do not differ")
    sections = tuple(TableSection(block, tuple(body)) for block, body in bodies.items())
    return Table((*words, "detectable", "n"), sections, frozenset(words), notes)


def _list_first_names(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return "; ".join(names[:_SHOWN]) + more or "–"


def not_significant(
    paper: PaperTable, pairs: Sequence[PublishedDifference], correction: str = "holm"
) -> Table:
    """The pairs that do not differ significantly, task by task."""
    tested = ("difference", "p", f"p ({CORRECTION_NAMES[correction]})", "disagree")
    sections = []
    for (block, task), mine in by_task(pairs).items():
        body = tuple(
            _format_printed_pair(one) for one in mine if one.corrected >= SIGNIFICANCE_LEVEL
        )
        differ = f"{len(mine) - len(body)} of {len(mine)} pairs differ significantly"
        title = f"{block}, {task}" if block else task
        sections.append(TableSection(title, body, f"n = {mine[0].n:,}; {differ}."))
    notes = (
        f"{paper.title}.",
        "These pairs do not differ significantly if encoders err independently of each other; p"
        " values are corrected for all pairs of a task.",
        "disagree: the most examples on which the two may disagree for a paired test to be"
        " significant at 0.05, before the correction.",
    )
    head = ("score of", "score", "against", "its score", *tested)
    return Table(head, tuple(sections), frozenset({"score of", "against"}), notes)


def _format_printed_pair(one: PublishedDifference) -> tuple[str, ...]:
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


def compute_detectable_difference(error: float) -> float:
    """The smallest difference of two published scores with this standard error that is significant
    at 0.05 with a power of 80 %.
    """
    return (_REACH + _POWER) * error * math.sqrt(2)
