"""Which tasks there are for which languages and files."""

import shutil
from pathlib import Path

import pytest

import lingprobe
from lingprobe.corpora.embedded import generate_treebank
from lingprobe.corpora.places import TREEBANK_LISTING_FILE
from lingprobe.corpora.universal import DEFAULT_UD_RELEASE
from lingprobe.data.core import DataProblem

MENTIONED = "# global.Entity = GRP-etype\n"


@pytest.fixture
def banks(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LINGPROBE_TREEBANKS", raising=False)
    text = "\n".join(generate_treebank(30))
    for name, code in (
        ("UD_English-EWT", "en_ewt"),
        ("UD_Polish-PDB", "pl_pdb"),
        ("UD_Arabic-PADT", "ar_padt"),
        ("UD_Norwegian-Nynorsk", "no_nynorsk"),
    ):
        (tmp_path / "banks" / name).mkdir(parents=True)
        (tmp_path / "banks" / name / f"{code}-ud-train.conllu").write_text(text)
    return tmp_path / "banks"


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        *[(asked, "UD_Polish-PDB") for asked in ("pol", "pl", "Polish", "pol-Latn", "pl_pdb")],
        *[(asked, "UD_Arabic-PADT") for asked in ("ara", "arb", "Arabic", "Arabic-PADT")],
        *[(asked, "UD_Norwegian-Nynorsk") for asked in ("nno", "no", "UD_Norwegian-Nynorsk")],
    ],
)
def test_languages(banks, monkeypatch, asked, name):
    assert lingprobe.get_tasks(asked, "ud/tense", banks) == [f"ud/tense:{banks / name}"]
    monkeypatch.setenv("LINGPROBE_TREEBANKS", str(banks))
    assert lingprobe.get_tasks([asked], "ud/tense") == [f"ud/tense:{banks / name}"]


def named(tasks):
    return [task.partition(":")[0] for task in tasks]


def test_only_tasks_that_read_a_treebank_are_listed(banks):
    assert named(lingprobe.get_tasks("en", "edge", banks)) == ["edge/dep", "edge/pos"]
    assert len(lingprobe.get_tasks("en", "ud", banks)) == 9


def test_tasks_about_mentions_are_listed_where_there_are_some(banks):
    file = banks / "UD_English-EWT" / "en_ewt-ud-train.conllu"
    file.write_text(MENTIONED + file.read_text())
    assert named(lingprobe.get_tasks("en", "edge", banks)) == [
        *("edge/coref", "edge/dep", "edge/entities", "edge/pos")
    ]


def test_a_family_that_reads_none_of_them_says_so(banks):
    with pytest.raises(DataProblem, match=r"no task of tree reads the treebanks under .*\.conllu"):
        lingprobe.get_tasks(family="tree", path=banks)
    trees = banks / "UD_English-EWT" / "train.mrg"
    trees.write_text("(S (NP (PRP I)) (VP (VBP run)))\n")
    assert "tree/tense" in named(lingprobe.get_tasks("en", "tree", banks))
    shutil.rmtree(banks)
    with pytest.raises(DataProblem, match="no treebank of any language"):
        lingprobe.get_tasks(family="tree", path=banks)


def test_treebanks_that_were_fetched_are_found_where_no_others_are(banks, tmp_path, monkeypatch):
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "cache"))
    home = tmp_path / "cache" / "data" / "ud" / DEFAULT_UD_RELEASE
    home.mkdir(parents=True)
    for name in ("UD_Polish-PDB", "UD_English-EWT"):
        shutil.copytree(banks / name, home / name)
    (home / "UD_Polish-PDB" / TREEBANK_LISTING_FILE).write_text(
        '{"files": {"pl_pdb-ud-train.conllu": {}}}'
    )
    (home / "UD_English-EWT" / TREEBANK_LISTING_FILE).write_text(
        '{"files": {"en_ewt-ud-dev.conllu": {}}}'
    )
    (tmp_path / "nothing").mkdir()
    monkeypatch.chdir(tmp_path / "nothing")
    assert lingprobe.get_tasks("pol", "ud/tense") == [f"ud/tense:{home / 'UD_Polish-PDB'}"]
    with pytest.raises(DataProblem, match=r"no treebank of en .*or fetch en_atis, .*ud/en_atis`"):
        lingprobe.get_tasks("en")  # which is not whole
    with pytest.raises(DataProblem, match=r"no treebank of Polish under .*or fetch pl_lfg"):
        lingprobe.get_tasks("Polish", path=tmp_path / "nothing")
