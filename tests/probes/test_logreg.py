"""The linear probe: what it answers is what scikit-learn's models answer, with C chosen on dev."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from lingprobe.data.core import Cell, Dataset, Example, Sentence
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.vectors import Vectors
from lingprobe.probes.features import common_scale
from lingprobe.probes.linear import logistic
from lingprobe.probes.logreg import LogReg

SIZES = (300, 100, 60)


def readings(label, dim=8, sizes=SIZES, seed=0):
    """Random vectors; label(scores [3]) is what an example has."""
    rng = np.random.default_rng(seed)
    x = (rng.normal(size=(sum(sizes), dim)) + 2).astype(np.float32)
    scores = (x - 2) @ rng.normal(size=(dim, 3)) + rng.gumbel(size=(sum(sizes), 3))
    splits = np.repeat(["train", "dev", "test"], sizes)
    examples = [
        Example.about(Sentence.of((f"s{i}",)), label(row), split)
        for i, (row, split) in enumerate(zip(scores, splits.tolist(), strict=True))
    ]
    return Readings(Dataset.of(examples), Vectors((x,), ("-",))), x


def fit(probe, given, by="score"):
    train, dev = given.split("train"), given.split("dev")
    return probe.fit(train, dev, cells=(Cell("-", 0, by),))[0]


def three(row):
    return f"c{row.argmax()}"


def two(row):
    return f"c{int(row[0] > row[1])}"


@pytest.mark.parametrize("label", [two, three])
@pytest.mark.parametrize("by", ["score", "loss"])
def test_the_best_on_dev_of_all_c_answers(label, by):
    given, x = readings(label)
    x = common_scale(x[:300])(x)
    names = given.labels.names
    y = np.array([names.index(label) for label in given.labels.class_names()])
    train, dev, test = np.split(np.arange(460), [300, 400])
    best, qualities = None, []
    for c in (1e-3, 1e-1, 10.0):
        model = LogisticRegression(C=c, tol=1e-8, max_iter=5000).fit(x[train], y[train])
        loss = -model.predict_log_proba(x[dev])[np.arange(100), y[dev]].mean()
        qualities.append((c, model.score(x[dev], y[dev]), loss, model))
    best = (max if by == "score" else min)(qualities, key=lambda q: q[1 if by == "score" else 2])
    fitted = fit(LogReg(c=(10.0, 1e-3, 1e-1)), given, by)
    assert fitted.choice["c"] == best[0]
    assert fitted.choice["dev"] == pytest.approx(best[1])
    assert fitted.choice["dev_loss"] == pytest.approx(best[2], rel=0.01)
    scores = fitted.predict(given.split("test")).scores
    logs = scores - np.logaddexp.reduce(scores, 1)[:, None]
    np.testing.assert_allclose(logs, best[3].predict_log_proba(x[test]), atol=0.05)


def test_label_sets_have_a_regression_each(monkeypatch):
    monkeypatch.setattr(logistic, "_OBJECTIVE_TOLERANCE", 1e-8)
    given, x = readings(lambda row: {"a": row[0] > 0, "b": None if row[1] > 1 else row[2] > 1})
    x = common_scale(x[:300])(x)
    fitted = fit(LogReg(c=(1.0,)), given)
    scores, matrix = fitted.predict(given.split("test")).scores, given.labels.matrix()
    for k in range(2):
        known = np.flatnonzero(~np.isnan(matrix[:300, k]))
        model = LogisticRegression(C=1.0, tol=1e-8, max_iter=5000).fit(
            x[known], matrix[known, k] > 0.5
        )
        np.testing.assert_allclose(scores[:, k], model.decision_function(x[400:]), atol=0.05)


@pytest.mark.parametrize("dim", [8, 400])
def test_numbers_are_ridge_regression(dim):
    given, x = readings(lambda row: float(3 * row[0] + 5), dim=dim)
    x = common_scale(x[:300])(x).astype(np.float64)
    y = np.array([given.labels.label(i) for i in range(460)])
    for c in (1e-3, 1.0):
        fitted = fit(LogReg(c=(c,)), given)
        expected = Ridge(alpha=1 / c).fit(x[:300], y[:300]).predict(x[400:])
        found = fitted.predict(given.split("test")).scores[:, 0]
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)
        deviation = y[:300].std()
        errors = Ridge(alpha=1 / c).fit(x[:300], y[:300]).predict(x[300:400]) - y[300:400]
        assert fitted.choice["dev_loss"] == pytest.approx(
            np.square(errors / deviation).mean() / 2, rel=1e-3
        )


def test_c_is_not_tuned_without_dev():
    given, _ = readings(three, sizes=(300, 0, 60))
    with pytest.raises(ReadingProblem, match="set c="):
        fit(LogReg(), given)
    assert np.isnan(fit(LogReg(c=(1.0,)), given).choice["dev"])


def test_torch_is_not_loaded():
    code = (
        "import sys, numpy as np; from lingprobe.probes.logreg import LogReg;"
        "from lingprobe.probes.linear.logistic import fit_logistic_path as fit;"
        "next(fit(np.eye(4), np.arange(4) % 2, [0.1])); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
