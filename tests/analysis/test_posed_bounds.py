"""What classes consist of and where sources differ, in words, on either side of each bound."""

from __future__ import annotations

import pytest

from lingprobe.analysis.posed import Posed, composition, unlike


def test_classes_are_told_by_their_commonest_constructions():
    shares = (("a", 0.5), ("b", 0.3), ("c", 0.1954), ("d", 0.0046))
    asked = Posed(made=(("x", shares), ("y", (("a", 0.995), ("d", 0.005))), ("z", (("a", 0.9960), ("d", 0.004)))))  # fmt: skip
    assert composition(asked) == (
        "x: a 50 %, b 30 %, c 20 % and others; y: a 100 %, d 0 %; z: a 100 % and others"
    )


def test_classes_of_one_and_the_same_construction_are_not_told():
    one, other = ("x", (("a", 1.0),)), ("y", (("a", 1.0),))
    assert composition(Posed(made=(one, other))) == composition(Posed()) == ""
    assert composition(Posed(made=(one, ("y", (("b", 1.0),))))) == "x: a 100 %; y: b 100 %"
    assert composition(Posed(made=(("x", (("a", 0.5), ("b", 0.5))),))) == "x: a 50 %, b 50 %"


@pytest.mark.parametrize(
    ("posed", "size", "whole"),
    [
        (Posed(), "", 0),
        (Posed(("a", "b")), "2 classes", 2),
        (Posed(("a", "b"), 2), "2 classes", 2),
        (Posed(("a", "b"), 3), "2 of 3 classes", 3),
    ],
)
def test_the_number_of_classes_is_told_with_those_that_are_not_there(posed, size, whole):
    assert posed.size == size
    assert posed.plain()["question_classes"] == whole


def test_sources_differ_in_classes_and_in_numbers_that_are_not_alike():
    two, three = Posed(("a", "b")), Posed(("a", "b", "c"))
    assert unlike([(two, 100, 100), (two, 110, 100)]) == []
    found = unlike([(two, 1000, 100), (three, 1110, 100)])
    assert found[0] == "classes (2 to 3)"
    assert found[1].startswith("training examples")
    assert len(found) == 2
    assert unlike([(two, 9, 9), (Posed(("a", "c")), 9, 9)]) == ["classes"]
    assert [one.partition(" (")[0] for one in unlike([(two, 9, 100), (two, 9, 111)])] == [
        "test examples"
    ]
