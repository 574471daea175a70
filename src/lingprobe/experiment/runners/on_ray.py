"""A run on a cluster of Ray: one actor a GPU encodes, others fit; all of them see one store.

https://docs.ray.io
"""

from __future__ import annotations

import os
import pickle
import re
import socket
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, auto
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any, TypeVar

from lingprobe.data._foreign_code import import_file, imported_files, one_line
from lingprobe.data.cache import set_environment
from lingprobe.data.errors import describe_install
from lingprobe.experiment.agreement import MachineProfile
from lingprobe.experiment.runners import (
    LostItem,
    MapFunction,
    RunnerProblem,
    WorkerPool,
    restore_order,
)
from lingprobe.experiment.runners.setting import WorkerEnvironment, mark_folders
from lingprobe.nets.device import fits_elsewhere

T = TypeVar("T")
U = TypeVar("U")

_ATTEMPTS = 3  # workers that an item may be lost with
_PATIENCE = 10.0  # seconds in which a cluster must answer
_LOOK = 10.0  # seconds between two looks at which nodes there are


@dataclass(frozen=True)
class OnRay:
    """Workers on a cluster of Ray.

    address  of the cluster, as 10.0.0.1:6379; $RAY_ADDRESS, or the one of this machine, which is
             started where there is none, without
    cpus     threads of each worker
    gpus     of each worker that encodes, as 0.5; 1 where the cluster has any, without
    """

    address: str | None = None
    cpus: int = 1
    gpus: float | None = None

    @contextmanager
    def workers(self, folders: Sequence[Path]) -> Iterator[WorkerPool]:
        """Workers as long as the block runs; what runs inside computes as they do. RunnerProblem
        where the cluster cannot be reached or a node does not see the folders.
        """
        if self.cpus < 1 or (self.gpus or 0) < 0:
            raise RunnerProblem(f"a worker with {self.cpus} cpus and {self.gpus} gpus does nothing")
        with _connect_ray(self.address) as ray:
            gpus = self._gpus(ray)
            with mark_folders(folders) as marks, set_environment("OMP_NUM_THREADS", str(self.cpus)):
                setting = WorkerEnvironment(marks, cwd=Path.cwd(), threads=self.cpus)
                machine = _Crew(ray, setting, self.cpus, gpus).machine()
                with machine.adopt():
                    setting = setting.with_machine(machine)
                    encoding = _Crew(ray, setting, self.cpus, gpus)
                    alike = not gpus or fits_elsewhere()
                    fitting = encoding if alike else _Crew(ray, setting, self.cpus, 0)
                    try:
                        yield WorkerPool(_mapper(encoding, fitting), _mapper(fitting, encoding))
                    finally:
                        encoding.dismiss()
                        fitting.dismiss()

    def _gpus(self, ray: Any) -> float:
        there = ray.cluster_resources().get("GPU", 0)
        gpus = min(1.0, there) if self.gpus is None else self.gpus
        if gpus > there:
            raise RunnerProblem(
                f"the cluster of Ray has {there:g} GPUs, not the {gpus:g} asked for"
            )
        return float(gpus)


@contextmanager
def _connect_ray(address: str | None) -> Iterator[Any]:
    """Which Ray cluster a run uses: by the address, $RAY_ADDRESS, that of this machine, or one that
    is started; a connection that was there stays.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anybody
    # what an actor without GPUs sees of them is up to us
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError:
        raise RunnerProblem(f"jobs=ray needs Ray: {describe_install('cluster')}") from None
    if ray.is_initialized():
        yield ray
        return
    address = address or os.environ.get("RAY_ADDRESS")
    try:
        if address and (place := re.fullmatch(r"(?:ray://)?([^:/]+):([0-9]+)", address)):
            # Ray itself tries for minutes
            socket.create_connection((place[1], int(place[2])), _PATIENCE).close()
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except Exception as error:
        raise RunnerProblem(
            f"Ray cannot use {address or 'a cluster of this machine'} ({one_line(error)}): start"
            " one with `ray start --head`, and write --jobs ray:ADDRESS"
        ) from error
    try:
        yield ray
    finally:
        ray.shutdown()


class _Actor:
    """A process on a node."""

    def __init__(self) -> None:
        self.function: Callable[[Any], Any] | None = None

    def adopt(self, setting: WorkerEnvironment, gpus: float) -> None:
        """Get ready; RunnerProblem names the node that cannot."""
        try:
            setting.adopt(gpus)
        except RunnerProblem as problem:
            raise RunnerProblem(f"node {socket.gethostname()} {problem}") from None

    def learn(self, files: Sequence[Path], places: Sequence[str], function: bytes) -> None:
        """What to do with items; things may come from users' files, which are imported first, with
        the places where the run looks for modules.
        """
        sys.path.extend(place for place in places if place not in sys.path)
        for file in files:
            import_file(file)
        self.function = pickle.loads(function)  # noqa: S301

    def do(self, payload: bytes) -> Any:
        """What the function makes of an item."""
        assert self.function is not None
        return self.function(pickle.loads(payload))  # noqa: S301

    def machine(self) -> MachineProfile:
        """What it computes with."""
        return MachineProfile.current(1)


@dataclass(frozen=True)
class _Crew:
    """Workers of one kind, as many as the cluster has room for.

    idle  those that are ready and have nothing to do
    """

    ray: Any
    setting: WorkerEnvironment
    cpus: int
    gpus: float
    idle: list[Any] = field(default_factory=list)

    def hire_worker(self) -> Any:
        """A worker that is asked to get ready, and the answer that it will give."""
        kind = self.ray.remote(_Actor)
        actor = kind.options(num_cpus=self.cpus, num_gpus=self.gpus, max_restarts=0).remote()
        return actor, actor.adopt.remote(self.setting, self.gpus)

    def dismiss(self) -> None:
        """Leave the room that idle workers take to others."""
        while self.idle:
            self.ray.kill(self.idle.pop())

    def room(self) -> int:
        """How many workers the nodes have room for that are there now; 1 at least, who waits."""
        room = 0
        for node in self.ray.nodes():
            there = node["Resources"] if node["Alive"] else {}
            fits = int(there.get("CPU", 0) // self.cpus)
            room += min(fits, int(there.get("GPU", 0) / self.gpus)) if self.gpus else fits
        return max(1, room)

    def machine(self) -> MachineProfile:
        """What its workers compute with, as the first one says."""
        actor, ready = self.hire_worker()
        try:
            self.ray.get(ready)
            machine: MachineProfile = self.ray.get(actor.machine.remote())
            return machine
        except self.ray.exceptions.RayError as error:
            raise _cause(self.ray, error) from error
        finally:
            self.ray.kill(actor)


def _mapper(crew: _Crew, other: _Crew) -> MapFunction:
    """A mapper over a crew; the other one makes room for it."""

    def mapper(function: Callable[[T], U], items: Iterable[T]) -> Iterator[U | LostItem]:
        if other is not crew:
            other.dismiss()
        yield from restore_order(_Work(crew, function, items).answers())

    return mapper


class _Step(Enum):
    """What a worker does before its first item."""

    ADOPTS = auto()
    LEARNS = auto()
    LEARNS_ANEW = auto()  # it was there before


class _Work:
    """Items on their way through workers that come and go."""

    def __init__(self, crew: _Crew, function: Callable[[Any], Any], items: Iterable[Any]) -> None:
        self.crew, self.function = crew, crew.ray.put(_parcel(function))
        self.items = enumerate(items)
        self.waiting: deque[tuple[int, bytes]] = deque()
        self.idle: list[Any] = []
        # by the answer that is waited for: who gives it, and over which item
        self.busy: dict[Any, tuple[Any, tuple[int, bytes]]] = {}
        self.coming: dict[Any, tuple[Any, _Step]] = {}
        self.lost: Counter[int] = Counter()
        self.deaths = 0

    def answers(self) -> Iterator[tuple[int, Any]]:
        """What became of each item, with its number, as answers come."""
        ray = self.crew.ray
        try:
            while True:
                room = self.crew.room()
                yield from self._fetch(room)
                while self.waiting and self.idle:
                    actor, item = self.idle.pop(), self.waiting.popleft()
                    self.busy[actor.do.remote(item[1])] = actor, item
                self._hire(room)
                if not self.busy and not self.waiting:
                    return
                asked = [*self.busy, *self.coming]
                for reference in ray.wait(asked, num_returns=1, timeout=_LOOK)[0]:
                    yield from self._answer(reference)
        finally:
            self.crew.idle.extend(self.idle)
            for actor, _ in (*self.busy.values(), *self.coming.values()):
                ray.kill(actor)

    def _hire(self, room: int) -> None:
        """Have a worker get ready for each item that waits for one, of those at hand first."""
        for _ in range(min(len(self.waiting), room - len(self.busy)) - len(self.coming)):
            if self.crew.idle:
                self._teach(self.crew.idle.pop(), _Step.LEARNS_ANEW)
            else:
                actor, ready = self.crew.hire_worker()
                self.coming[ready] = actor, _Step.ADOPTS

    def _teach(self, actor: Any, step: _Step) -> None:
        self.coming[actor.learn.remote(imported_files(), sys.path, self.function)] = actor, step

    def _fetch(self, room: int) -> Iterator[tuple[int, LostItem]]:
        """Have an item ready for each worker that could take one; those that cannot be sent are
        Lost.
        """
        while len(self.waiting) + len(self.busy) < room:
            if (job := next(self.items, None)) is None:
                return
            number, item = job
            try:
                self.waiting.append((number, _parcel(item)))
            except Exception as error:
                yield number, LostItem(f"cannot be sent to another process ({one_line(error)})")

    def _answer(self, reference: Any) -> Iterator[tuple[int, Any]]:
        """What an answer says of an item; nothing where a worker got ready, or where the item goes
        to another worker.
        """
        ray, item, step = self.crew.ray, None, None
        if reference in self.coming:
            actor, step = self.coming.pop(reference)
        else:
            actor, item = self.busy.pop(reference)
        try:
            said = ray.get(reference)
        except ray.exceptions.RayActorError as error:
            if step is not _Step.LEARNS_ANEW:  # its node may have left while it was idle
                yield from self._handle_death(item, error)
            return
        except ray.exceptions.RayError as error:
            raise _cause(ray, error) from error
        if step is _Step.ADOPTS:
            self._teach(actor, _Step.LEARNS)
            return
        self.idle.append(actor)
        self.deaths = 0
        if item is not None:
            yield item[0], said

    def _handle_death(
        self, item: tuple[int, bytes] | None, error: Exception
    ) -> Iterator[tuple[int, LostItem]]:
        """The block or fit of a worker that dies goes to another; work that took three workers down
        counts as failed.
        """
        if item is None:
            self.deaths += 1
            if self.deaths >= _ATTEMPTS:
                raise RunnerProblem(f"workers of Ray end as they start: {_why(error)}") from error
            return
        self.lost[item[0]] += 1
        if self.lost[item[0]] < _ATTEMPTS:
            self.waiting.appendleft(item)
            return
        yield (
            item[0],
            LostItem(
                f"{_ATTEMPTS} Ray workers died on it, the last because {_why(error)}; where memory"
                " ran out, give each more of a node: --jobs ray,cpus=4"
            ),
        )


def _parcel(thing: object) -> bytes:
    return bytes(ForkingPickler.dumps(thing))


def _cause(ray: Any, error: Exception) -> Exception:
    """What went wrong in a worker, as it was raised there."""
    if isinstance(error, ray.exceptions.RayTaskError) and isinstance(error.cause, Exception):
        return error.cause
    return RunnerProblem(f"Ray: {one_line(error)}")


def _why(error: Exception) -> str:
    """Why a worker is no more, of all that Ray says about it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = next((line for line in lines if line.startswith("The actor")), one_line(error))
    return said.partition(" Worker exit detail")[0].rstrip(".")
