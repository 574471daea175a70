"""How much a score would vary with other examples and other seeds, where examples were drawn
together.

Examples that share a target form, a sentence or a word are no independent draws: they form
clusters. Variance is that of a jackknife that leaves out one cluster after the other, crossed ways
of sharing by inclusion and exclusion (Cameron, Gelbach & Miller 2011, Journal of Business &
Economic Statistics 29:238); seeds are one more way, which crosses all examples.
docs/design/intervals.md has the formulae, benchmarks/coverage.py what they are worth.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lingprobe.data.labels import Column
from lingprobe.data.vectors import Ints
from lingprobe.metrics.metric import Doubles
from lingprobe.metrics.student import t_quantile

CONFIDENCE_LEVEL = 0.95
MIN_SEED_COUNT = 3  # of fewer the variance is not told: two would give intervals of half the scale
_LEAST_CLUSTERS = 5  # of each class, or classes are not taken apart
MIN_CLUSTER_COUNT = 6  # of fewer clusters of examples the variance is unknown
_HEAVIEST = 2.0  # by which what a cluster of most of a class weighs may grow for its absence
# of the variance by the largest way of sharing, below which a difference of estimates comes by
# chance only
_HALF = 0.5
_THIRD = 1 / 3  # the same of seeds and examples
# by which the variance of a few seeds counts more in the degrees of freedom, as it may have come
# out too small
_DOUBT = 1.5
_CAREFUL = 0.7  # of Satterthwaite's degrees of freedom
_DENSE = 16  # times as many numbers as examples are counted, more are sorted
# by which the numbers of examples of balanced classes may differ, as some could not be read
_EVEN = 0.02

Clusters = Mapping[str, Ints]
"""For each way of drawing examples together the codes [n] of what they share, below 0 for those
that share nothing.
"""


class ScoreVariance(NamedTuple):
    """The variance of a score, its degrees of freedom, and how many draws the examples are worth if
    all that share something agree. The variance is infinite where there are fewer than six
    clusters of examples: nothing is known of it then.
    """

    variance: float
    df: float
    worth: float


class ScoreInfluences(NamedTuple):
    """Scores [seeds] of several fits of one thing, and how fast each grows with the weight of each
    example, [seeds, n].
    """

    scores: Doubles
    influences: Doubles

    @classmethod
    def of_means(cls, outcomes: ArrayLike) -> ScoreInfluences:
        """Those of scores that are means of outcomes, [seeds, n]."""
        table = np.atleast_2d(np.asarray(outcomes, np.float64))
        scores = table.mean(1)
        return cls(scores, (table - scores[:, None]) / table.shape[1])


class CovarianceEstimate(NamedTuple):
    """The covariance of some scores over examples [k, k], the degrees of freedom of each variance
    [k]; worth is as of `ScoreVariance`.
    """

    covariance: Doubles
    df: Doubles
    worth: float


def estimate_variance(
    influence: Doubles, fits: Sequence[ScoreInfluences], clusters: Clusters, strata: Ints
) -> ScoreVariance:
    """The variance over clusters of test examples and over seeds, of a mean or of a difference of
    such means, from how fast it grows with the weight of each example, [n].

    fits    what was fitted under several seeds; fewer than three count as they are, and what is
            said holds for them alone
    strata  codes [n] of classes whose numbers of examples were fixed; all equal where none were
    """
    if has_few_clusters(clusters, len(strata)):
        return ScoreVariance(np.inf, 1.0, 1.0)
    seeds = [each for each in fits if len(each.scores) >= MIN_SEED_COUNT]
    apart = [each.influences - each.influences.mean(0) for each in seeds]
    estimate = over_examples(np.concatenate([influence[None], *apart]), clusters, strata)
    variance, df = _no_wider(estimate, float((influence**2).sum()) * len(influence))
    total = sure = largest = variance
    doubt, noises = variance**2 / df, np.diag(estimate.covariance)[1:]
    for each in seeds:
        many = len(each.scores)
        between = float(each.scores.var(ddof=1)) / many
        noise, noises = float(noises[:many].sum()) / (many * (many - 1)), noises[many:]
        total, sure = total + between - noise, sure + _DOUBT * between - noise
        largest = max(largest, between)
        doubt += ((_DOUBT * between) ** 2 + noise**2 / df) / (many - 1)
    if not seeds or not doubt:
        return ScoreVariance(variance, df, estimate.worth)
    least = _THIRD * largest
    return ScoreVariance(max(total, least), max(max(sure, least) ** 2 / doubt, 1.0), estimate.worth)


def has_few_clusters(clusters: Clusters, n: int) -> bool:
    """Whether n examples that share something form too few clusters for an interval, by one of the
    ways of sharing.
    """
    many = [int(number_clusters(codes).max(initial=-1)) + 1 for codes in clusters.values()]
    return any(each < min(MIN_CLUSTER_COUNT, n) for each in many)


def compute_t_quantile(df: float) -> float:
    """How many standard errors a 95 % interval reaches to either side: Student's t."""
    return t_quantile(float(df), (1 + CONFIDENCE_LEVEL) / 2)


def _no_wider(estimate: CovarianceEstimate, square: float) -> tuple[float, float]:
    """The variance of the first score with its degrees of freedom; or, where that is surer, as if
    all that share something agreed.

    Where few clusters err, the first has few degrees of freedom; agreement is the worst there can
    be, and it needs no estimate.
    """
    estimated = float(estimate.covariance[0, 0]), float(estimate.df[0])
    worst = square / max(estimate.worth - 1, 0.5), max(estimate.worth - 1, 1.0)
    return min(estimated, worst, key=lambda each: each[0] * compute_t_quantile(each[1]) ** 2)


def over_examples(influences: Doubles, clusters: Clusters, strata: Ints) -> CovarianceEstimate:
    """Of scores that grow so fast with the weights of examples, [k, n]: inclusion and exclusion
    over all ways of sharing.
    """
    ways = [codes for codes in map(number_clusters, clusters.values()) if codes.max() > 0] or [
        np.arange(len(strata))
    ]
    if any(_clusters_of(codes, strata).min() < _LEAST_CLUSTERS for codes in ways):
        strata = np.zeros_like(strata)
    sizes = np.bincount(strata).astype(np.float64)
    rest = (
        influences - (np.stack([np.bincount(strata, row) for row in influences]) / sizes)[:, strata]
    )
    single = [_left_out(rest, codes, strata) for codes in ways]
    crossed = [
        sign * _left_out(rest, codes, strata).covariance
        for sign, codes in _intersect_clusters(ways)
    ]
    covariance = np.sum([each.covariance for each in single] + crossed, 0)
    if crossed:
        least = _HALF * np.max([np.diag(each.covariance) for each in single], 0)
        covariance += np.diag(np.maximum(least - np.diag(covariance), 0))
    shared = 1 + sum(len(strata) / each.worth - 1 for each in single)
    return CovarianceEstimate(
        covariance, np.min([each.df for each in single], 0), len(strata) / shared
    )


def between_seeds(fits: ScoreInfluences, clusters: Clusters, strata: Ints) -> float:
    """The variance of a mean over seeds that comes from the seeds alone, 0 where it is not told."""
    many = len(fits.scores)
    if many < MIN_SEED_COUNT:
        return 0.0
    noise = np.diag(
        over_examples(fits.influences - fits.influences.mean(0), clusters, strata).covariance
    ).sum() / (many - 1)
    return max(float(fits.scores.var(ddof=1) - noise) / many, 0.0)


def _intersect_clusters(ways: Sequence[Ints]) -> Iterator[tuple[int, Ints]]:
    """What examples share in two ways and more, with the sign that it has in inclusion and
    exclusion.
    """
    for many in range(2, len(ways) + 1):
        for first, *rest in combinations(ways, many):
            codes = first
            for more in rest:
                codes = _renumber_codes(codes * (int(more.max()) + 1) + more)
            yield (1 if many % 2 else -1), codes


def number_clusters(codes: Ints) -> Ints:
    """The codes from 0 on without gaps; those below 0 stand for nothing shared, and each gets a
    number of its own.
    """
    alone = codes < 0
    own = np.where(alone, int(codes.max(initial=-1)) + np.cumsum(alone), codes)
    return _renumber_codes(own)


def _renumber_codes(codes: Ints) -> Ints:
    """Codes without gaps: where they are small by counting, which takes no sorting."""
    if int(codes.max()) < _DENSE * len(codes):
        there = np.bincount(codes) > 0
        return np.asarray((np.cumsum(there) - 1)[codes], np.int64)
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def _left_out(rest: Doubles, codes: Ints, strata: Ints) -> CovarianceEstimate:
    """The jackknife: how scores move where one cluster after the other is excluded and the rest of
    each class takes its place.
    """
    many, sizes = int(codes.max()) + 1, np.bincount(strata)
    cells, alike = codes * len(sizes) + strata, sizes[strata]
    weights = alike / np.maximum(alike - np.bincount(cells)[cells], alike / _HEAVIEST)
    moves = np.stack([np.bincount(codes, row * weights, many) for row in rest]).astype(np.float64)
    df = np.full(len(rest), float(max(many - len(sizes), 1)))
    if many < len(codes):
        df = np.clip(_df(moves**2), 1, df)
    worth = len(codes) ** 2 / float((np.bincount(codes).astype(np.float64) ** 2).sum())
    return CovarianceEstimate(moves @ moves.T * (many - 1) / many, df, worth)


def _df(squares: Doubles) -> Doubles:
    """Degrees of freedom of a variance from the squares [k, clusters] that it sums, seven tenths of
    Satterthwaite's.

    His formula takes the squares' own variance for theirs. Where few clusters err, a variance comes
    out too small just when the score comes out too high, which fewer degrees of freedom make up
    for.
    """
    total = squares.sum(1)
    beyond = (squares**2).sum(1) - total**2 / squares.shape[1]
    df = np.full(len(total), np.inf)
    np.divide(_CAREFUL * 2 * total**2, beyond, out=df, where=beyond > 0)
    return df


def _clusters_of(codes: Ints, strata: Ints) -> Ints:
    """In how many clusters each class has examples, [classes]."""
    many = int(strata.max()) + 1
    together = np.bincount(codes * many + strata, minlength=(int(codes.max()) + 1) * many)
    return np.asarray((together.reshape(-1, many) > 0).sum(0), np.int64)


def balanced_classes(gold: Column) -> Ints:
    """The class of each example where all classes have equally many, which was fixed when they were
    drawn; else zeros, [n].
    """
    if gold.classes is not None and len(gold):
        _, codes, counts = np.unique(gold.classes, return_inverse=True, return_counts=True)
        if float(np.ptp(counts)) <= _EVEN * float(counts.mean()):
            return codes.astype(np.int64)
    return np.zeros(len(gold), np.int64)
