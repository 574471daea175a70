"""Results as files that people open, beside the store: `MODEL/TASK.json` for each model and task,
and all of them as one table, `results.parquet`.
"""

from __future__ import annotations

import importlib.metadata
import json
import logging
import math
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from lingprobe.analysis.frame import FrameRow, ResultFrame
from lingprobe.analysis.score_columns import compute_scores
from lingprobe.data.cache import FileProblem, write_text
from lingprobe.data.digests import digest_pieces
from lingprobe.data.references import is_code_allowed
from lingprobe.experiment.newest import keep_newest
from lingprobe.experiment.paths import RunPaths
from lingprobe.pages.captions import shorten_task
from lingprobe.pages.records import flatten_row, write_records_parquet
from lingprobe.store.results import RESULT_SUFFIX

log = logging.getLogger("lingprobe.results")
_TABLE = "results.parquet"
_TRIES = 3  # while other runs go on measuring
_LONGEST = 120  # bytes of a file's name, but for its digest and suffix


def refresh_open_files(folder: Path) -> None:
    """Write what people open of a folder of results, all that lies there, if a result is newer than
    the table; FileProblem where it cannot be written.

    The table is dated as the last result that it has, and looked at again: what another run has
    measured meanwhile is not lost by whoever writes last.
    """
    for _ in range(_TRIES):
        last = max((_date(file) for file in folder.glob(f"*{RESULT_SUFFIX}")), default=0)
        if last <= _date(folder / _TABLE):
            return
        known = keep_newest(result for _, result in RunPaths.of(folder).result_store().read())
        write_files(compute_scores(_select_computable(ResultFrame.of(known))), folder)
        os.utime(folder / _TABLE, ns=(last, last))


def refresh_named(folder: Path, output: str | Path | None) -> dict[str, str]:
    """Write results.parquet and MODEL/TASK.json of a folder, if the user named one; where that
    fails the results are there all the same, and why is a failure of the run.
    """
    try:
        if output is not None:
            refresh_open_files(folder)
    except FileProblem as problem:
        return {_TABLE: f"{problem}; all results are kept, and the same command writes it"}
    return {}


def _select_computable(frame: ResultFrame) -> ResultFrame:
    """The rows whose metric can be computed here; a warning says which cannot."""
    lost = {metric for metric in frame.column("metric") if not is_code_allowed(metric)}
    if lost:
        log.warning(
            "%s leaves out results with %s, which is code that this command does not run;"
            " `lingprobe report --trust` shows them",
            _TABLE,
            ", ".join(sorted(lost)),
        )
    return frame.where(metric=tuple({*frame.column("metric")} - lost))


def _date(file: Path) -> int:
    """When a file was written, in nanoseconds; 0 where it is not there."""
    try:
        return file.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def write_files(rows: ResultFrame, folder: Path) -> None:
    """Write results.parquet, a row for each encoder, layer, probe and control on a task, and
    MODEL/TASK.json with the same rows; the table comes last: where it is, the others are.
    """
    models = make_file_names({row.encoder for row in rows}, {_TABLE})
    tasks = make_file_names({row.task for row in rows})
    groups: dict[Path, list[FrameRow]] = {}
    for row in rows:
        place = folder / models[row.encoder] / f"{tasks[row.task]}.json"
        groups.setdefault(place, []).append(row)
    for place, mine in groups.items():
        write_text(place, _format_json_rows(mine))
    write_records_parquet(rows, folder / _TABLE)


def make_file_names(names: Iterable[str], used_names: Iterable[str] = ()) -> dict[str, str]:
    """A name of a file for each of some names: one that any system takes, that lies in its folder,
    and that no other of them has, whatever the system makes of capitals.
    """
    used, chosen = {name.casefold() for name in used_names}, dict[str, str]()
    for name in sorted(names):
        file = file_name(shorten_task(name))
        while file.casefold() in used:
            file = f"{file}-{digest_pieces(name, size=4)}"
        used.add(file.casefold())
        chosen[name] = file
    return chosen


def file_name(text: str) -> str:
    """A name of a file, with `_` for characters that file names cannot have."""
    name = re.sub(r"[^A-Za-z0-9.=,+@-]+", "_", text).strip("._- ")
    return (
        name
        if 0 < len(name) <= _LONGEST
        else f"{name[:_LONGEST]}-{digest_pieces(text, size=4)}".strip("-")
    )


def _format_json_rows(rows: Sequence[FrameRow]) -> str:
    """What one model scores on one task: a row for each layer, probe and control."""
    content = {
        "model": rows[0].encoder,
        "task": rows[0].task,
        "written_by": f"lingprobe {importlib.metadata.version('lingprobe')}",
        "scores": [{key: _value(value) for key, value in flatten_row(row).items()} for row in rows],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _value(value: Any) -> Any:
    """A value as JSON has it, which has no NaN."""
    return None if isinstance(value, float) and math.isnan(value) else value
