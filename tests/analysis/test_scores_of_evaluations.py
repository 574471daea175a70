"""The scores of an evaluation: a row for each task, encoder and layer, with the best baseline."""

import math
import sys

import numpy as np
import pandas
import pyarrow as pa
import pytest

import lingprobe
from fixtures.results import TASKS, result, results, saying
from lingprobe import Evaluation


def dev(found, score):
    """The same result, whose probe scored so on dev."""
    return saying(found, kind="trained", choice={"dev": score})


@pytest.fixture(scope="module")
def evaluation():
    return Evaluation((*results(), result(0.5, encoder="mine", control="shuffled")))


@pytest.fixture(scope="module")
def layered():
    """Layers 1 to 3, of which the second is best on dev and the third on test."""
    layers = [(0.6, 0.5), (0.7, 0.9), (0.8, 0.7)]
    made = [
        dev(result(right, encoder="hf:y", read=str(i)), d)
        for i, (right, d) in enumerate(layers, start=1)
    ]
    return Evaluation((saying(result(0.65), kind="baseline"), *made))


def test_a_row_is_a_task_and_an_encoder_over_all_seeds(evaluation):
    assert len(evaluation) == len([*evaluation]) == len(evaluation.scores) == 8
    for score in evaluation:
        mine = [
            r
            for r in evaluation.results
            if r.trial.encoder == score.encoder
            and r.trial.task == score.task
            and r.trial.control == "none"
        ]
        assert score.score == pytest.approx(100 * np.mean([r.score for r in mine]))
        assert (score.seeds, score.n) == (3, 200)
        assert score.low < score.score < score.high or score.score == 100


def test_the_difference_is_from_the_best_baseline(evaluation):
    by_name = {(one.task, one.encoder): one for one in evaluation}
    for task in TASKS:
        for name, right in (("mine", 90), ("yours", 70)):
            one = by_name[task, name]
            assert (one.baseline, one.baseline_score) == ("(constant)", 50.0)
            assert one.surface_baseline == "length, mlp"
            assert one.surface_baseline_score == pytest.approx(55)
            assert one.difference == pytest.approx(right - 50)
            assert one.surface_difference == pytest.approx(right - 55)
            assert one.difference_low < one.difference < one.difference_high
            assert one.surface_difference_low < one.surface_difference < one.surface_difference_high
        assert by_name[task, "length"].baseline == by_name[task, "gold:clause"].baseline == ""
        assert math.isnan(by_name[task, "length"].difference)


def test_verdicts_are_those_of_compare(evaluation, layered):
    for measured in (evaluation, layered):
        decided = {(c.task, c.first, c.question): c for c in measured.compare().found}
        mine = [one for one in measured if one.verdict]
        assert 2 * len(mine) == len(decided)
        for one in mine:
            layer = "" if one.layer == "-" else f", layer {one.layer}"
            name = f"{one.encoder}{layer}, mlp"
            other = decided[one.task, name, "decodable"]
            assert one.difference == pytest.approx(other.difference)
            assert (one.difference_low, one.difference_high) == (other.low, other.high)
            assert (one.p, one.verdict) == (other.corrected, other.verdict)
            other = decided[one.task, name, "beyond the surface"]
            assert one.surface_difference == pytest.approx(other.difference)
            ends = one.surface_difference_low, one.surface_difference_high
            assert ends == (other.low, other.high)
            assert (one.surface_p, one.surface_verdict) == (other.corrected, other.verdict)


def test_of_layers_the_one_that_is_best_on_dev_is_decided(layered):
    mine = [one for one in layered if one.kind == "trained"]
    assert [bool(one.verdict) for one in mine] == [False, True, False]
    assert [one.surface_difference for one in mine] == pytest.approx([-5, 5, 15])
    assert [one.difference for one in mine] == pytest.approx([10, 20, 30])
    assert layered["ud/tense", "hf:y"] == mine[1]
    assert layered["ud/tense", "hf:y", "3"] == mine[2]
    assert layered["ud/*", "length"].kind == "baseline"
    assert layered[0] == next(iter(layered))


def test_what_is_no_single_score_is_said(evaluation):
    with pytest.raises(lingprobe.UsageProblem, match=r"may be 2 scores \(task, encoder, layer"):
        evaluation["ud/*", "mine"]
    with pytest.raises(lingprobe.DataProblem, match="none of the 25 results matches"):
        evaluation["ud/tense", "other"]
    with pytest.raises(lingprobe.UsageProblem, match=r"write evaluation\[task, encoder\]"):
        evaluation["ud/tense"]


def test_a_frame_is_of_the_library_that_is_there(evaluation, monkeypatch):
    frame = evaluation.scores
    assert isinstance(frame, pandas.DataFrame)
    assert [*frame.columns][:5] == ["task", "encoder", "layer", "probe", "metric"]
    assert frame["score"].tolist() == [one.score for one in evaluation]
    assert frame["verdict"].tolist() == [one.verdict for one in evaluation]
    monkeypatch.setitem(sys.modules, "pandas", None)
    polars = pytest.importorskip("polars")
    for made in (evaluation.scores, evaluation.to_dataframe()):
        assert isinstance(made, polars.DataFrame)
    assert evaluation.scores["score"].to_list() == frame["score"].tolist()
    monkeypatch.setitem(sys.modules, "polars", None)
    assert isinstance(evaluation.scores, pa.Table)
    assert evaluation.scores["score"].to_pylist() == frame["score"].tolist()


def test_nothing_has_the_columns_and_no_row():
    nothing = Evaluation(())
    assert (len(nothing), [*nothing], len(nothing.scores)) == (0, [], 0)
    assert {"score", "baseline", "difference", "verdict"} <= set(nothing.scores.columns)


def test_what_is_looked_at_in_a_session_is_short(evaluation):
    shown = evaluation, evaluation.page, evaluation.compare(), lingprobe.compare(evaluation).page
    assert [len(repr(each)) < 120 for each in shown] == [True] * len(shown)
    assert repr(evaluation) == "Evaluation(8 scores, 0 failures)"
    assert all("<table" in each._repr_html_() for each in shown)


def test_scores_are_no_results(evaluation):
    with pytest.raises(lingprobe.UsageProblem, match="give an evaluation, a folder of results"):
        lingprobe.compare([*evaluation])
