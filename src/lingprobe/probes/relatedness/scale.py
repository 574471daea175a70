"""Scores as shares of neighbouring whole numbers (Tai, Socher & Manning 2015, section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.reading import ReadingProblem
from lingprobe.data.vectors import Floats

_MOST = 20  # classes; scores of a wider scale are better divided first


@dataclass(frozen=True, slots=True)
class ScoreScale:
    """The classes that scores are shares of: so many whole numbers from `lowest` on."""

    lowest: int
    many: int

    @classmethod
    def of(cls, scores: NDArray[np.float64]) -> ScoreScale:
        """The classes from the data: the whole numbers from the lowest score of train to the
        highest; more than twenty are refused. ReadingProblem.
        """
        lowest, highest = int(np.floor(scores.min())), int(np.ceil(scores.max()))
        many = max(highest - lowest + 1, 2)
        if many > _MOST:
            raise ReadingProblem(
                f"relatedness has a class for each whole number, and the scores go from {lowest} to"
                f" {highest}; bring them to at most {_MOST} (such as 0 to 5), or take mlp"
            )
        return cls(lowest, many)

    @property
    def values(self) -> Floats:
        """The classes as numbers [classes]."""
        return np.arange(self.lowest, self.lowest + self.many, dtype=np.float32)

    def shares(self, scores: NDArray[np.float64]) -> Floats:
        """A score of 3.6 is learnt as 0.4 of 3 and 0.6 of 4: how much each class has of each score
        [n, classes]. What lies below the first class or above the last has less than 1 in all.
        """
        away = np.abs(scores[:, None] - self.values.astype(np.float64))
        return np.asarray(np.maximum(1 - away, 0), np.float32)
