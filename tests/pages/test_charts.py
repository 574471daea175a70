"""Charts hold every score at its place, with intervals, baselines and oracles beside."""

import re
from dataclasses import replace
from itertools import product

import pytest

import lingprobe
from fixtures.results import result, saying
from lingprobe.data.core import Result
from lingprobe.data.errors import UsageProblem
from lingprobe.pages.charts import BEST, FIGURES, chart
from lingprobe.tables.drawing import Dot, Drawing, Label, PlotProblem, Shape, Stroke

TASKS = tuple(f"ud/{name}:EWT-bank" for name in ("tense", "passive", "obj-num"))
KINDS = {"length": "baseline", "mine": "trained", "yours": "trained", "gold:clause": "oracle"}
SHARES = {"length": 0.55, "mine": 0.9, "yours": 0.7, "gold:clause": 1.0}


def results(**kinds: str) -> list[Result]:
    every = KINDS | kinds
    return [
        saying(result(SHARES.get(name, 0.8), encoder=name, task=task), kind=every[name])
        for name, task in product(every, TASKS)
    ]


def labels(drawing: Drawing) -> list[str]:
    return [mark.text for mark in drawing.marks if isinstance(mark, Label)]


def test_dots_lie_at_their_scores_on_their_intervals():
    drawing = chart(results(), "dots")
    shown = [m for m in drawing.marks if isinstance(m, Dot) and m.title]
    assert len(shown) == 3 * len(TASKS)  # oracles are diamonds
    mine, yours, length = (
        next(dot for dot in shown if dot.title.startswith(name))
        for name in ("mine", "yours", "length")
    )
    assert mine.title == "mine: 90.0 (85.0 – 95.0), n = 200"
    assert (mine.colour, mine.hollow) == (BEST, False)
    assert yours.colour != BEST
    assert length.hollow
    # places are linear in scores
    assert (mine.x - yours.x) / (yours.x - length.x) == pytest.approx(20 / 15)
    (interval,) = [
        m
        for m in drawing.marks
        if isinstance(m, Stroke)
        and {y for _, y in m.points} == {mine.y}
        and m.points[0][0] < mine.x < m.points[1][0]
    ]
    assert (interval.points[1][0] - interval.points[0][0]) / (mine.x - yours.x) == pytest.approx(
        0.5
    )
    assert {"tense", "passive", "obj-num", "mine", "oracle", "baseline"} <= set(labels(drawing))


def test_everything_lies_inside_the_drawing():
    for kind in FIGURES:
        drawing = chart(results(), kind)
        for mark in drawing.marks:
            points = mark.points if isinstance(mark, Stroke | Shape) else [(mark.x, mark.y)]
            for x, y in points:
                assert 0 <= x <= drawing.width, (kind, mark)
                assert 0 <= y <= drawing.height, (kind, mark)


def test_cells_of_the_heat_map_are_darker_the_farther_from_the_constant_answer():
    drawing = chart(results(), "heat")
    assert labels(drawing).count("90.0") == len(TASKS)
    cells = {m.title.split()[0]: m.fill for m in drawing.marks if isinstance(m, Shape) and m.title}
    reds = {score: int(fill[1:3], 16) for score, fill in cells.items()}
    assert reds["55.0"] > reds["70.0"] > reds["90.0"] > reds["100.0"]
    bold = {m.text for m in drawing.marks if isinstance(m, Label) and m.bold}
    assert bold == {"90.0"}


def test_a_radar_has_a_polygon_for_each_encoder_over_the_best_baselines():
    drawing = chart(results(), "radar")
    closed = [m for m in drawing.marks if isinstance(m, Stroke) and m.points[0] == m.points[-1]]
    assert len(closed) == 4 + 2  # rings, and encoders
    centre, ring = closed[3].points, closed[3].points[0]
    assert len(centre) == len(TASKS) + 1
    mine = closed[4].points[0]
    middle = (closed[0].points[0][1] - ring[1]) / 75 * 100 + ring[1]
    assert (middle - mine[1]) / (middle - ring[1]) == pytest.approx(0.9)


def test_a_radar_that_nobody_could_read_is_refused():
    two = [r for r in results() if r.trial.task != TASKS[0]]
    with pytest.raises(PlotProblem, match="needs at least three tasks, and there are 2"):
        chart(two, "radar")
    many = results(**{f"encoder-{i}": "trained" for i in range(9)})
    with pytest.raises(PlotProblem, match="there are 11: choose some"):
        chart(many, "radar")


def test_scores_over_other_examples_are_marked():
    other = [saying(result(0.95, 100, encoder="theirs", task=t), kind="trained") for t in TASKS]
    for kind in ("dots", "heat"):
        assert any("*" in text for text in labels(chart([*results(), *other], kind)))


def test_correlations_below_zero_have_their_place():
    low = [replace(r, score=-0.2, low=-0.3, high=-0.1) for r in results() if r.trial.seed == 0]
    drawing = chart(low, "dots")
    assert any(re.fullmatch(r"-\d+", text) for text in labels(drawing))


def test_report_draws_what_is_asked_for_in_files_and_in_html(tmp_path):
    found = results()
    for kind in FIGURES:
        page = lingprobe.report(found, figure=kind)
        page.write(tmp_path / f"{kind}.svg")
        assert (tmp_path / f"{kind}.svg").read_text("utf-8").startswith("<svg")
        assert "<svg" in page.text("html")
    assert len({(tmp_path / f"{kind}.svg").read_bytes() for kind in FIGURES}) == len(list(FIGURES))
    with pytest.raises(UsageProblem, match="no figure 'pie': choose one of dots, heat, radar"):
        lingprobe.report(found, figure="pie")
    lingprobe.report([r for r in found if r.trial.task == TASKS[0]]).write(tmp_path / "one.svg")


def test_a_page_without_scores_has_no_chart():
    nothing = [replace(r, score=float("nan")) for r in results()]
    assert "<svg" not in lingprobe.report(nothing).text("html")
