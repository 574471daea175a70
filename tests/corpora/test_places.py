import json
from pathlib import Path

import pytest

import lingprobe
from lingprobe.corpora.corpus import list_corpus_files
from lingprobe.corpora.embedded import generate_treebank
from lingprobe.corpora.files import find_treebank_files
from lingprobe.corpora.places import (
    TREEBANK_LISTING_FILE,
    MissingTreebank,
    fetched_folder,
    home_of,
    locate_path,
)
from lingprobe.corpora.universal import find_treebank
from lingprobe.data.core import DataProblem
from lingprobe.tasks import TASKS


@pytest.fixture(autouse=True)
def working(tmp_path, monkeypatch):
    """An empty working folder, an empty cache, and no folder of treebanks."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("LINGPROBE_TREEBANKS", raising=False)
    return tmp_path / "work"


def put(folder: Path, *splits: str, code: str = "en_ewt") -> Path:
    folder.mkdir(parents=True)
    for split in splits or ("train", "dev", "test"):
        (folder / f"{code}-ud-{split}.conllu").write_text("\n".join(generate_treebank(40)))
    return folder


def test_a_path_is_a_path(working):
    assert locate_path("nothing/here") == Path("nothing/here")
    bank = put(working / "en_ewt")
    assert locate_path("en_ewt") == Path("en_ewt")
    assert [part.path.parent for part in find_treebank_files("en_ewt")] == [
        bank.relative_to(working)
    ] * 3


@pytest.mark.parametrize("asked", ["en_ewt", "UD_English-EWT", "ud/en_ewt"])
@pytest.mark.parametrize("beside", ["", "ud-treebanks-v2.17"])
def test_a_code_is_found_in_the_working_folder(working, asked, beside):
    put(working / beside / "UD_English-EWT")
    assert [part.split for part in find_treebank_files(asked)] == ["train", "dev", "test"]
    assert [part.split for part in list_corpus_files([asked], (".conllu",))] == [
        "train",
        "dev",
        "test",
    ]


@pytest.mark.parametrize(
    "asked", ["en_ewt", "UD_English-EWT", "UD_English-EWT/en_ewt-ud-dev.conllu"]
)
def test_the_folder_of_treebanks_is_looked_in(tmp_path, monkeypatch, asked):
    bank = put(tmp_path / "banks" / "UD_English-EWT")
    monkeypatch.setenv("LINGPROBE_TREEBANKS", str(bank.parent))
    assert {part.path.parent for part in find_treebank_files(asked)} == {bank}


@pytest.mark.parametrize(
    "task",
    ["ud/tense:UD_English-EWT", "edge/pos:en_ewt", "ud/sent-len:en_ewt,with=UD_English-EWT/more"],
)
def test_tasks_read_the_folder_of_treebanks(tmp_path, monkeypatch, task):
    bank = put(tmp_path / "banks" / "UD_English-EWT")
    put(bank / "more", "train", code="en_more")
    monkeypatch.setenv("LINGPROBE_TREEBANKS", str(bank.parent))
    places = {part.path.parent for part in TASKS.make(task).parts()}
    assert bank in places
    assert (bank / "more" in places) == ("with=" in task)
    assert len(lingprobe.sentences(["en_ewt"])) > 1


def test_one_of_its_name_comes_before_one_with_its_files(working):
    put(working / "UD_English-EWT-sample", "train")
    assert locate_path("en_ewt") == Path("UD_English-EWT-sample")
    put(working / "UD_English-EWT", "test")
    assert locate_path("en_ewt") == Path("UD_English-EWT")


def test_two_that_may_be_meant_are_named(working):
    put(working / "UD_English-One")
    put(working / "UD_English-Two")
    with pytest.raises(
        DataProblem, match="en_ewt is in UD_English-One and in UD_English-Two; name one"
    ):
        locate_path("en_ewt")


def fetched(name: str, *splits: str, listed=("train", "dev", "test")) -> Path:
    place = put(home_of(find_treebank(name)), *splits)
    names = [f"en_ewt-ud-{split}.conllu" for split in listed]
    (place / TREEBANK_LISTING_FILE).write_text(json.dumps({"files": {name: {} for name in names}}))
    return place


def test_what_was_fetched_is_found_release_by_release():
    usual, old = fetched("en_ewt"), fetched("en_ewt@2.10")
    assert (locate_path("en_ewt"), locate_path("en_ewt@2.10")) == (usual, old)
    with pytest.raises(
        MissingTreebank, match=r"UD_English-EWT of release 2\.11 is not here.*ud/en_ewt@2\.11"
    ):
        locate_path("en_ewt@2.11")


def test_a_local_folder_comes_first_unless_a_release_is_named(working):
    place = fetched("en_ewt@2.17")
    put(working / "UD_English-EWT")
    assert locate_path("en_ewt") == Path("UD_English-EWT")
    assert locate_path("en_ewt@2.17") == place


@pytest.mark.parametrize("listing", [None, "", "{}", '{"files": 3}', "\udcff"])
def test_what_was_fetched_in_part_is_not_taken_for_a_treebank(listing):
    place = fetched("en_ewt", "train")
    assert fetched_folder(find_treebank("en_ewt")) is None
    if listing is not None:
        (place / TREEBANK_LISTING_FILE).write_text(listing, errors="surrogateescape")
        assert fetched_folder(find_treebank("en_ewt")) is None
    (place / TREEBANK_LISTING_FILE).unlink()
    assert fetched_folder(find_treebank("en_ewt")) is None


def test_what_is_not_here_is_said_with_the_command_that_gets_it():
    with pytest.raises(MissingTreebank) as caught:
        locate_path("pl_pdb")
    assert str(caught.value) == (
        "UD_Polish-PDB of release 2.17 is not here: with network access, `lingprobe fetch"
        " ud/pl_pdb` downloads it (CC BY-NC-SA 4.0); or set LINGPROBE_TREEBANKS to a folder that has"
        " UD_Polish-PDB"
    )
    with pytest.raises(DataProblem, match=r"no such treebank; did you mean 'pl_pdb'\?"):
        locate_path("pl_pdbb")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Polish", "; name a treebank as '.+' or '.+', or write -l Polish for all that are here"),
        ("none", ", and Universal Dependencies have no treebank of the language 'none'"),
    ],
)
def test_a_language_is_not_a_treebank(said, told):
    with pytest.raises(DataProblem, match=f"no file or folder '{said}'{told}$"):
        locate_path(said)


def test_what_reads_no_treebanks_knows_no_codes():
    with pytest.raises(DataProblem, match=r"no file or folder 'en_ewt'; give a \.mrg"):
        TASKS.make("tree/tense:en_ewt").parts()


def test_what_was_fetched_goes_by_its_name_and_receipts_are_no_data(tmp_path):
    place = tmp_path / "cache" / "data" / "dpr"
    place.mkdir(parents=True)
    row = {"text": "it fell", "targets": [{"span1": [0, 1], "span2": [1, 2], "label": "entailed"}]}
    for name in ("train.json", "dev.json", "test.json"):
        (place / name).write_text(json.dumps(row) + "\n")
    for name in ("fetched.json", "listing.json"):
        (place / name).write_text("{\n}")
    assert [part.path for part in TASKS.make("edge/dpr:dpr").parts()] == [
        place / name for name in ("train.json", "dev.json", "test.json")
    ]
