"""The difference of two scores over the same examples, with its 95 % interval: what is hard in both does not make it doubtful."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sonde.metrics.constant import named
from sonde.metrics.intervals import BLOCKS, LEVEL, _drawn, drawn
from sonde.metrics.metric import Metric, MetricProblem
from sonde.targets import Column


class Difference(NamedTuple):
    """A difference of mean scores and its 95 % interval."""

    value: float
    low: float
    high: float


class Answers(NamedTuple):
    """Gold labels and what each of some fits answered, over the same examples."""

    gold: Column
    predicted: Sequence[Column]


def difference(metric: str | Metric, one: Answers, other: Answers) -> Difference:
    """How much better `one` scores than `other`, whose examples are the same, though gold may differ (a task and its control).

    Over draws of examples that both have in common, and over fits, which go together in pairs (the same seeds). MetricProblem where
    they have not as many examples.
    """
    from scipy.special import stdtrit

    made, n = named(metric), len(one.gold)
    if len(other.gold) != n:
        raise MetricProblem(f"a difference is over the same examples, and these are {n} and {len(other.gold)}")
    many = min(len(one.predicted), len(other.predicted))
    scores = [np.array([made(each.gold, p) for p in each.predicted]) for each in (one, other)]
    draws = [drawn(made, each.gold, each.predicted[:many]) for each in (one, other)]
    value = float(scores[0].mean() - scores[1].mean())
    spread = _drawn(scores[0][:many] - scores[1][:many], draws[0] - draws[1], min(n, BLOCKS))
    half = float(stdtrit(spread.df, (1 + LEVEL) / 2) * np.sqrt(spread.variance))
    return Difference(value, value - half, value + half)
