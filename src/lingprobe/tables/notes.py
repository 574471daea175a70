"""Which notes are printed below a table: the first six sentences, and all of them on request.

Pages order their notes: what the scores are, then warnings, then what explains rows and columns.
HTML pages show all notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

from lingprobe.tables.table import Table

_MAX_PRINTED_NOTES = 6
# a period, and what begins a sentence: a capital, a mark of cells, or the name of a column
_END = re.compile(r"(?<=[.!?]) +(?=[A-Z*±†‡•–]|\([\w-]+\): |[a-z][\w., -]{,40}: )")
_ABBREVIATED = re.compile(r"\b(?:al|avg|cf|e\.g|i\.e|vs|[A-Z])\.$")

_prints_all: ContextVar[bool] = ContextVar("prints_all", default=False)


@contextmanager
def printing_all_notes() -> Iterator[None]:
    """Tables that are printed within have all of their notes."""
    before = _prints_all.set(True)
    try:
        yield
    finally:
        _prints_all.reset(before)


def select_notes(table: Table, all_notes: bool = False) -> Table:
    """The six notes below a table, a sentence each, warnings first, and how many more there are;
    all of them with `--notes`.
    """
    sentences = list_sentences(table.notes)
    more = len(sentences) - _MAX_PRINTED_NOTES
    if more > 0 and not (all_notes or _prints_all.get()):
        rest = f"{more} more note{'s' * (more > 1)}: add --notes, or see the HTML page."
        sentences = (*sentences[:_MAX_PRINTED_NOTES], rest)
    return replace(table, notes=sentences)


def list_sentences(notes: Iterable[str]) -> tuple[str, ...]:
    """The sentences of some notes, each once and in order."""
    return tuple(dict.fromkeys(sentence for note in notes for sentence in _split_note(note)))


def _split_note(note: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(note):
        sentence = note[start : end.start()]
        is_open = sentence.count("(") > sentence.count(")")
        if not is_open and not _ABBREVIATED.search(sentence):
            yield sentence
            start = end.end()
    yield note[start:]
