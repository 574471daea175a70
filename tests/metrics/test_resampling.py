"""Permutation tests and the bootstrap of paired differences."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import binomtest

from lingprobe.data.labels import Classes, ScoreLabels
from lingprobe.metrics import FitAnswers, MetricProblem, compute_difference
from lingprobe.metrics.resampling import bootstrap_difference, compute_permutation_p

NAMES = ("a", "b")


def answers(right, clusters=None) -> FitAnswers:
    """Answers [seeds, n] that are right or not, of two classes in turn."""
    table = np.atleast_2d(np.asarray(right, bool))
    gold = np.arange(table.shape[1]) % 2
    said = [Classes(np.where(row, gold, 1 - gold), NAMES) for row in table]
    return FitAnswers(Classes(gold, NAMES), said, clusters or {})


def test_of_one_seed_and_examples_on_their_own_it_is_mcnemars_exact_test():
    draws = np.random.default_rng(0)
    for _ in range(5):
        one, other = draws.random((2, 60)) < 0.7
        wins, losses = (one & ~other).sum(), (other & ~one).sum()
        expected = binomtest(int(wins), int(wins + losses)).pvalue if wins + losses else 1.0
        assert compute_permutation_p("accuracy", answers(one), answers(other)) == pytest.approx(
            expected
        )


def test_equal_answers_do_not_differ():
    same = answers([[1, 0, 1, 1]])
    assert compute_permutation_p("macro-f1", same, same) == 1
    assert bootstrap_difference("macro-f1", same, same).p == 1


@pytest.mark.parametrize("metric", ["accuracy", "macro-f1"])
def test_few_clusters_are_swapped_in_every_way(metric):
    draws = np.random.default_rng(1)
    clusters = {"form": np.repeat(np.arange(6), 5)}
    one, other = (answers(draws.random((2, 30)) < share, clusters) for share in (0.8, 0.6))

    def score(ones, others, swapped):
        """The mean difference under two seeds, with these clusters swapped."""
        total = 0.0
        for mine, theirs in zip(ones.predicted, others.predicted, strict=True):
            turned = np.isin(clusters["form"], swapped)
            a = Classes(np.where(turned, theirs.ids, mine.ids), NAMES)
            b = Classes(np.where(turned, mine.ids, theirs.ids), NAMES)
            total += FitAnswers(one.gold, [a]).scores(metric)[0]
            total -= FitAnswers(one.gold, [b]).scores(metric)[0]
        return total / 2

    ways = [c for k in range(7) for c in itertools.combinations(range(6), k)]
    every = np.array([score(one, other, list(way)) for way in ways])
    expected = (np.abs(every) >= abs(score(one, other, [])) - 1e-12).mean()
    assert compute_permutation_p(metric, one, other) == pytest.approx(expected)


def test_p_is_uniform_where_nothing_differs_even_if_clusters_agree():
    draws = np.random.default_rng(2)
    clusters = {"form": np.repeat(np.arange(20), 10)}
    p, alone = [], []
    for _ in range(200):
        hard = np.repeat(draws.random((2, 20)), 10, 1)
        pair = draws.random((2, 200)) < 0.2 + 0.7 * hard
        p.append(
            compute_permutation_p("accuracy", *(answers(each, clusters) for each in pair), 199)
        )
        alone.append(compute_permutation_p("accuracy", *map(answers, pair)))
    assert 0.01 <= (np.array(p) < 0.05).mean() <= 0.1
    assert 0.4 <= np.mean(p) <= 0.6
    assert (np.array(alone) < 0.05).mean() > 0.15  # what clusters are for


def test_the_bootstrap_agrees_with_the_jackknife_where_both_hold():
    draws = np.random.default_rng(3)
    truth = draws.normal(size=400)
    one, other = (ScoreLabels(truth + noise * draws.normal(size=400)) for noise in (0.8, 1.0))
    pair = [FitAnswers(ScoreLabels(truth), [each]) for each in (one, other)]
    for metric in ("pearson", "spearman"):
        drawn, exact = bootstrap_difference(metric, *pair), compute_difference(metric, *pair)
        assert drawn.value == pytest.approx(exact.value)
        assert drawn.low == pytest.approx(exact.low, abs=0.02)
        assert drawn.high == pytest.approx(exact.high, abs=0.02)
        assert drawn.p == pytest.approx(exact.p, abs=0.02)


def test_what_is_detectable_is_told_four_times_in_five():
    draws = np.random.default_rng(4)

    def drawn(true):
        """The difference of two things that differ on a fifth of 400 examples, by so much."""
        kind = draws.random(400)
        one = (kind < 0.1 + true / 2) | (kind > 0.2)
        other = kind >= 0.1 + true / 2
        return compute_difference("accuracy", answers(one), answers(other))

    needed = np.mean([drawn(0.0).detectable for _ in range(100)])
    told = np.mean([drawn(needed).p < 0.05 for _ in range(1500)])
    assert told == pytest.approx(0.8, abs=0.05)


def test_other_examples_are_refused():
    for test in (compute_permutation_p, bootstrap_difference):
        with pytest.raises(MetricProblem, match="over the same examples, and these have 4 and 2"):
            test("accuracy", answers([[1, 0, 1, 1]]), answers([[1, 0]]))
