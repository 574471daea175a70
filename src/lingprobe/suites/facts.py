"""A paper's table as facts, and what was measured here beside it. `suites` fills these values,
`report` lays them out.

Facts lie in tab-separated files that people can read: a header `block, row, COLUMN...`, a line for
each row of the paper, `-` where it gives no figure, `?` after a figure that is as printed and
doubted. Comments begin with `#`, doubts with `# ?`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from lingprobe.analysis.row import PERCENT_SCALE
from lingprobe.data.core import DataProblem, Result
from lingprobe.data.records import read_tab_separated


class PrintedNumber(NamedTuple):
    """A number in percent and as the paper prints it, with a question mark where that is doubted;
    NaN where it gives none.
    """

    value: float
    printed: str = "–"


class PaperRow(NamedTuple):
    """A row of the paper: one figure a column, and where it stands (paper, table, block, row)."""

    name: str
    figures: tuple[PrintedNumber, ...]
    source: str


class PaperBlock(NamedTuple):
    """Rows that the paper puts under one heading."""

    heading: str
    lines: tuple[PaperRow, ...]

    def row(self, name: str) -> str:
        """A row's name in the whole table: after its architecture or language, where blocks are
        these.
        """
        heading = self.heading.removesuffix(" encoder")
        named = heading != self.heading or heading in ("English", "Polish")
        return f"{heading}, {name}" if named else name


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A published table: its columns in the paper's order and words, its rows, and the doubts about
    what is printed.

    apart          names of rows that are no encoders: baselines and people; they are neither ranked
                   nor set in bold
    tested         how many test examples a column is over, where that is known; of one block alone
                   under 'Polish, Entailment'
    correlated     which correlation a column is, as metrics are called; the others are shares
    blocks_differ  whether each block is over test examples of its own
    """

    title: str
    columns: tuple[str, ...]
    blocks: tuple[PaperBlock, ...]
    doubts: tuple[str, ...] = ()
    apart: frozenset[str] = frozenset()
    tested: Mapping[str, int] = field(default_factory=dict)
    correlated: Mapping[str, str] = field(default_factory=dict)
    blocks_differ: bool = False

    def examples(self, block: str, column: str) -> int:
        """How many test examples the scores of a block in a column are over; 0 where that is not
        known.
        """
        return self.tested.get(f"{block}, {column}", self.tested.get(column, 0))

    def variance(self, column: str, score: float) -> float:
        """The variance of a score as a share, times the number of test examples.

        Of a correlation it is that between normal variables (Bonett & Wright 2000).
        """
        share = score / PERCENT_SCALE
        kind = self.correlated.get(column)
        if kind is None:
            return share * (1 - share)
        return (1 - share**2) ** 2 * (1 + share**2 / 2 if kind == "spearman" else 1)

    def error(self, column: str, score: float, n: int) -> float:
        """The standard error of a score in percent over n test examples. Not even all of them right
        is beyond doubt: the variance is at least that of one example.
        """
        return PERCENT_SCALE * math.sqrt(max(self.variance(column, score), 1 / n) / n)

    def beside(self, block: str) -> PaperTable:
        """The table without what is not over the test examples of a block; whole where that is not
        known.
        """
        if not (self.blocks_differ and block):
            return self
        return replace(self, blocks=tuple(b for b in self.blocks if b.heading == block))


class ScorePlace(NamedTuple):
    """Where a score belongs in a table: the column's number, the data that it is over, and why they
    are not the published ones.

    Without a reason they are, and the score may be compared with the paper's: with that of one
    block, where blocks are over data of their own and it is known which.
    """

    column: int
    data: str
    why: str = ""
    block: str = ""


class CellResults(NamedTuple):
    """The results of one cell (all seeds and folds); `floor` names the paper's baseline that they
    repeat, '' for an encoder.
    """

    place: ScorePlace
    floor: str
    results: tuple[Result, ...]


class HumanScore(NamedTuple):
    """What people score on sampled test sentences, in percent, with its interval and how many
    sentences it is over.
    """

    place: ScorePlace
    score: float
    low: float
    high: float
    n: int


def read_paper_facts(
    file: Path, source: str
) -> tuple[tuple[str, ...], tuple[PaperBlock, ...], tuple[str, ...]]:
    """The columns, blocks and doubts of a file of facts; `source` names paper and table.
    DataProblem with file and line.
    """
    doubts = [
        line.removeprefix("# ?").strip()
        for line in file.read_text("utf-8").splitlines()
        if line.startswith("# ?")
    ]
    header, body = read_tab_separated(file)
    lines = [(cells[0], _parse_paper_row(cells, where, source)) for where, cells in body]
    blocks = tuple(
        PaperBlock(heading, tuple(line for _, line in mine))
        for heading, mine in groupby(lines, key=lambda pair: pair[0])
    )
    return tuple(header[2:]), blocks, tuple(doubts)


def _parse_paper_row(cells: Sequence[str], where: str, source: str) -> PaperRow:
    block, name, *figures = cells
    return PaperRow(
        name, tuple(_figure(text, where) for text in figures), f"{source}, {block}, {name}"
    )


def _figure(text: str, where: str) -> PrintedNumber:
    if text == "-":
        return PrintedNumber(math.nan)
    try:
        value = float(text.removesuffix("?"))
    except ValueError:
        raise DataProblem(
            f"{where}: {text!r} is not a number; write one, or - if the paper has none"
        ) from None
    if not 0 <= value <= 100:
        raise DataProblem(f"{where}: {text} is not a percentage")
    return PrintedNumber(value, text)


def merge_reasons(entries: Sequence[CellResults]) -> list[CellResults]:
    """The entries with one answer for each data set: it is the published one if that holds of all
    of its columns.
    """
    reasons: dict[str, dict[str, None]] = {}
    for entry in entries:
        if entry.place.why:
            reasons.setdefault(entry.place.data, {})[entry.place.why] = None
    return [
        e._replace(place=e.place._replace(why="; ".join(reasons.get(e.place.data, ()))))
        for e in entries
    ]


def group_by_data(entries: Sequence[CellResults]) -> dict[tuple[str, str], list[CellResults]]:
    """Entries by their data, and why those are not the published ones; entries on the published
    data come first.
    """
    groups: dict[tuple[str, str], list[CellResults]] = {}
    for entry in sorted(entries, key=lambda e: e.place.why != ""):
        groups.setdefault((entry.place.data, entry.place.why), []).append(entry)
    return groups
