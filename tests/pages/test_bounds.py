"""Baselines stand first, oracles last and below a rule; what oracles hold is said, and where one
does not pass.
"""

from __future__ import annotations

import pytest

from fixtures.papers import PAPER, entry
from fixtures.results import result, saying
from sonde.analysis.rows import rows
from sonde.core import Result
from sonde.pages import render, scores
from sonde.pages.bounds import PASSED
from sonde.papers.page import inside
from sonde.tables.terminal import terminal

HOLDS = "features of the main predicate"


def of(kind: str, correct: float, encoder: str, **trial: object) -> Result:
    found = result(correct, encoder=encoder, **trial)
    held = {"oracle": HOLDS} if kind == "oracle" else {}
    return saying(found, kind=kind, **held)


def table(oracle: float = 1.0, **trial: object) -> list[Result]:
    return [
        of("oracle", oracle, "gold:clause", **trial),
        of("trained", 0.7, "hf:m", **trial),
        of("baseline", 0.6, "length", **trial),
    ]


def test_rows_stand_between_what_is_trivial_and_what_is_possible():
    (section,) = scores(rows(table())).sections
    assert [row[0] for row in section.rows] == ["length", "hf:m", "gold:clause"]
    assert section.rules == {1, 2}


def test_what_was_asked_for_alone_has_no_rule_and_no_line_on_bounds():
    shown = scores(rows([of("trained", 0.7, "hf:m"), of("trained", 0.8, "hf:n")]))
    assert shown.sections[0].rules == frozenset()
    assert not any("racle" in note for note in shown.notes)


@pytest.mark.parametrize(
    ("style", "rule"), [("markdown", "| — |"), ("latex", "\\cmidrule"), ("html", '<tr class="r">')]
)
def test_every_page_draws_the_rules(style, rule):
    assert render(table(), style).count(rule) == 2


def test_the_terminal_draws_a_thin_rule_above_each_kind():
    lines = terminal(scores(rows(table()))).splitlines()
    thin = [i for i, line in enumerate(lines) if line and set(line) == {"╌"}]
    assert [lines[i + 1].split()[0] for i in thin] == ["hf:m", "gold:clause"]


def test_a_table_says_what_its_oracles_hold():
    assert f"gold:clause: {HOLDS}." in scores(rows(table())).notes


@pytest.mark.parametrize(("score", "said"), [(PASSED / 100, False), (PASSED / 100 - 0.01, True)])
def test_an_oracle_that_does_not_pass_is_named(score, said):
    found = [
        note
        for note in scores(rows(table(score))).notes
        if "a lower score says nothing about an encoder" in note
    ]
    assert bool(found) is said
    assert all(
        note.startswith("ud/tense:EWT: read by mlp, its oracle scores 94.0") for note in found
    )


def test_one_oracle_that_passes_is_enough_and_its_controls_are_no_failures():
    better = [
        of("oracle", 0.98, "gold:features"),
        of("oracle", 0.5, "gold:clause", control="shuffled"),
    ]
    assert not any("says nothing" in note for note in scores(rows([*table(0.6), *better])).notes)


def own(kind: str, encoder: str, column: int):
    found = entry(column, encoder=encoder)
    (made,) = found.results
    return found._replace(results=(saying(made, kind=kind),))


def test_the_oracles_of_a_paper_s_tasks_are_one_row_the_last_and_not_ranked():
    entries = [
        own("oracle", "gold:clause", 0),
        own("trained", "hf:x", 0),
        own("oracle", "gold:depths", 1),
    ]
    shown = inside(PAPER, entries)
    rows_ = shown.sections[-1].rows
    labels = [row[0] for row in rows_ if row[0].startswith("▸")]
    assert labels == ["▸ hf:x", "▸ oracle"]
    (oracle,) = [i for i, row in enumerate(rows_) if row[0] == "▸ oracle"]
    assert rows_[oracle][1:] == ("85.0", "85.0")
    assert shown.sections[-1].rules == {oracle}
    assert any("not ranked" in note for note in shown.notes)
