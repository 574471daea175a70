"""What blocks say of sentences and units beside their vectors: which were read only in part, and
which hold no numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.vectors import (
    Ints,
    Spans,
    expand_ranges,
)
from lingprobe.store.folder import BlockFolder, SentencePlaces


def lost_units(
    folder: BlockFolder, slots: Sequence[str], places: Sequence[SentencePlaces], spans: Spans | None
) -> NDArray[np.bool_] | None:
    """Which units hold no numbers in some slot, [units]; None where all do."""
    lost = None
    for where, starts, rows, gone in (
        _list_flagged_blocks(folder, slots, places) if spans is not None else ()
    ):
        assert spans is not None
        lost = np.zeros(int(spans.sentences[-1]), bool) if lost is None else lost
        flags = np.zeros(int(starts[-1]), bool)
        flags[[int(unit) for unit in gone]] = True
        source, _ = expand_ranges(starts[rows], starts[rows + 1])
        target, _ = expand_ranges(spans.sentences[where], spans.sentences[where + 1])
        lost[target] |= flags[source]
    return lost if lost is not None and lost.any() else None


def lost_in(
    folder: BlockFolder, slots: Sequence[str], places: Sequence[SentencePlaces]
) -> dict[int, str]:
    """The sentences that have such units, by number, and why the first of each is one."""
    lost: dict[int, str] = {}
    for where, starts, rows, gone in _list_flagged_blocks(folder, slots, places):
        numbers = np.array(sorted(map(int, gone)), np.int64)
        first = np.searchsorted(numbers, starts[rows])
        some = np.flatnonzero(
            (first < len(numbers))
            & (numbers[np.minimum(first, len(numbers) - 1)] < starts[rows + 1])
        )
        lost |= {int(where[k]): gone[str(numbers[first[k]])] for k in some.tolist()}
    return lost


def _list_flagged_blocks(
    folder: BlockFolder, slots: Sequence[str], places: Sequence[SentencePlaces]
) -> Iterator[tuple[Ints, Ints, Ints, Mapping[str, str]]]:
    """Blocks with such units: the sentences that are read from each, where its units begin, their
    rows, and the units with the reason.
    """
    for slot, place in zip(slots, places, strict=True):
        for number, where, rows in place.by_block:
            block = folder.blocks[number]
            if gone := block.facts.get("lost", {}).get(slot):
                yield where, block.array("spans:sentences"), rows, gone


def cut_in(
    folder: BlockFolder, places: Sequence[SentencePlaces], count: int
) -> NDArray[np.bool_] | None:
    """Which sentences were too long for a model and read only in part, in any slot; None where no
    block says.
    """
    cut, said = np.zeros(count, bool), False
    for place in places:
        for number, where, rows in place.by_block:
            if "cut" in folder.blocks[number].arrays:
                said = True
                cut[where] |= folder.blocks[number].array("cut")[rows]
    return cut if said else None
