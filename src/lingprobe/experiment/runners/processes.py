"""A mapper over processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any, TypeVar

from lingprobe.data._foreign_code import import_file, imported_files, one_line
from lingprobe.data.cache import environment
from lingprobe.experiment.runners import Lost, Mapper, RunnerProblem, Workers, in_order
from lingprobe.nets.precision import passing_on

T = TypeVar("T")
U = TypeVar("U")
Function = Callable[[Any], Any]


@dataclass(frozen=True)
class Processes:
    """So many processes that fit beside each other, each with its share of the cores; this one
    encodes, with all of them.
    """

    count: int

    def workers(self, folders: Sequence[Path]) -> AbstractContextManager[Workers]:
        """The workers; they see what this machine sees."""
        return nullcontext(Workers(fit=processes(self.count), processes=self.count))


def processes(count: int) -> Mapper:
    """A mapper over `count` worker processes.

    Each worker reads vectors from the cache and writes its results to the store, so little travels
    between processes. Where one is killed, as a system does that is short of memory, its item is
    lost and the others go on.
    """

    def mapper(function: Callable[[T], U], items: Iterable[T]) -> Iterator[U | Lost]:
        threads = str(max(1, (os.cpu_count() or 1) // count))
        # libraries read this once, as they are imported; more threads than cores make all of them
        # wait for each other
        with environment("OMP_NUM_THREADS", threads, keep=True), passing_on():
            yield from in_order(_answers(function, items, count))

    return mapper


class _Worker:
    """A process that works on one item after another, and the number of the one it is at."""

    def __init__(self, function: Function) -> None:
        context = multiprocessing.get_context("spawn")
        self.here, there = context.Pipe()
        self.process = context.Process(
            target=_serve, args=(function, there, imported_files()), daemon=True
        )
        self.process.start()
        there.close()  # so that the pipe ends when the process does
        self.ready = self.ended = False
        self.number = -1

    def give(self, number: int, item: object) -> None:
        """Send an item over, or a few words on why it cannot be sent, for the worker to say."""
        self.number = number
        try:
            parcel = ForkingPickler.dumps(item)
        except Exception as error:
            why = (
                f"cannot be sent to another process ({one_line(error)}): define it in a file"
                " (mine.py@thing), or use one job"
            )
            parcel = ForkingPickler.dumps(Lost(why))
        with suppress(OSError):  # where it has ended; `answer` finds out how
            self.here.send_bytes(parcel)

    def answer(self) -> Any:
        """What became of the item; None while there is no answer yet."""
        try:
            answer = self.here.recv()
        except (EOFError, OSError):
            self.ended = True
            self.process.join()
            return Lost(self._end())
        self.ready = True
        return answer

    def _end(self) -> str:
        code = self.process.exitcode or 0
        if not self.ready:
            raise RunnerProblem(
                f"worker processes end as they start (exit code {code}): a script that uses several"
                " jobs has to begin its work below `if __name__ == '__main__':`"
            )
        if code < 0:
            return (
                f"its process was killed ({signal.Signals(-code).name}; systems do that when memory"
                " runs out): run the same again with fewer jobs; everything else is kept"
            )
        return f"its process ended by itself (exit code {code})"


def _serve(function: Function, there: Connection[Any, Any], files: Sequence[Path]) -> None:
    """Work on what comes, until the other end is closed; things may come from users' files."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this process stops it
    there.send(None)
    for file in files:
        import_file(file)
    while True:
        try:
            message = there.recv()
        except EOFError:
            return
        except Exception as error:
            message = Lost(f"cannot be read by another process ({one_line(error)}): use one job")
        there.send(message if isinstance(message, Lost) else function(message))


def _answers(
    function: Callable[[T], U], items: Iterable[T], count: int
) -> Iterator[tuple[int, U | Lost]]:
    """What became of each item, with its number, in the order in which they end."""
    todo = enumerate(items)
    workers: list[_Worker] = []
    idle: list[_Worker] = []
    busy: list[_Worker] = []
    try:
        while True:
            while len(busy) < count and (job := next(todo, None)) is not None:
                if not idle:
                    idle.append(_Worker(function))
                    workers.append(idle[0])
                worker = idle.pop()
                busy.append(worker)
                worker.give(*job)
            if not busy:
                return
            ready = wait([worker.here for worker in busy])
            for worker in [worker for worker in busy if worker.here in ready]:
                if (answer := worker.answer()) is not None:
                    busy.remove(worker)
                    if worker.ended:
                        workers.remove(worker)
                    else:
                        idle.append(worker)
                    yield worker.number, answer
    finally:
        for worker in workers:
            worker.process.terminate()
        for worker in workers:
            worker.process.join()
            worker.here.close()
