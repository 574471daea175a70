"""Whether two correlations over the same observations differ."""

import math

import numpy as np
import pytest

from lingprobe.metrics import correct_holm
from lingprobe.metrics.dependent import (
    MIN_DEPENDENT_OBSERVATIONS,
    compare_dependent_correlations,
    error,
    every_pair,
)


def tables(rng, n, many, first=0.6, second=0.6, shared=0.5):
    """p values of tables in which both pairs of variables share what drives them."""
    p = []
    for _ in range(many):
        driver = rng.normal(size=n)
        one, other = (shared * driver + rng.normal(size=n) for _ in range(2))
        pairs = [
            (x, r * x / x.std() + math.sqrt(1 - r * r) * rng.normal(size=n))
            for x, r in ((one, first), (other, second))
        ]
        columns = np.stack([column for pair in pairs for column in pair])
        p.append(compare_dependent_correlations(np.corrcoef(columns), n))
    return np.array(p)


def test_equal_correlations_differ_as_often_as_the_level_says():
    p = tables(np.random.default_rng(0), 40, 2000)
    assert np.mean(p <= 0.05) == pytest.approx(0.05, abs=0.015)


def test_unequal_ones_differ_more_often():
    assert np.mean(tables(np.random.default_rng(1), 40, 200, 0.9, 0.1) <= 0.05) > 0.9


def test_what_cannot_be_known():
    whole = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0.5], [0, 0, 0.5, 1]], float)
    assert math.isnan(compare_dependent_correlations(whole, 10))
    half = np.where(np.eye(4) == 1, 1, 0.5)
    assert math.isnan(compare_dependent_correlations(half, MIN_DEPENDENT_OBSERVATIONS - 1))
    assert compare_dependent_correlations(half, 10) == pytest.approx(1)


def test_each_two_of_three_pairs():
    x = np.random.default_rng(2).normal(size=(30, 6))
    r = np.corrcoef(x.T)
    p = every_pair(r, 30)
    assert p.shape == (3, 3)
    assert np.isnan(np.diag(p)).all()
    assert (
        p[0, 2]
        == p[2, 0]
        == compare_dependent_correlations(r[np.ix_([0, 3, 2, 5], [0, 3, 2, 5])], 30)
    )


@pytest.mark.parametrize("common", [0.0, 0.8])
def test_with_the_fewest_observations_a_table_rarely_has_a_false_difference(common):
    """Eleven correlations that are equal, of tasks that have little or much in common."""
    draws, n, tables, alarms = np.random.default_rng(0), MIN_DEPENDENT_OBSERVATIONS, 200, 0
    for _ in range(tables):
        whole, own = draws.normal(size=(n, 1)), draws.normal(size=(n, 11))
        base = math.sqrt(common) * whole + math.sqrt(1 - common) * own
        two = [math.sqrt(0.95) * base + math.sqrt(0.05) * draws.normal(size=(n, 11)) for _ in "ab"]
        p = every_pair(np.corrcoef(np.concatenate(two, 1).T), n)[np.triu_indices(11, 1)]
        alarms += correct_holm(p).min() <= 0.05
    assert alarms / tables <= 0.12


def ranked_columns(rng, n, r):
    """Ranks of two independent pairs of variables whose correlation is r."""
    x, noise = rng.normal(size=(2, 2, n))
    y = r * x + math.sqrt(1 - r * r) * noise
    return np.argsort(np.argsort(np.stack([x[0], y[0], x[1], y[1]]), axis=1), axis=1)


def test_ranks_vary_more_than_scores():
    """Spearman's of two pairs of 0.9: the variance on Fisher's scale is (1 + r^2 / 2) / (n - 3)
    (Bonett & Wright 2000), and without the second part 9 % of equal ones would differ.
    """
    rng = np.random.default_rng(3)
    tables = [np.corrcoef(ranked_columns(rng, 60, 0.9)) for _ in range(2000)]
    alarms = [
        np.mean([compare_dependent_correlations(r, 60, which) <= 0.05 for r in tables])
        for which in (True, False)
    ]
    assert alarms[0] == pytest.approx(0.05, abs=0.015)
    assert alarms[1] > 0.075
    apart = np.array([[1, 0.8, 0, 0], [0.8, 1, 0, 0], [0, 0, 1, 0.6], [0, 0, 0.6, 1]])
    variances = [(1 + each**2 / 2) / 57 for each in (0.8, 0.6)]
    assert error(apart, 60, ranked=True) == pytest.approx(math.sqrt(sum(variances)))
    assert error(apart, 60) == pytest.approx(math.sqrt(2 / 57))
