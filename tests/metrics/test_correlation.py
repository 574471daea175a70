"""Correlations: coefficients against scipy's, p values uniform under the null, intervals that
hold.
"""

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lingprobe.data.errors import UsageProblem
from lingprobe.metrics.correlation import (
    _METHODS,
    coefficients,
    group_column_pairs,
    least_p,
    p_values,
    permutation_p_values,
    rank_columns,
)
from lingprobe.metrics.correlation_intervals import (
    compute_correlation_intervals,
    compute_fisher_interval,
)

SCIPY = {"spearman": stats.spearmanr, "pearson": stats.pearsonr, "kendall": stats.kendalltau}
PAIR = [(0, 1)]


def two(rng, n, rho=0.0):
    """Two columns of n with a correlation."""
    x = rng.normal(size=(n, 2))
    return np.stack([x[:, 0], rho * x[:, 0] + math.sqrt(1 - rho**2) * x[:, 1]], 1)


@pytest.mark.parametrize("method", _METHODS)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=15))
def test_coefficients_are_scipy_s_with_ties(method, values):
    x = np.array(values, float)
    found = coefficients(x, PAIR, method)[0, 1]
    if np.ptp(x, 0).min() == 0:
        assert math.isnan(found.value)
    else:
        assert found.value == pytest.approx(SCIPY[method](x[:, 0], x[:, 1]).statistic, abs=1e-12)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=20))
def test_ranks_are_scipy_s(values):
    assert (rank_columns(np.array(values, float)[:, None])[:, 0] + 1).tolist() == stats.rankdata(
        values
    ).tolist()


def test_each_pair_is_over_what_has_both():
    x = np.random.default_rng(0).normal(size=(12, 3))
    x[:4, 1] = np.nan
    x[10:, 2] = np.nan
    found = coefficients(x, [(0, 1), (0, 2), (1, 2)])
    assert [one.n for one in found.values()] == [8, 10, 6]
    assert found[1, 2].value == pytest.approx(stats.spearmanr(x[4:10, 1], x[4:10, 2]).statistic)


@pytest.mark.parametrize("method", _METHODS)
def test_exact_p_values_go_through_all_orders(method):
    x = two(np.random.default_rng(1), 6, 0.7)
    x[0] = x[1]  # a tie
    observed = abs(SCIPY[method](x[:, 0], x[:, 1]).statistic)
    every = [abs(SCIPY[method](x[:, 0], x[list(p), 1]).statistic) for p in permutations(range(6))]
    found = p_values(x, PAIR, method)[0, 1]
    assert found.how == "exact"
    assert found.p == pytest.approx(np.mean(np.array(every) >= observed - 1e-9))


def test_the_least_p_is_that_of_one_order_and_its_reverse():
    assert p_values(np.array([[i, i] for i in range(7)], float), PAIR)[0, 1].p == least_p(7)
    assert least_p(2) == 1


@pytest.mark.parametrize("method", _METHODS)
def test_random_permutations_agree_with_scipy(method):
    x = two(np.random.default_rng(20), 20, 0.3)
    found = p_values(x, PAIR, method)[0, 1]
    assert found.how == "permutation"
    assert found.p == pytest.approx(SCIPY[method](x[:, 0], x[:, 1]).pvalue, abs=0.02)


def test_there_are_enough_permutations_for_all_pairs():
    """The least p value is a tenth of what the best of them needs."""
    x = np.random.default_rng(0).normal(size=(12, 24))
    x[:, 1] = x[:, 0]
    pairs = list(combinations(range(24), 2))
    found = p_values(x, pairs)[0, 1]
    assert found.how == "permutation"
    assert found.p <= 0.05 / len(pairs) / 10


@pytest.mark.parametrize("n", [7, 12])
def test_p_values_are_uniform_where_columns_have_nothing_to_do_with_each_other(n):
    """Of 1,200 tables, as many p values are below each level as it says."""
    rng = np.random.default_rng(n)
    p = []
    for seed in range(1200):
        (group,) = group_column_pairs(two(rng, n), PAIR)
        p.append(permutation_p_values(group, "pearson", 499, seed)[0, 1].p)
    assert stats.kstest(p, "uniform").pvalue > 0.01
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.015)


@pytest.mark.parametrize(
    ("n", "rho", "method"), [(8, 0.5, "spearman"), (15, 0.5, "spearman"), (25, 0.0, "pearson")]
)
def test_intervals_hold_the_true_correlation(n, rho, method):
    """93 to 97 in a hundred; benchmarks/relate.py asks more often."""
    rng = np.random.default_rng(n)
    true = 6 / math.pi * math.asin(rho / 2) if method == "spearman" else rho
    holds = []
    for _ in range(400):
        low, high = compute_correlation_intervals(two(rng, n, rho), PAIR, method)[0, 1]
        holds.append(low <= true <= high)
    assert 0.925 <= np.mean(holds) <= 0.985


@pytest.mark.parametrize("method", ["spearman", "pearson"])
def test_intervals_are_those_of_the_jackknife_with_scipy(method):
    """Around Fisher's z, ties and all; of r no narrower than Fisher's own."""
    x = np.round(two(np.random.default_rng(4), 14, 0.6), 1)
    r = SCIPY[method](*x.T).statistic
    without = np.arctanh([SCIPY[method](*np.delete(x, k, 0).T).statistic for k in range(14)])
    variance = 13 * np.var(without)
    if method == "pearson":
        variance = max(variance, 1 / 11)
    half = stats.norm.ppf(0.975) * math.sqrt(variance)
    assert compute_correlation_intervals(x, PAIR, method)[0, 1] == pytest.approx(
        [math.tanh(math.atanh(r) + side) for side in (-half, half)], abs=1e-6
    )


def test_intervals_of_skewed_scores_hold_the_true_correlation():
    """Fisher's alone holds it in 85 of 100 such tables."""
    rng, holds, known = np.random.default_rng(1), [], []
    true = (math.exp(0.5) - 1) / (math.e - 1)
    for _ in range(400):
        x = np.exp(two(rng, 15, 0.5))
        for kept, (low, high) in (
            (holds, compute_correlation_intervals(x, PAIR, "pearson")[0, 1]),
            (known, compute_fisher_interval(coefficients(x, PAIR, "pearson")[0, 1])),
        ):
            kept.append(low <= true <= high)
    assert np.mean(known) < 0.9 < 0.925 <= np.mean(holds) <= 0.985


def test_fisher_s_interval_is_the_textbook_s():
    """Of eight pairs with r = .508, as in docs/relate.md."""
    low, high = compute_fisher_interval(
        coefficients(np.zeros((8, 2)), PAIR)[0, 1]._replace(value=0.508)
    )
    assert (round(low, 2), round(high, 2)) == (-0.31, 0.89)


def test_what_does_not_vary_has_no_correlation_no_p_and_no_interval():
    x = two(np.random.default_rng(0), 12)
    x[:, 1] = 3.3
    assert math.isnan(coefficients(x, PAIR)[0, 1].value)
    assert math.isnan(p_values(x, PAIR)[0, 1].p)
    assert all(map(math.isnan, compute_correlation_intervals(x, PAIR)[0, 1]))


@pytest.mark.parametrize("method", _METHODS)
def test_coefficients_do_not_depend_on_units(method):
    x = two(np.random.default_rng(2), 12, 0.5)
    expected = coefficients(x, PAIR, method)[0, 1].value
    for unit in (1e-15, 1e15):
        assert coefficients(unit * x, PAIR, method)[0, 1].value == pytest.approx(expected)


@pytest.mark.parametrize("unit", [1e-15, 1.0, 1e9])
def test_what_rounding_leaves_of_a_constant_does_not_vary(unit):
    draws = np.random.default_rng(0)
    for n in range(3, 20):
        x = np.stack([np.full(n, unit * 0.1 * 3), draws.normal(size=n)], 1)
        assert math.isnan(coefficients(x, PAIR, "pearson")[0, 1].value)


def test_whole_correlations_are_not_beyond_1():
    for n in range(3, 30):
        x = np.random.default_rng(n).normal(size=n)
        for method in _METHODS:
            for sign in (-1, 1):
                found = coefficients(np.stack([x, sign * x + 0.1], 1), PAIR, method)[0, 1]
                assert abs(found.value) <= 1
                assert found.value == pytest.approx(sign)


@pytest.mark.parametrize("method", _METHODS)
def test_approximations_are_scipy_s(method):
    for n, rho in ((30, 0.3), (40, -0.4)):
        x = two(np.random.default_rng(n), n, rho)
        options = {"method": "asymptotic"} if method == "kendall" else {}
        expected = SCIPY[method](x[:, 0], x[:, 1], **options).pvalue
        assert p_values(x, PAIR, method)[0, 1] == (pytest.approx(expected), "approximation")
    whole = np.stack([np.arange(30.0)] * 2, 1)
    assert p_values(whole, PAIR, method)[0, 1].p < 1e-9


def test_permutations_are_drawn_by_the_seed():
    """As many at random as told, and the order that there is: (hits + 1) / (draws + 1)."""
    x = two(np.random.default_rng(3), 12, 0.5)
    (group,) = group_column_pairs(x, PAIR)
    for seed in (0, 7):
        drawn = np.random.default_rng(seed).permuted(np.tile(np.arange(12), (99, 1)), axis=1)
        seen = abs(stats.pearsonr(*x.T).statistic)
        hits = sum(abs(stats.pearsonr(x[:, 0], x[o, 1]).statistic) >= seen - 1e-9 for o in drawn)
        assert permutation_p_values(group, "pearson", 99, seed)[0, 1].p == (hits + 1) / 100
    assert p_values(x, PAIR)[0, 1] == permutation_p_values(group, "spearman", 9999, 0)[0, 1]


def test_intervals_of_kendall_s_tau_and_of_nine_are_fisher_s():
    x = two(np.random.default_rng(5), 12, 0.5)
    for n, method in ((12, "kendall"), (9, "spearman"), (9, "pearson")):
        expected = compute_fisher_interval(coefficients(x[:n], PAIR, method)[0, 1], method)
        assert compute_correlation_intervals(x[:n], PAIR, method)[0, 1] == expected


def test_one_observation_that_keeps_a_correlation_from_being_whole():
    """Without it Fisher's z has no end: it is taken at 1 - 1e-4."""
    x = np.stack([np.arange(10.0), np.arange(10.0)], 1)
    x[9, 1] = 0
    rho = stats.spearmanr(*x.T).statistic
    without = [stats.spearmanr(*np.delete(x, k, 0).T).statistic for k in range(10)]
    z = np.arctanh(np.clip(without, -1 + 1e-4, 1 - 1e-4))
    half = stats.norm.ppf(0.975) * math.sqrt(9 * np.var(z))
    assert compute_correlation_intervals(x, PAIR)[0, 1] == pytest.approx(
        [math.tanh(math.atanh(rho) + side) for side in (-half, half)], abs=1e-6
    )


@pytest.mark.parametrize("n", [2, 4])
def test_a_method_that_there_is_not_is_told_of_few_observations_as_well(n):
    for ask in (coefficients, p_values, compute_correlation_intervals):
        with pytest.raises(UsageProblem, match="no correlation 'tau'"):
            ask(np.zeros((n, 2)), PAIR, "tau")


@pytest.mark.parametrize("n", [1, 2, 3, 5, 19, 40])
def test_no_p_is_below_that_of_one_order_and_its_reverse(n):
    assert least_p(n) == min(1.0, 2 / math.factorial(n))
