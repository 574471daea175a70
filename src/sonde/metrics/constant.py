"""The floor of a table: what the best constant answer scores."""

from __future__ import annotations

import numpy as np

from sonde.metrics.contents import METRICS
from sonde.metrics.metric import Metric
from sonde.targets import Classes, Column, LabelSets, Scores

TRIED = 50  # commonest classes tried as the constant; accuracy and F1 never prefer a rarer one


def best_constant(train: Column, test: Column, metric: str | Metric) -> float:
    """The metric on test of the constant answer that is best on train: a class, or a label set; 0 for correlations.

    Label sets are taken in order of their labels' shares, which the best one for micro F1 always is.
    """
    made = named(metric)
    if isinstance(train, Scores) or not len(train):
        return 0.0
    if isinstance(train, Classes):
        commonest = np.argsort(-np.bincount(train.ids, minlength=len(train.names)), kind="stable")[:TRIED]
        best = max(commonest, key=lambda c: made(train, _one(train, len(train), int(c))))
        return made(test, _one(train, len(test), int(best)))
    assert isinstance(train, LabelSets)
    matrix = train.matrix()
    annotated = (~np.isnan(matrix)).sum(0)
    share = (np.nan_to_num(matrix) >= 0.5).sum(0) / np.maximum(annotated, 1)
    order = np.argsort(-share, kind="stable")
    size = max(range(min(len(order), TRIED) + 1), key=lambda k: made(train, _set(train, len(train), order[:k])))
    return made(test, _set(train, len(test), order[:size]))


def _one(labels: Classes, n: int, c: int) -> Column:
    return Classes(np.full(n, c, np.int64), labels.names)


def _set(labels: LabelSets, n: int, chosen: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Column:
    ids = np.tile(chosen.astype(np.int64), n)
    return LabelSets(np.arange(n + 1) * len(chosen), ids, np.ones(len(ids), np.float32), labels.names)


def named(metric: str | Metric) -> Metric:
    """The metric that a reference names; a metric names itself."""
    if isinstance(metric, Metric):
        return metric
    made: Metric = METRICS.make(metric)
    return made
