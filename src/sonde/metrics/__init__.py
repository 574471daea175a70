"""Metrics: how label columns compare, what the best constant answer gets, and how sure scores and
their differences are.

`metric` has what a metric is, `compare` the ones there are, `constant` the floor, `intervals` and
`paired` the doubt, `multiplicity` several tests at once.
"""

from sonde.metrics.constant import answered, best_constant, constants, floor, repeated, rescored
from sonde.metrics.intervals import (
    Answers,
    Difference,
    NullShare,
    Share,
    contrast,
    difference,
    interval,
    interval_of,
    null_share,
    share,
)
from sonde.metrics.metric import METRICS, Metric, MetricProblem
from sonde.metrics.multiplicity import CORRECTIONS, benjamini_hochberg, corrected, holm

__all__ = [
    "CORRECTIONS",
    "METRICS",
    "Answers",
    "Difference",
    "Metric",
    "MetricProblem",
    "NullShare",
    "Share",
    "answered",
    "benjamini_hochberg",
    "best_constant",
    "constants",
    "contrast",
    "corrected",
    "difference",
    "floor",
    "holm",
    "interval",
    "interval_of",
    "null_share",
    "repeated",
    "rescored",
    "share",
]
