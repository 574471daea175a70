"""Tables with a word a row, beside the number of its sentence, as `Sentence #,Word,POS,Tag`: their
rows are joined to sentences, whose cells are the lists of words and of their labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

from lingprobe.datasets.formats.column_shapes import ColumnShape
from lingprobe.datasets.formats.row_labels import BLANK_CHARACTERS
from lingprobe.datasets.formats.rows import HEAD_ROWS, RowCells, TableSource
from lingprobe.datasets.formats.usual_columns import normalise_heading

_SENTENCES = ("sentence", "sentenceid", "sentenceidx", "sentencenumber", "sentid", "sent", "docid")
_WORDS = ("word", "words", "token", "tokens", "form")
_FEWEST_WORDS = 2.0  # in a sentence, in the mean
_MOST_WORDS = 1.05  # in the cell of a word, in the mean
_TEXT_WORDS = 3.0  # in the cell of a sentence, in the mean, where that is its text


@dataclass(frozen=True, slots=True)
class TokenColumns:
    """The headings of the sentence and of the word."""

    sentence: str
    word: str


def join_token_rows(source: TableSource) -> TableSource:
    """The table with a row a sentence, where it has one a word; else as it is."""
    columns = _find_columns(source.names)
    if columns is None:
        return source
    rows = source.rows(source.names)  # which some tables give once
    head = list(islice(rows, HEAD_ROWS))
    every = chain(head, rows)
    if not _has_words(head, columns):
        return replace(source, rows=lambda wanted: every)
    names = [name for name in source.names if name != columns.sentence]
    return replace(
        source,
        names=names,
        rows=lambda wanted: _join_rows(every, columns, names),
        untyped=False,
        made_of=(columns.sentence,),
        remark=f"its rows, a word each, were joined by {columns.sentence}",
    )


def _find_columns(names: Sequence[str]) -> TokenColumns | None:
    """The columns of the sentence and of the word, by their headings; a label is beside them."""
    by_name = {normalise_heading(name): name for name in reversed(names)}
    sentence = next((by_name[name] for name in _SENTENCES if name in by_name), "")
    word = next((by_name[name] for name in _WORDS if name in by_name), "")
    is_labelled = len(names) > len((sentence, word))
    return TokenColumns(sentence, word) if sentence and word and is_labelled else None


def _has_words(head: Sequence[RowCells], columns: TokenColumns) -> bool:
    """Whether each of the first rows is a word, and several are of one sentence."""
    cells = [row.cells for row in head if not row.problem]
    words = [cell.get(columns.word) for cell in cells]
    if not words or not all(isinstance(word, str) for word in words):
        return False
    named = [cell.get(columns.sentence) for cell in cells]
    if ColumnShape([name for name in named if _is_named(name)]).words >= _TEXT_WORDS:
        return False  # it is the text, beside a word of it
    length = ColumnShape(words).words
    pairs = zip(named, _open_before(named), strict=True)
    starts = sum(_begins(cell, before) for cell, before in pairs)
    return length <= _MOST_WORDS and _FEWEST_WORDS * starts <= len(words)


def _open_before(named: Sequence[Any]) -> Iterator[Any]:
    """Of each cell the name of the sentence that is open before it."""
    before: Any = None
    for cell in named:
        yield before
        before = cell if _is_named(cell) else before


def _begins(cell: Any, before: Any) -> bool:
    """Whether a row begins a sentence: it names another one than is open."""
    return _is_named(cell) and cell != before


def _is_named(cell: Any) -> bool:
    """Whether a cell names a sentence; in some tables that of its first word alone does."""
    return cell is not None and cell == cell and bool(str(cell).strip(BLANK_CHARACTERS))  # noqa: PLR0124


def _join_rows(
    rows: Iterator[RowCells], columns: TokenColumns, names: Sequence[str]
) -> Iterator[RowCells]:
    """A row a sentence, of which a wrong row of a word makes a wrong one."""
    held: list[RowCells] = []
    before: Any = None
    for row in rows:
        cell = row.cells.get(columns.sentence)
        if held and not row.problem and _begins(cell, before):
            yield _join(held, names)
            held = []
        before = cell if _is_named(cell) else before
        held.append(row)
    if held:
        yield _join(held, names)


def _join(rows: Sequence[RowCells], names: Sequence[str]) -> RowCells:
    """The rows of the words of a sentence as one, with the number of the first."""
    if wrong := next((row for row in rows if row.problem), None):
        return RowCells(wrong.number, {}, wrong.problem)
    return RowCells(rows[0].number, {name: [row.cells.get(name) for row in rows] for name in names})
