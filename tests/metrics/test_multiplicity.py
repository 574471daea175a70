"""Corrections for several tests: against their definitions, against scipy, and in simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from lingprobe.data.errors import UsageProblem
from lingprobe.metrics import (
    P_VALUE_CORRECTIONS,
    benjamini_hochberg,
    correct_holm,
    correct_p_values,
)
from lingprobe.metrics.multiplicity import (
    INTERVAL_CORRECTIONS,
    SIGNIFICANCE_LEVEL,
    correct_bonferroni,
    false_discovery,
)

VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(VALUES)
def test_holm_s_correction_is_that_of_its_steps(p):
    """Step by step (Holm 1979): the smallest times n, the next times n - 1, never less than one
    before it, at most 1.
    """
    values, largest = correct_holm(p), 0.0
    for step, i in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        largest = max(largest, min(1.0, (len(p) - step) * p[i]))
        assert values[i] == pytest.approx(largest)


@given(VALUES)
def test_the_correction_of_benjamini_and_hochberg_is_scipy_s(p):
    assert benjamini_hochberg(p) == pytest.approx(false_discovery_control(p, method="bh"))


@pytest.mark.parametrize("correction", P_VALUE_CORRECTIONS)
def test_what_is_no_test_is_not_counted(correction):
    values = correct_p_values([0.01, math.nan, 0.04, math.nan], correction)
    assert values[[0, 2]].tolist() == correct_p_values([0.01, 0.04], correction).tolist()
    assert np.isnan(values[[1, 3]]).all()
    assert correct_p_values([], correction).tolist() == []


def test_the_given_values_stay_as_they_are():
    p = np.array([0.5, 0.01])
    assert correct_holm(p).tolist() == [0.5, 0.02]
    assert p.tolist() == [0.5, 0.01]


def test_a_correction_that_there_is_not():
    with pytest.raises(UsageProblem, match="no correction 'bonferroni': choose one of holm, bh"):
        correct_p_values([0.1], "bonferroni")


def test_how_often_any_alarm_is_false_and_how_many_of_the_alarms_are():
    """4,000 tables of 20 tests, 10 of which are of something: Holm keeps the share of tables with a
    false alarm at 5 %, Benjamini-Hochberg the share of false alarms, and finds more.
    """
    rng = np.random.default_rng(0)
    any_false, false_share, hits = {}, {}, {}
    p = rng.random((4000, 20))
    p[:, 10:] = p[:, 10:] ** 6  # of something: nearer to 0
    for name in P_VALUE_CORRECTIONS:
        alarms = np.array([correct_p_values(row, name) <= 0.05 for row in p])
        false = alarms[:, :10].sum(1)
        any_false[name] = float((false > 0).mean())
        false_share[name] = float((false / np.maximum(alarms.sum(1), 1)).mean())
        hits[name] = float(alarms[:, 10:].mean())
    assert any_false["holm"] <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 4000)
    assert any_false["holm"] > 0.02  # it is not idle
    assert 0.015 < false_share["bh"] <= 0.025 + 0.005  # half of the tests are of nothing
    assert any_false["bh"] > any_false["holm"]
    assert hits["bh"] > hits["holm"] > 0.3


@given(VALUES)
def test_bonferroni_s_correction_is_each_p_times_their_number(p):
    whole = correct_bonferroni(p)
    assert whole.p.tolist() == [min(1.0, len(p) * value) for value in p]
    assert whole.level == pytest.approx(0.05 / len(p))


@given(VALUES, st.integers(0, 5))
def test_an_interval_excludes_0_exactly_where_the_corrected_p_is_low(p, more):
    """At a level an interval excludes 0 where the p of its own test is below that level."""
    for correct in INTERVAL_CORRECTIONS.values():
        whole = correct(p, len(p) + more)
        for value, corrected_value in zip(p, whole.p, strict=True):
            if abs(value - whole.level) > 1e-12:
                assert (value < whole.level) == (corrected_value < SIGNIFICANCE_LEVEL)


def test_intervals_after_benjamini_and_hochberg_are_at_the_level_of_those_that_are_selected():
    """Benjamini & Yekutieli 2005, section 3.2: 1 - R q / m for R of m selected."""
    p = [0.001, 0.012, 0.03, 0.2, 0.9]
    selected = max(i for i, value in enumerate(sorted(p), 1) if value <= 0.05 * i / 5)
    assert selected == 3
    assert false_discovery(p).level == pytest.approx(0.05 * selected / 5)
    assert false_discovery([0.5, 0.9]).level == pytest.approx(0.05 / 2)
    assert false_discovery(p[:2], 5).p.tolist() == pytest.approx([0.005, 0.03])


def test_of_one_test_and_of_none_the_level_is_that_of_one():
    for correct in INTERVAL_CORRECTIONS.values():
        for p in ([0.5], [], [math.nan, 0.5]):
            assert correct(p, 0).level == pytest.approx(0.05)
        assert np.isnan(correct([math.nan, 0.5], 0).p).tolist() == [True, False]
        assert correct([math.nan, 0.5], 4).level == pytest.approx(0.05 / 4)


def test_what_has_a_corrected_p_of_exactly_the_level_is_not_selected():
    assert false_discovery([0.05, 0.05]).level == pytest.approx(0.05 / 2)
    assert false_discovery([0.025, 0.04]).level == pytest.approx(0.05)
