"""How long the longest unit of work of `logreg` takes, which keeps no state: one fit with ten values
of C, in processor time.

usage: python benchmarks/longest.py [--examples 20000] [--dim 4096] [--classes 2 10]

The spectrum of the input falls as that of sentence vectors does. Products take time in proportion
to examples, dimensions and classes, so the time of larger sets follows.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from sonde.core import Cell, Dataset, Example, Sentence
from sonde.nets.precision import limited
from sonde.probes import PROBES
from sonde.reading import Readings
from sonde.vectors import Vectors

STRENGTHS = ",".join(f"c=1e{power}" for power in range(-6, 4))


def readings(examples: int, dim: int, classes: int) -> Readings:
    """Classes that follow from the vectors, with noise; one dev example for ten of train."""
    chance = np.random.default_rng(0)
    rows = examples + examples // 10
    falling = 1 / np.sqrt(1 + np.arange(dim, dtype=np.float32))
    vectors = chance.normal(size=(rows, dim)).astype(np.float32) * falling
    scores = vectors @ chance.normal(size=(dim, classes)) + chance.normal(size=(rows, classes))
    splits = ["train"] * examples + ["dev"] * (rows - examples)
    named = [
        Example.about(Sentence.of((f"s{row}",)), f"c{label}", split)
        for row, (label, split) in enumerate(zip(scores.argmax(1).tolist(), splits, strict=True))
    ]
    return Readings(Dataset.of(named), Vectors((vectors,), ("0",)))


def main() -> None:
    """Fit each number of classes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--examples", type=int, default=20_000)
    parser.add_argument("--dim", type=int, default=4096)
    parser.add_argument("--classes", type=int, nargs="+", default=[2, 10])
    asked = parser.parse_args()
    for classes in asked.classes:
        given = readings(asked.examples, asked.dim, classes)
        began = time.process_time()
        with limited(1):
            PROBES.make(f"logreg,{STRENGTHS}").fit(
                given.split("train"), given.split("dev"), cells=(Cell("0", 0),)
            )
        print(
            f"longest examples={asked.examples} dim={asked.dim} classes={classes}"
            f" processor_s={time.process_time() - began:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
