"""Published data sets as they lie on disk: tables with tabs or commas, or JSON lines, whose
columns a `ColumnLayout` names; quotes are data.

A CSV reader with its defaults merges rows of such files at unbalanced quotes; only line feeds end a
row here, only tabs a cell.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from lingprobe.corpora.files import read_text_lines, uncompressed_path
from lingprobe.corpora.strict import parse_json
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.corpora.text import split_words as cut
from lingprobe.data.core import DATA_SPLITS, DataProblem, Example, Sentence, Site
from lingprobe.data.errors import LingprobeError
from lingprobe.data.labels import Label

SENTEVAL_SPLIT_CODES = dict(zip(("tr", "va", "te"), DATA_SPLITS, strict=True))
SPLITS_BY_CODE = SENTEVAL_SPLIT_CODES | {split: split for split in DATA_SPLITS}


@dataclass(frozen=True, slots=True)
class ColumnLayout:
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
    trimmed  whether blanks around a cell are excluded
    ends     labels by the end of the file's name, where rows have none
    within   what parts a label, which `called` then names, from a finer one behind it
    fine     whether the finer label is the label
    scores   the least and the greatest score, where labels are scores
    absent   the label that says that there is none; such rows are excluded and counted
    headings how a first line begins that has no example but says what the columns are
    raw      whether texts are running text, of which marks are cut off words
    tags     strata by name, and the columns that say them
    subset   a pattern of the file's name, whose group is the stratum `subset`
    keys     the keys of the columns, where a line is a JSON object
    beside   how many files there are to a table, which stand side by side, line by line
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
    scores: tuple[float, float] | None = None
    absent: str | None = None
    headings: str = ""
    raw: bool = False
    tags: tuple[tuple[str, int], ...] = ()
    subset: str = ""
    keys: tuple[str, ...] = ()
    beside: int = 1


SENTEVAL_COLUMNS = ColumnLayout("split, label, words", 3, label=1, text=-1, split=0, more=True)
XPROBE_COLUMNS = ColumnLayout("words, label", 2, label=1, text=0)
SINGLE_WORD_COLUMNS = ColumnLayout("word, label", 2, label=1, text=0)
WORD_PAIR_COLUMNS = ColumnLayout("word, word, label", 3, label=2, text=0, second=1)
WORD_IN_CONTEXT_COLUMNS = ColumnLayout(
    "words, number of the word, label", 3, label=2, text=0, token=1
)
INDIC_COLUMNS = ColumnLayout("label, words", 2, label=0, text=1, more=True, comma=True)


@dataclass(frozen=True, slots=True)
class ReadingPolicy:
    """How strictly a table is read.

    on_error  whether a bad row is an error, or excluded and counted
    blank     the same for blank lines
    text      the raw text of some words; without, the cell as it stands
    """

    on_error: OnError = "raise"
    blank: OnError = "raise"
    text: Callable[[tuple[str, ...]], str] | None = None


class UnlabelledRow(LingprobeError, ValueError):
    """A row that says that it has no label."""


class TableExamples:
    """The examples of some tables, and what was counted on the way; words that are equal are one
    string in memory.
    """

    def __init__(self, layout: ColumnLayout, how: ReadingPolicy | None = None) -> None:
        self.layout = layout
        self.how = how or ReadingPolicy()
        self.tally = ProblemTally()
        self.blank = 0
        self.unlabelled = 0
        self._words: dict[str, str] = {}

    def read(self, path: Path, split: str = "", *beside: Path) -> Iterator[Example]:
        """The examples of a table in order; `split` is what the file's name says, `beside` are the
        other files of the table. DataProblem with file and line.
        """
        given = dict(self.layout.ends).get(uncompressed_path(path).suffix, "")
        subset = _subset(path, self.layout)
        where = " + ".join([str(path), *(other.name for other in beside)])
        for number, cells in _read_numbered_cells((path, *beside), self.layout):
            if not any(cell.strip() for cell in cells):
                self.blank += 1
                if self.how.blank == "raise":
                    raise DataProblem(
                        f"{where}:{number}: the line is blank; on_error=skip leaves such lines out"
                        " and counts them"
                    )
                continue
            try:
                example = self._example(cells, split, given, subset)
            except UnlabelledRow:
                self.unlabelled += 1
                continue
            except ValueError as problem:
                message = f"{where}:{number}: {problem}"
                if self.how.on_error == "raise":
                    raise DataProblem(message) from None
                self.tally.skip(message)
                continue
            self.tally.sentences += 1
            self.tally.words += sum(len(site.sentence.words) for site in example.sites)
            yield example

    def counts(self) -> dict[str, int]:
        """What was read and excluded."""
        counts = {
            "examples": self.tally.sentences,
            "words": self.tally.words,
            "blank lines": self.blank,
            "without a label": self.unlabelled,
            "skipped": self.tally.skipped,
        }
        return {what: n for what, n in counts.items() if n or what == "examples"}

    def _example(
        self, cells: Sequence[str], split: str, given: str, subset: Mapping[str, str]
    ) -> Example:
        """One example, of the label given where rows have none; ValueError says what is wrong with
        the row.
        """
        layout = self.layout
        cells = _read_json_cells(cells[0], layout) if layout.keys else cells
        _check_width(cells, layout)
        if layout.split is not None:
            split = SPLITS_BY_CODE.get(cells[layout.split], "")
            if not split:
                raise ValueError(
                    f"split {cells[layout.split]!r} is not one of {', '.join(SENTEVAL_SPLIT_CODES)}"
                )
        label = given if layout.label is None else _parse_label(cells[layout.label], layout)
        asked = tuple(cells[column].strip() for column in layout.asked)
        if not all(asked):
            raise ValueError("a probed word is empty")
        tags = {name: cells[column].strip() for name, column in layout.tags}
        if asked:
            tags["asked"] = " ".join(asked)
        return Example(self._sites(cells), label, split, asked, {**subset, **tags})

    def _sites(self, cells: Sequence[str]) -> tuple[Site, ...]:
        """What the label is about: a text, a word of it, or two texts."""
        layout = self.layout
        if layout.second is not None:
            first = self._sentence(cells[layout.text], "the first text has no words")
            second = self._sentence(cells[layout.second], "the second text has no words")
            return Site(first), Site(second)
        sentence = self._sentence(cells[layout.text], "there are no words")
        return (
            Site(sentence, None if layout.token is None else _span(cells[layout.token], sentence)),
        )

    def _sentence(self, cell: str, none: str) -> Sentence:
        """The words of a cell and its text; ValueError says that there are none."""
        forms = cut(cell) if self.layout.raw else filter(None, cell.split(" "))
        words = tuple(self._words.setdefault(word, word) for word in forms)
        if not words:
            raise ValueError(none)
        return Sentence(words, self.how.text(words) if self.how.text else cell)


def _subset(path: Path, layout: ColumnLayout) -> dict[str, str]:
    """The stratum that the name of a file says."""
    named = re.search(layout.subset, path.name) if layout.subset else None
    return {"subset": named[1]} if named else {}


def _read_numbered_cells(
    paths: Sequence[Path], layout: ColumnLayout
) -> Iterator[tuple[int, Sequence[str]]]:
    """The cells of each row with its line; empty cells at the end of a row with more columns than
    it needs are excluded.
    """
    if not layout.comma:
        for number, line in (
            read_text_lines(paths[0], layout.encoding) if len(paths) == 1 else _abreast(paths)
        ):
            cells = _split_line(line, layout)
            if number == 1 and layout.headings and cells[0] == layout.headings:
                continue
            while layout.more and len(cells) > layout.columns and not cells[-1].strip():
                cells.pop()
            yield number, cells
        return
    reader = csv.reader((line + "\n" for _, line in read_text_lines(paths[0])), strict=True)
    try:
        next(reader, None)
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        raise DataProblem(
            f"{paths[0]}:{reader.line_num}: {error}; fix the quotes of that row"
        ) from None


def _abreast(paths: Sequence[Path]) -> Iterator[tuple[int, str]]:
    """The lines of files that stand side by side, as one line with tabs between; DataProblem where
    one has fewer than another.
    """
    for number, row in enumerate(zip_longest(*map(read_text_lines, paths)), 1):
        if None in row:
            ended = paths[row.index(None)]
            other = next(path for path, line in zip(paths, row, strict=True) if line)
            raise DataProblem(
                f"{ended}:{number}: the file ends before this line, which {other.name} has;"
                " parallel files must have the same number of lines, so download it again"
            )
        yield number, "\t".join(line for _, line in row)


def _split_line(line: str, layout: ColumnLayout) -> list[str]:
    """The cells of a line; quotes are data."""
    if layout.between == "\t":
        cells = line.split("\t")
    else:
        cells = line.split(layout.between, 1) if layout.between else [line]
    return [cell.strip(" ") for cell in cells] if layout.trimmed else cells


def _check_width(cells: Sequence[str], layout: ColumnLayout) -> None:
    if len(cells) == layout.columns or (len(cells) > layout.columns and layout.more):
        return
    least = "at least " if layout.more else ""
    between = "commas" if layout.comma else "a blank" if layout.between == " " else "tabs"
    raise ValueError(
        f"{len(cells)} columns, not {least}{layout.columns} ({layout.shown}, with {between}"
        " between)"
    )


def _read_json_cells(line: str, layout: ColumnLayout) -> list[str]:
    """The cells of a JSON object; a number is a cell as it is written in Python."""
    row = parse_json(line)
    if not isinstance(row, dict):
        raise ValueError(f"not a JSON object with {layout.shown}")
    for column, key in enumerate(layout.keys):
        told = (str,) if column in (layout.text, layout.second) else (str, int, float)
        if not isinstance(row.get(key), told) or isinstance(row[key], bool):
            kind = "a string" if len(told) == 1 else "a string or a number"
            raise ValueError(f"{key!r} is not {kind}; a line has {layout.shown}")
    return [str(row[key]) for key in layout.keys]


def _parse_label(cell: str, layout: ColumnLayout) -> Label:
    if layout.absent is not None and cell.strip() == layout.absent:
        raise UnlabelledRow
    if layout.scores is not None:
        return _parse_score(cell, *layout.scores)
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


def _parse_score(cell: str, least: float, greatest: float) -> float:
    try:
        score = float(cell)
    except ValueError:
        score = math.nan
    if not (math.isfinite(score) and least <= score <= greatest):
        between = f" from {least:g} to {greatest:g}" if math.isfinite(greatest) else ""
        raise ValueError(f"score {cell!r} is not a number{between}")
    return score


def _span(cell: str, sentence: Sentence) -> tuple[int, int]:
    if not (cell.isascii() and cell.isdigit() and int(cell) < len(sentence.words)):
        raise ValueError(
            f"{cell!r} is not the number of a word, from 0 to {len(sentence.words) - 1}"
        )
    return int(cell), int(cell) + 1
