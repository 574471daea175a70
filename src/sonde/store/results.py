"""Results on disk: one immutable file for each unit of work, predictions included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sonde.core import Result


class ResultStore:
    """Results in one folder, found by trial id. Damaged files are named, set aside as *.damaged, and count as missing."""

    def __init__(self, root: Path) -> None:
        self.root = Path(root)

    def write(self, unit: str, results: Sequence[tuple[str, Result]]) -> None:
        """Keep the results of one unit of work (trial id, result) as one file."""
        raise NotImplementedError

    def ids(self) -> set[str]:
        """The trial ids that have a result."""
        raise NotImplementedError

    def find(self, ids: Iterable[str]) -> dict[str, Result]:
        """The results of those of the trial ids that have one."""
        raise NotImplementedError

    def read(self) -> Iterator[tuple[str, Result]]:
        """Every result with its trial id."""
        raise NotImplementedError
