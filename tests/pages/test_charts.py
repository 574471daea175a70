"""Charts hold every score at its place, with intervals, baselines and oracles beside."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon, Rectangle
from matplotlib.text import Text

import lingprobe
from fixtures.results import result, saying
from fixtures.scored import to_scores
from fixtures.scored import to_scores as rows_of
from lingprobe.data.core import Result
from lingprobe.data.errors import UsageProblem
from lingprobe.pages.charts import FIGURES, draw_chart
from lingprobe.tables.drawing import _TOLD, PlotProblem, save_figure
from lingprobe.tables.style import BEST_COLOUR, CHART_BLUE, DARK_GREY

TASKS = tuple(f"ud/{name}:EWT-bank" for name in ("tense", "passive", "obj-num"))
KINDS = {"length": "baseline", "mine": "trained", "yours": "trained", "gold:clause": "oracle"}
SHARES = {"length": 0.55, "mine": 0.9, "yours": 0.7, "gold:clause": 1.0}


def results(**kinds: str) -> list[Result]:
    every = KINDS | kinds
    return [
        saying(result(SHARES.get(name, 0.8), encoder=name, task=task), kind=every[name])
        for name, task in product(every, TASKS)
    ]


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(Text)]


def told(figure: Figure, kind: type) -> dict[str, object]:
    """What is told to a pointer -> the mark."""
    marks = figure.findobj(lambda a: isinstance(a, kind) and (a.get_gid() or "").startswith(_TOLD))
    return {mark.get_gid().removeprefix(_TOLD): mark for mark in marks}


def test_dots_lie_at_their_scores_on_their_intervals():
    figure = draw_chart(to_scores(results()), "dots")
    assert {"tense", "passive", "obj-num", "oracle", "baseline"} <= set(texts(figure))
    for axes in figure.axes:
        (mine,) = [m for text, m in told(axes, Line2D).items() if text.startswith("mine")]
        assert mine.get_gid() == f"{_TOLD}mine: 90.0 (85.0 – 95.0), n = 200"
        marks = {round(float(m.get_xdata()[0]), 6): m for m in told(axes, Line2D).values()}
        looks = {
            score: (m.get_marker(), m.get_color(), m.get_markerfacecolor())
            for score, m in marks.items()
        }
        assert looks == {
            55.0: ("o", DARK_GREY, "none"),
            90.0: ("s", BEST_COLOUR, BEST_COLOUR),
            70.0: ("o", CHART_BLUE, CHART_BLUE),
            100.0: ("D", DARK_GREY, DARK_GREY),
        }
        ends = [tuple(c.get_segments()[0].ravel()) for c in axes.findobj(LineCollection)]
        assert (85.0, 1.0, 95.0, 1.0) in ends
        assert len(ends) == len(marks)
        names = [text.get_text() for text in figure.axes[0].get_yticklabels()]
        assert names[int(mine.get_ydata()[0])] == "mine"
        (constant,) = [x for x in axes.lines if x.get_linestyle() == "--"]
        assert list(constant.get_xdata()) == [50.0, 50.0]


@pytest.mark.parametrize(
    ("kind", "tasks"), [("dots", 3), ("heat", 3), ("radar", 3), ("dots", 1), ("heat", 1)]
)
def test_everything_lies_inside_the_figure(kind, tasks, tmp_path):
    """What lies outside would be cut off: with room around, no pixel at the edge has ink."""
    every = results(**{"hf:" + "long-" * 9: "trained"} if tasks > 1 else {})
    found = [one for one in every if one.trial.task in TASKS[:tasks]]
    save_figure(lambda: draw_chart(to_scores(found), kind), tmp_path / "a.png")
    pixels = imread(tmp_path / "a.png")[..., :3]
    for edge in (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]):
        assert (edge == 1).all()


def test_cells_of_the_heat_map_are_darker_the_farther_from_the_constant_answer():
    figure = draw_chart(to_scores(results()), "heat")
    assert texts(figure).count("90.0") == len(TASKS)
    cells = {text.split()[0]: m.get_facecolor() for text, m in told(figure, Rectangle).items()}
    reds = {score: int(to_hex(fill)[1:3], 16) for score, fill in cells.items()}
    assert reds["55.0"] > reds["70.0"] > reds["90.0"] > reds["100.0"]
    bold = {t.get_text() for t in told(figure, Text).values() if t.get_weight() == "bold"}
    assert bold == {"90.0"}


def test_a_radar_has_a_polygon_for_each_encoder_over_the_best_baselines():
    (axes,) = draw_chart(to_scores(results()), "radar").axes
    lines = {line.get_label(): line for line in axes.lines if not line.get_gid()}
    assert set(lines) == {"mine", "yours"}
    assert list(lines["mine"].get_ydata()) == [90.0] * (len(TASKS) + 1)
    assert np.allclose(lines["mine"].get_xdata(), [0, 2 * np.pi / 3, 4 * np.pi / 3, 0])
    (floor,) = axes.findobj(Polygon)
    assert np.allclose(floor.get_xy()[:, 1], 55)
    assert axes.get_ylim() == (0, 100)


def test_a_radar_that_nobody_could_read_is_refused():
    two = [r for r in results() if r.trial.task != TASKS[0]]
    with pytest.raises(PlotProblem, match="needs at least three tasks, and there are 2"):
        draw_chart(to_scores(two), "radar")
    many = results(**{f"encoder-{i}": "trained" for i in range(9)})
    with pytest.raises(PlotProblem, match="there are 11: choose some"):
        draw_chart(to_scores(many), "radar")


def test_scores_over_other_examples_are_marked():
    other = [saying(result(0.95, 100, encoder="theirs", task=t), kind="trained") for t in TASKS]
    for kind in ("dots", "heat"):
        assert any("*" in text for text in texts(draw_chart(to_scores([*results(), *other]), kind)))


def test_correlations_below_zero_have_their_place():
    low = [replace(r, score=-0.2, low=-0.3, high=-0.1) for r in results() if r.trial.seed == 0]
    assert all(axes.get_xlim()[0] < -30 for axes in draw_chart(to_scores(low), "dots").axes)


def test_report_draws_what_is_asked_for_in_files_and_in_html(tmp_path):
    layers = [
        saying(result(0.6 + int(read) / 10, encoder="deep", read=read, task=task), kind="trained")
        for read, task in product("012", TASKS)
    ]
    found = [*results(), *layers]
    for kind in FIGURES:
        page = lingprobe.report(found, figure=kind)
        page.write(tmp_path / f"{kind}.svg")
        assert (tmp_path / f"{kind}.svg").read_text("utf-8").startswith("<svg")
        assert "<svg" in page.text("html")
    assert len({(tmp_path / f"{kind}.svg").read_bytes() for kind in FIGURES}) == len(list(FIGURES))
    with pytest.raises(UsageProblem, match="no figure 'pie': choose one of dots, heat, radar"):
        lingprobe.report(found, figure="pie")
    lingprobe.report([r for r in found if r.trial.task == TASKS[0]]).write(tmp_path / "one.svg")


def test_curves_lie_between_the_constant_answer_and_the_oracle():
    layers = [
        saying(result(score / 100, encoder=f"hf:{name}", read=read, task=TASKS[0]), kind="trained")
        for name, score, read in (("a", 60, "0"), ("a", 80, "1"), ("b", 70, "0"), ("b", 65, "2"))
    ]
    (axes,) = draw_chart(to_scores([*layers, *results()]), "layers").axes[:1]
    curves = [line for line in axes.lines if line.get_marker() == "None"]
    drawn = [(list(line.get_xdata()), list(line.get_ydata())) for line in curves]
    for curve in (([0, 1], [60, 80]), ([0, 2], [70, 65])):
        assert any(x == curve[0] and np.allclose(y, curve[1]) for x, y in drawn)
    looks = {
        line.get_linestyle(): line.get_ydata()[0]
        for line in curves
        if line.get_color() == DARK_GREY
    }
    rows = {row.encoder: row for row in rows_of(results()) if row.task == "ud/tense:EWT-bank"}
    baseline = max(row.score for row in rows.values() if row.kind == "baseline")
    oracle = max(row.score for row in rows.values() if row.kind == "oracle")
    assert looks == pytest.approx({"--": 50.0, "-": baseline, ":": oracle})
    with pytest.raises(PlotProblem, match="no encoder was read at several layers"):
        draw_chart(to_scores(results()), "layers")


def test_titles_of_tasks_of_several_groups_are_whole_and_differ():
    """Cut to one line, the sources of both were the same letters and the questions lost."""
    names = [f"{task}:UD_English-EWT,limit=4000" for task in ("ud/passive", "edge/pos", "edge/dep")]
    layers = [
        saying(result(0.7, encoder="hf:a", read=read, task=task), kind="trained")
        for task, read in product(names, "01")
    ]
    titles = [
        axes.get_title()
        for axes in draw_chart(to_scores(layers), "layers").axes
        if axes.get_title()
    ]
    plain = [title.replace("\n", " ").replace(" ", "") for title in titles]
    assert len({*plain}) == 3
    assert all(any(question in title for title in plain) for question in ("passive", "pos", "dep"))
    assert not any("…" in title for title in plain)


def test_layers_without_mixes_are_drawn_from_the_table_of_layers_too(tmp_path):
    layers = [
        saying(result(0.6 + int(read) / 10, encoder=name, read=read, task=task), kind="trained")
        for name, read, task in product(("hf:a", "hf:b"), "01", TASKS)
    ]
    lingprobe.layers(layers).write(tmp_path / "layers.svg")
    drawn = (tmp_path / "layers.svg").read_text("utf-8")
    for name, layer in product("ab", range(2)):
        assert drawn.count(f"<title>{name}, layer {layer}: ") == len(TASKS)


def test_a_page_without_scores_has_no_chart():
    nothing = [replace(r, score=float("nan")) for r in results()]
    assert "<svg" not in lingprobe.report(nothing).text("html")
