"""Whether two scores over the same test examples differ: the difference with its interval, and
corrected p values of several.

Two intervals that overlap say little about it: most examples are easy, or hard, for both, and what
both have in common cancels out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sonde.labels import Column
from sonde.metrics.clusters import Clusters, Fits, balanced, quantile, spread
from sonde.metrics.constant import named
from sonde.metrics.intervals import fits, interval_of
from sonde.metrics.metric import Doubles, Metric, MetricProblem
from sonde.vectors import Ints


class Answers(NamedTuple):
    """Gold labels and what each of some fits (seeds, samples of the training data) answered, over
    the same examples.

    clusters  codes of what the examples were drawn together; empty where each is a draw of its own,
              or nobody knows
    """

    gold: Column
    predicted: Sequence[Column]
    clusters: Clusters = {}  # noqa: RUF012

    def scores(self, metric: str | Metric) -> list[float]:
        """The score of each fit."""
        measure = named(metric)
        return [measure(self.gold, each) for each in self.predicted]

    def interval(self, metric: str | Metric) -> tuple[float, float]:
        """The 95 % interval of their mean."""
        return interval_of(metric, self.gold, self.predicted, self.clusters)


class Difference(NamedTuple):
    """How much higher the first of two scores is, in the metric's unit: its 95 % interval, and the
    p of none (Student's t, two sides).
    """

    value: float
    low: float
    high: float
    p: float
    df: float


def difference(metric: str | Metric, one: Answers, other: Answers) -> Difference:
    """How much better `one` scores than `other`, whose examples are the same, though gold may
    differ (a task and its control).

    Clusters are those of both. Fits are crossed with examples, as in `interval_of`; where both have
    as many, the i-th of the one goes with the i-th of the other (the same seed). MetricProblem
    where there are not as many examples.
    """
    from scipy.special import stdtr

    sizes = len(one.gold), len(other.gold)
    if sizes[0] != sizes[1]:
        raise MetricProblem(
            f"a difference is over the same examples, and these are {sizes[0]} and {sizes[1]}"
        )
    first, second = (fits(named(metric), each.gold, each.predicted) for each in (one, other))
    value = float(first.scores.mean() - second.scores.mean())
    influence = first.influences.mean(0) - second.influences.mean(0)
    variation = spread(
        influence,
        _varying(first, second),
        {**one.clusters, **other.clusters},
        _fixed(one.gold, other.gold),
    )
    # one example more that changed each way (Bonett & Price 2012)
    error = np.sqrt(variation.variance + 2 / len(influence) ** 2)
    half = float(quantile(variation.df) * error)
    return Difference(
        value,
        value - half,
        value + half,
        float(2 * stdtr(variation.df, -abs(value) / error)),
        variation.df,
    )


def _varying(first: Fits, second: Fits) -> list[Fits]:
    """What varies with seeds: the differences under each, or both scores on their own where they
    have not as many.
    """
    if len(first.scores) == len(second.scores):
        return [Fits(first.scores - second.scores, first.influences - second.influences)]
    return [first, second]


def _fixed(first: Column, second: Column) -> Ints:
    """The classes of fixed size, as `balanced` says of one gold standard; none where there are
    two.
    """
    classes = balanced(first)
    return classes if np.array_equal(classes, balanced(second)) else np.zeros_like(classes)


def holm(p: ArrayLike) -> Doubles:
    """The p values [n] of several tests, corrected for their number (Holm 1979): at 0.05, one table
    in twenty has any false alarm.
    """
    values = np.asarray(p, np.float64)
    order = np.argsort(values, kind="stable")
    corrected = np.empty(len(values))
    corrected[order] = np.minimum(
        np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1)), 1
    )
    return corrected
