"""What is there twice: counted by split, with examples to read."""

import lzma
import os
import tarfile
from pathlib import Path

import pytest

from lingprobe.audit.findings import RepeatedSentence, SplitOverlap
from lingprobe.audit.inspection import audit_dataset
from lingprobe.data.core import Dataset, Example, Sentence, Site

DATA = Path(os.environ.get("LINGPROBE_DATA", "none")) / "published_probing" / "xprobe"
real = pytest.mark.skipif(
    not DATA.is_dir(), reason="LINGPROBE_DATA names no folder with the published X-Probe files"
)
NONE = SplitOverlap(0, 0)


def said(words, label, split="train", **strata):
    return Example.about(Sentence.of(words.split()), label, split, **strata)


def audited(*examples, **notes):
    return audit_dataset(Dataset.of(examples, notes), floors=False)


def test_duplicates_are_counted_within_and_across_splits_ignoring_case():
    audit = audited(
        said("A dog .", "x"),
        said("a dog .", "x"),
        said("a cat .", "y"),
        said("A Cat .", "y", "test"),
        said("new .", "x", "test"),
    )
    assert audit.duplicates == {"train": 1, "dev": 0, "test": 0}
    assert audit.shared == {"train/dev": NONE, "train/test": SplitOverlap(1, 1), "dev/test": NONE}
    assert audit.contradictions == 0
    assert "1 example of test has a sentence of train (1 distinct sentence)" in audit.problems
    assert audit.repeats == (
        RepeatedSentence("A Cat .", {"train: y": 1, "test: y": 1}),
        RepeatedSentence("A dog .", {"train: x": 2}),
    )


def test_the_same_question_with_two_answers_is_a_contradiction():
    audit = audited(said("a b", "x"), said("A b", "y"), said("c", "x", "test"))
    assert audit.contradictions == 2
    assert any("with a different label" in problem for problem in audit.problems)


def test_another_span_of_the_same_sentence_is_another_question():
    sentence = Sentence.of(["a", "b"])
    spans = ((0, "x", "train"), (1, "y", "test"))
    audit = audited(
        *(Example((Site(sentence, (k, k + 1)),), label, split) for k, label, split in spans)
    )
    assert (audit.duplicates["train"], audit.contradictions) == (0, 0)
    assert audit.shared["train/test"] == SplitOverlap(1, 1)


def test_splits_that_are_the_same_are_said_to_be_so_plainly():
    rows = [("a b", "x"), ("c d", "y")]
    dev, test = ([said(words, label, split) for words, label in rows] for split in ("dev", "test"))
    audit = audited(said("e f", "x"), *dev, *test)
    assert audit.same == {"dev/test": "rows"}
    assert (
        "dev and test are the same 2 rows in the same order: a score on one adds nothing to a"
        " score on the other" in audit.problems
    )
    assert not any("have a sentence of dev" in problem for problem in audit.problems)
    assert audited(said("e f", "x"), *dev, *test[::-1]).same == {"dev/test": "set"}
    assert audited(said("e f", "x"), *dev, test[0], said("c d", "x", "test")).same == {}


def test_forms_of_several_splits_are_told():
    audit = audited(
        said("he sang", "x", target="sang"),
        said("she Ran", "y", "test", target="Sang"),
        said("he went", "x", "test", target="went"),
    )
    assert audit.forms == {
        "target": {"train/dev": NONE, "train/test": SplitOverlap(1, 1), "dev/test": NONE}
    }
    assert audit.words == {"dev": 0.0, "test": 0.25}
    assert "1 example of test has a target form of train (1 distinct form)" in audit.problems


def test_of_replaced_words_the_replacement_has_to_be_new():
    rows = [
        said("he sang", "x", target="sang"),
        said("she ran", "y", "test", target="sang", replacement="ran"),
    ]
    audit = audited(*rows)
    assert audit.forms["target"]["train/test"] == SplitOverlap(1, 1)
    assert not any("form of" in problem for problem in audit.problems)
    audit = audited(said("he ran", "x", replacement="ran"), *rows)
    assert "1 example of test has a replacement form of train (1 distinct form)" in audit.problems


def test_a_sentence_in_both_versions_is_found_where_the_task_says_that_it_alters():
    rows = [said("the dog barks", "O"), said("dog the barks", "I", "test"), said("a cat", "O")]
    assert audited(*rows).versions == 0
    audit = audited(*rows, altered="I")
    assert audit.versions == 2
    assert any("both in its original" in problem for problem in audit.problems)


def published(language, task):
    """One of the published files: sentence and label, no train."""
    rows = []
    with (
        lzma.open(DATA / f"xprobe_{language}.tar.xz") as packed,
        tarfile.open(fileobj=packed) as archive,
    ):
        for file, split in (("va", "dev"), ("te", "test")):
            lines = (
                archive.extractfile(f"{language}/{task}/{file}.txt").read().decode().splitlines()
            )
            rows += [(*line.rsplit("\t", 1), split) for line in lines]
    return Dataset.of(
        Example.about(Sentence.of(text.split()), label, split) for text, label, split in rows
    )


@real
def test_published_tree_depth_has_the_same_rows_in_dev_and_test():
    audit = audit_dataset(published("en", "tree_depth"), floors=False)
    assert audit.same == {"dev/test": "rows"}
    assert "dev and test are the same 10,000 rows in the same order" in audit.problems[1]


@real
def test_published_odd_man_out_repeats_itself():
    audit = audit_dataset(published("en", "odd_man_out"), floors=False)
    assert audit.duplicates["test"] == 4297
    assert audit.shared["dev/test"] == SplitOverlap(440, 939)
    assert audit.contradictions > 3000
    assert sum(audit.repeats[0].places.values()) >= 17
