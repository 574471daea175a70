"""The path of logistic regressions: minima are scikit-learn's, gradients there are zero, and odd
data give a result or one sentence.
"""

from __future__ import annotations

import warnings
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from lingprobe.data.errors import DataProblem
from lingprobe.probes.linear import logistic
from lingprobe.probes.linear.logistic import (
    FeatureSpectrum,
    ends_path,
    estimate_spectrum,
    fit_logistic_path,
)

STRENGTHS = (1e-3, 1e-1, 1.0, 100.0)


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def compute_objective(x, y, weights, bias, penalty):
    """Mean log loss and the penalty, from the definition; two classes have one output."""
    scores = x.astype(np.float64) @ weights.T + bias
    if scores.shape[1] == 1:
        scores = np.concatenate([np.zeros_like(scores), scores], 1)
    losses = np.logaddexp.reduce(scores, 1) - scores[np.arange(len(y)), y]
    return losses.mean() + penalty / 2 * (weights**2).sum()


def compute_gradient(x, y, weights, bias, penalty):
    """Of the same, by its definition [outputs, d + 1]."""
    scores = x @ weights.T + bias
    if scores.shape[1] == 1:
        residues = (1 / (1 + np.exp(-scores[:, 0])) - y)[:, None]
    else:
        shares = np.exp(scores - scores.max(1, keepdims=True))
        residues = shares / shares.sum(1, keepdims=True) - np.eye(len(bias))[y]
    inner = residues.T @ x / len(x) + penalty * weights
    return np.concatenate([inner, residues.mean(0)[:, None]], 1)


def sample_classes(n=400, dim=8, classes=3, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, dim)) * np.arange(1, dim + 1) ** -0.5
    y = (2 * x @ rng.normal(size=(dim, classes)) + noise * rng.gumbel(size=(n, classes))).argmax(1)
    return x, y


def imbalanced():
    x, y = sample_classes(600, 6, 2, 1)
    return x, ((x[:, 0] + 0.5 * y) > 1.4).astype(np.int64)


def collinear():
    x, y = sample_classes(300, 6, 3, 2)
    return np.concatenate([x, x + 1e-3 * np.random.default_rng(0).normal(size=x.shape)], 1), y


def scales():
    x, y = sample_classes(300, 7, 3, 3)
    return x * 10.0 ** np.arange(-3, 4), y


def wide():
    return sample_classes(100, 4096, 2, 4)


def separable():
    x, _ = sample_classes(200, 5, 2, 5)
    x[:, 0] += np.sign(x[:, 0])
    return x, (x[:, 0] > 0).astype(np.int64)


def constant_column():
    x, y = sample_classes(200, 5, 3, 6)
    return np.concatenate([x, np.zeros((200, 2))], 1), y


def hundred():
    x, y = sample_classes(1500, 5, 100, 9)
    return x, np.where(np.arange(1500) < 100, np.arange(1500), y)  # none is absent


DESIGNS = {
    "two": lambda: sample_classes(500, 8, 2, 7),
    "three": lambda: sample_classes(500, 8, 3, 8),
    "hundred": hundred,
    "imbalanced": imbalanced,
    "collinear": collinear,
    "scales": scales,
    "wide": wide,
    "separable": separable,
    "constant column": constant_column,
}


@cache
def centred_design(name):
    """Features that either precision has, and classes."""
    x, y = DESIGNS[name]()
    return (x - x.mean(0)).astype(np.float32), y


@cache
def fit_reference(name, c):
    """What scikit-learn finds."""
    x, y = centred_design(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its search may end early; ours may then be lower
        solver = "newton-cholesky" if x.shape[1] < 100 else "lbfgs"
        model = LogisticRegression(C=c, tol=1e-10, max_iter=10_000, solver=solver)
        return model.fit(x.astype(np.float64), y)


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_objectives_are_those_of_scikit_learn(name, precision):
    x, y = centred_design(name)
    x = x.astype(precision)
    penalties = [1 / (c * len(x)) for c in STRENGTHS]
    minima = list(fit_logistic_path(x, y, penalties))
    for c, penalty, found in zip(STRENGTHS, penalties, minima, strict=True):
        model = fit_reference(name, c)
        best = compute_objective(x, y, model.coef_, model.intercept_, penalty)
        ours = compute_objective(x, y, found.weights, found.bias, penalty)
        assert ours <= best * (1 + 1e-4)
        assert ours >= best * (1 - 1e-5)
        assert found.objective == pytest.approx(ours, rel=1e-4)


@pytest.mark.parametrize("name", ["two", "three", "collinear", "scales", "imbalanced"])
def test_gradient_at_the_end_is_zero(name, monkeypatch):
    monkeypatch.setattr(logistic, "_OBJECTIVE_TOLERANCE", 1e-13)
    x, y = DESIGNS[name]()
    x = x - x.mean(0)
    for penalty, found in zip(
        (1.0, 0.1, 0.01), fit_logistic_path(x, y, (1.0, 0.1, 0.01)), strict=True
    ):
        gradient = compute_gradient(x, y, found.weights, found.bias, penalty)
        size = np.abs(x).max(0, initial=1.0)
        assert np.abs(gradient[:, :-1] / size).max() < 1e-6
        assert np.abs(gradient[:, -1]).max() < 1e-6


@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(2, 40), st.integers(1, 6))
def test_objective_falls_with_the_penalty_and_weights_grow(seed, classes, n, dim):
    x, y = sample_classes(n, dim, classes, seed)
    minima = list(fit_logistic_path(x, y, (10.0, 1.0, 0.1, 0.01), classes=classes))
    objectives = [found.objective for found in minima]
    assert all(b <= a * (1 + 1e-9) for a, b in pairwise(objectives))
    norms = [np.square(found.weights).sum() for found in minima]
    assert all(b >= a * (1 - 0.05) - 1e-9 for a, b in pairwise(norms))
    assert all(found.weights.shape == (1 if classes == 2 else classes, dim) for found in minima)


def test_label_sets_are_problems_of_their_own():
    x, _ = sample_classes(400, 6, 2, 1)
    rng = np.random.default_rng(0)
    labels = (x @ rng.normal(size=(6, 4)) + rng.logistic(size=(400, 4)) > [0, 1, 3, 0]).astype(
        float
    )
    joint = list(fit_logistic_path(x, labels, (0.1, 0.001)))
    for k in range(4):
        alone = list(fit_logistic_path(x, labels[:, k].astype(int), (0.1, 0.001)))
        for both, single in zip(joint, alone, strict=True):
            np.testing.assert_allclose(both.weights[k], single.weights[0], atol=0.02)
    total = sum(
        found[-1].objective
        for found in (
            list(fit_logistic_path(x, labels[:, k].astype(int), (0.1, 0.001))) for k in range(4)
        )
    )
    assert joint[-1].objective == pytest.approx(total, rel=2e-5)


def test_labels_that_were_not_annotated_do_not_count():
    x, y = sample_classes(300, 5, 2, 3)
    labels = np.stack([y, y], 1).astype(float)
    labels[::3, 1] = np.nan
    found = next(fit_logistic_path(x, labels, [0.01]))
    known = np.arange(300) % 3 != 0
    # means are over all examples, so the penalty weighs more of those annotated
    alone = next(fit_logistic_path(x[known], y[known], [0.01 * 300 / known.sum()]))
    np.testing.assert_allclose(found.weights[1], alone.weights[0], atol=0.02)


def test_offset_and_size_of_features_change_no_answer():
    x, y = sample_classes(400, 6, 3, 4)
    reference = next(fit_logistic_path(x - x.mean(0), y, [0.01]))
    moved = next(fit_logistic_path(x + 1000, y, [0.01]))
    np.testing.assert_allclose(moved.weights, reference.weights, atol=0.01)
    scores = (x + 1000) @ moved.weights.T + moved.bias
    expected = (x - x.mean(0)) @ reference.weights.T + reference.bias
    np.testing.assert_allclose(scores, expected, atol=0.02)
    large = next(fit_logistic_path((x - x.mean(0)) * 1e30, y, [0.01 * 1e60]))
    np.testing.assert_allclose(large.weights * 1e30, reference.weights, atol=0.01)


@pytest.mark.parametrize("extreme", [1e30, 1e-30])
@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_extreme_features_give_a_result(extreme, precision):
    x, y = sample_classes(60, 4, 3, 5)
    x[3, 2] = extreme
    for data in (x, x * extreme if extreme < 1 else x):
        found = next(fit_logistic_path(data.astype(precision), y, [0.01]))
        assert np.isfinite(found.objective)


def test_features_that_are_not_finite_are_a_problem():
    x, y = sample_classes(60, 4, 3, 5)
    x[7, 1] = np.nan
    with pytest.raises(DataProblem, match="1 of 60 examples, first in example 7"):
        next(fit_logistic_path(x, y, [0.01]))
    with pytest.raises(DataProblem, match="positive"):
        next(fit_logistic_path(x[:5], y[:5], [0.0]))
    with pytest.raises(DataProblem, match="at least one example"):
        next(fit_logistic_path(x[:0], y[:0], [1.0]))


def test_a_class_without_examples_is_never_the_answer():
    x, y = sample_classes(300, 5, 3, 6)
    y = np.array([0, 2, 3])[y]
    found = list(fit_logistic_path(x, y, (1.0, 1e-3), classes=5))[-1]
    scores = (10 * x) @ found.weights.T + found.bias
    assert set(scores.argmax(1)) <= {0, 2, 3}
    shares = np.exp(scores - np.logaddexp.reduce(scores, 1)[:, None])
    assert shares[:, [1, 4]].max() < 1 / 300


@pytest.mark.parametrize("classes", [1, 2, 4])
@pytest.mark.parametrize("only", [0, 1])
def test_one_class_is_always_answered(classes, only):
    x, _ = sample_classes(50, 3, 2, 0)
    if only >= classes:
        classes = only + 1
    found = next(fit_logistic_path(x, np.full(50, only), [0.1], classes=classes))
    assert not found.weights.any()
    if len(found.bias) == 1:
        assert (found.bias[0] > 0) == (only == 1)
    else:
        assert found.bias.argmax() == only


def test_a_start_is_where_the_search_begins(monkeypatch):
    x, y = sample_classes(300, 5, 4, 6)
    y[y == 1] = 0
    found = next(fit_logistic_path(x, y, [0.01], classes=4))
    monkeypatch.setattr(logistic, "_MAX_STEPS", 0)
    again = next(fit_logistic_path(x, y, [0.01], (found.weights, found.bias), classes=4))
    np.testing.assert_allclose(again.weights, found.weights, atol=1e-12)
    assert again.objective == pytest.approx(found.objective)


def test_a_spectrum_of_any_kind_gives_the_same_minimum(monkeypatch):
    x, y = sample_classes(200, 20, 3, 6)
    x -= x.mean(0)
    penalties = (0.1, 1e-3)
    reference = [found.objective for found in fit_logistic_path(x, y, penalties)]
    values, basis = np.linalg.eigh(x.T @ x / len(x))
    turned = fit_logistic_path(x @ basis, y, penalties, spectrum=FeatureSpectrum(values, None))
    assert [found.objective for found in turned] == pytest.approx(reference, rel=2e-5)
    monkeypatch.setattr(logistic, "_MAX_AXES", 4)
    monkeypatch.setattr(logistic, "_AXES", 5)
    partial = estimate_spectrum(x)
    assert partial.basis.shape == (20, 5)
    found = fit_logistic_path(x, y, penalties, spectrum=partial)
    assert [each.objective for each in found] == pytest.approx(reference, rel=2e-5)


@pytest.mark.parametrize("axes", [4, 12])
def test_a_guess_measures_what_it_gives_times_a_change(axes):
    rng = np.random.default_rng(axes)
    basis = np.linalg.qr(rng.normal(size=(12, 12)))[0][:, :axes]
    shares = rng.dirichlet(np.ones(5), 40)
    curvature = np.diag(shares.mean(0)) - shares.T @ shares / 40
    spectrum = FeatureSpectrum(rng.uniform(0.5, 2, axes), basis, 0.0 if axes == 12 else 0.1)
    guess = logistic._Guess.of(spectrum, curvature, 0.3)
    change = rng.normal(size=(5, 13))
    given = guess.times(change, np.arange(5))
    assert guess.measure(change) == pytest.approx(float((given * change).sum()))


def test_blocks_and_samples_change_nothing(monkeypatch):
    x, y = sample_classes(1000, 5, 3, 6)
    reference = next(fit_logistic_path(x, y, [0.01])).objective
    monkeypatch.setattr(logistic, "_BLOCK_SCORES", 1)
    monkeypatch.setattr(logistic, "_SPECTRUM_ROWS", 50)
    monkeypatch.setattr(logistic, "_CURVATURE_ROWS", 30)
    assert next(fit_logistic_path(x, y, [0.01])).objective == pytest.approx(reference, rel=2e-5)


def test_separated_data_end_a_path():
    x, y = separable()
    minima = list(fit_logistic_path(x, y, (1.0, 1e-2, 1e-6)))
    assert minima[-1].is_separated
    assert ends_path([0.5], minima[-1])
    noisy = list(fit_logistic_path(*sample_classes(500, 8, 3, 8), (1.0, 1e-6)))
    assert not any(found.is_separated for found in noisy)
    assert not ends_path([1.0], noisy[0])
    assert not ends_path([1.0, 1.0], noisy[0])  # strong penalties change nothing yet
    assert not ends_path([1.0, 0.9], noisy[0])
    assert ends_path([1.0, 0.9, 0.90001], noisy[0])
    assert not ends_path([1.0, 0.9, 0.91], noisy[0])
    assert ends_path([1.0, 0.9, 0.91, 0.93], noisy[0])


def test_only_what_is_asked_for_is_computed():
    x, y = sample_classes(100, 3, 2, 0)
    path = fit_logistic_path(x, y, (1.0, 0.5))
    next(path)
    path.close()
