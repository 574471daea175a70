"""How much vectors tell of labels, in bits, and whether probabilities are what they say."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lingprobe.data._logits import ProbeLogits
from lingprobe.data.labels import Column
from lingprobe.metrics.clusters import (
    Clusters,
    ScoreInfluences,
    compute_t_quantile,
    estimate_variance,
)
from lingprobe.metrics.metric import Doubles
from lingprobe.metrics.probabilistic import CALIBRATION_BINS, calibration_gaps


class MeanEstimate(NamedTuple):
    """A mean and its 95 % interval."""

    value: float
    low: float
    high: float


def compute_pointwise_information(gold: Column, scores: ProbeLogits) -> Doubles:
    """Pointwise V-information of each example, [n]: the bits that its labels take without the
    vectors, less those with them.

    Ethayarajh et al. 2022, equation 4. The model without input is the shares of labels in train.
    """
    return scores.null_bits(gold) - scores.bits(gold)


def mean_over(table: ArrayLike, clusters: Clusters | None = None) -> MeanEstimate:
    """The mean of numbers [fits, n], every fit over the same examples, with its interval over both;
    `clusters` as of `interval_of`.
    """
    fits = ScoreInfluences.of_means(table)
    influence = fits.influences.mean(0)
    value, doubt = (
        float(fits.scores.mean()),
        estimate_variance(influence, [fits], clusters or {}, np.zeros(len(influence), np.int64)),
    )
    half = float(compute_t_quantile(doubt.df) * np.sqrt(doubt.variance))
    return MeanEstimate(value, value - half, value + half)


def calibration_error(gold: Column, scores: ProbeLogits) -> float:
    """How far probabilities are from shares of what was right, on average: the expected calibration
    error (Guo et al. 2017).

    Of classes the probability of the one answered; of label sets that of every label, over all
    pairs that were annotated.
    """
    found = calibration_gaps(gold, scores.values)
    gaps = np.bincount(found.bins, found.gap, CALIBRATION_BINS)
    return float(np.abs(gaps).sum() / max(len(found.rows), 1))
