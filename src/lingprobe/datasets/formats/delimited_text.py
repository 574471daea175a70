"""Delimited text, cut into cells: CSV, TSV, and lines with a label at one end.

Python's own `csv` cuts what may be quoted. What parts the cells is found in the first lines.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

from lingprobe.corpora.encodings import decoding_problem, text_lines
from lingprobe.corpora.files import uncompressed_path
from lingprobe.data.core import DataProblem
from lingprobe.datasets.formats.column_shapes import MIN_HEADING_ROWS, ColumnShape, guess_columns
from lingprobe.datasets.formats.rows import HEAD_ROWS, RowCells, TableSource
from lingprobe.datasets.formats.usual_columns import Columns, names_column

_DELIMITERS = ",;\t|"
_LINE_MARKS = ";|@,"  # that part a text from its label in lines of text
_SHORTEN = ", or, where its text is that long, write JSON lines or Parquet"
_AGAIN = "the header is repeated, as after concatenating two files; remove that line"
_MOST_COLUMNS = 10  # of a file with a word a line
_SAID_MARK = re.compile(r'"?sep=(.)"?[,;\s]*\Z')
_NUMBER_LIKE = re.compile(r"[\d.,:;+\- ]+")
_FASTTEXT = re.compile(r"(?<!\S)__label__(\S+)")
_NUMBER_FIRST = re.compile(r"(-?\d{1,3})\s+(?=\S)")
_FEW_NUMBERS = 20  # of a file of lines, that are classes where each stands before several
_Cut = tuple[int, list[str], str]
_NO_HEADINGS = "it has no headings"


def open_delimited(path: Path, columns: Columns, encoding: str = "") -> TableSource:
    """A table of text, with headings or without."""
    suffix, lines = uncompressed_path(path).suffix.lower(), text_lines(path, encoding)
    start = list(islice(lines, HEAD_ROWS))
    lines = chain(start, lines)
    some = [line for line in start if line.strip()]
    if not columns.as_asked() and _has_word_a_line(start):
        raise DataProblem(
            f"{path}: a word and its label a line, and blank lines between sentences, as it seems:"
            f" edge/tags:{path} reads that"
        )
    is_lines = suffix not in (".csv", ".tsv")
    if is_lines and some and all(map(_FASTTEXT.search, some)):
        return _open_fasttext(lines)
    if is_lines and _have_numbers_first(some):
        return _open_numbers_first(lines)
    if is_lines and (end := _find_end(some)):
        mark, is_last = end
        return _open_cut(path, columns, mark, _cut_end(lines, mark, is_last), is_headed=False)
    has_tabs = not some or any("\t" in line for line in some)
    if suffix != ".csv" and (is_lines or has_tabs):
        return _open_cut(path, columns, "\t", _cut_tabs(lines))
    said = _SAID_MARK.match(start[0]) if start else None
    mark = said[1] if said else _find_delimiter(start)
    if mark == "\t" and _has_bare_quotes(start):
        return _open_cut(path, columns, mark, _cut_tabs(lines))
    cut = _cut_quoted(lines, mark)
    return _open_cut(path, columns, mark, islice(cut, 1, None) if said else cut)


def _open_cut(
    path: Path, columns: Columns, mark: str, cut: Iterator[_Cut], is_headed: bool | None = None
) -> TableSource:
    """The table whose lines are cut, with its headings where it has some."""
    head = list(islice(cut, HEAD_ROWS))
    good = [row for row in head if not row[2]]
    if head and not good:
        raise DataProblem(f"{path}:{head[0][0]}: {head[0][2]}")
    rows = [cells for _, cells, _ in good]
    if is_headed is None:
        is_headed = _has_headings(rows, columns)
    names = _headings(rows, is_headed)
    if is_headed:
        head.remove(good[0])
    guess = guess_columns(rows[is_headed:], names, columns)
    remark = ("" if is_headed else _NO_HEADINGS) if rows else ""
    if guess.as_asked() and is_headed:
        remark = "its headings are no usual ones"
    every = chain(head, cut)
    headings = rows[0] if is_headed else []
    return TableSource(
        names,
        lambda wanted: _by_name(every, names, mark, headings),
        untyped=True,
        mark=mark,
        columns=guess,
        remark=remark,
    )


def _open_fasttext(lines: Iterable[str]) -> TableSource:
    """Lines of fastText, whose labels are words that begin with __label__."""

    def read(number: int, line: str) -> RowCells:
        text = " ".join(_FASTTEXT.sub(" ", line).split()).removeprefix(", ")
        cells = {"text": text, "label": _FASTTEXT.findall(line)}
        return RowCells(number, cells, decoding_problem(line))

    remark = "its labels are the words that begin with __label__, as fastText has them"
    return TableSource(("text", "label"), _each_line(lines, read), remark=remark)


def _each_line(
    lines: Iterable[str], read: Callable[[int, str], RowCells]
) -> Callable[[object], Iterator[RowCells]]:
    """The rows of lines, each of which is an example, but for empty ones."""
    return lambda wanted: (read(n, line) for n, line in enumerate(lines, 1) if line.strip())


def _has_word_a_line(lines: Sequence[str]) -> bool:
    """Whether lines have a word and what is said of it, in as many columns each, and blank lines
    between sentences.
    """
    some = [number for number, line in enumerate(lines) if line.strip()]
    if len(some) < MIN_HEADING_ROWS:
        return False
    blank = some[-1] - some[0] + 1 - len(some)
    widths = {len(lines[number].split()) for number in some}
    return blank >= 2 and len(widths) == 1 and 2 <= widths.pop() <= _MOST_COLUMNS


def _have_numbers_first(lines: Sequence[str]) -> bool:
    """Whether each line is a class, a number, before its text, as of Kim (2014)."""
    found = [_NUMBER_FIRST.match(line) for line in lines]
    if len(lines) < MIN_HEADING_ROWS or not all(found) or any("\t" in line for line in lines):
        return False
    counts = Counter(each[1] for each in found if each)
    return 2 <= len(counts) <= min(_FEW_NUMBERS, len(lines) // 2) and min(counts.values()) > 1


def _open_numbers_first(lines: Iterable[str]) -> TableSource:
    """Lines with the number of a class before the text."""

    def read(number: int, line: str) -> RowCells:
        label, _, text = line.strip().partition(" ")
        problem = decoding_problem(line)
        if not problem and not _NUMBER_FIRST.match(line):
            problem = "no number of a class before the text"
        return RowCells(number, {"text": text.strip(), "label": label}, problem)

    remark = "its labels are the numbers at the beginning of lines"
    return TableSource(("text", "label"), _each_line(lines, read), untyped=True, remark=remark)


def _headings(rows: Sequence[Sequence[str]], has_headings: bool) -> list[str]:
    """The first row; where that is an example, numbers from 1."""
    if has_headings:
        return [cell.strip() for cell in rows[0]]
    return [str(number) for number in range(1, len(rows[0]) + 1)] if rows else []


def _find_delimiter(lines: Sequence[str]) -> str:
    """What separates the cells, commas, semicolons, tabs or bars: what cuts the first line and the
    most of them into as many, and most, cells; a comma where nothing does.
    """
    return max(_DELIMITERS, key=lambda mark: _evenness(lines, mark))


def _evenness(lines: Sequence[str], mark: str) -> tuple[bool, float, int]:
    """Whether a mark cuts the first row into as many cells as most, the share of the rows that it
    does, and how many these are.
    """
    try:
        rows = csv.reader((f"{line}\n" for line in lines), delimiter=mark)
        widths = [len(cells) for cells in rows if cells]
    except csv.Error:
        return False, 0.0, 0
    wide = Counter(width for width in widths if width > 1)
    if not wide:
        return False, 0.0, 0
    ((width, rows_cut),) = wide.most_common(1)
    return widths[0] == width, round(rows_cut / len(widths), 1), width


def _has_bare_quotes(lines: Sequence[str]) -> bool:
    """Whether tabs cut lines evenly where quotes are data, and not where they quote."""
    plain = Counter(line.count("\t") for line in lines if line.strip())
    try:
        rows = csv.reader((f"{line}\n" for line in lines), delimiter="\t", strict=True)
        return len(plain) == 1 and sum(1 for _ in rows) < plain.total()
    except csv.Error:
        return len(plain) == 1


def _find_end(lines: Sequence[str]) -> tuple[str, bool] | None:
    """The mark that parts a text from its label in lines without tabs, and whether the label is the
    last; None where none does.
    """
    if len(lines) < MIN_HEADING_ROWS or any("\t" in line for line in lines):
        return None
    for mark in _LINE_MARKS:
        if not all(mark in line for line in lines):
            continue
        for is_last in (True, False):
            texts, labels = zip(*(_part(line, mark, is_last) for line in lines), strict=True)
            if ColumnShape(labels).recurs and 2 * len(set(texts)) > len(lines):
                return mark, is_last
    return None


def _part(line: str, mark: str, is_last: bool) -> tuple[str, str]:
    """The text and the label of a line."""
    if is_last:
        text, _, label = line.rpartition(mark)
    else:
        label, _, text = line.partition(mark)
    return text, label.strip()


def _cut_end(lines: Iterable[str], mark: str, is_last: bool) -> Iterator[_Cut]:
    """Lines cut at their last mark, or at their first."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            cells = line.rsplit(mark, 1) if is_last else line.split(mark, 1)
            yield number, cells, decoding_problem(line)


def _cut_tabs(lines: Iterable[str]) -> Iterator[_Cut]:
    """Cells with tabs between, in which quotes are data; blank lines are passed over."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, line.split("\t"), decoding_problem(line)


def _cut_quoted(lines: Iterable[str], between: str) -> Iterator[_Cut]:
    """Cells of CSV, which may be quoted and have ends of lines in them; blank lines are passed
    over.
    """
    last = ""

    def with_ends() -> Iterator[str]:
        nonlocal last
        for last in lines:
            yield last + "\n"

    reader = csv.reader(with_ends(), delimiter=between, strict=True)
    while True:
        number = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            why = "a carriage return outside quotes" if "new-line" in str(error) else str(error)
            mend = "fix the quotes of that row" + _SHORTEN * ("larger" in why)
            yield number, [], decoding_problem(last) or f"{why}; {mend}"
            continue
        if cells:
            yield number, cells, decoding_problem("".join(cells))


def _by_name(
    rows: Iterable[_Cut], names: Sequence[str], between: str, headings: Sequence[str]
) -> Iterator[RowCells]:
    for number, cells, problem in rows:
        again = _AGAIN if headings and cells == headings else ""
        wrong = problem or again or _width_problem(len(cells), len(names), between)
        yield RowCells(number, {} if wrong else _name_cells(names, cells), wrong)


def _name_cells(names: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    """The cells by heading; of headings that stand twice, and of none, by number as well."""
    named = dict(zip(names, cells, strict=True))
    if len(named) < len(names):
        named |= {str(place): cell for place, cell in enumerate(cells, 1)} | named
    return named


def _width_problem(cells: int, wanted: int, between: str) -> str:
    if cells == wanted:
        return ""
    mark = "a tab" if between == "\t" else repr(between)
    quotes = "" if between == "\t" else "; put quotes around a text that has one in it"
    return f"{cells} cells, not {wanted}, with {mark} between{quotes}"


def _has_headings(rows: Sequence[Sequence[str]], columns: Columns) -> bool:
    """Whether a first row names columns: it has a name that is asked for, or a usual one, or what
    stands where labels come again and again comes only once, and is no number.
    """
    if not rows:
        return False
    # headings may stand again where files were put together
    first, others = [cell.strip() for cell in rows[0]], [r for r in rows if r != rows[0]]
    asked = [part for name in columns.as_asked().values() for part in name.split("+")]
    if any(not name.isdecimal() for name in asked):
        return True
    for place, cell in enumerate(first):
        below = [row[place].strip() for row in others if place < len(row)]
        if cell in below:
            continue
        if _NUMBER_LIKE.fullmatch(cell) and any(map(_NUMBER_LIKE.fullmatch, below)):
            continue  # a number among numbers
        if names_column(cell) or (
            len(below) >= MIN_HEADING_ROWS and 2 * len(set(below)) <= len(below)
        ):
            return True
    return False
