"""Units in the order in which they tell labels: by what share of a unit's variance lies between
classes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.labels import Column
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Floats, Ints

Doubles = NDArray[np.float64]
_ROWS = 4096


def half_of(train: Readings, seed: int) -> Ints:
    """Each seed ranks units on another half of the training sentences: the rows of that half; an
    example about two sentences goes with its first. All rows where a half would be empty.
    """
    _, sentence = np.unique(train.dataset.sites[:, 0, 0], return_inverse=True)
    many = int(sentence.max(initial=-1)) + 1
    chosen = np.zeros(many, bool)
    chosen[np.random.default_rng([seed, 41]).permutation(many)[: (many + 1) // 2]] = True
    return np.flatnonzero(chosen[sentence])


def encode_annotated_labels(labels: Column) -> Doubles:
    """Labels as numbers [n, outputs]: a column for each class or label, 1 where it holds; NaN where
    nobody annotated it.
    """
    if labels.classes is not None:
        return np.asarray(np.eye(len(labels.names))[labels.classes])
    return np.asarray(labels.matrix(), np.float64).reshape(len(labels), -1)


def between_classes(x: Floats, labels: Column) -> Doubles:
    """`by=difference`: the share of each unit's variance that lies between classes, [units]; of
    label sets and scores the largest squared correlation. 0 for a unit that does not vary.

    Of two classes this is the order by the difference of their means in units of the deviation
    within classes (Gurnee et al. 2023, section 3.2, maximum mean difference, standardised).
    """
    wanted = encode_annotated_labels(labels)
    if labels.classes is None:
        shares = [_correlations(x, column) for column in wanted.T]
        return np.asarray(np.max(shares, 0) if shares else np.zeros(x.shape[1]))
    counts = wanted.sum(0)
    mean = x.mean(0, dtype=np.float64)
    sums, total = np.zeros((wanted.shape[1], x.shape[1])), np.zeros(x.shape[1])
    for start in range(0, len(x), _ROWS):
        rows = x[start : start + _ROWS].astype(np.float64) - mean
        sums += wanted[start : start + _ROWS].T @ rows
        total += np.square(rows).sum(0)
    between = (np.square(sums) / np.maximum(counts, 1)[:, None]).sum(0)
    return _compute_explained_share(between, total, mean, len(x))


def _correlations(x: Floats, wanted: Doubles) -> Doubles:
    """The squared correlation of each unit with some numbers [n], over those that are known."""
    known = ~np.isnan(wanted)
    if not known.any():
        return np.zeros(x.shape[1])
    rows = x if known.all() else x[known]
    y = wanted[known] - wanted[known].mean()
    mean = rows.mean(0, dtype=np.float64)
    products, total = np.zeros(x.shape[1]), np.zeros(x.shape[1])
    for start in range(0, len(rows), _ROWS):
        part = rows[start : start + _ROWS].astype(np.float64) - mean
        products += y[start : start + _ROWS] @ part
        total += np.square(part).sum(0)
    return _compute_explained_share(
        np.square(products) / max(float(y @ y), 1e-30), total, mean, len(rows)
    )


def _compute_explained_share(part: Doubles, total: Doubles, mean: Doubles, n: int) -> Doubles:
    """Shares of variances, 0 where a unit varies by no more than rounding."""
    varies = np.sqrt(total / max(n, 1)) > 1e-6 * np.abs(mean) + 1e-30
    return np.divide(part, total, out=np.zeros(len(total)), where=varies)


def order_of(worth: Doubles) -> Ints:
    """Units from the one of most worth down; of equals the first comes first."""
    return np.argsort(-worth, kind="stable").astype(np.int64)
