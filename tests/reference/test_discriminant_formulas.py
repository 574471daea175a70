"""Shrunk discriminant analysis, ridge regression and calibration against a few lines of each."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from lingprobe.probes.linear.calibration import (
    bound_sureness,
    find_cuts,
    fit_label_lines,
    fit_temperature,
)
from lingprobe.probes.linear.decomposition import SharedDecomposition
from lingprobe.probes.linear.discriminant import (
    LeftOut,
    PartWeights,
    ShrunkDiscriminant,
    fit_part_weights,
)
from lingprobe.probes.linear.ridge import RidgeRegression

EVEN = PartWeights(1.0, 1.0)
SHAPES = [(60, 7, 4), (30, 50, 3), (40, 10, 2)]


def drawn(n, dim, classes, seed=0):
    """Features and classes with centres of their own."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    x = rng.normal(size=(n, dim)) + rng.normal(size=(classes, dim))[y]
    return (x * rng.uniform(0.5, 2, dim)).astype(np.float32), y


def decomposed(x, y, standardised):
    """The discriminant of all examples, and the features at its scale."""
    shared = SharedDecomposition.of(x, standardised)
    rows = np.arange(len(x))
    found = ShrunkDiscriminant.of(shared, y, rows)
    return found, shared.scale.apply(x)


def scatter_within(x, y):
    means = np.stack([x[y == c].mean(0) for c in range(y.max() + 1)])
    return means, sum(np.outer(row - means[c], row - means[c]) for row, c in zip(x, y, strict=True))


def centred(scores):
    """Scores up to what all classes share."""
    return scores - scores.mean(1, keepdims=True)


@pytest.mark.parametrize(("n", "dim", "classes"), SHAPES)
@pytest.mark.parametrize("standardised", [False, True])
@pytest.mark.parametrize("penalty", [1e-2, 1.0, 30.0])
def test_leave_one_out_is_that_of_fits_without_each_example(n, dim, classes, standardised, penalty):
    features, y = drawn(n, dim, classes)
    found, x = decomposed(features, y, standardised)
    expected = np.zeros((n, classes))
    for i in range(n):
        rest = np.arange(n) != i
        means, scatter = scatter_within(x[rest], y[rest])
        solved = np.linalg.solve(scatter / n + penalty * np.eye(dim), means.T)
        expected[i] = x[i] @ solved - np.einsum("kd,dk->k", means, solved) / 2
    left = found.leave_one_out(penalty).weigh(EVEN)
    assert np.allclose(centred(left), centred(expected), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("shrinkage", [0.01, 0.3, 0.9])
def test_the_discriminant_is_scikit_learns_under_the_same_shrinkage(shrinkage):
    features, y = drawn(90, 6, 3)
    found, x = decomposed(features, y, False)
    _, scatter = scatter_within(x, y)
    # (1 - s) W + s mean(W) I, without the factor 1 - s
    ridge = shrinkage / (1 - shrinkage) * np.trace(scatter / len(x)) / x.shape[1]
    model = found.fit(ridge, PartWeights(1 / (1 - shrinkage), 1 / (1 - shrinkage)))
    theirs = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage).fit(x, y)
    assert np.allclose(
        centred(x @ model.weights.T + model.bias), centred(theirs.decision_function(x)), atol=1e-8
    )


def test_it_is_ridge_regression_and_then_the_nearest_centre_of_its_fitted_values():
    """Hastie, Buja & Tibshirani 1995: without a penalty the metric of fitted values within classes
    is theirs.
    """
    features, y = drawn(80, 5, 4)
    found, x = decomposed(features, y, False)
    fitted = x @ np.linalg.lstsq(x, np.eye(4)[y] - np.eye(4)[y].mean(0), rcond=None)[0]
    means, scatter = scatter_within(fitted, y)
    solved = np.linalg.pinv(scatter / len(x), rcond=1e-10) @ means.T
    expected = fitted @ solved - np.einsum("kd,dk->k", means, solved) / 2
    model = found.fit(1e-12, EVEN)
    assert np.allclose(centred(x @ model.weights.T + model.bias), centred(expected), atol=1e-6)


def test_a_factored_matrix_gives_what_an_eigendecomposition_gives():
    features, y = drawn(60, 7, 3)
    found, x = decomposed(features, y, True)
    shared, rows = found.decomposition, np.arange(60)
    factored = SharedDecomposition(features, shared.scale, gram=x.T @ x / len(x))
    other = ShrunkDiscriminant.of(factored, y, rows)
    for one, two in zip(found.leave_one_out(0.1), other.leave_one_out(0.1), strict=True):
        assert np.allclose(one, two, atol=1e-10)
    for one, two in zip(found.fit(0.1, EVEN), other.fit(0.1, EVEN), strict=True):
        assert np.allclose(one, two, atol=1e-10)


@pytest.mark.parametrize(("n", "dim"), [(40, 6), (25, 60)])
def test_ridge_leaves_each_example_out_exactly(n, dim):
    rng = np.random.default_rng(1)
    features, targets = rng.normal(size=(n, dim)).astype(np.float32), rng.normal(size=(n, 2))
    shared, rows = SharedDecomposition.of(features, True), np.arange(n)
    found = RidgeRegression.of(shared, targets, rows)
    x, expected = shared.scale.apply(features), np.zeros((n, 2))
    for i in range(n):
        rest = rows != i
        mean, level = x[rest].mean(0), targets[rest].mean(0)
        moved = x[rest] - mean
        weights = np.linalg.solve(
            moved.T @ moved + n * 0.3 * np.eye(dim), moved.T @ (targets[rest] - level)
        )
        expected[i] = (x[i] - mean) @ weights + level
    assert np.allclose(found.leave_one_out(0.3), expected, atol=1e-10)


def log_loss(logits, codes):
    return float((np.logaddexp.reduce(logits, 1) - logits[np.arange(len(codes)), codes]).mean())


def test_a_temperature_is_the_best_of_a_grid():
    rng = np.random.default_rng(2)
    codes = rng.integers(4, size=500)
    scores = 7 * (np.eye(4)[codes] + rng.normal(size=(500, 4)))
    grid = np.exp(np.linspace(-5, 2, 2000))
    best = grid[np.argmin([log_loss(factor * scores, codes) for factor in grid])]
    assert fit_temperature(scores, codes) == pytest.approx(best, rel=0.01)


@pytest.mark.parametrize("classes", [2, 5])
def test_of_examples_of_which_none_is_wrong_one_more_may_be(classes):
    """Laplace's rule of succession; where some are wrong, or in doubt, nothing is bounded."""
    rng = np.random.default_rng(classes)
    codes, offset = np.arange(120) % classes, rng.normal(size=classes)
    scores = np.eye(classes)[codes] * rng.uniform(3, 1e6, (120, 1))
    factor = bound_sureness(scores + offset, codes, offset)
    bounded = factor * scores + offset
    shares = np.exp(bounded - bounded.max(1, keepdims=True))
    mine = shares[np.arange(120), codes] / shares.sum(1)
    assert 1 - mine.mean() == pytest.approx(1 / 122, rel=1e-6)
    wrong = scores[:, ::-1].copy()
    wrong[1:] = scores[1:]
    assert bound_sureness(wrong, codes) == 1
    assert bound_sureness(1e-7 * scores, codes) == 1
    assert bound_sureness(scores[:0], codes[:0]) == 1


@pytest.mark.parametrize("seed", range(4))
def test_weights_of_the_two_parts_are_those_that_a_simplex_search_finds(seed):
    rng = np.random.default_rng(seed)
    codes, offset = rng.integers(5, size=300), rng.normal(size=5)
    linear = 3 * np.eye(5)[codes] + 4 * rng.normal(size=(300, 5))
    squared = rng.uniform(0, 5, (300, 5)) + 2 * (1 - np.eye(5)[codes])

    def loss(place):
        return log_loss(place[0] * linear - place[1] / 2 * squared + offset, codes)

    least = minimize(loss, (0.3, 0.3), method="Nelder-Mead", bounds=[(1e-4, 1e3)] * 2)
    found = fit_part_weights(LeftOut(linear, squared), codes, offset, EVEN)
    assert loss(found) <= least.fun + 1e-6


def test_lines_of_labels_have_platts_likelihood():
    rng = np.random.default_rng(3)
    holds = (rng.random((200, 2)) < (0.5, 0.1)).astype(float)
    scores = 2 * holds + rng.normal(size=(200, 2))
    lines = fit_label_lines(scores, holds)
    for k in range(2):
        many = holds[:, k].sum()
        wanted = np.where(holds[:, k] > 0, (many + 1) / (many + 2), 1 / (200 - many + 2))

        def loss(place, k=k, wanted=wanted):
            odds = place[0] * scores[:, k] + place[1]
            return float((np.logaddexp(0, odds) - wanted * odds).sum())

        assert loss((lines.slope[k], lines.level[k])) <= minimize(loss, (1.0, 0.0)).fun + 1e-4


@pytest.mark.parametrize("seed", range(5))
def test_cuts_have_the_highest_micro_f1_of_all(seed):
    rng = np.random.default_rng(seed)
    odds, holds = rng.normal(size=(7, 2)), (rng.random((7, 2)) < 0.4).astype(float)
    holds[0, 0] = 1.0

    def f1(cuts):
        said = odds >= cuts
        return 2 * (said * holds).sum() / max(said.sum() + holds.sum(), 1)

    places = [np.append(np.sort(odds[:, k]) - 1e-9, np.inf) for k in range(2)]
    best = max(f1(np.array(cuts)) for cuts in product(*places))
    assert f1(find_cuts(odds, holds)) == pytest.approx(best)


def test_samples_that_are_remembered_are_those_that_were_asked_for():
    x, _ = drawn(90, 8, 3)
    shared = SharedDecomposition.of(x, True)
    for rows, penalty in product(
        (np.arange(90), np.arange(20), np.arange(20, 40)), (0.1, 0.3, 0.1)
    ):
        halves, norms = shared.halve_features(rows, penalty)
        gram = shared.scale.apply(x).T @ shared.scale.apply(x) / 90 + penalty * np.eye(8)
        scaled = shared.scale.apply(x[rows])
        expected = scaled @ np.linalg.inv(gram) @ scaled.T
        assert np.allclose(halves @ halves.T, expected)
        assert np.allclose(norms, np.diag(expected))


def test_features_that_share_some_rows_are_not_taken_for_each_other():
    x, _ = drawn(640, 6, 2)
    other = x.copy()
    other[5] += 1  # no row that stands for the whole
    first, second = (SharedDecomposition.of(each, False) for each in (x, other))
    assert SharedDecomposition.of(other.copy(), False) is second
    assert not np.allclose(first.values, second.values, rtol=1e-6)
