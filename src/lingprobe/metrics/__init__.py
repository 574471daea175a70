"""Metrics of label columns, scores of constants, and intervals of scores and differences.

`metric` defines a metric, `compare` lists them, `constant` has the constant baselines. `intervals`
has the intervals of scores and differences, `resampling` the tests that draw again, `multiplicity`
the corrections for several tests. `correlation` and `layers` are about scores themselves.
"""

from lingprobe.metrics.constant import (
    best_constant,
    choose_label_metric,
    constant_column,
    constant_result,
    constants,
    floor,
    rescore_result,
)
from lingprobe.metrics.intervals import (
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
from lingprobe.metrics.metric import METRICS, Metric, MetricProblem
from lingprobe.metrics.multiplicity import CORRECTIONS, benjamini_hochberg, correct_p_values, holm

__all__ = [
    "CORRECTIONS",
    "METRICS",
    "Answers",
    "Difference",
    "Metric",
    "MetricProblem",
    "NullShare",
    "Share",
    "benjamini_hochberg",
    "best_constant",
    "choose_label_metric",
    "constant_column",
    "constant_result",
    "constants",
    "contrast",
    "correct_p_values",
    "difference",
    "floor",
    "holm",
    "interval",
    "interval_of",
    "null_share",
    "rescore_result",
    "share",
]
