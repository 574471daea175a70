"""Answers by class: what nobody has is not listed."""

from lingprobe.analysis.class_counts import count_classes
from lingprobe.data.labels import column_from_codes
from lingprobe.metrics import FitAnswers


def test_a_class_that_no_example_has_and_nobody_answers_is_not_listed():
    names = ("a", "b", "never")
    gold = column_from_codes([0, 0, 1, 1, 1], names)
    said = column_from_codes([0, 1, 1, 1, 0], names)
    counts = {one.name: one for one in count_classes(FitAnswers(gold, [said]))}
    assert list(counts) == ["a", "b"]
    assert [(one.there, one.taken, one.right) for one in counts.values()] == [(2, 2, 1), (3, 3, 2)]


def test_a_class_that_is_answered_and_never_true_is_listed():
    gold = column_from_codes([0, 0], ("a", "b"))
    said = column_from_codes([0, 1], ("a", "b"))
    (_, b) = count_classes(FitAnswers(gold, [said]))
    assert (b.name, b.there, b.taken, b.right, b.f1) == ("b", 0, 1, 0, 0.0)
