"""Scores of strata as if all had the same labels: direct standardisation, as of death rates in towns of unlike ages.

Far words are punctuation more often than near ones, and mentions that corefer are often the same words. A score by distance, or by
what was seen, then moves with the labels, whatever an encoder knows. Here examples are weighted so that labels are as frequent in each
stratum as in all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sonde.metrics import Metric
from sonde.targets import Classes, Column, LabelSets
from sonde.vectors import Ints

FEWEST = 5  # examples of a label that every stratum must have, or its few would weigh too much
COVERED = 0.5  # share of the examples whose labels every stratum must have, or too little is compared


class Mix(NamedTuple):
    """How frequent each label is among the examples of those that every stratum has; it sums to 1.

    covers  share of all examples that have one of these labels
    """

    shares: Mapping[str, float]
    covers: float


def mix_of(strata: Sequence[Column]) -> Mix | None:
    """The labels that all strata have, given the gold labels of each, and how frequent they are in all; None where too few have them."""
    keys = [labels_of(gold) for gold in strata]
    if len(keys) < 2 or any(mine is None for mine in keys):
        return None
    counts = [Counter(mine.tolist()) for mine in keys if mine is not None]
    common = sorted(name for name in counts[0] if all(each[name] >= FEWEST for each in counts))
    totals = [sum(each[name] for each in counts) for name in common]
    covers = sum(totals) / sum(each.total() for each in counts)
    if len(common) < 2 or covers < COVERED:
        return None
    return Mix({name: n / sum(totals) for name, n in zip(common, totals, strict=True)}, covers)


def standardised(metric: Metric, gold: Column, mix: Mix) -> Metric:
    """The metric over the examples of a stratum, `gold`, with labels weighted to a mix; those of other labels do not count."""
    counts = Counter(_known(gold).tolist())
    weights = {name: share * len(gold) / counts[name] for name, share in mix.shares.items()}

    def sums(gold: Column, predicted: Column, blocks: Ints, many: int) -> NDArray[np.float64]:
        mine, found = _known(gold), []
        for name, weight in weights.items():
            rows = np.flatnonzero(mine == name)
            found.append(weight * metric.sums(gold.take(rows), predicted.take(rows), blocks[rows], many))
        return np.asarray(np.sum(found, 0), np.float64)

    return Metric(f"{metric.name} at one label mix", sums, metric.value, metric.least)


def labels_of(gold: Column) -> NDArray[np.str_] | None:
    """What each example is, [n]: its class, or all labels of its set; None of scores."""
    if isinstance(gold, Classes):
        return np.array(gold.names, np.str_)[gold.ids]
    if not isinstance(gold, LabelSets):
        return None
    cells, places = np.unique(gold.matrix() >= 0.5, axis=0, return_inverse=True)
    names = np.array(["+".join(np.array(gold.names)[row]) for row in cells])
    return names[places.reshape(-1)]


def _known(gold: Column) -> NDArray[np.str_]:
    found = labels_of(gold)
    return np.zeros(0, np.str_) if found is None else found
