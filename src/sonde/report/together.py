"""Results of several seeds and folds of one thing as what metrics judge: the answers of each seed over all test examples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sonde.core import Result
from sonde.metrics import Answers
from sonde.targets import joined
from sonde.vectors import Ints


def together(fits: Sequence[Sequence[Result]]) -> Answers:
    """The answers of some fits, each given by the results of its folds, which are the same for all."""
    predicted = tuple(joined([r.predicted for r in folds]) for folds in fits)
    return Answers(joined([r.gold for r in fits[0]]), predicted, _clusters(fits[0]))


def _clusters(folds: Sequence[Result]) -> dict[str, Ints]:
    """The codes of some folds one after the other: folds share nothing."""
    found = {}
    for name in {name for fold in folds for name in fold.clusters}:
        parts, start = [], 0
        for fold in folds:
            codes = fold.clusters.get(name, np.full(fold.n, -1))
            parts.append(np.where(codes < 0, -1, codes + start))
            start += int(codes.max(initial=-1)) + 1
        found[name] = np.concatenate(parts)
    return dict(sorted(found.items()))
