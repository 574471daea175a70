"""CoNLL-2012 columns, as of OntoNotes, PropBank releases and LitBank: `read_conll2012(path)` yields
one `Conll2012Sentence` a sentence.

Three layouts are known, and told apart sentence by sentence (cells are separated by tabs or runs of
spaces):

    document part number word tag parse lemma frame sense speaker entity ARGUMENTS... coreference
    OntoNotes (CoNLL-2012) document part number word tag parse lemma roleset ARGUMENTS...
    PropBank releases document part number word ... coreference
    LitBank: coreference only

There is one column of arguments for each predicate, in their order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from lingprobe.corpora.brackets import (
    BracketTree,
    InternedStrings,
    format_terminal,
    parse_brackets,
)
from lingprobe.corpora.files import checked_lines
from lingprobe.corpora.rendering import render_words, unescape_word
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.data.core import DataProblem, Sentence

CONLL2012_SUFFIXES = (".gold_conll", ".v4_gold_conll", ".v9_gold_conll")
"""What the name of a file in these columns ends in, before .gz or .xz."""
_NONE = ("-", "_", "")
_SLASHED = ("/.", "/?", "/-")  # how OntoNotes writes marks that would end a sentence elsewhere
_BRACKET = re.compile(r"\(([^\s()*]+)|(\*)|(\))|(.)")
# the last takes a run at once: time is linear
_MENTION = re.compile(r"\(([^\s()|]+)\)|\(([^\s()|]+)|([^\s()|]+)\)|([^\s()|]+|.)")


class LabelledSpan(NamedTuple):
    """A label of the words [start, stop)."""

    label: str
    start: int
    stop: int


class Conll2012Sentence(NamedTuple):
    """One sentence; columns as written, decoded when asked for.

    words     unescaped: -LRB- is a bracket, `` a quotation mark, /. a full stop
    document  its name and part
    """

    words: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    document: str
    file: str
    line: int

    @property
    def sentence(self) -> Sentence:
        """The words, and a readable string of them."""
        return Sentence(self.words, render_words(self.words, self.tags))

    @property
    def tags(self) -> tuple[str, ...]:
        """The parts of speech."""
        return self._column(4)

    @property
    def predicates(self) -> list[int]:
        """The words that have a frame."""
        column = self._column(7)
        return [i for i, frame in enumerate(column) if frame not in _NONE]

    def tree(self) -> BracketTree:
        """The parse; a DataProblem where there is none."""
        pieces = []
        for word, tag, bit in zip(self.words, self.tags, self._column(5), strict=True):
            pieces.append(bit.replace("*", format_terminal(tag, word)))
        return parse_brackets("".join(pieces), self.file, self.line)

    def arguments(self) -> list[list[LabelledSpan]]:
        """For each predicate its labelled spans, V among them."""
        first, wide = (11, 12) if self._ontonotes() else (8, 8)
        many = len(self.rows[0]) - wide
        if many != len(self.predicates):
            raise DataProblem(
                f"{self.file}:{self.line}: {len(self.rows[0])} columns and {len(self.predicates)}"
                " predicates; there are 8 columns and one for each predicate (PropBank), or 12 and"
                " one for each (CoNLL-2012)"
            )
        return [self._spans(first + k) for k in range(many)]

    def entities(self) -> list[LabelledSpan]:
        """The named entities, of OntoNotes."""
        if not self._ontonotes():
            raise DataProblem(
                f"{self.file}:{self.line}: {len(self.rows[0])} columns and {len(self.predicates)}"
                " predicates; named entities are in CoNLL-2012's own layout only, 12 columns and"
                " one for each predicate"
            )
        return self._spans(10)

    def mentions(self) -> list[LabelledSpan]:
        """The coreference column: spans labelled with their chain, in textual order."""
        return parse_chains(self._column(-1), f"{self.file}:{self.line}")

    def _ontonotes(self) -> bool:
        """Whether the columns are CoNLL-2012's: twelve and one a predicate; a release of PropBank
        has eight and one a predicate.
        """
        return len(self.rows[0]) == 12 + len(self.predicates)

    def _column(self, number: int) -> tuple[str, ...]:
        if number >= len(self.rows[0]):
            raise DataProblem(
                f"{self.file}:{self.line}: {len(self.rows[0])} columns, the one asked for would be"
                f" number {number + 1}"
            )
        return tuple(row[number] for row in self.rows)

    def _spans(self, number: int) -> list[LabelledSpan]:
        return parse_spans(self._column(number), self.file, self.line)


class UnescapedWords(dict[str, str]):
    """Words as written -> as they are read: escapes of treebanks undone, and the slash that
    OntoNotes writes before some marks.
    """

    def __init__(self) -> None:
        super().__init__()
        self._escaped = InternedStrings().words

    def __missing__(self, raw: str) -> str:
        """One string a distinct word, so that a long file does not hold each many times."""
        word = self[raw] = raw[1:] if raw in _SLASHED else unescape_word(self._escaped[raw])
        return word


def parse_spans(column: Sequence[str], file: str, line: int) -> list[LabelledSpan]:
    """The spans of a column such as (ARG0* *) *, in the order of their ends; DataProblem where
    brackets do not match.
    """
    spans, open_ = [], []
    for i, cell in enumerate(column):
        for label, _, closed, other in _BRACKET.findall(cell):
            if label:
                open_.append((label, i))
            elif closed and open_:
                name, start = open_.pop()
                spans.append(LabelledSpan(name, start, i + 1))
            elif closed or other:
                raise DataProblem(
                    f"{file}:{line + i}: {cell!r}"
                    f" {'closes what was never opened' if closed else 'is no bracketing'}"
                )
    if open_:
        raise DataProblem(
            f"{file}:{line + open_[-1][1]}: ({open_[-1][0]} is never closed in its sentence"
        )
    return spans


def parse_chains(column: Sequence[str], location: str) -> list[LabelledSpan]:
    """The mentions of a column such as (3|(4 3) 4), by start, stop and chain; what is not closed is
    a DataProblem.
    """
    mentions: list[LabelledSpan] = []
    open_: dict[str, list[int]] = {}
    for i, cell in enumerate(column):
        for whole, opened, closed, other in _MENTION.findall(
            "" if cell in _NONE else cell.replace("|", " ")
        ):
            if whole:
                mentions.append(LabelledSpan(whole, i, i + 1))
            elif opened:
                open_.setdefault(opened, []).append(i)
            elif closed and open_.get(closed):
                mentions.append(LabelledSpan(closed, open_[closed].pop(), i + 1))
            elif closed or other.strip():
                raise DataProblem(
                    f"{location}: word {i + 1}: {cell!r} closes a mention that was never opened, or"
                    " is none"
                )
    left = sorted(chain for chain, starts in open_.items() if starts)
    if left:
        raise DataProblem(f"{location}: the mention ({left[0]} is never closed in its sentence")
    return sorted(mentions, key=lambda m: (m.start, m.stop, m.label))


def read_conll2012(
    path: str | Path, on_error: OnError = "raise", tally: ProblemTally | None = None
) -> Iterator[Conll2012Sentence]:
    """The sentences of a file in order; comments and `#begin document` lines are passed over.
    DataProblem with file and line.
    """
    tally = ProblemTally() if tally is None else tally
    words = UnescapedWords()
    for numbers, rows, unreadable in _sentences(path):
        if wrong := unreadable or _wrong(numbers, rows):
            tally.refuse(f"{path}:{wrong}", on_error)
            continue
        tally.sentences += 1
        tally.words += len(rows)
        tokens = tuple(words[row[3]] for row in rows)
        yield Conll2012Sentence(
            tokens, tuple(rows), f"{rows[0][0]} {rows[0][1]}", str(path), numbers[0]
        )


def _sentences(path: str | Path) -> Iterator[tuple[list[int], list[tuple[str, ...]], str]]:
    """The rows between blank lines with their line numbers, and the first line that cannot be read
    with what is wrong with it.
    """
    numbers: list[int] = []
    rows: list[tuple[str, ...]] = []
    wrong = ""
    for number, text, unreadable in chain(checked_lines(path), [(0, "", "")]):
        if unreadable:
            wrong = wrong or f"{number}: {unreadable}"
        elif text.strip() and not text.startswith("#"):
            numbers.append(number)
            rows.append(tuple(text.split("\t") if "\t" in text else text.split()))
        elif (rows or wrong) and not text.strip():
            yield numbers, rows, wrong
            numbers, rows, wrong = [], [], ""


def _wrong(numbers: list[int], rows: list[tuple[str, ...]]) -> str:
    """The line of what is wrong with the rows of a sentence, and what; '' for nothing."""
    for number, row in zip(numbers, rows, strict=True):
        if len(row) < 5:
            return (
                f"{number}: {len(row)} columns; a row has document, part, number, word and at least"
                " one more"
            )
        if len(row) != len(rows[0]):
            return (
                f"{number}: {len(row)} columns, the first word of the sentence has {len(rows[0])}"
            )
    return ""
