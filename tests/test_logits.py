"""What is kept of scores: bits, shares of labels, probabilities, and how little half precision
takes of them.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data._logits import ProbeLogits, code_length, null_scores
from lingprobe.data.labels import Classes, build_column

NAMES = ("a", "b", "c")


def drawn(seed, n=40, spread=4.0):
    rng = np.random.default_rng(seed)
    return (
        rng,
        rng.normal(0, spread, (n, 3)).astype(np.float32),
        Classes(rng.integers(3, size=n), NAMES),
    )


@given(
    st.integers(0, 500), st.sampled_from([0.5, 4.0, 30.0]), st.sampled_from(["softmax", "sigmoid"])
)
def test_half_precision_keeps_bits_to_a_thousandth(seed, spread, link):
    _, scores, gold = drawn(seed, spread=spread)
    kept = ProbeLogits.of(scores, link, gold, np.arange(len(gold)))
    assert kept.values.dtype == np.float16
    exact = code_length(gold, scores)
    largest = np.abs(
        scores
        # of a softmax what is likely is near 0 and kept best; of sigmoids all that lies between two
        # labels counts
    ).max()
    assert (
        np.abs(kept.bits(gold) - exact).max()
        <= (exact.max() if link == "softmax" else 2 * largest * 1.5) * 2**-10 + 1e-3
    )
    assert abs(kept.bits(gold).mean() - exact.mean()) < 2e-3 + 1e-3 * exact.mean()


def test_scores_beyond_half_precision_stay_finite():
    gold = Classes(np.array([0, 1]), NAMES)
    kept = ProbeLogits.of(
        np.array([[1e6, 0, 0], [1e6, 0, 0]], np.float32), "softmax", gold, np.arange(2)
    )
    assert np.isfinite(kept.values).all()
    assert kept.bits(gold)[0] == 0
    assert kept.bits(gold)[1] > 8e4


@pytest.mark.parametrize("link", ["softmax", "sigmoid"])
def test_probabilities_are_those_of_the_link(link):
    _, scores, gold = drawn(1)
    found = ProbeLogits.of(scores, link, gold, np.arange(len(gold))).probabilities()
    z = scores.astype(np.float64)
    exact = (
        np.exp(z) / np.exp(z).sum(1, keepdims=True) if link == "softmax" else 1 / (1 + np.exp(-z))
    )
    np.testing.assert_allclose(found, exact, atol=2e-3)
    if link == "softmax":
        np.testing.assert_allclose(found.sum(1), 1)


def test_the_null_model_is_the_shares_of_train_with_half_an_example_more():
    train, test = Classes(np.array([0, 0, 0, 1]), NAMES), Classes(np.array([0, 1, 2]), NAMES)
    kept = ProbeLogits.of(np.zeros((3, 3), np.float32), "sigmoid", train, np.arange(3))
    assert 2 ** -kept.null_bits(test) == pytest.approx(np.array([3.5, 1.5, 0.5]) / 5.5)


def test_the_null_model_of_label_sets_counts_what_was_annotated():
    train = build_column([{"a": 1.0, "b": 0.0}, {"a": 0.8}, {"a": 0.1, "b": 1.0}])
    null = null_scores(train)
    shares = 1 / (1 + np.exp(-null.astype(float)))
    assert shares == pytest.approx([2.5 / 4, 1.5 / 3])
    kept = ProbeLogits.of(np.zeros((3, 2), np.float32), "sigmoid", train, np.arange(3))
    expected = -np.log2([shares[0] * (1 - shares[1]), shares[0], (1 - shares[0]) * shares[1]])
    assert kept.null_bits(train) == pytest.approx(expected)
    assert kept.bits(train) == pytest.approx([2, 1, 2])
