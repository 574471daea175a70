"""A test split for data that come without one: part of all rows, or folds where those are few.

Sentences that are equal stay together, and so does what the data set names as sampled together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import DATA_SPLITS, DataProblem, Dataset
from lingprobe.data.vectors import Ints
from lingprobe.datasets.fold_plan import plan_folds
from lingprobe.datasets.groups import connect_rows
from lingprobe.datasets.settings import DatasetFold, SampleSettings
from lingprobe.datasets.splits import allocate_to_all, shared_ties

_TEST = DATA_SPLITS.index("test")
_TENTHS = 10


def select_test_fold(dataset: Dataset, fold: str | None, seed: int) -> Dataset:
    """Without a test split, one is drawn: the fold that is asked for, or the first of as many folds
    as `plan_folds` says, or of fewer where there are few groups to keep together.
    """
    usual, n = SampleSettings(fold=fold), len(dataset)
    asked = usual.folds()
    tries = [asked] if asked else []
    if asked is None:
        counts = np.bincount(dataset.labels.codes_to_balance())
        rarest = int(counts[counts > 0].min(initial=n))
        tested, many = plan_folds(n, rarest, usual.least_test, usual.proportions)
        if many == 1:
            once, tie = _allocate(dataset, (n - tested, tested), seed)
            return _with_test(dataset, once == 1, {"kept_together": tie})
        tries = [DatasetFold(0, fewer, tested if tested < n else 0) for fewer in range(many, 1, -1)]
    for folds in tries:
        parts, tie = _allocate(dataset, folds.shares(n), seed)
        if np.bincount(parts, minlength=folds.many)[: folds.many].all():
            needed = {"folds_needed": folds.many, "tested": folds.tested}
            note = {**({"fold": fold} if fold else needed), "kept_together": tie}
            return _with_test(dataset, parts == folds.number, note)
    raise DataProblem(
        f"no test split, and {n:,} examples that must keep {tie} together make no"
        f" {folds.many} folds: add examples, or a test split"
    )


def _allocate(dataset: Dataset, shares: Sequence[float], seed: int) -> tuple[Ints, str]:
    """The part of each row, and what was kept together: all that examples share, or less where that
    would leave a part with less than half of its share.
    """
    codes, rows = _code_fold_strata(dataset), np.arange(len(dataset))
    least = np.array(shares) / sum(shares) * len(rows) / 2
    parts, kept = np.zeros(len(rows), np.int64), ""
    for tie, ties in shared_ties(dataset, rows).items():
        rng = np.random.default_rng([seed, 6])
        parts, kept = allocate_to_all(connect_rows(ties), codes, shares, rng), tie
        if (np.bincount(parts, minlength=len(shares)) >= least).all():
            break
    return parts, kept


def _code_fold_strata(dataset: Dataset) -> Ints:
    """What each part gets its share of, as a number a row [n]: classes, or tenths of the scores.

    Folds whose scores have another mean than their training data would give a useless probe a
    negative correlation over all of them.
    """
    if (scores := dataset.labels.numbers) is None:
        return dataset.labels.codes_to_balance()
    ranks = np.argsort(np.argsort(scores, kind="stable"), kind="stable")
    return (ranks * _TENTHS // max(1, len(ranks))).astype(np.int64)


def _with_test(dataset: Dataset, is_test: NDArray[np.bool_], note: dict[str, object]) -> Dataset:
    splits = np.where(is_test, _TEST, 0).astype(np.int8)
    return replace(dataset, splits=splits).with_notes(sampling=note)
