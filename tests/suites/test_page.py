"""Rows of one's own in a paper's table: ranked among its figures on the published data, below a
rule on other data.
"""

from __future__ import annotations

import csv
import io
import re

import pytest

from fixtures.papers import PAPER, entry
from lingprobe.pages.records import format_csv as as_csv
from lingprobe.suites.facts import HumanScore, ScorePlace
from lingprobe.suites.page import PaperTableCell, list_paper_cells, tabulate_paper
from lingprobe.tables.formats import format_terminal_table
from lingprobe.tables.markup import format_latex, format_markdown


def test_without_results_the_table_is_the_paper_s():
    table = tabulate_paper(PAPER, [])
    assert [section.heading for section in table.sections] == ["Floors", "Encoders"]
    assert table.sections[0].rows == (("Length", "50.0", "95.0?"),)
    assert table.sections[1].rows[1] == ("Two", "90.0", "–")
    assert "? 95.0 is what is printed" in table.notes


def test_the_best_encoder_of_each_column_is_bold_and_no_floor_is():
    floors, encoders = tabulate_paper(PAPER, []).sections
    assert floors.strong == frozenset()
    assert encoders.strong == {(1, 1), (0, 2)}


def test_other_data_stand_below_a_rule_with_sizes_and_without_rank_or_bold():
    *paper, own = tabulate_paper(PAPER, [entry(correct=0.99)]).sections
    assert own.apart
    assert own.heading == "different data: ud/*:bank"
    assert own.line.endswith("other sentences.")
    assert own.strong == frozenset()
    assert own.rows[:2] == (("   n train", "1,000", "–"), ("   n test", "200", "–"))
    assert own.rows[2][0] == "▸ hf:x"
    assert not any("rank" in row[0] for row in own.rows)
    assert paper[1].strong == {(1, 1), (0, 2)}  # as if there were no other data


def test_on_the_published_data_a_row_is_ranked_and_may_be_the_best():
    *paper, own = tabulate_paper(PAPER, [entry(correct=0.99, published=True)]).sections
    assert not own.apart
    assert own.heading.startswith("measured here, on the published data")
    assert (2, 1) in own.strong
    assert (1, 1) not in paper[1].strong
    assert own.rows[-1] == ("   rank of 3", "1", "–")


def test_rows_of_fewer_seeds_say_of_how_many():
    from dataclasses import replace

    one, other = entry(), entry(encoder="hf:y")
    twice = other._replace(
        results=(
            *other.results,
            *(replace(r, trial=replace(r.trial, seed=1)) for r in other.results),
        )
    )
    labels = [row[0] for row in tabulate_paper(PAPER, [one, twice]).sections[-1].rows]
    assert [label for label in labels if label.startswith("▸")] == ["▸ hf:x (1 seed)", "▸ hf:y"]
    assert "▸ hf:x" in [row[0] for row in tabulate_paper(PAPER, [one]).sections[-1].rows]


def test_a_rank_is_the_range_that_the_interval_allows():
    *_, own = tabulate_paper(PAPER, [entry(correct=0.88, published=True)]).sections
    assert own.rows[-1][1] == "1–2"


def test_every_score_has_the_wider_side_of_its_interval_below():
    people = HumanScore(ScorePlace(1, "ud/*:bank", "other sentences"), 99.0, 96.0, 99.5, 150)
    *_, own = tabulate_paper(PAPER, [entry(correct=0.85)], [people]).sections
    assert own.rows[4][1:] == ("", "3.0")
    *_, own = tabulate_paper(PAPER, [entry(correct=0.85), entry(1, 0.5)]).sections
    label, *halves = own.rows[3]
    assert label.strip() == "± 95 %"
    assert [float(half) for half in halves] == [5.0, 5.0]


def test_floors_are_not_ranked_and_people_stand_above_them():
    people = HumanScore(ScorePlace(0, "ud/*:bank"), 97.0, 95.0, 98.5, 150)
    *_, own = tabulate_paper(
        PAPER, [entry(correct=0.99, published=True, floor="Length")], [people]
    ).sections
    assert [row[0].strip() for row in own.rows] == [
        "n train",
        "n test",
        "n judged",
        "▸ people",
        "± 95 %",
        "▸ Length",
        "± 95 %",
    ]
    assert own.rows[2] == ("   n judged", "150", "–")
    assert own.strong == frozenset()


def test_published_data_and_others_are_kept_apart():
    table = tabulate_paper(PAPER, [entry(data="ud/*:other"), entry(published=True)], others=3)
    assert [section.apart for section in table.sections] == [False, False, False, True]
    assert any(note.endswith("excluded: 3.") for note in table.notes)


@pytest.mark.parametrize("form", [format_terminal_table, format_markdown, format_latex])
def test_every_format_shows_both_and_what_lies_between(form):
    text = form(tabulate_paper(PAPER, [entry()]))
    assert text.index("Floors") < text.index("different data: ud/") < text.index("hf:x")
    assert {
        format_terminal_table: "━━━",
        format_markdown: "\n---\n",
        format_latex: "\\midrule\n\\midrule\n",
    }[form] in text


def test_bold_survives_in_pages():
    assert "**90.0**" in format_markdown(tabulate_paper(PAPER, []))
    assert r"\textbf{90.0}" in format_latex(tabulate_paper(PAPER, []))


def test_programs_get_every_figure_with_its_source():
    people = HumanScore(ScorePlace(0, "ud/*:bank", "other sentences"), 97.0, 95.0, 98.5, 150)
    items = list(
        csv.DictReader(io.StringIO(as_csv(list_paper_cells("paper", PAPER, [entry()], [people]))))
    )
    assert [row["kind"] for row in items] == ["published"] * 6 + ["measured", "people"]
    assert items[0]["source"] == "A paper, Table 1, Floors, Length"
    assert (items[6]["data"], items[6]["row"], items[6]["column"], items[6]["n"]) == (
        "different data",
        "hf:x",
        "Tense",
        "200",
    )
    assert float(items[6]["low"]) < float(items[6]["score"]) < float(items[6]["high"])
    assert set(items[0]) == set(PaperTableCell.__slots__)


@pytest.mark.parametrize("width", [24, 40, 60, 200])
def test_in_a_narrow_terminal_columns_follow_below_and_no_figure_is_cut(width):
    text = format_terminal_table(
        tabulate_paper(PAPER, [entry(published=True), entry(1, published=True)]), width
    )
    assert max(map(len, text.splitlines())) <= width
    for cell in ("95.0?", "90.0", "80.0", "▸ hf:x", "Depth", "85.0"):
        assert cell in text
    assert text.count("Encoders") == (2 if width == 24 else 1)


def test_sentences_of_notes_begin_with_a_capital():
    notes = tabulate_paper(PAPER, [entry()]).notes
    assert any("for this training set" in note for note in notes)
    assert not [note for note in notes if re.search(r"[a-z]\. [a-z]", note)]
