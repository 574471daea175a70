"""Units that lie in the store and hold no numbers: words and pieces whose values were not finite,
or beyond the store's type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sonde.store.shelf import BlockFolder, Places
from sonde.vectors import Ints, Spans, ranges


def lost_units(
    shelf: BlockFolder, slots: Sequence[str], places: Sequence[Places], spans: Spans | None
) -> NDArray[np.bool_] | None:
    """Which units hold no numbers in some slot, [units]; None where all do."""
    found = None
    for where, starts, rows, gone in _blocks(shelf, slots, places) if spans is not None else ():
        assert spans is not None
        found = np.zeros(int(spans.sentences[-1]), bool) if found is None else found
        flags = np.zeros(int(starts[-1]), bool)
        flags[[int(unit) for unit in gone]] = True
        source, _ = ranges(starts[rows], starts[rows + 1])
        target, _ = ranges(spans.sentences[where], spans.sentences[where + 1])
        found[target] |= flags[source]
    return found if found is not None and found.any() else None


def lost_in(shelf: BlockFolder, slots: Sequence[str], places: Sequence[Places]) -> dict[int, str]:
    """The sentences that have such units, by number, and why the first of each is one."""
    found: dict[int, str] = {}
    for where, starts, rows, gone in _blocks(shelf, slots, places):
        numbers = np.array(sorted(map(int, gone)), np.int64)
        first = np.searchsorted(numbers, starts[rows])
        some = np.flatnonzero(
            (first < len(numbers))
            & (numbers[np.minimum(first, len(numbers) - 1)] < starts[rows + 1])
        )
        found |= {int(where[k]): gone[str(numbers[first[k]])] for k in some.tolist()}
    return found


def _blocks(
    shelf: BlockFolder, slots: Sequence[str], places: Sequence[Places]
) -> Iterator[tuple[Ints, Ints, Ints, Mapping[str, str]]]:
    """Blocks with such units: the sentences that are read from each, where its units begin, their
    rows, and the units with the reason.
    """
    for slot, place in zip(slots, places, strict=True):
        for number, where, rows in place.by_block():
            block = shelf.blocks[number]
            if gone := block.facts.get("lost", {}).get(slot):
                yield where, block.array("spans:sentences"), rows, gone
