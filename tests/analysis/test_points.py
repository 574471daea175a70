"""Curves over trainings that differ in a setting."""

from __future__ import annotations

import json
import shutil

import pytest
from typer.testing import CliRunner

import lingprobe
from fixtures.results import result, saying
from fixtures.views import curves_of
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
    found = curves_of(results[::-1], by="hidden")
    assert [rows[0].task for rows in found] == ["ud/passive:EWT", "ud/tense:EWT"]
    for rows in found:
        assert rows.column("at") == [16, 64, 128, 256]
        assert list(map(round, rows.column("score"))) == [55, 65, 75, 70]
        assert rows[0].trend == pytest.approx(0.8)
        assert rows[0].trend_n == 4
        assert rows.column("dev") == [88.4, 83.6, 77.2, 64.4]
    row = found[0][0]
    assert (row.unit, row.best, row.figure) == ("hidden", 0, "perplexity")
    assert row.training == "bilstm-max, next: novels.txt"
    notes = " ".join(lingprobe.curve(results, by="hidden").tables[-1].notes)
    assert "another seed would give another score" in notes
    assert "measured" not in notes.replace("p: by", "")


@pytest.mark.parametrize("apart", [{"layers": 2}, {"seed": 1}, {"text": "plays.txt"}])
def test_trainings_that_differ_in_more_are_other_lines(measured, apart):
    found = curves_of([*measured(), *measured({16: 0.9, 64: 0.95}, **apart)], by="hidden")
    names = {rows[0].training for rows in found}
    assert len(names) == 2
    [said] = map(str, apart.values())
    assert any(said in name for name in names)
    by_length = sorted(found, key=len)
    assert list(map(len, by_length)) == [2, 2, 4, 4]
    assert {round(row.score) for row in by_length[0]} == {90, 95}


def test_texts_of_one_name_are_told_apart_by_their_digest(measured, tmp_path):
    one, other = measured(), measured({16: 0.9, 64: 0.95}, seed=5)
    for folder in tmp_path.glob("*-5"):
        facts = json.loads((folder / "model.json").read_text("utf-8"))
        facts |= {"files": {"/data/novels.txt": "fedcba98"}}
        facts["settings"]["seed"] = 0
        (folder / "model.json").write_text(json.dumps(facts), "utf-8")
    names = {rows[0].training for rows in curves_of([*one, *other], by="hidden")}
    assert len(names) == 2
    assert any(name.endswith("fedcba") for name in names)


def test_epochs_are_no_points_of_a_setting(measured):
    results = measured()
    epochs = [
        saying(result(0.99, encoder=f"{r.trial.encoder},epoch=2"), kind="trained") for r in results
    ]
    assert list(map(len, curves_of([*results, *epochs], by="hidden"))) == [4, 4]


def test_what_makes_no_curve_is_said(measured, tmp_path):
    results = measured()
    with pytest.raises(
        lingprobe.UsageProblem, match=r"no setting 'width' .* choose from hidden, layers"
    ):
        curves_of(results, by="width")
    with pytest.raises(lingprobe.UsageProblem, match="no setting 'clip'"):
        curves_of(results, by="clip")
    with pytest.raises(lingprobe.DataProblem, match="differ in layers and in nothing else"):
        curves_of(results, by="layers")
    for folder in tmp_path.iterdir():
        shutil.rmtree(folder)
    with pytest.raises(lingprobe.DataProblem, match="none of the measured ones was found"):
        curves_of(results, by="hidden")


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
    assert "--by" in CliRunner().invoke(app, ["results", "curve", "--help"]).output
