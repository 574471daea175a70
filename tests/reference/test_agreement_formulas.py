"""Scores, their growth with examples, and information, against textbooks."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data._logits import ProbeLogits
from lingprobe.data.labels import Classes, LabelSets, ScoreLabels
from lingprobe.metrics import METRICS
from lingprobe.metrics.correlation import coefficients
from lingprobe.metrics.information import calibration_error, compute_pointwise_information
from lingprobe.metrics.subsets import average_over_subsets
from reference import agreement

NAMES = ("a", "b", "c", "d")
seeds = st.integers(0, 10**6)
answers = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30)
numbers = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=3, max_size=25)


def classes(ids) -> Classes:
    return Classes(np.asarray(ids, np.int64), NAMES)


OF_CLASSES = {
    "accuracy": agreement.accuracy,
    "macro-f1": agreement.macro_f1,
    "macro-f1,without=b": partial(agreement.macro_f1, only={0, 2, 3}),
    "micro-f1,only=a,only=c": partial(agreement.micro_f1, only={0, 2}),
    "micro-f1,only=[ac],without=c": partial(agreement.micro_f1, only={0}),
}
OF_SCORES = {"pearson": agreement.pearson, "spearman": agreement.spearman, "r2": agreement.r2}


@pytest.mark.parametrize("metric", OF_CLASSES)
@given(answers)
def test_scores_of_classes_are_the_textbook_s(metric, rows):
    gold, said = zip(*rows, strict=True)
    found = METRICS.make(metric)(classes(gold), classes(said))
    assert found == pytest.approx(OF_CLASSES[metric](gold, said))


@pytest.mark.parametrize("metric", OF_SCORES)
@given(numbers)
def test_scores_of_numbers_are_the_textbook_s(metric, rows):
    gold, said = (list(map(float, column)) for column in zip(*rows, strict=True))
    found = METRICS.make(metric)(ScoreLabels(np.array(gold)), ScoreLabels(np.array(said)))
    assert found == pytest.approx(OF_SCORES[metric](gold, said), abs=1e-9)


@pytest.mark.parametrize("metric", [*OF_CLASSES, *OF_SCORES])
@given(seeds)
def test_an_influence_is_how_fast_the_score_grows_with_an_example(metric, seed):
    draws, n = np.random.default_rng(seed), 12
    if metric in OF_CLASSES:
        gold, said = draws.integers(4, size=(2, n)).tolist()
        reference, columns = OF_CLASSES[metric], (classes(gold), classes(said))
    else:
        gold, said = draws.integers(-4, 5, size=(2, n)).astype(float).tolist()
        reference, columns = (
            OF_SCORES[metric],
            (ScoreLabels(np.array(gold)), ScoreLabels(np.array(said))),
        )
    row = int(draws.integers(n))
    slopes = METRICS.make(metric).influences(*columns)
    assert sum(slopes) == pytest.approx(0, abs=1e-12)
    steps = 8  # of the others, which is coarse; the difference of both sides makes up for it
    expected = agreement.slope(reference, gold, said, row, steps)
    coarse = abs(agreement.slope(reference, gold, said, row, steps // 2) - expected)
    assert slopes[row] == pytest.approx(expected, abs=coarse + 1e-7)


@given(seeds, st.integers(1, 5), st.integers(1, 4))
def test_correlation_of_sets_is_that_of_their_table(seed, n, many):
    draws = np.random.default_rng(seed)
    tables = draws.random((2, n, many)) < 0.5
    gold, said = (
        LabelSets(
            np.concatenate([[0], np.cumsum(table.sum(1))]),
            np.nonzero(table)[1],
            np.ones(table.sum(), np.float32),
            NAMES[:many],
        )
        for table in tables
    )
    found = METRICS.make("mcc")(gold, said)
    assert found == pytest.approx(agreement.matthews(*tables.tolist()))


@given(seeds, st.booleans())
def test_a_mean_over_subsets_counts_each_once_or_by_its_size(seed, by_size):
    draws, n = np.random.default_rng(seed), 20
    gold, said = draws.integers(4, size=(2, n)).tolist()
    codes = draws.permutation([-1, -1, *[0] * 9, *[1] * 5, *[4] * 4])
    metric = average_over_subsets(METRICS.make("macro-f1"), codes, by_size)
    scores, sizes = [], []
    for code in (0, 1, 4):
        mine = [i for i in range(n) if codes[i] == code]
        scores.append(agreement.macro_f1([gold[i] for i in mine], [said[i] for i in mine]))
        sizes.append(len(mine) if by_size else 1)
    expected = sum(s * w for s, w in zip(scores, sizes, strict=True)) / sum(sizes)
    assert metric(classes(gold), classes(said)) == pytest.approx(expected)


def test_an_example_moves_a_mean_over_subsets_by_its_own_subset():
    right, codes = [1, 1, 0, 0, 1, 0], np.array([0, 0, 0, 3, 3, -1])
    metric = average_over_subsets(METRICS.make("accuracy"), codes)
    moved = metric.influences(classes([1] * 6), classes(right))
    expected = [1 / 3 / 3 / 2, 1 / 3 / 3 / 2, -2 / 3 / 3 / 2, -1 / 2 / 2 / 2, 1 / 2 / 2 / 2, 0]
    np.testing.assert_allclose(moved, expected, atol=1e-12)


@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall"])
@given(numbers)
def test_coefficients_are_the_textbook_s(method, rows):
    x, y = (list(map(float, column)) for column in zip(*rows, strict=True))
    [found] = coefficients(np.array([x, y]).T, [(0, 1)], method).values()
    expected = getattr(agreement, method)(x, y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert np.isnan(found.value)
    else:
        assert (found.value, found.n) == (pytest.approx(expected, abs=1e-9), len(x))


@given(seeds, st.integers(1, 60))
def test_calibration_and_information_are_those_of_their_papers(seed, n):
    draws = np.random.default_rng(seed)
    gold, train = draws.integers(4, size=n), draws.integers(4, size=30)
    logits = ProbeLogits.of(
        draws.normal(size=(n, 4)).astype(np.float32), "softmax", classes(train), np.arange(n)
    )
    chances = logits.probabilities("softmax")
    hits = (chances.argmax(1) == gold).tolist()
    expected = agreement.calibration_error(chances.max(1).tolist(), hits)
    assert calibration_error(classes(gold), logits) == pytest.approx(expected)
    bits = agreement.pointwise_information(train.tolist(), gold.tolist(), chances.tolist())
    np.testing.assert_allclose(
        compute_pointwise_information(classes(gold), logits), bits, atol=1e-4
    )
