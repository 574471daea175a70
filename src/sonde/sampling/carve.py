"""Making a dev split where data come without one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sonde.core import DataProblem, Dataset
from sonde.sampling.allocate import allocate_to_all
from sonde.targets import Classes


def carve_dev(dataset: Dataset, seed: int, share: float = 0.1) -> Dataset:
    """The data set with part of train as dev, whole sentences or target forms at a time; a dev split that is there stays."""
    if len(dataset.rows("dev")):
        return dataset
    train = dataset.rows("train")
    if len(train) < 2:
        raise DataProblem(f"no dev split, and the {len(train)} training examples are too few to carve one from")
    targets = dataset.strata.get("target")
    sentences = dataset.sites[train, 0, 0]
    groups = sentences if targets is None else np.where(targets.codes[train] < 0, sentences + len(targets.names), targets.codes[train])
    labels = dataset.labels.take(train)
    codes = labels.ids if isinstance(labels, Classes) else np.zeros(len(train), np.int64)
    parts = allocate_to_all(groups, codes, (1 - share, share), np.random.default_rng([seed, 1]))
    splits = dataset.splits.copy()
    splits[train[parts == 1]] = 1
    return replace(dataset, splits=splits).noted(dev={"carved_from_train": int((parts == 1).sum()), "seed": seed})
