"""The probe that is no probe: what a map of attention says of a word is its answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lingprobe.data.core import Cell, Needs, Predictions, Predictor
from lingprobe.data.labels import column
from lingprobe.data.reading import ReadingProblem, Readings


@dataclass(frozen=True, slots=True)
class Pointer:
    """Answers with the number that a vector of one number is, as `map:8.3` has them: how many words
    off the word is that a head attends to most. Nothing is trained.
    """

    name: ClassVar[str] = "pointer"
    needs: ClassVar[Needs] = Needs(seeds=False, train=False)

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        return [Pointed(cell.read) for cell in cells]


@dataclass(frozen=True, slots=True)
class Pointed:
    """What a layer says of words."""

    read: str

    def predict(self, readings: Readings) -> Predictions:
        numbers = readings.features(self.read)
        if numbers.shape[1] != 1:
            raise ReadingProblem(
                f"pointer reads one number of each word, and {self.read} has {numbers.shape[1]}:"
                " take layers=map:*.*"
            )
        answers = column([f"{round(number):+d}" for number in numbers[:, 0].tolist()])
        assert answers.classes is not None
        scores = np.eye(len(answers.names), dtype=np.float32)[answers.classes]
        return Predictions(scores, answers.names, answers)
