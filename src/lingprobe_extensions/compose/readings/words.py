"""Tables of words, as a reader has them: for each form all that it can be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple

from lingprobe import DataProblem

Words = dict[str, tuple["FormAnalysis", ...]]


class FormAnalysis(NamedTuple):
    """One thing that a form can be: of a kind and a lemma, which form of it, and with which
    traits.
    """

    kind: str
    lemma: str
    form: str
    traits: frozenset[str]


class LexiconLine(NamedTuple):
    """A line of a table: words of a kind that have something in common."""

    kind: str
    of: str
    lemmas: tuple[str, ...]


Extra = tuple[tuple[str, FormAnalysis], ...]
"""Further forms, each with what it can be."""


class UserLexeme(NamedTuple):
    """A word as tables of the user's own have it: all its forms, classes (of a verb its frame) and
    flags.
    """

    kind: str
    lemma: str
    forms: tuple[str, ...]
    classes: tuple[str, ...]
    flags: frozenset[str]


def read_word_table(name: str) -> Iterator[LexiconLine]:
    """The lines of a table of this room, without comments and the header."""
    text = (files(__package__) / name).read_text("utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(("#", "kind\t")) or not line:
            continue
        fields = line.split("\t")
        if len(fields) != 3:
            raise DataProblem(f"{name}:{number}: has {len(fields)} columns, not kind, of, lemmas")
        yield LexiconLine(fields[0], fields[1], tuple(fields[2].split()))


def words_by_form(forms: Iterator[tuple[str, FormAnalysis]]) -> Words:
    """For each form all that it can be."""
    words: defaultdict[str, dict[FormAnalysis, None]] = defaultdict(dict)
    for form, word in forms:
        words[form][word] = None
    return {form: tuple(of) for form, of in words.items()}
