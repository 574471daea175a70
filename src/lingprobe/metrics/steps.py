"""How far one example more moves metrics that count labels: a rare label rests on few examples,
however many there are of others, and influences do not show what none of them was.

F1 is 2 right / (gold + predicted), so one right pair more or less at both ends moves it by half of
its 2 / pairs on average. Bonett and Price (2012, Journal of Educational and Behavioral Statistics
37:479) add one changed example each way to a difference of proportions; here it is one a label.
"""

from __future__ import annotations

import numpy as np

from lingprobe.metrics.metric import Doubles, compute_ratio


def macro_step(sums: Doubles) -> Doubles:
    """Of the mean F1 of labels, from their right, gold and predicted examples: 1 / pairs of each,
    over the labels that occur. An answer that is always the same would be for more of them, too.
    """
    _, gold, said = np.split(sums, 3, -1)
    pairs = gold + said
    each = compute_ratio(np.ones_like(pairs), pairs)
    varies = (said > 0).sum(-1) > 1
    return compute_ratio((each**2).sum(-1) * varies, (pairs > 0).sum(-1).astype(np.float64) ** 2)


def micro_step(sums: Doubles) -> Doubles:
    """Of F1 over all pairs, from those that are right, and gold plus predicted ones."""
    return compute_ratio(np.ones_like(sums[..., 1]), sums[..., 1] ** 2)


def matthews_step(sums: Doubles) -> Doubles:
    """One pair more adds one to the covariance."""
    return compute_ratio(np.ones(sums.shape[:-1]), compute_spreads(sums))


def recall_step(sums: Doubles) -> Doubles:
    """Of the mean recall of classes, from their right, gold and predicted examples: 1 / examples of
    each, over the classes that occur. An answer that is always the same moves with none.
    """
    _, gold, said = np.split(sums, 3, -1)
    each = compute_ratio(np.ones_like(gold), gold)
    varies = (said > 0).sum(-1) > 1
    return compute_ratio((each**2).sum(-1) * varies, (gold > 0).sum(-1).astype(np.float64) ** 2)


def kappa_step(sums: Doubles) -> Doubles:
    """One right example more adds one to the agreement, of which n - expected may be had."""
    _, gold, said = np.split(sums, 3, -1)
    n = gold.sum(-1)
    return compute_ratio(np.ones_like(n), (n - compute_ratio((gold * said).sum(-1), n)) ** 2)


def compute_spreads(sums: Doubles) -> Doubles:
    """The product of the variances of gold and predicted, times n squared."""
    _, gold, said, annotated = np.split(sums, 4, -1)
    return _indicator_variance(gold, annotated) * _indicator_variance(said, annotated)


def _indicator_variance(held: Doubles, annotated: Doubles) -> Doubles:
    """N times the variances of indicators, summed over labels; what rounding leaves of a constant
    answer is none.
    """
    each = held - compute_ratio(held**2, annotated)
    return np.asarray(np.where(each > 1e-12 * held, each, 0.0).sum(-1), np.float64)
