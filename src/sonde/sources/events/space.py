"""All sentences that a request admits, numbered from 0: counted exactly without listing them, each reached by its number.

A request becomes one cell a shape, and a cell some disjoint boxes. Counting and finding a number need no search, so
nothing can hang; a request that admits nothing says which of its parts clash.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from sonde.core import DataProblem
from sonde.sources.events.boxes import Box, apart, meet, outside, within
from sonde.sources.events.cells import Cell, rivals
from sonde.sources.events.grammar import shapes
from sonde.sources.events.language import Language
from sonde.sources.events.meaning import Event
from sonde.sources.events.patterns import Partial, boxes
from sonde.sources.events.request import Constraint, Request
from sonde.sources.events.shapes import Clause, Placed, place
from sonde.sources.events.skeleton import event


@dataclass(frozen=True)
class Space:
    """The sentences of a request: cells in a row."""

    language: Language
    cells: tuple[Cell, ...]

    @cached_property
    def starts(self) -> list[int]:
        """The number of the first sentence of each cell, and how many there are in all."""
        return [0, *accumulate(cell.size for cell in self.cells)]

    @property
    def size(self) -> int:
        """How many sentences there are, exactly."""
        return self.starts[-1]

    def find(self, number: int) -> tuple[Cell, int]:
        """The cell that a number lies in, and its number there."""
        if not 0 <= number < self.size:
            raise DataProblem(f"sentence {number:,} is not there: numbers go from 0 to {self.size - 1:,}")
        k = bisect_right(self.starts, number) - 1
        return self.cells[k], number - self.starts[k]

    def event_at(self, number: int) -> Event:
        """The event with a number."""
        cell, inside = self.find(number)
        values = cell.values([inside])
        return event(cell.placed, {path: int(v[0]) for path, v in values.items()}, self.language)

    def having(self, pattern: Partial, *, main: bool = True) -> Space:
        """The part of the space in which the main clause (or any) is as a pattern says."""
        constraint = Constraint("pattern", pattern, main)
        cells = (_cell(c.placed, _required(list(c.boxes), constraint, c.placed, self.language), c.rivals) for c in self.cells)
        return Space(self.language, tuple(cell for cell in cells if cell.size))


def space(asked: Request) -> Space:
    """All sentences that a request admits; one that admits none is an error that says what clashes."""
    found = _space(asked)
    if not found.size:
        raise DataProblem(f"no sentence is as requested: {_clash(asked)}")
    return found


def _space(asked: Request) -> Space:
    cells = (_admitted(shape, asked) for shape in shapes(asked.grammar))
    return Space(asked.language, tuple(cell for cell in cells if cell is not None and cell.size))


def _admitted(shape: Clause, asked: Request) -> Cell | None:
    """The sentences of one shape that a request admits."""
    placed, language = place(shape), asked.language
    full = _domain(placed, asked)
    if full is None:
        return None
    found: list[Box] = [full]
    for constraint in asked.require:
        found = _required(found, constraint, placed, language)
    for _, masks in asked.needed:
        found = within(found, [{v.path: masks[v.kind]} for v in placed.variables if v.kind in masks] + _adverbs(masks, placed, language))
    if not found:
        return None
    for constraint in asked.prohibit:
        for box in boxes(constraint.pattern, placed, language, main=constraint.main):
            found = outside(found, box)
    for rule in language.rules(placed):
        if rule.name not in asked.allow:
            found = outside(found, rule.box)
    if asked.matched:
        found = _one_number(found, placed, language)
    return _cell(placed, found, rivals(placed))


def _cell(placed: Placed, found: list[Box], groups: tuple[tuple[str, ...], ...]) -> Cell:
    return Cell(placed, tuple(part for box in found for part in apart(box, groups)), groups)


def _domain(placed: Placed, asked: Request) -> Box | None:
    """What each variable may be before anything is required; None where one has nothing to be."""
    found = {v.path: asked.domains[v.kind] for v in placed.variables}
    for at in placed.clauses:
        found[f"{at.prefix}predicate"] &= asked.language.lexicon.mask("verb", frame=at.clause.frame)
    return found if all(found.values()) else None


def _required(found: list[Box], constraint: Constraint, placed: Placed, language: Language) -> list[Box]:
    return within(found, boxes(constraint.pattern, placed, language, main=constraint.main))


def _adverbs(masks: dict[str, int] | object, placed: Placed, language: Language) -> list[Box]:
    """Rows of adverbs with a needed one, in each clause."""
    wanted = masks.get("adverb", 0) if isinstance(masks, dict) else 0
    if not wanted:
        return []
    rows = language.mask("adverbs", lambda row: any(wanted >> i & 1 for i in row))
    return [{v.path: rows} for v in placed.variables if v.kind == "adverbs"]


def _one_number(found: list[Box], placed: Placed, language: Language) -> list[Box]:
    paths = [v.path for v in placed.variables if v.kind == "phrase"]
    options = [{path: language.having("phrase", "number", (number,)) for path in paths} for number in ("singular", "plural")]
    return [both for box in found for option in options if (both := meet(box, option)) is not None]


def _clash(asked: Request) -> str:
    """The smallest set of requirements that cannot be met together, found by leaving out one after another."""
    names = [c.name for c in (*asked.require, *asked.prohibit)] + [f"require_words {word!r}" for word, _ in asked.needed]
    kept = list(names)
    if asked.matched:
        names.append("matched_number")
        kept.append("matched_number")
    if not _space(_only(asked, [])).size:
        return "the words, features and structures leave nothing, even without require, prohibit and require_words"
    for name in names:
        fewer = [k for k in kept if k != name]
        if not _space(_only(asked, fewer)).size:
            kept = fewer
    return f"{_listed(kept)} cannot be met" + (" together" if len(kept) > 1 else " with these words, features and structures")


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _only(asked: Request, kept: Sequence[str]) -> Request:
    """The request with only some of its requirements."""
    return replace(
        asked,
        require=tuple(c for c in asked.require if c.name in kept),
        prohibit=tuple(c for c in asked.prohibit if c.name in kept),
        needed=tuple(n for n in asked.needed if f"require_words {n[0]!r}" in kept),
        matched="matched_number" in kept,
    )


def each(found: Space) -> Iterator[Event]:
    """Every event of a space in the order of the numbers; for small ones."""
    return (found.event_at(number) for number in range(found.size))
