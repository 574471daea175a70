"""A probe: settings with `fit`, which returns something that predicts; here the class with the
nearest mean vector.
"""

from dataclasses import dataclass

import numpy as np

from lingprobe.data.core import Cell, Predictions, ProbeNeeds
from lingprobe.data.reading import Readings


@dataclass(frozen=True)
class Centroid:
    """The class whose mean vector is nearest."""

    name = "centroid"
    needs = ProbeNeeds(seeds=False)  # nothing is drawn, so one seed is enough

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list["Nearest"]:
        return [Nearest(cell.read, self._means(train, cell.read)) for cell in cells]

    def _means(self, train: Readings, read: str) -> np.ndarray:
        features, ids = train.features(read), train.labels.matrix()
        # where a class lies that training has no example of
        far = np.full((1, features.shape[1]), 1e6)
        return np.stack(
            [
                (features[ids == k] if (ids == k).any() else far).mean(0)
                for k in range(len(train.labels.names))
            ]
        )


@dataclass(frozen=True)
class Nearest:
    """A fitted Centroid."""

    read: str
    means: np.ndarray

    def predict(self, readings: Readings) -> Predictions:
        features = readings.features(self.read)
        scores = -np.linalg.norm(features[:, None] - self.means, axis=2).astype(np.float32)
        return Predictions(scores, readings.labels.names, readings.labels.decode(scores))
