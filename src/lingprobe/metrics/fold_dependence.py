"""Folds share training examples, so their test examples err together: intervals are corrected for
it.

Whether example i is right depends on what j taught, and whether j is right on what i taught, where
the two are in different folds; near chance both move with one product, y_i y_j k(x_i, x_j), so that
it counts twice in the score and once in the variance of independent examples. With the margins m
and their training errors s, the correlation of two examples sums over j to the squared density d of
m / s at 0 (the probability that other training data answer an example otherwise), so that accuracy
has the variance (p (1 - p) + d^2 t) / n. The factor t is the share of pairs of classes that vie for
each other: 1 of two classes, and K / (2 (K - 1)) of K. At chance with two classes d is 0.4, and
intervals are 1.28 times as wide; where margins are wide nothing is added. Ranks have no boundary:
what counts is the density d at 0 of the difference between the scores of a positive and a negative
example, and the variance v of their placements: that of an area grows by d^2 / v, at chance to
nearly twice. docs/design/intervals.md derives both, and benchmarks/folds.py counts how often
intervals hold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from lingprobe.metrics.metric import Doubles
from lingprobe.metrics.student import t_cdf, t_quantile

_NODES = 40  # of Gauss and Hermite's quadrature


class VarianceInflation(NamedTuple):
    """By how much n times the variance of a score is larger as folds err together: of accuracy, and
    of a rank's; NaN where nobody knows.
    """

    answers: float
    ranks: float = math.nan


def compute_fold_dependence(density: float, counts: Sequence[int]) -> float:
    """How much folds that share training examples err together, d^2 t: by that n times the variance
    of accuracy is larger, from a density of margins and the number of examples of each class; NaN
    for NaN.
    """
    shares = np.asarray(counts, np.float64)
    shares = shares[shares > 0] / max(shares.sum(), 1)
    effective = max(1 / float((shares**2).sum()), 2.0) if len(shares) else 2.0
    return density**2 * effective / (2 * (effective - 1))


def scatter_of_share(right: float) -> float:
    """The variance of whether an answer is right, from the share that is."""
    return right * (1 - right)


def scatter_of_area(area: float) -> float:
    """The variance of the placements of examples, the share of the other class that each is above,
    from the area under the ROC curve, if scores of both classes are normal and vary alike.
    """
    if not 0 < area < 1:
        return 0.0
    at, weights = _quadrature()
    apart = math.sqrt(2) * t_quantile(math.inf, area)
    placements = np.array([t_cdf(math.inf, apart + x) for x in at.tolist()])
    return float(weights @ placements**2 / weights.sum()) - area**2


@cache
def _quadrature() -> tuple[Doubles, Doubles]:
    """The nodes and weights of means over a normal distribution."""
    return np.polynomial.hermite_e.hermegauss(_NODES)


def widen_for_shared_training(influences: Doubles, scatter: float, tie: float) -> float:
    """Folds share training examples, which intervals take into account: the variance that a tie
    adds to a score, from the influence of each example [n], and the tie of accuracy or of ranks
    with the scatter of these, to which it is in proportion.
    """
    if not (tie > 0 and scatter > 0):  # NaN: a probe that says nothing
        return 0.0
    return float((influences**2).sum()) * min(tie / scatter, 1.0)


def correlate_ties(
    left_influences: Doubles, right_influences: Doubles, *, ranks: bool = False
) -> float:
    """How far the ties of two scores are the same, from 0 to 1, by the influences [n] of the same
    examples: the correlation of normal margins whose signs, or ranks, correlate as these do.
    """
    product = float(np.linalg.norm(left_influences) * np.linalg.norm(right_influences))
    if not product > 0:
        return 0.0
    found = float(np.clip(left_influences @ right_influences / product, 0.0, 1.0))
    return 2 * math.sin(math.pi / 6 * found) if ranks else math.sin(math.pi / 2 * found)
