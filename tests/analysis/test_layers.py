"""From results over layers to tables and figures of where tasks are solved."""

from __future__ import annotations

import csv
import io
import math

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.image import imread
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from typer.testing import CliRunner

from fixtures.results import saying
from fixtures.scored import to_frame
from fixtures.views import layers_of, layers_page
from lingprobe.cli import app
from lingprobe.data.core import DataProblem, Result, Tags, Trial
from lingprobe.data.labels import Classes
from lingprobe.data.references import Reference
from lingprobe.encoders import ENCODERS
from lingprobe.metrics import METRICS
from lingprobe.pages.breakdown import compute_stratum_rows
from lingprobe.pages.plots import strata_figure
from lingprobe.pages.view_text import draw_bar
from lingprobe.store.results import ResultStore
from lingprobe.tables.drawing import _TOLD, PlotProblem, house_style, save_figure
from lingprobe.tables.formats import format_terminal_table
from lingprobe.tables.lines import round_ends
from lingprobe.tables.page import is_figure

LAYERS = 6
N = 600


def over_layers(
    task: str = "edge/dep:X", solved: int = 2, seeds: int = 2, encoder: str = "hf:m,layers=all"
) -> list[Result]:
    """Results of a task whose examples are recognised, all but a few, from the mix with one layer
    on.
    """
    found = []
    for read in (
        "lex",
        *map(str, range(LAYERS + 1)),
        *(f"mix:0-{k}" for k in range(1, LAYERS)),
        "mix",
        "cat",
    ):
        top = (
            LAYERS
            if read in ("mix", "cat")
            else 0
            if read == "lex"
            else int(read.rpartition("-")[2])
        )
        share = 0.55 if top < solved else 0.9
        for seed in range(seeds):
            rng = np.random.default_rng([sum(map(ord, read)), seed])
            gold = Classes(np.arange(N) % 3, ("a", "b", "c"))
            ids = np.where(rng.random(N) < share, gold.ids, (gold.ids + 1) % 3)
            said = Classes(ids, gold.names).sets()
            score = METRICS.make("micro-f1")(gold, said)
            weights = np.exp(
                -((np.arange(LAYERS + 1) - min(solved, LAYERS)) ** 2) / 2.0 + seed / 100
            )
            mixed = (
                {"mix": (weights / weights.sum()).tolist(), "gamma": 1.0} if read == "mix" else {}
            )
            about = {
                "choice": mixed,
                "constants": {"class": ["a"], "prevalent": [], "set": ["a", "b", "c"]},
            }
            trial = Trial(task, encoder, read, "span", "none", seed)
            tags = {"distance": Tags(np.arange(N) % 4, ("0", "1", "2", "3"))}
            found.append(
                Result(
                    trial,
                    "micro-f1",
                    score,
                    score - 0.04,
                    score + 0.04,
                    0.5,
                    gold,
                    said,
                    about,
                    tags,
                )
            )
    return found


def test_a_task_is_solved_where_its_examples_are_recognised():
    (rows,) = layers_of(over_layers(solved=2))
    lexical, *layers = rows
    assert lexical.task == "edge/dep:X"
    assert [row.level for row in layers] == list(range(LAYERS + 1))
    assert all(row.alone_layer and row.mix_layer for row in layers)
    assert lexical.expected == pytest.approx(2, abs=0.4)
    assert lexical.expected_low <= lexical.expected <= lexical.expected_high
    assert lexical.weight_centre == pytest.approx(2, abs=0.1)
    assert lexical.lexical_score == pytest.approx(55, abs=5)


def test_tasks_stand_in_the_order_in_which_they_are_solved_and_flat_ones_last():
    results = [
        *over_layers("edge/coref:X", 5),
        *over_layers("edge/pos:X", 1),
        *over_layers("edge/dpr:X", 99),
    ]
    tasks = layers_of(results)
    assert [rows[0].task for rows in tasks] == ["edge/pos:X", "edge/coref:X", "edge/dpr:X"]
    assert math.isnan(tasks[-1][0].expected)
    assert "not significant" in format_terminal_table(layers_page(results).tables[0])


def test_mixes_that_were_not_measured_are_named():
    results = [r for r in over_layers() if r.trial.read not in ("mix:0-3", "mix:0-4")]
    (rows,) = layers_of(results)
    assert math.isnan(rows[0].expected)
    assert rows[0].expected_why == "not measured: mix:0-3, mix:0-4 (--layers cumulative)"
    assert any(row.alone_best for row in rows)


def test_weights_that_have_not_moved_are_told():
    assert "nearly uniform" not in format_terminal_table(layers_page(over_layers()).tables[0])
    even = {"choice": {"mix": [1 / (LAYERS + 1)] * (LAYERS + 1)}}
    found = [saying(r, **even) if r.trial.read == "mix" else r for r in over_layers()]
    text = format_terminal_table(layers_page(found).tables[0])
    assert "no centre of gravity, because the weights are still nearly uniform" in text
    (rows,) = layers_of(found)
    assert math.isnan(rows[0].weight_centre)  # it would be the middle layer, where mixes begin
    assert f"{LAYERS / 2:.2f}" not in next(
        line for line in text.splitlines() if line.startswith("edge/dep:X ")
    )
    assert rows[0].weight_bits < 0.05


def test_one_layer_alone_says_nothing_of_layers_and_controls_are_no_layers():
    for reads in (("mix",), ("cat", "lex")):
        with pytest.raises(DataProblem, match="no task was measured on several layers"):
            layers_of([r for r in over_layers() if r.trial.read in reads])


def test_tables_have_a_line_a_layer_with_bars_as_long_as_weights():
    lines = format_terminal_table(layers_page(over_layers(solved=2)).tables[1]).splitlines()
    bars = [line.count("█") for line in lines if line.strip()[:1].isdigit()]
    assert len(bars) == LAYERS + 1
    assert bars[2] == max(bars) == 16
    assert bars[2] > bars[1] > bars[0]
    assert list(map(draw_bar, (0, 1 / 128, 1, math.nan))) == ["", "▏", "█" * 16, ""]


def test_without_mixes_there_is_no_room_for_them():
    found = [r for r in over_layers() if r.trial.read == "lex" or r.trial.read.isdigit()]
    table, each = layers_page(found).tables
    assert table.columns == ("task", "lexical", "layer 0", "best alone", "n")
    assert [len(row) for row in table.sections[0].rows] == [5]
    assert not any("expected layer" in note for note in table.notes)
    assert any("--layers cumulative" in note for note in table.notes)
    assert each.columns == ("layer", "alone", "95 % interval")
    assert {len(row) for row in each.sections[0].rows} == {3}
    labels = {text.get_text() for text in drawn(found).findobj(Text)}
    assert {"alone", "lexical (dashed)"} <= labels
    assert not any("mix" in label or "expected" in label for label in labels)


def drawn(results: list[Result]):
    """The figure of layers."""
    figure = layers_page(results).figure
    assert figure is not None
    return figure()


def test_codes_stand_beside_the_layers_that_make_them():
    found = [
        saying(
            one,
            choice={
                **one.provenance.choice,
                "code": {"bits": 100.0, "uniform": 250.0 if one.trial.read == "3" else 125.0},
            },
        )
        for one in over_layers()
    ]
    lines = {
        line.split()[0]: line
        for line in format_terminal_table(layers_page(found).tables[1]).splitlines()
        if line[:1].isdigit()
    }
    assert "2.50" in lines["3"]
    assert "1.25" in lines["2"]
    assert "compression" not in format_terminal_table(layers_page(over_layers()).tables[1])


def test_programs_get_every_layer():
    page = layers_page(over_layers())
    rows = list(csv.DictReader(io.StringIO(page.text("csv"))))
    assert [int(row["layer"]) for row in rows] == list(range(LAYERS + 1))
    assert sum(float(row["weight"]) for row in rows) == pytest.approx(1, abs=1e-3)
    assert all(float(row["low"]) <= float(row["score"]) <= float(row["high"]) for row in rows)
    assert list(page.content.to_pandas().columns) == list(rows[0])


NASTY = r"edge/a$b^{2}$<script>&_x:X"


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_figures_show_names_as_they_are_and_are_the_same_each_time(tmp_path, suffix):
    results = [*over_layers(NASTY, 2), *over_layers("edge/dpr:X", 99)]
    files = [tmp_path / f"{i}{suffix}" for i in (0, 1)]
    for file in files:
        save_figure(lambda: drawn(results), file)
    assert files[0].stat().st_size > 3000
    if suffix == ".svg":
        text = files[0].read_text("utf-8")
        assert "<script" not in text
        assert "&lt;script&gt;" in text
    else:
        assert files[0].read_bytes() == files[1].read_bytes()


def test_a_page_holds_figure_and_tables_and_names_as_text(tmp_path):
    page = layers_page(over_layers(NASTY, 2)).text("html")
    assert page.count("<svg") == page.count("</svg>") == 1
    assert page.count("<script") == 1  # that of the page
    assert "edge/a$b^{2}$&lt;script&gt;&amp;_x:X" in page
    assert page.count("<table>") == 2


def test_curves_have_bands_points_weights_and_their_place():
    results = [*over_layers("edge/dep:X", 2), *over_layers("edge/coref:X", 5)]
    tasks = layers_of(results)
    with house_style():
        figure = drawn(results)
    first, *panels = figure.findobj(Axes)
    for axes, (lexical, *rows) in zip(panels[-2:], tasks, strict=True):
        assert (axes.get_title(loc="left"), axes.get_xlabel()) == (lexical.task, "layer")
        points = {
            name: [line.get_xydata()[0] for line in axes.lines if told(line).startswith(name)]
            for name in ("alone", "mix")
        }
        assert np.allclose(points["alone"], [(row.level, row.alone_score) for row in rows])
        assert np.allclose(points["mix"], [(row.level, row.mix_score) for row in rows])
        assert len(axes.findobj(PolyCollection)) == 2
        upright, flat = (line for line in axes.lines if line.get_linestyle() == "--")
        assert {upright.get_ydata()[0], *flat.get_xdata()} >= {
            lexical.lexical_score,
            lexical.expected,
        }
        bars = [bar.get_height() for bar in axes.findobj(Rectangle) if told(bar)]
        assert np.allclose(np.array(bars) / sum(bars), [row.weight for row in rows])
        assert np.isclose(max(bars), 0.2)
    wide = [patch.get_width() for patch in first.patches if told(patch)]
    assert wide == [rows[0].expected for rows in tasks]
    diamonds = [line.get_xydata()[0] for line in first.lines if told(line)]
    assert np.allclose(diamonds, [(rows[0].weight_centre, i) for i, rows in enumerate(tasks)])


def told(mark) -> str:
    gid = mark.get_gid() or ""
    return gid.removeprefix(_TOLD) if gid.startswith(_TOLD) else ""


@pytest.mark.parametrize("tasks", [1, 4])
def test_no_label_of_a_figure_is_cut_off(tasks, tmp_path):
    names = [f"edge/{'long' * 12}-{i}:UD_Polish-PDB" for i in range(tasks)]
    found = [r for name in names for r in over_layers(name, 2)]
    save_figure(lambda: drawn(found), tmp_path / "a.png")
    pixels = imread(tmp_path / "a.png")[..., :3]
    for edge in (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]):
        assert (edge == 1).all()


def test_scores_by_distance_are_drawn_with_how_many_there_are():
    rows = compute_stratum_rows(
        to_frame([r for r in over_layers() if r.trial.read in ("lex", "mix")]), "distance"
    )
    (axes,) = strata_figure(rows, "distance").axes
    bars = [told(bar) for bar in axes.findobj(Rectangle) if told(bar)]
    counts = {row.stratum: row.n for row in rows}
    assert bars == [f"{n:,} test examples" for n in counts.values()]
    assert [text.get_text() for text in axes.get_xticklabels()] == [*counts]
    assert len([line for line in axes.lines if told(line)]) == len(rows)


def test_figures_of_other_kinds_are_refused_rather_than_written_as_text(tmp_path):
    assert is_figure(tmp_path / "layers.SVG")
    assert not is_figure(tmp_path / "layers.csv")
    assert not is_figure(None)
    with pytest.raises(
        PlotProblem, match=r"layers\.jpg: the name of a figure must end in \.png, \.svg, \.pdf"
    ):
        layers_page(over_layers()).write(tmp_path / "layers.jpg")


def test_what_cannot_be_drawn_says_why():
    assert round_ends([math.nan, 47, 61]) == (40, 70)
    with pytest.raises(PlotProblem, match="nothing to draw"):
        round_ends([math.nan])


ENCODED = ("hf:m,layers=all,pool=none", "hf:m,layers=all,pool=none,weights=random")


def run(*arguments: str) -> str:
    """What a command prints, run in this process."""
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_commands_show_and_draw_what_lies_in_a_folder(tmp_path):
    results = [*over_layers("edge/dep:X", 2), *over_layers("edge/coref:X", 5)]
    ResultStore(tmp_path).write([(str(i), r) for i, r in enumerate(results)])
    shown = run("layers", str(tmp_path), "-o", str(tmp_path / "layers.png"))
    assert shown.index("edge/dep") < shown.index("edge/coref")
    assert (tmp_path / "layers.png").exists()
    listed = csv.DictReader(
        io.StringIO(run("layers", str(tmp_path), "-t", "edge/coref", "--format", "csv"))
    )
    assert {row["task"] for row in listed} == {"edge/coref:X"}
    with pytest.raises(DataProblem, match="matches: there are tasks"):
        run("layers", str(tmp_path), "-t", "nothing")
    by = run(
        "report",
        str(tmp_path),
        "-t",
        "edge/dep",
        "--layers",
        "lex",
        "--layers",
        "mix",
        "--by",
        "distance",
    )
    assert "coref" not in by
    assert {line.split()[2] for line in by.splitlines() if "hf:m" in line} == {"lex", "mix"}


def test_seeds_that_only_some_mixes_have_change_nothing_that_layers_add():
    alike, more = (
        over_layers(seeds=2),
        [r for r in over_layers(seeds=5) if r.trial.read == "mix" or r.trial.seed < 2],
    )
    assert len(more) > len(alike)
    (plain,), (uneven,) = layers_of(alike), layers_of(more)
    for name in ("expected", "expected_low", "expected_high", "expected_gain", "mix_score"):
        assert uneven.column(name) == pytest.approx(plain.column(name), nan_ok=True)
    apart = [r for r in over_layers(seeds=4) if (r.trial.seed < 2) == (r.trial.read == "mix")]
    (none,) = layers_of(apart)
    assert math.isnan(none[0].expected)
    assert "no seeds in common" in none[0].expected_why


def test_what_is_asked_for_may_be_written_as_tables_show_it(tmp_path):
    """Results know every option; tables leave out those that are as they are by default."""
    results = [
        result
        for encoder in ENCODED
        for result in over_layers(encoder=ENCODERS.canonical(Reference.parse(encoder)))
    ]
    ResultStore(tmp_path).write([(str(i), r) for i, r in enumerate(results)])
    for asked in ENCODED:
        shown = run("report", str(tmp_path), "--format", "csv", "-e", asked)
        assert {row["encoder"] for row in csv.DictReader(io.StringIO(shown))} == {asked}


def test_what_has_no_layers_says_how_to_measure_them(tmp_path):
    ResultStore(tmp_path).write([("0", over_layers()[0])])
    with pytest.raises(DataProblem, match="--layers cumulative"):
        run("layers", str(tmp_path))
