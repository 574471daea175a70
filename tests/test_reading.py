import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.data.core import Dataset, Example, Sentence, Site
from lingprobe.data.reading import (
    POOLS,
    SCALAR_MIX_LAYERS,
    ReadingProblem,
    Readings,
    parse_view,
    read_of,
    reads_of,
)
from lingprobe.data.vectors import Spans, Vectors
from lingprobe.testing import TINY_DATASET_FAMILIES


def spans_of(pieces):
    """Spans of sentences whose words have so many units each, with one unit of no word before them,
    as [CLS] is.
    """
    words, starts, first, unit = [], [0], [0], 0
    for sentence in pieces:
        unit += 1
        for length in sentence:
            words.append((unit, unit + length) if length else (0, 0))  # nothing could be aligned
            unit += length
        starts.append(unit)
        first.append(len(words))
    return Spans(np.array(starts), np.array(words, np.int64).reshape(-1, 2), np.array(first))


@st.composite
def readings(draw):
    """Examples about whole sentences and spans, over units that may be missing for a word."""
    pieces = draw(st.lists(st.lists(st.integers(0, 3), max_size=4), min_size=1, max_size=4))
    sentences = [
        Sentence.of([f"s{s}w{w}" for w in range(len(sentence))], f"s{s}")
        for s, sentence in enumerate(pieces)
    ]
    sites = draw(st.integers(1, 2))
    examples = []
    for sentence in sentences:
        places = []
        for _ in range(sites):
            n = len(sentence.words)
            start = draw(st.integers(0, n - 1)) if n and draw(st.booleans()) else None
            places.append(
                Site(sentence, None if start is None else (start, draw(st.integers(start + 1, n))))
            )
        examples.append(Example(tuple(places), "x"))
    spans = spans_of(pieces)
    rng = np.random.default_rng(draw(st.integers(0, 9)))
    layers = tuple(rng.normal(size=(spans.sentences[-1], 3)).astype(np.float32) for _ in range(2))
    return Readings(Dataset.of(examples), Vectors(layers, ("0", "1"), spans))


def units_of(r, i, k):
    """The units of a site, read slowly: all of a whole sentence, or those of its words."""
    spans = r.vectors.spans
    s, start, stop = r.dataset.sites[i, k]
    if start < 0:
        return list(range(spans.sentences[s], spans.sentences[s + 1]))
    words = spans.words[spans.first_word[s] + start : spans.first_word[s] + stop]
    return [u for a, b in words for u in range(a, b)]


SLOW = {
    "mean": lambda rows: rows.mean(0),
    "max": lambda rows: rows.max(0),
    "first": lambda rows: rows[0],
    "last": lambda rows: rows[-1],
    "endpoints": lambda rows: np.concatenate([rows[0], rows[-1]]),
}


@pytest.mark.parametrize("pool", POOLS)
@given(readings())
def test_features_are_the_pooled_units_of_each_site(pool, r):
    features = parse_view(pool)(r, r.vectors.layer("1"))
    for i in range(len(r)):
        parts = []
        for k in range(r.dataset.sites.shape[1]):
            rows = r.vectors.layer("1")[units_of(r, i, k)]
            parts.append(
                SLOW[pool](rows) if len(rows) else np.zeros(6 if pool == "endpoints" else 3)
            )
        np.testing.assert_allclose(features[i], np.concatenate(parts), rtol=1e-5, atol=1e-6)
    assert features.dtype == np.float32


@given(readings(), st.data())
def test_reading_some_examples_is_some_of_the_readings(r, data):
    rows = np.array(
        data.draw(st.lists(st.integers(0, len(r) - 1), min_size=1, max_size=5)), np.int64
    )
    np.testing.assert_array_equal(r.take(rows).features("cat"), r.features("cat")[rows])


def test_one_vector_a_sentence_is_read_as_it_is():
    dataset = TINY_DATASET_FAMILIES["pair"]()
    layer = np.random.default_rng(0).normal(size=(len(dataset.sentences), 4)).astype(np.float32)
    r = Readings(dataset, Vectors((layer,)))
    a, b = layer[dataset.sites[:, 0, 0]], layer[dataset.sites[:, 1, 0]]
    np.testing.assert_array_equal(r.features("-"), np.concatenate([a, b], 1))
    contrasted = Readings(dataset, Vectors((layer,)), "mean+contrast").features("-")
    np.testing.assert_allclose(contrasted, np.concatenate([np.abs(a - b), a * b], 1))
    four = Readings(dataset, Vectors((layer,)), "mean+infersent").features("-")
    np.testing.assert_allclose(four, np.concatenate([a, b, np.abs(a - b), a * b], 1))
    for site, alone in zip(r.sites("-"), (a, b), strict=True):
        np.testing.assert_array_equal(site, alone)


def test_layers_are_read_by_name_or_together():
    dataset = TINY_DATASET_FAMILIES["sentence"]((3, 2, 2))
    layers = tuple(np.full((7, 2), i, np.float32) for i in range(3))
    r = Readings(dataset, Vectors(layers, ("0", "6", "12")))
    assert r.features("6").tolist() == [[1, 1]] * 7
    assert r.features("cat")[0].tolist() == [0, 0, 1, 1, 2, 2]
    assert r.features("cat:12+0")[0].tolist() == [2, 2, 0, 0]


def test_a_layer_that_is_not_there_is_told_with_those_that_are():
    r = Readings(
        TINY_DATASET_FAMILIES["sentence"]((1, 1, 1)),
        Vectors((np.zeros((3, 2), np.float32),), ("6",)),
    )
    for read in ("7", "cat:6+7"):
        with pytest.raises(ReadingProblem, match="no layer called '7': the encoder gives 6"):
            r.features(read)


def test_asked_words_are_one_hot_by_slot():
    dataset = TINY_DATASET_FAMILIES["asked"]((4, 2, 2))
    r = Readings(dataset, Vectors((np.zeros((8, 2), np.float32),)), "mean+asked")
    found, size = r.features("-")[:, 2:], len(dataset.vocabulary)
    assert found.shape == (8, 2 * size)
    assert found.sum(1).tolist() == [2.0] * 8
    for row, (who, what) in zip(found, dataset.asked, strict=True):
        assert row[who] == row[size + what] == 1
    without = Readings(
        TINY_DATASET_FAMILIES["sentence"]((1, 1, 1)),
        Vectors((np.ones((3, 2), np.float32),)),
        "mean+asked",
    ).features("-")
    assert without.shape == (3, 2)


def test_spans_need_units_a_word():
    dataset = TINY_DATASET_FAMILIES["span"]()
    with pytest.raises(
        ReadingProblem, match="one vector a sentence; use an encoder of words or subwords"
    ):
        Readings(dataset, Vectors((np.zeros((100, 2), np.float32),))).features("-")


def test_contrast_needs_two_sites():
    r = Readings(
        TINY_DATASET_FAMILIES["sentence"]((1, 1, 1)),
        Vectors((np.zeros((3, 2), np.float32),)),
        "mean+contrast",
    )
    with pytest.raises(ReadingProblem, match="contrast reads two sites, the task has 1"):
        r.features("-")


@pytest.mark.parametrize("name", ["", "sum", "mean+", "mean+product", "contrast"])
def test_an_unknown_view_is_told(name):
    with pytest.raises(ReadingProblem, match="write one of mean, max"):
        parse_view(name)


def test_readings_lead_back_to_the_words():
    dataset = TINY_DATASET_FAMILIES["pair"]()
    r = Readings(dataset, Vectors((np.zeros((len(dataset.sentences), 1), np.float32),)))
    examples = list(dataset.examples())
    assert all(
        r.sentence(i, k) == examples[i].sites[k].sentence for i in range(len(r)) for k in (0, 1)
    )
    assert list(r.split("dev").dataset.examples()) == [e for e in examples if e.split == "dev"]


def test_padding_has_no_part_in_a_mean():
    # AIRI's Probing_framework took the mean over padding, so a vector depended on the longest
    # sentence beside it
    short, long = Sentence.of(["a"]), Sentence.of(["b"] * 9)
    units = np.arange(12, dtype=np.float32)[:, None]
    vectors = Vectors((units,), spans=spans_of([[1], [1] * 9]))
    dataset = Dataset.of([Example.about(short, "x"), Example.about(long, "y")])
    assert Readings(dataset, vectors).features("-").ravel().tolist() == [0.5, 6.5]


def test_no_examples_are_no_rows():
    r = Readings(
        TINY_DATASET_FAMILIES["span"](),
        Vectors((np.zeros((11 * 100, 3), np.float32),), spans=spans_of([[1] * 10] * 100)),
    )
    assert r.take(np.array([], np.int64)).features("-").shape == (0, 3)


NAMES = ("lex", "0", "1", "2", "10")


@pytest.mark.parametrize(
    ("text", "how", "layers"),
    [
        ("1", "layer", ("1",)),
        ("lex", "layer", ("lex",)),
        ("top", "layer", ("10",)),
        ("cat", "cat", NAMES),
        ("cat:lex+top", "cat", ("lex", "10")),
        ("cat:0-1+top", "cat", ("0", "1", "10")),
        ("mix", "mix", ("0", "1", "2", "10")),
        ("mix:0-2", "mix", ("0", "1", "2")),
        ("mix:lex+1-2", "mix", ("lex", "1", "2")),
        ("mix:0-0", "mix", ("0",)),
    ],
)
def test_reads_name_layers(text, how, layers):
    assert read_of(text, NAMES) == (how, layers)


@pytest.mark.parametrize(
    "text", ["3", "mix:0-3", "cat:nothing", "mix:2-0", "mix:11-top", "layer:1", ""]
)
def test_reads_of_layers_that_are_not_there_are_told(text):
    with pytest.raises(ReadingProblem, match="no layer called"):
        read_of(text, NAMES)


@pytest.mark.parametrize("depth", [1, 12, 24])
def test_the_papers_mix_has_the_lexical_layer_in_place_of_the_first(depth):
    above = tuple(str(k) for k in range(1, depth + 1))
    assert read_of(SCALAR_MIX_LAYERS, ("lex", "0", *above)) == ("mix", ("lex", *above))
    with pytest.raises(ReadingProblem, match="no layer called 'lex'"):
        read_of(SCALAR_MIX_LAYERS, ("0", *above))


def test_a_layer_called_like_a_read_is_that_layer():
    assert read_of("mix", ("mix", "top")) == ("layer", ("mix",))
    assert read_of("top", ("mix", "top", "0")) == ("layer", ("top",))
    assert read_of("top", ("-",)) == ("layer", ("-",))


def test_a_mix_needs_numbered_layers():
    with pytest.raises(ReadingProblem, match="layers=all"):
        read_of("mix", ("-",))


def test_words_for_many_reads():
    assert reads_of([], NAMES) == NAMES
    assert reads_of(["cumulative", "layers", "1"], ("0", "1", "2")) == (
        "mix:0-0",
        "mix:0-1",
        "mix",
        "0",
        "1",
        "2",
    )
    with pytest.raises(ReadingProblem, match="no layer called"):
        reads_of(["0", "7"], NAMES)


def test_a_mix_is_no_feature():
    vectors = Vectors((np.ones((1, 2), np.float32),), ("0",))
    readings = Readings(Dataset.of([Example.about(Sentence.of(("a",)), "x")]), vectors)
    with pytest.raises(ReadingProblem, match="span"):
        readings.features("mix")
    assert np.array_equal(readings.features("top"), readings.features("0"))
