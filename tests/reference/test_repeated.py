"""What an audit counts twice, and what it reads in runs of characters, against plain loops."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from lingprobe.audit import floors, repeats
from lingprobe.audit.inspection import audit_dataset
from lingprobe.audit.repeats import _SHOWN
from lingprobe.data.core import DATA_SPLITS, Dataset, Example, Sentence, Site
from lingprobe.data.labels import Classes
from lingprobe.datasets.groups import number_equal_rows
from reference import bayes, repeated

WORDS = ("a",), ("A",), ("b",), ("a", "b"), ("b", "a"), ("b", "A")
ASKED = ("p", "q"), ("q", "p"), ("p", "p")
TARGETS = "", "sang", "Sang", "ran"


def drawn(seed, many):
    """Up to 25 rows of as many sites."""
    draws = np.random.default_rng(seed)

    def one(values):
        return values[draws.integers(len(values))]

    return [
        (
            tuple((one(WORDS), one((None, (0, 1)))) for _ in range(many)),
            one(ASKED),
            one("xyz"),
            one(DATA_SPLITS),
            one(TARGETS[: 1 + 3 * (seed % 8 > 0)]),
        )
        for _ in range(draws.integers(1, 26))
    ]


def made(examples):
    """The data set of some rows, whose sentences stand in an order that is not theirs."""
    known = {}
    return Dataset.of(
        [
            Example(
                tuple(Site(known.setdefault(w, Sentence.of(list(w))), span) for w, span in where),
                label,
                split,
                asked,
                {"target": target} if target else {},
            )
            for where, asked, label, split, target in examples
        ],
        {"altered": "x"},
    )


@pytest.mark.parametrize("many", [1, 2])
def test_what_is_repeated_is_what_plain_loops_find(many):
    for seed in range(40):
        rows = drawn(seed, many)
        dataset = made(rows)
        numbered = repeats.NumberedDataset.of(dataset)
        assert repeats.find_repeats(numbered) == repeated.duplicates(rows)
        assert repeats.count_contradictions(numbered) == repeated.contradictions(rows)
        assert repeats.find_repeated_splits(numbered) == repeated.same(rows)
        assert repeats.both_versions(numbered) == repeated.versions(rows)
        assert repeats.measure_known_words(dataset) == pytest.approx(repeated.known_words(rows))
        expected = [(text, places) for _, text, places in repeated.most_repeated(rows)]
        found = repeats.most_repeated(numbered)
        assert [(each.text, each.places) for each in found] == expected
        for shared, things in (
            (repeats.find_shared_sentences(numbered), repeated.sentences),
            (repeats.find_shared_forms(numbered).get("target"), repeated.form),
        ):
            told = shared and {pair: (s.distinct, s.examples) for pair, s in shared.items()}
            there = any(things(row) for row in rows)
            assert told == (repeated.shared(rows, things) if there else None)


def test_splits_of_the_same_examples_are_the_same_in_any_order():
    """One more of them, or another label of one, is another split."""
    rows = drawn(1, 2)
    for seed in range(9):
        order, splits = np.random.default_rng(seed).permutation(len(rows)), ("train", "test")
        second = [rows[k] for k in (order if seed % 2 else range(len(rows)))]
        if seed > 6:
            second[3] = (*second[3][:2], "z" if second[3][2] == "x" else "x", *second[3][3:])
        elif seed > 4:
            second = [*second[1:], second[1]]
        both = [
            (*row[:3], split, row[4])
            for split, part in zip(splits, (rows, second), strict=True)
            for row in part
        ]
        expected = {} if seed > 4 else {"train/test": ("rows", "set")[seed % 2]}
        assert (
            repeats.find_repeated_splits(repeats.NumberedDataset.of(made(both)))
            == repeated.same(both)
            == expected
        )


def test_equal_rows_of_numbers_have_one_number():
    for seed in range(20):
        table = np.random.default_rng(seed).integers(-1, 4, (30, 1 + seed % 4))
        found, rows = number_equal_rows(table).tolist(), list(map(tuple, table.tolist()))
        assert len(set(zip(found, rows, strict=True))) == len(set(found)) == len(set(rows))


@pytest.mark.parametrize("many", [1, 2])
def test_examples_have_an_order_of_their_own_by_what_they_read_and_ask(many):
    def place(row):
        sites = [(" ".join(words), *(span or (-1, -1))) for words, span in row[0]]
        return sites, row[1], row[2]

    for seed in range(40):
        rows = drawn(seed, many)
        found = floors.number_examples(made(rows)).tolist()
        assert [place(rows[k]) for k in found] == sorted(map(place, rows))


def test_dev_is_thinned_by_a_draw_of_its_canonical_order(monkeypatch):
    monkeypatch.setattr(floors, "_TUNED", 3)
    splits = {"train": "ab", "dev": "cdefghijk", "test": "lm"}
    dataset = Dataset.of(
        Example.about(Sentence.of([word]), "x", split)
        for split, words in splits.items()
        for word in words[::-1]
    )
    dev = floors.SplitHalves.of(dataset).dev
    order = np.random.default_rng(0).permutation(9)[:3]
    found = [dev.sentences[s].text for s in dev.sites[:, 0, 0]]
    assert found == [splits["dev"][k] for k in order]


def test_length_alone_answers_the_commonest_label_of_each_twentieth():
    """Of forty lengths two each; what is shorter than all of train is as its shortest."""
    labels = {n: "yx"[(n - 2) // 2 % 3 == 0] for n in range(2, 42)} | {40: "y", 41: "x"}
    examples = [
        Example.about(Sentence.of([f"{split}{n}"] * n), labels.get(n, "y"), split)
        for split, least in (("train", 2), ("test", 1))
        for n in range(least, 42)
    ]
    halves = floors.SplitHalves.of(Dataset.of(examples))
    said = floors._by_length(halves)[1].class_names()
    found = dict(zip(floors.count_words_read(halves.test).tolist(), said, strict=True))
    assert found.pop(40) == found.pop(41)
    assert found == {n: labels[max(n, 2)] for n in range(1, 40)}


@pytest.mark.parametrize("many", [_SHOWN, _SHOWN + 1, _SHOWN + 4])
def test_of_many_repeated_questions_those_asked_most_are_shown(many):
    # those of one worth are shown in the order of their words; another split is worth one more
    rows = [
        ((((f"w{k:02}",), None),), ("p",), "x", DATA_SPLITS[i * (k % 3 == 1)], "")
        for k in range(many)
        for i in range(2 + (k >= many // 2) - (k == 0))
    ]
    expected = repeated.most_repeated(rows, _SHOWN)
    found = audit_dataset(made(rows), rows=0, floors=False).repeats
    assert [(each.text, each.places) for each in found] == [each[1:] for each in expected]
    assert len(found) == min(many - 1, _SHOWN)


def runs(text):
    """How often each run of one to five characters is in a text."""
    return Counter(text[i : i + n] for n in range(1, 6) for i in range(len(text) - n + 1))


@settings(max_examples=40)
@given(st.lists(st.text("abé", min_size=1, max_size=8), min_size=1, max_size=8))
def test_each_run_of_characters_has_a_column_of_its_own(texts):
    found, columns = floors._hash_ngrams(texts), {}
    found.sum_duplicates()
    assert found.shape[0] == len(texts)
    for k, text in enumerate(texts):
        row = slice(found.indptr[k], found.indptr[k + 1])
        assert sorted(found.data[row].tolist()) == sorted(runs(text).values())
        for run in runs(text):  # a column of it in every text that has it
            columns.setdefault(run, set(found.indices[row].tolist()))
            columns[run] &= set(found.indices[row].tolist())
    assert all(columns.values())


def test_texts_counted_in_pieces_are_those_counted_at_once(monkeypatch):
    texts = ["ab", "", "abc", "c", "abab"]
    whole = floors._hash_ngrams(texts).toarray()
    monkeypatch.setattr(floors, "_PIECE", 2)
    pieces = floors._hash_ngrams(texts).toarray()
    assert pieces.shape == whole.shape == (5, 2**18)
    assert (pieces == whole).all()


def test_what_a_span_reads_are_its_words_between_two_marks():
    sentence = Sentence.of(["one", "two", "three", "four"])
    sites = Site(sentence, (1, 3)), Site(sentence), Site(sentence, (0, 1))
    assert [floors._list_site_texts(Dataset.of([Example(sites, "x")]), k) for k in range(3)] == [
        ["\x02two three\x03"],
        ["\x02one two three four\x03"],
        ["\x02one\x03"],
    ]
    assert floors.count_words_read(Dataset.of([Example(sites, "x")])).tolist() == [2 + 4 + 1]


def test_many_classes_are_scored_as_naive_bayes_with_one_more_of_each_run():
    draws = np.random.default_rng(0)
    rows, new = draws.random((12, 5)), draws.random((4, 5))
    labels = draws.permutation(np.repeat(np.arange(3), 4))
    found = floors._estimator_scores(
        csr_array(rows), Classes(labels, ("a", "b", "c")), csr_array(new)
    )
    expected = [
        [bayes.of_class(rows.tolist(), labels.tolist(), k, 1.0, one) for k in range(3)]
        for one in new.tolist()
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def moments(x, y):
    """Sums of squares and of products about the means."""
    a, b = sum(x) / len(x), sum(y) / len(y)
    pairs = [(one - a, other - b) for one, other in zip(x, y, strict=True)]
    return sum(p * p for p, _ in pairs), sum(q * q for _, q in pairs), sum(p * q for p, q in pairs)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("123")), min_size=1, max_size=15))
def test_length_and_label_correlate_as_pearson_or_eta(pairs):
    lengths, labels = zip(*pairs, strict=True)
    found = {
        prefix: Dataset.of(
            Example.about(Sentence.of(["w"] * n), f"{prefix}{label}") for n, label in pairs
        )
        for prefix in ("", "c")  # names of numbers, and others
    }
    xx, yy, xy = moments(lengths, list(map(float, labels)))
    read = np.array(lengths)
    expected = xy / (xx * yy) ** 0.5 if xx and yy else 0
    assert floors.correlate_length_with_labels(read, found[""].labels) == pytest.approx(expected)
    groups = {label: [n for n, one in pairs if one == label] for label in labels}
    means = {label: sum(group) / len(group) for label, group in groups.items()}
    assert floors.by_label(found[""], read) == pytest.approx(means)
    between = moments([means[label] for label in labels], lengths)[0]
    eta = (between / xx) ** 0.5 if xx else 0
    assert floors.correlate_length_with_labels(read, found["c"].labels) == pytest.approx(eta)


@pytest.mark.parametrize(("lengths", "r"), [([3, 5], 1), ([5, 3], -1), ([4, 4], 0), ([4], 0)])
def test_two_examples_correlate_wholly_where_both_differ(lengths, r):
    labels = Classes(np.arange(len(lengths)), ("1", "7"))
    assert floors.correlate_length_with_labels(np.array(lengths), labels) == pytest.approx(r)
