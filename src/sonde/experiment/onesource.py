"""What the source of an example answers by itself: the commonest label of its source in train.

Sources differ in their labels: where this is far above the best constant, vectors score by telling
the sources apart.
"""

from __future__ import annotations

import numpy as np

from sonde.core import Dataset
from sonde.labels import Column
from sonde.metrics import best_constant, interval_of
from sonde.notes import SourceRule
from sonde.vectors import Floats, Ints

SOURCE = "source"
"""The stratum that says which source an example comes from."""


def by_group(train: Column, groups: Ints, tested: Ints) -> Floats:
    """The best constant of each group of training examples for those that are tested [tested,
    outputs]; that of all for a new group.
    """
    scores = np.tile(train.constant(), (len(tested), 1))
    for k in np.unique(groups):
        scores[tested == k] = train.take(np.flatnonzero(groups == k)).constant()
    return scores


def several(train: Dataset) -> bool:
    """Whether training examples come from several sources, and say so."""
    tags = train.strata.get(SOURCE)
    return tags is not None and len(np.unique(tags.codes)) > 1


def by_source(train: Dataset, test: Dataset) -> Column:
    """What the source says of test examples."""
    return test.labels.decode(
        by_group(train.labels, train.strata[SOURCE].codes, test.strata[SOURCE].codes)
    )


def worth(dataset: Dataset) -> SourceRule | None:
    """Which share of test the source gets right, the lower end of its interval, and that of the
    best constant; None where there is one source or labels are no classes.
    """
    train, test = (dataset.take(dataset.rows(split)) for split in ("train", "test"))
    if dataset.labels.classes is None or not len(test) or not several(train):
        return None
    gold, said = test.labels, by_source(train, test)
    low, _ = interval_of("accuracy", gold, [said])
    return SourceRule(
        float((gold.matrix() == said.matrix()).mean()),
        low,
        best_constant(train.labels, gold, "accuracy"),
    )
