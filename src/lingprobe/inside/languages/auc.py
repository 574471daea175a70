"""The area under the ROC curve, which needs no threshold: one that was learnt in a language is off
in another, though the order of examples may be right.

Of several classes it is the mean over pairs of classes (Hand & Till 2001, equation 7).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from lingprobe.analysis.answers import join_answers
from lingprobe.data.core import Result
from lingprobe.data.vectors import Ints
from lingprobe.metrics.intervals import interval

Doubles = NDArray[np.float64]


def auc(gold: Ints, scores: NDArray[np.floating]) -> float:
    """The area of class ids [n] and scores [n, classes]; NaN where fewer than two classes occur."""
    values = auc_values(gold, scores)
    return float(values.mean()) if len(values) else float("nan")


def auc_values(gold: Ints, scores: NDArray[np.floating]) -> Doubles:
    """Values [n] whose mean is the area, and which vary as it does with the draw of examples (the
    placements of DeLong et al. 1988); none where fewer than two classes occur.
    """
    n = len(gold)
    pairs = list(combinations(np.unique(gold).tolist(), 2))
    if not pairs:
        return np.empty(0)
    total, moved = 0.0, np.zeros(n)
    for pair in pairs:
        for one, other in (pair, pair[::-1]):
            first, rest = np.flatnonzero(gold == one), np.flatnonzero(gold == other)
            z = scores[:, one].astype(np.float64)
            placed = _share_below(z[rest], z[first]), 1 - _share_below(z[first], z[rest])
            area = placed[0].mean()
            total += area
            for rows, shares in zip((first, rest), placed, strict=True):
                moved[rows] += (shares - area) / len(rows)
    return np.asarray((total + n * moved) / (2 * len(pairs)))


def _share_below(values: Doubles, of: Doubles) -> Doubles:
    """For each of some numbers the share of values below it; equal ones count half."""
    ordered = np.sort(values)
    sides = [np.searchsorted(ordered, of, side) for side in ("left", "right")]
    return np.asarray((sides[0] + sides[1]) / 2 / len(values))


def auc_of(fits: Sequence[Sequence[Result]]) -> tuple[float, float, float]:
    """The area of some fits, each given by the results of its folds, with its 95 % interval; NaN
    where probabilities were not kept. Each fold has its own area, since fits differ in scale.
    """
    rows = []
    for folds in fits:
        known = [(fold.gold.classes, fold.scores) for fold in folds]
        if any(gold is None or scores is None for gold, scores in known):
            return (float("nan"),) * 3
        rows.append([auc_values(g, s.values) for g, s in known if g is not None and s is not None])
    values = np.array([np.concatenate(row) for row in rows])
    low, high = interval(values, 0.0, join_answers(fits[:1]).clusters)
    return float(values.mean()), low, high
