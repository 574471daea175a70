"""How often parses are wrong, by class, against sums over classes."""

from __future__ import annotations

import math

import pytest

from lingprobe.audit.parses import _FEW, ClassAgreement, TaskAgreement


def agreement(*counts):
    return TaskAgreement("t", tuple(ClassAgreement(str(k), *each) for k, each in enumerate(counts)))


def test_parses_are_judged_by_class_and_rare_ones_by_what_is_missed():
    """Of four classes one that parses seldom have counts by recall, one is rare in both."""
    found = agreement((100, 90, 80), (50, 80, 40), (_FEW - 1, 20, 5), (_FEW - 1, _FEW - 1, 3))
    shares = [(80 / 100, 100), (40 / 50, 50), (5 / 20, 20)]
    assert [each.rare for each in found.classes] == [False, False, True, True]
    assert found.wrong == pytest.approx(100 * sum(1 - s for s, _ in shares) / 3)
    variance = sum(s * (1 - s) / n for s, n in shares)
    assert found.margin == pytest.approx(100 * 1.96 * math.sqrt(variance) / 3)
    whole = found.total
    assert (whole.precision, whole.recall) == (128 / (150 + 2 * (_FEW - 1)), 128 / (190 + _FEW - 1))
    assert [each.precision for each in found.classes[:2]] == [0.8, 0.8]
    assert found.classes[1].recall == 0.5


def test_one_class_is_nothing_to_ask_and_none_has_no_share():
    one = agreement((_FEW, _FEW, 5), (0, _FEW - 1, 0))
    assert not one.has_classes
    assert math.isnan(one.wrong)
    assert math.isnan(one.margin)
    assert math.isnan(one.classes[1].precision)
    assert math.isnan(ClassAgreement("", 3, 0, 0).recall)
    assert agreement((_FEW, 0, 0), (0, _FEW, 0)).has_classes
