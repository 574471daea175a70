"""Counts of words and pairs against a plain count, whatever the kind of corpus; kept, and counted
anew when a file changes.
"""

import lzma
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingprobe.corpora import frequencies as module
from lingprobe.corpora.brackets import BRACKET_SUFFIXES
from lingprobe.corpora.frequencies import count_frequencies, list_readable_files, load_frequencies
from lingprobe.data.core import DataProblem

SENTENCES = st.lists(
    st.lists(st.sampled_from(["a", "A", "dog", "Dog", ",", ".", "ß"]), max_size=8), max_size=12
)


@given(SENTENCES, st.integers(1, 9))
def test_counts_are_those_of_a_plain_count_however_blocks_fall(sentences, size):
    held, module._HELD = module._HELD, size
    try:
        found = count_frequencies(sentences)
    finally:
        module._HELD = held
    lower = [[word.lower() for word in words] for words in sentences]
    words = Counter(word for sentence in lower for word in sentence)
    pairs = Counter(pair for sentence in lower for pair in pairwise(sentence))
    assert {word: found.count(word) for word in words} == words
    assert {pair: found.side_by_side(*pair) for pair in pairs} == pairs
    assert found.total == words.total()
    assert int(found.together.sum()) == pairs.total()
    assert (
        found.count("nowhere")
        == found.side_by_side("nowhere", "a")
        == found.side_by_side("a", "nowhere")
        == 0
    )


def test_names_are_told_by_capitals_inside_sentences():
    found = count_frequencies(
        [
            ["The", "German", "dog"],
            ["Dog", ",", "German", "dog"],
            ["German", "dog"],
            ['"', "Then", "Then"],
        ]
    )
    assert found.is_name("German") is True
    assert found.is_name("Dog") is False
    assert found.is_name("The") is None
    assert found.is_name("cat") is None


def test_every_kind_of_corpus_says_the_same(tmp_path):
    (tmp_path / "a.txt.xz").write_bytes(
        lzma.compress("He didn’t see it.\n\n# no sentence\n".encode())
    )
    (tmp_path / "b.tagged").write_text("He/PRP did/VBD n't/RB see/VB it/PRP ./.\n")
    (tmp_path / "c.ptb").write_text(
        "(ROOT (S (NP (PRP He)) (VP (VBD did) (RB n't) (VP (VB see) (NP (PRP it)))) (. .)))\n"
    )
    rows = [
        f"{i}\t{w}\t_\t_\t_\t_\t{i - 1}\t_\t_\t_"
        for i, w in enumerate("He did n't see it .".split(), 1)
    ]
    (tmp_path / "d.conllu").write_text("\n".join(rows) + "\n\n")
    for name in ("a.txt.xz", "b.tagged", "c.ptb", "d.conllu"):
        found = load_frequencies([str(tmp_path / name)])
        assert (found.total, found.side_by_side("did", "n't"), found.count("he")) == (6, 1, 1), name
    several = load_frequencies([str(tmp_path / "a.txt.xz"), str(tmp_path / "b.tagged")])
    assert several.side_by_side("see", "it") == 2


TREE = "(ROOT (S (NP (PRP He)) (VP (VBD did) (RB n't) (VP (VB see) (NP (PRP it)))) (. .)))\n"


@pytest.mark.parametrize("suffix", BRACKET_SUFFIXES)
def test_trees_are_trees_whatever_their_files_are_called(tmp_path, suffix):
    (tmp_path / f"c{suffix}").write_text(TREE)
    (tmp_path / f"d{suffix}.xz").write_bytes(lzma.compress(TREE.encode()))
    for path, total in ((tmp_path / f"c{suffix}", 6), (tmp_path, 12)):
        assert load_frequencies([str(path)]).total == total


def test_counts_of_a_file_are_not_those_of_the_same_bytes_under_another_name(tmp_path, monkeypatch):
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "a.txt").write_text(TREE)
    as_text = load_frequencies([str(tmp_path / "a.txt")]).total
    (tmp_path / "a.txt").rename(tmp_path / "a.tree")
    assert load_frequencies([str(tmp_path / "a.tree")]).total == 6 != as_text


def test_counts_are_kept_until_the_file_changes(tmp_path, monkeypatch):
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "a.txt"
    path.write_text("one two two\n")
    first = load_frequencies([str(path)])
    monkeypatch.setattr(module, "count_frequencies", lambda sentences: pytest.fail("counted again"))
    again = load_frequencies([str(path)])
    assert again.numbers == first.numbers
    for name in ("counts", "small", "capital", "pairs", "together"):
        assert getattr(again, name).tolist() == getattr(first, name).tolist()
    monkeypatch.undo()
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "cache"))
    path.write_text("one two two two\n")
    assert load_frequencies([str(path)]).count("two") == 3


def test_what_holds_no_words_is_said(tmp_path):
    (tmp_path / "a.txt").write_text("\n# nothing\n")
    with pytest.raises(DataProblem, match="no words in"):
        load_frequencies([str(tmp_path / "a.txt")])
    with pytest.raises(DataProblem, match="no file or folder"):
        list_readable_files(str(tmp_path / "none"))
    assert list_readable_files(str(tmp_path)) == [tmp_path / "a.txt"]
