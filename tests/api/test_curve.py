"""`lingprobe results curve`: from a training to what its epochs know."""

from __future__ import annotations

import math
import shutil
from itertools import product

import pytest
from typer.testing import CliRunner

import lingprobe
from analysis.test_curves import RISING, course
from lingprobe.cli import app
from lingprobe.experiment.paths import RunPaths

TASK = "ud/tense:embedded"
TINY = {"hidden": 8, "layers": 1, "dim": 8, "decoder": 16, "pieces": 200, "patience": 0}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A folder with a training of three epochs and results of each, and of before it."""
    place = tmp_path_factory.mktemp("curve")
    names, verbs = ("Anna", "Bea", "Carl", "Dora", "Emil"), ("sees", "heard", "will know")
    lines = [f"{a} {v} {b} ." for a, b in product(names, names) for v in verbs] * 4
    (place / "text.en").write_text("\n".join(lines) + "\n", "utf-8")
    lingprobe.train("bilstm-max", "autoencode", place / "text.en", place / "m", epochs=3, **TINY)
    encoder = f"trained:{place / 'm'},epoch=0+*"
    how = {"probes": ["logreg"], "seeds": 1, "baselines": "none"}
    lingprobe.run(TASK, encoder, **how, output=place / "results", cache=place / "cache")
    return place


def test_all_epochs_of_a_training_are_measured_by_one_reference(measured):
    page = lingprobe.curve(measured / "results")
    rows = page.content
    assert rows.column("at") == [0, 1, 2, 3]
    assert rows.column("points") == [3] * 4
    assert {*rows.column("objective")} == {"autoencode"}
    assert [math.isnan(value) for value in rows.column("dev")] == [True, False, False, False]
    assert rows.column("loss")[3] < rows.column("loss")[1]
    assert sum(rows.column("best")) == 1


def test_the_figures_stay_where_the_folder_is_gone(measured, tmp_path):
    before = str(lingprobe.curve(measured / "results"))
    shutil.move(measured / "m", tmp_path / "away")
    try:
        assert str(lingprobe.curve(measured / "results")) == before
    finally:
        shutil.move(tmp_path / "away", measured / "m")


def test_the_command_line_shows_and_draws_it(measured, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(
        app, ["results", "curve", str(measured / "results"), "-o", "curve.svg"]
    )
    assert done.exit_code == 0, done.output
    assert "best on dev: epoch" in done.output
    assert "curve.svg: 4 points" in done.output
    assert (tmp_path / "curve.svg").is_file()
    done = CliRunner().invoke(
        app, ["results", "curve", str(measured / "results"), "--metric", "macro-f1", "-f", "csv"]
    )
    assert "macro-f1" in done.stdout


def test_a_width_in_a_paper_holds_for_what_is_printed(measured):
    asked = ["results", "curve", str(measured / "results"), "-f", "latex"]
    page = lingprobe.curve(measured / "results")
    said = [CliRunner().invoke(app, [*asked, *more]).stdout for more in ((), ("--width", "column"))]
    assert said == [page.text("latex"), page.text("latex", width="column")]
    assert said[0] != said[1]


def test_results_that_were_kept_are_chosen_by_task_and_encoder(tmp_path):
    made = [
        *course(RISING),
        *course(RISING, "ud/passive:EWT"),
        *course(RISING, run="models/en-fr"),
    ]
    RunPaths.of(tmp_path).result_store().write([(f"{i:032x}", one) for i, one in enumerate(made)])
    assert len(lingprobe.curve(tmp_path).content) == 3 * len(RISING)
    passive = lingprobe.curve(tmp_path, tasks="ud/passive").content
    assert {*passive.column("task")} == {"ud/passive:EWT"}
    french = lingprobe.curve(tmp_path, encoders="*en-fr*").content
    assert {*french.column("training")} == {"trained:models/en-fr"}
    assert french.column("correlation") == pytest.approx([1] * len(RISING))


def test_one_epoch_is_no_curve(measured):
    with pytest.raises(lingprobe.DataProblem, match=r"only epoch 2 of .* and a curve needs more"):
        lingprobe.curve(measured / "results", encoders="*epoch=2")


def test_where_nothing_was_trained_it_says_how(tmp_path):
    how = {"probes": ["logreg"], "seeds": 1, "baselines": "none"}
    lingprobe.run(TASK, "length", **how, output=tmp_path)
    done = CliRunner().invoke(app, ["results", "curve", str(tmp_path)])
    assert "no result is of an epoch or step of a training" in str(done.exception)
