"""Other names of the languages of treebanks (`aliases.tsv`)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from lingprobe.data.records import read_tab_separated


@cache
def list_aliases() -> Mapping[str, str]:
    """Other names of languages, in lower case -> the code that their treebanks begin with."""
    _, rows = read_tab_separated(Path(__file__).with_suffix(".tsv"))
    return {name.casefold(): code for _, (code, names) in rows for name in names.split("; ")}
