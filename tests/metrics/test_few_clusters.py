"""Fewer than six clusters of test examples say nothing of how much a score varies."""

import numpy as np
import pytest

from lingprobe.data.labels import Classes
from lingprobe.metrics.clusters import MIN_CLUSTER_COUNT
from lingprobe.metrics.intervals import FitAnswers, compute_difference, interval_of

NAMES = ("a", "b")


def answers(right, clusters):
    gold = Classes(np.arange(len(right)) % 2, NAMES)
    said = Classes(np.where(right, gold.ids, 1 - gold.ids), NAMES)
    return FitAnswers(gold, [said], clusters)


@pytest.mark.parametrize("many", range(1, 10))
@pytest.mark.parametrize("share", [0.5, 0.9, 1.0])
def test_an_interval_needs_six_clusters(many, share):
    rng = np.random.default_rng(many)
    right = rng.random(180) < share
    shared = {"paradigm": np.arange(180) % many}
    one = answers(right, shared)
    low, high = interval_of("accuracy", one.gold, one.predicted, shared)
    assert ((low, high) == (0.0, 1.0)) == (many < MIN_CLUSTER_COUNT)
    other = answers(np.zeros(180, bool), shared)
    found = compute_difference("accuracy", one, other)
    if many < MIN_CLUSTER_COUNT:
        assert (found.low, found.high, found.p) == (-1.0, 1.0, 1.0)
        assert np.isinf(found.detectable)
    else:
        assert found.p < 0.05


def test_examples_that_share_nothing_are_no_clusters():
    one = answers(np.arange(4) > 0, {"sentence": np.full(4, -1)})
    low, high = interval_of("accuracy", one.gold, one.predicted, one.clusters)
    assert 0 < low < high < 1
