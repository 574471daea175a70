"""Experiments on disk: which results were asked for together. A record is written before anything
is measured.

A stopped run leaves the record and what it has measured, so that a report can say what is missing.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe.data.digests import digest_pieces
from lingprobe.store.blocks import (
    RESULT_FILE_SUFFIXES,
    StoreProblem,
    list_folder_files,
    open_block,
    write_block_file,
)

_SUFFIX = ".experiment"

log = logging.getLogger("lingprobe.store")


class TrialUnit(NamedTuple):
    """A unit of work: trials that share their fit.

    task, control, encoder, probe  their references
    vectors  the folder of the encoder's vectors in the cache; '' where they are not kept
    ids      what its results are stored under
    part     which it is of the units that only reads or seeds tell apart
    """

    task: str
    control: str
    encoder: str
    probe: str
    vectors: str
    ids: tuple[str, ...]
    part: int = 0


@dataclass(frozen=True, slots=True)
class ExperimentRecord:
    """Trials that were asked for together, by what their results are stored under, in the order in
    which they were asked for, and when they last were.

    units  the units of work that they are; () where an earlier version wrote it down
    """

    ids: tuple[str, ...]
    date: str
    units: tuple[TrialUnit, ...] = ()


def record_experiment(root: Path, ids: Sequence[str], units: Sequence[TrialUnit] = ()) -> None:
    """Note that these were asked for together now; a folder that cannot be written keeps its
    results all the same.
    """
    numbers = {each: number for number, each in enumerate(ids)}
    rows = [[*unit[:5], [numbers[each] for each in unit.ids], unit.part] for unit in units]
    name = digest_pieces("\n".join(sorted(ids))) + _SUFFIX
    date = datetime.now(UTC).isoformat(timespec="microseconds")
    facts = {"date": date, "ids": list(ids), "units": rows}
    try:
        write_block_file(root / name, "experiment", facts, {})
    except StoreProblem as problem:
        log.info("%s", problem)


def list_experiments(root: Path) -> list[ExperimentRecord]:
    """The experiments of a folder, the last one first."""
    return sorted(_read_experiments(root), key=lambda e: e.date, reverse=True)


def _read_experiments(root: Path) -> Iterator[ExperimentRecord]:
    for _, name in list_folder_files(root, *RESULT_FILE_SUFFIXES):
        if name.endswith(_SUFFIX) and (block := open_block(root / name)) is not None:
            ids = tuple(block.facts["ids"])
            units = tuple(_unit(ids, row) for row in block.facts.get("units", ()))
            yield ExperimentRecord(ids, str(block.facts["date"]), units)


def _unit(ids: Sequence[str], row: Sequence[Any]) -> TrialUnit:
    """A unit as it was written down, at first without its part."""
    return TrialUnit._make((*row[:5], tuple(ids[n] for n in row[5]), *(row[6:] or (0,))))
