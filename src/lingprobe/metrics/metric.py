"""What a metric is: statistics that add up over examples, the value of their sums, and how far each
example moves it. And which metrics there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.errors import LingprobeError
from lingprobe.data.labels import Column
from lingprobe.data.references import Contents
from lingprobe.data.vectors import Ints

Doubles = NDArray[np.float64]
_STEP = 1e-3  # of an example's weight, by which sums are moved to see how the value follows
_AT_ONCE = 2**20  # statistics of single examples that are held at a time


class MetricProblem(LingprobeError, ValueError):
    """Labels that a metric cannot score; the message says which metric can."""


@dataclass(frozen=True, slots=True)
class Metric:
    """Compares gold and predicted labels: `metric(gold, predicted)` is at most `most` (1, or 0) and
    at least `least` (0, -1, or minus infinity). Higher is better: a loss is negated.

    sums       (gold, predicted, blocks [n], many) -> [many, statistics]: statistics that add up,
               summed over each block
    value      [..., statistics] -> [...]: the metric of such sums; score and best constant come
               from it
    influence  (gold, predicted) -> [n], as `influences` returns; if None, it is computed from sums
               and value, which requires that the statistics of an example do not depend on the
               others
    several    whether a set of labels may be predicted for an example with one class, as a probe
               with sigmoids does
    step       [..., statistics] -> [...]: the square of how far one example more moves the metric,
               where it is not 1 / n squared: what counts rare labels rests on few examples
    ranks      whether it is a share of pairs of a positive and a negative example, or alike: near 1
               the influences of a few positives misjudge its variance
    reads_scores  whether it judges probabilities or ranks, so that `predicted` must be ScoredLabels
    """

    name: str
    sums: Callable[[Column, Column, Ints, int], Doubles]
    value: Callable[[Doubles], Doubles]
    least: float = 0.0
    influence: Callable[[Column, Column], Doubles] | None = None
    several: bool = False
    step: Callable[[Doubles], Doubles] | None = None
    most: float = 1.0
    ranks: bool = False
    reads_scores: bool = False

    def __call__(self, gold: Column, predicted: Column) -> float:
        """The metric over all examples; MetricProblem where the labels are of a kind that it cannot
        judge.
        """
        if len(gold) != len(predicted):
            raise MetricProblem(
                f"{len(gold)} gold labels but {len(predicted)} predictions: give one for each"
                " example"
            )
        if not len(gold):
            raise MetricProblem(
                f"{self.name} of no examples is not a number: the test split is empty"
            )
        return float(self.value(self.sums(gold, predicted, np.zeros(len(gold), np.int64), 1))[0])

    def influences(self, gold: Column, predicted: Column) -> Doubles:
        """How fast the metric grows with the weight of each example, [n]; their sum is 0.

        Of a mean these are the distances to it over n. All intervals come from them, whatever the
        metric.
        """
        influences = (
            self._numerical_influences(gold, predicted)
            if self.influence is None
            else self.influence(gold, predicted)
        )
        return np.asarray(influences - influences.mean(), np.float64)

    def squared_step(self, gold: Column, predicted: Column) -> float:
        """The square of how far one example more moves the metric."""
        least = 1 / len(gold) ** 2
        if self.step is None:
            return least
        total = self.sums(gold, predicted, np.zeros(len(gold), np.int64), 1)
        return max(least, float(self.step(total)[0]))

    def _numerical_influences(self, gold: Column, predicted: Column) -> Doubles:
        """The same by central differences."""
        total = self.sums(gold, predicted, np.zeros(len(gold), np.int64), 1)
        many = max(1, _AT_ONCE // total.size)
        slopes = []
        for start in range(0, len(gold), many):
            rows = np.arange(start, min(start + many, len(gold)))
            each = _STEP * self.sums(
                gold.take(rows), predicted.take(rows), np.arange(len(rows)), len(rows)
            )
            slopes.append((self.value(total + each) - self.value(total - each)) / (2 * _STEP))
        return np.concatenate(slopes)


def sum_blocks(values: Doubles, blocks: Ints, block_count: int) -> Doubles:
    """Values [n, statistics] summed over blocks, [block_count, statistics]."""
    return np.stack([np.bincount(blocks, column, block_count) for column in values.T], 1)


def compute_ratio(numerator: Doubles, denominator: Doubles) -> Doubles:
    """Quotients, 0 where the denominator is 0."""
    return np.divide(
        numerator,
        denominator,
        out=np.zeros_like(numerator, dtype=np.float64),
        where=denominator > 0,
    )


METRICS = Contents(
    "metric",
    "lingprobe.metrics",
    {
        "accuracy": "lingprobe.metrics.compare:accuracy",
        "auroc": "lingprobe.metrics.probabilistic:auroc",
        "average-precision": "lingprobe.metrics.probabilistic:average_precision",
        "balanced-accuracy": "lingprobe.metrics.compare:balanced_accuracy",
        "kappa": "lingprobe.metrics.compare:kappa",
        "macro-f1": "lingprobe.metrics.compare:macro_f1",
        "mcc": "lingprobe.metrics.compare:mcc",
        "micro-f1": "lingprobe.metrics.compare:micro_f1",
        "neg-brier": "lingprobe.metrics.probabilistic:brier_score",
        "neg-ece": "lingprobe.metrics.probabilistic:expected_calibration_error",
        "neg-log-loss": "lingprobe.metrics.probabilistic:log_loss",
        "r2": "lingprobe.metrics.compare:r2",
        "pearson": "lingprobe.metrics.compare:pearson",
        "spearman": "lingprobe.metrics.compare:spearman",
        "dspr": "lingprobe.inside.structure.metrics:dspr",
        "nspr": "lingprobe.inside.structure.metrics:nspr",
        "preference": "lingprobe.inside.minimal.preference:preference",
        "root-accuracy": "lingprobe.inside.structure.metrics:root_accuracy",
        "uuas": "lingprobe.inside.structure.metrics:uuas",
    },
    gives="lingprobe.metrics.metric:Metric",
)
