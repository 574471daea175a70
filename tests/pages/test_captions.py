"""What stands above and below a table: what is asked, baselines first and oracles last, remarks on
sources that are odd or differ.
"""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from fixtures.papers import PAPER, entry
from fixtures.results import result, saying
from fixtures.scored import render
from fixtures.scored import to_scores as rows
from lingprobe.analysis.questions import PosedQuestion
from lingprobe.data.core import Result, Tags, Trial
from lingprobe.data.labels import Classes
from lingprobe.data.references import Reference
from lingprobe.pages.captions import label_encoders, name_encoders
from lingprobe.pages.scores import tabulate_scores
from lingprobe.suites.page import tabulate_paper
from lingprobe.tables.formats import format_terminal_table


def test_an_address_is_shown_as_it_was_typed():
    typed = "api:http://127.0.0.1:8000/v1,model=tiny"
    assert name_encoders([str(Reference.parse(typed))])[str(Reference.parse(typed))] == typed
    assert label_encoders([str(Reference.parse(typed))])[str(Reference.parse(typed))] == typed


HOLDS = "features of the main predicate"


def of(kind: str, correct: float, encoder: str, **trial: object) -> Result:
    results = result(correct, encoder=encoder, **trial)
    held = {"oracle": HOLDS} if kind == "oracle" else {}
    return saying(results, kind=kind, **held)


def table(oracle: float = 1.0, **trial: object) -> list[Result]:
    return [
        of("oracle", oracle, "gold:clause", **trial),
        of("trained", 0.7, "hf:m", **trial),
        of("baseline", 0.6, "length", **trial),
    ]


def test_rows_stand_between_what_is_trivial_and_what_is_possible():
    (section,) = tabulate_scores(rows(table())).sections
    assert [row[0] for row in section.rows] == ["length", "hf:m", "gold:clause"]
    assert section.rules == {1, 2}


def test_what_was_asked_for_alone_has_no_rule_and_no_line_on_bounds():
    shown = tabulate_scores(rows([of("trained", 0.7, "hf:m"), of("trained", 0.8, "hf:n")]))
    assert shown.sections[0].rules == frozenset()
    assert not any("racle" in note for note in shown.notes)


@pytest.mark.parametrize(
    ("style", "rule"),
    [("markdown", "| — |"), ("latex", "\\cmidrule"), ("html", "</tbody>\n<tbody>")],
)
def test_every_page_draws_the_rules(style, rule):
    assert render(table(), style).count(rule) >= 2


def test_the_terminal_draws_a_thin_rule_above_each_kind():
    lines = format_terminal_table(tabulate_scores(rows(table()))).splitlines()
    thin = [i for i, line in enumerate(lines) if line and set(line) == {"╌"}]
    assert [lines[i + 1].split()[0] for i in thin] == ["hf:m", "gold:clause"]


def test_a_table_says_what_its_oracles_hold():
    assert f"gold:clause: {HOLDS}." in tabulate_scores(rows(table())).notes


@pytest.mark.parametrize(
    ("score", "constant", "said"),
    [
        (0.95, 0.5, False),
        (0.94, 0.5, True),
        (0.96, 0.96, True),
        (0.98, 0.96, True),
        (1.0, 0.96, False),
    ],
)
def test_an_oracle_that_does_not_pass_is_named(score, constant, said):
    """Where one class is rare, a constant answer scores 95, too, and is no proof of anything."""
    made = [replace(each, majority=constant) for each in table(score)]
    found = [
        note
        for note in tabulate_scores(rows(made)).notes
        if "may be due to the probe or the data" in note
    ]
    assert bool(found) is said
    only = f"ud/tense:EWT: with mlp, the oracle scores only {100 * score:.1f}"
    assert all(note.startswith(only) for note in found)


def test_one_oracle_that_passes_is_enough_and_its_controls_are_no_failures():
    better = [
        of("oracle", 0.98, "gold:features"),
        of("oracle", 0.5, "gold:clause", control="shuffled"),
    ]
    assert not any(
        "may be due to" in note for note in tabulate_scores(rows([*table(0.6), *better])).notes
    )


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
    shown = tabulate_paper(PAPER, entries)
    rows_ = shown.sections[-1].rows
    labels = [row[0] for row in rows_ if row[0].startswith("▸")]
    assert labels == ["▸ hf:x", "▸ oracle"]
    (oracle,) = [i for i, row in enumerate(rows_) if row[0] == "▸ oracle"]
    assert rows_[oracle][1:] == ("85.0", "85.0")
    assert shown.sections[-1].rules == {oracle}
    assert any("not ranked" in note for note in shown.notes)


NAMES = ("pres", "past")


def sourced(task="ud/tense:A", n=10, train=100, names=NAMES, **notes):
    ids = np.arange(n) % len(names)
    gold = Classes(ids, names)
    provenance = {
        "counts": {"train": train, "words": 1000, "unknown": notes.pop("unknown", 0)},
        "notes": notes,
        "constants": {"one": [0]},
    }
    strata = {"construction": Tags(np.where(ids, np.arange(n) % 3 % 2, 0), ("simple", "perfect"))}
    return Result(
        Trial(task, "length", "-", "logreg", "none", 0),
        "accuracy",
        0.5,
        0.4,
        0.6,
        0.5,
        gold,
        gold,
        provenance,
        strata,
    )


def shown(*results):
    return render(list(results), "markdown")


def test_headings_say_how_many_classes_there_are():
    assert "ud/tense:A (2 classes)" in shown(sourced())
    few = sourced("ud/top-deps:A", names=("nsubj obj", "OTHER"), **{"classes of the question": 20})
    assert "ud/top-deps:A (2 of 20 classes)" in shown(few)
    assert PosedQuestion().size == ""


def test_what_classes_consist_of_stands_above_the_table():
    assert "Composition of classes: past: simple 60 %, perfect 40 %; pres: simple 100 %." in shown(
        sourced()
    )
    plain = replace(sourced(), strata={"construction": Tags(np.zeros(10, np.int64), ("simple",))})
    assert "Made of" not in shown(plain)
    assert "Made of" not in shown(replace(sourced(), strata={}))


def test_the_rule_of_one_word_stands_above_the_table():
    rule = {"rule": "past with 'jsem', else pres", "train": 0.98, "test": 0.979}
    assert "Best rule of one word: past with 'jsem', else pres, 97.9." in shown(
        sourced(**{"one word": rule})
    )


def test_what_holds_of_a_source_is_said_once():
    text = shown(
        *(
            sourced(f"ud/{name}:A", remarks=["3 raw strings are not made of the words"])
            for name in ("tense", "passive")
        )
    )
    assert text.count("3 raw strings") == 1
    assert "ud/tense:A, ud/passive:A: 3 raw strings are not made of the words." in text.replace(
        "\\_", "_"
    )


@pytest.mark.parametrize("low", [0.4, 0.5, 0.6])
def test_what_the_source_alone_answers_is_said_where_it_is_more_than_chance(low):
    found = ({"test": score, "low": low, "constant": 0.5} for score in (0.6, 0.8))
    folds = [
        sourced(f"ud/tense:A,fold={k}/2", **{"source alone": said})
        for k, said in enumerate(found, 1)
    ]
    remark = (
        "ud/tense:A: knowing only the source gives 70.0 % accuracy, the best constant 50.0 %"
        " (--by source)."
    )
    assert (remark in shown(*folds)) is (low > 0.5)


def test_unknown_words_are_told_by_encoder_and_task():
    text = shown(
        sourced("ud/tense:A", unknown=121),
        sourced("ud/passive:A", unknown=0),
        sourced("ud/subj-num:A", unknown=200),
    )
    assert (
        "length: out-of-vocabulary words are 12.1 % of ud/tense:A, 20.0 % of ud/subj-num:A." in text
    )


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({}, ""),
        ({"n": 11}, ""),
        (
            {"n": 20},
            (
                "test examples (10 to 20), so their scores are not comparable (size= makes them"
                " alike)"
            ),
        ),
        ({"train": 300}, "training examples (100 to 300)"),
        ({"names": ("pres", "past", "fut"), "n": 9}, "classes (2 to 3)"),
        ({"names": ("a", "b")}, "classes, the composition of classes"),
    ],
)
def test_sources_that_are_not_asked_alike_are_said_to_be(other, said):
    text = shown(sourced(), sourced("ud/tense:B", **other))
    assert ("its sources differ in" in text) == bool(said)
    assert said in text


def test_two_questions_are_not_two_sources_of_one():
    first, second = sourced("ud/feat:A,of=obj"), sourced("ud/feat:A,of=obl", n=9)
    assert "its sources differ in" not in shown(first, second)
    assert "its sources differ in" in shown(first, sourced("ud/feat:B,of=obj", n=9))


def test_one_source_and_two_tasks_are_no_comparison():
    assert "differ" not in shown(sourced(), sourced("ud/passive:A", n=30))
    assert "differ" not in shown(sourced("edge/pos:A"), sourced("edge/pos:B", n=30))


def test_programs_get_the_same():
    text = render(
        [
            sourced(
                remarks=["odd"],
                **{
                    "one word": {"rule": "r", "train": 1, "test": 0.5},
                    "classes of the question": 3,
                },
            )
        ],
        "csv",
    )
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["classes"], row["question_classes"], row["word_rule"], row["word_score"]) == (
        "2",
        "3",
        "r",
        "50.0000",
    )
    assert (row["words"], row["unknown"], row["remarks"]) == ("1000", "0", "odd")
    assert row["made_of"].startswith("past: simple")
    assert tuple(rows([sourced()])[0].class_names) == NAMES
