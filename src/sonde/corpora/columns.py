"""Published data sets as they lie on disk: tables with tabs, or commas, whose columns a `Layout`
names. Quotes are data.

A CSV reader with its defaults merges rows of such files at unbalanced quotes; only line feeds end a
row here, only tabs a cell.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sonde.core import SPLITS, DataProblem, Example, Sentence, Site
from sonde.corpora.files import lines, uncompressed
from sonde.corpora.tally import OnError, Tally

CODES = dict(zip(("tr", "va", "te"), SPLITS, strict=True))
KNOWN = CODES | {split: split for split in SPLITS}


@dataclass(frozen=True, slots=True)
class Layout:
    """Which column of a table holds what, from 0; -1 is the last.

    shown    the columns in words, for errors
    columns  how many a row has; with `more` it may have others in between, which are passed over
    text     words with spaces between; `second`: another text, which the label is also about
    split    tr, va, te, or train, dev, test; None: the file's name says it
    token    the number of the word that the label is about, from 0; None: the label is about the
             whole text
    comma    whether it is a CSV with quoting and a line of headings
    asked    the columns of the words that the question is about
    called   what labels are called here, for those that rows may have; all, as they stand, without
    between  what parts cells: a tab; ' ': the first blank of a line; '': nothing, a line is a cell
    trimmed  whether blanks around a cell are left out
    ends     labels by the end of the file's name, where rows have none
    within   what parts a label, which `called` then names, from a finer one behind it
    fine     whether the finer label is the label
    """

    shown: str
    columns: int
    label: int | None
    text: int
    split: int | None = None
    token: int | None = None
    second: int | None = None
    more: bool = False
    comma: bool = False
    asked: tuple[int, ...] = ()
    called: tuple[tuple[str, str], ...] = ()
    between: str = "\t"
    trimmed: bool = False
    encoding: str = "utf-8"
    ends: tuple[tuple[str, str], ...] = ()
    within: str = ""
    fine: bool = False


SENTEVAL = Layout("split, label, words", 3, label=1, text=-1, split=0, more=True)
XPROBE = Layout("words, label", 2, label=1, text=0)
WORD = Layout("word, label", 2, label=1, text=0)
PAIR = Layout("word, word, label", 3, label=2, text=0, second=1)
CONTEXTUAL = Layout("words, number of the word, label", 3, label=2, text=0, token=1)
ANSWERS = (("TRUE", "yes"), ("FALSE", "no"))
COMPEVAL_VERB = Layout(
    "label, sentence id, words, asked verb", 4, label=0, text=2, asked=(3,), called=ANSWERS
)
COMPEVAL_PAIR = Layout(
    "label, sentence id, words, asked noun, asked verb",
    5,
    label=0,
    text=2,
    asked=(3, 4),
    called=ANSWERS,
)
INDIC = Layout("label, words", 2, label=0, text=1, more=True, comma=True)


@dataclass(frozen=True, slots=True)
class Reading:
    """How strictly a table is read.

    on_error  whether a bad row is an error, or left out and counted
    blank     the same for blank lines
    text      the raw text of some words; without, the cell as it stands
    """

    on_error: OnError = "raise"
    blank: OnError = "raise"
    text: Callable[[tuple[str, ...]], str] | None = None


class Rows:
    """The examples of some tables, and what was counted on the way; words that are equal are one
    string in memory.
    """

    def __init__(self, layout: Layout, how: Reading | None = None) -> None:
        self.layout = layout
        self.how = how or Reading()
        self.tally = Tally()
        self.blank = 0
        self._words: dict[str, str] = {}

    def read(self, path: Path, split: str = "") -> Iterator[Example]:
        """The examples of a table in order; `split` is what the file's name says. DataProblem with
        file and line.
        """
        given = dict(self.layout.ends).get(uncompressed(path).suffix, "")
        for number, cells in _table(path, self.layout):
            if not any(cell.strip() for cell in cells):
                self.blank += 1
                if self.how.blank == "raise":
                    raise DataProblem(
                        f"{path}:{number}: the line is blank; on_error=skip leaves such lines out"
                        " and counts them"
                    )
                continue
            try:
                example = self._example(cells, split, given)
            except ValueError as problem:
                message = f"{path}:{number}: {problem}"
                if self.how.on_error == "raise":
                    raise DataProblem(message) from None
                self.tally.skip(message)
                continue
            self.tally.sentences += 1
            self.tally.words += sum(len(site.sentence.words) for site in example.sites)
            yield example

    def counts(self) -> dict[str, int]:
        """What was read and left out."""
        counts = {
            "examples": self.tally.sentences,
            "words": self.tally.words,
            "blank lines": self.blank,
            "skipped": self.tally.skipped,
        }
        return {what: n for what, n in counts.items() if n or what == "examples"}

    def _example(self, cells: list[str], split: str, given: str) -> Example:
        """One example, of the label given where rows have none; ValueError says what is wrong with
        the row.
        """
        layout = self.layout
        _check_width(cells, layout)
        if layout.split is not None:
            split = KNOWN.get(cells[layout.split], "")
            if not split:
                raise ValueError(f"split {cells[layout.split]!r} is not one of {', '.join(CODES)}")
        label = given if layout.label is None else _label(cells[layout.label], layout)
        asked = tuple(cells[column].strip() for column in layout.asked)
        if not all(asked):
            raise ValueError("an asked word is empty")
        sentence = self._sentence(cells[layout.text])
        span = None if layout.token is None else _span(cells[layout.token], sentence)
        sites = [Site(sentence, span)]
        if layout.second is not None:
            sites.append(Site(self._sentence(cells[layout.second])))
        return Example(
            tuple(sites), label, split, asked, {"asked": " ".join(asked)} if asked else {}
        )

    def _sentence(self, cell: str) -> Sentence:
        """The words of a cell, cut at spaces, and its text."""
        words = tuple(self._words.setdefault(word, word) for word in cell.split(" ") if word)
        if not words:
            raise ValueError("there are no words")
        return Sentence(words, self.how.text(words) if self.how.text else cell)


def _table(path: Path, layout: Layout) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row with its line; empty cells at the end of a row with more columns than
    it needs are left out.
    """
    if not layout.comma:
        for number, line in lines(path, layout.encoding):
            cells = _cells(line, layout)
            while layout.more and len(cells) > layout.columns and not cells[-1].strip():
                cells.pop()
            yield number, cells
        return
    reader = csv.reader((line + "\n" for _, line in lines(path)), strict=True)
    try:
        next(reader, None)
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        raise DataProblem(
            f"{path}:{reader.line_num}: {error}; mend the quotes of that row"
        ) from None


def _cells(line: str, layout: Layout) -> list[str]:
    """The cells of a line."""
    if layout.between == "\t":
        cells = line.split("\t")
    else:
        cells = line.split(layout.between, 1) if layout.between else [line]
    return [cell.strip(" ") for cell in cells] if layout.trimmed else cells


def _check_width(cells: list[str], layout: Layout) -> None:
    if len(cells) == layout.columns or (len(cells) > layout.columns and layout.more):
        return
    least = "at least " if layout.more else ""
    between = "commas" if layout.comma else "a blank" if layout.between == " " else "tabs"
    raise ValueError(
        f"{len(cells)} columns, not {least}{layout.columns} ({layout.shown}, with {between}"
        " between)"
    )


def _label(cell: str, layout: Layout) -> str:
    if not cell.strip():
        raise ValueError("the label is empty")
    if not layout.called:
        return cell
    name, mark, finer = cell.partition(layout.within) if layout.within else (cell, "", "")
    if name not in dict(layout.called):
        raise ValueError(
            f"label {name!r} is not one of {', '.join(name for name, _ in layout.called)}"
        )
    if layout.within and not finer:
        raise ValueError(f"label {cell!r} has nothing finer behind a {layout.within!r}")
    return f"{dict(layout.called)[name]}{mark}{finer}" if layout.fine else dict(layout.called)[name]


def _span(cell: str, sentence: Sentence) -> tuple[int, int]:
    if not (cell.isascii() and cell.isdigit() and int(cell) < len(sentence.words)):
        raise ValueError(
            f"{cell!r} is not the number of a word, from 0 to {len(sentence.words) - 1}"
        )
    return int(cell), int(cell) + 1
