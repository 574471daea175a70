"""What an intervention does to the answers of a validation probe, which was fitted on vectors as
they are, after Canby et al. (2024, section 3, equations 2 to 4): completeness, collateral change,
reliability.

All three compare distributions over labels by their total variation distance, example by example,
and average. The collateral change of another property is one less what they call selectivity; their
divisor max(1 - min P, max P) is 1 - min P, as two shares are at most 1 together.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import Predictions
from lingprobe.data.labels import Link

Doubles = NDArray[np.float64]


def compute_probabilities(predictions: Predictions) -> Doubles | None:
    """The distributions [n, labels] that a probe gives; of label sets one of two values for each
    label, [n x labels, 2]. None where it gives none.
    """
    if predictions.link is None:
        return None
    return _DISTRIBUTIONS[predictions.link](predictions.scores.astype(np.float64))


def _normalise_scores(scores: Doubles) -> Doubles:
    return np.asarray(np.exp(scores - np.logaddexp.reduce(scores, 1, keepdims=True)))


def _each(scores: Doubles) -> Doubles:
    holds = 1 / (1 + np.exp(-scores.reshape(-1)))
    return np.stack([1 - holds, holds], 1)


_DISTRIBUTIONS: dict[Link, Callable[[Doubles], Doubles]] = {
    "softmax": _normalise_scores,
    "sigmoid": _each,
}


def compute_completeness(after: Doubles | None) -> float:
    """Completeness: how near predictions on the erased task are to chance, 1 where they are even, 0
    where they are certain. NaN without distributions.
    """
    if after is None:
        return math.nan
    labels = after.shape[1]
    distance = np.abs(after - 1 / labels).sum(1) / 2
    return float(1 - labels / (labels - 1) * distance.mean())


def collateral_change(before: Doubles | None, after: Doubles | None) -> float:
    """Collateral change: how much the predictions on another task change, as a share of how far
    they can; 0 where they are the same. NaN without distributions.
    """
    if before is None or after is None:
        return math.nan
    distance = np.abs(after - before).sum(1) / 2
    return float((distance / (1 - before.min(1))).mean())


def compute_reliability(complete: float, collateral: float) -> float:
    """Reliability: the harmonic mean of completeness and of what did not change; 0 where one of
    them is not above 0.
    """
    kept = 1 - collateral
    if math.isnan(complete + kept):
        return math.nan
    return 2 * complete * kept / (complete + kept) if min(complete, kept) > 0 else 0.0
