"""Rows and columns called otherwise, in tables and figures; minus signs; captions that say what
bold means.
"""

from types import SimpleNamespace

import numpy as np
import pytest

import lingprobe
from lingprobe.cli.options import rename_page
from lingprobe.data.errors import UsageProblem
from lingprobe.tables.drawing import render_svg
from lingprobe.tables.fitting import fit_table
from lingprobe.tables.markup import escape_latex, format_latex
from lingprobe.tables.table import Table, TableSection, rename_table, rename_text

VERBS = ("is", "was", "has", "had", "are", "were", "do", "did", "does")
NAMES = {"st:bert": "BERT", "st:bert,weights=random": "untrained", "tense": "Tense"}


@pytest.mark.parametrize(
    ("text", "renamed"),
    [
        ("st:bert", "BERT"),
        ("st:bert,weights=random", "untrained"),
        ("st:bert, layer 3", "BERT, layer 3"),
        ("st:bert-large", "st:bert-large"),
        ("best:bert", "best:bert"),
        ("hf:me/st:bert", "hf:me/st:bert"),
        ("past-tense", "past-tense"),
        ("st:bert − st:bert,weights=random on tense", "BERT − untrained on Tense"),
    ],
)
def test_whole_names_are_replaced_the_longest_first(text, renamed):
    assert rename_text(text, NAMES) == renamed


def test_a_name_is_replaced_wherever_it_stands():
    section = TableSection("tense", (("st:bert", "1.0"),), "of tense")
    table = Table(
        ("encoder", "tense"),
        (section,),
        frozenset({"encoder"}),
        notes=("st:bert: cut",),
        title="tense",
        lead=("st:bert is",),
        groups=("", "tense"),
        caption="tense",
    )
    renamed = rename_table(table, NAMES)
    assert "tense" not in str(renamed)
    assert "st:bert" not in str(renamed)
    assert renamed.sections[0].rows == (("BERT", "1.0"),)
    head = rename_table(table, {"encoder": "model"})
    assert head.columns == ("model", "tense")
    assert head.words == {"model"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("-1.5 – -0.2", "$-$1.5 -- $-$0.2"),
        ("+3.0 (-1.0 to 7.0)", "+3.0 ($-$1.0 to 7.0)"),
        ("[-1.0, 2.0]", "[$-$1.0, 2.0]"),
        ("MiniLM-L6-v2", "MiniLM-L6-v2"),
        ("seed=-1", "seed=-1"),
        ("-", "-"),
    ],
)
def test_a_hyphen_before_a_number_is_a_minus_sign(text, shown):
    assert escape_latex(text) == shown


@pytest.fixture(scope="module")
def evaluation():
    encoders = ["length", "bow:random"]
    return lingprobe.evaluate(encoders, "ud/tense:embedded", probes="logreg", seeds=1, limit=300)


def given(*rename):
    return SimpleNamespace(rename=rename)


def test_a_page_and_its_figure_are_renamed(evaluation):
    page = rename_page(evaluation.report(), given("bow:random=Bag of words", "score=accuracy"))
    assert "Bag of words" in page.text()
    assert "bow:random" not in page.text("latex")
    assert "accuracy" in page.text("latex", width="column")
    assert "bow:random" in page.text("csv")
    assert "Bag of words" in render_svg(page.figure)
    assert "bow:random" in render_svg(evaluation.report().figure)


@pytest.mark.parametrize("rename", ["bag=Bag", "=Bag", "bow:random=", "Bag"])
def test_what_renames_nothing_is_an_error(evaluation, rename):
    with pytest.raises(UsageProblem, match=r"copy a name|write NAME=OTHER"):
        rename_page(evaluation.report(), given(rename)).text()


def test_the_page_for_browsers_is_not_renamed_in_silence(evaluation):
    with pytest.raises(UsageProblem, match="HTML"):
        evaluation.report().rename({"bow:random": "Bag"}).text("html")


def test_a_table_of_one_task_and_differences_are_floats_with_captions(evaluation):
    for page, label in (
        (evaluation.report(), "tab:lingprobe"),
        (evaluation.compare("length", encoders="bow:random").page, "tab:lingprobe-differences"),
    ):
        for text in (page.text("latex"), page.text("latex", width="column")):
            assert text.count(r"\caption{") == 1
            assert rf"\label{{{label}}}" in text
    assert "corrected (Bonferroni) for 1 comparison" in page.text("latex")


def test_bold_of_one_task_has_a_legend():
    encoders = {
        "worse": lambda texts: np.array([[len(text) % 2] for text in texts], np.float32),
        "better": lambda texts: np.array(
            [[f" {v} " in t for v in VERBS] for t in texts], np.float32
        ),
    }
    results = lingprobe.evaluate(
        encoders,
        "ud/tense:embedded",
        probes="logreg",
        seeds=1,
        limit=4000,
        baselines="none",
    )
    text = results.report().text("latex")
    assert r"& \textbf{" in text
    (row,) = (line for line in text.splitlines() if r"& \textbf{" in line)
    assert row.startswith("better")
    assert "Bold: the best encoder on each task" in text.partition(r"\caption{")[2]


def test_a_group_that_is_wider_than_its_columns_is_not_broken():
    rows = (("a", "50.0"), ("b", "51.0"))
    table = Table(
        ("encoder", "tense"),
        (TableSection("", rows),),
        frozenset({"encoder"}),
        groups=("", "Indonesian"),
    )
    assert "& \\multicolumn{1}{c}{Indonesian}" in fit_table(table, 3.03)
    assert "Indonesian" in format_latex(table)
