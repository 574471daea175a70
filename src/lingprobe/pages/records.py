"""Rows for programs: CSV and Parquet."""

from __future__ import annotations

import csv as csv_module
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields, is_dataclass
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lingprobe.analysis.frame import FrameRow, ResultFrame
from lingprobe.analysis.score_columns import SCORE_FIELDS
from lingprobe.data.cache import escape_surrogates, open_draft
from lingprobe.data.printing import strip_unprintable
from lingprobe.tables.table import escape_formula

if TYPE_CHECKING:
    from _typeshed import DataclassInstance as Line

Lines = Sequence[Any] | ResultFrame
"""Values of one class with columns as fields, or rows of scores."""
_READ_SCORE = attrgetter(*SCORE_FIELDS)
_TINY = 1e-4  # below, as p values may be, four decimals would be zeros


def format_csv(rows: Lines) -> str:
    """One line a row, a header first; scores are percent with every digit that matters.

    A name that a spreadsheet would compute has a space in front, and nothing moves a cursor.
    """
    return _format_csv_lines(_columns(rows), (flatten_row(row).values() for row in rows))


def format_frame_csv(frame: ResultFrame) -> str:
    """The same of a frame."""
    return _format_csv_lines(frame.names, frame)


def _format_csv_lines(names: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    out = io.StringIO()
    writer = csv_module.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(map(_format_csv_cell, row) for row in rows)
    return out.getvalue()


def _format_csv_cell(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.3e}" if 0 < abs(value) < _TINY else f"{value:.4f}"
    return escape_formula(strip_unprintable(value)) if isinstance(value, str) else value


def _columns(rows: Lines, kind: type[Line] | None = None) -> dict[str, str]:
    """The columns with their types; without rows those of a kind, or of scores."""
    line: Any = rows[0] if rows and is_dataclass(rows[0]) else kind
    if line is None:
        return {name: type(unknown).__name__ for name, unknown in SCORE_FIELDS.items()}
    return {f.name: str(f.type) for f in fields(line)}


def flatten_row(row: Line | FrameRow) -> dict[str, Any]:
    """The columns of a row, with their values."""
    if is_dataclass(row):
        return asdict(row)  # type: ignore[arg-type]
    return dict(zip(SCORE_FIELDS, _READ_SCORE(row), strict=True))


def _storable(row: dict[str, Any]) -> dict[str, Any]:
    return {
        key: escape_surrogates(value) if isinstance(value, str) else value
        for key, value in row.items()
    }


def write_records_parquet(rows: Lines, to: Path) -> None:
    """The same columns as a Parquet file."""
    import pyarrow.parquet as pq  # a tenth of a second that other formats need not wait for

    # pyarrow itself opens no path that is not UTF-8
    with open_draft(to) as part, part.open("wb") as file:
        pq.write_table(_arrow(rows), file)


def make_dataframe(rows: Lines, kind: type[Line] | None = None) -> Any:
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


def _arrow(rows: Lines, kind: type[Line] | None = None) -> Any:
    """Rows as a table of Arrow."""
    import pyarrow as pa

    kinds = {
        "str": pa.string(),
        "float": pa.float64(),
        "int": pa.int64(),
        "bool": pa.bool_(),
    }
    columns = _columns(rows, kind)
    schema = pa.schema([(name, kinds[of]) for name, of in columns.items()])
    return pa.Table.from_pylist([_storable(flatten_row(row)) for row in rows], schema)
