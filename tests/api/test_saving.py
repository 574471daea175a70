"""Evaluations are saved, loaded, pickled; what is shown of them needs neither the data nor the code
that they came from.
"""

from __future__ import annotations

import json
import pickle

import pandas as pd
import pytest

import lingprobe
from lingprobe.data.core import DataProblem
from lingprobe.store.items import ITEMS_SUFFIX

TEXTS = [
    f"{'old' if i % 3 else 'new'} books lie on shelf number {'x' * (i % 40)}" for i in range(240)
]
LABELS = ["a" if i % 3 else "b" for i in range(240)]
TASK = """
from dataclasses import dataclass
from lingprobe import Dataset, Example, Sentence, Site, Task

@dataclass(frozen=True)
class Parity:
    name = "parity"
    question = "Is the number even?"
    metric, probe, view = "accuracy", "linear", "mean"
    fingerprint = "1"

    def load(self):
        splits = ("train", "train", "dev", "test")
        words = (("even", "odd")[i % 2] for i in range(200))
        return Dataset.of(
            Example((Site(Sentence.of([word, "is", f"n{i}"])),), word, splits[i // 2 % 4])
            for i, word in enumerate(words)
        )
"""


@pytest.fixture
def evaluation(tmp_path):
    frame = pd.DataFrame({"text": TEXTS, "label": LABELS})
    return lingprobe.evaluate(
        "length", frame, baselines="none", keep_scores=True, output=tmp_path / "results"
    )


def texts_of(files):
    rows = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    return sorted((row["sentences"][0], row["gold"]) for row in rows)


def test_predictions_of_data_in_memory_stand_beside_their_texts(evaluation, tmp_path):
    files = lingprobe.predictions(evaluation, tmp_path / "predictions")
    assert texts_of(files) == sorted(zip(TEXTS, LABELS, strict=True))
    again = lingprobe.predictions(tmp_path / "results", tmp_path / "again")
    assert texts_of(again) == texts_of(files)


def test_no_text_is_kept_where_that_is_asked_for(tmp_path):
    how = {"baselines": "none", "keep_scores": True, "output": tmp_path / "results"}
    evaluation = lingprobe.evaluate("length", (TEXTS, LABELS), texts=False, **how)
    assert not [*(tmp_path / "results").glob(f"*{ITEMS_SUFFIX}")]
    with pytest.raises(DataProblem, match="only a task with a reference can load"):
        lingprobe.predictions(evaluation, tmp_path / "predictions")
    kept = b"".join(
        file.read_bytes() for file in (tmp_path / "results").rglob("*") if file.is_file()
    )
    assert b"books lie" not in kept


def test_the_page_shows_their_examples(evaluation, tmp_path):
    evaluation.report().write(tmp_path / "page.html")
    assert "books lie on shelf" in (tmp_path / "page.html").read_text("utf-8")


def test_an_evaluation_is_saved_and_loaded_whole(evaluation, tmp_path):
    folder = evaluation.save(tmp_path / "saved")
    for loaded in (lingprobe.load_evaluation(folder), pickle.loads(pickle.dumps(evaluation))):
        assert str(loaded) == str(evaluation)
        assert str(loaded.verdicts) == str(evaluation.verdicts)
        assert [r.score for r in loaded.results] == [r.score for r in evaluation.results]
    moved = folder.rename(tmp_path / "moved")
    files = lingprobe.predictions(lingprobe.load_evaluation(moved), tmp_path / "predictions")
    assert texts_of(files) == sorted(zip(TEXTS, LABELS, strict=True))


def test_failures_are_saved_as_well(tmp_path):
    evaluation = lingprobe.evaluate(
        ["length", lambda texts: [[float("nan")] for _ in texts]],
        (TEXTS, LABELS),
        baselines="none",
        output=tmp_path / "results",
    )
    assert evaluation.failures
    assert str(lingprobe.load_evaluation(evaluation.save(tmp_path / "saved"))) == str(evaluation)


def test_a_pickle_holds_no_page(evaluation):
    before = len(pickle.dumps(evaluation))
    assert str(evaluation)
    assert str(evaluation.verdicts)
    assert len(pickle.dumps(evaluation)) == before


def test_a_folder_of_a_run_is_an_evaluation(evaluation, tmp_path):
    loaded = lingprobe.load_evaluation(tmp_path / "results")
    assert len(loaded) == len(evaluation)
    evaluation.save(tmp_path / "results")  # beside what is there
    assert str(lingprobe.load_evaluation(tmp_path / "results")) == str(evaluation)


def test_nothing_is_saved_among_others(evaluation, tmp_path):
    other = lingprobe.evaluate("length", (TEXTS, LABELS[::-1]), baselines="none")
    folder = other.save(tmp_path / "saved")
    with pytest.raises(DataProblem, match="other results: name a new folder"):
        evaluation.save(folder)
    other.save(folder)  # again


@pytest.mark.parametrize("damage", ["", "{}", '{"failures": 1}', "[1]", "\0"])
def test_a_damaged_file_is_named(evaluation, tmp_path, damage):
    folder = evaluation.save(tmp_path / "saved")
    (folder / "evaluation.json").write_text(damage)
    with pytest.raises(DataProblem, match=r"evaluation\.json cannot be read .* remove it"):
        lingprobe.load_evaluation(folder)


def test_examples_of_own_code_are_shown_without_running_it(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(TASK)
    monkeypatch.chdir(tmp_path)
    lingprobe.run("mine.py@Parity", "length", baselines="none", keep_scores=True, output="results")
    (tmp_path / "mine.py").write_text("raise SystemExit('it ran')")
    lingprobe.report("results").write("page.html")
    assert "is n" in (tmp_path / "page.html").read_text("utf-8")


def test_examples_that_were_damaged_are_set_aside(evaluation, tmp_path):
    for file in (tmp_path / "results").glob(f"*{ITEMS_SUFFIX}"):
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 255
        file.write_bytes(content)
    with pytest.raises(DataProblem, match="only a task with a reference can load"):
        lingprobe.predictions(evaluation, tmp_path / "predictions")
    assert [*(tmp_path / "results").glob("*.damaged")]
