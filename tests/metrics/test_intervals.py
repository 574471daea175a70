"""Paired differences: against a paired t-test, both ways round, and p values that are uniform where
there is no difference.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.labels import Classes
from lingprobe.metrics import (
    METRICS,
    FitAnswers,
    Metric,
    MetricProblem,
    compute_difference,
    interval_of,
)

NAMES = ("a", "b")
GOLD = Classes(np.arange(300) % 3, ("a", "b", "c"))


def differing(metric, gold, first, second, clusters=None):
    """The difference of two lists of answers, a column a seed, over one gold standard."""
    return compute_difference(
        metric, FitAnswers(gold, first, clusters or {}), FitAnswers(gold, second)
    )


def said(rng, share=0.7, shared=None):
    hard = rng.random(300) if shared is None else 0.5 * shared + 0.5 * rng.random(300)
    return Classes(np.where(hard < share, GOLD.ids, rng.integers(3, size=300)), GOLD.names)


def test_of_one_seed_without_clusters_it_is_the_paired_t_test():
    from scipy.stats import t

    rng = np.random.default_rng(0)
    gold = Classes(rng.choice(3, 300, p=[0.5, 0.3, 0.2]), GOLD.names)  # of no fixed numbers
    first, second = (
        Classes(np.where(rng.random(300) < p, gold.ids, 0), gold.names) for p in (0.8, 0.7)
    )
    d = (first.ids == gold.ids).astype(float) - (second.ids == gold.ids)
    error = np.sqrt(d.var(ddof=1) / 300 + 2 / 300**2)
    parts = differing("accuracy", gold, [first], [second])
    assert parts.value == pytest.approx(d.mean())
    assert (parts.low, parts.high) == pytest.approx(
        (d.mean() - t.ppf(0.975, 299) * error, d.mean() + t.ppf(0.975, 299) * error)
    )
    assert parts.p == pytest.approx(2 * t.sf(abs(d.mean()) / error, 299))
    assert parts.df == 299


@given(
    st.integers(0, 1000),
    st.sampled_from(
        ["accuracy", "balanced-accuracy", "kappa", "macro-f1", "micro-f1,only=a", "mcc"]
    ),
    st.integers(1, 4),
)
def test_the_other_way_round_it_is_the_opposite(seed, metric, seeds):
    rng = np.random.default_rng(seed)
    first, second = ([said(rng, p) for _ in range(seeds)] for p in (0.7, 0.6))
    clusters = {"target": rng.integers(40, size=300)}
    one, other = (
        differing(metric, GOLD, first, second, clusters),
        differing(metric, GOLD, second, first, clusters),
    )
    assert (one.value, one.low, one.high) == pytest.approx((-other.value, -other.high, -other.low))
    assert one.p == pytest.approx(other.p)
    assert one.low < one.value < one.high
    made = METRICS.make(metric)
    assert one.value == pytest.approx(
        np.mean([made(GOLD, a) for a in first]) - np.mean([made(GOLD, b) for b in second])
    )


def test_equal_answers_do_not_differ():
    same = [said(np.random.default_rng(s)) for s in range(3)]
    parts = differing("accuracy", GOLD, same, same)
    assert (parts.value, parts.p) == (0, 1)
    assert 0 < parts.high < 0.02  # as if one example more had changed each way


def test_what_both_share_makes_the_difference_surer_than_the_scores():
    rng = np.random.default_rng(1)
    shared = rng.random(300)
    first, second = said(rng, 0.7, shared), said(rng, 0.66, shared)
    both = [interval_of("accuracy", GOLD, [a]) for a in (first, second)]
    parts = differing("accuracy", GOLD, [first], [second])
    assert both[0][0] < both[1][1], "the intervals overlap,"
    assert parts.low > 0, "and yet the difference is sure"


def test_clusters_widen_it():
    rng = np.random.default_rng(2)
    forms = np.repeat(np.arange(30), 10)
    hit = rng.random(30) < 0.5
    first = Classes(
        np.where(hit[forms] | (rng.random(300) < 0.5), GOLD.ids, (GOLD.ids + 1) % 3), GOLD.names
    )
    second = said(rng, 0.6)
    plain, known = (
        differing("accuracy", GOLD, [first], [second], c) for c in ({}, {"target": forms})
    )
    assert plain.value == known.value
    assert known.high - known.low > 1.3 * (plain.high - plain.low)
    assert known.p > plain.p


def test_seeds_are_paired_where_there_are_as_many():
    """A seed that is good for both says nothing about their difference."""
    rng = np.random.default_rng(3)
    luck = [0.5, 0.7, 0.9]
    first = [said(rng, p) for p in luck]
    second = [said(rng, p) for p in luck]
    paired = differing("accuracy", GOLD, first, second)
    crossed = differing("accuracy", GOLD, first, [second[i] for i in (2, 0, 1)])
    assert paired.high - paired.low < 0.3 < crossed.high - crossed.low


def test_scores_of_unlike_numbers_of_seeds_are_compared_too():
    rng = np.random.default_rng(4)
    first = [said(rng, p) for p in (0.6, 0.7, 0.8)]
    parts = differing("accuracy", GOLD, first, [said(rng, 0.5)])
    narrow = differing("accuracy", GOLD, first[:1], [said(np.random.default_rng(4), 0.5)])
    assert parts.high - parts.low > narrow.high - narrow.low, (
        "three seeds that differ are in the interval, one tells nothing of others"
    )


def test_of_two_gold_standards_classes_are_not_of_fixed_size():
    rng = np.random.default_rng(5)
    drawn = Classes(rng.permutation(GOLD.ids), GOLD.names)
    task, control = FitAnswers(GOLD, [said(rng, 0.8)]), FitAnswers(drawn, [said(rng, 0.8)])
    test = compute_difference("accuracy", task, control)
    assert test.value == pytest.approx(task.scores("accuracy")[0] - control.scores("accuracy")[0])
    assert test.low > 0.3


def test_clusters_of_either_are_known():
    rng = np.random.default_rng(7)
    clusters = {"key": np.repeat(np.arange(20), 15)}
    one, other = FitAnswers(GOLD, [said(rng, 0.8)]), FitAnswers(GOLD, [said(rng, 0.7)])
    known = compute_difference("accuracy", one, replace(other, clusters=clusters))
    assert known == compute_difference("accuracy", replace(one, clusters=clusters), other)
    assert known != compute_difference("accuracy", one, other)


def test_without_a_difference_p_values_are_uniform():
    rng = np.random.default_rng(6)
    forms = np.repeat(np.arange(60), 5)
    found = []
    for _ in range(400):
        hard = 0.6 * rng.random(60)[forms] + 0.4 * rng.random(300)
        both = [
            Classes(
                np.where(hard + rng.normal(0, 0.2, 300) < 0.6, GOLD.ids, (GOLD.ids + 1) % 3),
                GOLD.names,
            )
            for _ in range(2)
        ]
        found.append(differing("accuracy", GOLD, [both[0]], [both[1]], {"target": forms}).p)
    assert np.mean(np.array(found) < 0.05) == pytest.approx(0.05, abs=0.03)
    assert np.mean(np.array(found) < 0.5) == pytest.approx(0.5, abs=0.1)


def answers(right, gold):
    """One fit a row of `right` [fits, n], over these gold classes."""
    return FitAnswers(
        Classes(gold, NAMES),
        [Classes(np.where(row, gold, 1 - gold), NAMES) for row in np.atleast_2d(right)],
    )


def fits(rng, hard, skill, seeds):
    """Whether each of some fits is right about each example, where `hard` [n] is what the examples
    have in common.
    """
    return rng.random((seeds, len(hard))) < np.clip(skill - hard, 0, 1)


@pytest.mark.parametrize("metric", ["accuracy", "micro-f1", "macro-f1"])
def test_a_difference_is_that_of_the_mean_scores(metric):
    rng = np.random.default_rng(0)
    hard, golds = rng.choice([0.0, 0.6], 500), rng.integers(2, size=(2, 500))
    # a task and its control
    one, other = (
        answers(fits(rng, hard, 0.95, 3), golds[0]),
        answers(fits(rng, hard, 0.8, 2), golds[1]),
    )
    test = compute_difference(metric, one, other)
    made = METRICS.make(metric)
    means = [np.mean([made(each.gold, p) for p in each.predicted]) for each in (one, other)]
    assert test.value == pytest.approx(means[0] - means[1])
    assert test.low < test.value < test.high
    back = compute_difference(metric, other, one)
    assert (back.value, back.low, back.high) == pytest.approx((-test.value, -test.high, -test.low))


def test_what_is_hard_for_both_makes_a_difference_no_less_sure():
    rng = np.random.default_rng(1)
    gold, hard = rng.integers(2, size=2000), rng.random(2000) < 0.4
    alike = (
        answers(~hard[None] ^ (rng.random((1, 2000)) < 0.02), gold),
        answers(~hard[None] ^ (rng.random((1, 2000)) < 0.02), gold),
    )
    paired = compute_difference("accuracy", *alike)
    alone = [np.diff(interval_of("accuracy", each.gold, each.predicted))[0] for each in alike]
    assert paired.high - paired.low < np.hypot(*alone) / 2


@pytest.mark.parametrize("seeds", [1, 3])
def test_intervals_of_a_difference_have_the_truth_in_them_as_often_as_they_say(seeds):
    rng = np.random.default_rng(2)
    hits, many, n = 0, 300, 250
    for _ in range(many):
        hard, gold = rng.choice([0.0, 0.5, 0.9], n), rng.integers(2, size=n)
        test = compute_difference(
            "accuracy",
            answers(fits(rng, hard, 1.0, seeds), gold),
            answers(fits(rng, hard, 0.85, seeds), gold),
        )
        # where an example is hopeless for the weaker one, it loses no more
        hits += test.low <= 0.15 - (0.9 - 0.85) / 3 <= test.high
    assert 0.92 <= hits / many <= 0.985


def test_other_examples_have_no_difference():
    gold = np.zeros(5, np.int64)
    with pytest.raises(MetricProblem, match="5 and 4"):
        compute_difference(
            "accuracy",
            answers(np.ones((1, 5), bool), gold),
            answers(np.ones((1, 4), bool), gold[:4]),
        )


def test_a_score_that_is_no_number_has_no_interval():
    nothing = Metric("nothing", METRICS.make("accuracy").sums, lambda sums: sums[..., 0] * np.nan)
    low, high = interval_of(nothing, GOLD, [said(np.random.default_rng(0), 0.8)])
    assert np.isnan([low, high]).all()
