"""Sets of sentences of one shape as boxes: a set of values for every variable, in bits; unions of disjoint boxes say everything.

Whatever a request forbids is a box too (a stative verb in the progressive, a verb with a noun that it does not take, a
prohibited event), so one operation, taking a box out of a box, resolves them all, and counting stays a product.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod

Box = Mapping[str, int]


def meet(box: Box, other: Box) -> Box | None:
    """What is in both boxes; a variable that a box does not name is free there. None where nothing is."""
    found = dict(box)
    for path, mask in other.items():
        found[path] = found.get(path, mask) & mask
        if not found[path]:
            return None
    return found


def without(box: Box, other: Box) -> list[Box]:
    """What is in the first box and not in the second, as disjoint boxes."""
    if any(not box[path] & mask for path, mask in other.items()):
        return [box]
    rest = dict(box)
    found: list[Box] = []
    for path, mask in other.items():
        outside = rest[path] & ~mask
        if outside:
            found.append({**rest, path: outside})
            rest[path] &= mask
    return found


def outside(boxes: Iterable[Box], other: Box) -> list[Box]:
    """What is in some boxes and not in another."""
    return [part for box in boxes for part in without(box, other)]


def crossed(boxes: Iterable[Box], others: Sequence[Box]) -> list[Box]:
    """Every box met with every other; they may overlap."""
    return [both for box in boxes for other in others if (both := meet(box, other)) is not None]


def within(boxes: Sequence[Box], any_of: Sequence[Box]) -> list[Box]:
    """What is in some boxes and in at least one of others, as disjoint boxes."""
    found: list[Box] = []
    for i, wanted in enumerate(any_of):
        parts = crossed(boxes, [wanted])
        for earlier in any_of[:i]:
            parts = outside(parts, earlier)
        found += parts
    return found


def apart(box: Box, rivals: Sequence[Sequence[str]]) -> list[Box]:
    """The box cut so that the sets of rivals (variables that may not have the same value) are equal or disjoint, pair by pair."""
    for group in rivals:
        for i, first in enumerate(group):
            for second in group[:i]:
                a, b = box[first], box[second]
                if a != b and a & b:
                    cut = first if a & ~b else second
                    shared = a & b
                    parts: list[Box] = [{**box, cut: shared}, {**box, cut: box[cut] & ~shared}]
                    return [done for part in parts for done in apart(part, rivals)]
    return [box]


def radices(box: Box, order: Sequence[str], rivals: Sequence[Sequence[str]]) -> list[int]:
    """How many values each variable has once the earlier ones have theirs; rivals lose one for each that shares their set."""
    taken = {path: sum(box[other] == box[path] for other in group[:i]) for group in rivals for i, path in enumerate(group)}
    return [max(0, box[path].bit_count() - taken.get(path, 0)) for path in order]


def size(box: Box, order: Sequence[str], rivals: Sequence[Sequence[str]]) -> int:
    """How many sentences a box holds, exactly."""
    return prod(radices(box, order, rivals))


def members(mask: int) -> list[int]:
    """The numbers of the bits that are set."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
