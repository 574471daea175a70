"""Results become rows over seeds and folds, and rows become pages that show every name as it is."""

import csv
import io
import json
import math
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

from fixtures.results import NAMES, result, saying
from fixtures.scored import page, render, write
from fixtures.scored import to_scores as rows
from fixtures.views import classes_table
from lingprobe.data.core import Result
from lingprobe.data.labels import Classes, ScoreLabels, join_columns
from lingprobe.experiment.newest import keep_newest
from lingprobe.pages.score_pages import _FORMATS
from lingprobe.pages.scores import tabulate_scores
from lingprobe.tables.formats import format_terminal_table
from lingprobe.tables.markup import format_latex, format_markdown
from lingprobe.tables.table import Table, TableSection


def test_seeds_become_one_row_with_their_mean():
    (row,) = rows([result(0.7, seed=0), result(0.8, seed=1)])
    assert row.score == pytest.approx(75)
    assert row.low < 75 < row.high
    assert (row.seeds, row.folds, row.n, row.majority) == (2, 1, 200, 50)


def test_folds_are_put_together_and_leave_the_name():
    (row,) = rows(
        [
            result(0.7, 100, task="ud/tense:EWT,fold=1/2"),
            result(0.9, 300, task="ud/tense:EWT,fold=2/2"),
        ]
    )
    assert row.task == "ud/tense:EWT"
    assert (row.folds, row.n) == (2, 400)
    assert row.score == pytest.approx(85)
    assert any("too narrow" in note for note in tabulate_scores([row]).notes)
    assert not any("too narrow" in note for note in tabulate_scores(rows([result()])).notes)


def test_what_was_measured_twice_counts_once_as_it_was_measured_last():
    old = saying(result(0.6), date="2026-01-01T00:00:00+00:00")
    new = saying(result(0.8), date="2026-01-02T00:00:00+00:00")
    (row,) = rows(keep_newest([new, old]))
    assert (row.n, row.score) == (200, pytest.approx(80))
    assert [r.trial.seed for r in keep_newest([result(seed=1), result(seed=0)])] == [0, 1]


@pytest.mark.parametrize("nested", [False, True])
def test_seeds_and_folds_of_older_data_or_code_are_not_averaged_with_newer_ones(nested):
    def made(state: str, date: str, task: str, seed: int = 0) -> Result:
        identity = json.dumps([task, state, ""])
        known = {task: json.dumps([identity, task]) if nested else identity}
        return saying(result(task=task, seed=seed), date=date, identities=known)

    old = [
        made("old", "2026-01-01", f'ud/tense:"EWT",fold={k}/5', seed)
        for k in range(1, 6)
        for seed in (0, 1)
    ]
    new = [made("new", "2026-01-02", f'ud/tense:"EWT",fold={k}/2') for k in (1, 2)]
    assert keep_newest([*new, *old]) == new
    assert len(keep_newest(old)) == 10


def test_a_seed_that_misses_a_fold_is_left_out():
    results = [result(0.7, task="ud/tense:EWT,fold=1/2"), result(0.7, task="ud/tense:EWT,fold=2/2")]
    (row,) = rows([*results, result(0.1, task="ud/tense:EWT,fold=1/2", seed=1)])
    assert (row.seeds, row.score) == (1, pytest.approx(70))


@pytest.mark.parametrize("key", ["task", "encoder", "read", "probe", "control"])
def test_what_differs_stays_apart(key):
    assert len(rows([result(), result(**{key: "random"})])) == 2


def test_joined_columns_agree_on_names():
    whole = join_columns([Classes(np.array([0]), ("b", "a")), Classes(np.array([0]), ("a", "b"))])
    assert [whole.names[i] for i in whole.matrix()] == ["b", "a"]
    assert join_columns(
        [ScoreLabels(np.array([1.0])), ScoreLabels(np.array([2.0]))]
    ).matrix().tolist() == [
        [1],
        [2],
    ]


def test_controls_stand_beside_scores():
    table = tabulate_scores(rows([result(0.9), result(0.52, control="shuffled")]))
    assert table.columns == (
        "encoder",
        "probe",
        "score",
        "95 % interval",
        "majority",
        "shuffled",
        "n",
    )
    ((cells,),) = [section.rows for section in table.sections]
    assert cells[2] == "90.0"
    assert cells[5] == "52.0"


def test_the_best_rule_of_thumb_stands_above_the_scores():
    rules = {"nearest noun": 0.501, "first noun": 0.584}
    found = saying(result(task="comp/sem-role"), notes={"rules": rules})
    (row,) = rows([found])
    assert (row.rule, row.ruled) == ("first noun", pytest.approx(58.4))
    assert (
        tabulate_scores([row]).sections[0].line.endswith("? Best rule of thumb: first noun, 58.4.")
    )
    assert "rule" not in tabulate_scores(rows([result()])).sections[0].line


def test_floors_come_first():
    table = tabulate_scores(rows([result(encoder="hf:bert"), result(encoder="length")]))
    assert [row[0] for row in table.sections[0].rows] == ["length", "hf:bert"]


def test_csv_has_the_promised_columns():
    (row,) = csv.DictReader(io.StringIO(render([result(0.7, seed=s) for s in range(3)], "csv")))
    assert {
        "task",
        "encoder",
        "probe",
        "control",
        "layer",
        "score",
        "low",
        "high",
        "n",
        "majority",
    } <= set(row)
    assert float(row["score"]) == pytest.approx(70)
    assert row["seeds"] == "3"


def test_parquet_holds_what_csv_holds(tmp_path):
    write([result()], "parquet", tmp_path / "deep" / "scores.parquet")
    (row,) = pq.read_table(tmp_path / "deep" / "scores.parquet").to_pylist()
    (line,) = csv.DictReader(io.StringIO(render([result()], "csv")))
    assert list(row) == list(line)
    assert row["score"] == pytest.approx(float(line["score"]))


@pytest.mark.parametrize("form", [f for f in _FORMATS if f != "parquet"])
def test_no_format_loses_a_name(form):
    name = "hf:org/a_very_long_name_of_a_model_that_no_table_should_ever_cut_into_pieces_however_narrow"
    assert name.replace("_", r"\_") in render([result(encoder=name)], form) or name in render(
        [result(encoder=name)], form
    )


def test_an_unknown_format_is_named():
    with pytest.raises(ValueError, match="no format 'pdf' here: choose one of terminal"):
        render([result()], "pdf")


NASTY = r"a|b_c*d<i>&%$#{}~^\[x]`" + "\x1b[31mred"


def test_pages_show_names_as_they_are():
    table = Table(
        ("encoder",),
        (TableSection(NASTY, ((NASTY,),), NASTY),),
        frozenset({"encoder"}),
        (NASTY,),
        NASTY,
    )
    md = format_markdown(table)
    assert r"a\|b\_c\*d\<i\>" in md
    assert all(
        line.count("|") - line.count(r"\|") == 2 for line in md.splitlines() if line.startswith("|")
    )
    tex = format_latex(table)
    assert r"a\textbar{}b\_c*d\textless{}i\textgreater{}\&\%\$\#\{\}" in tex
    assert r"\textasciitilde{}\textasciicircum{}\textbackslash{}[x]" in tex
    assert "\x1b" not in md + tex + format_terminal_table(table)
    assert "[x]" in format_terminal_table(table)  # not read as a colour


def test_a_narrow_terminal_folds_words_and_keeps_every_letter():
    table = Table(
        ("encoder", "score"),
        (TableSection("", (("abcdefghij" * 8, "12.3"),)),),
        frozenset({"encoder"}),
    )
    text = format_terminal_table(table, 40)
    assert max(map(len, text.splitlines())) <= 40
    assert text.count("j") == 8
    assert "12.3" in text


def test_counts_by_class_add_up():
    (section,) = classes_table([result(0.75, 200), result(0.75, 200, seed=1)]).sections
    assert [row[0] for row in section.rows] == list(NAMES)
    assert sum(int(row[1]) for row in section.rows) == 400
    assert sum(int(row[2]) for row in section.rows) == 300
    assert sum(int(row[4]) for row in section.rows) == 100


def test_what_each_fold_counts_is_told_once():
    lost = [
        saying(result(task=f"table:a.csv,fold={k}/2"), counts={"train": 9, "unusable": 7})
        for k in (1, 2)
    ]
    text = render(lost, "terminal")
    assert "7 examples were excluded: not encoded." in text


def test_what_could_not_be_used_is_shown():
    counts = {"unusable": 7, "cut": 1, "unseen": 2, "beyond": 3, "unaligned": 1, "partial": 4}
    left_out = {
        "beyond": {"train": {"x": 1}, "test": {"y": 2}},
        "unaligned": {"dev": {"": 1}},
    }
    notes = {
        "source": {"skipped": 2},
        "problems": ["edges.jsonl:4: not JSON", "edges.jsonl:7: not JSON"],
    }
    lost = saying(result(), counts={"train": 1000, **counts, "left out": left_out}, notes=notes)
    text = format_terminal_table(page([lost]))
    assert "7 examples were excluded: not encoded" in text
    assert "1 sentence was cut" in text
    assert (
        "3 examples were excluded: about words truncated at the encoder's maximum length (train: 1"
        " x; test: 2 y)." in text
    )
    assert "1 example was excluded: about words without a vector (dev: 1)." in text
    assert "4 examples were read in part" in text
    assert (
        "2 sentences could not be read and were skipped; the first: edges.jsonl:4: not JSON."
        in text
    )
    assert "2 test examples were of a class that is not in train" in text


def test_a_score_that_cannot_be_computed_is_a_dash():
    copy = replace(result(), score=math.nan)
    assert "–" in render([copy], "terminal")


@pytest.mark.parametrize("name", ["=cmd()", "+1", "-x", "@sum", "\t=1"])
def test_csv_has_no_cell_that_a_spreadsheet_would_compute(name):
    (row,) = csv.DictReader(io.StringIO(render([result(encoder=name, read="-")], "csv")))
    assert row["encoder"] == f" {name}".replace(" \t", " ")
    assert row["layer"] == "-"


@pytest.mark.parametrize("form", [f for f in _FORMATS if f != "parquet"])
def test_half_characters_in_names_spoil_no_report(form, tmp_path):
    """A file whose name is not UTF-8 has such a name."""
    results = [result(task="table:caf\udce9.tsv", encoder="npz:caf\udce9.npz")]
    write(results, form, tmp_path / "report")
    assert "caf" in "".join(
        p.read_text("utf-8")
        for p in [tmp_path / "report", *tmp_path.rglob("*.json")]
        if p.is_file()
    )


def test_half_characters_in_names_spoil_no_parquet(tmp_path):
    write([result(encoder="npz:caf\udce9.npz")], "parquet", tmp_path / "a.parquet")
    assert pq.read_table(tmp_path / "a.parquet").column("encoder").to_pylist() == [
        "npz:caf\\udce9.npz"
    ]
