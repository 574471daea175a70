"""States of long fits beside the place of their results; they are removed as soon as these are
there.
"""

from __future__ import annotations

import contextlib
import logging
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from lingprobe.data.checkpoints import State
from lingprobe.store.blocks import Damaged, StoreProblem, open_block, set_aside, write

SUFFIX = ".fit"
EVERY = 600.0  # seconds between two states that are kept; shorter fits keep none
log = logging.getLogger("lingprobe.store")


class Checkpoints:
    """The states of the fits of one unit of work, by the place of its results."""

    def __init__(self, place: Path) -> None:
        self.place, self.last = place, time.monotonic()

    @property
    def any(self) -> bool:
        return bool(_files(self.place))

    @property
    def due(self) -> bool:
        return time.monotonic() - self.last >= EVERY

    def find(self, name: str) -> State | None:
        if (block := open_block(path := self._file(name))) is None:
            return None
        try:
            return State(block.facts, {each: block.array(each) for each in block.arrays})
        except Damaged as damage:
            set_aside(path, damage)
            return None

    def keep(self, name: str, state: State) -> None:
        try:
            write(self._file(name), "fit", state.facts, state.arrays)
        except StoreProblem as problem:  # the fit goes on; it can only not be gone on with
            log.warning("no state of a long fit is kept: %s", problem)
        self.last = time.monotonic()

    def _file(self, name: str) -> Path:
        return self.place.with_name(f"{self.place.name}.{name}{SUFFIX}")


def forget(place: Path) -> None:
    """The results that belong at a place are there now."""
    for path in _files(place):
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


class Left(NamedTuple):
    """What is kept of the fits of a place: when it was kept last, in UTC ('' for nothing), and how
    much room it takes.
    """

    kept: str
    bytes: int


def kept_states(place: Path) -> Left:
    """What is kept of the fits of a place."""
    with contextlib.suppress(OSError):
        if stats := [path.stat() for path in _files(place)]:
            newest = datetime.fromtimestamp(max(stat.st_mtime for stat in stats), UTC)
            return Left(newest.isoformat(timespec="seconds"), sum(stat.st_size for stat in stats))
    return Left("", 0)


def left_places(results: Path) -> list[Path]:
    """The places in a folder of results of which states of fits are kept."""
    return sorted({path.with_suffix("").with_suffix("") for path in results.glob(f"*{SUFFIX}")})


def _files(place: Path) -> list[Path]:
    return sorted(place.parent.glob(f"{place.name}.*{SUFFIX}"))
