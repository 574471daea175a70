"""How alike two representations of the same sentences are: linear CKA (Kornblith et al. 2019), with
the unbiased estimate of HSIC (Song et al. 2012, equation 5), as Nguyen et al. (2021) have it.

The plain estimate is near 1 for any two wide representations of few sentences; this one is 0 on
average where they have nothing in common. It needs no matrix of sentences by sentences: for linear
kernels all terms are sums over sentences.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from lingprobe.inside.geometry.rows import (
    Doubles,
    LayerVectors,
    make_jackknife_groups,
    split_into_stretches,
)

_HELD = 2**29  # bytes of sums that are kept rather than computed twice
_LEAST = 20  # sentences without which there is nothing to say


class SimilaritySums(NamedTuple):
    """Sums over sentences i with vectors x [p] and y [q], of squared norms a and b."""

    n: float
    xy: Doubles  # [p, q]
    x: Doubles
    y: Doubles
    ay: Doubles  # [q] of a times y
    bx: Doubles  # [p] of b times x
    a: float
    b: float
    ab: float

    def plus(self, other: SimilaritySums) -> SimilaritySums:
        """The sums over the sentences of both."""
        return self._merge(other, 1.0)

    def minus(self, other: SimilaritySums) -> SimilaritySums:
        """The sums without the sentences of the other."""
        return self._merge(other, -1.0)

    def _merge(self, other: SimilaritySums, sign: float) -> SimilaritySums:
        pairs: Any = zip(self, other, strict=True)
        return SimilaritySums(*(u + sign * v for u, v in pairs))


def compute_hsic(sums: SimilaritySums) -> float:
    """The unbiased estimate of HSIC for linear kernels; NaN for fewer than four sentences."""
    n = sums.n
    if n < 4:
        return float("nan")
    # K and L are the kernels without their diagonals, 1 is a vector of ones
    trace = float((sums.xy**2).sum()) - sums.ab  # tr KL
    k = float(sums.x @ sums.x) - sums.a  # 1'K1
    l_ = float(sums.y @ sums.y) - sums.b  # 1'L1
    both = float(sums.x @ sums.xy @ sums.y - sums.y @ sums.ay - sums.x @ sums.bx) + sums.ab  # 1'KL1
    return (trace + k * l_ / ((n - 1) * (n - 2)) - 2 * both / (n - 2)) / (n * (n - 3))


def compute_jackknife_hsic(x: LayerVectors, y: LayerVectors) -> Doubles:
    """HSIC of two representations, and without each group of sentences, [groups + 1]."""
    shift = _middle(x), _middle(y)
    held = x.shape[1] * y.shape[1] * 8 * len(make_jackknife_groups(x.shape[0])) <= _HELD
    parts = list(_sum_groups(x, y, shift)) if held else None
    total = reduce(SimilaritySums.plus, parts or _sum_groups(x, y, shift))
    left = (compute_hsic(total.minus(part)) for part in parts or _sum_groups(x, y, shift))
    return np.array([compute_hsic(total), *left])


def compute_cka(xy: Doubles, xx: Doubles, yy: Doubles) -> Doubles:
    """Debiased linear CKA, of HSIC of two representations and of each with itself; NaN for one that
    does not vary.
    """
    product = np.where((xx > 0) & (yy > 0), xx * yy, np.nan)
    return np.asarray(xy / np.sqrt(product))


def null_deviation(n: int) -> float:
    """CKA by chance, 0 ± this: the standard deviation of debiased CKA over all n! pairings of the
    sentences, whatever the vectors are.

    HSIC is the product of two matrices with no diagonal and rows that add up to 0, divided in CKA
    by their norms. Of such matrices all moments of pairs of entries follow from the norms.
    """
    pairs = n * (n - 1)
    return float(
        np.sqrt(
            2 / pairs
            + 4 / (pairs * (n - 2))  # pairs of sentences that share one
            + 4 / (pairs * (n - 2) * (n - 3))  # that share none
        )
    )


def null_p(value: float, n: int) -> float:
    """An upper bound of the probability of such a CKA where sentences are paired at random
    (Cantelli's inequality, which holds for every distribution).
    """
    deviations = value / null_deviation(n)
    return float(1 / (1 + deviations**2)) if deviations > 0 else 1.0


def _middle(rows: LayerVectors) -> Doubles:
    """About where vectors lie, so that sums of what is left keep their digits; HSIC is the same for
    every shift.
    """
    first = next(split_into_stretches(0, rows.shape[0]))
    return np.asarray(rows.read(*first).mean(0))


def _sum_groups(
    x: LayerVectors, y: LayerVectors, shift: tuple[Doubles, Doubles]
) -> Iterator[SimilaritySums]:
    """The sums of each group of sentences."""
    for start, stop in make_jackknife_groups(x.shape[0]):
        some = (
            _sums(x.read(*each) - shift[0], y.read(*each) - shift[1])
            for each in split_into_stretches(start, stop)
        )
        yield reduce(SimilaritySums.plus, some)


def _sums(x: Doubles, y: Doubles) -> SimilaritySums:
    a, b = (x**2).sum(1), (y**2).sum(1)
    sums = x.sum(0), y.sum(0), a @ y, b @ x
    return SimilaritySums(len(x), x.T @ y, *sums, a.sum(), b.sum(), a @ b)
