"""Pairing classes up: a block holds one row of each class, so any set of blocks is balanced."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sonde.vectors import Ints

WIDEST = 8  # words that the lengths of one block may differ by


def blocks(rows: Ints, labels: Ints, classes: Ints, rng: np.random.Generator) -> Ints:
    """As many blocks [blocks, classes] as the rarest class has rows, drawn at random."""
    mixed = rng.permutation(rows)
    each = [mixed[labels[mixed] == c] for c in classes]
    most = min(map(len, each))
    return np.stack([rows[:most] for rows in each], 1)


def matched(rows: Ints, labels: Ints, classes: Ints, lengths: Ints, rng: np.random.Generator) -> Ints:
    """Blocks [blocks, classes] of rows of like length, those of one length first, then of lengths that differ ever more."""
    mixed = rng.permutation(rows)
    left = [mixed[labels[mixed] == c] for c in classes]
    found = []
    for width in range(1, WIDEST + 1):
        for offset in range(0, width, max(1, width // 2)):
            taken = _within([(lengths[rows] + offset) // width for rows in left])
            found.append(np.stack([rows[t] for rows, t in zip(left, taken, strict=True)], 1))
            left = [np.delete(rows, t) for rows, t in zip(left, taken, strict=True)]
    return np.concatenate(found)


def _within(bins: list[Ints]) -> list[Ints]:
    """For each class the positions that pair up bin by bin, in the same order of bins for all."""
    size = max((int(b.max()) for b in bins if len(b)), default=0) + 1
    counts = np.stack([np.bincount(b, minlength=size) for b in bins])
    most = counts.min(0)
    taken = []
    for b, n in zip(bins, counts, strict=True):
        order = np.argsort(b, kind="stable")
        rank = np.arange(len(b)) - np.repeat(np.cumsum(n) - n, n)
        taken.append(order[rank < most[b[order]]])
    return taken


def uncorrelated(found: Ints, lengths: Ints, values: NDArray[np.float64], limit: float) -> Ints:
    """The longest run of blocks from the first whose rows show |r| <= limit between value of the class and length.

    values  [classes] numbers that classes stand for
    """
    x = lengths[found].astype(float)
    n = np.arange(1, len(found) + 1) * found.shape[1]
    mean = np.cumsum(x.sum(1)) / n
    variance = np.cumsum((x**2).sum(1)) / n - mean**2
    v = values - values.mean()
    covariance = np.cumsum((x * v).sum(1)) / n
    with np.errstate(invalid="ignore", divide="ignore"):
        r = covariance / np.sqrt(np.maximum(variance, 0) * (v**2).mean())
    fine = np.flatnonzero(~(np.abs(r) > limit))
    return found[: int(fine[-1]) + 1 if len(fine) else 0]


def correlation(rows: Ints, labels: Ints, lengths: Ints, values: NDArray[np.float64]) -> float:
    """Pearson's r of class value and length over some rows; 0 where either does not vary."""
    x, y = lengths[rows].astype(float), values[labels[rows]]
    if len(rows) == 0 or x.std() == 0 or y.std() == 0:
        return 0.0
    return float(np.corrcoef(x, y)[0, 1])
