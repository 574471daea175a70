"""Folds share training examples, so their test examples err together.

Whether example i is right depends on what j taught, and whether j is right on what i taught, where
the two are in different folds; near chance both move with one product, y_i y_j k(x_i, x_j), so that
it counts twice in the score and once in the variance of independent examples. With the margins m
and their training errors s, the correlation of two examples sums over j to the squared density d of
m / s at 0 (the probability that other training data answer an example otherwise), so that accuracy
has the variance (p (1 - p) + d^2 t) / n. The factor t is the share of pairs of classes that vie for
each other: 1 of two classes, and K / (2 (K - 1)) of K. At chance with two classes d is 0.4, and
intervals are 1.28 times as wide; where margins are wide nothing is added. docs/design/intervals.md
derives it, and benchmarks/folds.py counts how often intervals hold.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lingprobe.metrics.metric import Doubles


def compute_tie(density: float, counts: Sequence[int]) -> float:
    """d^2 t, by which n times the variance of accuracy is larger, from a density of margins and
    the number of examples of each class; NaN for NaN.
    """
    shares = np.asarray(counts, np.float64)
    shares = shares[shares > 0] / max(shares.sum(), 1)
    effective = max(1 / float((shares**2).sum()), 2.0) if len(shares) else 2.0
    return density**2 * effective / (2 * (effective - 1))


def widen_variance(influences: Doubles, right: float, tie: float) -> float:
    """The variance that a tie adds to a score, from the influence of each example [n], the share of
    answers that are right, and the tie: in proportion to that of accuracy.
    """
    spread = right * (1 - right)
    if not (tie > 0 and spread > 0):  # NaN: a probe that says nothing
        return 0.0
    return float((influences**2).sum()) * tie / spread


def correlate_ties(one: Doubles, other: Doubles) -> float:
    """How far the ties of two scores are the same, from 0 to 1, by the influences [n] of the same
    examples: the correlation of normal margins whose signs correlate as these do.
    """
    product = float(np.linalg.norm(one) * np.linalg.norm(other))
    if not product > 0:
        return 0.0
    return float(np.sin(np.pi / 2 * np.clip(one @ other / product, 0.0, 1.0)))
