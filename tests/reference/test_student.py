"""Student's t against scipy, over all degrees of freedom that occur and some that do not."""

from __future__ import annotations

import math
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtr, stdtrit

from lingprobe.metrics.student import t_cdf, t_density, t_quantile, t_tail

DEGREES = st.floats(0.6, 1e6)


@given(DEGREES, st.floats(1e-6, 1e3))
def test_tails_are_those_of_scipy(df, t):
    known = float(stdtr(df, -t))
    assert t_tail(df, t) == pytest.approx(known, rel=1e-8, abs=1e-290)
    assert t_cdf(df, -t) == pytest.approx(known, rel=1e-8, abs=1e-290)
    assert t_cdf(df, t) == pytest.approx(1 - known, rel=1e-12)


@given(DEGREES, st.floats(1e-6, 1 - 1e-6))
def test_quantiles_are_those_of_scipy(df, share):
    found = t_quantile(df, share)
    assert found == pytest.approx(float(stdtrit(df, share)), rel=1e-8, abs=1e-9)
    assert t_cdf(df, found) == pytest.approx(share, rel=1e-9)


@given(st.floats(1e-9, 1 - 1e-9))
def test_infinitely_many_degrees_are_the_normal_distribution(share):
    found = t_quantile(math.inf, share)
    assert found == pytest.approx(NormalDist().inv_cdf(share), rel=1e-7, abs=1e-9)
    assert t_quantile(1e7, share) == pytest.approx(found, rel=1e-4, abs=1e-9)


@given(DEGREES, st.floats(0.0, 40.0))
def test_the_density_is_the_slope_of_the_tail(df, t):
    step = 1e-4 * (1 + t)
    slope = (t_cdf(df, t + step) - t_cdf(df, t - step)) / (2 * step)
    assert t_density(df, t) == pytest.approx(slope, rel=1e-4, abs=1e-9)


def test_ends():
    assert t_tail(3.0, 0.0) == t_cdf(3.0, 0.0) == 0.5
    assert t_tail(3.0, math.inf) == t_tail(math.inf, math.inf) == 0
    assert t_quantile(3.0, 0.5) == 0
    assert t_quantile(3.0, 1.0) == math.inf
    assert t_quantile(3.0, 0.0) == -math.inf
    for values in ((math.nan, 1.0), (3.0, math.nan)):
        assert math.isnan(t_tail(*values))
        assert math.isnan(t_quantile(*values))
