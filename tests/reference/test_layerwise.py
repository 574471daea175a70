"""Statistics over layers against those of their papers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from lingprobe.metrics.dependent import compare_dependent_correlations, every_pair
from lingprobe.metrics.layers import (
    _GUARD,
    centre_of_gravity,
    compute_layer_differentials,
    expected_layer,
    from_uniform,
    gain_divergence,
    over_seeds,
)
from reference import layerwise

seeds = st.integers(0, 10**6)
shares = st.lists(st.floats(0.01, 10), min_size=1, max_size=13)


@given(shares)
def test_the_centre_of_gravity_and_the_divergence_are_the_paper_s(weights):
    assert centre_of_gravity(weights) == pytest.approx(layerwise.centre_of_gravity(weights))
    assert from_uniform(weights) == pytest.approx(layerwise.divergence(weights), abs=1e-9)


def test_a_layer_without_weight_adds_nothing_to_the_divergence():
    assert from_uniform([0.0, 1.0, 0.0, 1.0]) == pytest.approx(1.0)


@given(seeds, st.integers(2, 12))
def test_the_expected_layer_is_the_paper_s_where_gains_are_beyond_their_errors(seed, many):
    draws = np.random.default_rng(seed)
    scores = 60 + np.cumsum(draws.normal(1, draws.uniform(0, 2), many + 1))
    gain, error = scores[-1] - scores[0], layerwise.roughness(scores) * np.sqrt(2)
    found = expected_layer(scores)
    assert (found.gain, found.error) == pytest.approx((gain, error))
    assert np.isnan(found.low)
    if gain > _GUARD * error:
        assert found.layer == pytest.approx(layerwise.expected_layer(scores))
        assert not found.why
    else:
        assert np.isnan(found.layer)
        assert found.why
    added = [max(b - a, 0) for a, b in pairwise(scores)]
    np.testing.assert_allclose(compute_layer_differentials(scores), np.diff(scores))
    if any(added):
        assert gain_divergence(scores) == pytest.approx(layerwise.divergence(added), abs=1e-9)


@given(seeds)
def test_of_draws_the_error_is_their_spread_and_the_interval_their_quantiles(seed):
    draws = np.random.default_rng(seed)
    curve = np.array([50.0, 60, 66, 70, 71])
    several = curve + draws.normal(0, 0.5, (101, 5))
    found = expected_layer(curve, several)
    assert found.error == pytest.approx(np.std(several[:, -1] - several[:, 0], ddof=1))
    layers = [layerwise.expected_layer(each) for each in several]
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(layers, [0.025, 0.975])))


@given(seeds, st.integers(8, 100))
def test_two_correlations_differ_by_the_covariance_of_pearson_and_filon(seed, n):
    draws = np.random.default_rng(seed)
    table = np.corrcoef(draws.normal(size=(4, 12)) + draws.normal(size=12))
    for ranked in (False, True):
        expected = layerwise.differ(table.tolist(), n, ranked)
        assert compare_dependent_correlations(table, n, ranked) == pytest.approx(expected)
    found = every_pair(table, n)
    pair = table[np.ix_([0, 2, 1, 3], [0, 2, 1, 3])]  # variables 0, 1 with 2, 3
    assert found[0, 1] == found[1, 0] == pytest.approx(layerwise.differ(pair.tolist(), n))
    assert np.isnan(np.diag(found)).all()


@given(st.lists(st.floats(0, 100), min_size=1, max_size=6))
def test_the_interval_over_seeds_is_student_s_from_three_on(values):
    mean, low, high = over_seeds(values)
    assert mean == pytest.approx(sum(values) / len(values))
    if len(values) < 3:
        assert np.isnan([low, high]).all()
    else:
        half = t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values))
        assert (mean - low, high - mean) == pytest.approx((half, half), abs=1e-9)


def test_no_seeds_have_neither_a_mean_nor_an_interval():
    assert np.isnan(over_seeds([])).all()
    assert len(over_seeds([])) == 3
    mean, low, high = over_seeds([3.0, 5.0])
    assert mean == 4
    assert np.isnan([low, high]).all()
