"""Examples as numbers."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import lingprobe
from lingprobe_extensions.train.data import TrainingExample
from lingprobe_extensions.train.examples import TrainingExamples

SOME = [
    TrainingExample(("a", "dog"), ("ein Hund", "un chien"), ("a", "cat"), "yes"),
    TrainingExample(("a", "bird"), ("ein Vogel", "un oiseau"), ("no", "dog"), "no"),
    TrainingExample(("a", "dog"), ("der Hund", "le chien"), ("a", "dog"), "maybe"),
]


def forms(examples, texts, row):
    return tuple(examples.forms[i] for i in texts.row(row))


def test_examples_are_kept_as_they_were_read():
    read, counts = TrainingExamples.of(SOME[:2], SOME[2:])
    assert counts == [2, 1]
    assert [forms(read, read.first, i) for i in range(3)] == [e.first for e in SOME]
    assert [forms(read, read.second, i) for i in range(3)] == [e.second for e in SOME]
    assert [read.names[i] for i in read.labels] == ["yes", "no", "maybe"]
    assert read.same[0] == read.same[2] != read.same[1]
    assert list(read.target_texts(0)) == ["ein Hund", "ein Vogel", "der Hund"]
    assert list(read.target_texts(1)) == ["un chien", "un oiseau", "le chien"]
    with pytest.raises(lingprobe.DataProblem, match="no text that can be written"):
        list(read.target_texts(2))


def test_some_of_them_have_their_own_words():
    read, _ = TrainingExamples.of(SOME)
    some = read.take(np.array([1, 2])).take(np.array([1]))
    assert len(some) == 1
    assert sorted(some.forms) == ["a", "dog"]
    assert forms(some, some.second, 0) == ("a", "dog")
    assert list(some.target_texts(1)) == ["le chien"]


def test_memory_is_some_bytes_a_word():
    words = tuple("the dog sees a cat".split())
    many = 50_000
    tracemalloc.start()
    read, _ = TrainingExamples.of(
        TrainingExample(words, ("ein Satz von hier",)) for _ in range(many)
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(read) == many
    assert peak / many < 150  # a tuple of five words alone is 80, and its text 66
