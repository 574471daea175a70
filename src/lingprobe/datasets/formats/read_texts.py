"""The texts of a table without labels, row by row, each with its place or what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from lingprobe.corpora.files import CorpusPart
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.datasets.formats.chosen_columns import ColumnSelection
from lingprobe.datasets.formats.conversations import arrange_turns, is_conversation
from lingprobe.datasets.formats.row_reader import RowForm, RowReader
from lingprobe.datasets.formats.row_sources import open_source
from lingprobe.datasets.formats.row_spans import BadRow
from lingprobe.datasets.formats.rows import TableSource
from lingprobe.datasets.formats.usual_columns import (
    EXCHANGE_COLUMNS,
    TEXT_COLUMNS,
    Columns,
    find_heading,
    format_headings,
    index_names,
)


class RowText(NamedTuple):
    """The text of a row; None where it has none, with the reason.

    place  the file and the number of the row
    """

    place: str
    sentence: Sentence | None
    problem: str = ""


def read_table_texts(path: Path, text: str = "") -> list[RowText]:
    """The texts of a table. DataProblem where it is none, or which column holds the text is not
    clear.

    text  the column; '' for the one with a usual name, or the only one
    """
    if not path.is_file():
        raise DataProblem(f"{path}: no such file: name a table with a text a row, as texts.csv")
    source = open_source(path, Columns(text=text))
    names = _choose_columns(source, text, str(path))
    rows = list(source.rows(names))
    talks = any(is_conversation(arrange_turns(row.cells.get(names[0]))) for row in rows)
    chosen = ColumnSelection(names, "", is_exchange=len(names) > 1)
    reader = RowReader(CorpusPart("", path), source, chosen, RowForm(talks=talks))
    found = []
    for row in rows:
        place = f"{path}{source.unit}{row.number}"
        try:
            if row.problem:
                raise BadRow(row.problem)
            found.append(RowText(place, reader.read_text(row.cells)))
        except BadRow as problem:
            found.append(RowText(place, None, f"{place}: {problem}"))
    return found


def _choose_columns(source: TableSource, text: str, where: str) -> tuple[str, ...]:
    """The column of the text, or of a prompt and its response. DataProblem where several could be
    it.
    """
    names = list(source.names)
    if text:
        return (find_heading(text, names, "text", where),)
    by_name = index_names(names)
    for pair in EXCHANGE_COLUMNS:
        if by_name.keys() >= set(pair):
            return tuple(by_name[name] for name in pair)
    for tier in TEXT_COLUMNS:
        usual = [by_name[name] for name in tier if name in by_name]
        if len(usual) == 1:
            return (usual[0],)
    if len(names) == 1:
        return (names[0],)
    raise DataProblem(
        f"{where}: which column is the text? Name it, as text={(*names, 'NAME')[0]};"
        f" {format_headings(names)}"
    )
