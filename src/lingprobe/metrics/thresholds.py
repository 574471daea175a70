"""Recall at a rate of false positives: the threshold is set on held-out examples, and the rate that
it achieves on test stands beside the recall.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.labels import Column
from lingprobe.data.notes import ThresholdCounts, ThresholdNote

Doubles = NDArray[np.float64]

FALSE_POSITIVE_RATES = (0.01, 0.05)
_ROUNDING = 1e-9  # 0.01 * 100 is a whole number, whatever floats make of such products
_LEAST_FALSE_POSITIVES = 10  # that a rate stands for among the test examples, or it is not shown


class RecallAtRate(NamedTuple):
    """Shares of the positive test examples that are above the threshold, and of the negative ones,
    which is the rate that was achieved; NaN where the rate is not shown.
    """

    recall: float = float("nan")
    achieved: float = float("nan")


def find_thresholds(
    labels: Column, scores: NDArray[np.floating], names: tuple[str, ...]
) -> ThresholdNote:
    """Of two classes, of which the rarer is positive, the difference of scores that a new negative
    example is above with at most each rate (Vovk et al. 2005, Algorithmic Learning in a Random
    World, 2.2); none for other labels, and where there are too few negatives.

    scores  of examples that the probe was not fitted to [n, classes], in the order of the names
    """
    if labels.classes is None or len(names) != 2:
        return ThresholdNote()
    counts = [int((labels.classes == _code(labels, name)).sum()) for name in names]
    rare = int(counts[1] <= counts[0])
    margins = scores[:, rare].astype(np.float64) - scores[:, 1 - rare]
    negatives = margins[labels.classes != _code(labels, names[rare])]
    found = {rate: find_threshold(negatives, rate) for rate in FALSE_POSITIVE_RATES}
    return ThresholdNote(names[rare], {f"{k:g}": v for k, v in found.items() if v is not None})


def find_threshold(negatives: NDArray[np.floating], rate: float) -> float | None:
    """The threshold that lets at most this share of negative examples pass (`--fpr`): above the
    k-th largest of n a new one is with a probability of k / (n + 1). None where there are too few
    for the rate.

    negatives  scores [n] of examples that the probe was not fitted to
    """
    place = int(rate * (len(negatives) + 1) + _ROUNDING)
    return float(np.sort(negatives)[::-1][place - 1]) if place else None


def count_at_thresholds(
    gold: Column, scores: NDArray[np.floating], names: tuple[str, ...], thresholds: ThresholdNote
) -> ThresholdCounts:
    """How many test examples of either class lie above each threshold.

    scores  [n, classes], in the order of the names
    """
    if gold.classes is None or not thresholds.at:
        return ThresholdCounts()
    rare = names.index(thresholds.positive)
    margins = scores[:, rare].astype(np.float64) - scores[:, 1 - rare]
    positive = gold.classes == _code(gold, thresholds.positive)
    return ThresholdCounts(
        {
            rate: [
                int((margins[positive] > threshold).sum()),
                int(positive.sum()),
                int((margins[~positive] > threshold).sum()),
                int((~positive).sum()),
            ]
            for rate, threshold in thresholds.at.items()
        }
    )


def recall_at_rates(counts: Iterable[ThresholdCounts]) -> Mapping[float, RecallAtRate]:
    """Recall at each rate over all folds (of one seed) together."""
    every = list(counts)
    found = {}
    for rate in FALSE_POSITIVE_RATES:
        folds = [each.at.get(f"{rate:g}") for each in every]
        known = [fold for fold in folds if fold is not None]
        recalled, positives, false, negatives = np.sum(known, 0).tolist() if known else (0, 0, 0, 0)
        is_shown = (
            len(known) == len(every) and positives and rate * negatives >= _LEAST_FALSE_POSITIVES
        )
        found[rate] = (
            RecallAtRate(recalled / positives, false / negatives) if is_shown else RecallAtRate()
        )
    return found


def _code(labels: Column, name: str) -> int:
    """The code of a class; -1 where no example has it."""
    return labels.names.index(name) if name in labels.names else -1
