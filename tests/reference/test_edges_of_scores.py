"""Intervals and differences where data are at an edge: two examples, answers that are all alike,
scores that all tie.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from lingprobe.data.labels import Classes, Column, ScoreLabels
from lingprobe.metrics import METRICS, FitAnswers, compute_difference, interval, interval_of
from reference.inference import wilson

NAMES = ("a", "b", "tie")
FEW = Classes(np.array([0, 1]), NAMES)


def test_a_difference_of_shares_is_no_more_than_all():
    """Of two examples Student's interval is thousands of points wide."""
    one, other = FitAnswers(FEW, [FEW]), FitAnswers(FEW, [Classes(np.array([0, 0]), NAMES)])
    found = compute_difference("accuracy", one, other)
    assert (found.low, found.high) == found.interval(0.01) == (-1.0, 1.0)
    wide = compute_difference(
        "r2", *(FitAnswers(ScoreLabels(np.arange(2.0)), [ScoreLabels(np.zeros(2))]),) * 2
    )
    assert wide.low < -2, "what explains nothing has no lowest score"


@pytest.mark.parametrize(("n", "ends"), [(2, (-1.0, 1.0)), (3, (-1.0, 1.0)), (4, (1.0, 1.0))])
@pytest.mark.parametrize("metric", ["pearson", "spearman"])
def test_two_points_lie_on_a_line_whatever_they_are(metric, n, ends):
    """Fisher's transformation has a variance of 1 / (n - 3)."""
    line = ScoreLabels(np.arange(n, dtype=np.float64))
    assert interval_of(metric, line, [line]) == ends


@given(st.integers(5, 400), st.sampled_from([0.0, 0.5, 1.0]))
def test_of_scores_that_all_tie_other_pairs_may_not(n, worth):
    """Of n pairs none was preferred: Wilson's interval of that share, of which each moves the score
    by a half; where all are right or wrong, by one.
    """
    most = wilson(0.0, n, t.ppf(0.975, n - 1))[1]
    expected = (worth - worth * most, worth + (1 - worth) * most)
    assert interval(np.full(n, worth)) == pytest.approx(expected)


@pytest.mark.parametrize("metric", ["pearson", "spearman"])
@given(st.integers(5, 400))
def test_a_correlation_with_what_does_not_vary_is_not_known_to_be_0(metric, n):
    """Of n predictions none is another. Where a small share s is, and gold lies a standard deviation
    off there, the two correlate by about the root of s; the most of s is Wilson's.
    """
    line, same = ScoreLabels(np.arange(n, dtype=np.float64)), ScoreLabels(np.ones(n))
    most = np.sqrt(wilson(0.0, n, t.ppf(0.975, n - 1))[1])
    for gold, said in ((line, same), (same, line), (same, same)):
        assert METRICS.make(metric)(gold, said) == 0
        assert interval_of(metric, gold, [said]) == pytest.approx((-most, most))


def test_a_tie_in_a_minimal_pair_counts_so():
    gold: Column = Classes(np.arange(100) % 2, NAMES)
    ties = Classes(np.full(100, 2), NAMES)
    low, high = interval_of("preference", gold, [ties])
    most = wilson(0.0, 100, t.ppf(0.975, 99))[1]
    assert (low, high) == pytest.approx((0.5 - most / 2, 0.5 + most / 2), abs=1e-3)


@pytest.mark.filterwarnings("error")
@given(st.integers(0, 10**6), st.integers(10, 700))
def test_rounding_leaves_a_constant_answer_no_correlation(seed, n):
    """Nor does any example move it far: another answer among n would."""
    gold = Classes(np.random.default_rng(seed).integers(0, 3, n), NAMES)
    same = Classes(np.zeros(n, np.int64), NAMES)
    mcc = METRICS.make("mcc")
    assert mcc(gold, same) == 0
    assert mcc.influences(gold, same) == pytest.approx(0, abs=1e-9)
