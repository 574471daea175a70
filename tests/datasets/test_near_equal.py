"""Texts that differ in case, punctuation, numbers or spaces alone."""

import numpy as np
import pytest

from lingprobe.data.core import Dataset, Example, Sentence
from lingprobe.datasets.folds import select_test_fold
from lingprobe.datasets.near_equal import (
    describe_contradictions,
    describe_shared,
    fold_surface,
    group_near_equal,
)
from lingprobe.datasets.splits import carve_dev, code_shared_groups


def texts(rows, splits=None):
    return Dataset.of(
        Example.about(
            Sentence.of(text.split() or [text], text), label, split=(splits or ["train"] * 999)[i]
        )
        for i, (text, label) in enumerate(rows)
    )


@pytest.mark.parametrize(
    ("one", "two", "equal"),
    [
        ("Is he here?", "is he  here.", True),
        ("Flight 12 leaves at 10:30.", "Flight 93 leaves at 8:15.", True),
        ("na\u00efve", "nai\u0308ve", True),
        ("good \U0001f600", "good \U0001f622", False),
        ("\u05e9\u05b8", "\u05e9", False),
        ("12", "13", False),
        ("a = b", "a < b", False),
        ("can not", "cannot", True),
        ("w1 w2", "w1 w3", False),
    ],
)
def test_what_is_ignored(one, two, equal):
    assert (fold_surface(one) == fold_surface(two)) is equal


def variants(bases, labels):
    forms = (str, str.upper, str.capitalize, "{} .".format, "{} !".format)
    return [
        (form(base), label) for base, label in zip(bases, labels, strict=True) for form in forms
    ]


def test_near_equal_texts_share_a_fold_the_dev_split_and_a_cluster():
    bases = [f"w{chr(97 + i % 26)} x{chr(97 + i // 26)} y" for i in range(150)]
    dataset = texts(variants(bases, ["ab"[i % 2] for i in range(150)]))
    group = np.arange(750) // 5
    folds = [select_test_fold(dataset, f"{k}/5", 0) for k in range(1, 6)]
    for fold in folds:
        for split in (fold.rows("test"), carve_dev(fold, 0).rows("dev")):
            assert (np.bincount(group[split])[np.unique(group[split])] == 5).all()
    codes = code_shared_groups(dataset)["sentence"]
    assert len(np.unique(codes)) == 150
    assert all(len(np.unique(codes[group == g])) == 1 for g in range(150))
    assert (
        "750 of 750 texts differ from another one only in case" in group_near_equal(dataset).remark
    )


def test_a_template_is_not_one_group():
    dataset = texts([(f"Flight {i} leaves.", "ab"[i % 2]) for i in range(100)])
    found = group_near_equal(dataset)
    assert len(np.unique(found.numbers)) == 100
    assert "the largest group of them has 100 % of the examples" in found.remark
    assert (
        len(
            np.unique(
                np.concatenate(
                    [select_test_fold(dataset, f"{k}/5", 0).rows("test") for k in range(1, 6)]
                )
            )
        )
        == 100
    )


def test_digits_count_where_words_are_told_apart_by_them():
    bases = [f"{i} plus {7 * i % 150} is {i // 3}" for i in range(150)]
    found = group_near_equal(texts(variants(bases, "a" * 150)))
    assert len(np.unique(found.numbers)) == 150
    assert (
        "600 of 600 texts differ from another one only in case, punctuation or spaces"
        in found.remark
    )


def test_few_groups_are_none():
    rows = [(f"{word}{mark}", "ab"[i % 2]) for i, word in enumerate("abcdefghi") for mark in ".!?"]
    assert len(np.unique(group_near_equal(texts(rows)).numbers)) == 27


def test_words_of_equal_sentences_are_not_grouped():
    one, two = Sentence.of(["A", "dog", "!"]), Sentence.of(["a", "dog", "."])
    dataset = Dataset.of(
        Example.about(sentence, "x", span=(k, k + 1)) for sentence in (one, two) for k in range(2)
    )
    assert len(np.unique(group_near_equal(dataset).numbers)) == 2
    assert describe_contradictions(dataset) == ""


def test_contradictions_are_of_equal_texts_alone():
    rows = [
        ("a dog", "x"),
        ("a dog", "y"),
        ("a cat", "x"),
        ("a cat", "x"),
        ("is it?", "q"),
        ("is it.", "s"),
    ]
    assert describe_contradictions(texts(rows)) == (
        "2 examples have the text of another one and another label, such as 'a dog'"
    )
    assert describe_contradictions(texts(rows[2:])) == ""


def test_what_given_splits_share_is_counted_with_an_example():
    rows = [("a dog", "x"), ("a cat", "y"), ("a dog", "x"), ("A CAT!", "y"), ("a mouse", "x")]
    rows += [(f"{letter}{letter} {letter}", "x") for letter in "abcdefghij"]
    splits = ["train", "train", "test", "test", "test", *["train"] * 10]
    said = describe_shared(texts(rows, splits))
    assert said == (
        "1 of its 3 test examples have a text that train has, too, such as 'a dog'; 1 of its 3 test"
        " examples have a text that train has, too but for case, punctuation, numbers or spaces,"
        " such as 'A CAT!'"
    )
