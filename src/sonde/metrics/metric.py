"""What a metric is: statistics that add up over examples, and the value of their sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sonde.targets import Column
from sonde.vectors import Ints

Doubles = NDArray[np.float64]


class MetricProblem(ValueError):
    """Labels that a metric cannot judge; the message says which metric can."""


@dataclass(frozen=True, slots=True)
class Metric:
    """Compares gold and predicted labels: `metric(gold, predicted)` is at most 1 and at least `least` (0 or -1).

    sums         (gold, predicted, blocks [n], many) -> [many, statistics]: statistics that add up, summed over each block
    value        [..., statistics] -> [...]: the metric of such sums; score, best constant and variance all come from it
    per_example  (gold, predicted) -> [n] whose mean is the metric, where it decomposes
    """

    name: str
    sums: Callable[[Column, Column, Ints, int], Doubles]
    value: Callable[[Doubles], Doubles]
    least: float = 0.0
    per_example: Callable[[Column, Column], Doubles] | None = None

    def __call__(self, gold: Column, predicted: Column) -> float:
        """The metric over all examples; MetricProblem where the labels are of a kind that it cannot judge."""
        if len(gold) != len(predicted):
            raise MetricProblem(f"{len(gold)} gold labels but {len(predicted)} predictions: give one for each example")
        if not len(gold):
            raise MetricProblem(f"{self.name} of no examples is not a number: the test split is empty")
        return float(self.value(self.sums(gold, predicted, np.zeros(len(gold), np.int64), 1))[0])


def summed(values: Doubles, blocks: Ints, many: int) -> Doubles:
    """Values [n, statistics] summed over blocks, [many, statistics]."""
    return np.stack([np.bincount(blocks, column, many) for column in values.T], 1)


def ratio(numerator: Doubles, denominator: Doubles) -> Doubles:
    """Quotients, 0 where the denominator is 0."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator, dtype=np.float64), where=denominator > 0)
