"""Strata with the same labels: what differs by labels alone does not differ there, and what differs otherwise does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.core import Result, Tags, Trial
from sonde.metrics import METRICS
from sonde.report import by_stratum, strata_table
from sonde.report.mix import FEWEST, mix_of, standardised
from sonde.report.terminal import terminal
from sonde.targets import Classes, Column, Scores, as_sets, column

NAMES = ("easy", "hard", "other")
RIGHT = {"easy": 0.9, "hard": 0.5, "other": 0.7}


def answers(counts: dict[str, int], right: dict[str, float] = RIGHT, sets: bool = False) -> tuple[Column, Column]:
    """So many examples of each label, of which just this share is right and the rest answered with the next label."""
    ids = np.repeat(np.arange(3), [counts.get(name, 0) for name in NAMES])
    places = np.concatenate([np.arange(counts.get(name, 0)) for name in NAMES])
    hit = places < np.round([right[NAMES[i]] * counts[NAMES[i]] for i in ids])
    said = Classes(np.where(hit, ids, (ids + 1) % 3), NAMES)
    return Classes(ids, NAMES), as_sets(said) if sets else said


def result(strata: dict[str, tuple[Column, Column]], metric: str = "accuracy") -> Result:
    gold = Classes(np.concatenate([g.matrix() for g, _ in strata.values()]), NAMES)
    predicted = Classes(np.concatenate([p.matrix() for _, p in strata.values()]), NAMES)
    tags = Tags(np.repeat(np.arange(len(strata)), [len(g) for g, _ in strata.values()]), tuple(strata))
    trial = Trial("edge/dep:X", "hf:m", "mix", "span", "none", 0)
    score = METRICS.make(metric)(gold, predicted)
    return Result(trial, metric, score, score - 0.05, score + 0.05, 0.5, gold, predicted, {}, {"distance": tags})


@pytest.mark.parametrize("metric", ["accuracy", "micro-f1", "macro-f1", "mcc", "micro-f1,without=other", "micro-f1,only=hard"])
@pytest.mark.parametrize("sets", [False, True])
def test_strata_that_differ_by_how_frequent_labels_are_score_alike_at_one_mix(metric, sets):
    if metric == "accuracy" and sets:
        return
    near, far = answers({"easy": 800, "hard": 100, "other": 100}, sets=sets), answers({"easy": 100, "hard": 600, "other": 300}, sets=sets)
    mix = mix_of([near[0], far[0]])
    made = METRICS.make(metric)
    found = [standardised(made, gold, mix)(gold, predicted) for gold, predicted in (near, far)]
    assert found[0] == pytest.approx(found[1])
    assert abs(made(*near) - made(*far)) > 0.02


def test_the_score_at_one_mix_is_that_of_examples_of_which_each_counts_its_weight():
    near, far = answers({"easy": 60, "hard": 20, "other": 20}), answers({"easy": 20, "hard": 60, "other": 20})
    mix = mix_of([near[0], far[0]])
    assert mix.shares == pytest.approx({"easy": 0.4, "hard": 0.4, "other": 0.2})
    assert standardised(METRICS.make("accuracy"), *near[:1], mix)(*near) == pytest.approx(0.4 * 0.9 + 0.4 * 0.5 + 0.2 * 0.7)


@given(st.lists(st.integers(FEWEST, 40), min_size=3, max_size=3), st.sampled_from(["accuracy", "micro-f1", "mcc"]))
def test_where_labels_are_as_frequent_the_score_stays_what_it_is(counts, metric):
    gold, predicted = answers(dict(zip(NAMES, counts, strict=True)))
    made = METRICS.make(metric)
    mix = mix_of([gold, gold])
    assert mix.covers == 1
    assert standardised(made, gold, mix)(gold, predicted) == pytest.approx(made(gold, predicted))


def test_labels_that_some_stratum_hardly_has_do_not_count():
    near, far = answers({"easy": 50, "hard": 50, "other": 10}), answers({"easy": 20, "hard": 20, "other": FEWEST - 1})
    mix = mix_of([near[0], far[0]])
    assert set(mix.shares) == {"easy", "hard"}
    assert mix.covers == pytest.approx(140 / (150 + FEWEST - 1))
    assert standardised(METRICS.make("accuracy"), *far[:1], mix)(*far) == pytest.approx((70 * 0.9 + 70 * 0.5) / 140)


def test_where_strata_share_too_little_there_is_none():
    only = [answers({name: 50})[0] for name in NAMES]
    assert mix_of(only) is None
    assert mix_of([answers({"easy": 50, "hard": 50, "other": 50})[0]]) is None
    numbers = Scores(np.linspace(0, 1, 20).astype(np.float32))
    assert mix_of([numbers, numbers]) is None


def test_sets_are_as_frequent_as_sets():
    near = column([frozenset("a")] * 30 + [frozenset("ab")] * 10 + [frozenset()] * 10)
    far = column([frozenset("a")] * 10 + [frozenset("ab")] * 10 + [frozenset()] * 30)
    assert mix_of([near, far]).shares == pytest.approx({"": 0.4, "a": 0.4, "a+b": 0.2})


def test_a_table_by_strata_has_both_scores_and_says_what_they_are():
    near, far = answers({"easy": 80, "hard": 20, "other": 20}), answers({"easy": 20, "hard": 80, "other": 20})
    found = by_stratum([result({"1": near, "2": far})], "distance")
    assert found[0].score > found[1].score + 15
    assert found[0].matched == pytest.approx(found[1].matched)
    assert all(row.matched_low < row.matched < row.matched_high for row in found)
    text = terminal(strata_table(found, "distance"))
    assert "one mix" in text
    assert "100 % of the examples" in text


def test_a_table_whose_strata_share_no_labels_says_that_scores_may_differ_for_that_alone():
    found = by_stratum([result({name: answers({name: 50}) for name in NAMES})], "distance")
    assert np.isnan([row.matched for row in found]).all()
    text = terminal(strata_table(found, "distance"))
    assert "one mix" not in text
    assert "for that alone" in text


def test_intervals_at_one_mix_hold_what_they_should():
    rng, inside = np.random.default_rng(5), 0
    expected = 100 * (0.5 * 0.9 + 0.35 * 0.5 + 0.15 * 0.7)
    for _ in range(60):
        strata = {}
        for name, shares in {"1": (70, 20, 10), "2": (30, 50, 20)}.items():
            ids = np.repeat(np.arange(3), [4 * n for n in shares])
            hit = rng.random(len(ids)) < np.array(list(RIGHT.values()))[ids]
            strata[name] = (Classes(ids, NAMES), Classes(np.where(hit, ids, (ids + 1) % 3), NAMES))
        (_, row) = by_stratum([result(strata)], "distance")
        inside += row.matched_low <= expected <= row.matched_high
    assert 53 <= inside <= 60
