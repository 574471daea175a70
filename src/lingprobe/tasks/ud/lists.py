"""Words of closed classes that rules ask for, with the lists that they are in: `lists.tsv`, which
says what each list is, and for which languages a row was written. A row counts wherever its words
occur, since a file does not say which its language is.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_name("lists.tsv")


@cache
def word_list(name: str) -> frozenset[str]:
    """The words of a list; a KeyError where there is none of that name."""
    return _lists()[name]


@cache
def _lists() -> Mapping[str, frozenset[str]]:
    lists: dict[str, frozenset[str]] = {}
    for line in _TABLE.read_text("utf-8").splitlines()[1:]:
        names, _, words, _ = line.split("\t")
        for name in names.split():
            lists[name] = lists.get(name, frozenset()) | frozenset(words.split())
    return lists
