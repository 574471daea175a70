"""Metrics of label columns, scores of constants, and intervals of scores and differences.

`metric` defines a metric, `compare` lists them, `constant` has the constant baselines. `intervals`
has the intervals of scores and differences, `resampling` the tests that draw again, `multiplicity`
the corrections for several tests. `correlation` and `layers` are about scores themselves.
"""

from lingprobe.metrics.constant import (
    best_constant,
    choose_constants,
    choose_label_metric,
    constant_column,
    constant_result,
    floor,
    rescore_result,
)
from lingprobe.metrics.intervals import (
    FitAnswers,
    GapShare,
    NullShare,
    ScoreDifference,
    compute_difference,
    compute_gap_share,
    contrast,
    interval,
    interval_of,
    null_share,
)
from lingprobe.metrics.metric import METRICS, Metric, MetricProblem
from lingprobe.metrics.multiplicity import (
    P_VALUE_CORRECTIONS,
    benjamini_hochberg,
    correct_holm,
    correct_p_values,
)

__all__ = [
    "METRICS",
    "P_VALUE_CORRECTIONS",
    "FitAnswers",
    "GapShare",
    "Metric",
    "MetricProblem",
    "NullShare",
    "ScoreDifference",
    "benjamini_hochberg",
    "best_constant",
    "choose_constants",
    "choose_label_metric",
    "compute_difference",
    "compute_gap_share",
    "constant_column",
    "constant_result",
    "contrast",
    "correct_holm",
    "correct_p_values",
    "floor",
    "interval",
    "interval_of",
    "null_share",
    "rescore_result",
]
