import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.encoders.pieces import aligned, word_spans


def ranges_of(words: list[str], pieces: list[tuple[int, int]]) -> list[list[int]]:
    found = aligned(np.array(pieces, np.int64).reshape(-1, 2), word_spans(words))
    return [list(range(a, b)) for a, b in found.tolist()]


@pytest.mark.parametrize(
    ("words", "pieces", "expected"),
    [
        (["abc", "def"], [(0, 3), (4, 5), (5, 7)], [[0], [1, 2]]),
        (["abc", "def"], [(0, 0), (0, 3), (4, 7), (0, 0)], [[1], [2]]),  # added tokens have no characters
        (["abc", "def"], [(0, 3), (3, 4), (4, 7)], [[0], [2]]),  # a lone space belongs to no word
        (["abc", "def"], [(0, 3), (3, 7)], [[0], [1]]),  # a piece may begin with the space before
        (["abc", "def"], [(0, 5), (5, 7)], [[0], [0, 1]]),  # or reach over it
        (["日本"], [(0, 1), (0, 1), (0, 1), (1, 2), (1, 2), (1, 2)], [[0, 1, 2, 3, 4, 5]]),  # bytes of one character
        (["a", "\u200b", "b"], [(0, 1), (4, 5)], [[0], [], [1]]),  # a word that the tokeniser drops
        (["10 000", "ans"], [(0, 2), (3, 6), (7, 10)], [[0, 1], [2]]),  # a word with a space in it
        (["abc", "", "d"], [(0, 3), (5, 6)], [[0], [], [1]]),
        (["abc", "def"], [(0, 3)], [[0], []]),  # cut off
        (["abc"], [], [[]]),
        ([], [(0, 0)], []),
    ],
)
def test_pieces_belong_to_the_words_they_share_a_character_with(words, pieces, expected):
    assert ranges_of(words, pieces) == expected


@given(st.lists(st.integers(1, 4), min_size=1, max_size=8), st.integers(0, 10**6))
def test_alignment_equals_the_overlap_of_every_pair(lengths, seed):
    rng = np.random.default_rng(seed)
    spans = word_spans(["x" * n for n in lengths])
    edges = np.unique(rng.integers(0, spans[-1, 1] + 1, 6))
    pieces = np.stack([edges[:-1], edges[1:]], 1)
    overlap = (pieces[None, :, 0] < spans[:, None, 1]) & (pieces[None, :, 1] > spans[:, None, 0])
    assert [list(range(a, b)) for a, b in aligned(pieces, spans).tolist()] == [np.flatnonzero(row).tolist() for row in overlap]
