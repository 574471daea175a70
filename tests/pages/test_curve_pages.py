"""Tables and figures of learning curves."""

from __future__ import annotations

import csv
import io
import re

import pytest

import lingprobe
from analysis.test_curves import FALLING, FLAT, RISING, course, steps
from fixtures.results import result, saying
from fixtures.scored import scores_page
from lingprobe.data.core import Result
from lingprobe.tables.drawing import PlotProblem
from lingprobe.tables.lines import _RING


def two() -> list[Result]:
    """Two trainings on two tasks."""
    return [
        *course(RISING),
        *course(FALLING, "ud/passive:EWT"),
        *course(FALLING, run="models/en-fr", best=2),
        *course(FLAT, "ud/passive:EWT", run="models/en-fr", best=2),
    ]


def texts(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)", svg)


def test_a_training_stands_with_its_figures_above_its_scores():
    (table,) = lingprobe.curve(two()).tables
    first, second = table.sections
    assert table.columns[:11] == ("task", "0", "1", "2", "3", "4", "5", "6", "7", "8", "±")
    assert (first.heading, second.heading) == ("trained:models/en-de", "trained:models/en-fr")
    assert "best on dev: epoch 5 (BLEU 6.0)" in first.line
    assert "best on dev: epoch 2 (BLEU 3.0)" in second.line
    assert table.title == "Scores during training: ud:EWT"
    loss, bleu, tense, passive = first.rows
    assert (tense[0], passive[0]) == ("tense", "passive")
    assert loss[:3] == ("loss on train", "", "4.75")
    assert bleu[:3] == ("BLEU on dev", "", "2.0")
    cells = dict(zip(table.columns, tense, strict=True))
    assert (cells["0"], cells["8"], cells["ρ"], cells["n"]) == ("50.0", "95.0", "1.00", "200")
    assert (cells["constant"], cells["points"], cells["p"]) == ("50.0", "8", "< 0.001")
    assert dict(zip(table.columns, passive, strict=True))["ρ"] == "−1.00"
    assert {(2, table.columns.index("ρ")), (3, table.columns.index("ρ"))} == first.strong
    flat = dict(zip(table.columns, second.rows[3], strict=True))
    assert (flat["ρ"], flat["p"]) == ("–", "–")


def test_tasks_of_several_groups_have_their_whole_names():
    table = lingprobe.curve([*course(RISING), *course(FLAT, "tree/tense:EWT")]).tables[0]
    assert table.title == "Scores during training"
    assert [row[0] for row in table.sections[0].rows[2:]] == ["ud/tense:EWT", "tree/tense:EWT"]
    sized = [one for t in ("tense", "passive") for one in course(RISING, f"ud/{t}:EWT,size=9")]
    table = lingprobe.curve(sized).tables[0]
    assert table.title == "Scores during training: ud:EWT,size=9"


def test_many_steps_are_shown_in_part_and_written_in_full():
    page = lingprobe.curve(steps({0: 0.5, **{2**i: 0.5 + i / 50 for i in range(20)}}))
    (table,) = page.tables
    points = [name for name in table.columns if name.replace(",", "").isdecimal()]
    assert (points[0], points[-1]) == ("0", "524,288")
    assert len(points) <= 12
    assert any("21 steps were measured; CSV has all" in note for note in table.notes)
    assert len(list(csv.DictReader(io.StringIO(page.text("csv"))))) == 21


def test_epochs_and_steps_have_tables_of_their_own():
    epochs, by_step = lingprobe.curve([*course(RISING), *steps({1: 0.5, 2: 0.6})]).tables
    assert [table.sections[0].heading for table in (epochs, by_step)] == [
        "trained:models/en-de",
        "hf:org/m",
    ]
    assert not any("ρ: Spearman" in note for note in epochs.notes)
    assert any("ρ: Spearman" in note for note in by_step.notes)


def test_scores_over_other_examples_are_marked():
    made = course(RISING)
    other = saying(
        result(0.9, n=150, encoder="trained:models/en-de,epoch=3"),
        checkpoint=made[3].provenance.checkpoint.plain(),
    )
    page = lingprobe.curve([*made[:3], other, *made[4:]])
    (table,) = page.tables
    assert dict(zip(table.columns, table.sections[0].rows[-1], strict=True))["3"] == "90.0*"
    assert any("do not compare the two" in note for note in table.notes)
    assert "do not compare the two" in " ".join(texts(page.svg()))


def test_rows_for_programs_have_score_and_training_side_by_side():
    rows = list(csv.DictReader(io.StringIO(lingprobe.curve(two()).text("csv"))))
    assert len(rows) == 36
    third = next(r for r in rows if r["at"] == "3" and r["training"] == "trained:models/en-fr")
    assert (third["dev"], third["loss"], third["best"], third["unit"]) == (
        "4.0000", "4.2500", "0", "epoch",
    )  # fmt: skip
    assert {r["at"] for r in rows if r["best"] == "1"} == {"5", "2"}
    assert float(rows[0]["correlation"]) == pytest.approx(1)


def test_the_figure_has_a_panel_for_each_task_and_figure_of_the_trainings():
    svg = lingprobe.curve(two()).svg()
    shown = texts(svg)
    assert {"BLEU on dev", "ud/tense:EWT", "ud/passive:EWT"} <= set(shown)
    assert "trained:models/en-de (translate)" in shown
    assert "trained:models/en-fr (translate)" in shown
    assert shown.count("epoch") == 3
    assert {"+1.00", "−1.00"} <= set(shown)
    # a point of a task tells its score: eight epochs and the beginning, of two trainings and tasks
    assert len(re.findall(r"<title>trained:models/en-\w+, [^<]*\(", svg)) == 36
    figure = lingprobe.curve(two()).figure()
    rings = [line for axes in figure.axes for line in axes.lines if line.get_gid() == _RING]
    assert sorted(float(ring.get_xdata()[0]) for ring in rings) == [2, 2, 2, 5, 5, 5]


def test_steps_that_are_far_apart_stand_by_their_powers(tmp_path):
    far = texts(lingprobe.curve(steps({0: 0.5, 1: 0.5, 1000: 0.6, 143000: 0.9})).svg())
    assert "step (log scale)" in far
    assert {"0", "1", "1000", "143k"} <= set(far)
    near = texts(lingprobe.curve(steps({100: 0.5, 200: 0.6})).svg())
    assert "step" in near
    assert "0: before training" not in " ".join(near)


def test_a_figure_with_too_many_lines_says_what_to_choose():
    many = [one for i in range(17) for one in course(RISING[:3], run=f"models/training-{i}")]
    with pytest.raises(PlotProblem, match="up to 16 lines, and there are 17: choose some"):
        lingprobe.curve(many).svg()
    assert len(lingprobe.curve(many[:-3]).content) == 16 * 3


@pytest.mark.parametrize("name", ["curve.png", "curve.pdf", "curve.svg", "curve.html", "curve.md"])
def test_curves_are_written_in_every_format(name, tmp_path):
    lingprobe.curve(two()).write(tmp_path / name)
    assert (tmp_path / name).stat().st_size > 1000
    if name == "curve.html":
        text = (tmp_path / name).read_text("utf-8")
        assert "<svg" in text
        assert "Scores during training" in text


def test_a_table_of_scores_says_which_of_several_epochs_is_the_best():
    said = "trained:models/en-de: epoch 5 is the best on dev (bleu 6.0)."
    for made in (course(RISING), [*course(RISING), *course(FLAT, "ud/passive:EWT")]):
        assert said in scores_page(made).tables[0].notes
    assert said not in scores_page(course(RISING)[5:6]).tables[0].notes
