"""Things shaped like the builtin map, over groups of trials: `map` itself runs them here, `processes` beside each other."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from sonde.experiment.measure import Group
from sonde.experiment.run import Mapper
from sonde.experiment.work import Measured


def processes(count: int) -> Mapper:
    """A mapper over `count` worker processes; results come back in the order of the groups.

    Each worker reads vectors from the cache and writes its results to the store, so little travels between processes.
    """

    def mapper(function: object, groups: Iterable[Group]) -> Iterator[Measured]:
        threads = str(max(1, (os.cpu_count() or 1) // count))
        # libraries read this once, as they are imported; more threads than cores make all of them wait for each other
        with _environment("OMP_NUM_THREADS", threads), multiprocessing.get_context("spawn").Pool(count) as pool:
            yield from pool.imap(function, groups)  # type: ignore[arg-type]

    return mapper


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """An environment variable for the processes that are started inside; the caller's own value stands."""
    before = os.environ.get(name)
    os.environ.setdefault(name, value)
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]


def local(jobs: int) -> Mapper:
    """The builtin map for one job, processes for more."""
    return map if jobs <= 1 else processes(jobs)
