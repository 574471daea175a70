"""The cosine of two sentences as their score, which nothing is trained for (SentEval's STS)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lingprobe.data.core import Cell, Predictions, Predictor, ProbeNeeds
from lingprobe.data.reading import ReadingProblem, Readings


@dataclass(frozen=True, slots=True)
class CosineProbe:
    """The cosine of the two vectors of a pair as its score: nothing is fitted, and train is not
    read.
    """

    name: ClassVar[str] = "cosine"
    needs: ClassVar[ProbeNeeds] = ProbeNeeds(seeds=False, train=False)

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        if train.labels.numbers is None:
            raise ReadingProblem(
                "cosine gives each pair a score, but this task's labels are not numbers; use mlp"
            )
        if (sites := train.dataset.sites.shape[1]) != 2:
            raise ReadingProblem(
                f"cosine compares two sentences, and this task's examples have {sites}; leave it"
                " out"
            )
        return [CosinePredictor(cell.read) for cell in cells]


@dataclass(frozen=True, slots=True)
class CosinePredictor:
    """Cosines of pairs in one read."""

    read: str

    def predict(self, readings: Readings) -> Predictions:
        u, v = (np.nan_to_num(site.astype(np.float64)) for site in readings.sites(self.read))
        norms = np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1)
        # as SentEval has it, a vector without a direction is like no other
        cosines = np.divide((u * v).sum(1), norms, out=np.zeros(len(u)), where=norms > 0)
        said = np.nan_to_num(cosines).astype(np.float32)[:, None]
        labels = readings.labels
        return Predictions(said, labels.names, labels.decode(said), labels.link)
