"""Things shaped like the builtin map, over groups of trials: `map` itself runs them here, `processes` beside each other."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable, Iterator

from sonde.experiment.measure import Group, Measured
from sonde.experiment.run import Mapper


def processes(count: int) -> Mapper:
    """A mapper over `count` worker processes; results come back in the order of the groups.

    Each worker reads vectors from the cache and writes its results to the store, so little travels between processes.
    """

    def mapper(function: object, groups: Iterable[Group]) -> Iterator[Measured]:
        with multiprocessing.get_context("spawn").Pool(count) as pool:
            yield from pool.imap(function, groups)  # type: ignore[arg-type]

    return mapper


def local(jobs: int) -> Mapper:
    """The builtin map for one job, processes for more."""
    return map if jobs <= 1 else processes(jobs)
