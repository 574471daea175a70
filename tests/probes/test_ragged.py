"""Sums over spans without padding: what they are, that no span depends on another, and their
gradients.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.vectors import expand_ranges
from lingprobe.probes.span.spans import (
    compute_mean_weights,
    make_ragged,
    pool_highest,
    softmax_pairs,
    sum_spans,
)


@st.composite
def spans(draw):
    """Units with logits, and spans over them, some of them empty or the same."""
    units = draw(st.integers(1, 12))
    found = [
        (start, draw(st.integers(start, units)))
        for start in draw(st.lists(st.integers(0, units), min_size=1, max_size=8))
    ]
    rng = np.random.default_rng(draw(st.integers(0, 5)))
    logits = draw(st.sampled_from([1.0, 80.0])) * rng.choice([-1.0, 1.0], units) + rng.normal(
        size=units
    )
    return (
        rng.normal(size=(units, 3)).astype(np.float32),
        logits.astype(np.float32),
        np.array(found),
    )


def pairs_of(found, units):
    return make_ragged(*expand_ranges(found[:, 0], found[:, 1]), units)


def pooled(kind, x, logits, found):
    pairs, x, logits = pairs_of(found, len(x)), torch.from_numpy(x), torch.from_numpy(logits)
    if kind == "max":
        return pool_highest(x, pairs).numpy()
    weights = {
        "attention": lambda: softmax_pairs(logits[pairs.units], pairs),
        "mean": lambda: compute_mean_weights(pairs, x),
        "sum": lambda: None,
    }[kind]()
    return sum_spans(x, pairs, weights).numpy()


def slowly(kind, x, logits, start, stop):
    """One span, as the definition has it, in double precision."""
    rows, asked = x[start:stop].astype(np.float64), logits[start:stop].astype(np.float64)
    if not len(rows):
        return np.zeros(x.shape[1])
    shares = np.exp(asked - asked.max())
    return {
        "attention": (shares / shares.sum()) @ rows,
        "mean": rows.mean(0),
        "sum": rows.sum(0),
        "max": rows.max(0),
    }[kind]


KINDS = ("attention", "mean", "sum", "max")


@pytest.mark.parametrize("kind", KINDS)
@given(case=spans())
def test_spans_are_pooled_as_defined(kind, case):
    x, logits, found = case
    expected = [slowly(kind, x, logits, *span) for span in found]
    np.testing.assert_allclose(pooled(kind, x, logits, found), expected, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@given(case=spans())
def test_a_span_is_the_same_bits_in_any_company(kind, case):
    x, logits, found = case
    together = pooled(kind, x, logits, found)
    for i, span in enumerate(found):
        assert np.array_equal(pooled(kind, x, logits, span[None])[0], together[i])


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_are_those_of_the_sums(kind):
    rng = np.random.default_rng(0)
    found = np.array([(0, 3), (2, 2), (1, 6), (4, 5), (1, 6)])
    pairs = pairs_of(found, 6)
    x = torch.tensor(rng.normal(size=(6, 2)), requires_grad=True)
    logits = torch.tensor(rng.normal(size=6), requires_grad=True)
    pools = {
        "attention": lambda x, logits: sum_spans(
            x, pairs, softmax_pairs(logits[pairs.units], pairs)
        ),
        "mean": lambda x, _: sum_spans(x, pairs, compute_mean_weights(pairs, x)),
        "sum": lambda x, _: sum_spans(x, pairs),
        "max": lambda x, _: pool_highest(x, pairs),
    }
    assert torch.autograd.gradcheck(pools[kind], (x, logits))


def padded(kind, x, logits, found):
    """What is pooled of padded spans by torch's own operations, for its gradients; ties of a
    maximum share theirs evenly (`amax`).
    """
    many = max(1, int((found[:, 1] - found[:, 0]).max()))
    places = np.minimum(found[:, :1] + np.arange(many), len(x) - 1)
    inside = torch.from_numpy(found[:, :1] + np.arange(many) < found[:, 1:])
    units, some = x[places], inside.any(1)
    if kind == "max":
        return torch.where(
            some[:, None], units.masked_fill(~inside[:, :, None], -torch.inf).amax(1), 0.0
        )
    asked = {"attention": logits[places], "mean": torch.zeros(places.shape, dtype=x.dtype)}.get(
        kind
    )
    if asked is None:
        return (units * inside[:, :, None]).sum(1)
    shares = (
        torch.where(some[:, None], asked.masked_fill(~inside, -torch.inf), 0.0).softmax(1) * inside
    )
    return (units * shares[:, :, None]).sum(1)


@pytest.mark.parametrize("kind", KINDS)
@given(case=spans(), levels=st.sampled_from([1, 2, 5]), slope=st.integers(0, 5))
def test_gradients_are_those_of_padded_spans_where_units_are_alike_too(kind, case, levels, slope):
    _, logits, found = case
    rng = np.random.default_rng(slope)
    # few levels: many ties, and units that are the same vector
    x = rng.integers(levels, size=(len(logits), 3)) - levels / 2
    given = [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in (x, logits)]
    pairs, along = pairs_of(found, len(x)), torch.from_numpy(rng.normal(size=(len(found), 3)))
    weights = {
        "attention": lambda: softmax_pairs(given[1][pairs.units], pairs),
        "mean": lambda: compute_mean_weights(pairs, given[0]),
        "sum": lambda: None,
    }
    ours = (
        pool_highest(given[0], pairs)
        if kind == "max"
        else sum_spans(given[0], pairs, weights[kind]())
    )
    theirs = padded(kind, *given, found)
    for a, b in zip(
        *(torch.autograd.grad(one, given, along, allow_unused=True) for one in (ours, theirs)),
        strict=True,
    ):
        np.testing.assert_allclose(
            *(np.zeros(1) if g is None else g.numpy() for g in (a, b)), atol=1e-12
        )


def test_sharp_logits_neither_overflow_nor_leak():
    x = np.array([[1.0], [2.0], [4.0]], np.float32)
    logits = np.array([-80.0, -81.0, 80.0], np.float32)
    found = pooled("attention", x, logits, np.array([(0, 2), (0, 3)]))
    assert found[0, 0] == pytest.approx(1 + 1 / (1 + np.e))
    assert found[1, 0] == 4.0
