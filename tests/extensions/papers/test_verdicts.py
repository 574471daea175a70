"""What differences say of claims about their direction."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm, t

from lingprobe.metrics import correct_holm
from lingprobe_extensions.papers.verdicts import (
    DifferenceEstimate,
    combine_at_least,
    compute_evidence,
    judge_claim,
    sum_differences,
)

RATE = 0.05


def weighed(estimates, direction, within=0.0, k=None):
    parts = [compute_evidence(one, direction, within, i) for i, one in enumerate(estimates)]
    return combine_at_least(len(parts) if k is None else k, parts)


def said(estimates, direction, within=0.0, k=None):
    what = weighed(estimates, direction, within, k)
    return judge_claim(what, what.p)


def test_p_values_of_one_difference_are_those_of_students_t():
    one = DifferenceEstimate(1.5, 0.8, 12)
    assert one.above(0) == pytest.approx(t.sf(1.5 / 0.8, 12))
    assert one.below(0) == pytest.approx(t.cdf(1.5 / 0.8, 12))
    assert weighed([one], "above").p == pytest.approx(2 * t.sf(1.5 / 0.8, 12))
    low, high = one.interval
    assert (low, high) == pytest.approx(t.interval(0.95, 12, 1.5, 0.8))
    assert DifferenceEstimate(1.5, 0.8).above(1) == pytest.approx(norm.sf(0.5 / 0.8))


def test_a_difference_without_doubt_is_told_and_none_is_not():
    assert said([DifferenceEstimate(1.0, 0.0)], "above") == "supported"
    assert said([DifferenceEstimate(0.0, 0.0)], "above") == "inconclusive"


@pytest.mark.parametrize("value", [-3.0, -0.2, 0.3, 4.0])
def test_the_other_direction_turns_the_verdict_round(value):
    turned = {
        "supported": "contradicted",
        "contradicted": "supported",
        "inconclusive": "inconclusive",
    }
    one = DifferenceEstimate(value, 0.5)
    assert said([one], "below") == turned[said([one], "above")]
    assert said([DifferenceEstimate(-value, 0.5)], "above") == said([one], "below")


def test_a_claim_of_several_needs_all_and_falls_by_one():
    clear, weak, against = (
        DifferenceEstimate(5, 0.5),
        DifferenceEstimate(0.4, 0.5),
        DifferenceEstimate(-5, 0.5),
    )
    assert said([clear, clear], "above") == "supported"
    assert said([clear, weak], "above") == "inconclusive"
    assert said([clear, against], "above") == "contradicted"
    assert weighed([clear, weak, against], "above").decisive == 2
    assert weighed([clear, weak], "above").decisive == 1


def test_a_claim_of_most_needs_more_than_half():
    clear, weak, against = (
        DifferenceEstimate(5, 0.5),
        DifferenceEstimate(0.4, 0.5),
        DifferenceEstimate(-5, 0.5),
    )
    assert said([clear, clear, weak], "above", k=2) == "supported"
    assert said([clear, clear, against], "above", k=2) == "supported"
    assert said([clear, weak, against], "above", k=2) == "inconclusive"
    assert said([clear, against, against], "above", k=2) == "contradicted"
    assert weighed([against, clear, DifferenceEstimate(3, 0.5)], "above", k=2).decisive == 2
    assert [weighed([clear, clear, against], "above", k=k).agrees for k in (1, 2, 3)] == [
        True,
        True,
        False,
    ]


def test_above_with_a_margin_allows_so_much_on_the_other_side():
    assert said([DifferenceEstimate(-1.0, 0.5)], "above", 3) == "supported"
    assert said([DifferenceEstimate(1.0, 0.5)], "below", 3) == "supported"
    assert said([DifferenceEstimate(9.0, 0.5)], "above", 3) == "supported"
    assert said([DifferenceEstimate(2.5, 0.5)], "below", 3) == "inconclusive"
    assert said([DifferenceEstimate(5.0, 0.5)], "below", 3) == "contradicted"
    one = compute_evidence(DifferenceEstimate(1.0, 1.0), "below", 3)
    assert (one.wrong, one.right) == pytest.approx((norm.sf(2.0), norm.sf(-2.0)))


@pytest.mark.parametrize("k", range(1, 7))
def test_a_partial_conjunction_is_the_worst_choice_of_those_that_may_be_wrong(k):
    """Benjamini & Heller 2008: over all sets of n - k + 1, the Bonferroni p value of the set."""
    draws = np.random.default_rng(k)
    estimates = [DifferenceEstimate(float(v), 1.0) for v in draws.normal(1.5, 1.5, 6)]
    what = weighed(estimates, "above", k=k)
    for p, values, many in (
        (what.wrong, [norm.sf(one.value) for one in estimates], 6 - k + 1),
        (what.right, [norm.cdf(one.value) for one in estimates], k),
    ):
        sets = [min(1.0, many * min(chosen)) for chosen in combinations(values, many)]
        assert p == pytest.approx(max(sets))


def test_one_of_several_is_best_if_all_its_comparisons_hold():
    """Two rows against three others: the better row counts, twice; both fall if each has one above
    it.
    """
    values = [[2.5, 3.0, 4.0], [0.5, 1.0, -1.0]]
    rows = [weighed([DifferenceEstimate(v, 1.0) for v in mine], "above") for mine in values]
    best = combine_at_least(1, rows)
    assert best.wrong == pytest.approx(2 * norm.sf(2.5))
    assert best.right == 1.0
    beaten = combine_at_least(
        1, [weighed([DifferenceEstimate(v, 1.0) for v in (-3.0, 1.0)], "above"), rows[1]]
    )
    assert beaten.right == pytest.approx(max(2 * norm.cdf(-3.0), 3 * norm.cdf(-1.0)))


def test_all_counts_that_are_supported_are_those_that_holms_procedure_rejects():
    """The bound on the number of true claims by closed testing (Goeman & Solari 2011)."""
    draws = np.random.default_rng(7)
    for _ in range(50):
        estimates = [DifferenceEstimate(float(v), 1.0) for v in draws.normal(2.0, 1.5, 8)]
        wrong = [weighed(estimates, "above", k=k).wrong for k in range(1, 9)]
        bound = next((k for k, p in enumerate(wrong) if p > RATE), 8)
        assert bound == sum(
            p <= RATE for p in correct_holm([norm.sf(one.value) for one in estimates])
        )


@pytest.mark.parametrize("shared", [0.0, 0.7])
@pytest.mark.parametrize(("true", "k"), [(10, 11), (3, 4), (0, 1), (19, 20)])
def test_of_too_few_true_claims_enough_are_rarely_supported(true, k, shared):
    """Twenty comparisons, all but `true` of them on the border, independent or with an encoder in
    common.
    """
    draws, tables = np.random.default_rng(k), 500
    common = draws.normal(size=(tables, 1))
    values = math.sqrt(shared) * common + math.sqrt(1 - shared) * draws.normal(size=(tables, 20))
    values[:, :true] += 20.0
    alarms = sum(
        said([DifferenceEstimate(float(v), 1.0) for v in row], "above", k=k) == "supported"
        for row in values
    )
    assert alarms / tables <= RATE / 2 + 3 * math.sqrt(RATE / 2 / tables)


def test_alike_is_told_by_an_interval_inside_and_refuted_by_one_outside():
    assert said([DifferenceEstimate(0.5, 0.5)], "alike", 3) == "supported"
    assert said([DifferenceEstimate(2.5, 0.5)], "alike", 3) == "inconclusive"
    assert said([DifferenceEstimate(-6.0, 0.5)], "alike", 3) == "contradicted"
    one = compute_evidence(DifferenceEstimate(1.0, 1.0), "alike", 3)
    assert one.wrong == pytest.approx(norm.sf(2.0))
    assert one.right == pytest.approx(norm.sf(-2.0))


def test_sums_of_independent_differences():
    draws = np.random.default_rng(0)
    parts = [
        DifferenceEstimate(1.0, 0.3, 8),
        DifferenceEstimate(2.0, 0.5, 8),
        DifferenceEstimate(3.0, 0.4, 8),
    ]
    drawn = draws.normal([1, 2, 3], [0.3, 0.5, 0.4], (200_000, 3))
    assert sum_differences(parts).error == pytest.approx(drawn.sum(1).std(), rel=0.01)
    assert sum_differences(parts).value == pytest.approx(6.0)
    squares = [0.3**2, 0.5**2, 0.4**2]  # Satterthwaite 1946
    assert sum_differences(parts).df == pytest.approx(
        sum(squares) ** 2 / sum(s**2 / 8 for s in squares)
    )
    assert (
        sum_differences([DifferenceEstimate(1.0, 0.3), DifferenceEstimate(1.0, 0.3)]).df == math.inf
    )


@pytest.mark.parametrize("many", [1, 3])
@pytest.mark.parametrize("direction", ["above", "below"])
def test_of_claims_that_nothing_bears_out_one_table_in_twenty_has_a_false_alarm(many, direction):
    """Twelve claims a table, each of so many differences that are none; p corrected by Holm."""
    draws, tables, alarms = np.random.default_rng(many), 1500, 0
    for _ in range(tables):
        values = draws.normal(size=(12, many))
        whats = [
            weighed([DifferenceEstimate(float(v), 1.0) for v in row], direction) for row in values
        ]
        corrected = correct_holm([what.p for what in whats])
        alarms += any(
            judge_claim(what, float(p)) != "inconclusive"
            for what, p in zip(whats, corrected, strict=True)
        )
    assert alarms / tables <= RATE + 3 * math.sqrt(RATE * (1 - RATE) / tables)
    if many == 1:  # exact, so that it is not merely careful
        assert alarms / tables >= RATE - 3 * math.sqrt(RATE * (1 - RATE) / tables)


def test_alike_is_said_of_what_differs_by_just_as_much_no_more_than_it_may():
    draws = np.random.default_rng(3)
    values = draws.normal(3.0, 1.0, 20_000)
    found = np.mean(
        [said([DifferenceEstimate(float(v), 1.0)], "alike", 3.0) != "inconclusive" for v in values]
    )
    assert found <= RATE + 0.005
