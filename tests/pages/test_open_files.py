"""What people open of a folder of results: a file for each model and task, and one table."""

from __future__ import annotations

import json
import math
import os
import re
from pathlib import Path

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lingprobe
from fixtures.results import result
from fixtures.scored import to_scores as rows
from lingprobe.datasets.formats.tables import write_dataset
from lingprobe.pages import open_files
from lingprobe.pages.open_files import (
    _TABLE,
    make_file_names,
    refresh_open_files,
    write_files,
)
from lingprobe.testing import TINY_DATASET_FAMILIES


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    path = tmp_path_factory.mktemp("task") / "a.jsonl"
    write_dataset(TINY_DATASET_FAMILIES["sentence"](), path)
    return f"table:{path}"


def run(task, folder, encoder, **more):
    how = {"probes": "logreg", "seeds": 1, "baselines": "none", "cache": folder / "cache"}
    return lingprobe.evaluate(encoder, task, **how, **more)


def sorted_rows(frame):
    columns = ["task", "encoder", "layer", "probe", "control"]
    return frame.sort_values(columns).reset_index(drop=True)


def test_the_table_of_a_run_is_its_data_frame(task, tmp_path):
    out = tmp_path / "out"
    evaluation = run(task, tmp_path, ["length", "random,dim=4"], output=out, controls="shuffled")
    held = pandas.read_parquet(out / _TABLE)
    pandas.testing.assert_frame_equal(sorted_rows(held), sorted_rows(evaluation.to_dataframe()))
    assert len(held) == 4


def test_it_is_complete_after_several_runs(task, tmp_path):
    out = tmp_path / "out"
    for encoder in ("length", "random,dim=4", "length"):
        run(task, tmp_path, encoder, output=out)
    assert set(pandas.read_parquet(out / _TABLE)["encoder"]) == {"length", "random,dim=4"}
    files = sorted(str(file.relative_to(out)) for file in out.glob("*/*.json"))
    assert [Path(file).parent.name for file in files] == ["length", "random,dim=4"]
    content = json.loads((out / files[0]).read_text("utf-8"))
    assert (content["model"], len(content["scores"])) == ("length", 1)
    (row,) = rows(r for r in lingprobe.results(out) if r.trial.encoder == "length")
    assert content["scores"][0]["score"] == row.score
    assert content["scores"][0]["n"] == row.n
    assert content["scores"][0]["bits"] is None  # JSON has no NaN
    assert not list(out.rglob("*.part"))


def test_what_a_stopped_run_left_unwritten_is_written_by_the_next(task, tmp_path):
    out = tmp_path / "out"
    run(task, tmp_path, ["length", "random,dim=4"], output=out)
    (out / _TABLE).unlink()
    again = run(task, tmp_path, "length", output=out)
    assert again.fresh == 0
    assert len(pandas.read_parquet(out / _TABLE)) == 2


def test_nothing_is_written_anew_where_nothing_is_new(task, tmp_path):
    out = tmp_path / "out"
    run(task, tmp_path, "length", output=out)
    (out / _TABLE).write_bytes(b"mine")
    os.utime(out / _TABLE)
    run(task, tmp_path, "length", output=out)
    assert (out / _TABLE).read_bytes() == b"mine"


def test_what_another_run_measured_meanwhile_is_in_the_table(task, tmp_path, monkeypatch):
    out, real, times = tmp_path / "out", open_files.write_files, []

    def slow(found, folder):
        times.append(len(found))
        if len(times) == 1:  # another process ends a unit of work now
            monkeypatch.setattr("lingprobe.api.measure.refresh_named", lambda *_: {})
            run(task, tmp_path, "random,dim=4", output=out)
        real(found, folder)

    monkeypatch.setattr(open_files, "write_files", slow)
    run(task, tmp_path, "length", output=out)
    assert times == [1, 2]
    assert len(pandas.read_parquet(out / _TABLE)) == 2


def test_without_a_folder_nothing_is_written_beside_the_cache(task, tmp_path):
    run(task, tmp_path, "length")
    assert not list((tmp_path / "cache").rglob("*.parquet"))


def test_a_folder_that_cannot_be_written_costs_no_result(task, tmp_path):
    out = tmp_path / "out"
    (out / _TABLE).mkdir(parents=True)
    evaluation = run(task, tmp_path, "length", output=out)
    assert len(evaluation) == 1
    why = evaluation.failures[_TABLE]
    assert why.startswith(f"cannot write {out / _TABLE}")
    assert why.endswith("all results are kept, and the same command writes it")
    assert "\n" not in why
    (out / _TABLE).rmdir()
    assert run(task, tmp_path, "length", output=out).failures == {}
    assert len(pandas.read_parquet(out / _TABLE)) == 1


WORST = [
    "..",
    ".",
    "",
    "/etc/passwd",
    "../../a",
    "a/../..",
    "a\\b",
    "con:x",
    "~root",
    "-rf",
    "A",
    "a",
]


@given(st.lists(st.one_of(st.sampled_from(WORST), st.text(max_size=300)), unique=True))
def test_no_name_leaves_its_folder_and_none_is_taken_twice(names):
    chosen = make_file_names(names, {_TABLE})
    assert list(chosen) == sorted(names)
    assert len({name.casefold() for name in chosen.values()} | {_TABLE}) == len(names) + 1
    for name in chosen.values():
        assert Path("a", name).parent == Path("a")
        assert name.strip(".")
        assert not name.startswith((".", "-", "~"))
        assert name.isascii()
        assert len(name) < 150


def test_models_whose_names_differ_only_in_what_files_cannot_say_have_files_of_their_own(tmp_path):
    names = ["a b", "a_b", "A_B", "../a_b"]
    write_files(rows(result(encoder=name) for name in names), tmp_path / "out")
    files = sorted((tmp_path / "out").glob("*/*.json"))
    assert sorted(json.loads(file.read_text())["model"] for file in files) == sorted(names)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_scores_that_are_none_are_null(tmp_path):
    found = rows([result()])
    assert math.isnan(found[0].bits)
    write_files(found, tmp_path)
    (file,) = tmp_path.glob("*/*.json")
    json.loads(file.read_text("utf-8"), parse_constant=pytest.fail)


def test_a_folder_without_results_stays_empty(tmp_path):
    refresh_open_files(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_every_column_is_documented():
    text = (Path(__file__).parents[2] / "docs" / "columns.md").read_text("utf-8")
    rows_of_table = [line for line in text.splitlines() if line.startswith("| `")]
    named = {name for line in rows_of_table for name in re.findall(r"`(\w+)`", line.split("|")[1])}
    columns = set(lingprobe.Evaluation(()).to_dataframe().columns)
    assert columns - named == set()
    assert {name for name in named - columns if name.islower()} == set()
