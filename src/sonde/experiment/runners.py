"""Things shaped like the builtin map, over batches of trials: `map` itself runs them here,
`processes` beside each other.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from pathlib import Path

from sonde._hosted import import_file, imported_files, one_line
from sonde.cache import environment
from sonde.errors import SondeError
from sonde.experiment.measure import Batch
from sonde.experiment.run import Mapper
from sonde.experiment.work import Measured

Function = Callable[[Batch], Measured]


class RunnerProblem(SondeError, ValueError):
    """Processes that cannot be used; the message says what to do."""


def processes(count: int) -> Mapper:
    """A mapper over `count` worker processes; results come back in the order of the batches.

    Each worker reads vectors from the cache and writes its results to the store, so little travels
    between processes. Where one is killed, as a system does that is short of memory, its batch has
    failed and the others go on.
    """

    def mapper(function: Function, batches: Iterable[Batch]) -> Iterator[Measured]:
        threads = str(max(1, (os.cpu_count() or 1) // count))
        # libraries read this once, as they are imported; more threads than cores make all of them
        # wait for each other
        with environment("OMP_NUM_THREADS", threads, keep=True):
            yield from _in_order(_answers(function, batches, count))

    return mapper


def local(jobs: int) -> Mapper:
    """The builtin map for one job, processes for more."""
    return map if jobs <= 1 else processes(jobs)


class _Worker:
    """A process that measures one batch after another, and the batch that it is at."""

    def __init__(self, function: Function) -> None:
        context = multiprocessing.get_context("spawn")
        self.here, there = context.Pipe()
        self.process = context.Process(
            target=_serve, args=(function, there, imported_files()), daemon=True
        )
        self.process.start()
        there.close()  # so that the pipe ends when the process does
        self.ready = self.ended = False
        self.number, self.name = -1, ""

    def give(self, number: int, batch: Batch) -> None:
        """Send a batch over, or a few words on why it cannot be sent, for the worker to say."""
        self.number, self.name = number, batch.name
        try:
            parcel = ForkingPickler.dumps(batch)
        except Exception as error:
            why = (
                f"cannot be sent to another process ({one_line(error)}): define it in a file"
                " (mine.py@thing), or use one job"
            )
            parcel = ForkingPickler.dumps(Measured(batch.name, failure=why))
        with suppress(OSError):  # where it has ended; `answer` finds out how
            self.here.send_bytes(parcel)

    def answer(self) -> Measured | None:
        """What became of the batch; None while there is no answer yet."""
        try:
            answer: Measured | None = self.here.recv()
        except (EOFError, OSError):
            self.ended = True
            self.process.join()
            return Measured(self.name, failure=self._end())
        self.ready = True
        return None if answer is None else replace(answer, name=self.name)

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


def _serve(
    function: Function, there: Connection[Measured | None, Batch | Measured], files: Sequence[Path]
) -> None:
    """Measure what comes, until the other end is closed; things may come from users' files."""
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
            message = Measured(
                "", failure=f"cannot be read by another process ({one_line(error)}): use one job"
            )
        there.send(message if isinstance(message, Measured) else function(message))


def _answers(
    function: Function, batches: Iterable[Batch], count: int
) -> Iterator[tuple[int, Measured]]:
    """What became of each batch, with its number, in the order in which they end."""
    todo = enumerate(batches)
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


def _in_order(answers: Iterable[tuple[int, Measured]]) -> Iterator[Measured]:
    """What comes with a number, by number."""
    early: dict[int, Measured] = {}
    number = 0
    for place, answer in answers:
        early[place] = answer
        while number in early:
            yield early.pop(number)
            number += 1
