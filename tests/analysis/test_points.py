"""Curves over trainings that differ in a setting."""

from __future__ import annotations

import json
import shutil

import pytest
from typer.testing import CliRunner

import lingprobe
from fixtures.results import result, saying
from lingprobe.analysis.curves import curves
from lingprobe.cli import app
from lingprobe.data.notes import Checkpoint

SHARES = {16: 0.55, 64: 0.65, 128: 0.75, 256: 0.7}


@pytest.fixture
def measured(tmp_path):
    """Makes results of trainings that differ in their units, and in what is said."""

    def made(shares=SHARES, text="novels.txt", **settings):
        found = []
        for hidden, share in shares.items():
            name = "-".join(map(str, (hidden, text, *settings.values())))
            folder = tmp_path / name
            folder.mkdir()
            facts = {
                "format": 2,
                "architecture": "bilstm-max",
                "objective": "next",
                "settings": {"seed": 0, "layers": 1, "clip": 5.0, "hidden": hidden, **settings},
                "files": {f"/data/{text}": text},
                "epochs": [],
            }
            (folder / "model.json").write_text(json.dumps(facts), "utf-8")
            figures = {"loss": 5.0 - hidden / 100, "perplexity": 90.0 - hidden / 10}
            told = {"perplexity of pairs": 80.0}
            known = Checkpoint(3, "epoch", 8, 3, "next", "perplexity", figures, told)
            for task in ("ud/tense:EWT", "ud/passive:EWT"):
                one = result(share, task=task, encoder=f"trained:{folder}")
                found.append(saying(one, kind="trained", checkpoint=known.plain()))
        return found

    return made


def test_points_are_the_values_of_the_setting(measured):
    results = measured()
    found = curves(results[::-1], by="hidden")
    assert [curve.task for curve in found.curves] == ["ud/passive:EWT", "ud/tense:EWT"]
    for curve in found.curves:
        scores = {at: round(row.score) for at, row in curve.rows.items()}
        assert scores == {16: 55, 64: 65, 128: 75, 256: 70}
        assert curve.trend.correlation == pytest.approx(0.8)
        assert curve.trend.n == 4
    [history] = found.histories
    assert (history.unit, history.best, history.figure) == ("hidden", 0, "perplexity")
    assert history.course("perplexity") == {16: 88.4, 64: 83.6, 128: 77.2, 256: 64.4}
    assert history.name == "bilstm-max, next: novels.txt"
    assert "another seed would give another score" in " ".join(found.notes)
    assert "measured" not in " ".join(found.notes).replace("p: by", "")


@pytest.mark.parametrize("apart", [{"layers": 2}, {"seed": 1}, {"text": "plays.txt"}])
def test_trainings_that_differ_in_more_are_other_lines(measured, apart):
    found = curves([*measured(), *measured({16: 0.9, 64: 0.95}, **apart)], by="hidden")
    assert len(found.histories) == 2
    assert len({history.name for history in found.histories}) == 2
    [said] = map(str, apart.values())
    assert any(said in history.name for history in found.histories)
    by_length = sorted(found.curves, key=lambda curve: len(curve.rows))
    assert [len(curve.rows) for curve in by_length] == [2, 2, 4, 4]
    assert {round(row.score) for row in by_length[0].rows.values()} == {90, 95}


def test_texts_of_one_name_are_told_apart_by_their_digest(measured, tmp_path):
    one, other = measured(), measured({16: 0.9, 64: 0.95}, seed=5)
    for folder in tmp_path.glob("*-5"):
        facts = json.loads((folder / "model.json").read_text("utf-8"))
        facts |= {"files": {"/data/novels.txt": "fedcba98"}}
        facts["settings"]["seed"] = 0
        (folder / "model.json").write_text(json.dumps(facts), "utf-8")
    names = {history.name for history in curves([*one, *other], by="hidden").histories}
    assert len(names) == 2
    assert any(name.endswith("fedcba") for name in names)


def test_epochs_are_no_points_of_a_setting(measured):
    results = measured()
    epochs = [
        saying(result(0.99, encoder=f"{r.trial.encoder},epoch=2"), kind="trained") for r in results
    ]
    assert [len(c.rows) for c in curves([*results, *epochs], by="hidden").curves] == [4, 4]


def test_what_makes_no_curve_is_said(measured, tmp_path):
    results = measured()
    with pytest.raises(
        lingprobe.UsageProblem, match=r"no setting 'width' .* choose from hidden, layers"
    ):
        curves(results, by="width")
    with pytest.raises(lingprobe.UsageProblem, match="no setting 'clip'"):
        curves(results, by="clip")
    with pytest.raises(lingprobe.DataProblem, match="differ in layers and in nothing else"):
        curves(results, by="layers")
    for folder in tmp_path.iterdir():
        shutil.rmtree(folder)
    with pytest.raises(lingprobe.DataProblem, match="none of the measured ones was found"):
        curves(results, by="hidden")


def test_it_is_shown_and_drawn(measured, tmp_path):
    page = lingprobe.curve(measured(), by="hidden")
    assert "Scores by hidden" in str(page)
    assert "before training" not in str(page)
    page.write(tmp_path / "widths.svg")
    drawn = (tmp_path / "widths.svg").read_text("utf-8")
    assert "hidden (log scale)" in drawn
    assert "perplexity on dev" in drawn
    assert "best on dev" not in drawn
    assert "by hidden" in drawn


def test_the_command_has_the_option():
    assert "--by" in CliRunner().invoke(app, ["curve", "--help"]).output
