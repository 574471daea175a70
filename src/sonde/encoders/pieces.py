"""Word pieces and the words that they are parts of, aligned by characters (edge probing's
retokenisation, without its losses).

The code of Tenney et al. (2019) aligned pieces with words by an edit distance between their
spellings, which loses pieces where a spelling is no text (bytes of a letter outside ASCII, unknown
words). Tokenisers that say from which characters a piece comes make it exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sonde.vectors import Ints

Flags = NDArray[np.bool_]


def word_spans(words: Sequence[str], start: int = 0) -> Ints:
    """Where each word lies in the words joined with single spaces, [words, 2], counted from
    `start`.
    """
    lengths = np.array([len(w) for w in words], np.int64)
    stops = start + np.cumsum(lengths + 1) - 1
    return np.stack([stops - lengths, stops], 1)


def located(words: Sequence[str], text: str) -> Ints:
    """Where each word lies in a raw text, [words, 2]; white space plays no part.

    Words that are not in it as they are (`de` and `le` of `du`) all lie where the text between
    their neighbours is. Words that stand in no such place have an empty range.
    """
    letters = np.flatnonzero([not sign.isspace() for sign in text])
    bare = ["".join(word.split()) for word in words]
    joined, squeezed = "".join(bare), "".join(text.split())
    ends = np.cumsum([0, *map(len, bare)])
    if joined == squeezed:
        first, last = ends[:-1], ends[1:]
    else:
        first, last = _between(*_anchored(joined, squeezed, ends), len(squeezed))
    places = np.zeros((len(words), 2), np.int64)
    some = np.flatnonzero(last > first)
    places[some, 0], places[some, 1] = letters[first[some]], letters[last[some] - 1] + 1
    return places


def _anchored(joined: str, text: str, ends: Ints) -> tuple[Ints, Ints]:
    """Where each word lies that is in the text as it is, as starts and stops; -1 for the others."""
    place = np.full(len(joined) + 1, -1, np.int64)
    for a, b, size in SequenceMatcher(None, joined, text, autojunk=False).get_matching_blocks():
        place[a : a + size] = np.arange(b, b + size)
    first = np.full(len(ends) - 1, -1, np.int64)
    stops = first.copy()
    for word, (start, stop) in enumerate(pairwise(ends.tolist())):
        at = place[start:stop]
        if (
            stop > start
            and at[0] >= 0
            and np.array_equal(at, np.arange(at[0], at[0] + stop - start))
        ):
            first[word], stops[word] = at[0], at[0] + stop - start
    return first, stops


def _between(first: Ints, stops: Ints, end: int) -> tuple[Ints, Ints]:
    """The same with every run of words that lie nowhere put where the text between its neighbours
    is.
    """
    known = first >= 0
    before = np.maximum.accumulate(np.concatenate([[0], np.where(known, stops, 0)]))[:-1]
    after = np.minimum.accumulate(np.concatenate([np.where(known, first, end), [end]])[::-1])[::-1][
        1:
    ]
    return np.where(known, first, before), np.where(known, stops, after)


def of_words(pieces: Ints, nowhere: Flags, words: Ints, cut: bool) -> Ints:
    """The pieces first:last of each word, [words, 2], from character spans of pieces and of words;
    those of `nowhere` are no word's.

    Of a text that was cut, a word that is not there to its end has none.
    """
    pieces_of = aligned(at := placed(pieces, nowhere, words), words)
    return without_torn(pieces_of, words, int(at[:, 1].max(initial=0))) if cut else pieces_of


def aligned(pieces: Ints, words: Ints) -> Ints:
    """The pieces first:last of each word, [words, 2], from character spans of pieces [pieces, 2]
    and of words [words, 2].

    A piece belongs to a word where they share a character; a piece that is only a space, or
    nothing, belongs to none. A word that no piece shares a character with has an empty range.
    """
    solid = np.flatnonzero(pieces[:, 1] > pieces[:, 0])
    ranges = np.zeros((len(words), 2), np.int64)
    if not len(solid):
        return ranges
    starts, stops = np.maximum.accumulate(pieces[solid, 0]), np.maximum.accumulate(pieces[solid, 1])
    first = np.searchsorted(stops, words[:, 0], "right")
    last = np.searchsorted(starts, words[:, 1], "left")
    some = (last > first) & (words[:, 1] > words[:, 0])
    ranges[some, 0], ranges[some, 1] = solid[first[some]], solid[last[some] - 1] + 1
    return ranges


def placed(pieces: Ints, nowhere: Flags, words: Ints) -> Ints:
    """Character spans of pieces as `aligned` reads them, [pieces, 2]: those of `nowhere` empty, the
    others never.

    Some tokenisers say of a piece that it has no width; it is taken to be at the character that it
    stands before, or, at the end of a word, behind.
    """
    spans = pieces.copy()
    spans[nowhere] = 0
    thin = np.flatnonzero(~nowhere & (pieces[:, 1] <= pieces[:, 0]))
    at = pieces[thin, 0]
    inside = (
        np.searchsorted(words[:, 0], at, "right") - np.searchsorted(words[:, 1], at, "right")
    ) > 0
    spans[thin, 0], spans[thin, 1] = (
        np.where(inside, at, np.maximum(at - 1, 0)),
        np.where(inside, at + 1, np.maximum(at, 1)),
    )
    return spans


def without_torn(ranges: Ints, words: Ints, read: int) -> Ints:
    """The same without words of which something lies behind the character `read`, where the text
    was cut.
    """
    return np.where(words[:, 1:] > read, 0, ranges)


def with_spaces(ranges: Ints, space: Flags) -> Ints:
    """The same where pieces that are nothing but a space, right before a word, belong to it (as the
    old code had it).
    """
    some = np.flatnonzero(ranges[:, 1] > ranges[:, 0])
    other = np.where(space, -1, np.arange(len(space)))
    # the last piece before each that is no space
    before = np.concatenate([[-1], np.maximum.accumulate(other)])
    wider = ranges.copy()
    ends = (
        np.concatenate([[0], np.maximum.accumulate(ranges[some, 1])[:-1]])
        if len(some)
        else ranges[some, 0]
    )
    wider[some, 0] = np.minimum(ranges[some, 0], np.maximum(before[ranges[some, 0]] + 1, ends))
    return wider
