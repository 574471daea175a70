"""Variances, degrees of freedom and intervals of what is no plain share, against loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr, t

from lingprobe.data.labels import Classes, ScoreLabels
from lingprobe.metrics import FitAnswers, compute_gap_share, contrast, interval_of, null_share
from lingprobe.metrics.clusters import _LEAST_CLUSTERS, balanced_classes, over_examples
from lingprobe.metrics.information import mean_over
from lingprobe.metrics.intervals import ScoreDifference
from lingprobe.metrics.layers import drawn_scores, expected_layer
from lingprobe.metrics.metric import MetricProblem
from reference import inference

NAMES = ("no", "yes")
seeds = st.integers(0, 10**6)


def answers(right, gold=None) -> FitAnswers:
    """Fits [fits][n] that are right where told; all gold labels are "yes" where none are given."""
    table = np.atleast_2d(np.asarray(right, bool))
    gold = np.ones(table.shape[1], np.int64) if gold is None else gold
    said = [Classes(np.where(row, gold, 1 - gold), NAMES) for row in table]
    return FitAnswers(Classes(gold, NAMES), said)


def fits_of(right, sign=1):
    """Scores and influences of fits, as the reference takes them."""
    table = sign * np.asarray(right, float)
    scores = table.mean(1)
    return scores.tolist(), ((table - scores[:, None]) / table.shape[1]).tolist()


def drawn(draws, many, n):
    """Whether each of some fits is right about each example, some of which are hard for all."""
    easy = draws.uniform(0.3, 1, n)
    return draws.random((many, n)) < easy + draws.normal(0, 0.1, (many, 1))


@settings(max_examples=25)
@given(seeds, st.integers(1, 5), st.integers(1, 5), st.integers(8, 30))
def test_seeds_of_a_difference_go_together_where_there_are_as_many(seed, many, others, n):
    draws = np.random.default_rng(seed)
    one, other = drawn(draws, many, n), drawn(draws, others, n)
    found = contrast("accuracy", ((1.0, answers(one)), (-1.0, answers(other))))
    if many == others:
        apart = [fits_of(one.astype(float) - other)]
    else:
        apart = [fits_of(one), fits_of(other, -1)]
    if not any(sum(each[i] for _, rows in apart for each in rows) for i in range(n)):
        return  # nothing differs
    variance, df = inference.over_seeds(apart)
    error = np.sqrt(variance + 2 / n**2)
    value = one.mean() - other.mean()
    assert (found.value, found.error, found.df) == pytest.approx((value, error, df))
    half = t.ppf(0.975, df) * error
    ends = max(value - half, -1), min(value + half, 1)
    assert (found.low, found.high) == pytest.approx(ends)


@given(st.floats(-2, 2), st.floats(0.01, 1), st.floats(1, 200))
def test_a_difference_is_student_s(value, error, df):
    found = ScoreDifference.of(value, error, df)
    assert found.p == pytest.approx(2 * t.sf(abs(value) / error, df))
    for level in (0.05, 0.01):
        half = t.ppf(1 - level / 2, df) * error
        assert found.interval(level) == pytest.approx((value - half, value + half))
        assert found.detects(level) == pytest.approx(half + t.ppf(0.8, df) * error)
    assert (found.low, found.high) == found.interval(0.05)
    assert (found.detectable, found.error) == (found.detects(0.05), error)


@settings(max_examples=25)
@given(seeds, st.integers(1, 5), st.integers(8, 30))
def test_a_mean_of_numbers_has_student_s_interval_over_fits_and_examples(seed, many, n):
    draws = np.random.default_rng(seed)
    table = draws.normal(size=n) + draws.normal(0, 0.5, (many, n)) + draws.normal(size=(many, 1))
    variance, df = inference.over_seeds([fits_of(table)])
    half = t.ppf(0.975, df) * np.sqrt(variance)
    mean = table.mean()
    assert tuple(mean_over(table)) == pytest.approx((mean, mean - half, mean + half))


@settings(max_examples=25)
@given(seeds, st.integers(6, 40))
def test_a_correlation_has_student_s_interval_on_fisher_s_scale(seed, n):
    """How fast r grows with the weight of a pair of standard scores: (x y - r (x^2 + y^2) / 2) / n
    (Hampel 1974, Journal of the American Statistical Association 69:383).
    """
    draws = np.random.default_rng(seed)
    x = draws.normal(size=n)
    y = x + draws.normal(size=n)
    r = pearsonr(x, y).statistic
    a, b = ((v - v.mean()) / v.std() for v in (x, y))
    moved = [(p * q - r * (p * p + q * q) / 2) / n for p, q in zip(a, b, strict=True)]
    half = t.ppf(0.975, n - 1) * np.sqrt(n / (n - 1) * sum(m * m for m in moved)) / (1 - r * r)
    z = np.log((1 + r) / (1 - r)) / 2
    ends = [(np.exp(2 * end) - 1) / (np.exp(2 * end) + 1) for end in (z - half, z + half)]
    assert interval_of("pearson", ScoreLabels(x), [ScoreLabels(y)]) == pytest.approx(tuple(ends))


@settings(max_examples=25)
@given(seeds, st.integers(6, 40))
def test_explained_variance_has_student_s_interval_that_ends_at_1(seed, n):
    """With u the share of variance that is not explained, and v the variance, an example moves 1 - u
    by (u (x^2 - v) - (e^2 - u v)) / v / n.
    """
    draws = np.random.default_rng(seed)
    x = draws.normal(size=n)
    error = draws.normal(0, draws.uniform(0.1, 2), n)
    far = x - x.mean()
    v = sum(far**2) / n
    u = sum(error**2) / n / v
    moved = [(u * (a * a - v) - (e * e - u * v)) / v / n for a, e in zip(far, error, strict=True)]
    half = t.ppf(0.975, n - 1) * np.sqrt(n / (n - 1) * sum(m * m for m in moved))
    expected = 1 - u - half, min(1 - u + half, 1.0)
    assert interval_of("r2", ScoreLabels(x), [ScoreLabels(x + error)]) == pytest.approx(expected)


def test_cells_of_one_draw_count_as_they_are_and_none_say_nothing():
    inside, outside = (0.4, 0.6, 0.5), (0.51, 0.6, 0.5)
    cells = [inside] * 9 + [outside]
    assert null_share(cells, ["one"] * 10).p == pytest.approx(inference.binomial(1, 10, 0.05))
    for draws in (None, []):
        assert null_share([], draws) == (0, 0, 1.0)
    assert null_share([(0.4, 0.5, 0.5), (0.5, 0.6, 0.5), (0.51, 0.6, 0.5)]).outside == 1


def test_one_wrong_of_many_examples_on_their_own_leaves_all_degrees_of_freedom():
    """Few errors in clusters tell little of the variance; that of a share knows it."""
    values = np.array([0.0] + [1.0] * 49)
    found = over_examples((values - values.mean())[None] / 50, {}, np.zeros(50, np.int64))
    assert (found.df[0], found.worth) == (49, 50)
    classes = np.arange(50) % 2
    assert over_examples((values - values.mean())[None] / 50, {}, classes).df[0] == 48


@pytest.mark.parametrize("many", [_LEAST_CLUSTERS - 1, _LEAST_CLUSTERS])
def test_classes_are_taken_apart_from_five_clusters_of_each_on(many):
    draws = np.random.default_rng(many)
    clusters = np.repeat(np.arange(2 * many), 4)
    classes = clusters % 2 if many == _LEAST_CLUSTERS else np.zeros_like(clusters)
    right = draws.random(len(clusters)) < np.where(clusters % 2, 0.9, 0.3)

    def score(rows):
        """The share of each class, as many as all examples have of it."""
        mine = [[right[i] for i in rows if classes[i] == c] for c in sorted(set(classes.tolist()))]
        return sum(sum(each) / len(each) for each in mine) / len(mine)

    variance = inference.jackknife(score, len(clusters), clusters.tolist())[1]
    influence = (right - right.mean()) / len(right)
    found = over_examples(influence[None], {"form": clusters}, clusters % 2)
    assert found.covariance[0, 0] == pytest.approx(variance)


def test_examples_that_share_in_two_ways_are_worth_less():
    """By 1 more than both lose: 1 + (n / 8 - 1) + (n / 6 - 1) times."""
    ways = {"form": np.arange(48) % 8, "word": np.arange(48) % 6}
    influence = np.random.default_rng(0).normal(size=(1, 48))
    found = over_examples(influence, ways, np.zeros(48, np.int64))
    assert found.worth == pytest.approx(48 / (1 + (48 / 8 - 1) + (48 / 6 - 1)))
    alone = [
        over_examples(influence, {k: v}, np.zeros(48, np.int64)).df[0] for k, v in ways.items()
    ]
    assert found.df[0] == min(alone) < max(alone)


def test_classes_of_which_one_in_fifty_could_not_be_read_are_balanced():
    for counts, even in (((101, 99), True), ((102, 99), False)):
        ids = np.repeat([0, 1], counts)
        assert bool(balanced_classes(Classes(ids, NAMES)).any()) is even


def test_shares_of_the_way_are_over_the_same_examples():
    whole = answers(np.ones((1, 6)))
    with pytest.raises(MetricProblem, match=r"these have \[5, 6\]"):
        compute_gap_share("accuracy", whole, answers(np.zeros((1, 5))), whole)


@pytest.mark.parametrize("many", [1, 4])
def test_draws_of_scores_have_the_covariance_of_the_examples_and_the_seeds(many):
    draws, n = np.random.default_rng(many), 400
    right = [drawn(draws, many, n) for _ in range(3)]
    gold = np.ones(n, np.int64)
    found = drawn_scores("accuracy", Classes(gold, NAMES), [answers(r).predicted for r in right])
    means = np.array([r.mean(1).mean() for r in right])
    rows = np.array([r.mean(0) for r in right])
    expected = np.cov(rows) / n
    for k, r in enumerate(right):
        if many > 2:
            _, apart = fits_of(r - r.mean(0))
            noise = n / (n - 1) * np.square(apart).sum() / (many - 1)
            expected[k, k] += max(r.mean(1).var(ddof=1) - noise, 0) / many
    expected *= (n - 1) / (n - 3)  # of Student's t
    assert found.shape == (2000, 3)
    errors = np.sqrt(np.diag(expected))
    assert np.abs((found.mean(0) - means) / errors).max() < 4 / np.sqrt(2000)
    moved = np.cov(found.T) / np.outer(errors, errors)
    np.testing.assert_allclose(moved, expected / np.outer(errors, errors), atol=0.12)


def test_two_layers_are_too_few_to_tell_how_rough_their_curve_is():
    found = expected_layer([50.0, 90.0])
    assert (found.gain, found.error) == (40, np.inf)
    assert np.isnan([found.layer, found.low, found.high]).all()
