"""Sharing whole groups out: rows of one group stay together, and every part gets its share of every
class.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sonde.vectors import Ints

# no group takes more than a tenth of a part's share of a class, where another part can hold it
DIVERSE = 10


def allocate(groups: Ints, labels: Ints, shares: Sequence[float], rng: np.random.Generator) -> Ints:
    """The part of each row [n], so that rows of a group (-1: alone) share a part and classes divide
    as `shares`.

    Groups of several rows are placed from the largest down where they fit best; single rows then
    fill what is missing.
    """
    classes = int(labels.max()) + 1
    share = np.array(shares, float) / sum(shares)
    need = share[:, None] * np.bincount(labels, minlength=classes)
    order = np.argsort(groups, kind="stable")
    first = np.flatnonzero(np.r_[True, (np.diff(groups[order]) != 0) | (groups[order][1:] < 0)])
    sizes = np.diff(np.r_[first, len(order)])
    parts = np.empty(len(groups), np.int64)
    several = np.flatnonzero(sizes > 1)
    ranked = several[np.lexsort((rng.random(len(several)), -sizes[several]))]
    quota = need.copy()
    for g in ranked:
        rows = order[first[g] : first[g] + sizes[g]]
        parts[rows] = _place(labels[rows], need, quota, classes)
    alone = order[first[sizes == 1]]
    parts[alone] = _fill(labels[alone], need, rng)
    return parts


def _place(
    labels: Ints, need: NDArray[np.float64], quota: NDArray[np.float64], classes: int
) -> int:
    """The part that a group fits best; what the part still needs is lowered."""
    counts = np.bincount(labels, minlength=classes)
    some = np.flatnonzero(counts)
    n = counts[some]
    open_ = (n * DIVERSE <= quota[:, some]).all(1)
    over = np.maximum(n - need[:, some], 0).sum(1)
    unfilled = (n * need[:, some] / quota[:, some]).sum(1)
    best = int(np.lexsort((-quota[:, some].sum(1), -unfilled, ~open_, over))[0])
    need[best, some] -= n
    return best


def allocate_to_all(
    groups: Ints, labels: Ints, shares: Sequence[float], rng: np.random.Generator
) -> Ints:
    """The same, but a part that got nothing of a class is given the smallest group of a part with
    several; few forms need this.
    """
    parts, many, classes = allocate(groups, labels, shares, rng), len(shares), int(labels.max()) + 1
    groups = np.where(groups < 0, groups.max() + 1 + np.arange(len(groups)), groups)
    held = np.bincount(parts * classes + labels, minlength=many * classes).reshape(many, classes)
    for part, c in np.argwhere(held == 0):
        mine = np.flatnonzero(labels == c)
        present, first, sizes = np.unique(groups[mine], return_index=True, return_counts=True)
        owner = parts[mine[first]]
        spare = np.bincount(owner, minlength=many)[owner] > 1
        if spare.any() and not (parts[mine] == part).any():
            moved = present[spare][sizes[spare].argmin()]
            parts[groups == moved] = part
    return parts


def _fill(labels: Ints, need: NDArray[np.float64], rng: np.random.Generator) -> Ints:
    """Parts of single rows, so that each part gets what it still needs of each class."""
    parts = np.empty(len(labels), np.int64)
    mixed = rng.permutation(len(labels))
    order = mixed[np.argsort(labels[mixed], kind="stable")]
    starts = np.searchsorted(labels[order], np.arange(need.shape[1] + 1))
    for c in np.flatnonzero(np.diff(starts)):
        rows = order[starts[c] : starts[c + 1]]
        parts[rows] = np.repeat(np.arange(len(need)), apportion(len(rows), need[:, c]))
    return parts


def apportion(total: int, weights: NDArray[np.float64]) -> Ints:
    """`total` things in proportion to the positive weights, by largest remainder; they add up to
    `total`.
    """
    shares = np.maximum(weights, 0)
    if shares.sum() <= 0:
        shares = np.ones(len(weights))
    exact = total * shares / shares.sum()
    whole: Ints = np.floor(exact).astype(np.int64)
    short = np.argsort(whole - exact, kind="stable")[: total - int(whole.sum())]
    whole[short] += 1
    return whole
