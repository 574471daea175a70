"""Experiments on disk: which results were asked for together. A record is written before anything
is measured.

A stopped run leaves the record and what it has measured, so that a report can say what is missing.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sonde.store.blocks import StoreProblem, listed, opened, write

SUFFIX = ".experiment"

log = logging.getLogger("sonde.store")


@dataclass(frozen=True, slots=True)
class Experiment:
    """Trials that were asked for together, by what their results are stored under, in the order in
    which they were asked for, and when they last were.
    """

    ids: tuple[str, ...]
    date: str


def record(root: Path, ids: Collection[str]) -> None:
    """Note that these were asked for together now; a folder that cannot be written keeps its
    results all the same.
    """
    name = hashlib.blake2b("\n".join(sorted(ids)).encode(), digest_size=16).hexdigest() + SUFFIX
    facts = {"date": datetime.now(UTC).isoformat(timespec="microseconds"), "ids": list(ids)}
    try:
        write(root / name, "experiment", facts, {})
    except StoreProblem as problem:
        log.info("%s", problem)


def experiments(root: Path) -> list[Experiment]:
    """The experiments of a folder, the last one first."""
    return sorted(_read(root), key=lambda e: e.date, reverse=True)


def _read(root: Path) -> Iterator[Experiment]:
    for _, name in listed(root, SUFFIX, ".result", ".scores"):
        if name.endswith(SUFFIX) and (block := opened(root / name)) is not None:
            yield Experiment(tuple(block.facts["ids"]), str(block.facts["date"]))
