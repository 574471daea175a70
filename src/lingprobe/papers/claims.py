"""The claims of papers as comparisons of cells of their tables. `claims.tsv` has them, a line
each; docs/claims.md says how it is read.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from lingprobe.analysis.verdicts import Direction
from lingprobe.core import DataProblem

FILE = Path(__file__).with_suffix(".tsv")
COLUMNS = (
    *("paper", "id", "where", "claim", "first", "relation", "second", "tasks"),
    *("over", "within", "cause"),
)
DIRECTIONS: Mapping[str, Direction] = {
    "above": "above",
    "below": "below",
    "alike": "alike",
    "rises": "above",
    "falls": "below",
    "flat": "alike",
}
EPOCHS = frozenset({"rises", "falls", "flat"})
"""Relations of an encoder's last epoch to its first."""
OVER = ("each", "rows", "tasks", "mean")
CHANCE = "chance"
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a paper: `first` is in some relation to `second` on some tasks.

    where     the section, and the figure where it is not in the table
    first     rows of the paper's table, by pattern
    second    others; 'chance N' for what a constant answer gets, or a number
    relation  above, below, alike; rises, falls, flat along epochs
    tasks     columns, by pattern; two lists with ' / ' between them where the sides have tasks of
              their own
    over      what the claim is made of: each pair of rows and each task, each pair of rows on
              average over tasks (rows), each task on average over rows (tasks), or the mean of all
    within    how far apart scores may be that are alike, in percent; 0 where nothing is alike
    cause     what the paper offers as the cause and does not test; '' for nothing
    """

    paper: str
    id: str
    where: str
    claim: str
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
        return DIRECTIONS[self.relation]

    @property
    def level(self) -> float | None:
        """The number that the first side is compared with; None for rows."""
        text = self.second.removeprefix(CHANCE).strip()
        return float(text) if re.fullmatch(r"\d+(\.\d+)?", text) else None

    @property
    def sides(self) -> tuple[str, str]:
        """The tasks of the first side, and of the second."""
        first, _, second = self.tasks.partition(" / ")
        return first, second or first


class Item(NamedTuple, Generic[R]):
    """A side's entry, found: rows with their signs, and what stood for its <names>."""

    rows: tuple[tuple[float, R], ...]
    bound: Mapping[str, str]
    name: str


Terms = tuple[tuple[float, R, str], ...]
"""Weights of the scores of rows on tasks."""


class Contrast(NamedTuple, Generic[R]):
    """Two sides of a claim by name, each a weighted sum of scores; the claim is of the first less
    the second. No terms of the second: it is a number.
    """

    first: str
    second: str
    ours: Terms[R]
    theirs: Terms[R]

    @property
    def terms(self) -> Terms[R]:
        """The difference as one sum."""
        return (*self.ours, *((-weight, row, task) for weight, row, task in self.theirs))

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that it is over."""
        return tuple(dict.fromkeys(task for _, _, task in self.terms))


@functools.cache
def claims(file: Path = FILE) -> tuple[Claim, ...]:
    """The claims of a file; DataProblem with file and line."""
    lines = file.read_text("utf-8").splitlines()
    numbered = [(n, line.split("\t")) for n, line in enumerate(lines, 1) if line and line[0] != "#"]
    if not numbered or tuple(numbered[0][1]) != COLUMNS:
        raise DataProblem(f"{file}: the first line names the columns {', '.join(COLUMNS)}")
    read = [_claim(cells, f"{file}:{number}") for number, cells in numbered[1:]]
    known: set[str] = set()
    for (number, _), claim in zip(numbered[1:], read, strict=True):
        if claim.id in known:
            raise DataProblem(f"{file}:{number}: {claim.id} is there twice: give it another id")
        known.add(claim.id)
    return tuple(read)


def _claim(cells: Sequence[str], where: str) -> Claim:
    if len(cells) != len(COLUMNS):
        raise DataProblem(f"{where}: {len(cells)} cells, not {len(COLUMNS)}")
    said = dict(zip(COLUMNS, cells, strict=True))
    for column, known in (("relation", tuple(DIRECTIONS)), ("over", OVER)):
        if said[column] not in known:
            raise DataProblem(
                f"{where}: no {column} {said[column]!r}: choose one of {', '.join(known)}"
            )
    within = said.pop("within") or "0"
    if not re.fullmatch(r"\d+(\.\d+)?", within):
        raise DataProblem(f"{where}: within is {within!r}: write a number in percent")
    claim = Claim(**said, within=float(within))
    if (claim.direction == "alike") != (claim.within > 0):
        raise DataProblem(f"{where}: alike and flat need a number in within, others have none")
    if empty := next((name for name in ("paper", "id", "first", "tasks") if not said[name]), ""):
        raise DataProblem(f"{where}: {empty} is empty")
    if (claim.relation in EPOCHS) != (not claim.second):
        raise DataProblem(f"{where}: second is for rows or a number, and empty along epochs")
    return claim


def chosen(pattern: str, names: Sequence[str]) -> list[str]:
    """The names that a list with `;` names: patterns with `*`, and after `!` those left out."""
    parts = [part.strip() for part in pattern.split(";")]
    some = [part for part in parts if part and part[0] != "!"]
    out = [part[1:] for part in parts if part.startswith("!")]
    return [name for part in some for name in names if _fits(name, part) and not _any(name, out)]


def _fits(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern)


def _any(name: str, patterns: Sequence[str]) -> bool:
    return any(map(functools.partial(_fits, name), patterns))


def items(side: str, rows: Sequence[R], name: Callable[[R], str]) -> list[Item[R]]:
    """What a side of a claim names among some rows: `A; B; A minus B; !C`, with `*` for anything
    and `<x>` for what is the same wherever it stands.
    """
    parts = [part.strip() for part in side.split(";")]
    out = [part[1:] for part in parts if part.startswith("!")]
    there = [row for row in rows if not _any(name(row), out)]
    found = [
        item for part in parts if not part.startswith("!") for item in _items(part, there, name)
    ]
    return list({item.rows: item for item in found}.values())


def _items(part: str, rows: Sequence[R], name: Callable[[R], str]) -> Iterator[Item[R]]:
    first, _, second = part.partition(" minus ")
    for row in rows:
        bound = _bound(first, name(row))
        if bound is not None and not second:
            yield Item(((1.0, row),), bound, name(row))
        for other in rows if bound is not None and second else ():
            more = _bound(second, name(other))
            if more is not None and _agree(bound or {}, more):
                both = f"{name(row)} minus {name(other)}"
                yield Item(((1.0, row), (-1.0, other)), {**(bound or {}), **more}, both)


def _bound(pattern: str, name: str) -> dict[str, str] | None:
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


def contrasts(
    claim: Claim, rows: Sequence[R], tasks: Sequence[str], name: Callable[[R], str]
) -> dict[tuple[object, ...], list[Contrast[R]]]:
    """The differences that a claim is about, grouped by what is averaged; along epochs none."""
    here = [chosen(side, tasks) for side in claim.sides]
    groups: dict[tuple[object, ...], list[Contrast[R]]] = {}
    between = list(product(*here)) if here[0] != here[1] else [(task, task) for task in here[0]]
    for first, second in _pairs(claim, rows, name):
        for task, other in between:
            ours = tuple((weight, row, task) for weight, row in first.rows)
            theirs = tuple((weight, row, other) for weight, row in (second.rows if second else ()))
            contrast = Contrast(first.name, second.name if second else claim.second, ours, theirs)
            # by the rows themselves: several encoders may stand for what a paper calls one name
            pair = first.rows, second.rows if second else ()
            key = {"each": (*pair, task, other), "rows": pair, "tasks": (task, other)}
            groups.setdefault(key.get(claim.over, ()), []).append(contrast)
    return groups


def _pairs(
    claim: Claim, rows: Sequence[R], name: Callable[[R], str]
) -> Iterator[tuple[Item[R], Item[R] | None]]:
    """Each entry of the first side with those of the second that it is compared with."""
    firsts = items(claim.first, rows, name)
    if claim.level is not None:
        yield from ((first, None) for first in firsts)
        return
    seconds = items(claim.second, rows, name)
    apart, same = claim.sides[0] != claim.sides[1], claim.first == claim.second
    for first, second in product(firsts, seconds):
        if apart and same:
            fits = first.rows == second.rows
        else:
            later = not same or firsts.index(first) < seconds.index(second)
            fits = _agree(first.bound, second.bound) and first.rows != second.rows and later
        if fits:
            yield first, second
