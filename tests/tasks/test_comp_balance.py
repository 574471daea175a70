"""Shares of contrasts: rules come out at half, evenly where nothing forbids it, and rounding does
not tip them.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lingprobe.tasks.comp.balance import counted, prices, shares


def solved(balances: np.ndarray, slack: float) -> np.ndarray:
    return shares(balances, prices(balances, np.full(balances.shape[1], slack)))


BALANCES = st.tuples(st.integers(2, 30), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]))
)


@given(BALANCES)
def test_what_can_be_balanced_is(balances):
    both = np.concatenate([balances, -balances])  # so that there is a way
    found = solved(both, 2e-4)
    assert found.sum() == pytest.approx(1)
    assert (found > 0).all()
    assert np.abs(both.T @ found).max() < 0.01


@given(BALANCES)
def test_shares_are_even_where_no_rule_says_anything(balances):
    found = solved(np.zeros_like(balances), 2e-4)
    assert found == pytest.approx(1 / len(balances))


def test_a_rule_that_is_right_once_too_often_is_outweighed():
    found = solved(np.array([[1.0], [1.0], [-1.0]]), 1e-6)
    assert found == pytest.approx([0.25, 0.25, 0.5], abs=1e-3)


def test_what_cannot_be_balanced_is_not_driven_out_for_a_loose_rule():
    tight, loose = (solved(np.array([[1.0], [1.0], [0.0]]), slack) for slack in (1e-4, 0.1))
    assert tight[0] < 0.01
    assert loose[0] > 0.05
    assert tight[2] > loose[2]


@given(BALANCES, st.integers(0, 500), st.integers(0, 99))
def test_whole_numbers_add_up_and_stay_near(balances, n, seed):
    weights = np.random.default_rng(seed).dirichlet(np.ones(len(balances)))
    found = counted(weights, n, balances)
    assert found.sum() == n
    assert np.abs(found - weights * n).max() < 1


def test_rounding_many_small_shares_keeps_the_balance():
    rng = np.random.default_rng(0)
    one = rng.choice([-1.0, 0.0, 1.0], (400, 3))
    balances = np.concatenate([one, -one])
    weights = solved(balances, 1e-6)
    assert np.abs(balances.T @ counted(weights, 150, balances)).max() <= 1


def test_prices_that_are_near_are_a_place_to_begin():
    balances = np.random.default_rng(1).normal(size=(60, 4))
    slack = np.full(4, 1e-3)
    first = prices(balances, slack)
    assert prices(balances, slack, first + 0.5) == pytest.approx(first, abs=1e-6)
