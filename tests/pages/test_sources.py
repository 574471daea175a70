"""Headings and notes that say what is asked: classes, what they consist of, one word, remarks,
unknown words, sources that differ.
"""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from sonde.analysis.posed import Posed
from sonde.analysis.rows import rows
from sonde.core import Result, Tags, Trial
from sonde.labels import Classes
from sonde.pages import render

NAMES = ("pres", "past")


def result(task="ud/tense:A", n=10, train=100, names=NAMES, **notes):
    ids = np.arange(n) % len(names)
    gold = Classes(ids, names)
    provenance = {
        "counts": {"train": train, "words": 1000, "unknown": notes.pop("unknown", 0)},
        "notes": notes,
        "constants": {"one": [0]},
    }
    strata = {"construction": Tags(np.where(ids, np.arange(n) % 3 % 2, 0), ("simple", "perfect"))}
    return Result(
        Trial(task, "length", "-", "logreg", "none", 0),
        "accuracy",
        0.5,
        0.4,
        0.6,
        0.5,
        gold,
        gold,
        provenance,
        strata,
    )


def shown(*results):
    return render(list(results), "markdown")


def test_headings_say_how_many_classes_there_are():
    assert "ud/tense:A (2 classes)" in shown(result())
    few = result("ud/top-deps:A", names=("nsubj obj", "OTHER"), **{"classes of the question": 20})
    assert "ud/top-deps:A (2 of 20 classes)" in shown(few)
    assert Posed().size == ""


def test_what_classes_consist_of_stands_above_the_table():
    assert "Made of past: simple 60 %, perfect 40 %; pres: simple 100 %." in shown(result())
    plain = replace(result(), strata={"construction": Tags(np.zeros(10, np.int64), ("simple",))})
    assert "Made of" not in shown(plain)
    assert "Made of" not in shown(replace(result(), strata={}))


def test_the_rule_of_one_word_stands_above_the_table():
    rule = {"rule": "past with 'jsem', else pres", "train": 0.98, "test": 0.979}
    assert "Best rule of one word: past with 'jsem', else pres, 97.9." in shown(
        result(**{"one word": rule})
    )


def test_what_holds_of_a_source_is_said_once():
    text = shown(
        *(
            result(f"ud/{name}:A", remarks=["3 raw strings are not made of the words"])
            for name in ("tense", "passive")
        )
    )
    assert text.count("3 raw strings") == 1
    assert "ud/tense:A, ud/passive:A: 3 raw strings are not made of the words." in text.replace(
        "\\_", "_"
    )


@pytest.mark.parametrize("low", [0.4, 0.5, 0.6])
def test_what_the_source_alone_answers_is_said_where_it_is_more_than_chance(low):
    found = ({"test": score, "low": low, "constant": 0.5} for score in (0.6, 0.8))
    folds = [
        result(f"ud/tense:A,fold={k}/2", **{"source alone": said})
        for k, said in enumerate(found, 1)
    ]
    remark = (
        "ud/tense:A: who knows the source alone is right 70.0 times in 100, the best constant 50.0"
        " (--by source)."
    )
    assert (remark in shown(*folds)) is (low > 0.5)


def test_unknown_words_are_told_by_encoder_and_task():
    text = shown(
        result("ud/tense:A", unknown=121),
        result("ud/passive:A", unknown=0),
        result("ud/subj-num:A", unknown=200),
    )
    assert (
        "length: words that it does not know are 12.1 % of ud/tense:A, 20.0 % of ud/subj-num:A."
        in text
    )


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({}, ""),
        ({"n": 11}, ""),
        (
            {"n": 20},
            (
                "test examples (10 to 20), so their scores are not one comparison (size= makes them"
                " alike)"
            ),
        ),
        ({"train": 300}, "training examples (100 to 300)"),
        ({"names": ("pres", "past", "fut"), "n": 9}, "classes (2 to 3)"),
        ({"names": ("a", "b")}, "classes, what classes consist of"),
    ],
)
def test_sources_that_are_not_asked_alike_are_said_to_be(other, said):
    text = shown(result(), result("ud/tense:B", **other))
    assert ("its sources differ in" in text) == bool(said)
    assert said in text


def test_one_source_and_two_tasks_are_no_comparison():
    assert "differ" not in shown(result(), result("ud/passive:A", n=30))
    assert "differ" not in shown(result("edge/pos:A"), result("edge/pos:B", n=30))


def test_programs_get_the_same():
    text = render(
        [
            result(
                remarks=["odd"],
                **{
                    "one word": {"rule": "r", "train": 1, "test": 0.5},
                    "classes of the question": 3,
                },
            )
        ],
        "csv",
    )
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["classes"], row["question_classes"], row["word_rule"], row["word_score"]) == (
        "2",
        "3",
        "r",
        "50.0000",
    )
    assert (row["words"], row["unknown"], row["remarks"]) == ("1000", "0", "odd")
    assert row["made_of"].startswith("past: simple")
    assert rows([result()])[0].posed.classes == NAMES
