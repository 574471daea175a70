"""One run in shares: how much faster two workers are than one, what it costs to schedule a unit of
work, and, simulated from that, how long 10,000 units take on up to 1,000 workers.

    python benchmarks/cluster.py [--units 200] [--examples 1000] [--width 768]

One worker of one thread does a run alone, then two do the same anew, each with its `--shard`; their
results must be equal. A unit is a task, an encoder and a probe: seven tasks of the embedded corpus
times random bags of words. The cost of scheduling is all that a unit takes beside its fit: its
claim, reading data and vectors, and keeping results.

Costs are of a processor, so what else the machine does is not in them, nor is waiting for a disk;
the time that scheduling took by the clock is printed beside them.

The simulation deals units with lingprobe's own hash. A worker starts (imports and plans, which takes
some time and some more per unit of the run), then does its share and after it what others have left
undone. A unit costs what one of those measured did, drawn at random, and its scheduling; passing by
one that others have done or hold costs a look. Data and vectors are there, a file system answers a
thousand workers as fast as one, and nobody dies.
"""

from __future__ import annotations

import argparse
import heapq
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.experiment import work
from lingprobe.experiment.groups import FitBatch
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import TrialDesign, TrialPlan, make_plan
from lingprobe.experiment.run import run_plan
from lingprobe.experiment.runners import WorkerPool
from lingprobe.experiment.shards import WorkShare
from lingprobe.experiment.work import MeasuredBatch
from lingprobe.store.results import ResultStore

TASKS = ("obj-num", "passive", "sent-len", "subj-num", "tense", "top-deps", "tree-depth")
WORKERS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


PRODUCTS = """
import time, torch
torch.set_num_threads(1)
matrix = torch.full((192, 192), 1 / 192)
began = time.perf_counter()
for _ in range(50_000):
    torch.mm(matrix, matrix)
print(time.perf_counter() - began)
"""
"""Products of matrices that stay in a core's own cache."""

Seconds = NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """A run of so many units, of tasks with so many examples and vectors of so many numbers."""

    units: int
    examples: int
    width: int

    def planned(self, paths: RunPaths) -> TrialPlan:
        """What is measured."""
        tasks = [f"ud/{name}:embedded,limit={self.examples},fold=1/5" for name in TASKS]
        many = -(-self.units // len(tasks))
        encoders = [f"bow:random,dim={self.width},seed={n}" for n in range(many)]
        made = make_plan(TrialDesign(tasks, encoders, ["logreg"], seeds=1), paths)
        assert len(made.trials) >= self.units, made.refused
        return replace(made, trials=made.trials[: self.units])


@dataclass(frozen=True)
class Costs:
    """Seconds of a processor: of each unit's fit, of scheduling one, of passing by one, of a start,
    and of a start for each unit of the run.
    """

    fits: NDArray[np.float64]
    scheduling: float
    look: float
    start: float
    start_unit: float


def worker(asked: Asked, folder: Path, shard: str) -> None:
    """What each process does; prints the processor's seconds."""
    paths = RunPaths.of(folder / "results", folder / "cache")
    workers = WorkerPool(shard=WorkShare.parse(shard))
    outcome = run_plan(asked.planned(paths), paths, workers, progress=False)
    assert not outcome.failures, outcome.failures
    print(time.process_time())


def timed(asked: Asked, folder: Path, workers: int) -> tuple[float, list[float]]:
    """Seconds that so many workers of one thread take, and those of the processor in each."""
    command = [sys.executable, __file__, "--units", str(asked.units)]
    command += ["--examples", str(asked.examples), "--width", str(asked.width)]
    command += ["--folder", str(folder), "--shard"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    began = time.perf_counter()
    processes = [
        subprocess.Popen([*command, f"{n + 1}/{workers}"], env=environment, stdout=subprocess.PIPE)
        for n in range(workers)
    ]
    spent = [float(process.communicate()[0]) for process in processes]
    return time.perf_counter() - began, spent


def cores() -> float:
    """How much longer a process that only multiplies small matrices takes where another does the
    same: 1 on two free cores, 2 on one.
    """

    def longest(many: int) -> float:
        command = [sys.executable, "-c", PRODUCTS]
        processes = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(many)]
        return max(float(process.communicate()[0]) for process in processes)

    return longest(2) / longest(1)


def results(asked: Asked, folder: Path) -> dict[str, Any]:
    """What a run found, without times."""
    found = dict(ResultStore(folder / "results").read())
    assert len(found) == asked.units
    return {
        trial: (r.trial, r.score, r.low, r.high, r.predicted.plain(), r.gold.plain())
        for trial, r in found.items()
    }


def measured_costs(asked: Asked, folder: Path) -> Costs:
    """Costs of a run whose vectors are there, in this process; and of starts of its own, which find
    all of it done.
    """
    paths = RunPaths.of(folder / "anew", folder / "cache")
    fits, units, looks = list[Seconds](), list[Seconds](), list[Seconds]()
    batches: list[FitBatch] = []

    def clocked(
        function: Callable[[FitBatch], MeasuredBatch], todo: Iterable[FitBatch]
    ) -> Iterator[MeasuredBatch]:
        for batch in todo:
            batches.append(batch)
            yield seconds(units, function, batch)

    alone = work.fit_groups
    work.fit_groups = lambda parts: seconds(fits, alone, parts)
    run_plan(asked.planned(paths), paths, WorkerPool(fit=clocked), progress=False)
    for batch in batches:
        seconds(looks, work.measure_batch, batch, paths)
    starts = [(n, timed(replace(asked, units=n), folder, 1)[1][0]) for n in (1, asked.units)]
    (few, short), (many, long) = starts
    each = max(long - short, 0.0) / (many - few)
    spent, waited = (sum(units) - sum(fits)) / len(units)
    print(f"scheduling a unit took {1000 * spent:.1f} ms of a processor, {1000 * waited:.1f} ms")
    looked = float(np.mean(looks, 0)[0])
    return Costs(np.array(fits)[:, 0], float(spent), looked, max(short - each, 0.0), each)


def seconds(taken: list[Seconds], function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function returns; how long it takes, of a processor and of a clock, is added to a
    list.
    """
    began = np.array([time.process_time(), time.perf_counter()])
    returned = function(*arguments)
    taken.append(np.array([time.process_time(), time.perf_counter()]) - began)
    return returned


def simulated(costs: Costs, units: int, workers: int) -> float:
    """Seconds that a run of so many units takes on so many workers that start at once."""
    cost = np.random.default_rng(0).choice(costs.fits, units) + costs.scheduling
    first = WorkShare(1, workers)
    shares = np.array([first.turn(f"unit {n}") for n in range(units)])
    order = np.argsort(shares, kind="stable")
    starts = np.searchsorted(shares[order], np.arange(workers))
    taken, cost = np.zeros(2 * units, bool), np.tile(cost[order], 2)
    began = costs.start + units * costs.start_unit
    queue = [(began, n, int(starts[n])) for n in range(workers)]  # when free, who, at which unit
    last = began
    while queue:
        now, who, at = heapq.heappop(queue)
        left, end = taken[at : starts[who] + units], starts[who] + units
        passed = int(np.argmin(left)) if len(left) and not left.all() else len(left)
        if passed:
            now, at = now + passed * costs.look, at + passed
            if at < end:  # what it comes to may be taken by then
                heapq.heappush(queue, (now, who, at))
        elif at < end:
            taken[at % units] = taken[at % units + units] = True
            now += cost[at]
            heapq.heappush(queue, (now, who, at + 1))
        last = max(last, now)
    return float(last)


def compare(asked: Asked, folder: Path) -> None:
    """One worker and two, on the same run; prints how long they take."""
    one, (spent,) = timed(asked, folder / "one", 1)
    two, each = timed(asked, folder / "two", 2)
    assert results(asked, folder / "one") == results(asked, folder / "two")
    print(f"{asked.units} units, equal results; load of this machine {os.getloadavg()[0]:.1f}")
    print(f"one worker   {one:7.1f} s  {spent:7.1f} s of a processor")
    print(f"two workers  {two:7.1f} s  {max(each):7.1f} s of a processor in the longer of them")
    print(f"ratio        {two / one:7.2f}    {max(each) / spent:7.2f}")
    longer = cores()
    print(
        f"two processes that only multiply small matrices take {longer:.2f} times as long as one"
        f" alone, so the ratio could be {longer / 2:.2f} here, less what each does for itself"
    )


def simulate(costs: Costs, units: int) -> None:
    """How long so many units take by the model; prints a line for each number of workers."""
    print(
        f"a fit {1000 * costs.fits.mean():.1f} ms, its scheduling {1000 * costs.scheduling:.1f} ms,"
        f" passing by {1000 * costs.look:.2f} ms, a start {costs.start:.1f} s and"
        f" {1000 * costs.start_unit:.2f} ms a unit"
    )
    print(f"{units:,} units by simulation")
    for scale in (1, 1000):
        scaled = replace(costs, fits=costs.fits * scale)
        alone = simulated(scaled, units, 1)
        print(f"fits that take {scale} times as long" if scale > 1 else "fits as measured")
        for workers in WORKERS:
            took = simulated(scaled, units, workers)
            print(f"  {workers:5,} workers  {took:11,.1f} s  {alone / took / workers:5.0%} of each")


def main() -> None:
    """Measure and print, or be one of the workers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, default=200)
    parser.add_argument("--examples", type=int, default=1000)
    parser.add_argument("--width", type=int, default=768, help="of vectors, as of BERT's")
    parser.add_argument("--folder", type=Path, help="be a worker on this folder")
    parser.add_argument("--shard", default="1/1", help="which worker")
    given = parser.parse_args()
    asked = Asked(given.units, given.examples, given.width)
    if given.folder is not None:
        worker(asked, given.folder, given.shard)
        return
    with tempfile.TemporaryDirectory() as folder:
        compare(asked, Path(folder))
        simulate(measured_costs(asked, Path(folder) / "one"), 10_000)


if __name__ == "__main__":
    main()
