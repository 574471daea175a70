"""Variances, tests and corrections against those of their papers, in plain loops."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.labels import Classes
from lingprobe.metrics import (
    FitAnswers,
    benjamini_hochberg,
    compute_gap_share,
    contrast,
    correct_holm,
    null_share,
)
from lingprobe.metrics.clusters import (
    ScoreInfluences,
    between_seeds,
    estimate_variance,
    over_examples,
)
from lingprobe.metrics.correlation import (
    MAX_EXACT_OBSERVATIONS,
    MIN_CORRELATED_OBSERVATIONS,
    CorrelationCoefficient,
    draw_permutations,
    p_values,
)
from lingprobe.metrics.correlation_intervals import compute_fisher_interval
from lingprobe.metrics.resampling import compute_permutation_p
from reference import inference

INSIDE, OUTSIDE = (0.4, 0.6, 0.5), (0.51, 0.6, 0.5)
several = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(several)
def test_corrections_are_those_of_their_steps(p):
    np.testing.assert_allclose(correct_holm(p), inference.holm(p))
    np.testing.assert_allclose(benjamini_hochberg(p), inference.benjamini_hochberg(p))


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=5), min_size=2, max_size=9))
def test_the_p_of_cells_outside_counts_draws_at_their_design_effect(draws):
    cells = [OUTSIDE if out else INSIDE for draw in draws for out in draw]
    names = [f"draw {i}" for i, draw in enumerate(draws) for _ in draw]
    missed = [out for draw in draws for out in draw]
    outside, n = sum(missed), len(missed)
    effect = max(1.0, inference.design_effect(missed, names)) if 0 < outside < n else 1.0
    expected = inference.binomial(round(outside / effect), max(round(n / effect), 1), 0.05)
    found = null_share(cells, names)
    assert (found.outside, found.cells, found.share) == (outside, n, outside / n)
    assert found.p == pytest.approx(expected)


def test_draws_that_are_all_outside_or_all_inside_count_as_one_each():
    """Four draws of ten cells, of which one misses everywhere: the variance of the share between
    draws is (10^2 (3/4)^2 + 3 x 10^2 (1/4)^2) / 40^2 = 3/64, times 4/3 is 1/16, over 3/16 / 40:
    13.3 cells are worth one, so 3 cells and 1 miss are left, whose p is 1 - 0.95^3.
    """
    names = [str(i // 10) for i in range(40)]
    found = null_share([OUTSIDE] * 10 + [INSIDE] * 30, names)
    assert found.p == pytest.approx(1 - 0.95**3)


def answers(right, clusters=None) -> FitAnswers:
    """Answers to questions whose answer is 1, right where told."""
    gold, said = np.ones(len(right), np.int64), np.asarray(right, np.int64)
    codes = {} if clusters is None else {"form": np.asarray(clusters, np.int64)}
    return FitAnswers(Classes(gold, ("no", "yes")), [Classes(said, ("no", "yes"))], codes)


pairs = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40)


@given(pairs)
def test_of_examples_on_their_own_it_is_mcnemar_s_exact_test(rows):
    one, other = (list(column) for column in zip(*rows, strict=True))
    counts = Counter(rows)
    expected = inference.mcnemar(counts[True, False], counts[False, True])
    assert compute_permutation_p("accuracy", answers(one), answers(other)) == pytest.approx(
        expected
    )


@given(pairs, st.integers(2, 5))
def test_of_few_clusters_it_goes_through_all_ways_of_swapping(rows, many):
    one, other = (list(column) for column in zip(*rows, strict=True))
    clusters = [i % many for i in range(len(rows))]
    expected = inference.permutation(np.mean, one, other, clusters)
    found = compute_permutation_p("accuracy", answers(one, clusters), answers(other, clusters))
    assert found == pytest.approx(expected)


def test_a_difference_that_no_draw_reaches_has_the_p_of_one_among_all_draws():
    """Phipson & Smyth 2010: (hits + 1) / (draws + 1)."""
    one, other = answers([True] * 40), answers([False] * 40)
    assert compute_permutation_p("macro-f1", one, other, draws=99) == pytest.approx(1 / 100)


@given(st.integers(0, 10**6), st.integers(2, 8), st.integers(2, 8))
def test_the_variance_over_two_ways_of_sharing_is_that_of_each_less_that_of_both(
    seed, forms, words
):
    draws = np.random.default_rng(seed)
    n = 60
    values = draws.normal(size=n)
    ways = {"form": draws.integers(forms, size=n), "word": draws.integers(words, size=n)}
    if max(np.bincount(way).max() for way in ways.values()) > n / 2:
        return  # the weight of one that is left out is bounded
    expected = inference.crossed(lambda rows: values[rows].mean(), n, list(ways.values()))
    influence = (values - values.mean()) / n
    found = over_examples(influence[None], ways, np.zeros(n, np.int64))
    assert found.covariance[0, 0] == pytest.approx(expected)


@given(st.integers(0, 10**6), st.integers(6, 30), st.integers(1, 6))
def test_the_interval_of_a_share_is_wilson_s_at_the_variance_of_the_jackknife(seed, many, size):
    draws = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(many), draws.integers(1, size + 1, many))
    right = draws.random(len(clusters)) < draws.uniform(0.2, 1, many)[clusters]
    if right.all() or not right.any():
        return
    expected = inference.share_interval(right.tolist(), clusters.tolist())
    found = answers(right, clusters).interval("accuracy")
    assert found == pytest.approx(expected, abs=1e-9)


@given(st.integers(0, 10**6), st.integers(5, 60))
def test_the_interval_of_a_difference_is_student_s_with_one_example_more(seed, n):
    draws = np.random.default_rng(seed)
    one, other = draws.random(n) < 0.8, draws.random(n) < 0.6
    found = contrast("accuracy", ((1.0, answers(one)), (-1.0, answers(other))))
    expected = inference.paired((one.astype(float) - other).tolist())
    low, high, p = expected
    assert (found.low, found.high, found.p) == pytest.approx((max(low, -1), min(high, 1), p))


@given(st.integers(0, 10**6), st.integers(10, 60))
def test_the_interval_of_a_share_of_the_way_is_that_of_the_delta_method(seed, n):
    draws = np.random.default_rng(seed)
    part, least, whole = (draws.random(n) < right for right in (0.6, 0.3, 0.9))
    if whole.sum() <= least.sum():
        return
    found = compute_gap_share("accuracy", answers(part), answers(least), answers(whole))
    expected = inference.share(*(right.tolist() for right in (part, least, whole)))
    assert tuple(found) == pytest.approx(expected)


def drawn_fits(seed: int, many: int, n: int, sign: float = 1.0) -> ScoreInfluences:
    """Shares of right answers of several seeds, on examples that are hard or easy for all."""
    draws = np.random.default_rng(seed)
    easy = draws.uniform(0.2, 1, n)
    right = draws.random((many, n)) < easy + draws.normal(0, 0.1, (many, 1))
    return ScoreInfluences.of_means(sign * right)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 6), st.integers(6, 30))
def test_over_seeds_the_variance_is_that_of_the_crossed_layout(seed, one, other, n):
    each = [drawn_fits(seed, one, n), drawn_fits(seed + 1, other, n, -1.0)]
    for fits in ([each[0]], each):
        influence = np.sum([fit.influences.mean(0) for fit in fits], 0)
        if not influence.any():
            return
        found = estimate_variance(influence, fits, {}, np.zeros(n, np.int64))
        plain = [(fit.scores.tolist(), fit.influences.tolist()) for fit in fits]
        assert (found.variance, found.df) == pytest.approx(inference.over_seeds(plain))


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(6, 30))
def test_what_seeds_alone_add_is_their_variance_less_that_of_seed_and_example(seed, many, n):
    fits = drawn_fits(seed, many, n)
    found = between_seeds(fits, {}, np.zeros(n, np.int64))
    if many < 3:
        assert found == 0
        return
    apart = fits.influences - fits.influences.mean(0)
    noise = n / (n - 1) * (apart**2).sum() / (many - 1)
    assert found == pytest.approx(max(fits.scores.var(ddof=1) - noise, 0) / many)


@pytest.mark.parametrize("room", [1, 5, 100])
def test_permutations_are_all_of_few_and_as_many_as_asked_for_of_more(room):
    found = [tuple(order) for some in draw_permutations(4, 7, room, 0) for order in some]
    assert sorted(found) == sorted(permutations(range(4)))
    parts = [*draw_permutations(MAX_EXACT_OBSERVATIONS + 1, 12, room, 0)]
    assert max(map(len, parts)) <= room
    drawn = np.concatenate(parts)
    assert len(drawn) == 12
    assert (np.sort(drawn, 1) == np.arange(MAX_EXACT_OBSERVATIONS + 1)).all()


def test_a_correlation_of_three_has_a_p_and_of_two_none():
    values = np.array([[1.0, 2.0], [2.0, 3.0], [3.0, 4.0], [4.0, 5.0]])
    for n, p in (
        (MIN_CORRELATED_OBSERVATIONS - 1, np.nan),
        (MIN_CORRELATED_OBSERVATIONS, 2 / 6),
        (4, 2 / 24),
    ):
        [found] = p_values(values[:n], [(0, 1)]).values()
        assert found.p == pytest.approx(p, nan_ok=True)


@pytest.mark.parametrize(
    ("method", "variance"),
    [("pearson", 1 / 2), ("spearman", (1 + 0.6**2 / 2) / 2), ("kendall", 0.437 / 1)],
)
def test_five_observations_have_fisher_s_interval_and_four_have_none(method, variance):
    """Fisher 1921; Bonett & Wright 2000, equation 3; Fieller, Hartley & Pearson 1957."""
    z = np.log((1 + 0.6) / (1 - 0.6)) / 2
    half = 1.959964 * np.sqrt(variance)
    expected = [(np.exp(2 * end) - 1) / (np.exp(2 * end) + 1) for end in (z - half, z + half)]
    assert compute_fisher_interval(CorrelationCoefficient(0.6, 5), method) == pytest.approx(
        tuple(expected), rel=1e-4
    )
    assert np.isnan(compute_fisher_interval(CorrelationCoefficient(0.6, 4), method)).all()


def test_what_a_cluster_of_most_examples_weighs_at_most_doubles():
    """Of ten examples eight are one cluster: left out, the two others would count five times."""
    values = np.array([1.0] * 8 + [0.0, 0.0])
    influence = (values - values.mean()) / 10
    clusters = np.array([0] * 8 + [1, 2])
    moves = [2 * 8 * 0.02, 10 / 9 * -0.08, 10 / 9 * -0.08]
    found = over_examples(influence[None], {"form": clusters}, np.zeros(10, np.int64))
    assert found.covariance[0, 0] == pytest.approx(2 / 3 * sum(move**2 for move in moves))
