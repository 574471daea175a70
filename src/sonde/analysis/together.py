"""Results of several seeds and folds of one thing as what metrics judge: the answers of each seed
over all test examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from sonde.core import Result
from sonde.labels import joined
from sonde.metrics import Answers
from sonde.metrics.clusters import LEAST_SEEDS
from sonde.vectors import Ints


def together(fits: Sequence[Sequence[Result]]) -> Answers:
    """The answers of some fits, each given by the results of its folds, which are the same for
    all.
    """
    predicted = tuple(joined([r.predicted for r in folds]) for folds in fits)
    return Answers(joined([r.gold for r in fits[0]]), predicted, _clusters(fits[0]))


class Averaged(Protocol):
    """A score over so many fits, with an interval that knows what test examples were drawn together
    by, as 'sentence, words'.
    """

    @property
    def seeds(self) -> int: ...
    @property
    def clusters(self) -> str: ...


def over(fit: str, rows: Iterable[Averaged]) -> str:
    """What the intervals of some rows are over: fits (as 'seed'), and test examples by what they
    share.
    """
    listed = list(rows)
    shared = dict.fromkeys(name for row in listed for name in row.clusters.split(", ") if name)
    by = f" (drawn together by {', '.join(shared)})" if shared else ""
    few = (
        f" Of fewer than {LEAST_SEEDS} {fit}s they hold for these alone."
        if any(row.seeds < LEAST_SEEDS for row in listed)
        else ""
    )
    return f"intervals are over {fit}s and test examples{by}, for these training data.{few}"


def _clusters(folds: Sequence[Result]) -> dict[str, Ints]:
    """The codes of some folds one after the other: folds share nothing."""
    clusters = {}
    for name in {name for fold in folds for name in fold.clusters}:
        parts, start = [], 0
        for fold in folds:
            codes = fold.clusters.get(name, np.full(fold.n, -1))
            parts.append(np.where(codes < 0, -1, codes + start))
            start += int(codes.max(initial=-1)) + 1
        clusters[name] = np.concatenate(parts)
    return dict(sorted(clusters.items()))
