"""Rows for programs: CSV and Parquet."""

from __future__ import annotations

import csv as csv_module
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.questions import NOTHING
from lingprobe.analysis.row import ResultRow
from lingprobe.data.cache import open_draft, storable
from lingprobe.data.printing import printable
from lingprobe.tables.table import safe

if TYPE_CHECKING:
    from _typeshed import DataclassInstance as Line

TINY = 1e-4  # below, as p values may be, four decimals would be zeros


def format_csv(rows: Sequence[Line]) -> str:
    """One line a row, a header first; scores are percent with every digit that matters.

    A name that a spreadsheet would compute has a space in front, and nothing moves a cursor.
    """
    return _lines(_columns(_kind(rows)), (plain(row).values() for row in rows))


def format_frame_csv(frame: ResultFrame) -> str:
    """The same of a frame."""
    return _lines(frame.names, frame)


def _lines(names: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    out = io.StringIO()
    writer = csv_module.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(map(_cell, row) for row in rows)
    return out.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.3e}" if 0 < abs(value) < TINY else f"{value:.4f}"
    return safe(printable(value)) if isinstance(value, str) else value


def _columns(kind: type[Line]) -> dict[str, str]:
    """The columns with their types; what is asked has several."""
    columns = {f.name: str(f.type) for f in fields(kind)}
    if columns.pop("posed", None) is None:
        return columns
    return {**columns, **{name: type(value).__name__ for name, value in NOTHING.plain().items()}}


def plain(row: Line) -> dict[str, Any]:
    """The columns of a row, with their values."""
    cells = asdict(row)
    return (
        {**cells, **row.posed.plain()}
        if cells.pop("posed", None) is not None and isinstance(row, ResultRow)
        else cells
    )


def _kind(rows: Sequence[Line], usual: type[Line] = ResultRow) -> type[Line]:
    return type(rows[0]) if rows else usual


def _storable(row: dict[str, Any]) -> dict[str, Any]:
    return {key: storable(value) if isinstance(value, str) else value for key, value in row.items()}


def parquet(rows: Sequence[Line], to: Path) -> None:
    """The same columns as a Parquet file."""
    import pyarrow.parquet as pq  # a tenth of a second that other formats need not wait for

    # pyarrow itself opens no path that is not UTF-8
    with open_draft(to) as part, part.open("wb") as file:
        pq.write_table(_arrow(rows), file)


def dataframe(rows: Sequence[Line], kind: type[Line] = ResultRow) -> Any:
    """The same columns as a frame of pandas, where that is installed, or of polars; else as a table
    of pyarrow. Without rows their kind says the columns.
    """
    table = _arrow(rows, kind)
    try:
        import pandas  # noqa: F401
    except ImportError:
        try:
            import polars
        except ImportError:
            return table
        return polars.from_arrow(table)
    return table.to_pandas()


def _arrow(rows: Sequence[Line], kind: type[Line] = ResultRow) -> Any:
    """Rows as a table of Arrow."""
    import pyarrow as pa

    kinds = {
        "str": pa.string(),
        "Kind": pa.string(),
        "float": pa.float64(),
        "int": pa.int64(),
        "bool": pa.bool_(),
    }
    columns = _columns(_kind(rows, kind))
    schema = pa.schema([(name, kinds[of]) for name, of in columns.items()])
    return pa.Table.from_pylist([_storable(plain(row)) for row in rows], schema)
