"""Part of a data set that has its splits already."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sonde.core import SPLITS, DataProblem, Example
from sonde.sampling.allocate import apportion
from sonde.sampling.candidates import numbered
from sonde.vectors import Ints


def thinned(examples: Sequence[Example], size: int, seed: int) -> list[Example]:
    """So many examples, in their order, drawn from all: splits and classes keep their shares; never the first ones of a file."""
    if size < 1:
        raise DataProblem(f"size={size}: ask for at least one example, or leave size out for all")
    if size >= len(examples):
        return list(examples)
    rng = np.random.default_rng([seed, 4])
    splits = np.array([SPLITS.index(e.split) for e in examples])
    labels, names = numbered(e.label if isinstance(e.label, str) else "" for e in examples)
    rank = rng.permutation(len(names))  # the same classes come first in every split, so that what test has train has too
    mixed = rng.permutation(len(examples))
    chosen = []
    for split, wanted in enumerate(apportion(size, np.bincount(splits, minlength=len(SPLITS)).astype(float))):
        rows = mixed[splits[mixed] == split]
        chosen.append(_spread(rows, rank[labels[rows]], len(names), int(wanted)))
    return [examples[i] for i in np.sort(np.concatenate(chosen))]


def _spread(rows: Ints, classes: Ints, many: int, wanted: int) -> Ints:
    """`wanted` of some rows, classes in their proportions."""
    shares = apportion(wanted, np.bincount(classes, minlength=many).astype(float)) if wanted else np.zeros(many, np.int64)
    order = np.argsort(classes, kind="stable")
    place = np.arange(len(rows)) - np.searchsorted(classes[order], classes[order])
    return np.asarray(rows[order[place < shares[classes[order]]]])
