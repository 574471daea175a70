"""How the vectors of one representation lie: around one direction or all around (anisotropy,
Ethayarajh 2019), how long they are, and which dimensions stand out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from lingprobe.inside.geometry.rows import (
    NO_ESTIMATE,
    Doubles,
    IntervalEstimate,
    LayerVectors,
    compute_jackknife_interval,
    split_into_stretches,
    without_each,
)

_OUTLYING = 5.0  # times the average variance


@dataclass(frozen=True, slots=True)
class VectorSpread:
    """How vectors lie.

    cosine     mean cosine of two different sentences, over all pairs
    norm       mean length; `variation` is its standard deviation, divided by it
    dimension  the dimension (from 0) that adds most to the mean cosine, and `share`, how much of it
               (Timkey & van Schijndel 2021, equation 4); -1 and NaN where the cosine may be 0
    outlying   how many dimensions have a variance of five times the average or more (Rudman et al.
               2023)
    """

    cosine: IntervalEstimate
    norm: IntervalEstimate
    variation: float
    dimension: int
    share: float
    outlying: int


def measure_spread(rows: LayerVectors) -> VectorSpread:
    """How vectors lie, read once: cosine, norm, the largest dimension, and how many are outlying
    (variance five times the average or more).
    """
    many, width = rows.shape
    start = next(split_into_stretches(0, many))
    shift = rows.read(*start).mean(0)
    every = without_each(many, partial(_sums, rows, shift), lambda sums: sums)
    sums = _Totals(every[0], width)
    cosine = compute_jackknife_interval(np.array([_cosine(_Totals(each, width)) for each in every]))
    norm = compute_jackknife_interval(np.array([_Totals(each, width).norm for each in every]))
    top, share = _largest(sums) if cosine.low > 0 else (-1, np.nan)
    variances = np.maximum(sums.squares / sums.n - (sums.x / sums.n) ** 2, 0)
    outlying = int((variances >= _OUTLYING * variances.mean()).sum()) if variances.any() else 0
    deviation = np.sqrt(max(sums.norm_square - norm.value**2, 0.0))
    variation = float(deviation / norm.value) if norm.value else np.nan
    return VectorSpread(
        cosine if sums.directed > 1 else NO_ESTIMATE, norm, variation, top, share, outlying
    )


class _Totals:
    """Sums over sentences, taken apart: of vectors of length 1 and their squares, of shifted
    vectors and their squares, and of numbers.
    """

    def __init__(self, sums: Doubles, width: int) -> None:
        self.unit, self.unit_squares, self.x, self.squares = sums[: 4 * width].reshape(4, width)
        self.n, self.directed, norm, square = sums[4 * width :]
        self.norm, self.norm_square = norm / self.n, square / self.n


def _sums(rows: LayerVectors, shift: Doubles, start: int, stop: int) -> Doubles:
    total = np.zeros(4 * rows.shape[1] + 4)
    for each in split_into_stretches(start, stop):
        x = rows.read(*each)
        norms = np.sqrt((x**2).sum(1))
        has = norms > 0  # zeros have no direction
        unit = x[has] / norms[has, None]
        moved = x - shift
        sums = unit.sum(0), (unit**2).sum(0), moved.sum(0), (moved**2).sum(0)
        total += [*np.concatenate(sums), len(x), has.sum(), norms.sum(), (norms**2).sum()]
    return total


def _by_dimension(sums: _Totals) -> Doubles:
    """What each dimension adds to the mean cosine, [dim]: products of different sentences alone,
    so the squares are excluded.
    """
    pairs = sums.directed * (sums.directed - 1)
    if pairs <= 0:
        return np.full(len(sums.unit), np.nan)
    return np.asarray((sums.unit**2 - sums.unit_squares) / pairs)


def _cosine(sums: _Totals) -> float:
    """Anisotropy: the mean cosine of all pairs of different sentences."""
    return float(_by_dimension(sums).sum())


def _largest(sums: _Totals) -> tuple[int, float]:
    """Which one dimension makes most of the cosine, and which share."""
    shares = _by_dimension(sums)
    top = int(shares.argmax())
    return top, float(shares[top] / shares.sum())
