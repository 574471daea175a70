"""The sentences of corpora, whatever their format."""

import logging

import pytest

import lingprobe
from lingprobe.data.core import DataProblem

TREES = "(ROOT (S (NP (NNS Dogs)) (VP (VBP bark)) (. .)))\n( (S (NP (PRP It)) (VP (VBZ rains))))\n"


@pytest.mark.parametrize("name", ["trees.mrg", "trees.ptb", "TREES.MRG"])
def test_trees_in_brackets_are_read_as_trees(name, tmp_path):
    (tmp_path / name).write_text(TREES, "utf-8")
    for place in (tmp_path / name, tmp_path):
        read = lingprobe.sentences([place])
        assert [s.words for s in read] == [("Dogs", "bark", "."), ("It", "rains")]


def test_malformed_trees_are_passed_over_and_counted(tmp_path, caplog):
    (tmp_path / "trees.mrg").write_text(TREES + "(S (NP )\n", "utf-8")
    with caplog.at_level(logging.WARNING, "lingprobe.data"):
        assert len(lingprobe.sentences([tmp_path / "trees.mrg"])) == 2
    assert "trees.mrg: 1 malformed trees were passed over" in caplog.text


def test_other_files_are_text_of_a_sentence_a_line(tmp_path):
    (tmp_path / "text.txt").write_text("Dogs bark.\nIt rains.\nDogs bark.\n", "utf-8")
    assert lingprobe.sentences(str(tmp_path / "text.txt")) == lingprobe.sentences(
        [tmp_path / "text.txt"]
    )
    assert [s.text for s in lingprobe.sentences(tmp_path / "text.txt")] == [
        "Dogs bark.",
        "It rains.",
    ]


def test_a_folder_without_any_is_named(tmp_path):
    with pytest.raises(DataProblem, match=r"ends in \.conllu, \.mrg"):
        lingprobe.sentences([tmp_path])


@pytest.mark.parametrize("name", ["pairs.tsv", "pairs.tsv.xz", "items.jsonl", "set.parquet"])
def test_a_table_is_not_taken_for_text(name, tmp_path):
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(DataProblem, match="does not have a sentence per line"):
        lingprobe.sentences([tmp_path / name])
