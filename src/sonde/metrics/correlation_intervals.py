"""How sure a correlation is: 95 % intervals over the observations, by bootstrap from ten on, by
Fisher's transformation below, where a resample has too few different ones.

Which bootstrap was chosen by coverage (`benchmarks/relate.py`): percentiles for Spearman's rho; for
Pearson's r, whose percentiles are too narrow, the spread of Fisher's z with Student's t.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from sonde.metrics.correlation import Coefficient, Group, Pair, coefficients, groups
from sonde.metrics.metric import Doubles

FEWEST = 10  # observations that are resampled
RESAMPLES = 2000
ROOM = 4_000_000  # numbers that lie in memory at a time
EDGE = 1 - 1e-4  # of correlations, beyond which Fisher's scale runs away
NORMAL = 1.959964
WHOLE = 1 - 1e-9

Interval = tuple[float, float]


def intervals(
    values: Doubles, pairs: Sequence[Pair], method: str = "spearman", seed: int = 0
) -> dict[Pair, Interval]:
    """The 95 % interval of each pair's correlation, NaN where there is none: by resampling the
    observations; of Kendall's tau and of few observations by Fisher's transformation.
    """
    observed = coefficients(values, pairs, method)
    found = {pair: fisher(one, method) for pair, one in observed.items()}
    if method == "kendall":
        return found
    for group in groups(values, pairs):
        if group.n >= FEWEST:
            products = _resampled(group, WEIGHTED[method], seed)
            for i, j in group.pairs:
                drawn = products[:, group.of[i], group.of[j]]
                found[i, j] = TAILS[method](observed[i, j], drawn[~np.isnan(drawn)])
    return found


def fisher(one: Coefficient, method: str = "pearson") -> Interval:
    """The interval from a correlation and its number alone, as if values were normal: of Spearman's
    rho with the variance of Bonett & Wright (2000), of Kendall's tau with that of Fieller, Hartley
    & Pearson (1957). NaN below five observations, and where the correlation is whole, whose doubt
    cannot be known.
    """
    r, n = one
    if n < 5 or math.isnan(r) or abs(r) > WHOLE:
        return math.nan, math.nan
    variance = {"spearman": (1 + r * r / 2) / (n - 3), "kendall": 0.437 / (n - 4)}
    half = NORMAL * math.sqrt(variance.get(method, 1 / (n - 3)))
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def _resampled(group: Group, weighted: Callable[[Doubles, Doubles], Doubles], seed: int) -> Doubles:
    """The correlations of the columns of a group in each resample, NaN for one without variance,
    [resamples, columns, columns].
    """
    rng = np.random.default_rng(seed)
    n, columns = group.values.shape
    room = max(1, ROOM // max(n * columns, columns * columns))
    drawn = []
    for start in range(0, RESAMPLES, room):
        many = min(room, RESAMPLES - start)
        weights = rng.multinomial(n, np.full(n, 1 / n), many).astype(np.float64)
        drawn.append(weighted(group.values, weights))
    return np.concatenate(drawn)


def _percentiles(observed: Coefficient, drawn: Doubles) -> Interval:
    if math.isnan(observed.value) or len(drawn) < RESAMPLES / 2:
        return math.nan, math.nan
    low, high = np.quantile(drawn, (0.025, 0.975))
    return float(low), float(high)


def _studentized(observed: Coefficient, drawn: Doubles) -> Interval:
    """As wide as resamples spread on Fisher's scale."""
    from scipy.special import stdtrit

    whole = abs(observed.value) > WHOLE
    if math.isnan(observed.value) or whole or len(drawn) < RESAMPLES / 2:
        return math.nan, math.nan
    spread = float(np.arctanh(np.clip(drawn, -EDGE, EDGE)).std(ddof=1))
    half = float(stdtrit(observed.n - 2, 0.975)) * spread
    centre = math.atanh(observed.value)
    return math.tanh(centre - half), math.tanh(centre + half)


TAILS: Mapping[str, Callable[[Coefficient, Doubles], Interval]] = {
    "pearson": _studentized,
    "spearman": _percentiles,
}


def _moments(features: Doubles, weights: Doubles) -> Doubles:
    """Correlations [resamples, columns, columns] of features [resamples or 1, n, columns] that
    count as often as weights [resamples, n] say.
    """
    heavy = weights[:, :, None]
    centred = features - (features * heavy).sum(1, keepdims=True) / heavy.sum(1, keepdims=True)
    products = (centred * heavy).transpose(0, 2, 1) @ centred
    scale = np.sqrt(np.diagonal(products, axis1=1, axis2=2))
    spread = scale[:, :, None] * scale[:, None, :]
    # what rounding leaves of a constant is no variance
    varies = spread > 1e-12 * np.abs(features).max() ** 2
    out: Doubles = np.full_like(products, math.nan)
    np.divide(products, spread, out=out, where=varies)
    return out


def _pearson(values: Doubles, weights: Doubles) -> Doubles:
    return _moments((values - values.mean(0))[None], weights)


def _spearman(values: Doubles, weights: Doubles) -> Doubles:
    """Ranks are those in the resample: an observation that was drawn twice takes two places."""
    ranked = np.empty((*weights.shape, values.shape[1]))
    before = np.zeros((len(weights), len(values) + 1))
    for column in range(values.shape[1]):
        order = np.argsort(values[:, column], kind="stable")
        ordered = values[order, column]
        np.cumsum(weights[:, order], 1, out=before[:, 1:])
        first = np.searchsorted(ordered, values[:, column], "left")
        after = np.searchsorted(ordered, values[:, column], "right")
        ranked[:, :, column] = (before[:, first] + before[:, after]) / 2
    return _moments(ranked, weights)


WEIGHTED: Mapping[str, Callable[[Doubles, Doubles], Doubles]] = {
    "pearson": _pearson,
    "spearman": _spearman,
}
