"""Linear probes under an L2 penalty: logistic regression for classes and label sets, ridge
regression for numbers; every C in one fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data._logits import code_length
from lingprobe.data.abilities import HeldOutScores, UnfoldedWeights
from lingprobe.data.checks import check_number
from lingprobe.data.core import Cell, Predictions, Predictor, ProbeNeeds
from lingprobe.data.labels import Column
from lingprobe.data.notes import ThresholdNote
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.sizes import FLOAT32_BYTES, FitSize, WorkAmount
from lingprobe.data.vectors import Floats
from lingprobe.metrics.thresholds import find_thresholds
from lingprobe.probes.features import (
    AffineScaling,
    ScaledTargets,
    make_targets,
    read_finite_features,
    scaled_train,
)
from lingprobe.probes.linear.logistic import Doubles, fit_logistic_path

PENALTY_STRENGTHS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
_DOUBLE = 8
_STATE = 32  # arrays of the size of the weights that a search keeps
_PASSES = 6  # over the features under one penalty; with many classes twice as many
_AXES = 10  # additions and multiplications that the n axes of features take, by the cube of n
_AXES_LIMIT, _PARTIAL_AXES, _SAMPLED = 1024, 256, 16384


class FittedWeights(NamedTuple):
    """Weights [outputs, features] and bias [outputs] of one C, and the objective there."""

    weights: Doubles
    bias: Doubles
    objective: float

    def score(self, features: Floats) -> Floats:
        """Scores [n, outputs] of scaled features."""
        weights, bias = self.weights.astype(np.float32), self.bias.astype(np.float32)
        return np.asarray(features @ weights.T + bias, np.float32)


@dataclass(frozen=True, slots=True)
class LogReg:
    """Logistic regression with an L2 penalty, its C tuned on dev (repeat `c=`); numbers are
    predicted by ridge regression.
    """

    _: KW_ONLY
    c: tuple[float, ...] = PENALTY_STRENGTHS
    scaled: bool = True
    needs: ClassVar[ProbeNeeds] = ProbeNeeds(seeds=False)
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
        """Bytes that a fit takes: the features, a copy of those of train on one scale, and the
        state of the search.
        """
        copies = size.inputs + FLOAT32_BYTES * size.features * size.train
        state = _STATE * _DOUBLE * size.outputs * (size.features + 1)
        axes = _DOUBLE * min(size.features, _AXES_LIMIT) * size.features
        return copies + size.targets + state + axes + size.scores

    def work(self, size: FitSize, seeds: int) -> WorkAmount:
        """That of the path over all C; seeds differ in nothing."""
        numbers, sampled = size.train * size.features, min(size.train, _SAMPLED) * size.features
        axes = size.features if size.features <= _AXES_LIMIT else _PARTIAL_AXES
        passes = _PASSES * len(self.c) * (1 if size.outputs < 20 else 2) if size.outputs > 1 else 1
        columns = size.outputs - (size.outputs == 2 and not size.sets)
        products = 4 * passes * numbers * columns + 4 * sampled * axes + _AXES * axes**3
        return WorkAmount(products, passes * FLOAT32_BYTES * numbers, passes)

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        if not len(train):
            raise ReadingProblem("logreg has no training examples")
        if not len(dev) and len(self.c) > 1:
            raise ReadingProblem(
                "logreg tunes C on dev, and there are no dev examples; set c=, or give a dev split"
            )
        reads = dict.fromkeys(cell.read for cell in cells)
        fitted = {read: self._fit_best(train, dev, read) for read in reads}
        return [fitted[cell.read][cell.by] for cell in cells]

    def _fit_best(self, train: Readings, dev: Readings, read: str) -> dict[str, LinearPredictor]:
        """The best on dev by accuracy, and by loss; where C is not tuned they are the same."""
        aims = make_targets(train.labels, dev.labels)
        scaling, features = scaled_train(train, read, self.scaled)
        judged = scaling(read_finite_features(dev, read, "dev")) if len(dev) else None
        best: dict[str, tuple[float, LinearPredictor]] = {}
        strengths = sorted(set(self.c))
        for c, minimum in zip(
            strengths, _minimise(features, train.labels, aims, strengths), strict=True
        ):
            score, loss = np.nan, np.nan
            unseen = np.empty((0, len(minimum.bias)), np.float32)
            if judged is not None:
                unseen = minimum.score(judged)
                score, loss = _judge(unseen, dev.labels, aims)
            choice: dict[str, Any] = {
                "c": c,
                "dev": score,
                "dev_loss": loss,
                "objective": minimum.objective,
            }
            weights = (minimum.weights * aims.factor).astype(np.float32)
            bias = (minimum.bias * aims.factor + aims.shift).astype(np.float32)
            held_out = HeldOutScores(dev.labels, unseen * aims.factor + aims.shift)
            if (thresholds := find_thresholds(*held_out, train.labels.names)).at:
                choice[ThresholdNote.key] = thresholds.plain()
            linear = LinearPredictor(read, scaling, weights, bias, choice, held_out)
            for by, quality in (("score", score), ("loss", -loss)):
                if by not in best or quality > best[by][0]:
                    best[by] = quality, linear
        return {by: linear for by, (_, linear) in best.items()}


def _minimise(
    features: Floats, labels: Column, aims: ScaledTargets, strengths: Sequence[float]
) -> Iterator[FittedWeights]:
    """The minimum of each C, in rising order; features [n, d] are on one scale."""
    penalties = [1 / (c * len(features)) for c in strengths]
    if labels.numbers is not None:
        yield from _minimise_squares(features, aims.train, penalties)
        return
    outputs = len(labels.names)
    classes = None if labels.classes is None else outputs
    for found in fit_logistic_path(features, aims.train, penalties, classes=classes):
        weights, bias = found.weights, found.bias
        if classes == 1:
            weights, bias = 0 * weights, 0 * bias
        elif classes == 2:
            weights, bias = found.split_odds()
        yield FittedWeights(weights, bias, found.objective)


def _minimise_squares(
    features: Floats, targets: Floats, penalties: Sequence[float]
) -> Iterator[FittedWeights]:
    """Ridge regression: half the mean squared error plus penalty / 2 * |weights|^2, by one
    decomposition of the smaller Gram matrix.
    """
    mean, n = features.mean(0, dtype=np.float64), len(features)
    x, y = features - mean.astype(np.float32), targets.astype(np.float64)
    level = y.mean(0)
    wide = n < x.shape[1]
    axes = x.T if wide else x
    values, basis = np.linalg.eigh(_multiply(axes, axes) / n)
    aligned = basis.T @ ((y - level) if wide else _multiply(x, y - level) / n)
    for penalty in penalties:
        solved = basis @ (aligned / (np.maximum(values, 0)[:, None] + penalty))
        weights = (_multiply(x, solved) / n if wide else solved).T
        errors = x @ weights.T + level - y
        objective = (np.square(errors).sum() / n + penalty * np.square(weights).sum()) / 2
        yield FittedWeights(weights, level - weights @ mean, float(objective))


def _multiply(one: NDArray[Any], other: NDArray[Any]) -> Doubles:
    """one.T @ other in float64, block by block of rows."""
    total = np.zeros((one.shape[1], other.shape[1]))
    for start in range(0, len(one), 8192):
        rows = slice(start, start + 8192)
        total += one[rows].T.astype(np.float64) @ other[rows].astype(np.float64)
    return total


def _judge(scores: Floats, labels: Column, aims: ScaledTargets) -> tuple[float, float]:
    """How good scores of dev are, more is better, and their mean loss: accuracy and nats of
    classes; of label sets nats of each label that was annotated, of numbers half the squared error,
    both as loss alone.
    """
    if labels.numbers is not None:
        loss = float(np.square(scores - aims.dev).sum(1).mean()) / 2
        return -loss, loss
    loss = float(code_length(labels, scores).mean() * np.log(2))
    if labels.classes is None:
        return -loss, loss
    return float((scores.argmax(1) == labels.classes).mean()), loss


@dataclass(frozen=True, slots=True)
class LinearPredictor:
    """A fitted linear probe: weights [outputs, features], bias [outputs]; `choice` says which C was
    best on dev.
    """

    read: str
    scaling: AffineScaling
    weights: Floats
    bias: Floats
    choice: Mapping[str, Any]
    held_out: HeldOutScores

    def unfold(self) -> UnfoldedWeights:
        """Weights of features as they are."""
        shift, factor, weights = (
            each.astype(np.float64)
            for each in (self.scaling.shift, self.scaling.factor, self.weights)
        )
        unfolded = weights * factor
        return UnfoldedWeights(unfolded, self.bias.astype(np.float64) - unfolded @ shift)

    def predict(self, readings: Readings) -> Predictions:
        features = readings.features(self.read)
        scores = np.empty((len(features), len(self.bias)), np.float32)
        for start in range(0, len(features), 4096):
            part = self.scaling(features[start : start + 4096])
            scores[start : start + 4096] = part @ self.weights.T + self.bias
        return Predictions(
            scores, readings.labels.names, readings.labels.decode(scores), readings.labels.link
        )
