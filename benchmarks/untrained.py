"""What an untrained BiLSTM-max owes to the number of sentences, its vectors, its width and the scale
of its weights.

usage: python benchmarks/untrained.py SET.parquet [--vectors NOVELS.vec] [--size 4000 20000]
[--hidden 256] [--layers 1] [--gain 1] [--loud 1] [--probe logreg] [--seed 0]

SET is what `sonde build` wrote of a task with two classes. Options with several values are crossed.
Every network reads the same sentences: the first SIZE of train (train is in random order), and the
first 2,000 and 5,000 of dev and test.

vectors  `random`, `average:FILE` (no network: the mean of a file's vectors, which knows no order),
         or a file of static vectors
gain     what the network's weights are multiplied with; 1 is torch's scale, uniform within
         1/sqrt(hidden)
loud     what word vectors are multiplied with
"""

from __future__ import annotations

import argparse
import itertools
import time
from pathlib import Path

import numpy as np
import torch

from sonde.core import Cell, Dataset, Sentence
from sonde.datasets.formats.parquet import read
from sonde.encoders.tables import word_table
from sonde.encoders.untrained import WordsRead, encoded, forms_of
from sonde.labels import Column
from sonde.nets.trainable import Shape
from sonde.probes import PROBES
from sonde.reading import Readings
from sonde.vectors import Floats, Ints, Vectors

DEV, TEST = 2_000, 5_000


def vectors_of(sentences: list[Sentence], options: argparse.Namespace) -> Vectors:
    """What a network makes of sentences, or the mean of their words' vectors."""
    forms, numbers = forms_of(sentences)
    counts = np.array([len(s.words) for s in sentences])
    _, _, name = options.vectors.rpartition("average:")
    table, _ = word_table(None if name == "random" else Path(name), 300, options.seed).look_up(
        forms
    )
    if options.vectors.startswith("average:"):
        starts = np.cumsum(counts) - counts
        return Vectors((means(table, numbers, starts, counts),), ("-",))
    shape = Shape("bilstm-max", table.shape[1], options.hidden, options.layers)
    net = shape.network(options.seed)
    with torch.no_grad():
        for weights in net.parameters():
            weights.mul_(options.gain)
    read_words = WordsRead(options.loud * table, numbers, counts)
    return encoded(net, read_words, shape.width, by_word=False, tokens=4096)


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
    rows = np.concatenate([data.rows(name)[:n] for name, n in many.items()])
    return data.take(rows)


def scores(data: Dataset, options: argparse.Namespace) -> None:
    """Print a row of the table for each number of sentences and each probe."""
    largest = cut(data, max(options.size))
    used = np.unique(largest.sites[:, 0, 0])
    path, start = Path(options.vectors.removeprefix("average:")), time.process_time()
    some = vectors_of([data.sentences[i] for i in used], options)
    took = time.process_time() - start
    layer = np.zeros((len(data.sentences), some.layers[0].shape[1]), np.float32)
    layer[used] = some.layers[0]
    readings = Readings(data, Vectors((layer,), ("-",)))
    for size, probe in itertools.product(options.size, options.probe):
        train, dev, test = (
            readings.take(readings.dataset.rows(name)[:n])
            for name, n in (("train", size), ("dev", DEV), ("test", TEST))
        )
        cell = Cell("-", options.seed)
        [fitted] = PROBES.make(probe).fit(train, dev, cells=(cell,))
        right = float(np.mean(codes(fitted.predict(test).decoded) == codes(test.labels)))
        wide = 196 * (right * (1 - right) / len(test)) ** 0.5
        print(
            f"| {options.vectors.replace(str(path.parent) + '/', '')} | {options.hidden} x"
            f" {options.layers} | {options.gain:g} | {options.loud:g} | {probe}"
            f" | {min(size, len(train)):,} | {100 * right:.1f} ± {wide:.1f} | {took:.0f} |",
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
    parser.add_argument("--loud", nargs="+", type=float, default=[1.0])
    parser.add_argument("--probe", nargs="+", default=["logreg"])
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    data = read(asked.data)
    print("| vectors | network | gain | loud | probe | train | accuracy | encoding, s |")
    print("|---|---|---:|---:|---|---:|---:|---:|")
    crossed = ("vectors", "hidden", "layers", "gain", "loud")
    for values in itertools.product(*(getattr(asked, name) for name in crossed)):
        scores(
            data, argparse.Namespace(**{**vars(asked), **dict(zip(crossed, values, strict=True))})
        )


if __name__ == "__main__":
    main()
