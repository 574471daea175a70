"""Pairing classes up: a block holds one row of each class, so any set of blocks is balanced.

Blocks whose rows have one length leave length and class independent, which is the aim of SentEval's
sampling from a bivariate Gaussian with diagonal covariance (its README, TreeDepth), and they leave
the classes balanced as well.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.vectors import Ints

_FILLED = 0.9  # of a target distribution
_JOINT = 0.02  # of |r| that a joint sample of lengths and classes may have
_WIDEST = 8  # words that the lengths of one block may differ by, at most


def sample_class_blocks(rows: Ints, labels: Ints, classes: Ints, rng: np.random.Generator) -> Ints:
    """Classes equally frequent: as many blocks [blocks, classes] as the rarest class has rows,
    sampled at random; labels are those of all rows.
    """
    mixed = rng.permutation(rows)
    each = [mixed[labels[mixed] == c] for c in classes]
    return np.stack([rows[: min(map(len, each))] for rows in each], 1)


def match_lengths(
    rows: Ints, labels: Ints, classes: Ints, lengths: Ints, rng: np.random.Generator
) -> Ints:
    """Blocks [blocks, classes] of rows of like length, so that length says nothing of the class:
    first those of one length, then of lengths that differ ever more.
    """
    mixed = rng.permutation(rows)
    left = [mixed[labels[mixed] == c] for c in classes]
    blocks = []
    for width in range(1, _WIDEST + 1):
        for offset in range(0, width, max(1, width // 2)):
            taken = _within([(lengths[rows] + offset) // width for rows in left])
            blocks.append(np.stack([rows[t] for rows, t in zip(left, taken, strict=True)], 1))
            left = [np.delete(rows, t) for rows, t in zip(left, taken, strict=True)]
    return np.concatenate(blocks)


def _within(bins: list[Ints]) -> list[Ints]:
    """For each class the positions that pair up bin by bin, in the same order of bins for all."""
    size = max((int(b.max()) for b in bins if len(b)), default=0) + 1
    counts = np.stack([np.bincount(b, minlength=size) for b in bins])
    most = counts.min(0)
    taken = []
    for b, n in zip(bins, counts, strict=True):
        order = np.argsort(b.astype(np.min_scalar_type(size)), kind="stable")  # short ones by radix
        rank = np.arange(len(b)) - np.repeat(np.cumsum(n) - n, n)
        taken.append(order[rank < most[b[order]]])
    return taken


def match_gaussian(lengths: Ints) -> Ints:
    """Which blocks to keep, of lengths [blocks, classes], so that their lengths are spread as a
    Gaussian.

    With equally many of every class at each length, length and class then follow a bivariate
    distribution with diagonal covariance. The Gaussian has the blocks' own mean and variance, and
    is as high as it can be with nine tenths of it filled.
    """
    x = lengths.mean(1)
    if len(x) < 2 or x.std() == 0:
        return np.arange(len(x))
    bins = np.rint(x).astype(np.int64)
    counts = np.bincount(bins)
    density = np.exp(-0.5 * ((np.arange(len(counts)) - x.mean()) / x.std()) ** 2)
    share = density / density.sum()
    heights = np.rint(share * _height(counts, share)).astype(np.int64)
    order = np.argsort(bins, kind="stable")
    rank = np.arange(len(order)) - np.searchsorted(bins[order], bins[order])
    return np.asarray(np.sort(order[rank < heights[bins[order]]]))


def match_joint_gaussian(lengths: Ints, values: Ints, rng: np.random.Generator) -> Ints:
    """Which rows to keep so that lengths and values follow a bivariate Gaussian with diagonal
    covariance; values differ in frequency.

    This is how SentEval's README says that TreeDepth was sampled. The Gaussian has the rows' own
    means, and the widest deviations, as shares of the rows' own, of which the rows leave |r| below
    `_JOINT`; it is as high as it can be with nine tenths of it filled. No rows where there is none.
    """
    bins, classes = lengths - lengths.min(), values - values.min()
    cells = classes * (int(bins.max()) + 1) + bins
    shape = int(classes.max()) + 1, int(bins.max()) + 1
    counts = np.bincount(cells, minlength=shape[0] * shape[1])
    mixed = rng.permutation(len(cells))
    order = mixed[np.argsort(cells[mixed], kind="stable")]
    rank = np.arange(len(order)) - np.searchsorted(cells[order], cells[order])
    for wide in np.arange(1.0, 0.2, -0.05):
        density = np.outer(_bell(classes, shape[0], wide), _bell(bins, shape[1], wide)).ravel()
        share = density / density.sum()
        heights = np.rint(share * _height(counts, share)).astype(np.int64)
        kept = order[rank < heights[cells[order]]]
        if len(kept) > 1 and abs(float(np.corrcoef(lengths[kept], values[kept])[0, 1])) <= _JOINT:
            return np.asarray(np.sort(kept))
    return np.empty(0, np.int64)


def _bell(values: Ints, many: int, wide: float) -> NDArray[np.float64]:
    """A Gaussian over 0 ... many - 1 with the mean of some values and a share of their
    deviation.
    """
    return np.asarray(
        np.exp(-0.5 * ((np.arange(many) - values.mean()) / max(wide * values.std(), 1e-9)) ** 2)
    )


def _height(counts: Ints, shares: NDArray[np.float64]) -> float:
    """The most blocks that can be asked for by these shares so that nine tenths of them are
    there.
    """
    full = np.append(0.0, np.sort(counts[shares > 0] / shares[shares > 0]))
    there = np.array([np.minimum(counts, n * shares).sum() for n in full])
    return float(full[np.flatnonzero(there >= _FILLED * full)[-1]])


def code_contrasts(names: tuple[str, ...]) -> NDArray[np.float64]:
    """Numbers that classes stand for, [classes, contrasts], each of mean 0: their names if numeric,
    else one against the rest.
    """
    try:
        values = np.array([[float(name)] for name in names])
    except ValueError:
        values = np.eye(len(names))[:, : 1 if len(names) == 2 else None]
    return np.asarray(values - values.mean(0))


def uncorrelated_blocks(
    blocks: Ints, lengths: Ints, values: NDArray[np.float64], limit: float
) -> Ints:
    """The blocks before the first at which |r| of length and any contrast [classes, contrasts]
    exceeds the limit.
    """
    x = lengths[blocks].astype(float)
    x -= x.mean() if x.size else 0.0
    n = np.arange(1, len(blocks) + 1)[:, None] * blocks.shape[1]
    variance = np.cumsum((x**2).sum(1))[:, None] / n - (np.cumsum(x.sum(1))[:, None] / n) ** 2
    covariance = np.cumsum(x @ values, 0) / n
    over = (
        np.abs(covariance) > limit * np.sqrt(np.maximum(variance, 0) * (values**2).mean(0)) + 1e-9
    ).any(1)
    return blocks[: int(over.argmax()) if over.any() else len(blocks)]


def correlate_length_with_contrast(
    rows: Ints, labels: Ints, lengths: Ints, values: NDArray[np.float64]
) -> float:
    """Pearson's r of length and the contrast that shows it most, over some rows; 0 where nothing
    varies.
    """
    x = lengths[rows].astype(float)
    if len(rows) == 0 or x.std() == 0:
        return 0.0
    # sums by class, since a thousand classes have a thousand contrasts
    shares = np.bincount(labels[rows], minlength=len(values)) / len(rows)
    sums = np.bincount(labels[rows], x - x.mean(), minlength=len(values)) / len(rows)
    spread = values - shares @ values
    deviation = x.std() * np.sqrt(shares @ spread**2)
    r = np.divide(sums @ spread, deviation, out=np.zeros(len(deviation)), where=deviation > 1e-12)
    return float(r[np.abs(r).argmax()])
