"""Predicted labels beside their scores, for metrics of probabilities and ranks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.data._logits import MAX_HALF_PRECISION_LOGIT, ProbeLogits
from lingprobe.data.labels import Column, Label
from lingprobe.data.labels.column import Flags
from lingprobe.data.vectors import Floats, Ints


@dataclass(frozen=True, slots=True)
class ScoredLabels(Column):
    """A predicted column with the logits [n, outputs] of its names. In all else it is the column
    that it holds.

    null   [folds, outputs] logits of one who knows the label frequencies in train of each fold
    folds  [n] the fold of each example: scores of different fits are not on one scale
    """

    predicted: Column
    names: tuple[str, ...]
    logits: NDArray[np.float16]
    null: Floats
    folds: Ints

    @classmethod
    def of(cls, predicted: Column, names: tuple[str, ...], scores: ProbeLogits) -> ScoredLabels:
        """Those of one fold, whose outputs have these names."""
        folds = np.zeros(len(predicted), np.int64)
        return cls(predicted, names, scores.values, scores.null[None], folds)

    def as_constant(self) -> ScoredLabels:
        """The same answer for every example of a fold: the label frequencies in its train."""
        logits = np.clip(self.null, -MAX_HALF_PRECISION_LOGIT, MAX_HALF_PRECISION_LOGIT).astype(
            np.float16
        )[self.folds]
        predicted = self.predicted.decode(self.null[self.folds])
        return ScoredLabels(predicted, self.names, logits, self.null, self.folds)

    def __len__(self) -> int:
        return len(self.predicted)

    def take(self, rows: Ints) -> ScoredLabels:
        chosen = self.predicted.take(rows)
        return ScoredLabels(chosen, self.names, self.logits[rows], self.null, self.folds[rows])

    def matrix(self) -> NDArray[Any]:
        return self.predicted.matrix()

    def decode(self, scores: Floats) -> Column:
        return self.predicted.decode(scores)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return self.predicted.arrays()

    def label(self, i: int) -> Label:
        return self.predicted.label(i)

    def plain(self) -> Iterable[Any]:
        return self.predicted.plain()

    def summary(self) -> dict[str, float]:
        return self.predicted.summary()

    def groups(self) -> dict[str, Flags]:
        return self.predicted.groups()

    def targets(self) -> list[NDArray[Any]]:
        return self.predicted.targets()

    def constant(self) -> Floats:
        return self.predicted.constant()

    def quality(self, scores: Floats) -> float:
        return self.predicted.quality(scores)

    def with_names(
        self, places: Ints, names: tuple[str, ...], partial: bool | None = None
    ) -> ScoredLabels:
        """The same under other names; a new name has the lowest score."""
        predicted = self.predicted.with_names(places, names, partial)
        logits = np.full((len(self), len(names)), -MAX_HALF_PRECISION_LOGIT, np.float16)
        null = np.full((len(self.null), len(names)), -MAX_HALF_PRECISION_LOGIT, np.float32)
        logits[:, places], null[:, places] = self.logits, self.null
        return ScoredLabels(predicted, names, logits, null, self.folds)

    def vary(self) -> bool:
        return self.predicted.vary()

    def problem(self) -> str:
        return self.predicted.problem()

    @classmethod
    def stack(cls, columns: Sequence[Column]) -> ScoredLabels:
        """Columns one after the other, each of which is a fold (or several) of its own."""
        scored = [column for column in columns if isinstance(column, ScoredLabels)]
        predicted = [column.predicted for column in scored]
        firsts = np.cumsum([0, *(len(column.null) for column in scored[:-1])])
        return cls(
            predicted[0].stack(predicted),
            columns[0].names,
            np.concatenate([column.logits for column in scored]),
            np.concatenate([column.null for column in scored]),
            np.concatenate([c.folds + first for c, first in zip(scored, firsts, strict=True)]),
        )

    @property
    def classes(self) -> Ints | None:
        return self.predicted.classes

    def sets(self) -> Any:
        return self.predicted.sets()

    def class_names(self) -> list[str]:
        return self.predicted.class_names()

    def answers(self) -> NDArray[np.str_] | None:
        return self.predicted.answers()

    def counts(self) -> dict[str, int]:
        return self.predicted.counts()
