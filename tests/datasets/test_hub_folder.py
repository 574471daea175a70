"""Folders for the hub: what `datasets` loads from them, and what is read back here."""

from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
import pytest

import datasets
from lingprobe.corpora.files import CorpusPart
from lingprobe.data.core import DATA_SPLITS, DataProblem, Dataset, Example, Sentence
from lingprobe.data.labels import NumberList
from lingprobe.datasets.formats import hub_folder
from lingprobe.datasets.formats.tables import has_pairs, read_dataset, usual_metric
from lingprobe.testing import TINY_DATASET_FAMILIES

HUB_NAMES = {"train": "train", "dev": "validation", "test": "test"}


def in_order(dataset):
    """The examples, split by split."""
    return [e for split in DATA_SPLITS for e in dataset.take(dataset.rows(split)).examples()]


def loaded(folder, cache):
    """The splits as `datasets` loads them, with no network."""
    files = {path.stem: str(path) for path in folder.glob("*.parquet")}
    return datasets.load_dataset("parquet", data_files=files, cache_dir=str(cache))


@pytest.mark.parametrize("family", TINY_DATASET_FAMILIES)
def test_what_is_written_is_read_back_here_and_by_datasets(family, tmp_path):
    made = TINY_DATASET_FAMILIES[family]()
    folder = tmp_path / "set"
    folder.mkdir()
    sizes = {f"{HUB_NAMES[s]}.parquet": len(made.rows(s)) for s in DATA_SPLITS}
    assert hub_folder.write_hub_folder(made, folder) == sizes

    again = read_dataset(folder)
    assert list(again.examples()) == in_order(made)
    assert (again.notes, again.clusters, again.labels.names) == (
        made.notes,
        made.clusters,
        made.labels.names,
    )
    assert usual_metric(folder) == made.labels.metric
    assert has_pairs(folder) == (family == "pair")

    theirs = loaded(folder, tmp_path / "cache")
    rows = [row for split in DATA_SPLITS for row in theirs[HUB_NAMES[split]]]
    assert [row["text"] for row in rows] == [e.sites[0].sentence.text for e in in_order(made)]
    assert [tuple(row["words"]) for row in rows] == [
        e.sites[0].sentence.words for e in in_order(made)
    ]
    # as it lies in the cache of `datasets`, where our own metadata are lost
    parts = [CorpusPart(s, theirs[HUB_NAMES[s]].cache_files[0]["filename"]) for s in DATA_SPLITS]
    parts = [CorpusPart(part.split, folder.__class__(part.path)) for part in parts]
    assert hub_folder.is_own_folder(parts)
    assert list(hub_folder.read_hub_folder(parts, None, "raise").examples()) == in_order(made)


def test_classes_are_numbers_with_names_in_the_metadata(tmp_path):
    made = TINY_DATASET_FAMILIES["sentence"]()
    hub_folder.write_hub_folder(made, tmp_path)
    table = pq.read_table(tmp_path / "test.parquet")
    assert "split" not in table.column_names
    numbers = table.column("label").to_numpy()
    assert np.array_equal(numbers, made.labels.classes[made.rows("test")])
    feature = loaded(tmp_path, tmp_path / "cache")["test"].features["label"]
    assert isinstance(feature, datasets.ClassLabel)
    assert feature.names == list(made.labels.names)


def test_a_table_of_a_stranger_is_no_folder_of_ours(tmp_path):
    columns = {"text": ["a b", "c"], "words": [["a", "b"], ["c"]], "label": [0, 1], "id": [1, 2]}
    for split in ("train", "test"):
        datasets.Dataset.from_dict(columns).to_parquet(tmp_path / f"{split}.parquet")
    parts = [CorpusPart(split, tmp_path / f"{split}.parquet") for split in ("train", "test")]
    assert not hub_folder.is_own_folder(parts)  # a column that we do not write
    del columns["id"]
    for part in parts:
        datasets.Dataset.from_dict(columns).to_parquet(part.path)
    assert not hub_folder.is_own_folder(parts)  # numbers without names


@pytest.mark.parametrize("number", [-1, 2])
def test_a_number_that_names_no_class_is_refused_with_its_row(number, tmp_path):
    made = TINY_DATASET_FAMILIES["sentence"]()
    hub_folder.write_hub_folder(made, tmp_path)
    table = pq.read_table(tmp_path / "test.parquet")
    labels = table.column("label").to_pylist()
    labels[4] = number
    place = table.column_names.index("label")
    pq.write_table(table.set_column(place, "label", [labels]), tmp_path / "test.parquet")
    with pytest.raises(DataProblem, match=r"test.parquet: row 5: label None"):
        read_dataset(tmp_path)


def test_notes_name_files_and_no_folders_of_this_machine():
    example = Example.about(Sentence.of(["a"]), "x")
    source = {"files": ["/home/me/bank/x-ud-train.conllu"], "skipped": 1}
    problem = "/home/me/bank/x-ud-train.conllu:7: no head"
    made = Dataset.of([example], {"source": source, "problems": [problem]})
    notes = hub_folder.without_folders(made).notes
    assert notes["source"] == {"files": ["x-ud-train.conllu"], "skipped": 1}
    assert notes.problems == ("x-ud-train.conllu:7: no head",)


def test_lists_of_numbers_have_no_table(tmp_path):
    label = NumberList("depth", np.zeros(1, np.float32))
    made = Dataset.of([Example.about(Sentence.of(["a"]), label)])
    with pytest.raises(DataProblem, match="which no table holds"):
        hub_folder.write_hub_folder(made, tmp_path)
