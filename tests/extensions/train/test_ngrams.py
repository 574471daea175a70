"""Bags of words and bigrams."""

from __future__ import annotations

import numpy as np

from lingprobe.data.core import Sentence
from lingprobe_extensions.train.ngrams import BigramVectors, bigram_rows

NUMBERS = {"the": 0, "cat": 1, "sat": 2}


def bag(buckets: int) -> BigramVectors:
    vectors = np.random.default_rng(0).normal(size=(3 + buckets, 4)).astype(np.float32)
    return BigramVectors(NUMBERS, vectors)


def test_the_bucket_of_a_bigram_is_the_documented_one():
    ids, starts = np.array([5, 7, 5, 2], np.int32), np.array([0, 0, 3, 4])
    rows = bigram_rows(ids, starts, 100, 1000)
    assert rows.tolist() == [
        100 + (5 * 2654435761 + 7) % 1000, 100 + (7 * 2654435761 + 5) % 1000, -1, -1,
    ]  # fmt: skip
    assert rows.tolist()[:2] == [912, 432]  # as it was when folders were first written
    assert bigram_rows(ids, starts, 100, 0).tolist() == [-1] * 4
    big = np.array([2_000_000, 1_999_999], np.int32)
    assert bigram_rows(big, np.array([0, 2]), 10, 7).tolist() == [
        10 + (2_000_000 * 2654435761 + 1_999_999) % 7, -1,
    ]  # fmt: skip


def test_a_sentence_is_the_mean_of_its_words_and_bigrams():
    one = bag(5)
    sentences = [
        Sentence.of(t.split()) for t in ("the cat sat", "the dog sat", "a dog", "sat", "sat cat")
    ]
    got = one.encode(sentences).layers[0]
    first, second = (3 + (a * 2654435761 + b) % 5 for a, b in ((0, 1), (1, 2)))
    around = 3 + (0 * 2654435761 + 2) % 5
    np.testing.assert_allclose(got[0], one.vectors[[0, 1, 2, first, second]].mean(0), rtol=1e-5)
    np.testing.assert_allclose(got[1], one.vectors[[0, 2, around]].mean(0), rtol=1e-5)
    np.testing.assert_array_equal(got[2], np.zeros(4))
    np.testing.assert_allclose(got[3], one.vectors[2], rtol=1e-6)
    for i, alone in enumerate(sentences):
        np.testing.assert_array_equal(one.encode([alone]).layers[0][0], got[i])


def test_a_vector_for_each_word_is_the_words_own():
    words = bag(5).encode([Sentence.of(["the", "dog"]), Sentence.of(["sat"])], by_word=True)
    np.testing.assert_array_equal(words.layers[0][[0, 2]], bag(5).vectors[[0, 2]])
    np.testing.assert_array_equal(words.layers[0][1], np.zeros(4))


def test_many_sentences_are_encoded_as_few_are():
    sentences = [Sentence.of(["the", "cat", "sat"][: 1 + i % 3]) for i in range(3000)]
    got = bag(5).encode(sentences).layers[0]
    np.testing.assert_array_equal(got[:3], got[2997:])
