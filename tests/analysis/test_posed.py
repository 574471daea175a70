"""What is asked in the rows of a task, and in what sources of one question differ."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from fixtures.results import result, saying
from lingprobe.analysis.answers import RunPredictions
from lingprobe.analysis.questions import (
    _MADE,
    PosedQuestion,
    describe_composition,
    describe_question,
    describe_question_differences,
)
from lingprobe.data.core import Tags
from lingprobe.data.labels import Classes, ScoreLabels


def ask(results, gold) -> PosedQuestion:
    """What some results ask."""
    return describe_question(list(map(RunPredictions.of, results)), gold)


def fold(n, word=None, source=None, **notes):
    """A result of n examples with what its notes say."""
    parts = {"one word": word, "source alone": source, **notes}
    return saying(result(0.75, n), notes={key: value for key, value in parts.items() if value})


def rule(test):
    return {"rule": "past with 'was', else pres", "train": 0.9, "test": test}


def source(test, low, constant):
    return {"test": test, "low": low, "constant": constant}


def test_rules_are_over_folds_each_with_its_examples():
    folds = [
        fold(100, rule(0.6), source(0.7, 0.65, 0.5), remarks=["old"]),
        fold(300, rule(0.8), source(0.9, 0.85, 0.6)),
    ]
    found = ask(folds, folds[0].gold)
    assert (found.word, found.worded) == ("past with 'was', else pres", pytest.approx(75.0))
    assert found.remarks == (
        "old",
        "knowing only the source gives 85.0 % accuracy, the best constant 57.5 % (--by source)",
    )
    assert (found.classes, found.size) == (("past", "pres"), "2 classes")


@pytest.mark.parametrize(
    "folds",
    [
        [fold(100, source=source(0.7, 0.5, 0.5))],
        [fold(100, source=source(0.9, 0.8, 0.5)), fold(100)],
    ],
    ids=["no surer than the constant", "one fold does not say"],
)
def test_a_source_that_is_not_known_to_tell_is_not_told(folds):
    assert ask(folds, folds[0].gold) == PosedQuestion(("past", "pres"))


def test_labels_of_a_parser_are_wrong_and_scores_have_no_classes():
    (one,) = [fold(10, parser={"name": "p", "wrong": 50.0})]
    assert ask([one], ScoreLabels(np.arange(10.0))) == PosedQuestion(wrong=50.0)
    small = fold(10, parser={"name": "p", "wrong": 0.01})
    assert ask([small], ScoreLabels(np.arange(10.0))).wrong == 0


def test_constructions_are_counted_over_folds_the_most_frequent_first():
    names = ("a", "b")
    folds = [
        replace(
            result(0.75, len(gold)),
            gold=Classes(np.array(gold), names),
            predicted=Classes(np.array(gold), names),
            strata={_MADE: Tags(np.array(tags), ("x", "y"))},
        )
        for gold, tags in (([0, 0, 0, 1], [0, 1, 1, 0]), ([1, 1, 0, 0], [0, -1, 1, 0]))
    ]
    found = ask(folds, folds[0].gold)
    assert found.made == (
        ("a", (("y", 3 / 5), ("x", 2 / 5))),
        ("b", (("x", 2 / 3), ("none", 1 / 3))),
    )
    assert describe_composition(found) == "a: y 60 %, x 40 %; b: x 67 %, none 33 %"
    assert ask([folds[0], replace(folds[1], strata={})], folds[0].gold).made == ()


def test_rare_constructions_and_those_behind_the_third_are_others():
    made = (("a", (("p", 0.5), ("q", 0.3), ("r", 0.15), ("s", 0.05))), ("b", (("p", 1.0),)))
    assert (
        describe_composition(PosedQuestion(made=made))
        == "a: p 50 %, q 30 %, r 15 % and others; b: p 100 %"
    )
    made = (("a", (("p", 0.996), ("q", 0.004))), ("b", (("p", 0.995), ("q", 0.005))))
    assert (
        describe_composition(PosedQuestion(made=made)) == "a: p 100 % and others; b: p 100 %, q 0 %"
    )
    assert (
        describe_composition(PosedQuestion(made=(("a", (("p", 1.0),)), ("b", (("p", 1.0),))))) == ""
    )
    assert describe_composition(PosedQuestion()) == ""


def test_what_is_asked_is_told_in_plain_columns():
    made = (("a", (("p", 1.0),)), ("b", (("q", 1.0),)))
    assert PosedQuestion(("a", "b"), 3, made, "w", 60.0, ("x", "y")).columns() == {
        "classes": 2,
        "question_classes": 3,
        "made_of": "a: p 100 %; b: q 100 %",
        "word_rule": "w",
        "word_score": 60.0,
        "remarks": "x; y",
        "class_names": ["a", "b"],
        "class_size": "2 of 3 classes",
        "commonest": "a: p; b: q",
        "source_remarks": ["x", "y"],
        "wrong": 0.0,
    }


def sources(*told):
    """Rows of what is asked, with so many training and test examples each."""
    return [SimpleNamespace(train=train, n=n, **posed.columns()) for posed, train, n in told]


def test_sources_differ_in_classes_numbers_and_composition():
    two, three, other = (
        PosedQuestion(("a", "b")),
        PosedQuestion(("a", "b", "c")),
        PosedQuestion(("a", "c")),
    )
    assert describe_question_differences(sources((two, 100, 50), (two, 110, 55))) == []
    assert describe_question_differences(sources((two, 100, 50), (two, 111, 56))) == [
        "training examples (100 to 111)",
        "test examples (50 to 56)",
    ]
    assert describe_question_differences(sources((two, 9, 9), (three, 9, 9))) == [
        "classes (2 to 3)"
    ]
    assert describe_question_differences(sources((two, 9, 9), (other, 9, 9))) == ["classes"]
    made = [PosedQuestion(made=(("a", (((name, 0.6), ("r", 0.4)))),)) for name in ("p", "p", "q")]
    assert describe_question_differences(sources((made[0], 9, 9), (made[1], 9, 9))) == []
    assert describe_question_differences(sources((made[0], 9, 9), (made[2], 9, 9))) == [
        "the composition of classes"
    ]


def test_classes_are_told_by_their_commonest_constructions():
    shares = (("a", 0.5), ("b", 0.3), ("c", 0.1954), ("d", 0.0046))
    asked = PosedQuestion(made=(("x", shares), ("y", (("a", 0.995), ("d", 0.005))), ("z", (("a", 0.9960), ("d", 0.004)))))  # fmt: skip
    assert describe_composition(asked) == (
        "x: a 50 %, b 30 %, c 20 % and others; y: a 100 %, d 0 %; z: a 100 % and others"
    )


def test_classes_of_one_and_the_same_construction_are_not_told():
    one, other = ("x", (("a", 1.0),)), ("y", (("a", 1.0),))
    assert (
        describe_composition(PosedQuestion(made=(one, other)))
        == describe_composition(PosedQuestion())
        == ""
    )
    assert (
        describe_composition(PosedQuestion(made=(one, ("y", (("b", 1.0),)))))
        == "x: a 100 %; y: b 100 %"
    )
    assert (
        describe_composition(PosedQuestion(made=(("x", (("a", 0.5), ("b", 0.5))),)))
        == "x: a 50 %, b 50 %"
    )


@pytest.mark.parametrize(
    ("posed", "size", "whole"),
    [
        (PosedQuestion(), "", 0),
        (PosedQuestion(("a", "b")), "2 classes", 2),
        (PosedQuestion(("a", "b"), 2), "2 classes", 2),
        (PosedQuestion(("a", "b"), 3), "2 of 3 classes", 3),
    ],
)
def test_the_number_of_classes_is_told_with_those_that_are_not_there(posed, size, whole):
    assert posed.size == size
    assert posed.columns()["question_classes"] == whole


def test_sources_differ_in_classes_and_in_numbers_that_are_not_alike():
    two, three = PosedQuestion(("a", "b")), PosedQuestion(("a", "b", "c"))
    assert describe_question_differences(sources((two, 100, 100), (two, 110, 100))) == []
    found = describe_question_differences(sources((two, 1000, 100), (three, 1110, 100)))
    assert found[0] == "classes (2 to 3)"
    assert found[1].startswith("training examples")
    assert len(found) == 2
    assert [
        one.partition(" (")[0]
        for one in describe_question_differences(sources((two, 9, 100), (two, 9, 111)))
    ] == ["test examples"]


@pytest.mark.parametrize(
    ("gold", "remark"),
    [
        (Classes(np.zeros(9, np.int64), ("a", "b")), "all test examples are a: a score is how"),
        (Classes(np.arange(9) % 2, ("a", "b")), ""),
        (Classes(np.zeros(9, np.int64), ("a",)), ""),
        (ScoreLabels(np.full(9, 0.5)), "all test examples have the same score"),
        (ScoreLabels(np.arange(9.0)), ""),
    ],
)
def test_a_test_set_of_one_label_is_no_test_and_that_is_said(gold, remark):
    remarks = ask([fold(9)], gold).remarks
    assert len(remarks) == bool(remark)
    assert "".join(remarks).startswith(remark)
