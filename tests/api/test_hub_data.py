"""`lingprobe.build(hub=True)`: folders that can be published, and data that may not be."""

from __future__ import annotations

import hashlib
import re
import shutil

import pytest
import yaml
from typer.testing import CliRunner

import datasets
import lingprobe
from lingprobe.cli import app
from lingprobe.corpora.embedded import generate_treebank
from lingprobe.data.core import DATA_SPLITS, DataProblem
from lingprobe.data.errors import UsageProblem
from lingprobe.datasets.formats.hub import hub_files
from lingprobe.tasks import TASKS
from lingprobe.tasks.terms import DataSource, data_files, list_data_sources

SHOWN = ["ud/tense:UD_English-EWT,limit=120", "ud/passive:UD_English-EWT,limit=120"]
FEW = 1_050  # sentences that a grammar writes, in files that are called as those of a treebank
HUB_NAMES = {"train": "train", "dev": "validation", "test": "test"}
TREE = "1\tDogs\tdog\tNOUN\t_\tNumber=Plur\t2\tnsubj\t_\t_\n2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture(scope="module")
def tasks(tmp_path_factory):
    """Two tasks over an open treebank."""
    place = tmp_path_factory.mktemp("banks") / "UD_English-EWT"
    place.mkdir()
    (place / "en_ewt-ud-train.conllu").write_text("\n".join(generate_treebank(FEW)) + "\n", "utf-8")
    return [each.replace("UD_English-EWT", str(place)) for each in SHOWN]


@pytest.fixture(scope="module")
def folder(tasks, tmp_path_factory):
    place = tmp_path_factory.mktemp("hub") / "probes"
    built = lingprobe.build(tasks, place, hub=True)
    assert set(built.counts.values()) == {120}
    assert built.audit is next(iter(built.audits.values()))
    return place


def read_card(folder):
    text = (folder / "README.md").read_text("utf-8")
    _, head, body = text.split("---\n", 2)
    return yaml.safe_load(head), body


def rows_of(body, first):
    """The row of a set in the tables of the card, by the tables' heads."""
    lines = body.splitlines()
    found = {}
    for head, row in (
        (lines[i], lines[i + 2]) for i, line in enumerate(lines[:-2]) if "| --" in lines[i + 1]
    ):
        cells = [cell.strip().replace("\\", "") for cell in row.strip("|").split("|")]
        if cells[0] == first:
            found |= dict(zip([c.strip() for c in head.strip("|").split("|")], cells, strict=True))
    return found


def test_datasets_and_table_read_what_the_task_has(folder, tasks, monkeypatch, tmp_path):
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path)
    head, _ = read_card(folder)
    names = [each["config_name"] for each in head["configs"]]
    for config, task in zip(names, tasks, strict=True):
        made = TASKS.make(task).load()
        examples = {s: list(made.take(made.rows(s)).examples()) for s in DATA_SPLITS}
        theirs = datasets.load_dataset(str(folder), config)
        assert {HUB_NAMES[s]: len(examples[s]) for s in DATA_SPLITS} == {
            split: len(rows) for split, rows in theirs.items()
        }
        for split in DATA_SPLITS:
            rows = theirs[HUB_NAMES[split]]
            say = rows.features["label"].int2str
            assert [(row["text"], say(row["label"])) for row in rows] == [
                (e.sites[0].sentence.text, e.label) for e in examples[split]
            ]
        ours = TASKS.make(f"table:{folder / config}").load()
        assert {s: list(ours.take(ours.rows(s)).examples()) for s in DATA_SPLITS} == examples


def test_what_was_fetched_from_the_hub_is_the_same(folder, tasks, monkeypatch, tmp_path):
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    shutil.copytree(folder, tmp_path / "me" / "probes")  # found before the hub's
    monkeypatch.chdir(tmp_path)
    hub_files.cache_clear()
    config = read_card(folder)[0]["configs"][1]["config_name"]
    theirs = TASKS.make(f"table:hf://datasets/me/probes/{config}").load()
    made = TASKS.make(tasks[1]).load()
    for split in DATA_SPLITS:
        examples = (list(d.take(d.rows(split)).examples()) for d in (theirs, made))
        assert next(examples) == next(examples)


def test_the_card_says_how_a_task_about_words_is_read(tasks, tmp_path, monkeypatch):
    task = tasks[0].replace("ud/tense", "edge/pos") + ",splits=sampled"
    built = lingprobe.build(task, tmp_path / "words", hub=True)
    monkeypatch.chdir(tmp_path)
    (said,) = re.findall(r"which `(table:words[^`]*)` reads back", read_card(built.path)[1])
    again, made = TASKS.make(said), TASKS.make(task)
    assert (again.metric, again.probe, again.view) == (made.metric, made.probe, made.view)
    assert said == "table:words,metric=micro-f1"
    assert sorted(map(repr, again.load().examples())) == sorted(map(repr, made.load().examples()))


def test_the_card_says_what_was_measured(folder, tasks):
    head, body = read_card(folder)
    assert head["license"] == ["cc-by-sa-4.0"]
    assert head["language"] == ["en"]
    config = head["configs"][0]["config_name"]
    row = rows_of(body, config)
    assert row["task"] == SHOWN[0]
    made = TASKS.make(tasks[0]).load()
    assert [int(row[HUB_NAMES[s]]) for s in DATA_SPLITS] == [len(made.rows(s)) for s in DATA_SPLITS]
    files = folder / config
    assert int(row["bytes"].replace(",", "")) == sum(p.stat().st_size for p in files.iterdir())
    floors = lingprobe.inspect(tasks[0]).content.floors.values()
    assert row["best baseline, %"] == f"{100 * max(floor.score for floor in floors):.1f}"
    (gold,) = lingprobe.evaluate("gold", tasks[0], seeds=1, baselines="none")
    assert row["upper bound, %"] == f"{gold.score:.1f}"
    assert f"95 % interval {gold.low:.1f} to {gold.high:.1f}" in body
    assert "For probing" in body
    assert f"lingprobe build {' '.join(SHOWN)} --hub -o probes" in body


def test_checksums_are_those_of_the_files(folder):
    said = dict(line.split("  ")[::-1] for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert len(said) == 6 + 2
    for name, digest in said.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


def test_no_path_of_this_machine_is_in_the_folder(folder, tasks):
    bank = TASKS.make(tasks[0]).task.parts()[0].path
    for path in folder.rglob("*"):
        if path.is_file():
            assert str(bank.parent.parent).encode() not in path.read_bytes()
            assert str(folder.parent).encode() not in path.read_bytes()


def bank(place, name, code, readme=""):
    """A treebank of one sentence, which names itself."""
    folder = place / name
    folder.mkdir()
    (folder / f"{code}-ud-train.conllu").write_text(TREE, "utf-8")
    if readme:
        (folder / "README.md").write_text(readme, "utf-8")
    return folder


@pytest.mark.parametrize(
    ("name", "code", "readme", "said"),
    [
        ("UD_Polish-PDB", "pl_pdb", "", "UD_Polish-PDB is under CC BY-NC-SA 4.0, and"),
        ("UD_Polish-LFG", "pl_lfg", "", "UD_Polish-LFG is under GNU GPL 3.0, and"),
        ("UD_English-EWT", "en_ewt", "License: CC BY-NC 4.0", "under CC BY-SA 4.0, CC BY-NC 4.0,"),
        ("corpus", "pl_none", "", "pl_none-ud-train.conllu is under no licence that is known"),
    ],
)
def test_data_that_may_not_be_published_are_refused_in_a_sentence(
    name, code, readme, said, tmp_path
):
    place = bank(tmp_path, name, code, readme)
    with pytest.raises(DataProblem, match=said) as raised:
        lingprobe.build(f"ud/tense:{place}", tmp_path / "out", hub=True)
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "out").exists()


def test_one_source_that_is_not_open_is_enough(tmp_path):
    ewt, pdb = bank(tmp_path, "UD_English-EWT", "en_ewt"), bank(tmp_path, "UD_Polish-PDB", "pl_pdb")
    task = TASKS.make(f"ud/tense:{ewt},with={pdb}")
    assert [s.is_open for s in list_data_sources(task, data_files(task))] == [True, False]
    assert DataSource("x", ("CC BY-SA 4.0",)).is_open
    assert not DataSource("x").is_open


def test_a_stated_licence_is_what_the_card_has(tmp_path):
    texts, labels = zip(*((f"text {i}", "ab"[i % 2]) for i in range(60)), strict=True)
    data = (list(texts), list(labels))
    with pytest.raises(DataProblem, match=r"data-.* is under no licence"):
        lingprobe.build(data, tmp_path / "mine", hub=True)
    built = lingprobe.build(data, tmp_path / "mine", hub=True, licence="CC BY 4.0")
    head, body = read_card(built.path)
    assert head["license"] == ["cc-by-4.0"]
    assert head["configs"][0]["config_name"] == "default"
    assert "Whoever built this states: CC BY 4.0." in body
    assert "no annotation that their labels are derived from" in body
    assert list(TASKS.make(f"table:{built.path}").load().labels.names) == ["a", "b"]


def test_a_folder_that_is_there_is_not_overwritten(tasks, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    with pytest.raises(DataProblem, match="is there already; name another folder"):
        lingprobe.build(tasks, tmp_path / "full", hub=True)
    with pytest.raises(DataProblem, match=r"no folder .* to write out into"):
        lingprobe.build(tasks, tmp_path / "none" / "out", hub=True)


def test_a_build_that_fails_leaves_nothing(tmp_path):
    place = bank(tmp_path, "UD_English-EWT", "en_ewt")
    with pytest.raises(DataProblem):
        lingprobe.build(f"ud/tense:{place}", tmp_path / "out", hub=True)
    assert {path.name for path in tmp_path.iterdir()} == {"UD_English-EWT"}


def test_two_sets_need_two_names(tmp_path):
    (tmp_path / "old").mkdir()
    tasks = [
        f"ud/tense:{bank(place, 'UD_English-EWT', 'en_ewt')}"
        for place in (tmp_path, tmp_path / "old")
    ]
    with pytest.raises(UsageProblem, match="two tasks would be called ud-tense-UD_English-EWT"):
        lingprobe.build(tasks, tmp_path / "out", hub=True)
    with pytest.raises(UsageProblem, match="at least one task"):
        lingprobe.build([], tmp_path / "out", hub=True)


def test_options_of_files_and_of_folders_are_not_mixed(tasks, tmp_path):
    with pytest.raises(UsageProblem, match="leave both out"):
        lingprobe.build(tasks, tmp_path / "out", hub=True, format="parquet")
    with pytest.raises(UsageProblem, match="--hub"):
        lingprobe.build(tasks[0], tmp_path / "out.parquet", licence="CC BY 4.0")


def test_the_command_writes_the_same_folder_bit_by_bit(folder, tasks, tmp_path):
    arguments = ["build", *tasks, "--hub", "-o", str(tmp_path / "probes")]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    for name in ("SHA256SUMS", "README.md"):
        assert (tmp_path / "probes" / name).read_bytes() == (folder / name).read_bytes()
