"""The metric of somebody's own labels where none is named. It is chosen once, by all rows, so that
every fold and every encoder is judged alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lingprobe.data.labels import Column

_RARE_SHARE = 0.2  # of the examples: accuracy says little of two classes of which one is rarer
RANKING_METRIC = "auroc"
_PAIR = 2


class RareClass(NamedTuple):
    """The rarer of two classes, and its share of the examples."""

    name: str
    share: float


def find_rare_class(labels: Column) -> RareClass | None:
    """A rare class, the rarer of two with less than a fifth of all examples; None without one."""
    if labels.classes is None:
        return None
    counts = np.bincount(labels.classes, minlength=len(labels.names))
    used = np.flatnonzero(counts)
    if len(used) != _PAIR:
        return None
    rarer = used[counts[used].argmin()]
    share = float(counts[rarer] / counts.sum())
    return RareClass(labels.names[rarer], share) if share < _RARE_SHARE else None


def choose_metric(labels: Column) -> str:
    """Two classes, one of them rare, are judged by AUROC; other labels by the metric of their
    kind.
    """
    return RANKING_METRIC if find_rare_class(labels) else labels.metric


def describe_rare_class(labels: Column, metric: str) -> str:
    """Why AUROC is the metric; '' where it is not, or no class is rare."""
    rare = find_rare_class(labels)
    if rare is None or metric != RANKING_METRIC:
        return ""
    return (
        f"{100 * rare.share:.1f} % of its labels are {rare.name!r}, so AUROC is its metric;"
        " metric=accuracy overrules"
    )
