"""What an untrained BiLSTM-max owes to the number of sentences, its vectors, its width, the scale of
its weights, and the padding of its batches.

usage: python benchmarks/untrained.py SET.parquet [--vectors NOVELS.vec] [--size 4000 20000]
[--hidden 256] [--layers 1] [--gain 1] [--batch 0] [--order label] [--probe logreg] [--seed 0]

SET is what `lingprobe build` wrote of a task with two classes. Options with several values are crossed.
Every network reads the same sentences: the first SIZE of train (train is in random order), and the
first 10,000 of dev and test.

vectors  `random`, `average:FILE` (no network: the mean of a file's vectors, which knows no order),
         or a file of static vectors
gain     what the network's weights are multiplied with; 1 is torch's scale, uniform within
         1/sqrt(hidden)
batch    0: the maximum is over the words. Otherwise each split is sorted by length and then by
         label, as SentEval sorts it, and cut into batches of so many sentences; in a sentence
         shorter than the longest of its batch the maximum is over the zeros of its padding, too
order    of sentences of one length in these batches: by `label`, or `random`

Besides its accuracy, a row has the share of the test sentences that the probe gives the first label
(of BShift and SOMO: modified), and how many of the others have the second one (original).

The last columns say what padding tells without a network: the test sentences that are padded, those
of them with the second label, and the accuracy of giving that label to just these.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from lingprobe.data.core import Cell, Dataset
from lingprobe.data.labels import Column
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Floats, Ints, Vectors
from lingprobe.datasets.formats.parquet import read_parquet_dataset
from lingprobe.encoders.tables import open_word_table
from lingprobe.encoders.untrained import (
    WordInput,
)
from lingprobe.nets.trainable import NetworkShape
from lingprobe.probes import PROBES

SPLITS = ("train", "dev", "test")
DEV = TEST = 10_000
MEAN = "average:"


def vectors_of(data: Dataset, options: argparse.Namespace) -> Floats:
    """What a network makes of the sentences of a data set, or the mean of their words' vectors; a
    row for each sentence that the data set knows.
    """
    used = np.unique(data.sites[:, 0, 0])
    sentences = [data.sentences[i] for i in used]
    forms, numbers = WordInput.forms(sentences)
    counts = np.array([len(s.words) for s in sentences])
    path = None if options.vectors == "random" else file_of(options.vectors)
    table, _ = open_word_table(path, 300, options.seed).look_up(forms)
    if options.vectors.startswith(MEAN):
        rows = means(table, numbers, np.cumsum(counts) - counts, counts)
    else:
        shape = NetworkShape("bilstm-max", table.shape[1], options.hidden, options.layers)
        net = shape.network(options.seed)
        with torch.no_grad():
            for weights in net.parameters():
                weights.mul_(options.gain)
        read_words = WordInput(table, numbers, counts)
        [rows] = read_words.encode(net, shape.width, by_word=False, tokens=4096).layers
    layer = np.zeros((len(data.sentences), rows.shape[1]), np.float32)
    layer[used] = rows
    return layer


def file_of(vectors: str) -> Path:
    """The file that an option names."""
    return Path(vectors.removeprefix(MEAN))


def means(table: Floats, numbers: Ints, starts: Ints, counts: Ints) -> Floats:
    """The mean vector of each sentence's words."""
    rows = zip(starts, counts, strict=True)
    return np.array([table[numbers[s : s + n]].mean(0) for s, n in rows], np.float32)


def codes(labels: Column) -> Ints:
    """The class of each example."""
    assert labels.classes is not None
    return labels.classes


def cut(data: Dataset, size: int) -> Dataset:
    """The first examples of each split."""
    many = {"train": size, "dev": DEV, "test": TEST}
    rows = np.concatenate([data.rows(name)[: many[name]] for name in SPLITS])
    return data.take(rows)


def padded(data: Dataset, batch: int, order: str) -> NDArray[np.bool_]:
    """The examples that are shorter than the longest of their batch, where each split is sorted by
    length and then as `order` says; none for batches of 0.
    """
    lengths = np.array([len(data.sentences[i].words) for i in data.sites[:, 0, 0]])
    then = codes(data.labels) if order == "label" else np.random.default_rng(0).random(len(data))
    flags = np.zeros(len(data), bool)
    for name in SPLITS if batch else ():
        rows = data.rows(name)
        rows = rows[np.lexsort((then[rows], lengths[rows]))]
        for start in range(0, len(rows), batch):
            some = rows[start : start + batch]
            flags[some] = lengths[some] < lengths[some].max()
    return flags


def told(data: Dataset, flags: NDArray[np.bool_]) -> str:
    """What padding tells of test, as cells of the table."""
    rows = data.rows("test")
    second = codes(data.labels)[rows] == 1
    if not flags.any():
        return "| – | – | – |"
    alone = np.mean(flags[rows] == second)
    return f"| {flags[rows].sum():,} | {(flags[rows] & second).sum():,} | {100 * alone:.1f} |"


def judged(readings: Readings, probe: str, seed: int) -> tuple[float, float, float]:
    """The share of test examples that a probe has right, the share that it gives the first label,
    and the share of the others that have the second one.
    """
    [fitted] = PROBES.make(probe).fit(
        readings.split("train"), readings.split("dev"), cells=(Cell("-", seed),)
    )
    test = readings.split("test")
    said, gold = codes(fitted.predict(test).decoded), codes(test.labels)
    second = said == 1
    right, first = np.mean(said == gold), np.mean(~second)
    return float(right), float(first), float(np.mean(gold[second] == 1))


def scores(data: Dataset, options: argparse.Namespace) -> None:
    """Print a row of the table for each number of sentences, batch and probe."""
    vectors = vectors_of(cut(data, max(options.size)), options)
    name = options.vectors.replace(str(file_of(options.vectors)), file_of(options.vectors).stem)
    for size, batch, order in itertools.product(options.size, options.batch, options.order):
        part = cut(data, size)
        flags = padded(part, batch, order)
        layer, rows = vectors.copy(), part.sites[flags, 0, 0]
        layer[rows] = np.maximum(layer[rows], 0)
        readings, n = Readings(part, Vectors((layer,), ("-",))), len(part.rows("test"))
        for probe in options.probe:
            right, first, precision = judged(readings, probe, options.seed)
            wide = 196 * (right * (1 - right) / n) ** 0.5
            print(
                f"| {name} | {options.hidden} x {options.layers} | {options.gain:g} | {probe}"
                f" | {len(part.rows('train')):,} | {f'{batch}, {order}' if batch else '–'} | {100 * right:.1f} ± {wide:.1f}"
                f" | {100 * first:.1f} | {100 * precision:.1f} {told(part, flags)}",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--vectors", nargs="+", default=["random"])
    parser.add_argument("--size", nargs="+", type=int, default=[4_000, 20_000])
    parser.add_argument("--hidden", nargs="+", type=int, default=[256])
    parser.add_argument("--layers", nargs="+", type=int, default=[1])
    parser.add_argument("--gain", nargs="+", type=float, default=[1.0])
    parser.add_argument("--batch", nargs="+", type=int, default=[0])
    parser.add_argument("--order", nargs="+", default=["label"], choices=["label", "random"])
    parser.add_argument("--probe", nargs="+", default=["logreg"])
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    data = read_parquet_dataset(asked.data)
    print(
        "| vectors | network | gain | probe | train | batch | accuracy | first | precision | padded"
        " | second | alone |"
    )
    print("|---|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    crossed = ("vectors", "hidden", "layers", "gain")
    for values in itertools.product(*(getattr(asked, name) for name in crossed)):
        scores(
            data, argparse.Namespace(**{**vars(asked), **dict(zip(crossed, values, strict=True))})
        )


if __name__ == "__main__":
    main()
