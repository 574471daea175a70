"""A mapper over processes of this machine."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from pickle import PicklingError
from typing import Any, TypeVar

from lingprobe.data._foreign_code import import_file, imported_files, one_line
from lingprobe.data.cache import set_environment
from lingprobe.experiment.runners import LostItem, MapFunction, WorkerPool, restore_order
from lingprobe.nets.precision import passing_on

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True)
class ProcessRunner:
    """So many processes that fit beside each other, each with its share of the cores; this one
    encodes, with all of them.
    """

    count: int

    def workers(self, folders: Sequence[Path]) -> AbstractContextManager[WorkerPool]:
        """The workers; they see what this machine sees."""
        return nullcontext(WorkerPool(fit=make_process_mapper(self.count), processes=self.count))


def make_process_mapper(count: int) -> MapFunction:
    """A mapper over `count` worker processes.

    Each worker reads vectors from the cache and writes its results to the store, so little travels
    between processes. Where one is killed, as a system does that is short of memory, its item is
    lost and the others go on.
    """

    def mapper(function: Callable[[T], U], items: Iterable[T]) -> Iterator[U | LostItem]:
        threads = str(max(1, (os.cpu_count() or 1) // count))
        # libraries read this once, as they are imported; more threads than cores make all of them
        # wait for each other
        with set_environment("OMP_NUM_THREADS", threads, keep=True), passing_on():
            yield from restore_order(_map_unordered(function, items, count))

    return mapper


def _map_unordered(
    function: Callable[[T], U], items: Iterable[T], count: int
) -> Iterator[tuple[int, U | LostItem]]:
    """What became of each item, with its number, in the order in which they end. Each worker is a
    pool of its own, since loky gives up a pool of which one process ends.
    """
    from joblib.externals.loky import ProcessPoolExecutor

    todo, idle = enumerate(items), list[Any]()
    busy: dict[Future[U], tuple[int, Any]] = {}
    try:
        while True:
            while len(busy) < count and (job := next(todo, None)) is not None:
                number, item = job
                pool = (
                    idle.pop()
                    if idle
                    else ProcessPoolExecutor(
                        1, timeout=60, initializer=_prepare, initargs=(imported_files(),)
                    )
                )
                busy[pool.submit(function, item)] = number, pool
            if not busy:
                return
            for future in wait(busy, return_when=FIRST_COMPLETED).done:
                number, pool = busy.pop(future)
                idle.append(pool)
                if isinstance(answer := _answer(future), LostItem):
                    idle.pop().shutdown(kill_workers=True)
                yield number, answer
    finally:
        for pool in [*idle, *(pool for _, pool in busy.values())]:
            pool.shutdown(kill_workers=True)


def _prepare(files: Sequence[Path]) -> None:
    """Make a worker ready: things may come from users' files."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this process stops it
    for file in files:
        import_file(file)


def _answer(future: Future[U]) -> U | LostItem:
    """What became of an item."""
    from joblib.externals.loky.process_executor import BrokenProcessPool, TerminatedWorkerError

    try:
        return future.result()
    except PicklingError as error:
        return LostItem(
            f"cannot be sent to another process ({one_line(error.__cause__ or error)}): define it"
            " in a file (mine.py@thing), or use one job"
        )
    except TerminatedWorkerError as error:
        known = re.search(r"\{(\w+)\((-?\d+)\)", str(error))
        name, code = known.groups() if known else ("", "unknown")
        if name.startswith("SIG"):
            return LostItem(
                f"its process was killed ({name}; systems do that when memory runs out): run the"
                " same again with fewer jobs; everything else is kept"
            )
        return LostItem(f"its process ended by itself (exit code {code})")
    except BrokenProcessPool as error:
        cause = error.__cause__ or error
        return LostItem(f"cannot be read by another process ({one_line(cause)}): use one job")
