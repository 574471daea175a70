import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.vectors import (
    Spans,
    Vectors,
    concatenate_vectors,
    expand_ranges,
    word_units,
)


@st.composite
def vectors(draw):
    """Vectors whose values say where they stand, with or without units a word."""
    names = tuple(str(i) for i in range(draw(st.integers(1, 3))))
    n = draw(st.integers(0, 5))
    cut = (
        np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), bool)
        if draw(st.booleans())
        else None
    )
    if not draw(st.booleans()):
        units, spans = n, None
    else:
        # units of each word
        pieces = draw(st.lists(st.lists(st.integers(0, 3), max_size=4), min_size=n, max_size=n))
        extra = 1  # as [CLS] is: a unit of no word, before the first
        words, starts, first, unit = [], [0], [0], 0
        for sentence in pieces:
            unit += extra
            for length in sentence:
                words.append((unit, unit + length))
                unit += length
            starts.append(unit)
            first.append(len(words))
        units = unit
        spans = Spans(np.array(starts), np.array(words, np.int64).reshape(-1, 2), np.array(first))
    base = np.arange(units, dtype=np.float32)[:, None]
    return Vectors(tuple(base + 1000 * i for i in range(len(names))), names, spans, cut)


def of_sentence(v, s):
    """All that vectors say of one sentence, word by word."""
    if v.spans is None:
        values = [layer[s].tolist() for layer in v.layers]
        return values, None
    a, b = v.spans.sentences[s], v.spans.sentences[s + 1]
    words = v.spans.words[v.spans.first_word[s] : v.spans.first_word[s + 1]]
    return [layer[a:b].tolist() for layer in v.layers], [
        [layer[i:j].tolist() for i, j in words] for layer in v.layers
    ]


@given(vectors(), st.data())
def test_take_keeps_every_sentence_whole(v, data):
    rows = data.draw(st.lists(st.integers(0, v.sentences - 1), max_size=6)) if v.sentences else []
    part = v.take(np.array(rows, np.int64))
    assert part.sentences == len(rows)
    assert [of_sentence(part, i) for i in range(len(rows))] == [of_sentence(v, s) for s in rows]
    assert part.cut is None if v.cut is None else part.cut.tolist() == [v.cut[s] for s in rows]


@given(vectors(), st.data())
def test_concatenate_undoes_cutting_apart(v, data):
    at = data.draw(st.integers(0, v.sentences))
    parts = [v.take(np.arange(at)), v.take(np.arange(at, v.sentences))]
    whole = concatenate_vectors(parts)
    assert whole.sentences == v.sentences
    assert [of_sentence(whole, s) for s in range(v.sentences)] == [
        of_sentence(v, s) for s in range(v.sentences)
    ]
    assert whole.names == v.names
    assert (whole.cut is None) == (v.cut is None)
    assert all(layer.dtype == np.float32 for layer in whole.layers)


def test_flags_of_one_part_are_kept_beside_parts_that_cannot_be_cut():
    a, b = (
        Vectors((np.zeros((1, 2), np.float32),)),
        Vectors((np.ones((2, 2), np.float32),), cut=np.array([False, True])),
    )
    assert concatenate_vectors([a, b]).cut.tolist() == [False, False, True]


def test_layers_are_chosen_by_name_in_the_order_asked_for():
    v = Vectors((np.zeros((2, 1), np.float32), np.ones((2, 1), np.float32)), ("0", "6"))
    assert v.select(["6", "0"]).names == ("6", "0")
    assert v.select(["6"]).layers[0].tolist() == v.layer("6").tolist() == [[1.0], [1.0]]


def test_layers_and_names_agree():
    with pytest.raises(ValueError, match="1 layers but 2 names"):
        Vectors((np.zeros((1, 1), np.float32),), ("0", "1"))


def test_nothing_cannot_be_put_together():
    with pytest.raises(ValueError, match="no vectors"):
        concatenate_vectors([])


def test_parts_of_two_kinds_are_not_mixed_in_silence():
    whole = Vectors((np.zeros((1, 2), np.float32),))
    pieces = Vectors(
        (np.zeros((2, 2), np.float32),),
        spans=Spans(np.array([0, 2]), np.array([[0, 2]]), np.array([0, 1])),
    )
    other = Vectors((np.zeros((1, 2), np.float32),), ("6",))
    with pytest.raises(ValueError, match="units"):
        concatenate_vectors([whole, pieces])
    with pytest.raises(ValueError, match="layers"):
        concatenate_vectors([whole, other])


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), max_size=6))
def test_ranges_are_all_the_ranges(pairs):
    starts = np.array([a for a, _ in pairs], np.int64)
    stops = starts + np.array([n for _, n in pairs], np.int64)
    units, offsets = expand_ranges(starts, stops)
    assert units.tolist() == [i for a, n in pairs for i in range(a, a + n)]
    assert offsets.tolist() == np.cumsum([0, *(n for _, n in pairs)]).tolist()
    assert units.dtype == offsets.dtype == np.int64


def test_units_that_are_words_lie_as_they_are_read():
    spans = word_units(np.array([2, 0, 3]))
    assert spans.sentences.tolist() == spans.first_word.tolist() == [0, 2, 2, 5]
    assert spans.words.tolist() == [[i, i + 1] for i in range(5)]
    spans = word_units(np.array([2, 3, 1]), np.array([2, 1, 1]))
    assert spans.sentences.tolist() == [0, 2, 3, 4]
    assert spans.words.tolist() == [[0, 1], [1, 2], [2, 3], [3, 3], [3, 3], [3, 4]]
