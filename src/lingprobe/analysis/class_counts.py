"""Answers by class or label: how many test examples have it, how many of these were recognised, and
how sure its F1 is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.analysis.row import PERCENT_SCALE
from lingprobe.data.labels import MIN_LABEL_WEIGHT, Column, column_from_codes
from lingprobe.data.vectors import Ints
from lingprobe.metrics import FitAnswers, interval_of
from lingprobe.metrics.compare import micro_f1

Flags = NDArray[np.bool_]
_YES = micro_f1(only=("yes",))


class ClassCount(NamedTuple):
    """How a class or label fared over the test examples of all seeds together.

    there, taken  how many have it, and of how many it is said; right: of how many both
    f1            in percent, with its interval
    """

    name: str
    there: int
    taken: int
    right: int
    f1: float
    low: float
    high: float


def count_classes(answers: FitAnswers) -> list[ClassCount]:
    """How each class or label fared that somebody has or is said to have."""
    gold, predicted, clusters = answers.gold, answers.predicted, answers.clusters
    names = tuple(dict.fromkeys(name for column in (gold, *predicted) for name in column.names))
    true, said = (
        _label_flags(gold, names, MIN_LABEL_WEIGHT),
        [_label_flags(each, names, MIN_LABEL_WEIGHT) for each in predicted],
    )
    known = _label_flags(gold, names, 0.0) if gold.partial else np.ones_like(true)
    order = sorted(range(len(names)), key=names.__getitem__)
    counts = [
        _count(names[i], true[:, i] & known[:, i], [s[:, i] & known[:, i] for s in said], clusters)
        for i in order
    ]
    return [one for one in counts if one.there or one.taken]


def _count(
    name: str, true: Flags, said: Sequence[Flags], clusters: Mapping[str, Ints]
) -> ClassCount:
    """Counts of one label over all seeds where it was annotated, and its F1."""
    there, right, taken = (
        len(said) * int(true.sum()),
        sum(int((true & s).sum()) for s in said),
        sum(int(s.sum()) for s in said),
    )
    if not there and not taken:
        return ClassCount(name, 0, 0, 0, math.nan, math.nan, math.nan)
    # F1 is about no others, which would only make its interval look sure
    counts = true | np.any(said, 0)
    gold, answers = _yes(true[counts]), [_yes(s[counts]) for s in said]
    low, high = interval_of(
        _YES, gold, answers, {name: codes[counts] for name, codes in clusters.items()}
    )
    f1 = PERCENT_SCALE * float(np.mean([_YES(gold, each) for each in answers]))
    return ClassCount(name, there, taken, right, f1, PERCENT_SCALE * low, PERCENT_SCALE * high)


def _yes(flags: Flags) -> Column:
    return column_from_codes(flags.astype(np.int64), ("no", "yes"))


def _label_flags(column: Column, names: tuple[str, ...], least: float) -> Flags:
    """Where an example has a label with at least so much weight, [n, labels]."""
    sets = column.sets()
    cells = np.zeros((len(sets), len(names)), np.bool_)
    places = np.array([names.index(name) for name in sets.names], np.int64)
    rows = np.repeat(np.arange(len(sets)), np.diff(sets.offsets))
    some = sets.weights >= least
    cells[rows[some], places[sets.ids[some]]] = True
    return cells
