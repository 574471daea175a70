"""Bags of words and bigrams: a vector for each word and for each bucket of bigrams, whose mean is
the vector of a sentence (Pagliardini et al. 2018, section 2.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe import Sentence, Vectors
from lingprobe.extend import POOLS, Floats, Ints, compute_offsets, gather_word_vectors

_NONE = -1  # the row of a bigram that is not there
_FACTOR = 2654435761  # Knuth's multiplicative hash: 2^32 over the golden ratio, to an odd number
_PART = 1024  # sentences whose vectors are gathered at once


def bigram_rows(ids: NDArray[Any], starts: Ints, words: int, buckets: int) -> NDArray[np.int32]:
    """The row of each word's bigram with the next one of its sentence: `words` + (a x 2654435761 +
    b) mod `buckets` for words a and b, by their numbers; `_NONE` behind the last word of a
    sentence, and throughout without buckets. A folder's numbers and this rule never change.
    """
    rows = np.full(len(ids), _NONE, np.int32)
    if buckets and len(ids):
        after = ids[1:].astype(np.int64)
        rows[:-1] = words + (ids[:-1].astype(np.int64) * _FACTOR + after) % buckets
        stops = starts[1:]
        rows[stops[stops > 0] - 1] = _NONE
    return rows


def drawn_vectors(vector_count: int, dim: int, seed: int) -> Floats:
    """So many vectors before training: evenly within one over their numbers, as fastText's."""
    drawn = np.random.default_rng((seed, 0)).random((vector_count, dim), np.float32)
    vectors: Floats = (2 * drawn - 1) / np.float32(dim)
    return vectors


@dataclass(frozen=True)
class BigramVectors:
    """Vectors of words, then those of buckets of bigrams [words + buckets, dim].

    numbers  of each word; others are passed over, and words on both sides of one are a bigram
    """

    numbers: Mapping[str, int]
    vectors: Floats

    def encode(self, sentences: Sequence[Sentence], by_word: bool = False) -> Vectors:
        """The mean of each sentence's words and bigrams [n, dim], zeros where it knows no word; or
        the vector of each word, zeros for one that it does not know.
        """
        find = self.numbers.get
        ids = np.array([find(w, _NONE) for s in sentences for w in s.words], np.int64)
        counts = np.array([len(s.words) for s in sentences], np.int64)
        if by_word:
            return gather_word_vectors(self.vectors, ids, counts)
        starts, known = compute_offsets(ids >= 0)[compute_offsets(counts)], ids[ids >= 0]
        pooled = np.zeros((len(counts), self.vectors.shape[1]), np.float32)
        for first in range(0, len(counts), _PART):
            rows = starts[first : first + _PART + 1]
            made = self._means(known[rows[0] : rows[-1]], rows - rows[0])
            pooled[first : first + _PART] = made
        return Vectors((pooled,))

    def _means(self, ids: Ints, starts: Ints) -> Floats:
        words = len(self.numbers)
        bigrams = bigram_rows(ids, starts, words, len(self.vectors) - words)
        rows = np.stack([ids, bigrams], 1).ravel()
        units = compute_offsets(rows != _NONE)[2 * starts]
        return POOLS["mean"](self.vectors[rows[rows != _NONE]], units[:-1], units[1:])
