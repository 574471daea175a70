"""The probe that is no probe: what a map of attention says of a word is its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from lingprobe.data.core import Cell, Predictions, Predictor, ProbeNeeds
from lingprobe.data.labels import build_column
from lingprobe.data.reading import ReadingProblem, Readings


@dataclass(frozen=True, slots=True)
class PointerProbe:
    """Answers with the number that a vector of one number is, as `map:8.3` has them: how many words
    off the word is that a head attends to most. Nothing is trained; dev says which head is best.
    """

    name: ClassVar[str] = "pointer"
    needs: ClassVar[ProbeNeeds] = ProbeNeeds(seeds=False, train=False)

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        return [_arrows(cell.read, dev) for cell in cells]


@dataclass(frozen=True, slots=True)
class PointerPredictor:
    """What a layer says of words.

    choice  the share of dev's words of which that is right
    """

    read: str
    choice: Mapping[str, Any] = field(default_factory=dict)

    def predict(self, readings: Readings) -> Predictions:
        answers = build_column(_answers(readings, self.read))
        assert answers.classes is not None
        scores = np.eye(len(answers.names), dtype=np.float32)[answers.classes]
        return Predictions(scores, answers.names, answers)


def _arrows(read: str, dev: Readings) -> PointerPredictor:
    if not len(dev):
        return PointerPredictor(read)
    right = [a == b for a, b in zip(_answers(dev, read), dev.labels.plain(), strict=True)]
    return PointerPredictor(read, {"dev": float(np.mean(right))})


def _answers(readings: Readings, read: str) -> list[str]:
    """The number of each example, as labels are written: -1, +2."""
    numbers = readings.features(read)
    if numbers.shape[1] != 1:
        raise ReadingProblem(
            f"pointer reads one value for each word, and {read} has {numbers.shape[1]}: take"
            " layers=map:*.*"
        )
    return [f"{round(number):+d}" for number in numbers[:, 0].tolist()]
