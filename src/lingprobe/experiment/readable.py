"""Which examples can be read of the vectors that an encoder gave: words that it gives nothing for
must not become vectors of zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.abilities import WithholdingEncoder
from lingprobe.data.core import Encoder, Sentence
from lingprobe.data.reading import units_read
from lingprobe.data.vectors import (
    Ints,
    Spans,
    Vectors,
    compute_offsets,
)

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ReadableExamples:
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


def find_readable(sites: Ints, vectors: Vectors) -> ReadableExamples:
    """Examples whose words were cut off (`beyond`), have no vector (`unaligned`), or have some
    without (`partial`): at their sites [examples, sites, 3]; none of vectors of whole sentences.
    """
    spans = vectors.spans
    if spans is None:
        nothing = np.zeros(len(sites), bool)
        return ReadableExamples(nothing, nothing, nothing, nothing)
    have = compute_offsets(spans.words[:, 1] > spans.words[:, 0])
    ends = np.diff(spans.first_word)
    if vectors.cut is not None:
        ends = np.where(vectors.cut, _count_read_words(spans), ends)
    sentence, start, stop = np.moveaxis(sites, 2, 0)
    is_span = start >= 0
    first = spans.first_word[sentence] + np.where(is_span, start, 0)
    last = np.where(is_span, spans.first_word[sentence] + stop, first)
    words = have[last] - have[first]
    units = np.where(is_span, words, np.diff(spans.sentences)[sentence])
    late = is_span & (stop > ends[sentence])
    beyond = late.any(1)
    unaligned = (~late & (units == 0)).any(1) & ~beyond
    lost = _no_numbers(sites, vectors.lost, spans) & ~beyond & ~unaligned
    partial = (is_span & (words < stop - start)).any(1) & ~beyond & ~unaligned & ~lost
    return ReadableExamples(beyond, unaligned, partial, lost)


def _no_numbers(sites: Ints, lost: Flags | None, spans: Spans) -> Flags:
    """Which examples are read from units of which some hold no numbers."""
    if lost is None:
        return np.zeros(len(sites), bool)
    gaps = compute_offsets(lost)
    starts, stops = units_read(spans, sites.reshape(-1, 3))
    return np.asarray((gaps[stops] > gaps[starts]).reshape(sites.shape[:2]).any(1))


def _count_read_words(spans: Spans) -> Ints:
    """How many words of each sentence there are up to the last one that has a unit, [sentences]."""
    counts = np.diff(spans.first_word)
    owner = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(owner)) - spans.first_word[owner] + 1
    last = np.zeros(len(counts), np.int64)
    np.maximum.at(last, owner, np.where(spans.words[:, 1] > spans.words[:, 0], number, 0))
    return last


def may_probe(encoder: Encoder, sentences: Sequence[Sentence]) -> Flags:
    """Which of some sentences an encoder may be probed on, [sentences]."""
    if isinstance(encoder, WithholdingEncoder):
        return ~encoder.withholds(sentences)
    return np.ones(len(sentences), bool)
