"""The joint solver finds the minima that scikit-learn finds, one penalty after the other."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression, Ridge

from lingprobe.probes.logreg import linear, room
from lingprobe.probes.logreg.descent import Search
from lingprobe.probes.logreg.linear import solve
from lingprobe.probes.losses import LOSSES

STRENGTHS = (1e-3, 1e-2, 1.0, 100.0)


def drawn(n=600, dim=12, outputs=3, seed=0):
    rng = np.random.default_rng(seed)
    x = (rng.normal(size=(n, dim)) * np.arange(1, dim + 1) ** -1.0 + 3).astype(np.float32)
    return x, (
        5 * (x - 3) @ rng.normal(size=(dim, outputs)) + rng.gumbel(size=(n, outputs))
    ).argmax(1)


def objective(x, y, weights, bias, c):
    scores = x.astype(np.float64) @ weights.T + bias
    return float(
        (np.logaddexp.reduce(scores, 1) - scores[np.arange(len(y)), y]).mean()
        + (weights**2).sum() / (2 * c * len(y))
    )


def penalties(n, twice=1):
    return torch.tensor([twice / (c * n) for c in STRENGTHS], dtype=torch.float64)


@pytest.mark.parametrize(
    ("sample", "whole", "few"),
    [(16384, 1024, 200), (16384, 1024, 0), (100, 1024, 200), (16384, 4, 200)],
    ids=["at once", "input as it is", "from a sample", "few eigenvectors"],
)
def test_objectives_are_those_of_scikit_learn(monkeypatch, sample, whole, few):
    monkeypatch.setattr(linear, "SAMPLE", sample)
    monkeypatch.setattr(linear, "WHOLE", whole)
    monkeypatch.setattr(linear, "FEW", few)
    monkeypatch.setattr(linear, "PART", 5)
    x, y = drawn()
    found = solve(torch.tensor(x), torch.from_numpy(y), "softmax", 3, penalties(len(x)))
    for c, weights, bias, mine in zip(
        STRENGTHS,
        found.weights.numpy(),
        found.biases.numpy(),
        found.objectives.tolist(),
        strict=True,
    ):
        # in float32 it ends early
        theirs = LogisticRegression(C=c, tol=1e-8, max_iter=10_000).fit(x.astype(np.float64), y)
        best = objective(x, y, theirs.coef_, theirs.intercept_, c)
        assert objective(x, y, weights, bias, c) == pytest.approx(best, rel=2e-5)
        assert mine == pytest.approx(best, rel=1e-4)


def test_two_classes_are_one_column_of_scikit_learn():
    """Two columns share what it puts in one, so the penalty counts twice."""
    x, y = drawn(outputs=2)
    found = solve(torch.tensor(x), torch.from_numpy(y), "softmax", 2, penalties(len(x), twice=2))
    for c, weights in zip(STRENGTHS[:3], found.weights.numpy(), strict=False):
        theirs = LogisticRegression(C=c, tol=1e-8, max_iter=10_000).fit(x, y).coef_[0]
        np.testing.assert_allclose(
            weights[1] - weights[0], theirs, atol=0.02 * np.abs(theirs).max()
        )


def test_scores_are_ridge_regression():
    x, _ = drawn()
    y = (x @ np.arange(12.0)).astype(np.float32)[:, None]
    found = solve(torch.tensor(x), torch.from_numpy(y), "squared", 1, penalties(len(x)))
    for c, weights in zip(STRENGTHS, found.weights.numpy(), strict=True):
        np.testing.assert_allclose(
            weights, Ridge(alpha=1 / c).fit(x, y).coef_[None].reshape(1, -1), atol=1e-2
        )


def test_problems_in_lockstep_end_where_they_end_alone():
    """Rosenbrock's valley and a bowl: the line search has to shrink its steps, and one problem ends
    long before the other.
    """

    def both(place, numbers):
        values, slopes = [], []
        for p, k in zip(place, numbers.tolist(), strict=True):
            q = p.clone().requires_grad_()
            value = (
                (1 - q[0]) ** 2 + 100 * (q[1] - q[0] ** 2) ** 2
                if k == 0
                else (q - 3).square().sum()
            ) + 1e-9
            value.backward()
            values.append(value.detach())
            slopes.append(q.grad)
        return torch.stack(values), torch.stack(slopes)

    start = torch.tensor([[-1.2, 1.0], [9.0, 9.0]], dtype=torch.float64)
    search = Search.begin(both, start)
    while not search.over:
        search.step(both, 1e-9)
    assert search.place[0].tolist() == pytest.approx([1, 1], abs=1e-3)
    assert search.place[1].tolist() == pytest.approx([3, 3], abs=1e-3)
    assert float(search.found.max()) < 1e-6


def test_many_classes_are_solved_in_smaller_parts(monkeypatch):
    rng = np.random.default_rng(0)
    x, y = torch.from_numpy(rng.normal(size=(60, 3)).astype(np.float32)), rng.integers(5, size=60)
    penalties = torch.tensor([0.1, 1.0], dtype=torch.float64)
    given = torch.from_numpy(y), "softmax", 5, penalties
    whole = solve(x.clone(), *given)
    monkeypatch.setattr(room, "SCORES", 4 * 7 * 2 * 5)
    monkeypatch.setattr(room, "STATE", 1)  # each penalty by itself
    parts = solve(x.clone(), *given)
    np.testing.assert_allclose(parts.weights, whole.weights, atol=1e-4)
    judged = [each.judge(x.numpy(), given[0], LOSSES["softmax"]) for each in (parts, whole)]
    np.testing.assert_allclose(*judged, rtol=1e-4)
    scores = np.einsum("koi,ni->kno", whole.weights, x) + whole.biases.numpy()[:, None]
    right = (scores.argmax(2) == y).mean(1)
    chances = scores[:, np.arange(60), y] - np.logaddexp.reduce(scores, 2)
    np.testing.assert_allclose(judged[0], [right, -chances.mean(1)], rtol=1e-4)
    model = LogisticRegression(C=1 / (1.0 * 60), tol=1e-8, max_iter=1000).fit(x.numpy(), y)
    assert judged[0][0, 1] == pytest.approx(model.score(x.numpy(), y))
