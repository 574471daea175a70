"""Linear probes as weights of vectors as they are, with the scaling folded in."""

from __future__ import annotations

import numpy as np
import pytest

from lingprobe.data.abilities import UnfoldablePredictor
from lingprobe.data.core import DATA_SPLITS, Cell, Dataset, Example, Sentence
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.vectors import Vectors
from lingprobe.probes import PROBES
from lingprobe.testing import check_probe

N, DIM = 150, 6


def readings(kind):
    """Vectors of several scales, one dimension that does not vary, and labels of a kind."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(N, DIM)) * [1, 20, 0.1, 3, 0, 1] + [0, 5, 1, -7, 2, 0]
    signal = x[:, 0] + x[:, 2] * 5 + rng.normal(size=N)
    labels = {
        "two": [f"c{int(v > 0.5)}" for v in signal - 5],
        "three": [f"c{k}" for k in np.digitize(signal - 5, [-1, 1])],
        "sets": [frozenset(n for n, c in (("a", 4), ("b", 6)) if v > c) for v in signal],
        "scores": signal.tolist(),
    }[kind]
    splits = np.array(("train", "train", "train", "dev", "test"))[np.arange(N) % 5]
    examples = [
        Example.about(Sentence.of((f"s{i}",)), label, split)
        for i, (label, split) in enumerate(zip(labels, splits, strict=True))
    ]
    return Readings(Dataset.of(examples), Vectors((np.asarray(x, np.float32),), ("-",)))


def fit(reference, kind):
    data = readings(kind)
    train, dev, test = (data.split(name) for name in DATA_SPLITS)
    (predictor,) = PROBES.make(reference).fit(train, dev, cells=(Cell("-", 0),))
    assert isinstance(predictor, UnfoldablePredictor)
    return predictor, test


def scores_in_double(predictor, features):
    """The predictor's own formula, in float64 throughout."""
    x = features.astype(np.float64)
    if hasattr(predictor, "scale"):
        scaled = (x - predictor.scale.shift) * predictor.scale.factor
        return scaled @ predictor.model.weights.T + predictor.model.bias
    shift, factor = (
        each.astype(float) for each in (predictor.scaling.shift, predictor.scaling.factor)
    )
    return (x - shift) * factor @ predictor.weights.astype(float).T + predictor.bias.astype(float)


@pytest.mark.parametrize("kind", ["two", "three", "sets", "scores"])
@pytest.mark.parametrize(
    "reference",
    [
        "linear,member=discriminant",
        "linear,member=discriminant,standardised=true",
        "linear,member=logistic",
        "linear,member=logistic,priors=equal",
        "logreg",
        "means",
    ],
)
def test_weights_give_the_probes_own_scores(reference, kind):
    if reference == "means" and kind in ("sets", "scores"):
        pytest.skip("means compares classes")
    predictor, test = fit(reference, kind)
    weights, bias, _ = predictor.unfold()
    features = test.features("-")
    scores = features.astype(np.float64) @ weights.T + bias
    assert np.abs(scores - scores_in_double(predictor, features)).max() < 1e-10
    assert np.allclose(scores, predictor.predict(test).scores, atol=1e-4, rtol=1e-4)


def test_thresholds_of_equal_priors_are_on_the_scale_of_the_scores():
    usual, _ = fit("linear,member=discriminant", "two")
    equal, _ = fit("linear,member=discriminant,priors=equal", "two")
    moved = (equal.model.bias - usual.model.bias) @ [-1, 1]
    assert abs(moved) > 0.01
    margins = [each.held_out.scores @ [-1, 1] for each in (usual, equal)]
    assert np.allclose(margins[0] + moved, margins[1])


def test_means_keeps_what_every_probe_promises():
    check_probe("means", kinds=("classes",))


@pytest.mark.parametrize("kind", ["sets", "scores"])
def test_means_refuses_what_has_no_class(kind):
    with pytest.raises(ReadingProblem, match="use linear"):
        fit("means", kind)


def test_means_of_a_class_that_train_lacks_are_unlikely():
    data = readings("three")
    codes = data.labels.classes
    rows = np.flatnonzero((codes != 2) | (data.dataset.splits == 2))
    some = data.take(rows)
    train, dev, test = (some.split(name) for name in DATA_SPLITS)
    (predictor,) = PROBES.make("means").fit(train, dev, cells=(Cell("-", 0),))
    assert not (predictor.predict(test).scores.argmax(1) == 2).any()
