"""Thresholds from held-out examples, and what lies above them on test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lingprobe
from lingprobe.data.labels import build_column
from lingprobe.data.notes import ThresholdCounts, ThresholdNote
from lingprobe.metrics.thresholds import (
    FALSE_POSITIVE_RATES,
    count_at_thresholds,
    find_thresholds,
    recall_at_rates,
)


@given(st.lists(st.tuples(st.integers(0, 30), st.booleans()), min_size=30, max_size=120))
def test_a_new_negative_lies_above_with_at_most_the_rate(items):
    labels = [
        "rare" if is_rare and i % 3 == 0 else "common" for i, (_, is_rare) in enumerate(items)
    ]
    labels[:2] = ["rare", "common"]
    if labels.count("rare") >= labels.count("common"):
        return
    data = build_column(labels)
    margin = np.array([value for value, _ in items], float)
    sign = 1 if data.names == ("common", "rare") else -1
    scores = np.stack([-sign * margin / 2, sign * margin / 2], 1)
    found = find_thresholds(data, scores, data.names)
    assert found.positive == "rare"
    negatives = [v for v, y in zip(margin, labels, strict=True) if y == "common"]
    for rate in FALSE_POSITIVE_RATES:
        place = int(rate * (len(negatives) + 1))
        if not place:
            assert f"{rate:g}" not in found.at
            continue
        threshold = found.at[f"{rate:g}"]
        assert sum(v > threshold for v in negatives) < place
        assert sum(v >= threshold for v in negatives) >= place
    counts = count_at_thresholds(data, scores, data.names, found)
    for rate, (recalled, positives, false, others) in counts.at.items():
        above = [y for v, y in zip(margin, labels, strict=True) if v > found.at[rate]]
        assert [recalled, positives, false, others] == [
            above.count("rare"),
            labels.count("rare"),
            above.count("common"),
            labels.count("common"),
        ]


@pytest.mark.parametrize("labels", [["a", "b", "c"] * 20, [0.5, 1.5] * 20])
def test_other_labels_have_none(labels):
    data = build_column(labels)
    found = find_thresholds(data, np.zeros((len(data), 3)), data.names)
    assert not found.at
    assert not count_at_thresholds(data, np.zeros((len(data), 3)), data.names, found).at


def test_folds_are_counted_together_and_few_negatives_show_nothing():
    folds = [ThresholdCounts({"0.05": [8, 10, 6, 100], "0.01": [2, 10, 1, 100]})] * 3
    found = recall_at_rates(folds)
    assert found[0.05] == pytest.approx((0.8, 0.06))
    assert math.isnan(found[0.01].recall)  # 3 expected false positives
    assert math.isnan(recall_at_rates([*folds, ThresholdCounts()])[0.05].recall)
    assert math.isnan(recall_at_rates([])[0.05].recall)
    read = ThresholdNote.read(ThresholdNote("x", {"0.05": 1.5}).plain())
    assert read == ThresholdNote("x", {"0.05": 1.5})


@pytest.mark.parametrize("member", ["discriminant", "logistic"])
def test_the_rate_that_was_asked_for_is_achieved_on_new_examples(member):
    """Over six data sets, the rate on test is 5 % in the mean, and recall is that of the
    distributions.
    """
    rng = np.random.default_rng(0)
    false, recalled = [], []
    for seed in range(6):
        labels = np.where(np.arange(1500) % 10 == 0, "rare", "common")
        x = rng.normal(size=(1500, 4)).astype(np.float32)
        x[labels == "rare", 0] += 2
        texts = [f"t{seed} {i}" for i in range(1500)]
        vectors = dict(zip(texts, x, strict=True))
        evaluation = lingprobe.run(
            (texts, labels.tolist()),
            lambda batch, known=vectors: np.array([known[text] for text in batch]),
            probes=f"linear,member={member},standardised=false,penalty=0.01",
            baselines="none",
        )
        counts = [r.provenance.choice.part(ThresholdCounts) for r in evaluation.results]
        found = recall_at_rates(counts)[0.05]
        false.append(found.achieved)
        recalled.append(found.recall)
    # of 121 held-out negatives the 6th: 6 / 122, and 1 - Phi(1.654 - 2) = 0.635
    assert np.mean(false) == pytest.approx(6 / 122, abs=0.015)
    assert np.mean(recalled) == pytest.approx(0.635, abs=0.05)
