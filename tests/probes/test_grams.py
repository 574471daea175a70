from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.core import Dataset, Example, Sentence, Site
from lingprobe.probes.grams import NGramVocabulary, compute_tfidf, weigh_counts
from lingprobe.testing import TINY_DATASET_FAMILIES


def listed(grams, dataset):
    """The columns of each example in words, as often as they are counted."""
    names, counts = grams.names(), grams.counts(dataset).toarray()
    return [
        sorted(name for name, n in zip(names, row, strict=True) for _ in range(int(n)))
        for row in counts
    ]


def test_asked_words_are_seen_by_slot():
    sentence = Sentence.of(["The", "dog"])
    dataset = Dataset.of([Example((Site(sentence),), "yes", "train", ("dog", "Barks"))])
    assert listed(NGramVocabulary.of(dataset, 2, True), dataset) == [
        ["asked 0 dog", "asked 1 barks", "dog", "the", "the dog"]
    ]
    assert "The dog" in listed(NGramVocabulary.of(dataset, 2, False), dataset)[0]


def test_a_span_is_its_own_words_and_sites_are_told_apart():
    sentence = Sentence.of(["a", "b", "c", "b"])
    dataset = Dataset.of([Example((Site(sentence, (0, 2)), Site(sentence, (2, 4))), "x", "train")])
    assert listed(NGramVocabulary.of(dataset, 1, True), dataset) == [
        ["0:a", "0:b", "1:b", "1:c", "shared"]
    ]


def test_what_was_not_seen_in_training_is_passed_over_but_may_be_shared():
    def pair(a, b):
        return Example((Site(Sentence.of(a.split())), Site(Sentence.of(b.split()))), "x", "train")

    train, other = (
        Dataset.of([pair("a b", "b c")]),
        Dataset.of([pair("new b a", "new c"), pair("", "")]),
    )
    assert listed(NGramVocabulary.of(train, 2, True), other) == [
        ["0:a", "0:b", "1:c", "shared"],
        [],
    ]


def test_nothing_to_read_gives_no_columns():
    dataset = Dataset.of([Example.about(Sentence.of([]), "x")])
    grams = NGramVocabulary.of(dataset, 2, True)
    assert (len(grams), grams.counts(dataset).shape, grams.names()) == (0, (1, 0), [])


@pytest.mark.parametrize("family", TINY_DATASET_FAMILIES)
def test_every_family_is_counted_and_every_column_is_there_in_training(family):
    dataset = TINY_DATASET_FAMILIES[family]()
    grams = NGramVocabulary.of(dataset, 2, True)
    assert (np.asarray(grams.counts(dataset).sum(0)).ravel() >= 1).all()
    assert len(grams.names()) == len(set(grams.names())) == len(grams)


words = st.lists(st.sampled_from(["a", "A", "b", "c"]), max_size=6)


@given(
    st.lists(words, min_size=1, max_size=6),
    st.lists(words, min_size=1, max_size=4),
    st.integers(1, 3),
)
def test_counts_are_those_of_a_plain_loop(train, test, longest):
    def told(runs):
        return Dataset.of([Example.about(Sentence.of(run), "x") for run in runs])

    def plain(run):
        low = [w.lower() for w in run]
        return [
            " ".join(low[i : i + n]) for n in range(1, longest + 1) for i in range(len(low) - n + 1)
        ]

    known = Counter(g for run in train for g in plain(run))
    expected = [sorted(g for g in plain(run) if g in known) for run in test]
    found = NGramVocabulary.of(told(train), longest, True)
    assert len(found) == len(known)
    assert listed(found, told(test)) == expected


def test_weights_are_those_of_scikit_learn():
    from sklearn.feature_extraction.text import TfidfTransformer

    train, test = (
        TINY_DATASET_FAMILIES["sentence"]().take(TINY_DATASET_FAMILIES["sentence"]().rows(s))
        for s in ("train", "test")
    )
    grams = NGramVocabulary.of(train, 2, True)
    idf, ours = weigh_counts(grams.counts(train))
    theirs = TfidfTransformer().fit(grams.counts(train))
    np.testing.assert_allclose(ours.toarray(), theirs.transform(grams.counts(train)).toarray())
    np.testing.assert_allclose(
        compute_tfidf(grams.counts(test), idf).toarray(),
        theirs.transform(grams.counts(test)).toarray(),
    )
