"""Claims about differences, and the family of comparisons, against the textbooks' definitions."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t

from lingprobe.analysis.contests import _of_all
from lingprobe_extensions.papers.verdicts import (
    DifferenceEstimate,
    combine_at_least,
    compute_evidence,
    judge_claim,
    sum_differences,
)

values = st.floats(-4, 4, allow_nan=False)
estimates = st.tuples(values, st.floats(0.1, 3), st.sampled_from([2.0, 5.0, 30.0]))


def tail(bound, value, error, df):
    """The p of a difference of at most the bound: how often one as large is found."""
    return t(df, bound, error).sf(value)


@given(estimates, st.floats(0, 3))
def test_each_direction_has_its_tails(one, within):
    found = DifferenceEstimate(*one)
    below = {bound: 1 - tail(bound, *one) for bound in (-within, within)}
    above = {bound: tail(bound, *one) for bound in (-within, within)}
    for direction, wrong, right, agrees in (
        ("above", above[-within], below[-within], one[0] > -within),
        ("below", below[within], above[within], one[0] < within),
        ("alike", max(above[-within], below[within]), min(above[within], below[-within]), abs(one[0]) <= within),
    ):  # fmt: skip
        what = compute_evidence(found, direction, within, 3)
        assert (what.wrong, what.right) == pytest.approx((wrong, right))
        assert (what.weakest, what.strongest, what.agrees) == (3, 3, agrees)
        assert what.p == pytest.approx(min(1, 2 * min(wrong, right)))
        assert what.supports == (what.wrong <= what.right)
    assert found.interval == pytest.approx(t(one[2], one[0], one[1]).interval(0.95))
    assert DifferenceEstimate(*one[:2]).interval == pytest.approx(norm(*one[:2]).interval(0.95))


def test_without_an_error_a_difference_is_on_one_side_of_a_bound():
    one = DifferenceEstimate(1.0, 0.0)
    assert [one.above(bound) for bound in (0.5, 1.0, 1.5)] == [0, 1, 1]
    assert [one.below(bound) for bound in (0.5, 1.0, 1.5)] == [1, 1, 0]
    assert compute_evidence(one, "above")[:4] == (0, 1, 0, 0)


@given(st.lists(estimates, min_size=1, max_size=5), st.data())
def test_at_least_so_many_are_true_unless_too_many_are_wrong_together(drawn, data):
    """The worst of all sets of n - k + 1, by Bonferroni (Benjamini & Heller 2008)."""
    n = len(drawn)
    k = data.draw(st.integers(1, n))
    parts = [
        compute_evidence(DifferenceEstimate(*one), "above", 0.0, i) for i, one in enumerate(drawn)
    ]
    what = combine_at_least(k, parts)
    for found, each, size in ((what.wrong, "wrong", n - k + 1), (what.right, "right", k)):
        sets = combinations([getattr(part, each) for part in parts], size)
        assert found == pytest.approx(max(min(1, size * min(some)) for some in sets))
    assert what.agrees == (sum(one[0] > 0 for one in drawn) >= k)
    assert what.decisive == (what.weakest if what.supports else what.strongest)


@given(st.lists(estimates, min_size=1, max_size=5))
def test_a_sum_has_the_sum_of_variances_and_satterthwaites_degrees(drawn):
    found = sum_differences([DifferenceEstimate(*one) for one in drawn])
    variance = sum(error**2 for _, error, _ in drawn)
    df = variance**2 / sum(error**4 / df for _, error, df in drawn)
    expected = (sum(value for value, *_ in drawn), variance**0.5, df)
    assert tuple(found) == pytest.approx(expected)


def test_a_verdict_is_open_from_five_percent_on():
    what = compute_evidence(DifferenceEstimate(3.0, 1.0), "above")
    assert [judge_claim(what, p) for p in (0.049, 0.05)] == ["supported", "inconclusive"]
    assert (
        judge_claim(compute_evidence(DifferenceEstimate(-3.0, 1.0), "above"), 0.01)
        == "contradicted"
    )


@given(st.lists(st.tuples(values, st.floats(0, 1)), min_size=1, max_size=5))
def test_better_than_all_needs_each_and_worse_than_one_is_corrected_for_all(drawn):
    """An intersection-union test (Berger 1982) of one side, Bonferroni on the other."""
    tests = [(SimpleNamespace(value=value, p=p), None) for value, p in drawn]
    better = max(p / 2 if value > 0 else 1 - p / 2 for value, p in drawn)
    worse = len(drawn) * min(1 - p / 2 if value > 0 else p / 2 for value, p in drawn)
    assert _of_all(tests) == pytest.approx(min(1, 2 * min(better, worse)))
