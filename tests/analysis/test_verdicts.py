"""What differences say of claims about their direction."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm, t

from lingprobe.analysis.verdicts import Estimate, mean, settled, sides, total, verdict
from lingprobe.metrics import holm

RATE = 0.05


def said(estimates, direction, within=0.0):
    what = settled(estimates, direction, within)
    return verdict(what, what.p)


def test_p_values_of_one_difference_are_those_of_students_t():
    one = Estimate(1.5, 0.8, 12)
    assert one.above(0) == pytest.approx(t.sf(1.5 / 0.8, 12))
    assert one.below(0) == pytest.approx(t.cdf(1.5 / 0.8, 12))
    assert settled([one], "above").p == pytest.approx(2 * t.sf(1.5 / 0.8, 12))
    low, high = one.interval
    assert (low, high) == pytest.approx(t.interval(0.95, 12, 1.5, 0.8))
    assert Estimate(1.5, 0.8).above(1) == pytest.approx(norm.sf(0.5 / 0.8))


def test_a_difference_without_doubt_is_told_and_none_is_not():
    assert said([Estimate(1.0, 0.0)], "above") == "supported"
    assert said([Estimate(0.0, 0.0)], "above") == "inconclusive"


@pytest.mark.parametrize("value", [-3.0, -0.2, 0.3, 4.0])
def test_the_other_direction_turns_the_verdict_round(value):
    turned = {
        "supported": "contradicted",
        "contradicted": "supported",
        "inconclusive": "inconclusive",
    }
    one = Estimate(value, 0.5)
    assert said([one], "below") == turned[said([one], "above")]
    assert said([Estimate(-value, 0.5)], "above") == said([one], "below")


def test_a_claim_of_several_needs_all_and_falls_by_one():
    clear, weak, against = Estimate(5, 0.5), Estimate(0.4, 0.5), Estimate(-5, 0.5)
    assert said([clear, clear], "above") == "supported"
    assert said([clear, weak], "above") == "inconclusive"
    assert said([clear, against], "above") == "contradicted"
    what = settled([clear, weak, against], "above")
    assert (what.decisive, what.agree) == (2, 2)
    assert settled([clear, weak], "above").decisive == 1


def test_alike_is_told_by_an_interval_inside_and_refuted_by_one_outside():
    assert said([Estimate(0.5, 0.5)], "alike", 3) == "supported"
    assert said([Estimate(2.5, 0.5)], "alike", 3) == "inconclusive"
    assert said([Estimate(-6.0, 0.5)], "alike", 3) == "contradicted"
    one = sides(Estimate(1.0, 1.0), "alike", 3)
    assert one.wrong == pytest.approx(norm.sf(2.0))
    assert one.right == pytest.approx(norm.sf(-2.0))


def test_sums_and_means_of_independent_differences():
    draws = np.random.default_rng(0)
    parts = [Estimate(1.0, 0.3, 8), Estimate(2.0, 0.5, 8), Estimate(3.0, 0.4, 8)]
    drawn = draws.normal([1, 2, 3], [0.3, 0.5, 0.4], (200_000, 3))
    assert total(parts).error == pytest.approx(drawn.sum(1).std(), rel=0.01)
    assert mean(parts).error == pytest.approx(drawn.mean(1).std(), rel=0.01)
    assert mean(parts).value == pytest.approx(2.0)
    assert 8 < total(parts).df < 24
    assert total([Estimate(1.0, 0.3), Estimate(1.0, 0.3)]).df == math.inf


@pytest.mark.parametrize("many", [1, 3])
@pytest.mark.parametrize("direction", ["above", "below"])
def test_of_claims_that_nothing_bears_out_one_table_in_twenty_has_a_false_alarm(many, direction):
    """Twelve claims a table, each of so many differences that are none; p corrected by Holm."""
    draws, tables, alarms = np.random.default_rng(many), 1500, 0
    for _ in range(tables):
        values = draws.normal(size=(12, many))
        whats = [settled([Estimate(float(v), 1.0) for v in row], direction) for row in values]
        corrected = holm([what.p for what in whats])
        alarms += any(
            verdict(what, float(p)) != "inconclusive"
            for what, p in zip(whats, corrected, strict=True)
        )
    assert alarms / tables <= RATE + 3 * math.sqrt(RATE * (1 - RATE) / tables)
    if many == 1:  # exact, so that it is not merely careful
        assert alarms / tables >= RATE - 3 * math.sqrt(RATE * (1 - RATE) / tables)


def test_alike_is_said_of_what_differs_by_just_as_much_no_more_than_it_may():
    draws = np.random.default_rng(3)
    values = draws.normal(3.0, 1.0, 20_000)
    found = np.mean(
        [said([Estimate(float(v), 1.0)], "alike", 3.0) != "inconclusive" for v in values]
    )
    assert found <= RATE + 0.005
