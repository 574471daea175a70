"""Making a dev split where data come without one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sonde.core import DataProblem, Dataset
from sonde.datasets.allocate import allocate_to_all
from sonde.vectors import Ints


def carve_dev(dataset: Dataset, seed: int, share: float = 0.1) -> Dataset:
    """The data set with part of train as dev, whole sentences and clusters (as target forms) at a
    time; a dev split that is there stays.
    """
    if len(dataset.rows("dev")):
        return dataset
    train = dataset.rows("train")
    if len(train) < 2:
        raise DataProblem(
            f"no dev split, and the {len(train)} training examples are too few to carve one from"
        )
    codes = dataset.labels.take(train).balanced()
    kept, parts = "", np.zeros(len(train), np.int64)
    for tie, ties in _ties(dataset, train).items():
        kept, parts = (
            tie,
            allocate_to_all(
                _together(ties), codes, (1 - share, share), np.random.default_rng([seed, 1])
            ),
        )
        if 2 * int((parts == 1).sum()) >= int(share * len(train)):
            break
    splits = dataset.splits.copy()
    splits[train[parts == 1]] = 1
    return replace(dataset, splits=splits).noted(
        dev={"carved_from_train": int((parts == 1).sum()), "kept_together": kept, "seed": seed}
    )


def _ties(dataset: Dataset, rows: Ints) -> dict[str, Ints]:
    """What keeps examples together, as numbers [rows, ties], the strictest first; the second is for
    data that all hang together.
    """
    sentences = dataset.sites[rows, :, 0]
    shared, names, first = [], [], len(dataset.sentences)
    for name in dataset.clusters:
        tags = dataset.strata.get(name)
        if tags is not None and (tags.codes[rows] >= 0).any():
            shared.append(
                np.where(tags.codes[rows] < 0, sentences[:, 0], tags.codes[rows] + first)[:, None]
            )
            names.append("target forms" if name == "target" else f"{name}s")
            first += len(tags.names)
    if shared:
        told = " and ".join(names)
        return {
            f"sentences and {told}": np.concatenate([sentences, *shared], 1),
            told: np.concatenate(shared, 1),
        }
    return {"sentences": sentences, "first sentences": sentences[:, :1]}


def _together(ties: Ints) -> Ints:
    """A number a row [n], equal for rows that hang together: they have a tie [n, ties] in common,
    or through other rows.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n, many = ties.shape
    # a node for every row, and one for every tie
    ends = np.repeat(np.arange(n), many), n + ties.ravel()
    size = int(ends[1].max()) + 1
    graph = coo_array((np.ones(n * many, np.int8), ends), (size, size))
    return np.unique(connected_components(graph, directed=False)[1][:n], return_inverse=True)[
        1
    ].astype(np.int64)
