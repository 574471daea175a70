"""What the tables of a parser's audit show of it."""

from __future__ import annotations

import math

import pytest

from lingprobe.audit.parses import ClassAgreement, ConfidenceCut, ParserAudit, TaskAgreement
from lingprobe.audit.parses_page import _then, parser_page

TENSE = TaskAgreement(
    "ud/tense", (ClassAgreement("past", 50, 40, 30), ClassAgreement("pres", 30, 40, 24))
)
SURER = TaskAgreement(
    "ud/tense", (ClassAgreement("past", 10, 10, 10), ClassAgreement("fut", 30, 30, 30))
)
MANY = TaskAgreement("tree/top", tuple(ClassAgreement(f"c{k}", 10, 10, 10) for k in range(25)))
ONE = TaskAgreement("tree/one", (ClassAgreement("x", 20, 20, 20),))
EVERY = ConfidenceCut(0.0, 1.0, 12.5, math.nan, (TENSE, MANY, ONE))
CUTS = (EVERY, ConfidenceCut(0.25, 0.5, 8.0, 3.0, (SURER,)))


def tables(cuts=CUTS, **parts):
    """Title or heading of each table -> its columns and rows, and the lines below."""
    audit = ParserAudit(("a.conllu",), "p", "f", 80, parts.pop("alone", 0), cuts, {}, **parts)
    return {
        each.title or each.sections[0].heading: (each.columns, each.sections[0], each.notes)
        for each in parser_page(audit).tables
    }


def test_each_task_is_told_and_those_whose_labels_are_words_after_them():
    _, section, _ = tables()["Labels from p against those from gold trees"]
    assert section.rows[0] == ("ud/tense", "80", "67.5", "67.5", "30.0 ± 9.9", "noise=accept")
    assert section.rows[1][4:] == ("0.0 ± 0.0", "offered")
    assert section.rows[2] == ("tree/one", "20", "–", "–", "–", "fewer than two classes")
    assert [row[0] for row in section.rows[3:5]] == ["ud/sent-len", "ud/word-content"]
    assert len(section.rows) == 9
    assert section.heading == "80 sentences of a.conllu"
    section = tables(alone=2)["Labels from p against those from gold trees"][1]
    assert section.heading == "80 sentences of a.conllu; 2 more occur only in gold"


def test_a_parser_that_was_trained_on_gold_sentences_is_warned_of():
    for learnt in (0, 7):
        notes = tables(learnt=learnt)["Labels from p against those from gold trees"][2]
        assert any("trained on 7 of" in note for note in notes) == bool(learnt)


def test_what_follows_depends_on_how_many_labels_are_wrong():
    bounds = {4.9: "offered", 5: "an upper bound", 16: "an upper bound", 16.1: "noise=accept"}
    assert {wrong: _then(wrong) for wrong in bounds} == bounds


def test_surer_sentences_have_a_column_each():
    head, section, _ = tables()["Sentences by the confidence of the parser"]
    assert head == ("", "all", "≥ 0.25")
    assert section.rows == (
        ("percent of the sentences", "100.0", "50.0"),
        ("words of a sentence", "12.5", "8.0"),
        ("depth of its tree", "–", "3.0"),
        ("wrong: ud/tense", "30.0", "0.0"),
        ("wrong: tree/top", "0.0", "–"),
        ("wrong: tree/one", "–", "–"),
    )
    assert "Sentences by the confidence of the parser" not in tables(CUTS[:1])


def test_classes_are_told_one_by_one_with_their_share_of_labels():
    head, section, _ = tables()["Class by class"]
    assert head[-2:] == ("all", "≥ 0.25")
    assert section.rows[:3] == (
        ("ud/tense", "past", "40", "50", "60.0", "75.0", "62.5", "25.0"),
        ("ud/tense", "pres", "40", "30", "80.0", "60.0", "37.5", "–"),
        ("tree/top", "c0", "10", "10", "100.0", "100.0", "4.0", "–"),
    )
    assert [row[0] for row in section.rows].count("tree/top") == 24


def test_a_class_is_usable_from_ten_labels_in_either():
    for said, wanted, usable in ((10, 0, True), (0, 10, True), (9, 9, False)):
        task = TaskAgreement(
            "t", (ClassAgreement("a", 20, 20, 20), ClassAgreement("b", said, wanted, 0))
        )
        assert task.has_classes == usable
        assert math.isnan(task.margin) == math.isnan(task.wrong) == (not usable)
    assert math.isnan(ClassAgreement("a", 0, 1, 0).precision)
    assert math.isnan(ClassAgreement("a", 1, 0, 0).recall)
    assert [ClassAgreement("a", n, 20, 5).right_share for n in (9, 10)] == pytest.approx(
        [0.25, 0.5]
    )
