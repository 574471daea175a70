"""Which examples can be read: words that an encoder gives nothing for must not become vectors of
zeros.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sonde.reading import units_read
from sonde.vectors import Ints, Spans, Vectors

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Readable:
    """Examples by what can be read of them, [examples] each.

    beyond     a span reaches behind the place where its sentence was cut
    unaligned  no word of a span, or of a sentence that is read as a whole, has a unit
    partial    some words of a span have no unit, and the others are read
    lost       a unit that would be read holds no numbers
    """

    beyond: Flags
    unaligned: Flags
    partial: Flags
    lost: Flags

    @property
    def whole(self) -> Flags:
        """Which examples a probe can be shown."""
        return ~self.beyond & ~self.unaligned & ~self.lost

    def counts(self) -> dict[str, int]:
        """How many examples each of these is true of; what is lost counts as not encoded."""
        counted = {"beyond": self.beyond, "unaligned": self.unaligned, "partial": self.partial}
        return {name: int(flags.sum()) for name, flags in counted.items()}


def readable(sites: Ints, vectors: Vectors) -> Readable:
    """What can be read of examples at their sites [examples, sites, 3]; everything of vectors of
    whole sentences.
    """
    nothing = np.zeros(len(sites), bool)
    if vectors.spans is None:
        return Readable(nothing, nothing, nothing, nothing)
    spans = vectors.spans
    gaps = None if vectors.lost is None else np.concatenate([[0], np.cumsum(vectors.lost)])
    have = np.concatenate([[0], np.cumsum(spans.words[:, 1] > spans.words[:, 0])])
    ends = (
        np.where(vectors.cut, _read(spans), np.diff(spans.first_word))
        if vectors.cut is not None
        else np.diff(spans.first_word)
    )
    beyond, unaligned, partial, lost = (nothing.copy() for _ in range(4))
    for site in range(sites.shape[1]):
        sentence, start, stop = sites[:, site].T
        is_span = start >= 0
        first = spans.first_word[sentence] + np.where(is_span, start, 0)
        last = np.where(is_span, spans.first_word[sentence] + stop, first)
        words = have[last] - have[first]
        late = is_span & (stop > ends[sentence])
        units = np.where(is_span, words, spans.sentences[sentence + 1] - spans.sentences[sentence])
        beyond |= late
        unaligned |= ~late & (units == 0)
        partial |= is_span & (words < stop - start)
        if gaps is not None:
            starts, stops = units_read(spans, sites[:, site])
            lost |= gaps[stops] > gaps[starts]
    unaligned &= ~beyond
    lost &= ~beyond & ~unaligned
    return Readable(beyond, unaligned, partial & ~beyond & ~unaligned & ~lost, lost)


def _read(spans: Spans) -> Ints:
    """How many words of each sentence there are up to the last one that has a unit, [sentences]."""
    counts = np.diff(spans.first_word)
    owner = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(owner)) - spans.first_word[owner] + 1
    found = np.zeros(len(counts), np.int64)
    np.maximum.at(found, owner, np.where(spans.words[:, 1] > spans.words[:, 0], number, 0))
    return found
