"""A fitted network, and what it predicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lingprobe.data.core import Predictions
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Floats
from lingprobe.probes.features import AffineScaling


@dataclass(frozen=True, slots=True)
class FittedPerceptron:
    """A fitted network: layers are (weights [out, in], bias [out, 1]) one after the other; `choice`
    says how it was found.
    """

    read: str
    scaling: AffineScaling
    layers: tuple[Floats, ...]
    choice: Mapping[str, Any]

    def predict(self, readings: Readings) -> Predictions:
        from scipy.special import expit

        features = readings.features(self.read)
        scores = np.empty((len(features), len(self.layers[-1])), np.float32)
        for start in range(0, len(features), 4096):
            part = (
                self.scaling(features[start : start + 4096]) @ self.layers[0].T + self.layers[1].T
            )
            if len(self.layers) > 2:
                part = expit(part) @ self.layers[2].T + self.layers[3].T
            scores[start : start + 4096] = part
        return Predictions(
            scores, readings.labels.names, readings.labels.decode(scores), readings.labels.link
        )
