"""Linear probes: logistic regression for classes and label sets, ridge regression for scores; every
C in one fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from lingprobe.data.checks import check_number
from lingprobe.data.core import Cell, Needs, Predictions, Predictor
from lingprobe.data.labels import Column
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.sizes import FitSize, Work
from lingprobe.data.vectors import Floats
from lingprobe.nets.device import Fitting, check_device, in_halves
from lingprobe.probes.features import Aim, Scaling, aim, finite, scaled_train
from lingprobe.probes.logreg import room

if TYPE_CHECKING:
    from lingprobe.probes.logreg.linear import Linear as Minima

STRENGTHS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)


@dataclass(frozen=True, slots=True)
class LogReg(Fitting):
    """Logistic regression with an L2 penalty, its C tuned on dev (repeat `c=`); scores are ridge
    regression.
    """

    _: KW_ONLY
    c: tuple[float, ...] = STRENGTHS
    scaled: bool = True
    needs: ClassVar[Needs] = Needs(seeds=False)
    name: ClassVar[str] = "logreg"

    def __post_init__(self) -> None:
        check_number("logreg,c", self.c or (0,), ">0", "the inverse of a penalty")

    @property
    def settings(self) -> Sequence[Mapping[str, Any]]:
        """Every C, in rising order."""
        return [{"c": c} for c in sorted(set(self.c))]

    def with_settings(self, settings: Mapping[str, Any]) -> LogReg:
        """The same with one C."""
        return replace(self, c=(settings["c"],))

    def least_memory(self, size: FitSize) -> int:
        """Bytes that a fit takes under one C at a time."""
        return room.least_memory(size)

    def work(self, size: FitSize, seeds: int) -> Work:
        """That of one search for all C; seeds differ in nothing."""
        return room.work(size, len(self.c))

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        if not len(train):
            raise ReadingProblem("logreg has no training examples")
        if not len(dev) and len(self.c) > 1:
            raise ReadingProblem(
                "logreg tunes C on dev, and there are no dev examples; give one c=, or a dev split"
            )
        fitted = {
            read: in_halves(lambda each: [self._fit_best(train, dev, *each)], [read])[0]
            for read in dict.fromkeys(cell.read for cell in cells)
        }
        return [fitted[cell.read][cell.by] for cell in cells]

    def _fit_best(self, train: Readings, dev: Readings, read: str) -> dict[str, Linear]:
        """The best on dev by accuracy, and by loss; where C is not tuned they are the same."""
        from lingprobe.probes.losses import LOSSES

        aims, loss = aim(train.labels, dev.labels), LOSSES[train.labels.loss]
        scaling, features = scaled_train(train, read, self.scaled)
        found = self._find_minima(features, aims, train.labels)
        judged, best = np.full((2, len(self.c)), np.nan), {"score": 0, "loss": 0}
        if len(dev):
            judged = found.judge(scaling(finite(dev, read, "dev")), loss.targets(aims.dev), loss)
            best = {"score": int(judged[0].argmax()), "loss": int(judged[1].argmin())}

        def linear(k: int) -> Linear:
            choice = {
                "c": sorted(set(self.c))[k],
                "dev": float(judged[0, k]),
                "dev_loss": float(judged[1, k]),
                "objective": float(found.objectives[k]),
            }
            return Linear(read, scaling, *found.model(k, aims), choice)

        return {by: linear(k) for by, k in best.items()}

    def _find_minima(self, x: Floats, aims: Aim, labels: Column) -> Minima:
        """The minimum of each C, in rising order; x is centred in place."""
        import torch

        check_device(device := self.device)
        from lingprobe.probes.logreg.linear import solve
        from lingprobe.probes.losses import LOSSES

        outputs = len(labels.names)
        # two columns share what scikit-learn puts in one
        twice = 2 if labels.classes is not None and outputs == 2 else 1
        penalties = [twice / (c * len(x)) for c in sorted(set(self.c))]
        return solve(
            torch.from_numpy(x).to(device),
            LOSSES[labels.loss].targets(aims.train).to(device),
            labels.loss,
            outputs,
            torch.tensor(penalties, dtype=torch.float64).to(device),
        )


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
        features = readings.features(self.read)
        scores = np.empty((len(features), len(self.bias)), np.float32)
        for start in range(0, len(features), 4096):
            part = self.scaling(features[start : start + 4096])
            scores[start : start + 4096] = part @ self.weights.T + self.bias
        return Predictions(
            scores, readings.labels.names, readings.labels.decode(scores), readings.labels.link
        )
