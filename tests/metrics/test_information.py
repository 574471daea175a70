"""V-information and calibration against what theory says of known distributions."""

from __future__ import annotations

import numpy as np
import pytest

from lingprobe.data._logits import ProbeLogits
from lingprobe.data.labels import Classes, LabelSets, build_column
from lingprobe.metrics.information import (
    calibration_error,
    compute_pointwise_information,
    mean_over,
)

NAMES = ("a", "b", "c")


def channel(n, right=0.8, seed=0):
    """Classes, and a vector that says the right one in so many cases: gold, and log chances of each
    class given what was said.
    """
    rng = np.random.default_rng(seed)
    gold = rng.integers(3, size=n)
    said = np.where(rng.random(n) < right, gold, (gold + rng.integers(1, 3, n)) % 3)
    chances = np.where(np.eye(3, dtype=bool)[said], right, (1 - right) / 2)
    return Classes(gold, NAMES), np.log(chances).astype(np.float32)


def test_v_information_of_true_chances_is_mutual_information():
    gold, logs = channel(40_000)
    train, _ = channel(40_000, seed=1)
    bits = compute_pointwise_information(
        gold, ProbeLogits.of(logs, "softmax", train, np.arange(len(gold)))
    )
    mutual = np.log2(3) + 0.8 * np.log2(0.8) + 0.2 * np.log2(0.1)
    assert bits.mean() == pytest.approx(mutual, abs=0.02)
    interval = mean_over(bits)
    assert interval.low < mutual < interval.high
    assert interval.value == pytest.approx(bits.mean())


def test_pointwise_information_is_negative_where_the_probe_is_worse_than_label_frequencies():
    gold, _ = channel(100)
    wrong = np.full((100, 3), 5.0, np.float32)
    wrong[np.arange(100), gold.ids] = -5
    assert (
        compute_pointwise_information(gold, ProbeLogits.of(wrong, "softmax", gold, np.arange(100)))
        < -10
    ).all()


def test_a_mean_over_fits_and_examples_covers_the_truth():
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(400):
        hard = rng.normal(0, 1, 120)
        mean = mean_over(0.3 + hard + rng.normal(0, 0.5, (4, 120)) + rng.normal(0, 0.1, (4, 1)))
        hits += mean.low <= 0.3 <= mean.high
    assert 0.92 <= hits / 400 <= 0.985


def test_true_chances_are_calibrated_and_sharpened_ones_are_not():
    gold, logs = channel(20_000)
    assert (
        calibration_error(gold, ProbeLogits.of(logs, "softmax", gold, np.arange(len(gold)))) < 0.01
    )
    sharp = ProbeLogits.of(20 * logs, "softmax", gold, np.arange(len(gold)))
    # sure in every case, right in four of five
    assert calibration_error(gold, sharp) == pytest.approx(0.2, abs=0.01)


def test_calibration_of_label_sets_is_over_annotated_pairs():
    rng = np.random.default_rng(0)
    shares = rng.random((5000, 2))
    held = rng.random((5000, 2)) < shares
    known = rng.random((5000, 2)) < 0.7
    gold = LabelSets(
        np.concatenate([[0], np.cumsum(known.sum(1))]),
        np.nonzero(known)[1],
        held[known].astype(np.float32),
        ("x", "y"),
        partial=True,
    )
    logits = np.log(shares / (1 - shares)).astype(np.float32)
    assert calibration_error(gold, ProbeLogits.of(logits, "sigmoid", gold, np.arange(5000))) < 0.03
    assert calibration_error(gold, ProbeLogits.of(-logits, "sigmoid", gold, np.arange(5000))) > 0.3


def test_an_answer_that_is_sure_and_right_costs_nothing():
    gold = build_column(["a", "b"])
    found = ProbeLogits.of(np.array([[50, 0], [0, 50]], np.float32), "softmax", gold, np.arange(2))
    assert found.bits(gold) == pytest.approx([0, 0], abs=1e-6)
    assert calibration_error(gold, found) == pytest.approx(0, abs=1e-6)
