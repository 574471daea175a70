"""Linear probes: logistic regression for classes and label sets, ridge regression for scores; every
C in one fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from sonde.core import Cell, Needs, Predictions, Predictor
from sonde.probes.features import Scaling, aim, common_scale, finite, no_scale
from sonde.reading import ReadingProblem, Readings
from sonde.references import ReferenceProblem
from sonde.vectors import Floats

STRENGTHS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)


@dataclass(frozen=True, slots=True)
class LogReg:
    """Logistic regression with an L2 penalty, its C tuned on dev (repeat `c=`); scores are ridge
    regression.
    """

    _: KW_ONLY
    c: tuple[float, ...] = STRENGTHS
    scaled: bool = True
    needs: ClassVar[Needs] = Needs(seeds=False)
    name: ClassVar[str] = "logreg"

    def __post_init__(self) -> None:
        if not self.c or any(c <= 0 for c in self.c):
            raise ReferenceProblem("logreg,c= is the inverse of a penalty, more than 0")

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        if not len(train):
            raise ReadingProblem("logreg has no training examples")
        if not len(dev) and len(self.c) > 1:
            raise ReadingProblem(
                "logreg tunes C on dev, and there are no dev examples; give one c=, or a dev split"
            )
        fitted = {
            read: self._fitted(train, dev, read)
            for read in dict.fromkeys(cell.read for cell in cells)
        }
        return [fitted[cell.read][cell.by] for cell in cells]

    def _fitted(self, train: Readings, dev: Readings, read: str) -> dict[str, Linear]:
        """The best on dev by accuracy, and by loss; where C is not tuned they are the same."""
        import torch

        from sonde.probes.logreg.linear import solve
        from sonde.probes.losses import LOSSES

        aims, loss, outputs = (
            aim(train.labels, dev.labels),
            LOSSES[train.labels.loss],
            len(train.labels.names),
        )
        features = finite(train, read, "train")
        scaling = (common_scale if self.scaled else no_scale)(features)
        strengths = sorted(set(self.c))
        # two columns share what scikit-learn puts in one
        twice = 2 if train.labels.classes is not None and outputs == 2 else 1
        penalties = torch.tensor([twice / (c * len(train)) for c in strengths], dtype=torch.float64)
        found = solve(
            torch.from_numpy(scaling(features)),
            loss.targets(aims.train),
            train.labels.loss,
            outputs,
            penalties,
        )
        judged = torch.full((2, len(strengths)), float("nan"), dtype=torch.float64)
        if len(dev):
            x = torch.from_numpy(scaling(finite(dev, read, "dev")))
            scores = (
                torch.einsum("koi,ni->kon", found.weights.float(), x)
                + found.biases.float()[:, :, None]
            )
            judged = torch.cat(
                loss.judge(scores[None], loss.targets(aims.dev).movedim(0, -1)[None])
            ) / len(dev)

        def linear(best: int) -> Linear:
            quality, lost = judged[:, best].tolist()
            choice = {
                "c": strengths[best],
                "dev": quality,
                "dev_loss": lost,
                "objective": float(found.objectives[best]),
            }
            weights = (found.weights[best] * aims.factor).float().numpy()
            bias = (found.biases[best] * aims.factor + aims.shift).float().numpy()
            return Linear(read, scaling, weights, bias, choice)

        best = (
            {"score": judged[0].argmax(), "loss": judged[1].argmin()}
            if len(dev)
            else dict.fromkeys(("score", "loss"), 0)
        )
        return {by: linear(int(k)) for by, k in best.items()}


@dataclass(frozen=True, slots=True)
class Linear:
    """A fitted linear probe: weights [outputs, features], bias [outputs]; `choice` says which C was
    best on dev.
    """

    read: str
    scaling: Scaling
    weights: Floats
    bias: Floats
    choice: Mapping[str, Any]

    def predict(self, readings: Readings) -> Predictions:
        scores = np.asarray(
            self.scaling(readings.features(self.read)) @ self.weights.T + self.bias, np.float32
        )
        return Predictions(
            scores, readings.labels.names, readings.labels.decode(scores), readings.labels.link
        )
