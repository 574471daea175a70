import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.audit.floors import correlate_length_with_labels, count_words_read
from lingprobe.audit.inspection import audit_dataset
from lingprobe.data.core import DATA_SPLITS, Dataset, Example, Sentence, Site
from lingprobe.data.labels import build_column
from lingprobe.data.references import ReferenceProblem, allow_code
from lingprobe.testing import TINY_DATASET_FAMILIES


def said(words, label, split="train", **strata):
    return Example.about(Sentence.of(words.split()), label, split, **strata)


def audited(*examples):
    return audit_dataset(Dataset.of(examples))


@pytest.mark.parametrize("family", TINY_DATASET_FAMILIES)
def test_every_family_is_audited(family):
    audit = audit_dataset(TINY_DATASET_FAMILIES[family](), rows=7)
    assert audit.sizes == {"train": 60, "dev": 20, "test": 20}
    assert len(audit.rows) == 7
    one = ["word"] if family in ("sentence", "asked") else []
    assert list(audit.floors) == ["constant", "length", *one, "words", "bigrams", "characters"]
    assert all(floor.low <= floor.score <= floor.high for floor in audit.floors.values())
    json.dumps(asdict(audit), allow_nan=False)
    assert audit_dataset(TINY_DATASET_FAMILIES[family](), rows=7) == audit
    assert audit_dataset(TINY_DATASET_FAMILIES[family](), seed=1, rows=7).rows != audit.rows


def test_twenty_rows_show_label_target_and_spans():
    assert len(audit_dataset(TINY_DATASET_FAMILIES["span"]()).rows) == 20
    sentence = Sentence.of(["a", "b", "c"])
    dataset = Dataset.of(
        [
            Example(
                (Site(sentence, (1, 3)), Site(sentence)),
                {"x": 0.5, "w": 1.0},
                split,
                ("dog",),
                {"target": "b", "order": "after"},
            )
            for split in ("train", "test")
        ]
    )
    row = audit_dataset(dataset).rows[0]
    assert (row.text, row.label, row.target, row.asked, row.strata) == (
        "a [ b c ] | a b c",
        "w 1, x 0.5",
        "b",
        ("dog",),
        {"order": "after"},
    )


def test_two_spans_of_a_sentence_are_numbered_and_what_a_file_said_is_no_tag_to_read():
    sentence, other = Sentence.of(["a", "b", "c", "d"]), Sentence.of(["e", "f"])
    tags = {"info": "{}", "record": "[1, {}]", "distance": "0"}
    pairs = [
        (Site(sentence, (0, 3)), Site(sentence, (1, 2))),
        (Site(sentence, (2, 3)), Site(sentence, (0, 3))),
        (Site(sentence, (0, 1)), Site(other, (1, 2))),
        (Site(sentence, (0, 1)), Site(sentence, (0, 3))),
    ]
    examples = [
        Example(sites, "x", split, strata=tags) for sites in pairs for split in ("train", "test")
    ]
    rows = audit_dataset(Dataset.of(examples)).rows
    assert [row.text for row in rows[::2]] == [
        "[1 a [2 b 2] c 1] d",
        "[2 a b [1 c 1] 2] d",
        "[1 a 1] b c d | e [2 f 2]",
        "[2 [1 a 1] b c 2] d",
    ]
    assert {tuple(row.strata) for row in rows} == {("distance",)}


def test_what_was_malformed_comes_first():
    skipped = {"source": {"skipped": 2}, "problems": ["a.jsonl:3: not JSON", "a.jsonl:9: not JSON"]}
    dataset = Dataset.of([said("a b", "x", split) for split in ("train", "test")], skipped)
    assert (
        audit_dataset(dataset).problems[0]
        == "2 sentences could not be read and were skipped; the first: a.jsonl:3: not JSON"
    )


def test_a_length_confound_is_found():
    rng = np.random.default_rng(0)
    examples = [
        said(
            " ".join(f"w{w}" for w in rng.integers(99, size=length)),
            "short" if length < 6 else "long",
            split,
        )
        for split, n in (("train", 200), ("test", 100))
        for length in rng.integers(1, 11, size=n).tolist()
    ]
    audit = audited(*examples)
    assert audit.floors["length"].score == 1.0
    assert audit.correlation > 0.8
    assert audit.lengths["short"] < 4 < 7 < audit.lengths["long"]
    assert any(problem.startswith("length alone reaches 1.000 [0.9") for problem in audit.problems)


def test_without_a_confound_nothing_is_said_of_length():
    audit = audit_dataset(TINY_DATASET_FAMILIES["sentence"]((300, 100, 1000)))
    assert (audit.floors["length"].score, audit.floors["constant"].score, audit.correlation) == (
        0.5,
        0.5,
        0.0,
    )
    assert not any("length" in problem or "fewer" in problem for problem in audit.problems)


def test_uneven_classes_are_told():
    audit = audited(
        said("a", "x"), said("b", "x", "test"), said("c", "x", "test"), said("d", "y", "test")
    )
    assert audit.balance["test"] == {"x": 2.0, "y": 1.0}
    assert any("uneven: from 1 to 2" in problem for problem in audit.problems)


def test_what_a_file_lacks_is_said_and_the_rest_is_audited():
    audit = audited(said("a", "x"), said("b", "y"))
    assert "there are no examples in dev or test" in audit.problems
    assert (audit.floors, audit.sizes["train"]) == ({}, 2)
    audit = audited(said("a", "x", "dev"), said("b", "y", "dev"), said("a", "x", "test"))
    assert {floor.about for floor in audit.floors.values()} == {"fitted on dev, scored on test"}


def test_floors_can_be_left_out():
    assert audit_dataset(TINY_DATASET_FAMILIES["sentence"](), floors=False).floors == {}


def test_correlation_before_and_after_sampling_is_taken_from_the_notes():
    dataset = TINY_DATASET_FAMILIES["sentence"]()
    assert audit_dataset(dataset, floors=False).before == {}
    noted = dataset.with_notes(
        sampling={"length_r_before": 0.6, "length_r_after": {"train": 0.0, "all": 0.01}}
    )
    assert audit_dataset(noted, floors=False).before == {"before": 0.6, "after": 0.01}


def test_words_are_counted_in_spans_where_there_are_spans():
    sentence = Sentence.of(["a", "b", "c"])
    dataset = Dataset.of([Example((Site(sentence), Site(sentence, (0, 2))), "x")])
    assert count_words_read(dataset).tolist() == [5]


def test_the_metric_of_the_task_is_used():
    dataset = TINY_DATASET_FAMILIES["sentence"]()
    assert audit_dataset(dataset).metric == "accuracy"
    assert audit_dataset(dataset, metric="macro-f1").floors["constant"].score == pytest.approx(
        1 / 3
    )
    assert [
        audit_dataset(TINY_DATASET_FAMILIES[f]()).metric for f in ("span", "spans", "pair")
    ] == [
        "micro-f1",
        "micro-f1",
        "pearson",
    ]


@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from("abc")), min_size=1, max_size=30))
def test_correlation_with_classes_is_eta(pairs):
    lengths, labels = np.array([p[0] for p in pairs]), build_column([p[1] for p in pairs])
    # the same as label sets goes through least squares
    dense = build_column([frozenset(p[1]) for p in pairs])
    assert correlate_length_with_labels(lengths, labels) == pytest.approx(
        correlate_length_with_labels(lengths, dense), abs=1e-6
    )


def test_correlation_with_numbers_has_a_sign():
    lengths = np.array([5, 4, 3, 2])
    assert correlate_length_with_labels(
        lengths, build_column(["1", "2", "3", "4"])
    ) == pytest.approx(-1)
    assert correlate_length_with_labels(
        lengths, build_column([1.0, 2.0, 3.0, 4.0])
    ) == pytest.approx(-1)
    assert correlate_length_with_labels(
        lengths, build_column(["nan", "nan", "1", "1"])
    ) == pytest.approx(np.sqrt(4 / 5))


def unordered(dataset, seed, **options):
    """The audits of a data set and of the same in another order, without the rows that they
    show.
    """
    mixed = dataset.take(np.random.default_rng(seed).permutation(len(dataset)))
    return [asdict(replace(audit_dataset(d, **options), rows=())) for d in (dataset, mixed)]


@pytest.mark.parametrize("family", TINY_DATASET_FAMILIES)
def test_the_order_of_examples_changes_nothing_but_the_rows_shown(family):
    one, other = unordered(TINY_DATASET_FAMILIES[family]((20, 6, 6)), 1)
    for part in ("balance", "lengths", "correlation"):  # sums, whose last bits depend on order
        mine, theirs = one.pop(part), other.pop(part)
        for split in DATA_SPLITS if part == "balance" else ():
            assert mine.pop(split) == pytest.approx(theirs.pop(split))
        assert mine == pytest.approx(theirs)
    assert one == other


questions = st.tuples(
    st.lists(st.sampled_from(["a", "A", "b"]), min_size=1, max_size=3),
    st.sampled_from("xy"),
    st.sampled_from(DATA_SPLITS),
)


@given(st.lists(questions, min_size=1, max_size=15), st.integers(0, 9))
def test_what_is_repeated_does_not_depend_on_order(rows, seed):
    dataset = Dataset.of(
        [said(" ".join(words), label, split, target=words[0]) for words, label, split in rows],
        {"altered": "x"},
    )
    one, other = unordered(dataset, seed, floors=False)
    for name in (
        "sizes",
        "duplicates",
        "contradictions",
        "shared",
        "forms",
        "words",
        "versions",
        "repeats",
    ):
        assert one[name] == other[name]
    kept = {pair for pair, how in one["same"].items() if how}
    assert kept == set(other["same"])


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        (["past", "pres"], ["past", "pres"]),
        ([2.5, 3.0], ["2.5", "3"]),
        ([frozenset("ba"), frozenset()], ["a, b", "(none)"]),
    ],
)
def test_labels_of_the_rows_to_read_are_written_shortly(labels, shown):
    examples = [Example.about(Sentence.of([str(i)]), label) for i, label in enumerate(labels)]
    assert [row.label for row in audit_dataset(Dataset.of(examples), floors=False).rows] == shown


CHECKS = """
def counts(audit, dataset):
    return [f"{len(dataset)} examples"]

def fails(audit, dataset):
    raise KeyError("height")
"""


def test_a_check_that_fails_is_named_and_ends_no_other(tmp_path):
    (tmp_path / "mine.py").write_text(CHECKS)
    counts, fails = (f"{tmp_path / 'mine.py'}@{name}" for name in ("counts", "fails"))
    dataset = Dataset.of([said("a b", "x"), said("c d", "y")])
    before = audit_dataset(dataset).problems
    with pytest.raises(ReferenceProblem):
        audit_dataset(dataset, checks=[fails])
    allow_code(fails, counts)
    found = audit_dataset(dataset, checks=[fails, counts]).problems
    assert found == (*before, f"the check {fails} failed: KeyError: 'height'", "2 examples")
    with pytest.raises(ReferenceProblem, match="nothing"):
        audit_dataset(dataset, checks=["nothing"])
