"""All sentences of one shape that a request admits, numbered: a walk through the shape's decision
diagram, many at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe_extensions.compose.events.diagram import (
    COMPETING_WORD_KINDS,
    DiagramLevel,
    ShapeConstraints,
    count_paths,
    make_levels,
)
from lingprobe_extensions.compose.events.language import Numbers
from lingprobe_extensions.compose.events.shapes import LinearisedShape, list_members

MAX_INT64_SENTENCES = 1 << 62  # up to here numbers of sentences are int64, above they are Python's
_NEVER = np.iinfo(np.int64).max

Values = Mapping[str, Numbers]
"""The values of some sentences of one shape: [n] for each variable."""


class LevelArrays(NamedTuple):
    """A level in arrays [states, edges]: where each edge begins and ends, what lies behind one of
    its values, its state and its group.

    starts   of each group of values, by number, where its members begin in `members`
    """

    begins: NDArray[Any]
    ends: NDArray[Any]
    behind: NDArray[Any]
    to: Numbers
    group: Numbers
    starts: Numbers
    members: Numbers

    def step(
        self, rest: NDArray[Any], states: Numbers
    ) -> tuple[Numbers, Numbers, NDArray[Any], Numbers]:
        """The group that each number falls into, the place there, and what is left of the number in
        which next state.
        """
        if self.ends.size == 1:  # one way to go on, as it mostly is
            behind = self.behind[0, 0]
            digit = rest // behind
            group, to = (np.full_like(states, table[0, 0]) for table in (self.group, self.to))
            return group, digit.astype(np.int64), rest - digit * behind, to
        one = len(self.ends) == 1
        edge = (
            np.searchsorted(self.ends[0], rest, side="right")
            if one
            else (rest[:, None] >= self.ends[states]).sum(1)
        )
        rest = rest - self.begins[states, edge]
        behind = self.behind[states, edge]
        digit = rest // behind
        return (
            self.group[states, edge],
            digit.astype(np.int64),
            rest - digit * behind,
            self.to[states, edge],
        )


@dataclass(frozen=True)
class AdmittedSentences:
    """The sentences of a shape that a request admits."""

    placed: LinearisedShape
    problem: ShapeConstraints

    @cached_property
    def _diagram(self) -> tuple[list[DiagramLevel], list[list[int]]]:
        diagram = make_levels(self.problem)
        return diagram, count_paths(diagram)

    @property
    def size(self) -> int:
        """How many sentences there are, exactly."""
        return self._diagram[1][0][0]

    @property
    def edges(self) -> int:
        """How large the diagram is."""
        return sum(len(level.to) for level in self._diagram[0])

    @cached_property
    def _tables(self) -> list[LevelArrays]:
        diagram, known = self._diagram
        return [
            _add_up_level(level, behind, self._kind)
            for level, behind in zip(diagram, known[1:], strict=True)
        ]

    @property
    def _kind(self) -> type:
        return np.int64 if self.size < MAX_INT64_SENTENCES else object

    def values(self, numbers: Sequence[int] | NDArray[Any]) -> dict[str, Numbers]:
        """The values of the sentences with some numbers, below `size`; constant time each."""
        rest: NDArray[Any] = np.array(numbers, self._kind)
        states = np.zeros(len(rest), np.int64)
        values: dict[str, Numbers] = {}
        taken: dict[str, list[tuple[Numbers, Numbers]]] = {
            kind: [] for kind in COMPETING_WORD_KINDS
        }
        for variable, table in zip(self.problem.variables, self._tables, strict=True):
            group, digit, rest, states = table.step(rest, states)
            if variable.kind in taken:
                atom = np.array(self.problem.groups[variable.path].places, np.int64)[group]
                digit = _free(digit, atom, taken[variable.kind])
                taken[variable.kind].append((atom, digit))
            values[variable.path] = table.members[table.starts[group] + digit]
        return values


def _add_up_level(level: DiagramLevel, behind: list[int], kind: type) -> LevelArrays:
    """A level with its numbers added up, without edges that lead nowhere."""
    listed = [list_members(mask) for mask in level.groups]
    first = np.array([0, *accumulate(len(row) for row in listed)], np.int64)
    every = np.array([m for row in listed for m in row], np.int64)
    single = len(level.starts) == 2 and len(level.to) == 1  # one way to go on, as it mostly is
    if single and behind[level.to[0]]:
        ways = behind[level.to[0]]
        return LevelArrays(
            begins=np.array([[0]], kind),
            ends=np.array([[ways * int(level.values[0])]], kind),
            behind=np.array([[ways]], kind),
            to=level.to[None].astype(np.int64),
            group=level.group[None].astype(np.int64),
            starts=first,
            members=every,
        )
    level, ways = _live(level, behind, kind)
    starts = level.starts
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    shape = (len(starts) - 1, max(1, int(np.diff(starts).max(initial=1))))
    cells = rows, np.arange(len(rows)) - starts[rows]
    # may wrap around, and differences come out right
    sums = np.concatenate([np.zeros(1, kind), np.cumsum(ways * level.values)])
    totals = (sums[starts[1:]] - sums[starts[:-1]])[:, None]
    return LevelArrays(
        begins=_fill_cells(np.full(shape, 0, kind), cells, sums[:-1] - sums[starts[rows]]),
        ends=_fill_cells(np.full(shape, totals, kind), cells, sums[1:] - sums[starts[rows]]),
        behind=_fill_cells(np.full(shape, 1, kind), cells, ways),
        to=_fill_cells(np.zeros(shape, np.int64), cells, level.to),
        group=_fill_cells(np.zeros(shape, np.int64), cells, level.group),
        starts=first,
        members=every,
    )


def _live(level: DiagramLevel, behind: list[int], kind: type) -> tuple[DiagramLevel, NDArray[Any]]:
    """The edges of a level that lead somewhere, and how many sentences lie behind each."""
    ways: NDArray[Any] = np.array(behind, kind)[level.to]
    live, states = ways > 0, np.arange(len(level.starts))
    rows = np.repeat(states[:-1], np.diff(level.starts))[live]
    filtered = level._replace(
        starts=np.searchsorted(rows, states).astype(np.int32),
        group=level.group[live],
        values=level.values[live],
        to=level.to[live],
    )
    return filtered, ways[live]


def _fill_cells(
    table: NDArray[Any], cells: tuple[Numbers, Numbers], numbers: NDArray[Any]
) -> NDArray[Any]:
    """A table [states, edges] with its edges filled in."""
    table[cells] = numbers
    return table


def _free(digit: Numbers, atom: Numbers, taken: Sequence[tuple[Numbers, Numbers]]) -> Numbers:
    """Places in groups, from digits that count only what earlier rivals have left."""
    if not taken:
        return digit
    earlier = np.sort(
        np.stack([np.where(other == atom, place, _NEVER) for other, place in taken]), axis=0
    )
    for place in earlier:
        digit = digit + (digit >= place)
    return digit
