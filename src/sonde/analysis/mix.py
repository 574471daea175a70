"""What a stratum would score for its labels alone: indirect standardisation, as of deaths in a town
of old people.

Far words are punctuation more often than near ones, and mentions that were seen together in train
corefer more often than others. A score by distance, or by what was seen, then moves with the
labels, whatever an encoder knows. So beside it stands what *all* test examples score with labels
weighted to be as frequent as here. Weighting each stratum to one mix instead would leave out most
labels: determiners stand near their nouns, and hardly any value of distance has all relations.
"""

from __future__ import annotations

import numpy as np

from sonde.labels import Column
from sonde.metrics import Metric
from sonde.metrics.metric import Doubles, summed
from sonde.vectors import Ints


def expected(metric: Metric, gold: Column, rows: Ints) -> Metric | None:
    """The metric over all examples, `gold`, with labels as frequent as in some of them, `rows`;
    None where gold are scores.
    """
    weights = weights_of(gold, rows)
    if weights is None:
        return None

    def sums(gold: Column, predicted: Column, blocks: Ints, many: int) -> Doubles:
        each = metric.sums(gold, predicted, np.arange(len(gold)), len(gold))
        return summed(each * _weighed(gold, weights)[:, None], blocks, many)

    return Metric(f"{metric.name}, expected", sums, metric.value, metric.least)


def beyond(metric: Metric, gold: Column, rows: Ints) -> Metric | None:
    """How much higher the metric over some examples, `rows`, is than their labels let expect; of
    answers to all examples only.
    """
    whole = expected(metric, gold, rows)
    if whole is None:
        return None

    def sums(gold: Column, predicted: Column, blocks: Ints, many: int) -> Doubles:
        mine = metric.sums(gold.take(rows), predicted.take(rows), blocks[rows], many)
        return np.concatenate([mine, whole.sums(gold, predicted, blocks, many)], 1)

    def value(sums: Doubles) -> Doubles:
        mine, all_ = np.split(sums, 2, -1)
        return np.asarray(metric.value(mine) - metric.value(all_), np.float64)

    def influence(gold: Column, predicted: Column) -> Doubles:
        speeds = -whole.influences(gold, predicted)
        speeds[rows] += metric.influences(gold.take(rows), predicted.take(rows))
        return speeds

    return Metric(f"{metric.name} beyond its labels", sums, value, -1.0, influence)


def weights_of(gold: Column, rows: Ints) -> dict[str, float] | None:
    """The weight of an example of each label by which labels of all become as frequent as in
    `rows`; their sum over all is that of rows.
    """
    names = gold.answers()
    if names is None:
        return None
    labels, codes = np.unique(names, return_inverse=True)
    every, mine = (np.bincount(some, minlength=len(labels)) for some in (codes, codes[rows]))
    return dict(zip(labels.tolist(), (mine / every).tolist(), strict=True))


def _weighed(gold: Column, weights: dict[str, float]) -> Doubles:
    names = gold.answers()
    labels, codes = np.unique(np.zeros(0, np.str_) if names is None else names, return_inverse=True)
    return np.array([weights[label] for label in labels.tolist()])[codes]
