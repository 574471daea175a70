"""Who does the work of a run: this process, others of this machine (`processes`), or a cluster
(`on_ray`). Each is a pair of mappers, which are shaped like the builtin map.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from lingprobe.data.errors import LingprobeError, UsageProblem
from lingprobe.data.references import Contents
from lingprobe.experiment.shards import WHOLE_WORK_SHARE, WorkShare

T = TypeVar("T")
U = TypeVar("U")


class RunnerProblem(LingprobeError, ValueError):
    """Workers that cannot be used; the message says what to do."""


@dataclass(frozen=True)
class LostItem:
    """An item of which nothing came back, with the reason."""

    why: str


class MapFunction(Protocol):
    """Anything shaped like the builtin map: what a function makes of each item, in their order.

    Items may be worked on elsewhere, so function, items and answers pickle. What could not be
    worked on is Lost.
    """

    def __call__(
        self, function: Callable[[T], U], items: Iterable[T], /
    ) -> Iterable[U | LostItem]: ...


@dataclass(frozen=True)
class WorkerPool:
    """Who encodes blocks of sentences, who fits probes, and the share of the run that comes first
    where several machines have a run each.

    processes  how many fit beside each other on this machine
    """

    encode: MapFunction = map
    fit: MapFunction = map
    shard: WorkShare = WHOLE_WORK_SHARE
    processes: int = 1


LOCAL_POOL = WorkerPool()
"""This process does everything."""


class JobRunner(Protocol):
    """What `--jobs NAME` names: workers that are there while a run lasts."""

    def workers(self, folders: Sequence[Path]) -> AbstractContextManager[WorkerPool]:
        """The workers, who must see the folders of the run as this machine does. RunnerProblem
        where they cannot be had.
        """
        ...


_RUNNERS = Contents(
    "runner",
    "lingprobe.runners",
    {
        "processes": "lingprobe.experiment.runners.processes:ProcessRunner",
        "ray": "lingprobe.experiment.runners.on_ray:OnRay",
    },
    gives="lingprobe.experiment.runners:JobRunner",
)
"""The runners that `--jobs` names, and what plugins add; a number is that of processes."""


@contextmanager
def open_workers(jobs: int | str, folders: Sequence[Path] = ()) -> Iterator[WorkerPool]:
    """Workers for a run: so many processes that fit, or those of a runner by its reference
    ('ray,cpus=2').
    """
    named = str(jobs)
    if re.fullmatch("-?[0-9]+", named):
        if int(named) < 1:
            raise UsageProblem(f"jobs={named}: give a number of at least 1, or a runner ('ray')")
        if int(named) == 1:
            yield LOCAL_POOL
            return
        named = f"processes:{named}"
    with _RUNNERS.make(named).workers(folders) as workers:
        yield workers


def restore_order(answers: Iterable[tuple[int, T]]) -> Iterator[T]:
    """What comes with a number, by number."""
    early: dict[int, T] = {}
    number = 0
    for place, answer in answers:
        early[place] = answer
        while number in early:
            yield early.pop(number)
            number += 1
