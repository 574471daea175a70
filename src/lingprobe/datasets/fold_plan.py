"""How many examples are tested, and in how many folds: more data never makes an interval wider.

A split of one test set wastes most of small data, and folds cost a fit each. So all examples are
tested, in five folds, up to as many as give the precision below; then just as many, in fewer and
fewer folds; and a fixed share of large data. Each fit learns from four fifths at least.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from lingprobe.data.core import Dataset
from lingprobe.data.notes import SamplingNote

DEFAULT_FOLD_COUNT = 5  # more would test the same examples at a higher price
_PRECISE_TEST = 10_000  # examples: an accuracy of 50 % has an interval of one point on either side


class FoldPlan(NamedTuple):
    """How many examples are tested in all, and in how many folds (1: one test set)."""

    tested: int
    folds: int


def plan_folds(n: int, rarest: int, least_test: int, proportions: Sequence[float]) -> FoldPlan:
    """Cross-validation: how many of `n` examples are tested, all or 10,000 of large data (or a
    share, or so many of the rarest class, which has `rarest`), and in how many folds.

    least_test   so many of each class are tested, where there are as many
    proportions  train : dev : test of large data
    """
    share = proportions[2] / sum(proportions)
    precise = max(_PRECISE_TEST, share * n, least_test * n / max(rarest, 1))
    tested = min(n, math.ceil(precise))
    return FoldPlan(tested, max(1, math.ceil(DEFAULT_FOLD_COUNT * tested / max(n, 1))))


def name_folds(dataset: Dataset) -> list[str]:
    """The folds that should take the place of this data set's one test split, as `fold=` names
    them; none where it is large enough.
    """
    sample = dataset.notes.part(SamplingNote)
    if sample is None or sample.folds_needed == 1:
        return []
    many, tested = sample.folds_needed, sample.tested
    return [f"{k}/{many}/{tested}" if tested else f"{k}/{many}" for k in range(1, many + 1)]
