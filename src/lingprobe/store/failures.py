"""Why units of work failed: a note beside the place of their results, for `lingprobe cluster
status` and for others who share the work. The next run tries them again; a result makes the note
void.
"""

from __future__ import annotations

import contextlib
import logging
import socket
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from lingprobe.store.blocks import StoreProblem, open_block, write_block_file

_SUFFIX = ".failed"

log = logging.getLogger("lingprobe.store")


@dataclass(frozen=True, slots=True)
class UnitFailure:
    """Why a unit failed, where, and when."""

    why: str
    machine: str
    date: str


def note_failure(place: Path, reason: str) -> None:
    """Say why what belongs at a place could not be made; a folder that cannot be written does
    without.
    """
    facts = {
        "why": reason,
        "machine": socket.gethostname(),
        "date": datetime.now(UTC).isoformat(timespec="microseconds"),
    }
    try:
        write_block_file(_file(place), "failure", facts, {})
    except StoreProblem as problem:
        log.info("%s", problem)


def forget_failure(place: Path) -> None:
    """What belongs at a place is there now."""
    with contextlib.suppress(OSError):
        _file(place).unlink(missing_ok=True)


def failure_of(place: Path) -> UnitFailure | None:
    """Why what belongs at a place failed last; None where it did not."""
    block = open_block(_file(place))
    return None if block is None else UnitFailure(**block.facts)


def _file(place: Path) -> Path:
    return place.with_name(place.name + _SUFFIX)
