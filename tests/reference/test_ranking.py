"""Areas under ROC curves against counting all pairs."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from lingprobe.metrics.areas import auc_values, compute_auc
from reference import ranking


def drawn(seed: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes and scores with ties that are a little right."""
    rng = np.random.default_rng(seed)
    gold = np.concatenate([np.arange(classes), rng.integers(classes, size=60)])
    scores = rng.normal(size=(len(gold), classes)) + np.eye(classes)[gold]
    return gold, np.round(scores, 1)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_areas_are_those_of_all_pairs(seed, classes):
    gold, scores = drawn(seed, classes)
    assert compute_auc(gold, scores) == pytest.approx(ranking.area(gold.tolist(), scores.tolist()))


def test_two_classes_are_as_in_scikit_learn():
    gold, scores = drawn(7, 2)
    scores[:, 0] = -scores[:, 1]
    assert compute_auc(gold, scores) == pytest.approx(roc_auc_score(gold, scores[:, 1]))


@pytest.mark.parametrize("seed", range(4))
def test_values_vary_as_the_area_does(seed):
    gold, scores = drawn(seed, 2)
    scores[:, 0] = -scores[:, 1]
    values = auc_values(gold, scores)
    expected = ranking.variance(gold.tolist(), scores[:, 1].tolist())
    assert ((values - values.mean()) ** 2).sum() / len(values) ** 2 == pytest.approx(expected)


def test_one_class_has_no_area():
    assert np.isnan(compute_auc(np.zeros(5, int), np.ones((5, 2))))
