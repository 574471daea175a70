"""Sets of sentences of one shape as boxes: a set of values, in bits, for each of some variables;
the others are free.

Whatever a request requires or forbids is a box or several: a prohibited event, a stative verb in
the progressive, a verb with a noun that it does not take.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

Box = Mapping[str, int]


def meet(box: Box, other: Box) -> Box | None:
    """What is in both boxes; a variable that a box does not name is free there. None where nothing
    is.
    """
    both = dict(box)
    for path, mask in other.items():
        both[path] = both.get(path, mask) & mask
        if not both[path]:
            return None
    return both


def crossed(boxes: Iterable[Box], others: Sequence[Box]) -> list[Box]:
    """Every box met with every other; they may overlap."""
    return [both for box in boxes for other in others if (both := meet(box, other)) is not None]


@lru_cache(maxsize=4096)
def members(mask: int) -> tuple[int, ...]:
    """The numbers of the bits that are set."""
    return tuple(i for i, bit in enumerate(reversed(f"{mask:b}")) if bit == "1")
