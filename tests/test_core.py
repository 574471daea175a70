from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.core import (
    DATA_SPLITS,
    DataProblem,
    Dataset,
    Example,
    Sentence,
    Site,
    Tags,
    Trial,
)
from lingprobe.testing import TINY_DATASET_FAMILIES, check_dataset, same_dataset

text = st.text(max_size=8)
sentences = st.builds(Sentence, st.lists(text, max_size=4).map(tuple), text)


def test_a_sentence_without_raw_text_is_its_words_with_spaces():
    assert Sentence.of(["a", "b"]).text == "a b"
    assert Sentence.of(["a", "b"], "ab").text == "ab"
    assert Sentence.of(["a"], "").text == ""


@given(sentences, sentences)
def test_keys_differ_where_sentences_do(a, b):
    assert (a.key == b.key) == (a == b)
    assert len(a.key) == 16


def test_keys_tell_words_from_text_and_words_from_each_other():
    separate = [
        Sentence(("a", "b"), ""),
        Sentence(("ab",), ""),
        Sentence(("a b",), ""),
        Sentence((), "a b"),
        Sentence(("a\x1fb",), ""),
        Sentence(("a\x1e",), "b"),
        Sentence(("a",), "\x1eb"),
        Sentence(("",), ""),
        Sentence((), ""),
        Sentence(("\ud800",), ""),
    ]
    assert len({s.key for s in separate}) == len(separate)


@st.composite
def examples(draw):
    sites, slots = draw(st.integers(1, 2)), draw(st.integers(0, 2))
    kind = draw(
        st.sampled_from(
            [
                text,
                st.floats(allow_nan=False),
                st.frozensets(text),
                st.dictionaries(text, st.floats(0, 1, width=32)),
            ]
        )
    )
    found = []
    for _ in range(draw(st.integers(1, 6))):
        places = []
        for _ in range(sites):
            sentence = draw(sentences)
            span = None
            if sentence.words and draw(st.booleans()):
                start = draw(st.integers(0, len(sentence.words) - 1))
                span = (start, draw(st.integers(start + 1, len(sentence.words))))
            places.append(Site(sentence, span))
        asked = tuple(draw(text) for _ in range(slots))
        strata = draw(st.dictionaries(text, text, max_size=2))
        found.append(
            Example(tuple(places), draw(kind), draw(st.sampled_from(DATA_SPLITS)), asked, strata)
        )
    return found


@given(examples())
def test_examples_come_back_as_they_were_written(written):
    dataset = Dataset.of(written, {"a": 1})
    assert list(dataset.examples()) == written
    same_dataset(Dataset.of(dataset.examples(), {"a": 1}), dataset)
    assert dataset.sites.dtype == dataset.asked.dtype == np.int64
    assert dataset.splits.dtype == np.int8


@given(examples(), st.data())
def test_take_is_a_selection_of_the_examples(written, data):
    dataset = Dataset.of(written)
    rows = data.draw(st.lists(st.integers(0, len(written) - 1)))
    part = dataset.take(np.array(rows, np.int64))
    assert list(part.examples()) == [written[i] for i in rows]
    assert part.sentences is dataset.sentences


def test_a_sentence_is_kept_once():
    a, b = Sentence.of(["a"]), Sentence.of(["b"])
    dataset = Dataset.of(
        [Example.about(a, "x"), Example.about(b, "y"), Example.about(Sentence.of(["a"]), "x")]
    )
    assert dataset.sentences == (a, b)
    assert dataset.sites[:, 0].tolist() == [[0, -1, -1], [1, -1, -1], [0, -1, -1]]


def test_rows_of_a_split_keep_their_order():
    dataset = Dataset.of(
        Example.about(Sentence.of([str(i)]), "x", DATA_SPLITS[i % 3]) for i in range(7)
    )
    assert dataset.rows("train").tolist() == [0, 3, 6]
    with pytest.raises(ValueError):
        dataset.rows("valid")


def test_weights_of_zero_are_kept_apart_from_what_was_not_annotated():
    written = [{"x": 0.0, "y": 1.0}, {"y": 0.5}]
    dataset = Dataset.of(
        Example.about(Sentence.of([str(i)]), label) for i, label in enumerate(written)
    )
    assert [e.label for e in dataset.examples()] == written
    assert np.isnan(dataset.labels.matrix()).tolist() == [[False, False], [True, False]]


def test_examples_that_lack_a_tag_have_none():
    dataset = Dataset.of(
        [Example.about(Sentence.of(["a"]), "x", target="a"), Example.about(Sentence.of(["b"]), "x")]
    )
    assert dataset.strata["target"].codes.tolist() == [0, -1]
    assert [dict(e.strata) for e in dataset.examples()] == [{"target": "a"}, {}]


@pytest.mark.parametrize(
    ("example", "said"),
    [
        (
            Example.about(Sentence.of(["a"]), "x", "valid"),
            "example 1: split 'valid' is not one of train, dev, test",
        ),
        (Example((), "x"), "example 1 has 0 sites"),
        (
            Example((Site(Sentence.of(["a"])),), "x", asked=("b",)),
            "1 asked words, the first has 1 and 0",
        ),
        (
            Example((Site(Sentence.of(["a"]), (0, 2)),), "x"),
            r"span \(0, 2\) is outside a sentence of 1 words: 'a'",
        ),
        (Example((Site(Sentence.of(["a"]), (0, 0)),), "x"), "span"),
        (Example((Site(Sentence.of(["a"]), (-1, 1)),), "x"), "span"),
    ],
)
def test_an_example_that_does_not_fit_is_named(example, said):
    with pytest.raises(DataProblem, match=said):
        Dataset.of([Example.about(Sentence.of(["b"]), "x"), example])


def test_labels_of_two_kinds_are_refused_as_a_problem_of_the_data():
    with pytest.raises(ValueError, match="of one kind, found class and score"):
        Dataset.of([Example.about(Sentence.of(["a"]), "x"), Example.about(Sentence.of(["b"]), 1.0)])


def test_no_examples_is_a_problem_of_the_data():
    with pytest.raises(DataProblem, match="no examples"):
        Dataset.of([])


def test_notes_are_added_to_a_copy():
    dataset = TINY_DATASET_FAMILIES["sentence"]((3, 2, 2))
    more = dataset.with_notes(left_out=3)
    assert more.notes == {**dataset.notes, "left_out": 3}
    assert "left_out" not in dataset.notes


@pytest.mark.parametrize("family", TINY_DATASET_FAMILIES)
def test_tiny_data_sets_are_sound(family):
    dataset = TINY_DATASET_FAMILIES[family]()
    check_dataset(dataset)
    assert [len(dataset.rows(split)) for split in DATA_SPLITS] == [60, 20, 20]
    same_dataset(dataset, TINY_DATASET_FAMILIES[family]())


def test_values_are_frozen():
    for value in (
        Sentence.of(["a"]),
        Trial("a", "b", "-", "c", "", 0),
        Tags(np.zeros(1, np.int64), ("a",)),
    ):
        with pytest.raises((AttributeError, TypeError)):
            value.words = value.task = value.names = ()


def test_a_label_that_is_denied_is_not_in_the_set():
    dataset = TINY_DATASET_FAMILIES["span"]((1, 1, 1))
    weights = np.zeros(len(dataset.labels.ids), np.float32)
    denied = replace(dataset, labels=replace(dataset.labels, weights=weights))
    assert [e.label for e in denied.examples()] == [frozenset()] * 3
