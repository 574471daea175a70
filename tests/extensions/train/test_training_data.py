"""What trained encoders learn from: files in several layouts, and what is wrong with them."""

from __future__ import annotations

import numpy as np
import pytest

import lingprobe
from extensions.train.written import written
from lingprobe.corpora.training_sentences import hash_key
from lingprobe_extensions.train.data import (
    FileReading,
    neighbours,
    read_bracketed_examples,
    read_following_sentences,
    read_translations,
    themselves,
)
from lingprobe_extensions.train.inferences import inferences
from lingprobe_extensions.train.objectives import add_noise
from lingprobe_extensions.train.texts import (
    DecoderVocabulary,
    NumberedTexts,
    compute_perplexities,
    join_texts,
)


def test_translations_are_aligned_lines_or_columns(tmp_path):
    two = written(tmp_path, a_en="A dog .\n\nA cat\n", a_de="Ein Hund .\nnichts\nEine Katze\n")
    how = FileReading()
    assert [(e.first, e.texts[0]) for e in read_translations(two, how)] == [
        (("A", "dog", "."), "Ein Hund ."),
        (("A", "cat"), "Eine Katze"),
    ]
    assert how.counts["empty"] == 1
    table = written(tmp_path, a_tsv="A dog\tUn chien\tlicence\n")
    assert [(e.first, e.texts[0]) for e in read_translations(table, FileReading())] == [
        (("A", "dog"), "Un chien")
    ]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({"a_en": "A\nB\n", "a_de": "A\n"}, r"a\.de:2: the file ends before this line"),
        ({"a_en": "A\n", "a_de": "A\nB\n"}, r"a\.en:2: the file ends before this line"),
        ({"a_en": "A\n"}, "two files of as many lines, source and target, or from tables"),
        ({"a_tsv": "A\n"}, r"a\.tsv:1: expected a source, a tab and its translation"),
        ({"a_en": b"A\nB\xff\n", "a_de": "A\nB\n"}, r"a\.en:2: .*UTF-8"),
    ],
)
def test_files_that_are_not_aligned_are_named(tmp_path, texts, said):
    with pytest.raises(lingprobe.DataProblem, match=said):
        list(read_translations(written(tmp_path, **texts), FileReading()))


def test_the_next_sentence_is_of_the_same_paragraph(tmp_path):
    paths = written(tmp_path, a_txt="One .\nTwo .\n\nThree .\nFour .\n# book\nFive .\n")
    assert [(e.first[0], e.texts[0]) for e in read_following_sentences(paths, FileReading())] == [
        ("One", "Two ."),
        ("Three", "Four ."),
    ]
    assert len(list(themselves(paths, FileReading()))) == 5


def test_neighbours_are_the_sentences_on_both_sides(tmp_path):
    paths = written(tmp_path, a_txt="One .\nTwo .\nThree .\nFour .\n\nFive .\nSix .\n")
    assert [(e.first[0], e.texts) for e in neighbours(paths, FileReading())] == [
        ("Two", ("One .", "Three .")),
        ("Three", ("Two .", "Four .")),
    ]


def test_trees_lose_their_words_as_in_the_papers_example(tmp_path):
    paths = written(
        tmp_path, a_ptb="(ROOT (S (NP (NNP John)) (VP (VBZ has) (NP (DT a) (NN dog)))))\n"
    )
    [example] = read_bracketed_examples(paths, FileReading())
    assert example.first == ("John", "has", "a", "dog")
    assert example.texts[0] == "(ROOT (S (NP NNP )NP (VP VBZ (NP DT NN )NP )VP )S )ROOT"


def test_malformed_trees_are_errors_or_are_counted(tmp_path):
    [path] = written(tmp_path, a_ptb="(S (NN dog) (VB barks))\n(S ((NN dog))\n(S (NN cat))\n")
    with pytest.raises(lingprobe.DataProblem, match=r"a\.ptb:2: .*on_error=skip"):
        list(read_bracketed_examples([path], FileReading()))
    how = FileReading(on_error="skip")
    assert [example.first for example in read_bracketed_examples([path], how)] == [
        ("dog", "barks"),
        ("cat",),
    ]
    assert how.counts["trees without words, or malformed"] == 1


def test_long_sentences_are_counted_and_left_out(tmp_path):
    paths = written(tmp_path, a_txt="word " * 10_000 + "\nshort one\n")
    how = FileReading()
    assert [e.first for e in themselves(paths, how)] == [("short", "one")]
    assert how.counts["too long"] == 1


def test_a_text_comes_back_from_its_pieces():
    texts = ["Straße, naïve café!", "the dogs bark", "the dog barked"] * 20
    pieces = DecoderVocabulary.of(texts, 300, whole_words=False)
    encoded = DecoderVocabulary.read(str(pieces)).encode(["the dogs barked", "Straße ☃"])
    assert pieces.decode(encoded.row(i)[1:-1].tolist() for i in range(2)) == [
        "the dogs barked",
        "Straße ☃",
    ]
    assert len(pieces) <= 300
    many = pieces.encode(["the dog"] * 10_000)
    assert len(many) == 10_000
    assert len(set(many.lengths.tolist())) == 1


def test_words_are_dropped_and_swapped_as_often_as_asked():
    rows = [list(range(20)) for _ in range(2000)]
    words, draws = NumberedTexts.of(rows), np.random.default_rng(0)
    dropped = add_noise(words, np.arange(2000), 0.1, 0.0, draws)
    assert dropped.lengths.mean() == pytest.approx(18, abs=0.1)
    swapped = add_noise(words, np.arange(2000), 0.0, 0.3, draws)
    moved = swapped.ids.reshape(2000, 20) != np.arange(20)
    # ten pairs a row, or nine where the first word is passed over
    assert moved.sum() / 2 / 2000 == pytest.approx(9.5 * 0.3, abs=0.1)
    assert np.array_equal(
        np.sort(swapped.ids.reshape(2000, 20), 1), np.tile(np.arange(20), (2000, 1))
    )
    assert add_noise(NumberedTexts.of([[7]]), np.arange(1), 1.0, 1.0, draws).ids.tolist() == [7]


def test_perplexities_are_those_of_counts():
    train = NumberedTexts.of([[0, 3, 4, 1]] * 3)
    found = compute_perplexities(train, NumberedTexts.of([[0, 3, 4, 1]]), 5)
    single = np.array([0, 4, 0, 4, 4]) / 12  # add-one; START and PAD are never written
    expected = np.exp(-np.log(single[[3, 4, 1]]).mean())
    assert found["unigram"] == pytest.approx(expected)
    assert 1 < found["bigram"] < found["unigram"]


def test_rows_of_numbers_are_as_narrow_as_they_may_be():
    narrow, wide = (
        NumberedTexts.of([[65535], [], [3, 4]], 2**16),
        NumberedTexts.of([[65536], []], 2**16 + 1),
    )
    assert (narrow.ids.dtype, wide.ids.dtype) == (np.uint16, np.int32)
    assert [narrow.row(i).tolist() for i in range(3)] == [[65535], [], [3, 4]]
    assert (narrow.lengths.tolist(), wide.row(0).tolist()) == ([1, 0, 2], [65536])
    assert narrow.lengths_of(np.array([2, 0])).tolist() == [2, 1]
    assert narrow.pad_rows(np.array([2, 0]), -1).tolist() == [[3, 4], [65535, -1]]
    assert narrow.pad_rows(np.array([0]), 7).tolist() == [[65535]]
    assert narrow.pad_rows(np.array([1]), 7).tolist() == [[7]]
    assert narrow.pad_rows(np.array([], np.int64), 7).shape == (0, 1)
    both = join_texts([narrow, narrow.take(np.array([2, 1]))])
    assert [both.row(i).tolist() for i in range(5)] == [[65535], [], [3, 4], [3, 4], []]


def test_a_sentence_fits_that_has_words_and_not_too_many():
    how = FileReading(longest=2, left_out=frozenset({"probed"}))
    assert how.usable("probed!", "b") is False
    assert how.usable("a", "b") is True
    assert how.fits(("a", "b"), ("c",)) is True
    assert how.fits(("a", "b", "c"), ("c",)) is False
    assert how.fits(("a",), ()) is False
    assert {**how.counts} == {"to be probed": 1, "empty": 1, "too long": 1}


def seen(how: FileReading) -> set[int]:
    return set(how.seen.distinct().tolist())


@pytest.mark.parametrize(
    ("reads", "texts", "keys"),
    [
        (
            read_translations,
            {"a_tsv": "A dog\tUn chien\n!\tVide\n\tRien\n"},
            {"adog", "unchien", "vide"},
        ),
        (themselves, {"a_txt": "A dog .\n\nA b c d e\n"}, {"adog"}),
        (read_following_sentences, {"a_txt": "A dog .\nA cat .\n\nAlone\n"}, {"adog", "acat"}),
        (
            read_bracketed_examples,
            {"a_mrg": "(S (NP (-LRB- -LRB-) (N dog)) (V runs))"},
            {"dogruns"},
        ),
        (
            inferences,
            {"a_tsv": "premise\thypothesis\tlabel\nA dog\tA cat\tno\nOne\tTwo\t-\n"},
            {"adog", "acat"},
        ),
    ],
)
def test_every_text_that_is_read_is_kept_by_its_hash(reads, texts, keys, tmp_path):
    how = FileReading(longest=4)
    assert list(reads(written(tmp_path, **texts), how))
    assert seen(how) == {hash_key(key) for key in keys}


def test_what_will_be_probed_is_left_out_on_either_side(tmp_path):
    how = FileReading(left_out=frozenset({"unchien"}))
    table = written(tmp_path, a_tsv="A dog\tUn chien\nA cat\tUn chat\n")
    assert [e.first for e in read_translations(table, how)] == [("A", "cat")]
    assert seen(how) == {hash_key("acat"), hash_key("unchat")}
    assert how.counts["to be probed"] == 1
