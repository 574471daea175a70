"""Rules of one word and of the source."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.audit.inspection import audit_dataset
from lingprobe.data.core import Dataset, Example, Sentence, Site
from lingprobe.data.notes import SourceRule
from lingprobe.experiment.data import load_examples
from lingprobe.experiment.rules import best_word, measure_source_rule
from lingprobe.testing import TINY_DATASET_FAMILIES


class Pooled:
    """A task of two sources; all of one have label x in train, three of four in test."""

    name = "test/pooled"

    def __init__(self, names=("a", "b")):
        self.names = names

    def load(self):
        test = [(k % 2, (k % 2) ^ (k % 8 < 2)) for k in range(80)]
        rows = [("train", k % 2, k % 2) for k in range(40)] + [("test", *row) for row in test]
        said = [Sentence.of([f"w{k}"]) for k in range(len(rows))]
        return Dataset.of(
            Example.about(s, "xy"[y], split, source=self.names[k])
            for s, (split, k, y) in zip(said, rows, strict=True)
        )


def test_it_is_the_commonest_label_of_a_source_in_train():
    found = load_examples(Pooled()).notes.part(SourceRule)
    assert (found.test, found.constant) == (0.75, 0.5)
    assert 0.5 < found.low < 0.75


def test_one_source_has_no_note():
    assert load_examples(Pooled(("a", "a"))).notes.part(SourceRule) is None


def test_scores_have_none():
    pooled = Pooled().load()
    told = Dataset.of(
        Example.about(Sentence.of(["w"]), float(k), split, source="ab"[k])
        for split in ("train", "test")
        for k in (0, 1)
    )
    assert measure_source_rule(pooled)
    assert not measure_source_rule(told)


WORDS = st.lists(st.sampled_from("a b c A d".split()), min_size=1, max_size=4)
EXAMPLES = st.lists(
    st.tuples(WORDS, st.sampled_from("xyz"), st.sampled_from(["train", "test"])),
    min_size=4,
    max_size=30,
)


def dataset(examples):
    return Dataset.of(
        [
            Example.about(Sentence.of([*words, str(i)]), label, split)
            for i, (words, label, split) in enumerate(examples)
        ]
    )


def plain(examples):
    """The best share of train that any rule of one word gets right."""
    train = [
        ({w.casefold() for w in words}, label)
        for words, label, split in examples
        if split == "train"
    ]
    shares = []
    for word in "abcd":
        sides = [
            Counter(label for words, label in train if (word in words) == has)
            for has in (True, False)
        ]
        shares.append(sum(max(side.values(), default=0) for side in sides) / len(train))
    return max(shares)


@given(EXAMPLES)
def test_the_rule_is_right_as_often_as_any(examples):
    rule = best_word(dataset(examples))
    splits = {split for *_, split in examples}
    if splits != {"train", "test"}:
        assert rule is None
        return
    assert rule.train >= plain(examples) - 1e-9  # a number may be the better word
    rows = dataset(examples).rows("test")
    said = rule.predict(rows, dataset(examples).labels.names)
    gold = dataset(examples).labels.take(rows)
    assert rule.test == pytest.approx((said.ids == gold.ids).mean())


def jsem(n=400):
    """Sentences of which almost all of one class have one word."""
    rng = np.random.default_rng(0)
    rows = []
    for i in range(n):
        words = [
            f"w{rng.integers(50)}",
            *(["jsem"] if i % 2 and rng.random() < 0.96 else []),
            f"v{rng.integers(50)}",
            str(i),
        ]
        rows.append(
            Example.about(
                Sentence.of(words),
                "past" if i % 2 else "pres",
                ("train", "dev", "test", "train")[i // 2 % 4],
            )
        )
    return Dataset.of(rows)


def test_a_word_that_decides_is_named_by_the_audit():
    rule = best_word(jsem())
    assert str(rule) == "past with 'jsem', else pres"
    audit = audit_dataset(jsem(), rows=0)
    assert audit.floors["word"].score == pytest.approx(rule.test)
    assert audit.floors["word"].low < rule.test < audit.floors["word"].high or rule.test == 1
    assert any("one word: past with 'jsem'" in problem for problem in audit.problems)


def test_what_is_not_about_whole_sentences_in_classes_has_no_rule():
    assert best_word(TINY_DATASET_FAMILIES["sentence"]()) is not None
    for family in ("span", "spans", "pair"):
        assert best_word(TINY_DATASET_FAMILIES[family]()) is None
    one = Dataset.of(
        [
            Example((Site(Sentence.of(["a", "b"]), (0, 1)),), "x", split)
            for split in ("train", "test")
        ]
    )
    assert best_word(one) is None
