"""Time and peak memory as tables and label sets grow.

usage: python benchmarks/scale.py [--rows 10000 100000 1000000] [--classes 10 100 1000 10000]

Made tables of ten-word texts are read by `lingprobe run` with a bag of random word vectors and all
baselines: two classes and growing rows, then 40,000 rows and growing classes. Each run is a process
of its own with one thread and an empty cache; printed are its processor seconds, start included,
its peak memory, and both for 1,000 rows. Exits with 1 where ten times as many rows take more than
fifteen times the time or the memory beyond that of the smallest run.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

WORDS, LENGTH, OF_CLASSES = 5_000, 10, 40_000
GROWTH = 1.5  # of what ten times as much may take, in tens


class RunCost(NamedTuple):
    """Processor seconds and MiB at the peak of a run over so many rows and classes."""

    rows: int
    classes: int
    seconds: float
    peak: float


def write_table(path: Path, rows: int, classes: int) -> None:
    """Texts whose words hint at their class."""
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.arange(rows) % classes)
    words = rng.integers(0, WORDS, (rows, LENGTH))
    words[:, 0] = labels * 7 % WORDS  # a word that the class likes
    with path.open("w", encoding="utf-8") as file:
        file.write("text,label\n")
        for row, label in zip(words.tolist(), labels.tolist(), strict=True):
            file.write(" ".join(f"w{w}" for w in row) + f",c{label}\n")


def measure_run(rows: int, classes: int) -> RunCost:
    """A run in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.csv"
        write_table(table, rows, classes)
        one = {**os.environ, "OMP_NUM_THREADS": "1", "LINGPROBE_CACHE": str(Path(folder) / "cache")}
        command = [str(Path(sys.executable).with_name("lingprobe")), "run", "-t", str(table)]
        command += ["-e", "bow:random,dim=300", "-q"]
        process = subprocess.Popen(command, env=one, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"the run over {rows} rows ended with {status}")
        return report(rows, classes, used)


def report(rows: int, classes: int, used: resource.struct_rusage) -> RunCost:
    seconds, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    print(
        f"{rows:9,} rows {classes:6,} classes {seconds:8.1f} s {peak:7.0f} MiB"
        f" {1000 * seconds / rows:8.3f} s and {1000 * peak / rows:7.2f} MiB a 1,000 rows",
        flush=True,
    )
    return RunCost(rows, classes, seconds, peak)


def grows_linearly(small: RunCost, large: RunCost) -> bool:
    """Whether time and memory grow about as rows do, beyond what the smaller run takes."""
    more = large.rows / small.rows * GROWTH
    return large.seconds <= more * small.seconds and large.peak <= more * small.peak


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--classes", type=int, nargs="*", default=[10, 100, 1_000, 10_000])
    options = parser.parse_args()
    costs = [measure_run(rows, 2) for rows in options.rows]
    for classes in options.classes:
        measure_run(OF_CLASSES, classes)
    return int(not all(map(grows_linearly, costs, costs[1:])))


if __name__ == "__main__":
    sys.exit(main())
