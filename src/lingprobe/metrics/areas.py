"""The area under the ROC curve, which needs no threshold: one that was learnt in a language is off
in another, though the order of examples may be right.

Of several classes it is the mean over pairs of classes (Hand & Till 2001, equation 7).
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.vectors import Ints

Doubles = NDArray[np.float64]


def compute_auc(gold: Ints, scores: NDArray[np.floating]) -> float:
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
