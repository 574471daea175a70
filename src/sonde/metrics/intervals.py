"""How far a score can be trusted: 95 % intervals over seeds and examples, which are crossed (every seed answers all).

Variance is that of a two-way random-effects layout without replication, MS_seeds + MS_examples - MS_residual over
their number, with Satterthwaite's degrees of freedom; Wilson's interval then keeps shares between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sonde.metrics.constant import named
from sonde.metrics.metric import Doubles, Metric
from sonde.targets import Column

LEVEL = 0.95
BLOCKS = 400  # random blocks of examples that are drawn with replacement; a block is one example where there are fewer
DRAWS = 500


class Spread(NamedTuple):
    """Mean squares of a crossed layout; variance is that of the grand mean, df its degrees of freedom."""

    variance: float
    df: float


class NullShare(NamedTuple):
    """How many control cells lie outside their interval around the null value, and how probable that is by chance."""

    outside: int
    cells: int
    p: float

    @property
    def share(self) -> float:
        """Cells outside over all cells; 5 % is expected."""
        return self.outside / self.cells if self.cells else 0.0


def interval(outcomes: ArrayLike, least: float = 0.0) -> tuple[float, float]:
    """The 95 % interval of the mean of outcomes [seeds, examples] in [least, 1]; folds are pooled as more examples."""
    table = np.atleast_2d(np.asarray(outcomes, np.float64))
    return _bounded(float(table.mean()), _layout(table), table.shape[1], least)


def interval_of(metric: str | Metric, gold: Column, predicted: Sequence[Column]) -> tuple[float, float]:
    """The 95 % interval of a metric's mean over seeds; `predicted` has one column a seed, over the same examples.

    Where the metric is no mean over examples, mean squares come from 500 draws of examples, the same for all seeds.
    """
    made = named(metric)
    if made.per_example is not None:
        return interval(np.stack([made.per_example(gold, p) for p in predicted]), made.least)
    n = len(gold)
    scores = np.array([made(gold, p) for p in predicted])
    return _bounded(float(scores.mean()), _drawn(scores, drawn(made, gold, predicted), min(n, BLOCKS)), n, made.least)


def drawn(metric: str | Metric, gold: Column, predicted: Sequence[Column]) -> Doubles:
    """The metric of several columns over 500 draws of examples, [columns, draws]; the draws are the same for as many examples."""
    made, n = named(metric), len(gold)
    rng = np.random.default_rng(n)
    many = min(n, BLOCKS)
    blocks = rng.permutation(np.arange(n) % many)
    weights = rng.multinomial(many, np.full(many, 1 / many), DRAWS).astype(np.float64)
    return np.stack([made.value(weights @ made.sums(gold, p, blocks, many)) for p in predicted])


def null_share(cells: Iterable[tuple[float, float, float]], draws: Iterable[Hashable] | None = None) -> NullShare:
    """Of cells (low, high, null value): those whose interval misses the null, and the binomial p of so many at 5 %.

    Cells of one draw of labels err together: `draws` names the draw of each cell, and p then counts cells and misses at
    their effective number, divided by the design effect of the clusters (Rao & Scott 1992, Biometrics 48:577).
    """
    from scipy.stats import binomtest

    listed = list(cells)
    missed = np.array([not low <= null <= high for low, high, null in listed], np.float64)
    outside, n = int(missed.sum()), len(listed)
    effect = 1.0 if draws is None else _design_effect(missed, list(draws))
    p = float(binomtest(round(outside / effect), max(round(n / effect), 1), 1 - LEVEL).pvalue) if listed else 1.0
    return NullShare(outside, n, p)


def _design_effect(missed: Doubles, draws: Sequence[Hashable]) -> float:
    """How much more a share of clustered cells varies than one of independent cells; never below 1."""
    codes = np.unique([str(draw) for draw in draws], return_inverse=True)[1]
    sizes, hits = np.bincount(codes), np.bincount(codes, missed)
    share, n, many = float(missed.mean()) if len(missed) else 0.0, len(missed), len(sizes)
    if many < 2 or not 0 < share < 1:
        return 1.0
    clustered = many / (many - 1) * float(((hits - share * sizes) ** 2).sum()) / n**2
    return max(1.0, clustered * n / (share * (1 - share)))


def _layout(table: Doubles) -> Spread:
    """Spread of the mean of a table [seeds, examples]."""
    seeds, n = table.shape
    by_seed, by_example, mean = table.mean(1), table.mean(0), table.mean()
    examples = seeds * float(((by_example - mean) ** 2).sum()) / max(n - 1, 1)
    if seeds == 1:
        return Spread(examples / n, max(n - 1, 1))
    residual = float(((table - by_seed[:, None] - by_example + mean) ** 2).sum()) / max((seeds - 1) * (n - 1), 1)
    between = n * float(((by_seed - mean) ** 2).sum()) / (seeds - 1)
    return _satterthwaite(between, examples, residual, (seeds, n))


def _drawn(scores: Doubles, draws: Doubles, many: int) -> Spread:
    """The same from scores [seeds] and their values in draws of examples [seeds, draws]."""
    seeds = len(scores)
    each = float(draws.mean(0).var(ddof=1))
    if seeds == 1:
        return Spread(each, max(many - 1, 1))
    apart = draws - draws.mean(0)
    residual = float(apart.var(axis=1, ddof=1).sum()) / (seeds - 1)
    between = float(scores.var(ddof=1))
    return _satterthwaite(between * many, each * seeds * many, residual * many, (seeds, many))


def _satterthwaite(between: float, examples: float, residual: float, shape: tuple[int, int]) -> Spread:
    seeds, n = shape
    total = between + examples - residual
    floor = max(examples, residual, between) / 10  # a difference of estimates can come out near or below zero by chance
    total = max(total, floor)
    doubt = between**2 / (seeds - 1) + examples**2 / max(n - 1, 1) + residual**2 / max((seeds - 1) * (n - 1), 1)
    return Spread(total / (seeds * n), max(total**2 / doubt, 1.0) if doubt else float(n))


def _bounded(mean: float, spread: Spread, n: int, least: float) -> tuple[float, float]:
    """Wilson's interval with as many examples as the variance is worth; Fisher's transformation for correlations."""
    from scipy.special import stdtrit

    t = float(stdtrit(spread.df, (1 + LEVEL) / 2))
    if least < 0:
        if abs(mean) >= 1:
            return mean, mean
        centre, half = np.arctanh(mean), t * np.sqrt(spread.variance) / (1 - mean**2)
        return float(np.tanh(centre - half)), float(np.tanh(centre + half))
    share = min(max(mean, 0.0), 1.0)
    worth = share * (1 - share) / spread.variance if spread.variance > 0 and 0 < share < 1 else float(n)
    centre = (share + t * t / (2 * worth)) / (1 + t * t / worth)
    half = t / (1 + t * t / worth) * np.sqrt(share * (1 - share) / worth + t * t / (4 * worth * worth))
    low, high = float(centre - half), float(centre + half)
    return 0.0 if share == 0 else max(0.0, low), 1.0 if share == 1 else min(1.0, high)
