"""Intrinsic dimension by the two nearest neighbours of each sentence (TwoNN, Facco et al. 2017)."""

from __future__ import annotations

import numpy as np

from lingprobe.data.vectors import Ints
from lingprobe.inside.geometry.rows import (
    NO_ESTIMATE,
    Doubles,
    IntervalEstimate,
    LayerVectors,
    compute_jackknife_interval,
    make_jackknife_groups,
)

MAX_NEIGHBOUR_SENTENCES = 5_000  # sentences among which neighbours are looked for
_DISCARDED = 0.1  # of the largest ratios, as in the paper
_SAME = 1e-12  # of the mean squared norm: sentences that are not apart
_BLOCK = 512
_LEAST = 40


def intrinsic_dimension(rows: LayerVectors) -> tuple[IntervalEstimate, int]:
    """The dimension of the surface that vectors lie on, and how many of them it is of, since equal
    ones count once; NaN for fewer than forty.
    """
    points = drop_repeated_points(sample_vectors(rows))
    if len(points) < _LEAST:
        return NO_ESTIMATE, len(points)
    ratios = neighbour_ratios(points)
    left = (
        np.delete(ratios, np.s_[start:stop]) for start, stop in make_jackknife_groups(len(ratios))
    )
    return compute_jackknife_interval(np.array([two_nn(ratios), *map(two_nn, left)])), len(points)


def drop_repeated_points(x: Doubles) -> Doubles:
    """Equal vectors count once: the points [n, dim] that lie on no point before them.

    It is not enough to leave out copies as points whose neighbours count: both neighbours of a
    third point can still be one place, which is a ratio of 1.
    """
    x = x[np.sort(np.unique(x, axis=0, return_index=True)[1])]
    while len(x) > 1:
        squares, first = _nearest(x)
        on_another = squares[:, 0] <= _SAME * float(((x - x.mean(0)) ** 2).sum(1).mean())
        # of two points that lie on each other the first stays; of more, each round leaves fewer
        left_out = on_another & (first < np.arange(len(x)))
        if not left_out.any():
            break
        x = x[~left_out]
    return x


def sample_vectors(rows: LayerVectors) -> Doubles:
    """At most 5,000 vectors, in even steps, among which neighbours are looked for."""
    many = rows.shape[0]
    at = np.unique(
        np.linspace(0, many - 1, min(many, MAX_NEIGHBOUR_SENTENCES)).round().astype(int)
    ).tolist()
    if len(at) == many:
        return rows.read(0, many)
    return np.concatenate([rows.read(i, i + 1) for i in at])


def neighbour_ratios(x: Doubles) -> Doubles:
    """How much farther the second neighbour is than the first, of points that are distinct, [n].

    Chains of nearest neighbours stand beside each other, since what two of them tell is nearly the
    same: an interval from groups that cut them is too narrow.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    squares, first = _nearest(x)
    own = np.arange(len(x))
    ties = coo_array((np.ones(len(x), bool), (own, first)), (len(x), len(x)))
    chains = np.argsort(connected_components(ties, directed=False)[1], kind="stable")
    near, far = squares[chains].T
    return np.asarray(np.sqrt(far / near))


def two_nn(ratios: Doubles) -> float:
    """The slope through the origin of -log(1 - F) over the log of sorted ratios, F being the share
    of ratios up to there (the paper's algorithm, steps 3 to 5).
    """
    n = len(ratios)
    kept = int(n * (1 - _DISCARDED))
    logs = np.sort(np.log(ratios))[:kept]
    heights = -np.log1p(-np.arange(1, kept + 1) / n)
    below = float(logs @ logs)
    return float(logs @ heights) / below if below > 0 else np.nan


def _nearest(x: Doubles) -> tuple[Doubles, Ints]:
    """Squared distances to the two nearest other points [n, 2], and the number of the nearest."""
    x = x - x.mean(0)
    norms = (x**2).sum(1)
    squares, first = np.empty((len(x), 2)), np.empty(len(x), np.int64)
    for start in range(0, len(x), _BLOCK):
        rows = slice(start, start + _BLOCK)
        apart = norms[rows, None] + norms - 2 * x[rows] @ x.T
        apart[np.arange(len(apart)), np.arange(start, start + len(apart))] = np.inf
        two = np.argpartition(apart, 1, axis=1)[:, :2]
        first[rows] = two[:, 0]
        squares[rows] = np.maximum(np.take_along_axis(apart, two, 1), 0)
    return squares, first
