"""Rows for programs: CSV and Parquet."""

from __future__ import annotations

import csv as csv_module
import io
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from sonde.cache import draft, storable
from sonde.report.information import Bits
from sonde.report.inside import Cell
from sonde.report.layer_table import LayerRow
from sonde.report.rows import Row
from sonde.spreadsheets import safe


def csv(rows: Sequence[Row | Cell | LayerRow | Bits]) -> str:
    """One line a row, a header first; scores are percent with every digit that matters.

    A name that a spreadsheet would compute has a space in front.
    """
    out = io.StringIO()
    writer = csv_module.writer(out, lineterminator="\n")
    writer.writerow(f.name for f in fields(_kind(rows)))
    for row in rows:
        writer.writerow(map(_cell, asdict(row).values()))
    return out.getvalue()


def _cell(value: object) -> object:
    return f"{value:.4f}" if isinstance(value, float) else safe(value) if isinstance(value, str) else value


def _kind(rows: Sequence[Row | Cell | LayerRow | Bits]) -> type[Row | Cell | LayerRow | Bits]:
    return type(rows[0]) if rows else Row


def _storable(row: dict[str, Any]) -> dict[str, Any]:
    return {key: storable(value) if isinstance(value, str) else value for key, value in row.items()}


def parquet(rows: Sequence[Row | Cell], to: Path) -> None:
    """The same columns as a Parquet file."""
    import pyarrow as pa  # a tenth of a second that other formats need not wait for
    import pyarrow.parquet as pq

    kinds = {"str": pa.string(), "Kind": pa.string(), "float": pa.float64(), "int": pa.int64()}
    schema = pa.schema([(f.name, kinds[str(f.type)]) for f in fields(_kind(rows))])
    with draft(to) as part:
        pq.write_table(pa.Table.from_pylist([_storable(asdict(row)) for row in rows], schema), part)
