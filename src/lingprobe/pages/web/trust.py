"""Whether what came out can be believed: the best encoder of each task beside the best baseline and
the oracle, controls, and what was found odd about data and fits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from lingprobe.analysis.answers import together
from lingprobe.analysis.row import CONSTANT, PERCENT, Row
from lingprobe.analysis.rows import repeats
from lingprobe.metrics import difference, holm
from lingprobe.metrics.multiplicity import ALPHA
from lingprobe.pages.groups import Column
from lingprobe.pages.scores import score_notes
from lingprobe.pages.web.study import Study, many
from lingprobe.pages.wide import made_by, matrix, score_cell
from lingprobe.tables.table import Section, Table, number, p_value
from lingprobe.tables.web import Block, Chapter, Prose, Sheet

COLUMNS = (
    *("task", "verdict", "best encoder", "score", "best baseline", "its score"),
    *("difference", "p (Holm)", "oracle"),
)
WORDS = frozenset({"task", "best encoder", "best baseline", "verdict"})


class Duel(NamedTuple):
    """The best encoder of a task against its best baseline; for a constant answer p is NaN, and the
    difference is that of the score's interval.
    """

    column: Column
    best: tuple[str, Row]
    floor: str
    floored: float
    difference: float
    low: float
    high: float
    p: float

    @property
    def is_told(self) -> bool:
        """Whether the data tell that the encoder is better."""
        return self.difference > 0 and (self.p < ALPHA if self.p == self.p else self.low > 0)


def trust(study: Study) -> Chapter:
    """What there is to be compared with, and what to keep in mind."""
    duels = _corrected([duel for column in study.made.columns for duel in _duels(study, column)])
    blocks: list[Block] = [Prose((_verdict(duels),), "finding")] if duels else []
    if duels:
        rows = tuple(_row(study, duel) for duel in duels)
        looks = {(0, r, 1): "bad" for r, duel in enumerate(duels) if not duel.is_told}
        table = Table(COLUMNS, (Section("", rows),), WORDS)
        blocks.append(
            Sheet(table, "The best encoder on each task against the best baseline", looks)
        )
    whole = matrix(study.made)
    for section in whole.sections[1:]:
        blocks.append(Sheet(replace(whole, sections=(section,))))
    problems = study.beside.problems
    blocks += [Prose(("Not everything could be measured:", *problems))] if problems else []
    notes = (*score_notes(study.made.rows)[1:], *made_by(study.made), *study.beside.remarks, AUDIT)
    return Chapter("trust", "How far to trust the scores", (*blocks, Prose(notes, "note")))


AUDIT = (
    "lingprobe inspect TASK audits the data of a task: repeats, leaks between splits, and what"
    " rules and simple models score on it without an encoder."
)


def _duels(study: Study, column: Column) -> Iterator[Duel]:
    """The comparison of one task, where an encoder has a score."""
    for best in study.scored(column, "trained")[:1]:
        row, constant = best[1], study.firsts[column.task].majority
        baseline = next(iter(study.scored(column, "baseline")), None)
        if baseline is None or not baseline[1].score >= constant:
            ends = row.score - constant, row.low - constant, row.high - constant
            yield Duel(column, best, CONSTANT, constant, *ends, math.nan)
            continue
        answers = [together(repeats(study.results_of(each))) for each in (row, baseline[1])]
        found = difference(row.metric, *answers)
        value, low, high = (PERCENT * value for value in found[:3])
        yield Duel(column, best, *_scored(baseline), value, low, high, found.p)


def _scored(named: tuple[str, Row]) -> tuple[str, float]:
    return named[0], named[1].score


def _corrected(duels: Sequence[Duel]) -> list[Duel]:
    """The same with p values corrected for their number (Holm 1979)."""
    tested = [i for i, duel in enumerate(duels) if duel.p == duel.p]
    p = dict(zip(tested, holm([duels[i].p for i in tested]), strict=True))
    return [duel._replace(p=float(p.get(i, math.nan))) for i, duel in enumerate(duels)]


def _verdict(duels: Sequence[Duel]) -> str:
    """For how many tasks the best encoder is not told from the best baseline."""
    doubted = [duel for duel in duels if not duel.is_told]
    of = many(len(duels), "task")
    if not doubted:
        return f"On all {of}, the best encoder is significantly better than the best baseline."
    names = ", ".join(duel.column.name for duel in doubted[:SOME])
    more = f" and {len(doubted) - SOME} more" if len(doubted) > SOME else ""
    return (
        f"On {len(doubted)} of {of}, the best encoder is not significantly better than the best"
        f" baseline ({names}{more}): there its score shows no more about language than the"
        " baseline's."
    )


SOME = 8  # tasks that a sentence names


def _row(study: Study, duel: Duel) -> tuple[str, ...]:
    name, row = duel.best
    ceiling = study.ceiling(row)
    verdict = "better" if duel.is_told else "worse" if duel.high < 0 else "not separable"
    return (
        study.made.said(duel.column),
        verdict + ", above its oracle" * study.is_above(row),
        name,
        score_cell(study.made, row),
        duel.floor,
        number(duel.floored),
        f"{duel.difference:+.1f} ({duel.low:+.1f} – {duel.high:+.1f})",
        p_value(duel.p),
        number(ceiling),
    )
