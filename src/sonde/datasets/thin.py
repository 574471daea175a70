"""Part of a data set that has its splits already."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sonde.core import SPLITS, DataProblem, Dataset, Example
from sonde.datasets.allocate import apportion
from sonde.datasets.candidates import numbered
from sonde.vectors import Ints


def thinned(examples: Sequence[Example], size: int, seed: int) -> list[Example]:
    """So many examples, in their order, drawn from all: splits and classes keep their shares; never
    the first ones of a file.
    """
    if size < 1:
        raise DataProblem(f"size={size}: ask for at least one example, or leave size out for all")
    if size >= len(examples):
        return list(examples)
    rng = np.random.default_rng([seed, 4])
    splits = np.array([SPLITS.index(e.split) for e in examples])
    labels, names = numbered(e.label if isinstance(e.label, str) else "" for e in examples)
    # the same classes come first in every split, so that what test has train has too
    rank = rng.permutation(len(names))
    mixed = rng.permutation(len(examples))
    chosen = []
    for split, number in enumerate(
        apportion(size, np.bincount(splits, minlength=len(SPLITS)).astype(float))
    ):
        rows = mixed[splits[mixed] == split]
        chosen.append(_spread(rows, rank[labels[rows]], len(names), int(number)))
    return [examples[i] for i in np.sort(np.concatenate(chosen))]


def sampled(dataset: Dataset, sample: str) -> Dataset:
    """A data set with a random part of train, as sample='2/5' says: the second of five draws of
    four fifths each.

    Draws are independent and without replacement, whole sentences at a time, over the same dev and
    test (Tenney et al. 2019, Table 2).
    """
    number, _, many = sample.partition("/")
    if not (
        number.isdecimal() and many.isdecimal() and 1 <= int(number) <= int(many) and int(many) > 1
    ):
        raise DataProblem(
            f"sample={sample}: write which of how many samples of the training data it is, as"
            " sample=1/5"
        )
    sentences = dataset.sites[:, 0, 0]
    mine = np.unique(sentences[dataset.rows("train")])
    left_out = len(mine) // int(many)
    out = np.random.default_rng([int(number), int(many), 17]).permutation(mine)[:left_out]
    rows = np.flatnonzero((dataset.splits != 0) | ~np.isin(sentences, out))
    return dataset.take(rows).noted(
        sample={"number": sample, "sentences": len(mine) - left_out, "of": len(mine)}
    )


def _spread(rows: Ints, classes: Ints, many: int, size: int) -> Ints:
    """`size` of some rows, classes in their proportions."""
    shares = (
        apportion(size, np.bincount(classes, minlength=many).astype(float))
        if size
        else np.zeros(many, np.int64)
    )
    order = np.argsort(classes, kind="stable")
    place = np.arange(len(rows)) - np.searchsorted(classes[order], classes[order])
    return np.asarray(rows[order[place < shares[classes[order]]]])
