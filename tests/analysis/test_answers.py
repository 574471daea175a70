"""Scores over different test examples never stand in one row, nor in one column without a mark; a
control is never the score.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lingprobe
from fixtures.results import result, saying
from fixtures.scored import render, to_frame
from fixtures.scored import to_scores as rows
from fixtures.views import classes_table, layers_page
from lingprobe.analysis import answers
from lingprobe.analysis.answers import _SIGNS, mark_test_sets
from lingprobe.analysis.statistics import ExampleMarks
from lingprobe.data._logits import ProbeLogits
from lingprobe.data.core import Result
from lingprobe.inside.units.views import ATTENTION_VIEW
from lingprobe.pages import plots
from lingprobe.pages.bits_view import BITS_VIEW
from lingprobe.pages.breakdown import compute_stratum_rows, strata_table
from lingprobe.pages.curve_view import make_curve_view
from lingprobe.pages.layer_view import LAYER_VIEW
from lingprobe.pages.scores import tabulate_scores
from lingprobe.pages.views import ViewArguments
from lingprobe.suites.facts import (
    CellResults,
    PaperBlock,
    PaperRow,
    PaperTable,
    PrintedNumber,
    ScorePlace,
)
from lingprobe.suites.page import tabulate_paper


def over(tested: str | None, correct: float = 0.75, n: int = 200, **trial: object) -> Result:
    """A result over the test examples that a digest stands for, each tagged."""
    from lingprobe.data.core import Tags

    made = result(correct, n, **trial)
    tags = Tags(made.gold.matrix() % 2, ("near", "far"))
    return replace(
        made,
        provenance=made.provenance.plain() | ({"tested": tested} if tested else {}),
        strata={"distance": tags},
    )


def digest(results: list[Result]) -> str:
    return answers.digest_test_set(map(answers.RunPredictions.of, results))


def folds(encoder: str, *numbers: int, seed: int = 0, of: int = 3) -> list[Result]:
    return [
        over(
            f"t{k}", n=100 + 4 * k, task=f"ud/obj-num:EWT,fold={k}/{of}", encoder=encoder, seed=seed
        )
        for k in numbers
    ]


STOPPED = [*folds("length", 1, 2, 3), *folds("bow:random", 1, 2, 3), *folds("hf:bert", 1, 2)]


def test_a_stopped_run_says_what_is_missing_and_is_marked():
    by_encoder = {row.encoder: row for row in rows(STOPPED)}
    assert (by_encoder["hf:bert"].missing, by_encoder["hf:bert"].n) == ("fold 3 of 3", 212)
    assert by_encoder["length"].missing == ""
    table = tabulate_scores(rows(STOPPED))
    shown = {cells[0]: cells[2] for cells in table.sections[0].rows}
    assert shown == {"length": "75.0", "bow:random": "75.0", "hf:bert": "75.0*"}
    assert table.sections[0].line.endswith("? 3 folds.")
    assert any(
        "212 test examples, which differ" in note and "fold 3 of 3 missing" in note
        for note in table.notes
    )
    assert "fold 3 of 3" in render(STOPPED, "csv")


def test_whole_rows_are_those_that_parts_are_marked_against_however_many_parts_there_are():
    parts = [*folds("length", 1, 2), *folds("bow:random", 1, 2), *folds("hf:bert", 1, 2, 3)]
    shown = {cells[0]: cells[2] for cells in tabulate_scores(rows(parts)).sections[0].rows}
    assert shown == {"length": "75.0*", "bow:random": "75.0*", "hf:bert": "75.0"}
    alone = tabulate_scores(rows(folds("length", 2)))
    assert any("folds 1, 3 of 3 are missing" in note for note in alone.notes)


def test_seeds_of_other_folds_are_no_repeats():
    mixed = [*folds("length", 1, 2), *folds("length", 2, 3, seed=1), *folds("length", 1, 2, seed=2)]
    (row,) = rows(mixed)
    assert (row.seeds, row.left_out, row.missing) == (2, 1, "fold 3 of 3")
    assert any(
        "1 fit was excluded, over different test examples" in note
        for note in tabulate_scores([row]).notes
    )


def test_seeds_over_other_examples_are_no_repeats_though_they_are_as_many():
    (row,) = rows([over("a"), over("b", seed=1), over("b", seed=2)])
    assert (row.seeds, row.left_out) == (2, 1)


DIFFERENT = [
    over("a", encoder="length"),
    over("a", encoder="random"),
    over("b", encoder="hf:bert"),
    over("c", n=150, encoder="st:x"),
]


def entries(results):
    return [CellResults(ScorePlace(0, "ud/*:EWT", "other data"), "", (r,)) for r in results]


def suite_table(results):
    paper = PaperTable(
        "A paper",
        ("Tense",),
        (PaperBlock("", (PaperRow("BERT", (PrintedNumber(80.0, "80.0"),), "p"),)),),
    )
    return tabulate_paper(paper, entries(results))


VIEWS = {
    "scores": lambda results: tabulate_scores(rows(results)),
    "strata": lambda results: strata_table(
        compute_stratum_rows(to_frame(results), "distance"), "distance"
    ),
    "suite": suite_table,
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_scores_over_other_examples_are_marked_in_every_table(view):
    table = view(DIFFERENT)
    cells = [cell for section in table.sections for row in section.rows for cell in row]
    assert any(cell.endswith("*") for cell in cells)
    assert any(cell.endswith("†") for cell in cells)
    assert (
        sum(
            note.startswith(("*", "†")) and "do not compare the two" in note for note in table.notes
        )
        >= 2
    )
    plain = view([saying(r, tested="a") for r in DIFFERENT[:3]])
    assert not any(
        sign in cell
        for section in plain.sections
        for row in section.rows
        for cell in row
        for sign in _SIGNS
    )


def test_what_vectors_tell_in_bits_is_marked_too():
    even = np.zeros((200, 2), np.float32)
    logits = ProbeLogits.of(even, "softmax", over("x").gold, np.arange(200))
    rows_ = [
        replace(over(tested, encoder=e), scores=logits)
        for e, tested in (("a", "x"), ("b", "x"), ("c", "y"))
    ]
    (table,) = BITS_VIEW(rows_, ViewArguments()).tables
    assert [row[5][-1] for row in table.sections[0].rows] == ["0", "0", "*"]
    assert any("do not compare the two" in note for note in table.notes)


def test_whatever_lays_out_scores_marks_them():
    """A module of reports that makes tables marks scores over different test examples, or says here why
    it has none.
    """
    without = {
        "audit": "a data set, and no scores",
    }
    scoreless = {
        "status.py": "what is done of a run, and no scores",
        "audit_page.py": "labels of a parser and gold labels, and no scores",
        "pages.py": "differences over the same test examples, each with its n",
        "survey_page.py": "which treebanks answer which questions, and no scores of encoders",
        "questions.py": "questions and encoders of the page, before any score",
        "effect_pages.py": "each block over its own test examples, each line with its n",
        "reserve.py": "means over sets, each draw over its own test examples",
        "view_page.py": "rows of views, which are marked by their statistics",
        "significance.py": "published scores, each block over its own test examples",
        **{
            file.name: "correlations over encoders, each with its n"
            for file in (Path(lingprobe.__file__).parent / "pages").glob("relat*.py")
        },
    }
    texts = {
        file: file.read_text("utf-8") for file in Path(lingprobe.__file__).parent.rglob("*.py")
    }
    makers = [
        file
        for file, text in texts.items()
        if "lingprobe.tables.table import" in text and "return Table(" in text
    ]
    assert {"pages", "suites", *without} <= {file.parent.name for file in makers}
    for file in makers:
        if file.parent.name not in without and file.name not in scoreless:
            marks = re.search(
                r"\b(describe_differences|test_notes|describe_scores|explain_mismatch)\(",
                texts[file],
            )
            assert marks, f"{file.name} makes a table and marks nothing in it (analysis/answers.py)"


@pytest.mark.parametrize(
    "view", [LAYER_VIEW, make_curve_view(), ATTENTION_VIEW, BITS_VIEW], ids=lambda view: view.name
)
def test_views_of_scores_below_each_other_mark_them(view):
    assert any(isinstance(each, ExampleMarks) for each in view.statistics)


def test_layers_over_other_examples_are_marked():
    overview, by_layer = layers_page(
        [
            over("a", read="0", encoder="hf:b"),
            over("a", read="1", encoder="hf:b"),
            over("b", read="2", encoder="hf:b"),
        ]
    ).tables
    (section,) = by_layer.sections
    assert [row[1] for row in section.rows] == ["75.0", "75.0", "75.0*"]
    assert any("do not compare the two" in note for note in overview.notes)


def test_figures_say_it_below():
    page = layers_page([over("a", read="0", encoder="hf:b"), over("b", read="1", encoder="hf:b")])
    for figure in (
        plots.strata_figure(compute_stratum_rows(to_frame(DIFFERENT), "distance"), "distance"),
        page.figure(),
    ):
        assert "do not compare the two" in figure.get_supxlabel().replace("\n", " ")


def test_counts_by_class_say_what_is_missing():
    assert any("fold 3 of 3" in note for note in classes_table(STOPPED).notes)


def test_a_control_over_other_examples_is_marked():
    table = tabulate_scores(
        rows([over("a"), over("a", control="shuffled"), over("b", n=180, control="word-labels")])
    )
    ((cells,),) = [section.rows for section in table.sections]
    beside = dict(zip(table.columns, cells, strict=True))
    assert (beside["score"], beside["shuffled"], beside["word-labels"]) == ("75.0", "75.0", "75.0*")


def test_a_control_is_never_the_score():
    table = tabulate_scores(
        rows([over("a", 0.5, control="shuffled", encoder="length"), over("a", 0.9, encoder="hf:b")])
    )
    by_encoder = {
        row[0]: dict(zip(table.columns, row, strict=True)) for row in table.sections[0].rows
    }
    assert by_encoder["length"]["score"] == "–"
    assert by_encoder["length"]["shuffled"] == "50.0"
    alone = tabulate_scores(rows([over("a", 0.5, control="shuffled")]))
    assert dict(zip(alone.columns, alone.sections[0].rows[0], strict=True)) | {"n": ""} == {
        "encoder": "length", "probe": "mlp", "score": "–", "95 % interval": "– – –",
        "majority": "50.0", "shuffled": "50.0", "n": "",
    }  # fmt: skip
    strata = strata_table(
        compute_stratum_rows(to_frame([over("a", 0.5, control="shuffled")]), "distance"), "distance"
    )
    assert {row[3] for row in strata.sections[0].rows} == {"–"}


def test_results_that_kept_no_digest_are_told_apart_by_their_number():
    assert mark_test_sets(
        rows([over(None), over("a", encoder="x"), over(None, n=150, encoder="y")])
    ) == [
        "",
        "",
        "*",
    ]


def test_there_are_signs_enough():
    many = [over(str(i), encoder=f"e{i}") for i in range(13)]
    assert len(set(mark_test_sets(rows(many)))) == 13


def test_rows_of_unlike_many_seeds_say_how_many():
    table = tabulate_scores(rows([over("a"), over("a", seed=1), over("a", encoder="random")]))
    assert [
        dict(zip(table.columns, row, strict=True))["seeds"] for row in table.sections[0].rows
    ] == ["2", "1"]
    assert "seeds" not in tabulate_scores(rows([over("a"), over("a", encoder="random")])).columns


def test_examples_of_folds_have_one_digest_in_any_order_where_each_has_one():
    made = folds("length", 1, 2)
    assert re.fullmatch("[0-9a-f]{16}", digest(made))
    assert digest(made) == digest(made[::-1]) != digest(made[:1])
    assert digest([*made, over(None)]) == ""
