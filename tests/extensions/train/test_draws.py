"""What CBOW draws."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binom, chisquare

from lingprobe_extensions.train.draws import NegativeSampler, predicted_shares, without_some

COUNTS = np.array([5000, 1200, 300, 300, 80, 20, 7, 7, 1])


def test_negatives_are_drawn_by_the_root_of_their_frequency():
    draws = np.random.default_rng(0)
    drawn = NegativeSampler.of(COUNTS).draw((20000, 10), draws)
    seen = np.bincount(drawn.ravel(), minlength=len(COUNTS))
    expected = np.sqrt(COUNTS) / np.sqrt(COUNTS).sum() * drawn.size
    assert chisquare(seen, expected).pvalue > 0.01
    even = np.full(len(COUNTS), drawn.size / len(COUNTS))
    assert chisquare(seen, even).pvalue < 1e-9  # so that the test can fail
    linear = COUNTS / COUNTS.sum() * drawn.size
    assert chisquare(seen, linear).pvalue < 1e-9


@pytest.mark.parametrize("counts", [[1], [1, 1], [1000000, 1], list(range(1, 400))])
def test_each_word_keeps_its_share_whatever_the_counts(counts):
    made = NegativeSampler.of(np.array(counts))
    shares = made.kept / len(counts)
    np.add.at(shares, made.alias, (1 - made.kept) / len(counts))
    np.testing.assert_allclose(shares, made.shares, rtol=1e-4, atol=1e-7)


def test_frequent_words_are_predicted_less_often():
    shares = predicted_shares(COUNTS, 1e-3)
    frequency = COUNTS / COUNTS.sum()
    assert shares[0] == pytest.approx(np.sqrt(1e-3 / frequency[0]) + 1e-3 / frequency[0], rel=1e-12)
    assert shares[-1] == 1.0
    assert np.all(np.diff(shares) >= 0)
    np.testing.assert_array_equal(predicted_shares(COUNTS, 0), np.ones(len(COUNTS)))


def test_so_many_bigrams_of_each_sentence_are_left_out_each_as_often():
    draws = np.random.default_rng(0)
    lengths = np.array([8, 1, 3, 6])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    bigrams = np.arange(lengths.sum(), dtype=np.int32)
    bigrams[starts[1:] - 1] = -1
    lost = np.zeros(len(bigrams), int)
    for _ in range(3000):
        left = without_some(bigrams, starts, 4, draws)
        there = [int((left[a:b] >= 0).sum()) for a, b in pairwise(starts)]
        assert there == [3, 0, 0, 1]
        lost += (bigrams >= 0) & (left < 0)
    low, high = binom.ppf([1e-4, 1 - 1e-4], 3000, 4 / 7)
    assert np.all((low <= lost[:7]) & (lost[:7] <= high))
    np.testing.assert_array_equal(without_some(bigrams, starts, 0, draws), bigrams)
