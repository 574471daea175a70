"""How many sentences of one shape there are, and which has which number: a decision diagram over
the shape's variables.

Everything that a request forbids or requires is a box: a set of values for some variables. A state
says what is still undecided once the first variables have their values: which forbidden boxes the
sentence may yet fall into, which required ones it may yet reach, and how many of each kind of
rivals (no sentence has a noun, verb or adjective twice) are taken. Values that no box tells apart
go together, so states stay few however many words there are, and counting is adding up (Knuth 2011,
TAOCP 4A, 7.1.4).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import accumulate, pairwise
from operator import or_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe_extensions.compose.events.shapes import Box, ShapeVariable

COMPETING_WORD_KINDS = ("noun", "verb", "adjective")
Ints = NDArray[np.int32]
_WIDTH = (
    5  # bits for how many rivals of one group are taken: no sentence has more than 31 of a kind
)


State = tuple[int, int, int, int]
"""What is still undecided, in bits: forbidden boxes, required ones, requirements that are missing,
and rivals that are taken.
"""

Edge = tuple[int, int, State]
"""A group of values, how many of them are free, and the state that they lead to."""


BoxesByPath = Mapping[str, Sequence[tuple[int, int]]]
"""For each variable the boxes that say something of it, by number, and which values they have."""


class ValueGroups(NamedTuple):
    """Values that no box tells apart, in bits, and for rivals where the taken ones of each group
    are counted.
    """

    values: tuple[int, ...]
    places: tuple[int, ...]


@dataclass(frozen=True)
class ShapeConstraints:
    """What a shape leaves open, what each variable may be, and the boxes; each requirement is a
    list of boxes to reach one of.
    """

    variables: tuple[ShapeVariable, ...]
    domain: Box
    forbidden: tuple[Box, ...]
    required: tuple[tuple[Box, ...], ...]

    @cached_property
    def groups(self) -> Mapping[str, ValueGroups]:
        """The values of each variable in groups; rivals of one kind share theirs, so that what is
        taken can be counted.
        """
        groups: dict[str, ValueGroups] = {}
        start = 0
        for kind in COMPETING_WORD_KINDS:
            paths = [v.path for v in self.variables if v.kind == kind]
            atoms = self._atoms(paths)
            for path in paths:
                mine = [(i, atom) for i, atom in enumerate(atoms) if atom & self.domain[path]]
                groups[path] = ValueGroups(
                    tuple(atom for _, atom in mine), tuple(_WIDTH * (start + i) for i, _ in mine)
                )
            start += len(atoms)
        for variable in self.variables:
            if variable.kind not in COMPETING_WORD_KINDS:
                groups[variable.path] = ValueGroups(tuple(self._atoms([variable.path])), ())
        return groups

    @cached_property
    def ended_boxes(self) -> tuple[list[int], list[int]]:
        """For each variable the forbidden boxes and the required ones that no later variable tells,
        in bits.
        """
        place = {variable.path: k for k, variable in enumerate(self.variables)}

        def ends(boxes: Sequence[Box]) -> list[int]:
            last = [0] * len(place)
            for i, box in enumerate(boxes):
                last[max((place.get(path, 0) for path in box), default=0)] |= 1 << i
            return list(accumulate(last, or_))

        return ends(self.forbidden), ends(self.reachable)

    @cached_property
    def later_rivals(self) -> list[int]:
        """For each variable the counts of taken rivals that some later variable asks for, in
        bits.
        """
        asked = [0]
        for variable in reversed(self.variables[1:]):
            places = self.groups[variable.path].places
            asked.append(reduce(or_, (((1 << _WIDTH) - 1) << place for place in places), asked[-1]))
        return asked[::-1]

    @cached_property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Each requirement, and its boxes among all that are `reachable`, in bits."""
        ends = [0, *accumulate(map(len, self.required))]
        return tuple((1 << r, (1 << b) - (1 << a)) for r, (a, b) in enumerate(pairwise(ends)))

    @cached_property
    def reachable(self) -> tuple[Box, ...]:
        """The boxes of all requirements in a row."""
        return tuple(box for boxes in self.required for box in boxes)

    @cached_property
    def sets(self) -> tuple[BoxesByPath, BoxesByPath]:
        """What the forbidden boxes and the required ones say of each variable."""
        return _by_path(self.forbidden), _by_path(self.reachable)

    def _atoms(self, paths: Sequence[str]) -> list[int]:
        """The coarsest groups such that each lies inside or outside every set that some variables
        meet.
        """
        masks = dict.fromkeys(self.domain[path] for path in paths)
        for by_path in self.sets:
            met = (
                (i, k, mask) for k, path in enumerate(paths) for i, mask in by_path.get(path, ())
            )
            masks |= dict.fromkeys(mask for _, _, mask in sorted(met))
        return split_set(reduce(or_, (self.domain[path] for path in paths), 0), masks)


class DiagramLevel(NamedTuple):
    """One variable: its groups of values, in bits, and the edges from each state, one state after
    another.

    starts   where the edges of each state begin, and of the last one end
    group    of each edge the group; `values` how many values that has; `to` the state that they
             lead to
    """

    groups: tuple[int, ...]
    starts: Ints
    group: Ints
    values: Ints
    to: Ints


def make_levels(problem: ShapeConstraints) -> list[DiagramLevel]:
    """The diagram, variable by variable; every state but the first is reached."""
    states = [_start(problem)]
    diagram = []
    for k in range(len(problem.variables)):
        step = _Step.of(problem, k)
        numbers: dict[State, int] = {}
        starts, group, values, to = array("i", [0]), array("i"), array("i"), array("i")
        for state in states:
            for i, n, after in step.edges(state):
                group.append(i)
                values.append(n)
                to.append(numbers.setdefault(after, len(numbers)))
            starts.append(len(to))
        diagram.append(
            DiagramLevel(
                step.groups, *(np.array(column, np.int32) for column in (starts, group, values, to))
            )
        )
        states = list(numbers)
    return diagram


def _start(problem: ShapeConstraints) -> State:
    return (
        (1 << len(problem.forbidden)) - 1,
        (1 << len(problem.reachable)) - 1,
        (1 << len(problem.required)) - 1,
        0,
    )


def count_paths(diagram: Sequence[DiagramLevel]) -> list[list[int]]:
    """How many sentences lie behind each state, level by level, and 1 behind each last one."""
    behind = [[1] * (1 + int(diagram[-1].to.max(initial=-1)))]
    for level in reversed(diagram):
        ways = [
            n * behind[-1][to]
            for n, to in zip(level.values.tolist(), level.to.tolist(), strict=True)
        ]
        behind.append([sum(ways[i:j]) for i, j in pairwise(level.starts.tolist())])
    return behind[::-1]


@dataclass(frozen=True)
class _Step:
    """What giving one variable a value does to a state, by group of values.

    groups    values that no box tells apart, in bits
    free      of each group how many values there are
    escaped   of each group the forbidden boxes that it is outside of; `missed` the same of required
              ones
    closing   the forbidden boxes that have no later variable; `reached` the required ones, by
              requirement
    offsets   where the taken values of a group are counted, for rivals; `remaining` the counts that
              still matter later
    """

    groups: tuple[int, ...]
    free: tuple[int, ...]
    escaped: tuple[int, ...]
    missed: tuple[int, ...]
    closing: int
    reached: tuple[tuple[int, int], ...]
    whole: tuple[tuple[int, int], ...]
    offsets: tuple[int, ...]
    remaining: int

    @classmethod
    def of(cls, problem: ShapeConstraints, k: int) -> _Step:
        """The step of the k-th variable."""
        path = problem.variables[k].path
        groups, places = problem.groups[path]
        closing, done = (masks[k] for masks in problem.ended_boxes)
        outside = (_outside(by_path.get(path, ()), groups) for by_path in problem.sets)
        return cls(
            groups=groups,
            free=tuple(group.bit_count() for group in groups),
            escaped=next(outside),
            missed=next(outside),
            closing=closing,
            reached=tuple((bit, done & span) for bit, span in problem.spans),
            whole=problem.spans,
            offsets=places,
            remaining=problem.later_rivals[k],
        )

    def edges(self, state: State) -> Iterator[Edge]:
        """The edges from a state; none for groups of which no value is free, or that a forbidden
        box ends in.
        """
        undecided, unmet, absent, already = state
        for i, (values, escaped) in enumerate(zip(self.free, self.escaped, strict=True)):
            free, taken, forbidden = values, already, undecided & ~escaped
            if forbidden & self.closing:
                continue
            if self.offsets:
                free -= taken >> self.offsets[i] & ((1 << _WIDTH) - 1)
                taken = taken + (1 << self.offsets[i]) & self.remaining
            if free > 0:
                left = (
                    self._reachable_boxes(unmet & ~self.missed[i], absent) if self.whole else (0, 0)
                )
                if left is not None:
                    yield i, free, (forbidden, *left, taken)

    def _reachable_boxes(self, required: int, missing: int) -> tuple[int, int] | None:
        """The required boxes that may yet be reached, and the requirements of which none is; None
        where one never will.
        """
        for bit, span in self.reached:
            if missing & bit and required & span:
                missing &= ~bit
        for bit, span in self.whole:
            if not missing & bit:
                required &= ~span
            elif not required & span:
                return None
        return required, missing


def _by_path(boxes: Sequence[Box]) -> BoxesByPath:
    by_path: dict[str, list[tuple[int, int]]] = {}
    for i, box in enumerate(boxes):
        for path, values in box.items():
            by_path.setdefault(path, []).append((i, values))
    return by_path


def _outside(told: Sequence[tuple[int, int]], groups: Sequence[int]) -> tuple[int, ...]:
    """For each group of values of a variable the boxes that it is outside of."""
    found = []
    for group in groups:
        outside = 0
        for i, values in told:
            if not values & group:
                outside |= 1 << i
        found.append(outside)
    return tuple(found)


def split_set(union: int, masks: Mapping[int, None]) -> list[int]:
    """A set cut along others."""
    atoms = [union] if union else []
    for mask in masks:
        atoms = [part for atom in atoms for part in (atom & mask, atom & ~mask) if part]
    return atoms
