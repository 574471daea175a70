"""What do probes read of vectors of small and large norm? The same features times 0.04, 1 and 20,
and what each protocol scores on them.

usage: python benchmarks/norms.py [--train 4000] [--seeds 2]

Labels are nearly linear in 40 features. Exits with 1 where `fast` reads more than one point less,
or more, of scaled features.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from lingprobe.data.core import Cell, Dataset, Example, Sentence
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Vectors
from lingprobe.probes import PROBES

SCALES = (0.04, 1.0, 20.0)
FEATURES, DEV, TEST = 40, 1000, 8000
NEAR = 1.0  # points
PROTOCOLS = (
    "mlp",
    "logreg",
    "mlp,protocol=acl18",
    "mlp,protocol=acl18,reduction=sum",
    "mlp,protocol=senteval",
    "mlp,protocol=krasnowska",
)


def readings(train: int) -> tuple[np.ndarray, list[str], list[str]]:
    """Features [n, features] of length about 1, labels and splits."""
    rng = np.random.default_rng(0)
    n = train + DEV + TEST
    features = rng.normal(size=(n, FEATURES)) / np.sqrt(FEATURES)
    logits = (
        6 * features @ rng.normal(size=FEATURES) + 3 * features[:, 0] * features[:, 1] * FEATURES
    )
    labels = np.where(rng.random(n) < 1 / (1 + np.exp(-logits)), "yes", "no").tolist()
    return features, labels, ["train"] * train + ["dev"] * DEV + ["test"] * TEST


def given(features: np.ndarray, labels: list[str], splits: list[str]) -> Readings:
    """The readings of a data set whose sentences have these vectors."""
    sentences = [Sentence.of([f"s{i}"]) for i in range(len(labels))]
    data = Dataset.of(
        [Example.about(s, y, split) for s, y, split in zip(sentences, labels, splits, strict=True)]
    )
    return Readings(data, Vectors((features.astype(np.float32),)))


def main() -> int:
    """Fit, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train", type=int, default=4000)
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    features, labels, splits = readings(options.train)
    start, spread = time.perf_counter(), 0.0
    for name in PROTOCOLS:
        probe, found = PROBES.make(name), []
        for scale in SCALES:
            data = given(scale * features, labels, splits)
            test = data.split("test")
            cells = tuple(Cell("-", seed) for seed in range(options.seeds))
            fitted = probe.fit(data.split("train"), data.split("dev"), cells=cells)
            right = [
                np.mean(one.predict(test).decoded.matrix() == test.labels.matrix())
                for one in fitted
            ]
            found.append(100 * float(np.mean(right)))
        if name == "mlp":
            spread = float(np.ptp(found))
        print(
            f"{name:40}"
            + "".join(
                f"  x{scale:<5g}{score:6.1f}" for scale, score in zip(SCALES, found, strict=True)
            ),
            flush=True,
        )
    print(
        f"norms fast_spread={spread:.2f} target<={NEAR} seconds={time.perf_counter() - start:.0f}"
    )
    return 0 if spread <= NEAR else 1


if __name__ == "__main__":
    raise SystemExit(main())
