"""Metrics: how label columns compare, what the best constant answer gets, and how sure scores and
their differences are.

`metric` has what a metric is, `compare` the ones there are, `constant` the floor, `intervals` and
`paired` the doubt.
"""

from sonde.metrics.constant import answered, best_constant, constants, floor, repeated, rescored
from sonde.metrics.intervals import (
    Answers,
    Difference,
    NullShare,
    Share,
    difference,
    holm,
    interval,
    interval_of,
    null_share,
    share,
)
from sonde.metrics.metric import METRICS, Metric, MetricProblem

__all__ = [
    "METRICS",
    "Answers",
    "Difference",
    "Metric",
    "MetricProblem",
    "NullShare",
    "Share",
    "answered",
    "best_constant",
    "constants",
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
