"""Rows for programs: CSV, Parquet, and JSON in the manner of MTEB's task results."""

from __future__ import annotations

import csv as csv_module
import importlib.metadata
import io
import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from sonde.report.inside import Cell
from sonde.report.layer_table import LayerRow
from sonde.report.rows import PERCENT, Row


def csv(rows: Sequence[Row | Cell | LayerRow]) -> str:
    """One line a row, a header first; scores are percent with every digit that matters."""
    out = io.StringIO()
    writer = csv_module.writer(out, lineterminator="\n")
    writer.writerow(f.name for f in fields(_kind(rows)))
    for row in rows:
        writer.writerow([f"{value:.4f}" if isinstance(value, float) else value for value in asdict(row).values()])
    return out.getvalue()


def _kind(rows: Sequence[Row | Cell | LayerRow]) -> type[Row | Cell | LayerRow]:
    return type(rows[0]) if rows else Row


def parquet(rows: Sequence[Row | Cell], to: Path) -> None:
    """The same columns as a Parquet file."""
    import pyarrow as pa  # a tenth of a second that other formats need not wait for
    import pyarrow.parquet as pq

    kinds = {"str": pa.string(), "Kind": pa.string(), "float": pa.float64(), "int": pa.int64()}
    schema = pa.schema([(f.name, kinds[str(f.type)]) for f in fields(_kind(rows))])
    draft = to.with_name(to.name + ".part")
    pq.write_table(pa.Table.from_pylist([asdict(row) for row in rows], schema), draft)
    draft.replace(to)


def mteb(rows: Sequence[Row]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(model, task, task result) for each encoder and task; a layer, a probe and a control make a subset."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.encoder, row.task), []).append(row)
    for (encoder, task), mine in groups.items():
        alone = len(mine) == 1
        yield (
            encoder,
            task,
            {
                "task_name": task,
                "model_name": encoder,
                "dataset_revision": None,
                "mteb_version": None,
                "sonde_version": importlib.metadata.version("sonde"),
                "evaluation_time": None,
                "kg_co2_emissions": None,
                "scores": {"test": [_score(row, alone) for row in mine]},
            },
        )


def _score(row: Row, alone: bool) -> dict[str, Any]:
    subset = "default" if alone else f"layer={row.layer},probe={row.probe},control={row.control}"
    shares = {name: _plain(getattr(row, name) / PERCENT) for name in ("score", "low", "high", "majority")}
    return {
        "hf_subset": subset,
        "languages": [],
        "main_score": shares["score"],
        row.metric: shares["score"],
        **{name: shares[name] for name in ("low", "high", "majority")},
        **{name: getattr(row, name) for name in ("layer", "probe", "control", "n", "seeds", "folds", "train", "unusable", "cut", "unseen")},
    }


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 6)


def mteb_lines(rows: Sequence[Row]) -> str:
    """One task result a line."""
    return "".join(json.dumps(result, ensure_ascii=False) + "\n" for _, _, result in mteb(rows))


def mteb_folder(rows: Sequence[Row], to: Path) -> None:
    """One file a task result, in folders as MTEB lays them out: model/revision/task.json."""
    for encoder, task, result in mteb(rows):
        folder = to / _filename(encoder) / "no_revision_available"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{_filename(task)}.json").write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", "utf-8")


def _filename(text: str) -> str:
    return re.sub(r"[^\w.=,-]+", "__", text)[:150]
