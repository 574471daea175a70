"""Fits on a device against the same fits on the processor: time, and how far they are apart.

usage: python benchmarks/fits.py [--device cuda] [--examples 20000] [--dim 768] [--probe ...]

The vectors are drawn at random around the means of ten classes, two spans of three units an example
for `span`. Each probe is fitted for three seeds on the processor and on the device, after a small
fit that warms up; both see the same numbers, since all that is random is drawn on the processor.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np

from lingprobe.data.core import Cell, Dataset, Example, Predictor, Sentence, Site
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Spans, Vectors
from lingprobe.nets.device import fitting_on
from lingprobe.probes import PROBES

CLASSES, UNITS = 10, 6
PROBED = ("mlp", "mlp,protocol=full", "logreg", "span")


def readings(examples: int, dim: int) -> Readings:
    """Sentences of six units, about two spans of three."""
    rng = np.random.default_rng(0)
    labels = rng.integers(CLASSES, size=examples)
    means = rng.normal(size=(CLASSES, dim)) / 8
    noise = rng.normal(size=(examples, UNITS, dim))
    units = (means[labels][:, None] + noise).astype(np.float32).reshape(-1, dim)
    splits = np.repeat(
        ["train", "dev", "test"],
        [examples * 8 // 10, examples // 10, examples - examples * 9 // 10],
    )
    made = []
    for i, (label, split) in enumerate(zip(labels.tolist(), splits.tolist(), strict=True)):
        sentence = Sentence.of([f"s{i}w{w}" for w in range(UNITS)])
        made.append(Example((Site(sentence, (0, 3)), Site(sentence, (3, 6))), f"c{label}", split))
    ends = np.arange(examples * UNITS + 1)
    spans = Spans(ends[::UNITS], np.stack([ends[:-1], ends[1:]], 1), ends[::UNITS])
    return Readings(Dataset.of(made), Vectors((units,), ("-",), spans))


def fitted(probe: str, given: Readings, device: str) -> tuple[float, list[Predictor]]:
    """Seconds, and the fits of three seeds."""
    cells = tuple(Cell("-", seed) for seed in range(3))
    with fitting_on(device):
        start = time.perf_counter()
        made = PROBES.make(probe).fit(given.split("train"), given.split("dev"), cells=cells)
        return time.perf_counter() - start, made


def compared(first: Sequence[Predictor], second: Sequence[Predictor], test: Readings) -> str:
    """How many answers are the same, and how far apart accuracies are at most."""
    gold = test.labels.matrix()
    both = [[one.predict(test).scores.argmax(1) for one in fits] for fits in (first, second)]
    same = np.mean([a == b for a, b in zip(*both, strict=True)])
    apart = max(abs((a == gold).mean() - (b == gold).mean()) for a, b in zip(*both, strict=True))
    return f"{same:.2%} of the answers the same, accuracies at most {100 * apart:.2f} points apart"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--examples", type=int, default=20_000)
    parser.add_argument("--dim", type=int, default=768)
    parser.add_argument("--probe", action="append")
    args = parser.parse_args()
    given, small = readings(args.examples, args.dim), readings(200, args.dim)
    for probe in args.probe or PROBED:
        fitted(probe, small, args.device)
        there, first = fitted(probe, given, args.device)
        here, second = fitted(probe, given, "cpu")
        told = compared(first, second, given.split("test"))
        print(f"{probe}: {there:.1f} s on {args.device}, {here:.1f} s on the processor; {told}")


if __name__ == "__main__":
    main()
