"""A metric averaged over subsets of the test examples, as scores of STS are published."""

from __future__ import annotations

import numpy as np

from lingprobe.data.labels import Column
from lingprobe.data.vectors import Ints
from lingprobe.metrics.metric import Doubles, Metric


def average_over_subsets(metric: Metric, codes: Ints, by_size: bool = False) -> Metric:
    """The mean of a metric over subsets of exactly these test examples: each counts the same, or as
    many as it has.

    codes  the subset of each example [n], below 0 for none; such examples do not count
    """
    parts = [np.flatnonzero(codes == k) for k in np.unique(codes[codes >= 0])]
    sizes = np.array([len(part) for part in parts], np.float64)
    weights = (sizes if by_size else np.ones(len(parts))) / (sizes.sum() if by_size else len(parts))

    def sums(gold: Column, predicted: Column, blocks: Ints, many: int) -> Doubles:
        return np.stack(
            [metric.sums(gold.take(p), predicted.take(p), blocks[p], many) for p in parts], 1
        )

    def influence(gold: Column, predicted: Column) -> Doubles:
        moved = np.zeros(len(gold))
        for part, weight in zip(parts, weights, strict=True):
            moved[part] = weight * metric.influences(gold.take(part), predicted.take(part))
        return moved

    return Metric(
        metric.name,
        sums,
        lambda each: np.asarray(metric.value(each) @ weights, np.float64),
        metric.least,
        influence,
        metric.several,
    )
