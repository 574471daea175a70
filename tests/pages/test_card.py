"""Scores as the Hugging Face hub reads them, read back with its own library."""

from __future__ import annotations

import sys

import huggingface_hub
import pytest
import yaml
from typer.testing import CliRunner

import lingprobe
from fixtures.results import result, saying
from lingprobe.cli import app

DATE = {"date": "2026-01-02T03:04:05+00:00", "kind": "trained"}
MINE = "st:me/mine"


def of(correct: float, kind: str = "trained", **trial: object):
    return saying(result(correct, **trial), **{**DATE, "kind": kind})


@pytest.fixture
def measured():
    return [
        of(0.8, encoder=MINE, read="3"),
        of(0.7, encoder=MINE, read="4"),
        of(0.5, encoder=MINE, read="3", control="shuffled"),
        of(0.75, encoder=MINE, read="3", task="ud/passive:EWT"),
        of(0.6, encoder="other", read="-"),
        of(0.55, encoder="length", kind="baseline"),
        of(0.52, encoder="bow:random", kind="baseline"),
        of(0.99, encoder="gold:clause", kind="oracle"),
    ]


def test_the_hub_reads_the_metadata_of_a_card(measured, tmp_path):
    lingprobe.card(measured).write(tmp_path, "hub")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lingprobe_other", "me_mine"]
    card = huggingface_hub.ModelCard.load(tmp_path / "me_mine" / "README.md")
    assert card.data.model_name == "me/mine"
    known = {(r.dataset_name, r.metric_name): r for r in card.data.eval_results}
    assert len(known) == 3
    one = known["ud/tense:EWT", "accuracy (probe mlp, layer 3)"]
    assert (one.metric_type, one.metric_value, one.dataset_split) == ("accuracy", 80.0, "test")
    assert one.metric_args["n"] == 200
    assert one.metric_args["low"] < 80 < one.metric_args["high"]


def test_the_section_has_no_bare_score(measured, tmp_path):
    lingprobe.card(measured).write(tmp_path, "hub")
    text = (tmp_path / "me_mine" / "README.md").read_text("utf-8")
    (line,) = [line for line in text.splitlines() if "tense" in line and "| 3 |" in line]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[3] == "80.0"
    assert cells[5:] == ["50.0", "55.0", "99.0", "200"]
    assert "## Probing" in text
    assert "| length" not in text.partition("## Probing")[2].partition("majority:")[0]


def test_a_benchmark_gets_its_files_one_for_each_layer(measured, tmp_path):
    lingprobe.card(measured, benchmark="me/probing").write(tmp_path, "hub")
    files = sorted((tmp_path / "me_mine" / ".eval_results").iterdir())
    assert [file.name for file in files] == ["probe_mlp,_layer_3.yaml", "probe_mlp,_layer_4.yaml"]
    read = huggingface_hub.parse_eval_result_entries(yaml.safe_load(files[0].read_text("utf-8")))
    assert [(e.dataset_id, e.task_id, e.value) for e in read] == [
        ("me/probing", "ud_passive_EWT", 75.0),
        ("me/probing", "ud_tense_EWT", 80.0),
    ]
    assert read[0].date == DATE["date"]
    assert "95 % interval" in read[0].notes
    assert "n = 200" in read[0].notes


@pytest.mark.parametrize(("seeds", "said"), [(1, "over test examples"), (3, "over seeds and test")])
def test_a_card_says_what_its_intervals_are_over(seeds, said):
    """Of one fit the interval knows nothing of other seeds, whatever is usual."""
    made = [of(0.8, encoder=MINE, seed=seed) for seed in range(seeds)]
    text = str(lingprobe.card(made))
    assert f"intervals are {said}" in text
    assert ("do not cover variation between seeds" in text) == (seeds < 3)


def test_without_a_benchmark_there_is_no_file_for_one(measured, tmp_path):
    lingprobe.card(measured).write(tmp_path, "hub")
    assert not list(tmp_path.rglob("*.yaml"))


def test_no_name_leaves_the_folder(tmp_path):
    lingprobe.card([of(0.8, encoder="../../evil|x")]).write(tmp_path / "cards", "hub")
    assert [path.name for path in tmp_path.iterdir()] == ["cards"]
    (readme,) = (tmp_path / "cards").glob("*/README.md")
    huggingface_hub.ModelCard.load(readme)


@pytest.mark.parametrize("name", ["probing", "a/b/c", "me/../x", "https://hf.co/me/x", ""])
def test_a_benchmark_that_is_no_data_set_is_one_sentence(measured, name):
    with pytest.raises(lingprobe.UsageProblem, match="a data set of the hub is called OWNER/NAME"):
        lingprobe.card(measured, benchmark=name)


def test_baselines_alone_have_no_card():
    with pytest.raises(lingprobe.DataProblem, match="no model has a score here"):
        lingprobe.card([of(0.5, kind="baseline")])


def test_without_the_library_one_sentence_says_what_to_do(measured, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(lingprobe.UsageProblem, match="pip install -U huggingface_hub"):
        lingprobe.card(measured).write(tmp_path, "hub")
    assert "80.0" in lingprobe.card(measured).text("markdown")


def test_the_command_writes_what_the_function_writes(tmp_path):
    out, cache = tmp_path / "out", tmp_path / "cache"
    how = {"probes": "logreg", "seeds": 1, "output": out, "cache": cache}

    def vowels(texts):
        return [[float(text.count(v)) for v in "aeiou"] for text in texts]

    lingprobe.evaluate({"vowels": vowels}, "ud/passive:embedded", **how)
    lingprobe.card(out).write(tmp_path / "python", "hub")
    arguments = ["publish", "card", str(out), "-o", str(tmp_path / "shell")]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    (ours,) = (tmp_path / "python").rglob("README.md")
    (theirs,) = (tmp_path / "shell").rglob("README.md")
    assert ours.read_text("utf-8") == theirs.read_text("utf-8")
    shown = CliRunner().invoke(app, ["publish", "card", str(out)], catch_exceptions=False).output
    assert "passive" in shown
