"""What an audit counts twice, and what it reads in runs of characters, against plain loops."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lingprobe.audit import floors
from lingprobe.audit.inspection import inspect
from lingprobe.audit.repeats import SHOWN
from lingprobe.data.core import SPLITS, Dataset, Example, Sentence, Site
from reference import repeated

words = st.lists(st.sampled_from(["a", "A", "b"]), min_size=1, max_size=2).map(tuple)
sites = st.tuples(words, st.sampled_from([None, (0, 1)]))


def rows(many):
    """Examples of as many sites."""
    site = st.tuples(*[sites] * many)
    asked = st.sampled_from([("p",), ("q",)])
    target = st.sampled_from(["", "sang", "Sang", "ran"])
    row = st.tuples(site, asked, st.sampled_from("xyz"), st.sampled_from(SPLITS), target)
    return st.lists(row, min_size=1, max_size=25)


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
@settings(max_examples=30)
@given(st.data())
def test_what_is_repeated_is_what_plain_loops_find(many, data):
    drawn = data.draw(rows(many))
    audit = inspect(made(drawn), rows=0, floors=False)
    assert audit.duplicates == repeated.duplicates(drawn)
    assert audit.contradictions == repeated.contradictions(drawn)
    assert audit.same == repeated.same(drawn)
    assert audit.versions == repeated.versions(drawn)
    assert audit.words == pytest.approx(repeated.known_words(drawn))
    expected = [(text, places) for _, text, places in repeated.most_repeated(drawn)]
    assert [(each.text, each.places) for each in audit.repeats] == expected
    for found, things in (
        (audit.shared, repeated.sentences),
        (audit.forms.get("target"), repeated.form),
    ):
        told = found and {pair: (each.distinct, each.examples) for pair, each in found.items()}
        there = any(things(row) for row in drawn)
        assert told == (repeated.shared(drawn, things) if there else None)


@pytest.mark.parametrize("many", [1, 2])
@settings(max_examples=40)
@given(st.data())
def test_examples_have_an_order_of_their_own_by_what_they_read_and_ask(many, data):
    drawn = data.draw(rows(many))

    def place(row):
        sites = [(" ".join(words), *(span or (-1, -1))) for words, span in row[0]]
        return sites, row[1], row[2]

    found = floors.canonical(made(drawn)).tolist()
    assert [place(drawn[k]) for k in found] == sorted(map(place, drawn))


def test_dev_is_thinned_by_a_draw_of_its_canonical_order(monkeypatch):
    monkeypatch.setattr(floors, "TUNED", 3)
    splits = {"train": "ab", "dev": "cdefghijk", "test": "lm"}
    dataset = Dataset.of(
        Example.about(Sentence.of([word]), "x", split)
        for split, words in splits.items()
        for word in words[::-1]
    )
    dev = floors.halved(dataset).dev
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
    halves = floors.halved(Dataset.of(examples))
    said = floors._by_length(halves)[1].class_names()
    found = dict(zip(floors.words_read(halves.test).tolist(), said, strict=True))
    assert found.pop(40) == found.pop(41)
    assert found == {n: labels[max(n, 2)] for n in range(1, 40)}


@pytest.mark.parametrize("many", [SHOWN, SHOWN + 1, SHOWN + 4])
def test_of_many_repeated_questions_those_asked_most_are_shown(many):
    # those of one worth are shown in the order of their words; another split is worth one more
    drawn = [
        ((((f"w{k:02}",), None),), ("p",), "x", SPLITS[i * (k % 3 == 1)], "")
        for k in range(many)
        for i in range(2 + (k >= many // 2) - (k == 0))
    ]
    expected = repeated.most_repeated(drawn, SHOWN)
    found = inspect(made(drawn), rows=0, floors=False).repeats
    assert [(each.text, each.places) for each in found] == [each[1:] for each in expected]
    assert len(found) == min(many - 1, SHOWN)


def runs(text):
    """How often each run of one to five characters is in a text."""
    return Counter(text[i : i + n] for n in range(1, 6) for i in range(len(text) - n + 1))


@settings(max_examples=40)
@given(st.lists(st.text("abé", min_size=1, max_size=8), min_size=1, max_size=8))
def test_each_run_of_characters_has_a_column_of_its_own(texts):
    found, columns = floors._hashed(texts), {}
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
    whole = floors._hashed(texts).toarray()
    monkeypatch.setattr(floors, "PIECE", 2)
    pieces = floors._hashed(texts).toarray()
    assert pieces.shape == whole.shape == (5, 2**18)
    assert (pieces == whole).all()


def test_what_a_span_reads_are_its_words_between_two_marks():
    sentence = Sentence.of(["one", "two", "three", "four"])
    dataset = Dataset.of([Example((Site(sentence, (1, 3)), Site(sentence)), "x")])
    assert [floors._texts(dataset, k) for k in (0, 1)] == [
        ["\x02two three\x03"],
        ["\x02one two three four\x03"],
    ]


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
    assert floors.correlation(read, found[""].labels) == pytest.approx(expected)
    groups = {label: [n for n, one in pairs if one == label] for label in labels}
    means = {label: sum(group) / len(group) for label, group in groups.items()}
    assert floors.by_label(found[""], read) == pytest.approx(means)
    between = moments([means[label] for label in labels], lengths)[0]
    eta = (between / xx) ** 0.5 if xx else 0
    assert floors.correlation(read, found["c"].labels) == pytest.approx(eta)
