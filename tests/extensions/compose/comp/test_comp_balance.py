"""Shares of contrasts: rules come out at half and constructions keep their least share, evenly
where nothing forbids it, and rounding does not tip them.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from lingprobe_extensions.compose.comp.balance import (
    ShareBalance,
    balance_constructions,
    compute_shares,
    find_prices,
    round_shares,
)


def solved(balances: np.ndarray, slack: float) -> np.ndarray:
    n = balances.shape[1]
    return compute_shares(balances, find_prices(balances, np.full(n, slack), np.zeros(n, bool)))


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


NAMED = [{"marker": "not"}] * 2 + [{"marker": "no"}] * 5 + [{}]


def test_a_construction_keeps_its_least_share_whatever_a_tight_rule_wants():
    rule = np.array([[1.0]] * 2 + [[0.0]] * 6)  # always right about "not"
    given = balance_constructions(NAMED, {"marker": {"not": 0.4, "": 0.1}})
    found = given.plus(ShareBalance.of(rule, 2e-4)).solve_prices().shares()
    assert found[:2].sum() == pytest.approx(0.4, abs=1e-3)
    assert found[2:7].sum() > 0.1
    assert found[:2].sum() + rule[:, 0] @ found > 0.7  # which the rule gains by


def test_a_least_share_that_is_there_anyway_changes_nothing():
    given = balance_constructions(NAMED, {"marker": {"no": 0.3, "": 0.0}})
    assert given.solve_prices().shares() == pytest.approx(1 / 8)


def test_what_a_part_has_none_of_has_no_least_share():
    given = balance_constructions(NAMED, {"marker": {"not": 0.4, "": 0.1}})
    found = given.among([2, 3, 7]).shares()
    assert found == pytest.approx([1 / 3] * 3)


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_shares_are_those_that_a_general_solver_finds(seed):
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1.0, 0.0, 1.0], (12, 2))
    balances = np.concatenate([signs, -signs])
    half = ["a", "b", "c", *rng.choice(["a", "b", "c"], 9, p=[0.1, 0.3, 0.6])]
    kinds = [{"kind": name} for name in half * 2]  # as in the other half, so that there is a way
    least = {"kind": {"a": 0.3, "": 0.2}}
    own = (
        balance_constructions(kinds, least)
        .plus(ShareBalance.of(balances, 1e-7))
        .solve_prices()
        .shares()
    )
    names = np.array([tags["kind"] for tags in kinds])
    bounds = [(names == name, share) for name, share in (("a", 0.3), ("b", 0.2), ("c", 0.2))]
    reference = minimize(
        lambda x: float(x @ np.log(np.maximum(x, 1e-300))),
        np.full(24, 1 / 24),
        jac=lambda x: np.log(np.maximum(x, 1e-300)) + 1,
        bounds=[(0, 1)] * 24,
        constraints=[
            {"type": "eq", "fun": lambda x: x.sum() - 1},
            {"type": "eq", "fun": lambda x: balances[:, 0] @ x},
            {"type": "eq", "fun": lambda x: balances[:, 1] @ x},
            *(
                {"type": "ineq", "fun": lambda x, here=here, share=share: x[here].sum() - share}
                for here, share in bounds
            ),
        ],
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert reference.success
    assert own == pytest.approx(reference.x, abs=2e-3)


@given(BALANCES, st.integers(0, 500), st.integers(0, 99))
def test_whole_numbers_add_up_and_stay_near(balances, n, seed):
    weights = np.random.default_rng(seed).dirichlet(np.ones(len(balances)))
    found = round_shares(weights, n, balances)
    assert found.sum() == n
    assert np.abs(found - weights * n).max() < 1


def test_rounding_many_small_shares_keeps_the_balance():
    rng = np.random.default_rng(0)
    one = rng.choice([-1.0, 0.0, 1.0], (400, 3))
    balances = np.concatenate([one, -one])
    weights = solved(balances, 1e-6)
    assert np.abs(balances.T @ round_shares(weights, 150, balances)).max() <= 1


def test_prices_that_are_near_are_a_place_to_begin():
    balances = np.random.default_rng(1).normal(size=(60, 4))
    slack, least = np.full(4, 1e-3), np.zeros(4, bool)
    first = find_prices(balances, slack, least)
    assert find_prices(balances, slack, least, first + 0.5) == pytest.approx(first, abs=1e-6)
