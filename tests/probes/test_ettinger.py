"""The probe of Ettinger et al. 2018: scikit-learn's own network on features as they are."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier

from lingprobe.data._closure import closure
from lingprobe.data.core import Cell, Dataset, Example, Sentence
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.references import ReferenceProblem
from lingprobe.data.vectors import Vectors
from lingprobe.probes import PROBES

PAPER = "mlp,protocol=ettinger"


def readings(n=(400, 0, 200), dim=6, seed=0):
    """Rows whose class is an exclusive or of two features."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(sum(n), dim)).astype(np.float32)
    labels = np.where((x[:, 0] > 0) == (x[:, 1] > 0), "yes", "no")
    splits = np.repeat(["train", "dev", "test"], n)
    examples = [
        Example.about(Sentence.of((f"s{i}",)), str(y), str(s))
        for i, (y, s) in enumerate(zip(labels, splits, strict=True))
    ]
    return Readings(Dataset.of(examples), Vectors((x,)))


def fit(given, *seeds):
    cells = tuple(Cell("-", seed) for seed in seeds)
    return PROBES.make(PAPER).fit(given.split("train"), given.split("dev"), cells=cells)


def test_it_is_the_network_that_the_authors_call():
    given = readings()
    [fitted] = fit(given, 3)
    train, test = given.split("train"), given.split("test")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = MLPClassifier(
            hidden_layer_sizes=(6,), activation="relu", max_iter=700, random_state=3
        )
        theirs.fit(train.features("-"), train.labels.matrix())
    assert (fitted.predict(test).decoded.matrix() == theirs.predict(test.features("-"))).all()
    assert fitted.choice == {"hidden": 6, "passes": [theirs.n_iter_]}


def test_it_learns_what_no_linear_probe_does_and_needs_no_dev():
    given = readings((3000, 0, 500), dim=4)
    [fitted] = fit(given, 0)
    assert (
        fitted.predict(given.split("test")).decoded.matrix() == given.split("test").labels.matrix()
    ).mean() > 0.9


def test_seeds_differ_and_each_repeats():
    given = readings()
    first, second = (p.predict(given.split("test")).scores for p in fit(given, 0, 1))
    [again] = (p.predict(given.split("test")).scores for p in fit(given, 0))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, second)


def test_reaching_the_last_pass_is_recorded_and_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        [fitted] = fit(readings((30, 0, 10)), 0)
    assert 0 < fitted.choice["passes"][0] <= 700


def test_numbers_too_small_for_the_usual_form_are_zero_while_it_learns_and_no_longer(monkeypatch):
    tiny, seen = np.full(1, 1e-39, np.float32), []
    fitted = MLPClassifier.fit

    def watched(self, x, y):
        seen.append(float((tiny * np.float32(0.5))[0]))
        return fitted(self, x, y)

    monkeypatch.setattr(MLPClassifier, "fit", watched)
    fit(readings((30, 0, 10)), 0)
    assert seen == [0]
    assert float((tiny * np.float32(0.5))[0]) > 0


def test_nothing_can_be_set_and_nothing_is_fitted_to_nothing():
    for option in ("hidden=5", "dropout=0.1", "l2=0.1", "reduction=sum", "precision=float32"):
        with pytest.raises(ReferenceProblem, match="nothing to set"):
            PROBES.make(f"{PAPER},{option}")
    with pytest.raises(ReadingProblem, match="no training examples"):
        fit(readings((0, 0, 5)), 0)


def test_the_library_is_part_of_its_identity():
    assert "scikit-learn" in closure(PROBES.roots("mlp")).packages
