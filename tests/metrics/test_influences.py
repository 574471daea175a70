"""How far each example moves a metric: against what the metric does when the example weighs a
little more, in plain loops.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.labels import Classes, LabelSets, ScoreLabels
from lingprobe.metrics import METRICS
from lingprobe.metrics.metric import Metric

STEP = 1e-5


def classes(rng, n=40):
    gold, said = rng.integers(4, size=n), rng.integers(4, size=n)
    return Classes(gold, tuple("abcd")), Classes(
        np.where(rng.random(n) < 0.5, gold, said), tuple("abcd")
    )


def sets(rng, n=40):
    columns = []
    for share in (0.3, 0.35):
        held = rng.random((n, 3)) < share
        columns.append(
            LabelSets(
                np.cumsum([0, *held.sum(1)]),
                np.nonzero(held)[1],
                np.ones(held.sum(), np.float32),
                ("a", "b", "c"),
            )
        )
    return columns


@pytest.mark.parametrize("metric", ["accuracy", "macro-f1", "micro-f1", "micro-f1,only=a", "mcc"])
@given(st.integers(0, 500), st.sampled_from([classes, sets]))
def test_influences_of_counts_are_their_slopes(metric, seed, kind):
    gold, predicted = kind(np.random.default_rng(seed))
    made = METRICS.make(metric)
    each = made.sums(gold, predicted, np.arange(len(gold)), len(gold))
    total = each.sum(0)
    expected = np.array(
        [
            float(made.value((total + STEP * s)[None])[0] - made.value((total - STEP * s)[None])[0])
            / (2 * STEP)
            for s in each
        ]
    )
    influences = made.influences(gold, predicted)
    assert influences == pytest.approx(expected - expected.mean(), abs=1e-6)
    assert influences.sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("metric", ["kappa", "balanced-accuracy"])
@given(st.integers(0, 500))
def test_influences_of_agreement_are_slopes_in_the_weight_of_an_example(metric, seed):
    """Of kappa by its definition over weighted examples, of recall likewise."""
    gold, predicted = classes(np.random.default_rng(seed))
    x, y = gold.ids, predicted.ids

    def weighted(w):
        if metric == "balanced-accuracy":
            return np.mean([w[(x == k) & (y == k)].sum() / w[x == k].sum() for k in np.unique(x)])
        w = w / w.sum()
        chance = sum(w[x == k].sum() * w[y == k].sum() for k in range(4))
        return (w[x == y].sum() - chance) / (1 - chance)

    ones, expected = np.ones(len(x)), []
    for i in range(len(x)):
        step = STEP * (np.arange(len(x)) == i)
        expected.append((weighted(ones + step) - weighted(ones - step)) / (2 * STEP))
    influences = METRICS.make(metric).influences(gold, predicted)
    assert influences == pytest.approx(np.array(expected) - np.mean(expected), abs=1e-6)


def weighted_correlation(x, y, weights):
    x, y = (v - weights @ v / weights.sum() for v in (x, y))
    return weights @ (x * y) / np.sqrt((weights @ (x * x)) * (weights @ (y * y)))


def weighted_ranks(values, weights):
    return np.array(
        [
            sum(
                w * ((other < value) + (other == value) / 2)
                for other, w in zip(values, weights, strict=True)
            )
            for value in values
        ]
    )


@pytest.mark.parametrize("metric", ["pearson", "spearman"])
@given(st.integers(0, 200), st.booleans())
def test_influences_of_correlations_are_their_slopes(metric, seed, ties):
    rng = np.random.default_rng(seed)
    x = rng.integers(4, size=12).astype(float) if ties else rng.normal(size=12)
    y = np.round(x + rng.normal(size=12), 0 if ties else 6)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return

    def value(weights):
        columns = [weighted_ranks(v, weights) for v in (x, y)] if metric == "spearman" else [x, y]
        return weighted_correlation(*columns, weights)

    made = METRICS.make(metric)
    assert made(ScoreLabels(x), ScoreLabels(y)) == pytest.approx(value(np.ones(12)))
    slopes = [
        (value(np.ones(12) + STEP * unit) - value(np.ones(12) - STEP * unit)) / (2 * STEP)
        for unit in np.eye(12)
    ]
    assert made.influences(ScoreLabels(x), ScoreLabels(y)) == pytest.approx(slopes, abs=1e-6)


@given(st.integers(0, 200))
def test_influences_of_r2_are_its_slopes(seed):
    rng = np.random.default_rng(seed)
    x, error = rng.normal(size=(2, 12))

    def value(weights):
        mean = weights @ x / weights.sum()
        return 1 - (weights @ error**2) / (weights @ (x - mean) ** 2)

    slopes = [
        (value(np.ones(12) + STEP * unit) - value(np.ones(12) - STEP * unit)) / (2 * STEP)
        for unit in np.eye(12)
    ]
    influences = METRICS.make("r2").influences(ScoreLabels(x), ScoreLabels(x + error))
    assert influences == pytest.approx(slopes, rel=1e-4, abs=1e-5)


def test_of_a_mean_they_are_the_distances_to_it():
    gold, predicted = classes(np.random.default_rng(0))
    right = gold.ids == predicted.ids
    assert METRICS.make("accuracy").influences(gold, predicted) == pytest.approx(
        (right - right.mean()) / 40
    )


def test_a_metric_of_one_s_own_has_them_from_its_sums_and_value():
    ours = METRICS.make("macro-f1")
    theirs = Metric("mine", ours.sums, ours.value)
    gold, predicted = classes(np.random.default_rng(1), 300)
    assert theirs.influences(gold, predicted) == pytest.approx(
        ours.influences(gold, predicted), abs=1e-7
    )
    assert theirs(gold, predicted) == ours(gold, predicted)


def test_where_nothing_varies_nothing_moves():
    flat = ScoreLabels(np.ones(6))
    for metric in ("pearson", "spearman"):
        assert (
            METRICS.make(metric).influences(flat, ScoreLabels(np.arange(6.0))).tolist() == [0] * 6
        )
    never = Classes(np.zeros(6, np.int64), ("a", "b"))
    assert METRICS.make("micro-f1,only=b").influences(never, never).tolist() == [0] * 6
