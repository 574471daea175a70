"""Rows for programs: CSV and Parquet."""

from __future__ import annotations

import csv as csv_module
import io
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lingprobe.analysis.questions import NOTHING
from lingprobe.analysis.row import Row
from lingprobe.data.cache import draft, storable
from lingprobe.data.errors import UsageProblem
from lingprobe.tables.table import safe

if TYPE_CHECKING:
    from _typeshed import DataclassInstance as Line

TINY = 1e-4  # below, as p values may be, four decimals would be zeros


def csv(rows: Sequence[Line]) -> str:
    """One line a row, a header first; scores are percent with every digit that matters.

    A name that a spreadsheet would compute has a space in front.
    """
    out = io.StringIO()
    writer = csv_module.writer(out, lineterminator="\n")
    writer.writerow(_columns(_kind(rows)))
    for row in rows:
        writer.writerow(map(_cell, plain(row).values()))
    return out.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.3e}" if 0 < abs(value) < TINY else f"{value:.4f}"
    return safe(value) if isinstance(value, str) else value


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
        if cells.pop("posed", None) is not None and isinstance(row, Row)
        else cells
    )


def _kind(rows: Sequence[Line]) -> type[Line]:
    return type(rows[0]) if rows else Row


def _storable(row: dict[str, Any]) -> dict[str, Any]:
    return {key: storable(value) if isinstance(value, str) else value for key, value in row.items()}


def parquet(rows: Sequence[Line], to: Path) -> None:
    """The same columns as a Parquet file."""
    import pyarrow.parquet as pq  # a tenth of a second that other formats need not wait for

    # pyarrow itself opens no path that is not UTF-8
    with draft(to) as part, part.open("wb") as file:
        pq.write_table(_arrow(rows), file)


def dataframe(rows: Sequence[Line]) -> Any:
    """The same columns as a pandas DataFrame; UsageProblem where pandas is not installed."""
    try:
        import pandas  # noqa: F401
    except ImportError:
        raise UsageProblem(
            "a DataFrame needs pandas: pip install pandas; the same columns are written without it"
            " by page.write('results.parquet')"
        ) from None
    return _arrow(rows).to_pandas()


def _arrow(rows: Sequence[Line]) -> Any:
    """Rows as a table of Arrow."""
    import pyarrow as pa

    kinds = {
        "str": pa.string(),
        "Kind": pa.string(),
        "float": pa.float64(),
        "int": pa.int64(),
        "bool": pa.bool_(),
    }
    schema = pa.schema([(name, kinds[of]) for name, of in _columns(_kind(rows)).items()])
    return pa.Table.from_pylist([_storable(plain(row)) for row in rows], schema)
