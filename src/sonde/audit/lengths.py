"""How long examples are, and what that says about their labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sonde.core import Dataset
from sonde.labels import Column
from sonde.vectors import Ints


def words_read(dataset: Dataset) -> Ints:
    """How many words each example reads [examples]: those of its spans, or of its whole
    sentences.
    """
    sizes = np.array([len(s.words) for s in dataset.sentences], np.int64)
    sentence, start, stop = np.moveaxis(dataset.sites, 2, 0)
    return np.asarray(np.where(start < 0, sizes[sentence], stop - start).sum(1))


def correlation(lengths: Ints, labels: Column) -> float:
    """Pearson's r where labels are numbers, or names of numbers; otherwise the multiple correlation
    of length and labels.
    """
    values = _numbers(labels)
    if values is not None:
        return _pearson(lengths, values)
    if np.ptp(lengths) == 0:
        return 0.0
    if (ids := labels.classes) is not None:
        fitted = (np.bincount(ids, lengths) / np.maximum(np.bincount(ids), 1))[ids]
    else:
        design = np.column_stack([np.nan_to_num(labels.matrix()), np.ones(len(labels))]).astype(
            np.float64
        )
        fitted = design @ np.linalg.lstsq(design, lengths.astype(np.float64), rcond=None)[0]
    return float(np.sqrt(np.clip(fitted.var() / lengths.var(), 0, 1)))


def _numbers(labels: Column) -> NDArray[np.float64] | None:
    if labels.numbers is not None:
        return np.asarray(labels.matrix()[:, 0], np.float64)
    if labels.classes is None:
        return None
    try:
        values = np.array([float(name) for name in labels.names])
    except ValueError:
        return None
    return np.asarray(values[labels.classes]) if np.isfinite(values).all() else None


def _pearson(a: NDArray[Any], b: NDArray[Any]) -> float:
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return float(np.corrcoef(a.astype(np.float64), b.astype(np.float64))[0, 1])


def by_label(dataset: Dataset, lengths: Ints) -> dict[str, float]:
    """Mean length in train of the examples that have each label."""
    rows = dataset.rows("train")
    groups, lengths = dataset.labels.take(rows).groups(), lengths[rows]
    return {name: float(lengths[group].mean()) for name, group in groups.items() if group.any()}
