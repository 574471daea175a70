"""Which files a corpus has, and the splits that names say."""

import pytest

from lingprobe.corpora.corpus import (
    keep_one_file_per_split,
    list_corpus_files,
    split_in,
)
from lingprobe.data.core import DataProblem

NAMES = {
    "en_ewt-ud-dev.r2.2.conllu": "dev",
    "esp.testa": "dev",
    "esp.testb": "test",
    "wnut17train.conll": "train",
    "emerging.test.annotated": "test",
    "SemEval2010_task8_training__TRAIN_FILE.TXT": "train",
    "conll-2012-development": "dev",
    "edges.valid.json": "dev",
    "contest.txt": "",
    "latest_detrained.txt": "",
    "protoroles_eng_ud1.2_11082016.tsv": "",
}


@pytest.mark.parametrize("name", NAMES)
def test_names_say_splits(name):
    assert split_in(name) == NAMES[name]


def touch(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    return folder


def test_a_folder_stands_for_all_below_it_and_folders_say_splits_too(tmp_path):
    touch(
        tmp_path,
        "test/en/b.gold",
        "train/en/x_0001.gold",
        "train/en/x_0000.gold",
        "development/a.gold",
        "more/loose.gold",
        "train/x.txt",
    )
    touch(tmp_path, "README.gold", "LICENSE.gold", ".hidden.gold")
    found = [(part.split, part.path.name) for part in list_corpus_files([tmp_path], (".gold",))]
    assert found == [
        ("train", "x_0000.gold"),
        ("train", "x_0001.gold"),
        ("dev", "a.gold"),
        ("test", "b.gold"),
        ("", "loose.gold"),
    ]
    assert [part.split for part in list_corpus_files([tmp_path / "train"], (".gold",))] == [
        "train",
        "train",
    ]


def test_what_lies_below_the_files_of_a_folder_is_not_read(tmp_path):
    touch(tmp_path, "en-ud-train.conllu", "en-ud-test.conllu", "not-to-release/sources/a.conllu")
    assert [part.split for part in list_corpus_files([tmp_path], (".conllu",))] == ["train", "test"]


def test_a_file_that_lies_there_twice_is_read_once(tmp_path):
    touch(tmp_path, "train.gold.xz", "train.gold")
    assert [part.path.name for part in list_corpus_files([tmp_path], (".gold",))] == ["train.gold"]
    with pytest.raises(DataProblem, match="is named twice"):
        list_corpus_files([tmp_path, tmp_path / "train.gold"], (".gold",))


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(DataProblem, match="no file or folder"):
        list_corpus_files([tmp_path / "none"], (".gold",))
    with pytest.raises(DataProblem, match=r"ends in \.gold"):
        list_corpus_files([tmp_path], (".gold",))


def test_a_whole_and_its_part_are_not_both_train(tmp_path):
    touch(tmp_path, "train.all.json", "train.0.85.json", "test.json")
    with pytest.raises(
        DataProblem, match=r"train is claimed by train\.0\.85\.json and train\.all\.json"
    ):
        keep_one_file_per_split(list_corpus_files([tmp_path], (".json",)))


def test_ontonotes_has_a_subset_of_test_beside_test_and_languages(tmp_path):
    data = "{}/data/{}/annotations/nw/wsj_0001.gold"
    touch(
        tmp_path,
        *(
            data.format(split, "english")
            for split in ("train", "development", "test", "conll-2012-test")
        ),
    )
    assert [part.split for part in list_corpus_files([tmp_path], (".gold",))] == [
        "train",
        "dev",
        "test",
    ]
    subset = list_corpus_files([tmp_path / "train", tmp_path / "conll-2012-test"], (".gold",))
    assert [(part.split, part.path.parts[-6]) for part in subset] == [
        ("train", "train"),
        ("test", "conll-2012-test"),
    ]
    assert [
        part.split
        for part in list_corpus_files([tmp_path / "development" / "data" / "english"], (".gold",))
    ] == ["dev"]
    touch(tmp_path, data.format("train", "chinese"))
    with pytest.raises(
        DataProblem, match="files in chinese and in english: name the folders of one language"
    ):
        list_corpus_files([tmp_path], (".gold",))
