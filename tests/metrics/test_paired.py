"""Differences of scores over the same examples: their size, and how often their interval has the truth in it."""

from __future__ import annotations

import numpy as np
import pytest

from sonde.metrics import Answers, MetricProblem, difference, interval_of
from sonde.targets import Classes

NAMES = ("a", "b")


def answers(right, gold):
    """One fit a row of `right` [fits, n], over these gold classes."""
    return Answers(Classes(gold, NAMES), [Classes(np.where(row, gold, 1 - gold), NAMES) for row in np.atleast_2d(right)])


def fits(rng, hard, skill, seeds):
    """Whether each of some fits is right about each example, where `hard` [n] is what the examples have in common."""
    return rng.random((seeds, len(hard))) < np.clip(skill - hard, 0, 1)


@pytest.mark.parametrize("metric", ["accuracy", "micro-f1", "macro-f1"])
def test_a_difference_is_that_of_the_mean_scores(metric):
    rng = np.random.default_rng(0)
    hard, golds = rng.choice([0.0, 0.6], 500), rng.integers(2, size=(2, 500))
    one, other = answers(fits(rng, hard, 0.95, 3), golds[0]), answers(fits(rng, hard, 0.8, 2), golds[1])  # a task and its control
    found = difference(metric, one, other)
    from sonde.metrics import METRICS

    made = METRICS.make(metric)
    means = [np.mean([made(each.gold, p) for p in each.predicted]) for each in (one, other)]
    assert found.value == pytest.approx(means[0] - means[1])
    assert found.low < found.value < found.high
    back = difference(metric, other, one)
    assert (back.value, back.low, back.high) == pytest.approx((-found.value, -found.high, -found.low))


def test_what_is_hard_for_both_makes_a_difference_no_less_sure():
    rng = np.random.default_rng(1)
    gold, hard = rng.integers(2, size=2000), rng.random(2000) < 0.4
    alike = answers(~hard[None] ^ (rng.random((1, 2000)) < 0.02), gold), answers(~hard[None] ^ (rng.random((1, 2000)) < 0.02), gold)
    paired = difference("accuracy", *alike)
    alone = [np.diff(interval_of("accuracy", each.gold, each.predicted))[0] for each in alike]
    assert paired.high - paired.low < np.hypot(*alone) / 2


@pytest.mark.parametrize("seeds", [1, 3])
def test_intervals_of_a_difference_have_the_truth_in_them_as_often_as_they_say(seeds):
    rng = np.random.default_rng(2)
    hits, many, n = 0, 300, 250
    for _ in range(many):
        hard, gold = rng.choice([0.0, 0.5, 0.9], n), rng.integers(2, size=n)
        found = difference("accuracy", answers(fits(rng, hard, 1.0, seeds), gold), answers(fits(rng, hard, 0.85, seeds), gold))
        hits += found.low <= 0.15 - (0.9 - 0.85) / 3 <= found.high  # where an example is hopeless for the weaker one, it loses no more
    assert 0.92 <= hits / many <= 0.985


def test_other_examples_have_no_difference():
    gold = np.zeros(5, np.int64)
    with pytest.raises(MetricProblem, match="5 and 4"):
        difference("accuracy", answers(np.ones((1, 5), bool), gold), answers(np.ones((1, 4), bool), gold[:4]))
