"""Baselines that read nothing: the best constant answer, and the feature that most words of the
sentence have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lingprobe.data.core import Cell, Predictions, Predictor, ProbeNeeds, Tags
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.vectors import Floats

_STRATUM = "majority-feature"


@dataclass(frozen=True, slots=True)
class MajorityProbe:
    """The best constant: the most frequent class, the mean score, or the label set with the best
    micro F1 on train.
    """

    name: ClassVar[str] = "majority"
    needs: ClassVar[ProbeNeeds] = ProbeNeeds(seeds=False, words=True)

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        return [ConstantPredictor(_constant(train)) for _ in cells]


@dataclass(frozen=True, slots=True)
class ConstantPredictor:
    """Gives every example the same scores [outputs]."""

    scores: Floats

    def predict(self, readings: Readings) -> Predictions:
        scores = np.tile(self.scores, (len(readings), 1))
        return Predictions(scores, readings.labels.names, readings.labels.decode(scores))


@dataclass(frozen=True, slots=True)
class MajorityFeature:
    """The tense or number that most verbs or nouns of the sentence have (Conneau et al. 2018,
    section 4).
    """

    name: ClassVar[str] = "majority-feature"
    needs: ClassVar[ProbeNeeds] = ProbeNeeds(seeds=False, words=True, stratum=_STRATUM)

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        if train.labels.classes is None:
            raise ReadingProblem(
                "majority-feature answers with a class, but this task's labels are not classes;"
                " leave it out"
            )
        _majority_tags(train)
        return [StratumPredictor(_constant(train)) for _ in cells]


@dataclass(frozen=True, slots=True)
class StratumPredictor:
    """Gives each example the class that its stratum names; `otherwise` [outputs] where it names
    none.
    """

    otherwise: Floats

    def predict(self, readings: Readings) -> Predictions:
        tags, names = _majority_tags(readings), readings.labels.names
        number = {name: i for i, name in enumerate(names)}
        outputs = np.array([*(number.get(name, -1) for name in tags.names), -1], np.int64)[
            tags.codes
        ]
        known = outputs >= 0
        scores = np.tile(self.otherwise, (len(readings), 1))
        scores[known] = np.eye(len(names), dtype=np.float32)[outputs[known]]
        return Predictions(scores, names, readings.labels.decode(scores))


def _constant(train: Readings) -> Floats:
    """The scores [outputs] that make the best constant answer for training examples."""
    if not len(train):
        raise ReadingProblem("no training examples, so there is no majority class")
    return train.labels.constant()


def _majority_tags(readings: Readings) -> Tags:
    """The stratum that names the majority feature of each example."""
    found = readings.dataset.strata.get(_STRATUM)
    if found is None:
        has = "ud/tense, ud/subj-num and ud/obj-num"
        raise ReadingProblem(
            f"majority-feature needs the tag {_STRATUM!r}, which this task does not have ({has}"
            " do); leave it out"
        )
    return found
