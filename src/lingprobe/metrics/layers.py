"""Where in an encoder a task is solved: statistics of mixing weights and of scores over growing
mixes (Tenney et al. 2019b).

"BERT Rediscovers the Classical NLP Pipeline", section 3: layer 0 is the first, L the last; shares
are compared in bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lingprobe.data.labels import Column
from lingprobe.metrics.clusters import (
    CONFIDENCE_LEVEL,
    MIN_SEED_COUNT,
    Clusters,
    balanced_classes,
    between_seeds,
    compute_t_quantile,
    over_examples,
)
from lingprobe.metrics.constant import find_metric
from lingprobe.metrics.intervals import FitAnswers
from lingprobe.metrics.metric import Doubles, Metric

# standard errors that the gain from context must reach, or layers are weighted by noise
_GUARD = 3.0
_DRAWS = 2000
_WAVES = 6.0  # the variance of second differences of independent errors, in variances of one


class ExpectedLayer(NamedTuple):
    """The layer at which what context adds is added, on average, with its 95 % interval (NaN where
    nothing was drawn).

    gain   what all layers add to the lowest, in the unit of the scores
    error  the standard error of that gain
    why    why there is no such layer, which is NaN then; '' where there is
    """

    layer: float
    low: float
    high: float
    gain: float
    error: float
    why: str = ""


def centre_of_gravity(weights: ArrayLike) -> float:
    """The centre of gravity: the mean layer under the mixing weights [L + 1] of the whole mix
    (section 3.1).
    """
    shares = _shares(weights)
    return float(shares @ np.arange(len(shares)))


def from_uniform(weights: ArrayLike) -> float:
    """How far weights [n] are from equal ones, in bits: the divergence KL(weights || uniform), 0 to
    log2 n.
    """
    shares = _shares(weights)
    some = shares[shares > 0]
    return float(np.log2(len(shares)) + some @ np.log2(some))


def compute_layer_differentials(cumulative: ArrayLike) -> Doubles:
    """What each layer from 1 to L adds to the mix of those below it, [..., L], from scores of mixes
    of 0 to l, [..., L + 1].
    """
    return np.diff(np.asarray(cumulative, np.float64), axis=-1)


def gain_divergence(cumulative: ArrayLike) -> float:
    """How far the layers' positive differentials are from equal ones, in bits; NaN where there are
    none.
    """
    added = np.maximum(compute_layer_differentials(cumulative), 0)
    return from_uniform(added) if added.sum() > 0 else float("nan")


def expected_layer(cumulative: ArrayLike, draws: Doubles | None = None) -> ExpectedLayer:
    """The expected layer; none where the whole gain is less than three standard errors. The mean
    layer, weighted by what each adds to the mix below (section 3.2), of scores over growing mixes
    [L + 1].

    draws  the same scores in bootstrap draws, [draws, L + 1]; without, the error is told from how
           rough the curve is.
    Undefined where the gain is less than three of its standard errors: differentials then add up to
    little more than noise, and their quotient may lie outside the encoder, as BERT-base's 23.92 of
    12 layers on definite pronouns.
    """
    scores = np.asarray(cumulative, np.float64)
    gain = float(scores[-1] - scores[0])
    error = (
        _roughness(scores) * np.sqrt(2)
        if draws is None
        else float((draws[:, -1] - draws[:, 0]).std(ddof=1))
    )
    nothing = float("nan")
    if not gain > _GUARD * error:
        return ExpectedLayer(
            nothing, nothing, nothing, gain, error, "the gains of the layers are not significant"
        )
    low, high = (
        (nothing, nothing)
        if draws is None
        else np.quantile(
            _mean_layer(draws), [(1 - CONFIDENCE_LEVEL) / 2, (1 + CONFIDENCE_LEVEL) / 2]
        )
    )
    return ExpectedLayer(float(_mean_layer(scores)), float(low), float(high), gain, error)


def drawn_scores(
    metric: str | Metric,
    gold: Column,
    predicted: Sequence[Sequence[Column]],
    clusters: Clusters | None = None,
) -> Doubles:
    """Scores that several probes could have had with other examples and seeds, [draws, probes];
    `predicted` has a column a seed for each.

    Drawn around what was found, with its covariance over the test examples, which all probes share,
    and over the seeds of each.
    """
    measure, strata, clusters = find_metric(metric), balanced_classes(gold), clusters or {}
    each = [FitAnswers(gold, seeds).fits(measure) for seeds in predicted]
    influences = np.stack([one.influences.mean(0) for one in each])
    estimate = over_examples(influences, clusters, strata)
    noise = [between_seeds(one, clusters, strata) for one in each]
    covariance = estimate.covariance + np.diag(noise)
    spread = _root(covariance)
    rng, df = np.random.default_rng([len(gold), 15]), float(estimate.df.min())
    heavy = np.sqrt(df / rng.chisquare(df, (_DRAWS, 1)))
    means = np.array([one.scores.mean() for one in each])
    return np.asarray(means + heavy * rng.standard_normal((_DRAWS, len(each))) @ spread.T)


def _root(covariance: Doubles) -> Doubles:
    """A matrix whose product with its transpose is a covariance."""
    sizes, directions = np.linalg.eigh(covariance)
    # a difference of estimates need not be positive in every direction
    return np.asarray(directions * np.sqrt(np.maximum(sizes, 0)))


def _mean_layer(scores: Doubles) -> Doubles:
    """Layers weighted by their differentials, [...], of scores [..., L + 1]; these may be
    negative.
    """
    added = compute_layer_differentials(scores)
    return np.asarray(added @ np.arange(1, added.shape[-1] + 1) / added.sum(-1))


def _roughness(scores: Doubles) -> float:
    """The error of one score of a curve, as if all of its second differences came from errors:
    never too small.
    """
    return (
        float(np.sqrt(np.mean(np.diff(scores, 2) ** 2) / _WAVES))
        if len(scores) > 2
        else float("inf")
    )


def _shares(weights: ArrayLike) -> Doubles:
    raw = np.asarray(weights, np.float64)
    return np.asarray(raw / raw.sum(), np.float64)


def over_seeds(values: Sequence[float]) -> tuple[float, float, float]:
    """The mean of some seeds' values and its 95 % interval (Student's); NaN for what there is not:
    fewer than three have none.
    """
    if not values:
        return (float("nan"),) * 3
    mean, n = float(np.mean(values)), len(values)
    half = (
        float(compute_t_quantile(n - 1) * np.std(values, ddof=1) / np.sqrt(n))
        if n >= MIN_SEED_COUNT
        else float("nan")
    )
    return mean, mean - half, mean + half
