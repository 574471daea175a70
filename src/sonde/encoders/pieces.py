"""Word pieces and the words that they are parts of, aligned by characters (edge probing's retokenisation, without its losses)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sonde.vectors import Ints


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
