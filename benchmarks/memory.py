"""Memory that a fit takes at its peak, as a multiple of the features that it learns from.

usage: python benchmarks/memory.py [--rows 60000] [--dim 1024] [--classes 2] [--probe logreg ...]

Each probe is fitted in a process of its own, and predicts for as many examples as dev has. What is
counted begins before the probe reads the features of train, and ends with the highest resident
memory (Linux tells both). A first fit of a few examples loads the libraries before anything is
counted. `mlp` is fitted with five seeds, as a run does it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np

from lingprobe.data.core import Cell, Dataset, Sentence
from lingprobe.data.labels import Classes
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Vectors
from lingprobe.probes import PROBES

PROBED = ("logreg", "mlp", "lda")
MOST = 2.5  # times its features, of logreg


def resident(which: str) -> int:
    """Bytes of this process: VmRSS now, VmHWM at the highest."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(which))


def readings(rows: int, dim: int, classes: int) -> Readings:
    """Vectors around the means of classes; nine tenths are train, the rest dev."""
    rng = np.random.default_rng(0)
    ids = rng.permutation(np.arange(rows) % classes).astype(np.int64)
    x = rng.standard_normal((rows, dim), np.float32)
    x[np.arange(rows), ids % dim] += 4
    splits = np.where(np.arange(rows) < rows * 9 // 10, 0, 1)
    sentences = [Sentence.of([f"s{i}"]) for i in range(rows)]
    labels = Classes(ids, tuple(f"c{k:05}" for k in range(classes)))
    return Readings(
        Dataset.of_columns(sentences, np.arange(rows), labels, splits), Vectors((x,), ("-",))
    )


def fit(probe: str, rows: int, dim: int, classes: int) -> str:
    """What a fit takes, measured here."""
    cells = tuple(Cell("-", seed) for seed in range(5 if probe.startswith("mlp") else 1))
    for given in (readings(60, 8, 2), readings(rows, dim, classes)):
        train, dev = given.split("train"), given.split("dev")
        Path("/proc/self/clear_refs").write_text("5")  # the highest begins anew
        before = resident("VmRSS")
        PROBES.make(probe).fit(train, dev, cells=cells)[0].predict(dev)
    features, taken = 4 * len(train) * dim, resident("VmHWM") - before
    return f"{probe}: {taken / features:.2f} times its features, {taken / 2**30:.2f} GiB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=60_000)
    parser.add_argument("--dim", type=int, default=1024)
    parser.add_argument("--classes", type=int, default=2)
    parser.add_argument("--probe", action="append")
    parser.add_argument("--here", action="store_true", help="fit in this process")
    args = parser.parse_args()
    shape = args.rows, args.dim, args.classes
    if args.here:
        print(fit(args.probe[0], *shape))
        return
    given = ["--rows", args.rows, "--dim", args.dim, "--classes", args.classes, "--here"]
    for probe in args.probe or PROBED:
        subprocess.run([sys.executable, __file__, *map(str, given), "--probe", probe], check=True)


if __name__ == "__main__":
    main()
