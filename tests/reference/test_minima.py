"""The search of linear probes against plain loops, step by step."""

from __future__ import annotations

from math import cosh, sinh

import pytest
import torch

from lingprobe.probes.logreg import descent
from reference import minima


def valley(p):
    """Rosenbrock's, in which steps have to shrink."""
    x, y = p
    return (
        (1 - x) ** 2 + 100 * (y - x * x) ** 2 + 1e-9,
        [2 * (x - 1) - 400 * x * (y - x * x), 200 * (y - x * x)],
    )


def bowl(p):
    """One that is far steeper on its walls than at its ground, and has a large value there."""
    return 5 + sum(cosh(x - 3) for x in p), [sinh(x - 3) for x in p]


def saddle(p):
    """One that bends downwards at the start."""
    x, y = p
    return (x * x - 1) ** 2 + (y - x) ** 2, [4 * x * (x * x - 1) - 2 * (y - x), 2 * (y - x)]


PROBLEMS = [(valley, [-1.2, 1.0]), (bowl, [9.0, -4.0]), (saddle, [0.02, 0.3]), (bowl, [3.0, 3.1])]


@pytest.mark.parametrize(("memory", "tolerance"), [(12, 1e-9), (2, 1e-3)])
def test_searches_in_lockstep_come_through_the_same_places(memory, tolerance, monkeypatch):
    monkeypatch.setattr(descent, "MOVES", memory)

    def objective(places, numbers):
        found = [
            PROBLEMS[k][0](place)
            for place, k in zip(places.tolist(), numbers.tolist(), strict=True)
        ]
        values, slopes = zip(*found, strict=True)
        return (torch.tensor(each, dtype=torch.float64) for each in (values, slopes))

    start = torch.tensor([each for _, each in PROBLEMS], dtype=torch.float64)
    search = descent.Search.begin(objective, start)
    came = [[] for _ in PROBLEMS]
    while not search.over:
        going = search.going.tolist()
        search.step(objective, tolerance)
        for k in going:
            came[k].append(search.place[k].tolist())
    for found, (one, begun) in zip(came, PROBLEMS, strict=True):
        expected = minima.descent(one, begun, tolerance, memory)
        assert len(found) == len(expected)
        for mine, theirs in zip(found, expected, strict=True):
            assert mine == pytest.approx(theirs, rel=1e-6, abs=1e-9)


def test_a_search_that_does_not_end_is_ended(monkeypatch):
    def falling(places, numbers):
        return -places.sum(1), -torch.ones_like(places)

    search = descent.Search.begin(falling, torch.ones(1, 2, dtype=torch.float64))
    while not search.over:
        search.step(falling, 1e-9)
    assert search.steps == 300


def test_where_no_step_brings_anything_none_is_taken():
    """A gradient that points the wrong way."""

    def wrong(places, numbers):
        return places.square().sum(1), -places

    start = torch.tensor([[2.0, 1.0]], dtype=torch.float64)
    search = descent.Search.begin(wrong, start)
    while not search.over:
        search.step(wrong, 1e-9)
    assert search.place.tolist() == start.tolist()
    assert search.steps == 2
