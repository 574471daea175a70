"""The rows of a table, as cells by the headings of their columns, whatever they are cut from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

from lingprobe.datasets.formats.usual_columns import Columns

HEAD_ROWS = 1000  # rows by which headings and the kind of a file are decided


class RowCells(NamedTuple):
    """The cells of a row by heading, from a line or row of that number, or what is wrong with
    it.
    """

    number: int
    cells: Mapping[str, Any]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class TableSource:
    """A table that is read row by row.

    names    the headings, in order
    rows     the rows, of which these columns are wanted
    unit     what stands between the file and the number of a row
    untyped  whether every cell is text, also that of a number
    mark     what parts the cells of a line; '' where they are no text
    classes  the names of the classes that numbers of a column stand for
    columns  what its columns hold where their names say nothing and their cells do
    made_of  further columns of the file itself that its rows were made of, where they are no rows
             of the file
    remark   what was decided about the file
    """

    names: Sequence[str]
    rows: Callable[[Collection[str]], Iterator[RowCells]]
    unit: str = ":"
    untyped: bool = False
    mark: str = ""
    classes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    columns: Columns = field(default_factory=Columns)
    made_of: Sequence[str] = ()
    remark: str = ""


def number_rows(batches: Iterable[Sequence[Any]], names: Sequence[str]) -> Iterator[RowCells]:
    """The rows of columns that come in batches, in the order of the names."""
    cells = chain.from_iterable(zip(*columns, strict=True) for columns in batches)
    for number, row in enumerate(cells, 1):
        yield RowCells(number, dict(zip(names, row, strict=True)))
