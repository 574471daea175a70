"""Annotated sentences to learn from."""

from __future__ import annotations

import pytest

from fixtures.chains import Chain
from lingprobe.annotators import gold
from lingprobe.corpora import conllu
from lingprobe.data.core import DataProblem
from lingprobe_extensions.train.parsers import treebank
from lingprobe_extensions.train.parsers.tetra import TetraTags

CONLLU = """# text = Dogs bark.
1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\tSpaceAfter=Yes
2\tbark\tbark\tVERB\tVBP\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

# text = Go
1\tGo\tgo\tVERB\tVB\tMood=Imp\t0\troot\t_\t_

"""
PHRASES = "(TOP (S (NP (NNS Dogs)) (VP (VBP bark)) (. .)))\n(TOP (FRAG (NN Rain)))\n"


def written(folder):
    (folder / "x-train.conllu").write_text(CONLLU, encoding="utf-8")
    (folder / "x-train.ptb").write_text(PHRASES, encoding="utf-8")
    (folder / "x-dev.conllu").write_text(CONLLU, encoding="utf-8")
    (folder / "x-test.conllu").write_text(CONLLU, encoding="utf-8")
    return folder


def test_of_a_folder_train_and_dev_are_read_and_test_never(tmp_path):
    found = treebank.find_train_dev_files([written(tmp_path)])
    assert [[path.name for path in paths] for paths in found] == [
        ["x-train.conllu", "x-train.ptb"],
        ["x-dev.conllu"],
    ]


def test_all_files_that_are_named_are_learnt_from_but_test_is_refused(tmp_path, monkeypatch):
    folder = written(tmp_path)
    found = treebank.find_train_dev_files([folder / "x-train.conllu", folder / "x-dev.conllu"])
    assert [[path.name for path in paths] for paths in found] == [
        ["x-train.conllu", "x-dev.conllu"],
        [],
    ]
    monkeypatch.setenv("LINGPROBE_TREEBANKS", str(tmp_path))
    (again,) = treebank.find_train_dev_files(["x-dev.conllu"]).train
    assert again == folder / "x-dev.conllu"
    with pytest.raises(DataProblem, match=r"x-test.conllu is test data by its name"):
        treebank.find_train_dev_files([folder / "x-test.conllu"])


def test_sentences_that_stand_in_both_have_both_annotations(tmp_path):
    both, alone, phrased = treebank.read_annotated_sentences(
        treebank.find_train_dev_files([written(tmp_path)]).train
    )
    assert both.words == ("Dogs", "bark", ".")
    assert both.gold.heads == (1, -1, 1)
    assert both.gold.brackets == PHRASES.splitlines()[0].replace("TOP", "ROOT")
    assert both.phrases == TetraTags(("lNP", "lVP", "r"), ("lS", "r"))
    assert (alone.words, alone.phrases) == (("Go",), None)
    assert (phrased.words, phrased.gold.heads) == (("Rain",), ())
    assert phrased.gold.xpos == ("NN",)


def test_columns_that_tell_nothing_are_empty(tmp_path):
    path = tmp_path / "x.conllu"
    path.write_text(
        CONLLU.replace("\tNNS\t", "\t_\t")
        .replace("\tVBP\t", "\t_\t")
        .replace("PUNCT\t.\t", "PUNCT\t_\t"),
        encoding="utf-8",
    )
    first, second = treebank.read_annotated_sentences([path])
    assert first.gold.xpos == ()
    assert second.gold.xpos == ("VB",)


def test_brackets_under_every_ending_are_learnt_from(tmp_path):
    endings = (".mrg", ".parse", ".penn")
    for ending in endings:
        (tmp_path / f"a{ending}").write_text("(S (NP (NN snow)) (VP (VBZ falls)))\n")
    found = treebank.find_train_dev_files([tmp_path]).train
    assert sorted(path.suffix for path in found) == sorted(endings)
    assert all(each.phrases for each in treebank.read_annotated_sentences(found))


@pytest.mark.parametrize(
    ("text", "said"), [("", r"in brackets$"), ("(S (NN a) (", r"in brackets; the first problem: .")]
)
def test_gold_without_trees_is_named_with_what_is_wrong_with_it(text, said, tmp_path):
    path = tmp_path / "x.ptb"
    path.write_text(text)
    with pytest.raises(DataProblem, match=rf"x\.ptb has no trees; .* {said}"):
        gold.parse_again([path], tmp_path / "out", Chain())


def test_gold_is_parsed_with_its_own_words_each_once(tmp_path):
    folder = written(tmp_path)
    assert [path.name for path in gold.gold_files(folder)] == ["x-test.conllu"]
    (folder / "x-test.conllu").unlink()
    assert len(gold.gold_files(folder)) == 3
    files = [folder / "x-train.conllu", folder / "x-train.ptb"]
    found = gold.parse_again(files, tmp_path / "out", Chain())
    [parses] = [path for path in found if ".conllu." in path.name]
    assert [(tree.words, tree.text) for tree in conllu.read_conllu(parses)] == [
        (("Dogs", "bark", "."), "Dogs bark."),
        (("Go",), "Go"),
        (("Rain",), "Rain"),
    ]
