"""Probes that are fitted one cell at a time, and the ten lines that make one of a scikit-learn-like
estimator.

def knn(*, k: int = 5) -> OneByOne:
    \"\"\"The majority among the k nearest training examples.\"\"\"
    return OneByOne(Estimator(f"knn-{k}", partial(KNeighborsClassifier, k), seeded=False))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import Cell, Predictions, Predictor, ProbeNeeds
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.vectors import Floats
from lingprobe.probes.features import AffineScaling, scaled_train


class SingleCellProbe(Protocol):
    """A probe that fits one cell; `OneByOne` makes a probe of it. `random` says whether its fit
    depends on the seed.
    """

    @property
    def name(self) -> str: ...
    @property
    def random(self) -> bool: ...

    def fit_one(self, train: Readings, dev: Readings, read: str, seed: int) -> Predictor:
        """The predictor of one read under one seed."""
        ...


@dataclass(frozen=True, slots=True)
class OneByOne:
    """A probe that fits its cells one after the other; those that a seed makes no difference to are
    fitted once.
    """

    plain: SingleCellProbe

    @property
    def name(self) -> str:
        return self.plain.name

    @property
    def needs(self) -> ProbeNeeds:
        return ProbeNeeds(seeds=self.plain.random)

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        asked = [Cell(cell.read, cell.seed if self.plain.random else 0) for cell in cells]
        fitted = {
            cell: self.plain.fit_one(train, dev, cell.read, cell.seed)
            for cell in dict.fromkeys(asked)
        }
        return [fitted[cell] for cell in asked]


@dataclass(frozen=True)
class EstimatorProbe:
    """A scikit-learn-like estimator as a plain probe: a classifier for classes and label sets, a
    regressor for scores.

    make    returns a new estimator; called with `random_state=seed` if `seeded`
    seeded  whether the fit depends on a seed
    scaled  whether features are brought to one scale first
    """

    name: str
    make: Callable[..., Any]
    seeded: bool = True
    scaled: bool = True

    @property
    def random(self) -> bool:
        return self.seeded

    def fit_one(self, train: Readings, dev: Readings, read: str, seed: int) -> Predictor:
        if not len(train):
            raise ReadingProblem(f"{self.name} has no training examples")
        scaling, x = scaled_train(train, read, self.scaled)
        fitted = tuple(self._column(x, y, seed) for y in train.labels.targets())
        return FittedEstimators(read, scaling, fitted)

    def _column(self, x: Floats, y: NDArray[Any], seed: int) -> Any:
        """An estimator fitted to what is annotated of one column of targets, or the one value that
        it has.
        """
        known = ~np.isnan(y) if y.dtype.kind == "f" else np.ones(len(y), np.bool_)
        found = np.unique(y[known])
        if len(found) < 2:
            return float(found[0]) if len(found) else 0.0
        return (self.make(random_state=seed) if self.seeded else self.make()).fit(
            x if known.all() else x[known], y[known]
        )


@dataclass(frozen=True, slots=True)
class FittedEstimators:
    """Fitted estimators, one for all classes or one a label; a number stands for one that had
    nothing to choose from.

    choice  what there is to say of how they were found
    """

    read: str
    scaling: AffineScaling
    estimators: tuple[Any, ...]
    choice: Mapping[str, Any] = field(default_factory=dict)

    def predict(self, readings: Readings) -> Predictions:
        x = self.scaling(readings.features(self.read))
        labels = readings.labels
        if labels.classes is not None:
            scores = _logs(self.estimators[0], x, len(labels.names))
        else:
            output = _odds if labels.numbers is None else _numbers
            scores = np.stack([output(e, x) for e in self.estimators], 1)
        found: Floats = np.asarray(scores, np.float32)
        told = all(hasattr(e, "predict_proba") for e in self.estimators)
        return Predictions(found, labels.names, labels.decode(found), labels.link if told else None)


def _numbers(estimator: Any, x: Floats) -> NDArray[np.float64]:
    """What a regression answers, [examples]."""
    if isinstance(estimator, float):
        return np.full(len(x), estimator)
    return np.asarray(estimator.predict(x))


def _logs(estimator: Any, x: Floats, outputs: int) -> NDArray[np.float64]:
    """Log shares or decisions [examples, outputs]; a class that train has not lies below all
    others.
    """
    if isinstance(estimator, float):
        return np.log(np.eye(outputs)[[int(estimator)] * len(x)] + 1e-12)
    if hasattr(estimator, "predict_proba"):
        found = np.log(estimator.predict_proba(x) + 1e-12)
    elif hasattr(estimator, "decision_function"):
        found = estimator.decision_function(x)
        found = np.stack([-found, found], 1) if found.ndim == 1 else found
    else:
        found = np.asarray(estimator.predict(x)[:, None] == estimator.classes_, np.float64)
    scores = np.repeat(found.min(1, keepdims=True) - 1, outputs, 1)
    scores[:, estimator.classes_.astype(np.int64)] = found
    return np.asarray(scores, np.float64)


def _odds(estimator: Any, x: Floats) -> NDArray[np.float64]:
    """How much rather a label holds than not, in log odds or what the estimator has instead,
    [examples].
    """
    if isinstance(estimator, float):
        return np.full(len(x), estimator - 0.5)
    scores = _logs(estimator, x, 2)
    return np.asarray(scores[:, 1] - scores[:, 0], np.float64)
