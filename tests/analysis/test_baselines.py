"""What strata score for their labels alone, and beyond: what differs by labels alone is expected,
and what differs otherwise is not.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.results import saying
from fixtures.scored import to_frame, to_scores
from fixtures.scored import to_scores as rows_of
from lingprobe.analysis.baselines import (
    balance_label_weights,
    compute_advantages,
    constant_rows,
    expected_metric,
)
from lingprobe.data.core import Result, Tags, Trial
from lingprobe.data.labels import Classes, Column, ScoreLabels, build_column
from lingprobe.metrics import METRICS
from lingprobe.pages.breakdown import compute_stratum_rows, strata_table
from lingprobe.tables.formats import format_terminal_table

NAMES = ("easy", "hard", "other")
RIGHT = {"easy": 0.9, "hard": 0.5, "other": 0.7}
JUDGED = ["accuracy", "micro-f1", "macro-f1", "mcc", "micro-f1,without=other", "micro-f1,only=hard"]


def answers(
    counts: dict[str, int], right: dict[str, float] = RIGHT, sets: bool = False
) -> tuple[Column, Column]:
    """So many examples of each label, of which just this share is right and the rest answered with
    the next label.
    """
    ids = np.repeat(np.arange(3), [counts.get(name, 0) for name in NAMES])
    places = np.concatenate([np.arange(counts.get(name, 0)) for name in NAMES])
    hit = places < np.round([right[NAMES[i]] * counts[NAMES[i]] for i in ids])
    said = Classes(np.where(hit, ids, (ids + 1) % 3), NAMES)
    return Classes(ids, NAMES), said.sets() if sets else said


def both(
    one: tuple[Column, Column], other: tuple[Column, Column], sets: bool = False
) -> tuple[Column, Column]:
    gold, said = (
        Classes(np.concatenate([a.ids, b.ids]), NAMES) for a, b in zip(one, other, strict=True)
    )  # type: ignore[attr-defined]
    return gold, said.sets() if sets else said


def result(strata: dict[str, tuple[Column, Column]], metric: str = "accuracy") -> Result:
    gold = Classes(np.concatenate([g.matrix() for g, _ in strata.values()]), NAMES)
    predicted = Classes(np.concatenate([p.matrix() for _, p in strata.values()]), NAMES)
    tags = Tags(
        np.repeat(np.arange(len(strata)), [len(g) for g, _ in strata.values()]), tuple(strata)
    )
    trial = Trial("edge/dep:X", "hf:m", "mix", "span", "none", 0)
    score = METRICS.make(metric)(gold, predicted)
    return Result(
        trial,
        metric,
        score,
        score - 0.05,
        score + 0.05,
        0.5,
        gold,
        predicted,
        {},
        {"distance": tags},
    )


@pytest.mark.parametrize("metric", JUDGED)
@pytest.mark.parametrize("sets", [False, True])
def test_what_differs_by_labels_alone_is_expected(metric, sets):
    near, far = (
        answers({"easy": 800, "hard": 100, "other": 100}),
        answers({"easy": 100, "hard": 600, "other": 300}),
    )
    (gold, predicted), made = both(near, far, sets and metric != "accuracy"), METRICS.make(metric)
    for rows in (np.arange(1000), np.arange(1000, 2000)):
        score = made(gold.take(rows), predicted.take(rows))
        assert expected_metric(made, gold, rows)(gold, predicted) == pytest.approx(score)
        assert compute_advantages(made, gold, rows)(gold, predicted) == pytest.approx(0)
        assert abs(score - made(gold, predicted)) > 0.001


def test_what_is_expected_is_the_mean_over_labels_as_frequent_as_here():
    near, far = (
        answers({"easy": 60, "hard": 40}),
        answers({"easy": 20, "hard": 80}, {**RIGHT, "easy": 0.4}),
    )
    gold, predicted = both(near, far)
    rows, made = np.arange(100, 200), METRICS.make("accuracy")
    easy = (0.9 * 60 + 0.4 * 20) / 80
    assert expected_metric(made, gold, rows)(gold, predicted) == pytest.approx(
        0.2 * easy + 0.8 * 0.5
    )
    assert compute_advantages(made, gold, rows)(gold, predicted) == pytest.approx(
        0.2 * (0.4 - easy)
    )


@given(st.lists(st.integers(0, 2), min_size=2, max_size=60), st.integers(0, 1_000))
def test_weights_make_labels_as_frequent_and_leave_the_number_of_examples(ids, seed):
    gold = Classes(np.array(ids), NAMES)
    rows = np.flatnonzero(np.random.default_rng(seed).random(len(ids)) < 0.5)
    weights = balance_label_weights(gold, rows)
    assert sum(weights[NAMES[i]] for i in ids) == pytest.approx(len(rows))
    for i in set(ids):
        assert weights[NAMES[i]] * ids.count(i) == pytest.approx(
            np.count_nonzero(gold.ids[rows] == i)
        )


@pytest.mark.parametrize("metric", JUDGED)
def test_influences_are_how_fast_the_difference_grows_with_the_weight_of_an_example(metric):
    gold, predicted = both(
        answers({"easy": 6, "hard": 5, "other": 4}), answers({"easy": 3, "hard": 8, "other": 4})
    )
    rows, made = np.arange(15), METRICS.make(metric)
    found, step = compute_advantages(made, gold, rows), 1e-5
    for i in (0, 7, 20):

        def weighed(weight, i=i):
            each = lambda some, m: m.sums(  # noqa: E731
                gold.take(some), predicted.take(some), np.arange(len(some)), len(some)
            )
            inside, whole = each(rows, made), each(np.arange(30), expected_metric(made, gold, rows))
            if i < 15:
                inside[i] *= 1 + weight
            whole[i] *= 1 + weight
            return float(made.value(inside.sum(0)) - made.value(whole.sum(0)))

        slope = (weighed(step) - weighed(-step)) / (2 * step)
        assert found.influences(gold, predicted)[i] == pytest.approx(slope, abs=1e-4)


def test_scores_have_no_labels_and_sets_are_labels_as_wholes():
    numbers = ScoreLabels(np.linspace(0, 1, 20).astype(np.float32))
    assert balance_label_weights(numbers, np.arange(5)) is None
    assert expected_metric(METRICS.make("pearson"), numbers, np.arange(5)) is None
    sets = build_column([frozenset("a"), frozenset("a"), frozenset("ab"), frozenset()])
    assert balance_label_weights(sets, np.array([0, 2])) == {"": 0, "a": 0.5, "a+b": 1}


def test_a_table_by_strata_has_what_is_expected_and_says_what_that_is():
    near, far = (
        answers({"easy": 80, "hard": 20, "other": 20}),
        answers({"easy": 20, "hard": 80, "other": 20}),
    )
    rows = compute_stratum_rows(to_frame([result({"1": near, "2": far})]), "distance")
    assert rows[0].score > rows[1].score + 15
    assert [row.expected for row in rows] == pytest.approx([row.score for row in rows])
    assert [row.over for row in rows] == pytest.approx([0, 0])
    assert all(row.over_low < 0 < row.over_high for row in rows)
    text = format_terminal_table(strata_table(rows, "distance"))
    assert "over it" in text
    assert "labels weighted to be as frequent as in" in text


def test_intervals_of_what_is_over_it_hold_what_they_should():
    """Near examples are right as often as their label says, far ones 10 points less; both are
    known.
    """
    rng, inside = np.random.default_rng(5), 0
    counts = {"1": (280, 80, 40), "2": (120, 200, 80)}
    total = np.sum(list(counts.values()), 0)
    rates = {"1": np.array(list(RIGHT.values())), "2": np.array(list(RIGHT.values())) - 0.1}
    pooled = sum(rates[name] * counts[name] for name in counts) / total
    truth = 100 * float(((rates["2"] - pooled) * counts["2"]).sum() / sum(counts["2"]))
    for _ in range(60):
        strata = {}
        for name, shares in counts.items():
            ids = np.repeat(np.arange(3), shares)
            hit = rng.random(len(ids)) < rates[name][ids]
            strata[name] = (Classes(ids, NAMES), Classes(np.where(hit, ids, (ids + 1) % 3), NAMES))
        _, row = compute_stratum_rows(to_frame([result(strata)]), "distance")
        inside += row.over_low <= truth <= row.over_high
    assert 53 <= inside <= 60


def test_a_constant_says_nothing_of_what_an_encoder_did_not_read():
    near = answers({"easy": 80, "hard": 20, "other": 20})
    lost = dict.fromkeys(("unusable", "cut", "unseen", "beyond", "unaligned", "partial"), 7)
    missed = {"left out": {fate: {"test": {"easy": 3}} for fate in ("beyond", "unaligned")}}
    made = result({"1": near}, "micro-f1")
    said = {"constants": {"class": ["easy"], "prevalent": ["easy"], "set": ["easy", "hard"]}}
    told = saying(made, counts={"train": 40, **lost, **missed}, is_seeded=True, **said)
    (plain,) = rows_of([told])
    assert {getattr(plain, name) for name in lost} == {7}
    assert plain.beyond_are == plain.unaligned_are == "test: 3 easy"
    found = constant_rows(
        to_scores([told, replace(told, trial=replace(told.trial, encoder="hf:n"))])
    )
    assert [row.probe for row in found] == ["one label", "best set of 2"]
    for row in found:
        assert (row.encoder, row.kind, row.layer, row.train) == ("(constant)", "baseline", "-", 40)
        assert {getattr(row, name) for name in lost} == {0}
        assert (row.beyond_are, row.unaligned_are, row.is_seeded) == ("", "", False)
    assert [row.score for row in found] == pytest.approx([100 * 80 / 120, 100 * 200 / 360])
    assert (
        constant_rows(to_scores([replace(told, trial=replace(told.trial, control="shuffled"))]))
        == []
    )
