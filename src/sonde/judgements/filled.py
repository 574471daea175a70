"""Sheets that people filled in, as spreadsheets save them: any of three delimiters, quotes, byte
order marks, line ends.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from sonde.core import DataProblem
from sonde.judgements.sheet import MARK, Sheet

DELIMITERS = ("\t", ";", ",")
NEEDED = ("id", "judgement")


@dataclass(frozen=True, slots=True)
class Filled:
    """A sheet as one person left it: judgements by row number (from 1), those left empty not among
    them, and sentences by row.
    """

    name: str
    sheet: Sheet
    judgements: dict[int, str]
    sentences: dict[int, str]


def read(file: Path) -> Filled:
    """The judgements in a file. DataProblem with file and line for what cannot be understood."""
    numbered = _rows(file)
    sheet = _sheet(file, numbered)
    at, columns = next((number, cells) for number, cells in numbered if _is_header(cells))
    where = {name.strip().casefold(): i for i, name in reversed(list(enumerate(columns)))}
    answers = {answer.casefold(): answer for answer in sheet.answers}
    judgements: dict[int, str] = {}  # '' where a row is not judged
    sentences: dict[int, str] = {}
    for number, cells in numbered:
        if number == at or cells[0].lstrip().startswith("#") or not any(map(str.strip, cells)):
            continue
        row = {name: cells[i].strip() if i < len(cells) else "" for name, i in where.items()}
        key = _number(row["id"], sheet.n, f"{file}:{number}")
        answer = answers.get(row["judgement"].casefold(), "")
        if row["judgement"] and not answer:
            raise DataProblem(
                f"{file}:{number}: {row['judgement']!r} is no answer; write one of"
                f" {', '.join(sheet.answers[:20])}, or leave the cell empty"
            )
        if judgements.setdefault(key, answer) != answer:
            raise DataProblem(
                f"{file}:{number}: row {key} stands here twice, with two judgements; keep one"
            )
        sentences[key] = row.get("sentence", "")
    said = {key: answer for key, answer in judgements.items() if answer}
    return Filled(file.name, sheet, said, sentences)


def _rows(file: Path) -> list[tuple[int, list[str]]]:
    """The rows of a file with their line numbers, cut at the delimiter that makes a header of its
    header.
    """
    text = _text(file)
    for delimiter in DELIMITERS:
        reader = csv.reader(io.StringIO(text, newline=None), delimiter=delimiter)
        try:
            rows = [(reader.line_num, cells) for cells in reader if cells]
        except csv.Error as error:
            raise DataProblem(
                f"{file}:{reader.line_num}: {error}; save it again as tab-separated text"
            ) from None
        if any(_is_header(cells) for _, cells in rows):
            return rows
    raise DataProblem(
        f"{file}: no row with {' and '.join(map(repr, NEEDED))} in it; keep the header of the"
        " sheet, and save it as text (TSV or CSV)"
    )


def _text(file: Path) -> str:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise DataProblem(f"cannot read {file}: {(error.strerror or str(error)).lower()}") from None
    try:
        return data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataProblem(
            f"{file}:{line}: is not UTF-8 text; save the sheet as UTF-8 TSV or CSV, not as a"
            " workbook"
        ) from None


def _is_header(cells: Sequence[str]) -> bool:
    names = {cell.strip().casefold() for cell in cells}
    return all(name in names for name in NEEDED)


def _sheet(file: Path, rows: Sequence[tuple[int, list[str]]]) -> Sheet:
    """What the sheet says that it asks."""
    for number, cells in rows:
        comment = cells[0].strip()
        if not comment.startswith("#") or MARK not in comment:
            continue
        try:
            found = json.loads(comment.partition(MARK)[2])
            return Sheet(**{f.name: found[f.name] for f in fields(Sheet)})
        except (ValueError, KeyError, TypeError):
            raise DataProblem(
                f"{file}:{number}: the line that begins '# {MARK}' was changed; copy it from the"
                " sheet as it was written"
            ) from None
    raise DataProblem(
        f"{file}: the line that begins '# {MARK}' is gone, which says what was asked; copy it from"
        " the sheet as it was written"
    )


def _number(text: str, n: int, where: str) -> int:
    """A row's number, also where a spreadsheet made 7.0 of it."""
    whole = text.removesuffix(".0").removesuffix(",0")
    if not whole.isdecimal() or not 1 <= int(whole) <= n:
        raise DataProblem(
            f"{where}: {text!r} is no row of this sheet; the column 'id' has 1 to {n}"
        )
    return int(whole)


def misplaced(filled: Filled, sentences: Sequence[str]) -> Iterator[int]:
    """Rows whose sentence is not the one that was drawn, as where one column was sorted without the
    others.
    """
    for key, text in filled.sentences.items():
        if text and _letters(text) != _letters(sentences[key - 1]):
            yield key


def _letters(text: str) -> str:
    """What no spreadsheet corrects: letters and digits."""
    return "".join(c for c in text.casefold() if c.isalnum())
