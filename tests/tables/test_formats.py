"""Tables in a terminal, and those of a page in LaTeX."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest

from lingprobe.tables.formats import format_terminal_table
from lingprobe.tables.page import Page
from lingprobe.tables.table import (
    Table,
    TableSection,
    format_p_value,
)


def test_a_name_that_does_not_fit_is_broken_after_commas():
    name = "untrained:bilstm-max,hidden=256,seed=1"
    table = Table(
        ("encoder", "ud/sent-len"),
        (TableSection("", ((name, "57.6 ±1.0"),)),),
        frozenset({"encoder"}),
    )
    assert name in format_terminal_table(table, 80)
    lines = [line.split()[0] for line in format_terminal_table(table, 40).splitlines()[-2:]]
    assert lines == ["untrained:bilstm-max,", "hidden=256,seed=1"]


@pytest.mark.parametrize(
    ("p", "told"),
    [
        (0.0496, "< 0.05"),
        (0.05, "0.050"),
        (0.0504, "0.050"),
        (0.0494, "0.049"),
        (0.0009, "< 0.001"),
        (0.001, "0.001"),
        (1.0, "1.000"),
        (math.nan, "–"),
    ],
)
def test_a_p_value_is_told_on_its_side_of_the_level(p, told):
    """Tables say that from 0.05 on nothing can be told."""
    assert format_p_value(p) == told


def test_every_table_of_a_page_has_a_caption_and_a_label_in_latex():
    """Else LaTeX would set it in the paragraph and the column in which it stands."""
    section = TableSection("ud/tense", (("a", "1"),))
    told = Table(("encoder", "score"), (section,), notes=("Scores are percent.", "More."))
    titled = replace(told, title="Layer 4")
    bare = replace(told, notes=())
    nothing = replace(bare, sections=(replace(section, heading=""),))
    page = Page((), lambda: [told, titled, bare, nothing])
    for text in (page.text("latex"), page.text("latex", width="column")):
        assert re.findall(r"\\caption\{(.*)\}", text) == [
            "Scores are percent.",
            "Layer 4. Scores are percent.",
            "ud/tense.",
        ]
        assert re.findall(r"\\label\{(.*)\}", text) == [
            "tab:lingprobe",
            "tab:lingprobe-2",
            "tab:lingprobe-3",
        ]
        assert text.count("\\begin{tabular}") == 4
