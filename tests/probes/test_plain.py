from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from lingprobe.data.core import Cell, Dataset, Example, Sentence
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.vectors import Vectors
from lingprobe.probes.plain import EstimatorProbe, OneByOne
from lingprobe.testing.probes import check_on, check_probe, plant_labels


@pytest.mark.parametrize(
    "make",
    [partial(KNeighborsClassifier, 15), partial(LinearSVC, random_state=0), RidgeClassifier],
    ids=["probabilities", "decisions", "a binary decision"],
)
def test_a_classifier_is_a_probe_in_one_line(make):
    check_probe(
        OneByOne(EstimatorProbe("mine", make, seeded=False)), kinds=("classes", "sets", "partial")
    )


def test_a_regressor_reads_scores():
    check_on(OneByOne(EstimatorProbe("ridge", Ridge, seeded=False)), "scores")


def test_seeds_reach_the_estimator_and_one_fit_serves_all_where_they_do_not_matter():
    asked = []

    def tree(**options):
        asked.append(options)
        return DecisionTreeClassifier(max_depth=3, **options)

    readings = plant_labels("classes")
    parts = readings.split("train"), readings.split("dev")
    cells = (Cell("1", 3), Cell("1", 4), Cell("0", 3))
    OneByOne(EstimatorProbe("tree", tree)).fit(*parts, cells=cells)
    assert asked == [{"random_state": 3}, {"random_state": 4}, {"random_state": 3}]
    asked.clear()
    first, second, other = OneByOne(EstimatorProbe("tree", tree, seeded=False)).fit(
        *parts, cells=cells
    )
    assert asked == [{}, {}]
    assert first is second
    assert first is not other


@pytest.mark.parametrize(
    "make", [partial(KNeighborsClassifier, 3), partial(LinearSVC, random_state=0), RidgeClassifier]
)
@pytest.mark.parametrize("names", ["ac", "abd"])
def test_a_class_that_train_has_not_lies_below_all_others(make, names):
    labels = [*(names * 10), *"abcd"]
    draws = np.random.default_rng(0)
    examples = [
        Example.about(Sentence.of([f"s{i}"]), label, "test" if i >= len(labels) - 4 else "train")
        for i, label in enumerate(labels)
    ]
    x = draws.normal(size=(len(labels), 3)).astype(np.float32)
    readings = Readings(Dataset.of(examples), Vectors((x,)))
    [fitted] = OneByOne(EstimatorProbe("mine", make, seeded=False)).fit(
        readings.split("train"), readings.split("dev"), cells=(Cell("-", 0),)
    )
    scores = fitted.predict(readings.split("test")).scores
    seen = np.isin(list("abcd"), list(names))
    assert (scores[:, ~seen].max(1) <= scores[:, seen].min(1) - 1).all()


def test_nothing_is_fitted_to_nothing():
    readings = plant_labels("classes")
    empty = readings.take(np.zeros(0, np.int64))
    with pytest.raises(ReadingProblem, match=r"^mine has no training examples$"):
        OneByOne(EstimatorProbe("mine", RidgeClassifier)).fit(empty, empty, cells=(Cell("0", 0),))


def test_one_class_in_train_is_answered_and_not_an_error():
    examples = [
        Example.about(Sentence.of([f"s{i}"]), "b" if i < 8 else "a", "train" if i < 8 else "test")
        for i in range(12)
    ]
    readings = Readings(Dataset.of(examples), Vectors((np.ones((12, 2), np.float32),)))
    [fitted] = OneByOne(EstimatorProbe("knn", KNeighborsClassifier, seeded=False)).fit(
        readings.split("train"), readings.split("dev"), cells=(Cell("-", 0),)
    )
    assert fitted.predict(readings.split("test")).decoded.arrays()["ids"].tolist() == [1] * 4
