"""Scores that rest on few examples of rare labels: how far one more moves them, and how often equal
answers are called different.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.analysis.baselines import compute_advantages
from lingprobe.data.labels import Classes
from lingprobe.metrics import METRICS, FitAnswers, compute_difference

LABELS = tuple("abcdefghij")


def drawn(rng, n, shares, right):
    """Gold labels with these shares, and two answers that are right so often, or drawn anew."""
    gold = rng.choice(len(shares), n, p=shares)
    both = (
        np.where(rng.random(n) < right, gold, rng.choice(len(shares), n, p=shares)) for _ in (0, 1)
    )
    return [Classes(each, LABELS) for each in (gold, *both)]


def f1(right, pairs):
    return 2 * right / pairs if pairs else 0.0


@given(st.integers(0, 10**6), st.integers(5, 60))
def test_one_pair_more_moves_f1_by_half_of_what_a_right_one_adds(seed, n):
    """By hand, label by label: half a right pair more, and as many pairs."""
    gold, said, _ = drawn(np.random.default_rng(seed), n, [0.5, 0.3, 0.1, 0.1], 0.6)
    counts = [
        [
            int(((gold.ids == k) & (said.ids == k)).sum()),
            int((gold.ids == k).sum() + (said.ids == k).sum()),
        ]
        for k in range(4)
    ]
    there = [(right, pairs) for right, pairs in counts if pairs]
    if len({*said.ids.tolist()}) == 1:
        return  # it would answer the same of more examples
    moved = [f1(right + 0.5, pairs) - f1(right, pairs) for right, pairs in there]
    macro = METRICS.make("macro-f1").squared_step(gold, said)
    assert macro == pytest.approx(max(sum(m**2 for m in moved) / len(there) ** 2, 1 / n**2))
    right, pairs = counts[0]
    micro = METRICS.make("micro-f1,only=a").squared_step(gold, said)
    assert micro == pytest.approx(max((f1(right + 0.5, pairs) - f1(right, pairs)) ** 2, 1 / n**2))
    assert METRICS.make("accuracy").squared_step(gold, said) == 1 / n**2


@given(st.integers(0, 10**6), st.integers(20, 60))
def test_one_pair_more_moves_mcc_by_one_over_both_spreads(seed, n):
    """Of two classes the covariance is n (both - gold x said), and a pair more adds one to it."""
    gold, said, _ = drawn(np.random.default_rng(seed), n, [0.7, 0.3], 0.6)
    one, other = (2 * n * float(each.ids.mean() * (1 - each.ids.mean())) for each in (gold, said))
    expected = max(1 / n**2, 1 / (one * other) if one * other else 0)
    assert METRICS.make("mcc").squared_step(gold, said) == pytest.approx(expected)


@given(st.integers(0, 10**6), st.integers(20, 60))
def test_one_right_example_more_moves_kappa_and_recall(seed, n):
    """Kappa by one over what agreement may add to chance, each class's recall by one over n."""
    gold, said, _ = drawn(np.random.default_rng(seed), n, [0.6, 0.3, 0.1], 0.6)
    chance = sum(float((gold.ids == k).sum() * (said.ids == k).sum()) for k in range(3)) / n
    room = (n - chance) ** 2
    kappa = METRICS.make("kappa").squared_step(gold, said)
    assert kappa == pytest.approx(max(1 / n**2, 1 / room if room else 0))
    counts = [int((gold.ids == k).sum()) for k in np.unique(gold.ids)]
    moved = sum(1 / count**2 for count in counts) / len(counts) ** 2
    varies = len({*said.ids.tolist()}) > 1
    recall = METRICS.make("balanced-accuracy").squared_step(gold, said)
    assert recall == pytest.approx(max(1 / n**2, moved * varies))


@pytest.mark.parametrize(
    ("metric", "n", "shares"),
    [
        ("macro-f1", 300, [0.43, 0.26, 0.14, 0.08, 0.04, 0.02, 0.01, 0.01, 0.005, 0.005]),
        ("macro-f1", 300, [0.1] * 10),
        ("micro-f1,only=b", 100, [0.97, 0.03]),
        ("mcc", 100, [0.97, 0.03]),
        ("mcc", 300, [0.5, 0.5]),
        ("kappa", 100, [0.97, 0.03]),
        ("kappa", 300, [0.5, 0.5]),
        ("balanced-accuracy", 300, [0.95, 0.05]),
        ("balanced-accuracy", 300, [0.43, 0.26, 0.14, 0.08, 0.04, 0.02, 0.01, 0.01, 0.005, 0.005]),
    ],
)
def test_equal_answers_are_rarely_called_different_however_rare_a_label(metric, n, shares):
    """In 24, 5, 10, 10 and 5 % of draws before rare labels had a step of their own."""
    rng, draws = np.random.default_rng(1), 400
    found = 0
    for _ in range(draws):
        gold, one, other = drawn(rng, n, shares, 0.75)
        found += (
            compute_difference(metric, FitAnswers(gold, [one]), FitAnswers(gold, [other])).p < 0.05
        )
    assert found / draws <= 0.05 + 2.6 * sqrt(0.05 * 0.95 / draws)


@pytest.mark.parametrize(("n", "both"), [(450, 0), (450, 40), (1500, 3)])
def test_what_is_detectable_is_found_four_times_in_five(n, both):
    """Where as many examples differ, most of them one way (Connor 1987). Answers that are nearly
    alike have to differ in more: a point of 450 are four or five, which no test tells from none.
    """
    rng, draws = np.random.default_rng(3), 400
    gold = Classes(rng.integers(0, 3, n), LABELS[:3])  # of no fixed numbers

    def answers(wrong):
        ids = np.where(wrong, (gold.ids + 1) % 3, gold.ids)
        return FitAnswers(gold, [Classes(ids, gold.names)])

    seen = compute_difference(
        "accuracy", answers(np.arange(n) < both), answers(np.arange(n) >= n - both)
    )
    share = max(2 * both / n, seen.detectable)
    found = 0
    for _ in range(draws):
        apart, way = rng.random(n) < share, rng.random(n) < (1 + seen.detectable / share) / 2
        found += (
            compute_difference("accuracy", answers(apart & ~way), answers(apart & way)).p < 0.05
        )
    assert 0.72 <= found / draws <= 0.93
    assert seen.times(0.05, seen.detectable) == pytest.approx(1, rel=0.02)


@pytest.mark.parametrize("metric", ["accuracy", "micro-f1", "macro-f1"])
def test_three_examples_that_are_all_right_are_not_sure_to_be_beyond_their_labels(metric):
    """Of a subset without an error the influences are none, which is no certainty."""
    rng = np.random.default_rng(2)
    gold = Classes(rng.integers(0, 2, 500), LABELS[:2])
    said = Classes(np.where(rng.random(500) < 0.8, gold.ids, 1 - gold.ids), gold.names)
    few = np.flatnonzero(gold.ids == said.ids)[:3]
    over = compute_advantages(METRICS.make(metric), gold, few)
    answers = FitAnswers(gold, [said])
    (score,), (low, high) = answers.scores(over), answers.interval(over)
    assert score == pytest.approx(0.2, abs=0.05)
    assert low < 0 < score < high
