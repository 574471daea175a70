"""Count how often intervals over folds hold the truth, and how often equal encoders differ.

usage: python benchmarks/folds.py [--replicates 400] [--only WORDS] [--output FILE.csv]

Gaussian vectors that know nothing, or some of the label, are read by `linear` in five folds; each
replicate draws two encoders that are equally good. Truth is the mean score of all replicates, and a
difference of none. Counted with and without what folds that share training examples err together
(`FitAnswers.tied`). Exits with 1 where less than 90 % of the intervals hold the truth, or more than
10 % of equal encoders differ: training sets vary as well, which intervals do not promise to know.
"""

from __future__ import annotations

import argparse
import csv
import sys
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lingprobe.analysis.answers import tie_densities
from lingprobe.data._logits import ProbeLogits
from lingprobe.data.core import Cell, Dataset, Example, Sentence
from lingprobe.data.labels import join_columns
from lingprobe.data.notes import BoundaryDensity
from lingprobe.data.reading import Readings
from lingprobe.data.scored_labels import ScoredLabels
from lingprobe.data.vectors import Vectors
from lingprobe.metrics import FitAnswers, compute_difference
from lingprobe.probes.linear.probe import LinearProbe

FOLDS = 5
LEAST, MOST = 0.9, 0.1
Rng = np.random.Generator
CELL = Cell("-", 0)


class Design(NamedTuple):
    """Examples, dimensions, classes, how far apart the classes are in standard deviations, how much
    two encoders share, and the share of the rarer of two classes where they are not of one size;
    the metric is AUROC there, else accuracy.
    """

    name: str
    n: int
    dim: int
    classes: int = 2
    apart: float = 0.0
    shared: float = 0.0
    rare: float = 0.0

    @property
    def metric(self) -> str:
        return "auroc" if self.rare else "accuracy"


DESIGNS = (
    Design("chance, 16 dimensions", 400, 16),
    Design("chance, 100 dimensions", 400, 100),
    Design("chance, 1,000 examples", 1000, 32),
    Design("chance, four classes", 400, 16, 4),
    Design("chance, encoders alike", 400, 16, 2, 0.0, 0.8),
    Design("near chance", 400, 16, 2, 0.5),
    Design("two thirds right", 800, 100, 2, 1.0),
    Design("half right of four", 400, 50, 4, 1.2),
    Design("four fifths right", 400, 100, 2, 2.0),
    Design("four fifths right, alike", 400, 16, 2, 1.9, 0.8),
    Design("chance, a class of 5 %", 1000, 16, rare=0.05),
    Design("some, a class of 5 %", 1000, 16, 2, 0.8, rare=0.05),
    Design("much, a class of 5 %", 1000, 16, 2, 2.0, rare=0.05),
)


class Folded(NamedTuple):
    """The data set of a design in each fold, with the class of each example."""

    datasets: list[Dataset]
    codes: np.ndarray

    @classmethod
    def of(cls, design: Design) -> Folded:
        """Balanced classes and folds, a tenth of each fold's rest as dev."""
        codes = np.arange(design.n) % design.classes
        if design.rare:
            codes = (np.arange(design.n) < design.rare * design.n).astype(np.int64)
        folds = (np.arange(design.n) // design.classes) % FOLDS
        sentences = [Sentence.of((f"s{i}",)) for i in range(design.n)]
        datasets = []
        for k in range(FOLDS):
            rest = (np.arange(design.n) // (design.classes * FOLDS)) % 9 == 0
            splits = np.where(folds == k, "test", np.where(rest, "dev", "train"))
            rows = zip(sentences, codes, splits.tolist(), strict=True)
            datasets.append(Dataset.of([Example.about(s, f"c{c}", part) for s, c, part in rows]))
        return cls(datasets, codes)


def draw_pair(rng: Rng, design: Design, codes: np.ndarray) -> list[np.ndarray]:
    """The vectors of two encoders that are equally good."""
    shape = design.n, design.dim
    common = rng.standard_normal(shape)
    found = []
    for _ in range(2):
        x = np.sqrt(design.shared) * common
        x = x + np.sqrt(1 - design.shared) * rng.standard_normal(shape)
        if design.classes == 2:
            x[:, 0] += design.apart * (codes - 0.5)
        else:
            x[np.arange(design.n), codes] += design.apart
        found.append(x.astype(np.float32))
    return found


def probe(vectors: np.ndarray, folded: Folded) -> FitAnswers:
    """What `linear` answers in all folds, with what they err together."""
    readings = [Readings(data, Vectors((vectors,), ("-",))) for data in folded.datasets]
    chosen, golds, predicted, densities = None, [], [], []
    for each in readings:
        train, dev, test = (each.split(name) for name in ("train", "dev", "test"))
        chosen = chosen or LinearProbe().with_choice(train, dev)
        (model,) = chosen.fit(train, dev, cells=(CELL,))
        golds.append(test.labels)
        answer = model.predict(test)
        scores = ProbeLogits.of(answer.scores, "softmax", train.labels, np.arange(len(test)))
        predicted.append(ScoredLabels.of(answer.decoded, answer.names, scores))
        said = BoundaryDensity(**model.choice[BoundaryDensity.key])
        densities.append((said, len(test), len(train)))
    gold = join_columns(golds)
    tied = tie_densities(densities, list(gold.counts().values()))
    return FitAnswers(gold, (join_columns(predicted),), {}, (), (tied,))


class Outcome(NamedTuple):
    """Scores of both encoders of a replicate, their intervals, and p of no difference, with and
    without ties.
    """

    scores: list[float]
    intervals: list[list[tuple[float, float]]]
    p: list[float]


def draw_replicate(rng: Rng, design: Design, folded: Folded) -> Outcome:
    """One pair of encoders, probed."""
    pair = [probe(vectors, folded) for vectors in draw_pair(rng, design, folded.codes)]
    plain = [replace(each, tied=()) for each in pair]
    return Outcome(
        [each.scores(design.metric)[0] for each in pair],
        [[each.interval(design.metric) for each in both] for both in (pair, plain)],
        [compute_difference(design.metric, *both).p for both in (pair, plain)],
    )


def measure_design(design: Design, replicates: int) -> dict[str, object]:
    """A row of what was counted."""
    rng, folded = np.random.default_rng(len(design.name)), Folded.of(design)
    found = [draw_replicate(rng, design, folded) for _ in range(replicates)]
    scores = np.array([one.scores for one in found])
    truth = scores.mean()
    row: dict[str, object] = {"design": design.name, "n": design.n, "dim": design.dim}
    row |= {"classes": design.classes, "metric": design.metric, "score": round(100 * truth, 1)}
    for k, name in enumerate(("", " without")):
        bounds = np.array([one.intervals[k] for one in found])
        held = (bounds[..., 0] <= truth) & (truth <= bounds[..., 1])
        row[f"intervals hold{name}"] = round(100 * held.mean(), 1)
        row[f"equal differ{name}"] = round(100 * np.mean([one.p[k] <= 0.05 for one in found]), 1)
    return row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=400)
    parser.add_argument("--only", default="")
    parser.add_argument("--output", default="")
    asked = parser.parse_args()
    rows = []
    for design in DESIGNS:
        if asked.only in design.name:
            rows.append(measure_design(design, asked.replicates))
            print(" ".join(f"{key}={value}" for key, value in rows[-1].items()), flush=True)
    if asked.output:
        with open(asked.output, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    held = min(float(str(row["intervals hold"])) for row in rows)
    differ = max(float(str(row["equal differ"])) for row in rows)
    print(f"least coverage {held} %, most equal encoders that differ {differ} %")
    return int(held < 100 * LEAST or differ > 100 * MOST)


if __name__ == "__main__":
    sys.exit(main())
