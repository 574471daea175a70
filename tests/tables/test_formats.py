"""Tables in a terminal."""

from __future__ import annotations

import math

import pytest

from lingprobe.tables.formats import terminal
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
    assert name in terminal(table, 80)
    lines = [line.split()[0] for line in terminal(table, 40).splitlines()[-2:]]
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
