"""The claims of papers: what they say, word for word, and as comparisons of cells of their tables.
`claims.tsv` has them, a line each; docs/design/claims.md says how it is read.
"""

from __future__ import annotations

import csv
import functools
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from lingprobe import DataProblem
from lingprobe_extensions.papers.verdicts import Direction

_FILE = Path(__file__).with_suffix(".tsv")
_DIRECTIONS: Mapping[str, Direction] = {
    "above": "above",
    "below": "below",
    "alike": "alike",
    "rises": "above",
    "falls": "below",
    "flat": "alike",
    "correlates": "above",
    "correlates less": "below",
}
EPOCH_RELATIONS = frozenset({"rises", "falls", "flat"})
"""Relations of an encoder's last epoch to its first."""
CORRELATION_RELATIONS = frozenset({"correlates", "correlates less"})
"""Relations of correlations, which are tested on a paper's own table."""
_RELATE = "see lingprobe relate"
UNTESTED_RELATIONS = {
    "figure": "not in a table",
    "correlation": _RELATE,
    **dict.fromkeys(CORRELATION_RELATIONS, _RELATE),
}
"""Relations of claims that are no comparison of cells, and why results have no verdict on them."""
_QUANTIFIERS: Mapping[str, Callable[[int], int]] = {
    "every": lambda n: n,
    "almost all": lambda n: math.ceil(n * 4 / 5),
    "most": lambda n: n // 2 + 1,
    "in general": lambda n: n // 2 + 1,
}
"""How many of n comparisons must be true. Papers give no thresholds; these are ours."""
_COUNT = re.compile(r"(\d+) of (\d+)")
_OVER = ("each", "best", "rows", "tasks", "mean")
CHANCE_CELL = "chance"
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class PaperClaim:
    """A claim of a paper: `first` is in some relation to `second` on some tasks.

    where       the section, and the figure where it is not in the table
    quote       the paper's words; […] stands for what is excluded
    claim       what is tested, in a sentence
    quantifier  of how many comparisons the paper says it: every, almost all, most, in general, or a
                count ('17 of 22'); '' of a single one
    first       rows of the paper's table, by pattern
    relation    above, below, alike; rises, falls, flat along epochs; correlates, correlates less;
                figure or correlation of what the table has not, which has no first, second, tasks
                and over
    second      other rows; 'chance N' for what a constant answer gets, or a number
    tasks       columns, by pattern; two lists with ' / ' between them where the sides have tasks of
                their own
    over        what is one comparison: each pair of rows and each task; the best of the first rows
                against all of the second, by task (best); each pair of rows on average over tasks
                (rows); each task on average over rows (tasks); or the mean of all
    within      how far apart scores may be that are alike, in percent; of above and below, how far
                a score may be on the other side
    cause       what the paper offers as the cause and does not test; '' for nothing
    """

    paper: str
    id: str
    where: str
    quote: str
    claim: str
    quantifier: str
    first: str
    relation: str
    second: str
    tasks: str
    over: str
    within: float
    cause: str

    @property
    def direction(self) -> Direction:
        """What is claimed of the difference of the two sides."""
        return _DIRECTIONS[self.relation]

    @property
    def level(self) -> float | None:
        """The number that the first side is compared with; None for rows."""
        text = self.second.removeprefix(CHANCE_CELL).strip()
        return float(text) if re.fullmatch(r"\d+(\.\d+)?", text) else None

    @property
    def sides(self) -> tuple[str, str]:
        """The tasks of the first side, and of the second."""
        first, _, second = self.tasks.partition(" / ")
        return first, second or first

    def required_count(self, n: int) -> int:
        """How many of n comparisons must be true for a claim's quantifier: all, four fifths for
        almost all, more than half for most; a count is taken as a share where n is not the paper's.
        """
        if count := _COUNT.fullmatch(self.quantifier):
            return math.ceil(n * int(count[1]) / int(count[2]))
        return _QUANTIFIERS[self.quantifier or "every"](n)


_COLUMNS = tuple(field.name for field in fields(PaperClaim))


class MatchedRows(NamedTuple, Generic[R]):
    """What a side's entry stands for: rows with their signs, and what stood for its <names>."""

    rows: tuple[tuple[float, R], ...]
    bound: Mapping[str, str]
    name: str


Terms = tuple[tuple[float, R, str], ...]
"""Weights of the scores of rows on tasks."""


class ScoreContrast(NamedTuple, Generic[R]):
    """Two sides of a claim by name, each a weighted sum of scores; the claim is of the first less
    the second. No terms of the second: it is a number.
    """

    first: str
    second: str
    ours: Terms[R]
    theirs: Terms[R]

    @property
    def terms(self) -> Terms[R]:
        """The difference as one sum, with one weight for each score."""
        weights: dict[tuple[R, str], float] = {}
        for sign, side in ((1.0, self.ours), (-1.0, self.theirs)):
            for weight, row, task in side:
                weights[row, task] = weights.get((row, task), 0.0) + sign * weight
        return tuple((weight, row, task) for (row, task), weight in weights.items())

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that it is over."""
        return tuple(dict.fromkeys(task for _, _, task in self.terms))


Comparison = list[list[list[ScoreContrast[R]]]]
"""One thing that a claim says: of some alternatives (one, but for the best of several rows) all
conditions hold, each of them on average over some differences.
"""


@functools.cache
def read_claims(file: Path = _FILE) -> tuple[PaperClaim, ...]:
    """The claims of a file; DataProblem for one with other columns."""
    with file.open(encoding="utf-8") as opened:
        rows = csv.reader(
            (line for line in opened if not line.startswith("#")),
            delimiter="\t",
            quoting=csv.QUOTE_NONE,
        )
        header, *lines = rows
    if tuple(header) != _COLUMNS:
        raise DataProblem(f"{file}: the first line names the columns {', '.join(_COLUMNS)}")
    every = []
    for cells in lines:
        said = dict(zip(_COLUMNS, cells, strict=True))
        within = float(said.pop("within") or 0)
        every.append(PaperClaim(**said, within=within))
    return tuple(every)


def match_names(pattern: str, names: Sequence[str]) -> list[str]:
    """The names that a list with `;` names: patterns with `*`, and after `!` those excluded."""
    some, out = _split_entries(pattern)
    return [name for part in some for name in names if fnmatchcase(name, part) and not out(name)]


def _split_entries(text: str) -> tuple[list[str], Callable[[str], bool]]:
    """The entries of a list with `;`, and whether a name is among those excluded."""
    parts = [part.strip() for part in text.split(";")]
    out = [part[1:] for part in parts if part.startswith("!")]
    kept = [part for part in parts if part and part[0] != "!"]
    return kept, lambda name: any(fnmatchcase(name, pattern) for pattern in out)


def match_items(side: str, rows: Sequence[R], name: Callable[[R], str]) -> list[MatchedRows[R]]:
    """What a side of a claim names among some rows: `A; B; A minus B; !C`, with `*` for anything
    and `<x>` for what is the same wherever it stands.
    """
    parts, out = _split_entries(side)
    there = [row for row in rows if not out(name(row))]
    every = [item for part in parts for item in _items(part, there, name)]
    return list({item.rows: item for item in every}.values())


def _items(part: str, rows: Sequence[R], name: Callable[[R], str]) -> Iterator[MatchedRows[R]]:
    first, _, second = part.partition(" minus ")
    for row in rows:
        bound = _match_placeholders(first, name(row))
        if bound is not None and not second:
            yield MatchedRows(((1.0, row),), bound, name(row))
        for other in rows if bound is not None and second else ():
            more = _match_placeholders(second, name(other))
            if more is not None and _agree(bound or {}, more):
                both = f"{name(row)} minus {name(other)}"
                yield MatchedRows(((1.0, row), (-1.0, other)), {**(bound or {}), **more}, both)


def _match_placeholders(pattern: str, name: str) -> dict[str, str] | None:
    """What stands in a name for the <x> of a pattern; None where it does not fit."""
    parts = re.split(r"(<\w+>|\*)", pattern)
    expression = "".join(
        ".*" if part == "*" else f"(?P{part}.+?)" if part[:1] == "<" else re.escape(part)
        for part in parts
    )
    match = re.fullmatch(expression, name)
    return match.groupdict() if match else None


def _agree(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    return all(other.get(key, value) == value for key, value in one.items())


def list_claim_comparisons(
    claim: PaperClaim, rows: Sequence[R], tasks: Sequence[str], name: Callable[[R], str]
) -> list[Comparison[R]]:
    """The comparisons that a claim is about; along epochs none."""
    here = [match_names(side, tasks) for side in claim.sides]
    made: dict[object, dict[object, dict[object, list[ScoreContrast[R]]]]] = {}
    between = list(product(*here)) if here[0] != here[1] else [(task, task) for task in here[0]]
    for first, second in pair_entries(claim, rows, name):
        for task, other in between:
            theirs = second.rows if second else ()
            contrast = ScoreContrast(
                first.name,
                second.name if second else claim.second,
                tuple((weight, row, task) for weight, row in first.rows),
                tuple((weight, row, other) for weight, row in theirs),
            )
            # by the rows themselves: several encoders may stand for what a paper calls one name
            pair, columns = (first.rows, theirs), (task, other)
            comparison, alternative, condition = {
                "each": ((pair, columns), (), ()),
                "best": ((tuple(first.bound.items()), columns), first.rows, theirs),
                "rows": (pair, (), ()),
                "tasks": (columns, (), ()),
                "mean": ((), (), ()),
            }[claim.over]
            conditions = made.setdefault(comparison, {}).setdefault(alternative, {})
            conditions.setdefault(condition, []).append(contrast)
    return [[list(c.values()) for c in one.values()] for one in made.values()]


def pair_entries(
    claim: PaperClaim, rows: Sequence[R], name: Callable[[R], str]
) -> Iterator[tuple[MatchedRows[R], MatchedRows[R] | None]]:
    """Each entry of the first side with those of the second that it is compared with."""
    firsts = match_items(claim.first, rows, name)
    if claim.level is not None:
        yield from ((first, None) for first in firsts)
        return
    seconds = match_items(claim.second, rows, name)
    apart, same = claim.sides[0] != claim.sides[1], claim.first == claim.second
    for first, second in product(firsts, seconds):
        if apart and same:
            fits = first.rows == second.rows
        else:
            later = not same or firsts.index(first) < seconds.index(second)
            fits = _agree(first.bound, second.bound) and first.rows != second.rows and later
        if fits:
            yield first, second
