"""Data sets as `datasets` keeps them: fetched from the hub, in its cache, and saved to a disk."""

import sys

import pytest

import datasets
from lingprobe.data.core import DataProblem
from lingprobe.datasets.formats.hub import hub_files
from lingprobe.tasks import TASKS

SIZES = {"train": 60, "validation": 10, "test": 20}


def made(size):
    features = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["neg", "pos"])}
    )
    rows = {"text": [f"text {i}" for i in range(size)], "label": [i % 2 for i in range(size)]}
    return datasets.Dataset.from_dict(rows, features=features)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working folder with a data set of every split, which `datasets` finds before the hub's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    hub_files.cache_clear()
    (tmp_path / "me" / "mine" / "data").mkdir(parents=True)
    for split, size in SIZES.items():
        made(size).to_parquet(f"me/mine/data/{split}-00000-of-00001.parquet")
    return tmp_path


def sizes(reference):
    dataset = TASKS.make(reference).load()
    assert dataset.labels.names == ("neg", "pos")
    return [len(dataset.rows(split)) for split in ("train", "dev", "test")]


def test_a_data_set_of_the_hub_is_a_task(here):
    for name in ("table:hf://datasets/me/mine", "hf://datasets/me/mine/default"):
        assert sizes(name) == [60, 10, 20]
    task = TASKS.make("table:hf://datasets/me/mine")
    assert (task.name, task.question) == ("mine", "Which label does mine give the example?")
    [folder] = (here / "cache").glob("mine/default/0.0.0/*/")
    assert sizes(f"table:{folder}") == [60, 10, 20]  # the same files
    assert TASKS.make(f"table:{folder}").fingerprint == task.fingerprint


def test_what_was_saved_to_a_disk_is_a_task(here):
    datasets.DatasetDict({name: made(size) for name, size in SIZES.items()}).save_to_disk("dict")
    assert sizes("table:dict") == [60, 10, 20]
    made(60).save_to_disk("one", num_shards=3)
    assert sum(sizes("table:one")) == 60


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("me/nothing", r"hf://datasets/me/nothing: .*Hub.* \(what is fetched once"),
        ("me/mine/other", r"hf://datasets/me/mine/other: .*'other' not found"),
        ("me/mine/a/b.csv", "write hf://datasets/OWNER/NAME, or .../NAME/CONFIGURATION"),
    ],
)
def test_what_cannot_be_had_is_one_sentence(here, name, said):
    with pytest.raises(DataProblem, match=said) as raised:
        TASKS.make(f"table:hf://datasets/{name}")
    assert "\n" not in str(raised.value)


def test_without_the_package_it_is_said_how_to_install_it(here, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(
        DataProblem, match=r"needs the package datasets: pip install .*\[datasets\]"
    ):
        TASKS.make("table:hf://datasets/me/mine")
