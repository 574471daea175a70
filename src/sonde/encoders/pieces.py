"""Word pieces and the words that they are parts of, aligned by characters (edge probing's retokenisation, without its losses).

The code of Tenney et al. (2019) aligned pieces with words by an edit distance between their spellings, which loses pieces
where a spelling is no text (bytes of a letter outside ASCII, unknown words). Tokenisers that say from which characters a
piece comes make it exact.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sonde.vectors import Ints

Flags = NDArray[np.bool_]


def word_spans(words: Sequence[str], start: int = 0) -> Ints:
    """Where each word lies in the words joined with single spaces, [words, 2], counted from `start`."""
    lengths = np.array([len(w) for w in words], np.int64)
    stops = start + np.cumsum(lengths + 1) - 1
    return np.stack([stops - lengths, stops], 1)


def aligned(pieces: Ints, words: Ints) -> Ints:
    """The pieces first:last of each word, [words, 2], from character spans of pieces [pieces, 2] and of words [words, 2].

    A piece belongs to a word where they share a character; a piece that is only a space, or nothing, belongs to none. A
    word that no piece shares a character with has an empty range.
    """
    solid = np.flatnonzero(pieces[:, 1] > pieces[:, 0])
    found = np.zeros((len(words), 2), np.int64)
    if not len(solid):
        return found
    starts, stops = np.maximum.accumulate(pieces[solid, 0]), np.maximum.accumulate(pieces[solid, 1])
    first = np.searchsorted(stops, words[:, 0], "right")
    last = np.searchsorted(starts, words[:, 1], "left")
    some = (last > first) & (words[:, 1] > words[:, 0])
    found[some, 0], found[some, 1] = solid[first[some]], solid[last[some] - 1] + 1
    return found


def placed(pieces: Ints, nowhere: Flags, words: Ints) -> Ints:
    """Character spans of pieces as `aligned` reads them, [pieces, 2]: those of `nowhere` empty, the others never.

    Some tokenisers say of a piece that it has no width; it is taken to be at the character that it stands before, or, at the
    end of a word, behind.
    """
    found = pieces.copy()
    found[nowhere] = 0
    thin = np.flatnonzero(~nowhere & (pieces[:, 1] <= pieces[:, 0]))
    at = pieces[thin, 0]
    inside = (np.searchsorted(words[:, 0], at, "right") - np.searchsorted(words[:, 1], at, "right")) > 0
    found[thin, 0], found[thin, 1] = np.where(inside, at, np.maximum(at - 1, 0)), np.where(inside, at + 1, np.maximum(at, 1))
    return found


def without_torn(found: Ints, words: Ints, read: int) -> Ints:
    """The same without words of which something lies behind the character `read`, where the text was cut."""
    return np.where(words[:, 1:] > read, 0, found)


def with_spaces(found: Ints, space: Flags) -> Ints:
    """The same where pieces that are nothing but a space, right before a word, belong to it (as the old code had it)."""
    some = np.flatnonzero(found[:, 1] > found[:, 0])
    other = np.where(space, -1, np.arange(len(space)))
    before = np.concatenate([[-1], np.maximum.accumulate(other)])  # the last piece before each that is no space
    wider = found.copy()
    ends = np.concatenate([[0], np.maximum.accumulate(found[some, 1])[:-1]]) if len(some) else found[some, 0]
    wider[some, 0] = np.minimum(found[some, 0], np.maximum(before[found[some, 0]] + 1, ends))
    return wider
