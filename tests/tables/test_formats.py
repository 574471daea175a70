"""Tables in a terminal."""

from __future__ import annotations

from lingprobe.tables.formats import terminal
from lingprobe.tables.table import Section, Table


def test_a_name_that_does_not_fit_is_broken_after_commas():
    name = "untrained:bilstm-max,hidden=256,seed=1"
    table = Table(
        ("encoder", "ud/sent-len"), (Section("", ((name, "57.6 ±1.0"),)),), frozenset({"encoder"})
    )
    assert name in terminal(table, 80)
    lines = [line.split()[0] for line in terminal(table, 40).splitlines()[-2:]]
    assert lines == ["untrained:bilstm-max,", "hidden=256,seed=1"]
