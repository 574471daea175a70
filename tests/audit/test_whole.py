import json
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.audit import correlation, inspect, words_read
from sonde.core import DataProblem, Dataset, Example, Sentence, Site
from sonde.targets import column
from sonde.testing import FAMILIES


def said(words, label, split="train", **strata):
    return Example.about(Sentence.of(words.split()), label, split, **strata)


def audited(*examples):
    return inspect(Dataset.of(examples))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_is_audited(family):
    audit = inspect(FAMILIES[family](), rows=7)
    assert audit.sizes == {"train": 60, "dev": 20, "test": 20}
    assert len(audit.rows) == 7
    assert all(0 <= value <= 1 for value in (audit.majority, audit.correlation))
    json.dumps(asdict(audit), allow_nan=False)
    assert inspect(FAMILIES[family](), rows=7) == audit
    assert inspect(FAMILIES[family](), seed=1, rows=7).rows != audit.rows


def test_twenty_rows_show_label_target_and_spans():
    assert len(inspect(FAMILIES["span"]()).rows) == 20
    sentence = Sentence.of(["a", "b", "c"])
    dataset = Dataset.of(
        [
            Example((Site(sentence, (1, 3)), Site(sentence)), {"x": 0.5, "w": 1.0}, split, ("dog",), {"target": "b", "order": "after"})
            for split in ("train", "test")
        ]
    )
    row = inspect(dataset).rows[0]
    assert (row.text, row.label, row.target, row.asked, row.strata) == (
        "a [ b c ] | a b c",
        "w 1, x 0.5",
        "b",
        ("dog",),
        {"order": "after"},
    )


def test_a_length_confound_is_found():
    rng = np.random.default_rng(0)
    examples = [
        said(" ".join(f"w{w}" for w in rng.integers(99, size=length)), "short" if length < 6 else "long", split)
        for split, n in (("train", 200), ("test", 100))
        for length in rng.integers(1, 11, size=n).tolist()
    ]
    audit = audited(*examples)
    assert audit.length == 1.0
    assert audit.correlation > 0.8
    assert audit.lengths["short"] < 4 < 7 < audit.lengths["long"]
    assert any("length alone reaches 1.000 accuracy" in problem for problem in audit.problems)


def test_without_a_confound_nothing_is_said_of_length():
    audit = inspect(FAMILIES["sentence"]((300, 100, 1000)))
    assert (audit.length, audit.majority, audit.correlation) == (0.5, 0.5, 0.0)
    assert not any("length" in problem or "fewer" in problem for problem in audit.problems)


def test_duplicates_are_counted_within_and_across_splits_ignoring_case():
    audit = audited(
        said("A dog .", "x"), said("a dog .", "x"), said("a cat .", "y"), said("A Cat .", "y", "test"), said("new .", "x", "test")
    )
    assert audit.duplicates == {"train": 1, "dev": 0, "test": 0}
    assert audit.shared == {"train/dev": 0, "train/test": 1, "dev/test": 0}
    assert audit.contradictions == 0
    assert "1 examples of test have a sentence of train" in audit.problems


def test_the_same_question_with_two_answers_is_a_contradiction():
    audit = audited(said("a b", "x"), said("A b", "y"), said("c", "x", "test"))
    assert audit.contradictions == 2
    assert any("with another label" in problem for problem in audit.problems)


def test_another_span_of_the_same_sentence_is_another_question():
    sentence = Sentence.of(["a", "b"])
    dataset = Dataset.of(
        [Example((Site(sentence, (k, k + 1)),), label, split) for k, label, split in ((0, "x", "train"), (1, "y", "test"))]
    )
    audit = inspect(dataset)
    assert (audit.duplicates["train"], audit.contradictions) == (0, 0)
    assert audit.shared["train/test"] == 1


def test_overlap_of_targets_and_words_is_told():
    audit = audited(
        said("he sang", "x", target="sang"),
        said("she Ran", "y", "test", target="Sang"),
        said("he went", "x", "test", target="went"),
    )
    assert audit.targets == {"dev": 0.0, "test": 0.5}
    assert audit.words == {"dev": 0.0, "test": 0.25}
    assert any("50% of the target forms of test" in problem for problem in audit.problems)


def test_uneven_classes_are_told():
    audit = audited(said("a", "x"), said("b", "x", "test"), said("c", "x", "test"), said("d", "y", "test"))
    assert audit.balance["test"] == {"x": 2.0, "y": 1.0}
    assert any("uneven: from 1 to 2" in problem for problem in audit.problems)


def test_nothing_to_audit_is_said():
    with pytest.raises(DataProblem, match="no test examples"):
        audited(said("a", "x"))


def test_words_are_counted_in_spans_where_there_are_spans():
    sentence = Sentence.of(["a", "b", "c"])
    dataset = Dataset.of([Example((Site(sentence), Site(sentence, (0, 2))), "x")])
    assert words_read(dataset).tolist() == [5]


def test_the_metric_of_the_task_is_used():
    dataset = FAMILIES["sentence"]()
    assert inspect(dataset).metric == "accuracy"
    assert inspect(dataset, metric="macro-f1").majority == pytest.approx(1 / 3)
    assert [inspect(FAMILIES[f]()).metric for f in ("span", "spans", "pair")] == ["micro-f1", "micro-f1", "pearson"]


@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from("abc")), min_size=1, max_size=30))
def test_correlation_with_classes_is_eta(pairs):
    lengths, labels = np.array([p[0] for p in pairs]), column([p[1] for p in pairs])
    dense = column([frozenset(p[1]) for p in pairs])  # the same as label sets goes through least squares
    assert correlation(lengths, labels) == pytest.approx(correlation(lengths, dense), abs=1e-6)


def test_correlation_with_numbers_has_a_sign():
    lengths = np.array([5, 4, 3, 2])
    assert correlation(lengths, column(["1", "2", "3", "4"])) == pytest.approx(-1)
    assert correlation(lengths, column([1.0, 2.0, 3.0, 4.0])) == pytest.approx(-1)
    assert correlation(lengths, column(["nan", "nan", "1", "1"])) == pytest.approx(np.sqrt(4 / 5))
