"""How sure a correlation is: 95 % intervals over the observations, on Fisher's scale, from ten on
by the jackknife, below by Fisher's transformation alone.

Which was chosen by coverage (`benchmarks/relate.py`). The jackknife knows how scores are
distributed, where Fisher's variance takes them for normal; but it takes Pearson's r of a few
extreme scores for surer than it is, so that for r the larger of both variances counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lingprobe.metrics.correlation import (
    ColumnPairs,
    CorrelationCoefficient,
    Pair,
    coefficients,
    correlate_columns,
    group_column_pairs,
)
from lingprobe.metrics.metric import Doubles

_FEWEST = 10  # observations of which one is left out
_EDGE = 1 - 1e-4  # of correlations, beyond which Fisher's scale runs away
_NORMAL = 1.959964
_WHOLE = 1 - 1e-9

Interval = tuple[float, float]


def compute_correlation_intervals(
    values: Doubles, pairs: Sequence[Pair], method: str = "spearman"
) -> dict[Pair, Interval]:
    """The 95 % interval of each pair's correlation, NaN where there is none: by leaving out each
    observation in turn; of Kendall's tau and of few observations by Fisher's transformation.
    """
    observed = coefficients(values, pairs, method)
    found = {pair: compute_fisher_interval(one, method) for pair, one in observed.items()}
    if method == "kendall":
        return found
    for group in group_column_pairs(values, pairs):
        if group.n >= _FEWEST:
            variances = _jackknife(group, method)
            for i, j in group.pairs:
                one, spread = observed[i, j], variances[group.of[i], group.of[j]]
                if method == "pearson":
                    spread = max(spread, compute_fisher_variance(one, method))
                found[i, j] = _around(one, spread)
    return found


def compute_fisher_interval(
    coefficient: CorrelationCoefficient, method: str = "pearson"
) -> Interval:
    """The interval from a correlation and its number alone, as if values were normal: of Spearman's
    rho with the variance of Bonett & Wright (2000), of Kendall's tau with that of Fieller, Hartley
    & Pearson (1957). NaN below five observations, and where the correlation is whole, whose doubt
    cannot be known.
    """
    return _around(
        coefficient,
        compute_fisher_variance(coefficient, method) if coefficient.n >= 5 else math.nan,
    )


def compute_fisher_variance(coefficient: CorrelationCoefficient, method: str) -> float:
    """The variance of Fisher's z of a correlation where values are normal."""
    if method == "kendall":
        return 0.437 / (coefficient.n - 4)
    return (1 + coefficient.value**2 / 2 if method == "spearman" else 1.0) / (coefficient.n - 3)


def _around(one: CorrelationCoefficient, spread: float) -> Interval:
    r = one.value
    if math.isnan(r) or math.isnan(spread) or abs(r) > _WHOLE:
        return math.nan, math.nan
    half = _NORMAL * math.sqrt(spread)
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def _jackknife(group: ColumnPairs, method: str) -> Doubles:
    """The variance of Fisher's z of each two columns, by what it is without each observation."""
    without = [
        correlate_columns(np.delete(group.values, one, axis=0), method) for one in range(group.n)
    ]
    moved = np.arctanh(np.clip(np.array(without), -_EDGE, _EDGE))
    return np.asarray((group.n - 1) * moved.var(0))
