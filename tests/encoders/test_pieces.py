from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.core import Dataset, Example, Sentence, Site
from sonde.encoders.pieces import aligned, located, placed, with_spaces, word_spans
from sonde.reading import Readings
from sonde.vectors import Spans, Vectors


def ranges_of(words: list[str], pieces: list[tuple[int, int]]) -> list[list[int]]:
    found = aligned(np.array(pieces, np.int64).reshape(-1, 2), word_spans(words))
    return [list(range(a, b)) for a, b in found.tolist()]


@pytest.mark.parametrize(
    ("words", "pieces", "expected"),
    [
        (["abc", "def"], [(0, 3), (4, 5), (5, 7)], [[0], [1, 2]]),
        # added tokens have no characters
        (["abc", "def"], [(0, 0), (0, 3), (4, 7), (0, 0)], [[1], [2]]),
        (["abc", "def"], [(0, 3), (3, 4), (4, 7)], [[0], [2]]),  # a lone space belongs to no word
        (["abc", "def"], [(0, 3), (3, 7)], [[0], [1]]),  # a piece may begin with the space before
        (["abc", "def"], [(0, 5), (5, 7)], [[0], [0, 1]]),  # or reach over it
        # bytes of one character
        (["日本"], [(0, 1), (0, 1), (0, 1), (1, 2), (1, 2), (1, 2)], [[0, 1, 2, 3, 4, 5]]),
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
    assert [list(range(a, b)) for a, b in aligned(pieces, spans).tolist()] == [
        np.flatnonzero(row).tolist() for row in overlap
    ]


# what the retokenisation of jiant promises of itself, case by case

DOG = "I look at Sarah's dog. It was cute.!"
RULES = "Mr. Immelt chose to focus on the incomprehensibility of accounting rules."
WHAT = "What?"


def laid(text: str, pieces: str) -> list[tuple[int, int]]:
    """Where pieces, written with spaces between them, lie in a text."""
    found, at = [], 0
    for piece in pieces.split():
        at = text.lower().index(piece.lower(), at)
        found.append((at, at + len(piece)))
        at += len(piece)
    return found


def units(
    words: list[str], pieces: list[tuple[int, int]], span: tuple[int, int]
) -> tuple[int, int]:
    """The pieces that a task about a span of words reads."""
    spans = Spans(
        np.array([0, len(pieces)]),
        aligned(np.array(pieces, np.int64), word_spans(words)),
        np.array([0, len(words)]),
    )
    dataset = Dataset.of([Example((Site(Sentence.of(words), span),), "A")])
    starts, stops = Readings(
        dataset, Vectors((np.zeros((len(pieces), 1), np.float32),), ("-",), spans)
    ).units(0)
    return int(starts[0]), int(stops[0])


@pytest.mark.parametrize(
    ("text", "pieces", "words", "spans"),
    [
        (
            "abc def ghi jkl",
            "abc d ef ghi jkl",
            {1: [1, 2]},
            {(1, 2): (1, 3), (3, 4): (4, 5), (1, 4): (1, 5)},
        ),
        (
            DOG,
            "I look at Sarah ' s dog . It was cute . !",
            {3: [3, 4, 5], 4: [6, 7], 7: [10, 11, 12]},
            {(0, 1): (0, 1), (3, 5): (3, 8)},
        ),
        (
            DOG,
            "I look at Sarah 's dog . It was cute . !",
            {3: [3, 4], 4: [5, 6], 5: [7], 7: [9, 10, 11]},
            {(3, 5): (3, 7)},
        ),
        (
            RULES,
            "Mr . I mme lt chose to focus on the in com p re hen si bility of accounting rules .",
            {0: [0, 1], 1: [2, 3, 4], 7: [*range(10, 17)], 10: [19, 20]},
            {(0, 2): (0, 5), (6, 11): (9, 21), (6, 8): (9, 17), (7, 11): (10, 21)},
        ),
        (
            RULES,
            "Mr . I m mel t chose to focus on the in comp re hen sib ility of accounting rules .",
            {1: [2, 3, 4, 5], 7: [*range(11, 17)]},
            {},
        ),
        (
            RULES,
            "Mr . Imm elt chose to focus on the incomp rehens ibility of accounting rules .",
            {0: [0, 1], 1: [2, 3], 7: [9, 10, 11]},
            {},
        ),
        (
            RULES,
            "mr. im melt chose to focus on the in compre hensi bility of accounting rules.",
            {1: [1, 2], 7: [8, 9, 10, 11]},
            {},
        ),
        (WHAT, "What ?", {0: [0, 1]}, {(0, 1): (0, 2)}),
        ("ABC DEF", "abc def", {0: [0], 1: [1]}, {}),  # capitals, where the model has none
    ],
)
def test_retokenisation_as_published(text, pieces, words, spans):
    given = text.split()
    where = laid(text, pieces)
    found = ranges_of(given, where)
    assert {word: found[word] for word in words} == words
    assert {span: units(given, where, span) for span in spans} == spans


def test_words_without_pieces_at_the_edge_of_a_span_are_passed_over():
    words = ["a", "b", "c", "d", "e"]
    pieces = [(2, 3), (4, 5), (8, 9)]  # 'a' and 'd' have none
    assert [units(words, pieces, span) for span in ((1, 3), (1, 4), (0, 2), (2, 5))] == [
        (0, 2),
        (0, 2),
        (0, 1),
        (1, 3),
    ]


def test_pieces_without_width_are_where_they_stand():
    words = word_spans(["A", "bc"])
    nowhere = np.array([True, False, False, False])
    found = placed(np.array([[0, 0], [1, 1], [2, 2], [2, 4]]), nowhere, words)
    assert found.tolist() == [[0, 0], [0, 1], [2, 3], [2, 4]]
    assert aligned(found, words).tolist() == [[1, 2], [2, 4]]


def test_spaces_right_before_a_word_can_belong_to_it():
    # pieces: [CLS] _ a _ _ b c _
    space = np.array([False, True, False, True, True, False, False, True])
    found = np.array([[2, 3], [0, 0], [5, 6], [6, 7]])
    assert with_spaces(found, space).tolist() == [[1, 3], [0, 0], [3, 6], [6, 7]]
    assert with_spaces(found[:0], space).tolist() == []


def shown(words: str | list[str], text: str) -> list[str]:
    words = words.split() if isinstance(words, str) else words
    return [text[a:b] for a, b in located(words, text).tolist()]


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        ("I do n't know .", "I don't know.", "I do n't know ."),
        ("我 喜歡 貓 。", "我喜歡貓。", "我 喜歡 貓 。"),
        ("猫 が 好き です 。", "猫が好きです。", "猫 が 好き です 。"),
        ("ฉัน ชอบ แมว", "ฉันชอบแมว", "ฉัน ชอบ แมว"),
        ("parle de le chat", "parle du chat", "parle du du chat"),
        ("à le chat", "au chat", "au au chat"),
        ("Er ist in dem Haus", "Er ist im Haus", "Er ist im im Haus"),
        ("viens -tu", "viens -tu", "viens -tu"),
        ("a b a b", "ab  a\tb", "a b a b"),
    ],
)
def test_words_are_found_in_a_text(words, text, expected):
    assert shown(words, text) == expected.split()


def test_white_space_in_words_and_text_plays_no_part():
    assert shown(["10 000", "ans"], " 10\u00a0000 ans\n") == ["10\u00a0000", "ans"]
    assert shown(["10 000"], "10000") == ["10000"]


def test_what_is_not_there_has_no_place():
    assert shown(["he", "left", "early"], "he early") == ["he", "", "early"]
    assert shown(["nothing", "alike"], "") == ["", ""]
    assert shown(["a", "", "b"], "a b") == ["a", "", "b"]
    assert located([], "text").shape == (0, 2)


@given(st.text("ab 日本e\u0301 \u00a0\u200b", max_size=24), st.data())
def test_words_cut_from_a_text_are_where_they_were_cut(text, data):
    squeezed = "".join(text.split())
    cuts = sorted(
        {0, len(squeezed), *data.draw(st.lists(st.integers(0, len(squeezed)), max_size=6))}
    )
    words = [squeezed[a:b] for a, b in pairwise(cuts)]
    places = located(words, text)
    assert ["".join(text[a:b].split()) for a, b in places.tolist()] == words
    assert (places[1:, 0] >= places[:-1, 1]).all()


@given(
    st.permutations(["a", "bb", "ccc", "d", "ee"]),
    st.integers(0, 4),
    st.integers(1, 2),
    st.text("xyz", min_size=1, max_size=4),
)
def test_words_that_are_written_otherwise_are_between_their_neighbours(words, at, many, other):
    written = [*words[:at], other, *words[at + many :]]
    found = shown(words, " ".join(written))
    assert found == [*words[:at], *[other] * len(words[at : at + many]), *words[at + many :]]
