"""The difference of class means as a linear probe, calibrated (Marks & Tegmark 2023 call it a
mass-mean probe): the direction from the mean vector of one class to that of another.

Of several classes, each has the score of the nearest mean, x m - m m / 2; of two, the difference of
these is a projection on the difference of the means. Leave-one-out scores, in closed form, decide
how scores become probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.abilities import HeldOutScores
from lingprobe.data.core import Cell, Predictor, ProbeNeeds
from lingprobe.data.labels import join_columns
from lingprobe.data.notes import ThresholdNote
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.vectors import Ints
from lingprobe.metrics.thresholds import find_thresholds
from lingprobe.probes.features import read_finite_features
from lingprobe.probes.linear.calibration import compute_log_loss
from lingprobe.probes.linear.decomposition import FeatureScale
from lingprobe.probes.linear.discriminant import LinearModel
from lingprobe.probes.linear.probe import LinearMap

Doubles = NDArray[np.float64]

_STEEPEST = 1e3  # factor of scores whose deviation is 1; classes that are apart have no steepest
_LEVEL_COST = 1e-3  # of squared levels, a nat an example; keeps those of separable classes finite


@dataclass(frozen=True, slots=True)
class ClassMeans:
    """The difference of class means: each class has the score of the nearest mean, and a slope and
    levels make probabilities of these.
    """

    name: ClassVar[str] = "means"
    needs: ClassVar[ProbeNeeds] = ProbeNeeds(seeds=False)

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        if not len(train):
            raise ReadingProblem("means has no training examples")
        if train.labels.classes is None:
            raise ReadingProblem(
                "means compares the means of classes, and these labels are sets or numbers; use"
                " linear"
            )
        fitted = {read: _fit_read(train, dev, read) for read in {cell.read for cell in cells}}
        return [fitted[cell.read] for cell in cells]


def _fit_read(train: Readings, dev: Readings, read: str) -> LinearMap:
    """The predictor of one read: means of train and dev, calibrated on leave-one-out scores."""
    parts = [
        read_finite_features(train, read, "train"),
        *([read_finite_features(dev, read, "dev")] if len(dev) else []),
    ]
    features = np.concatenate(parts)
    labels = join_columns([train.labels, dev.labels]) if len(dev) else train.labels
    codes, outputs = labels.matrix(), len(labels.names)
    scale = FeatureScale.of(features, standardised=False)
    scaled = scale.apply(features)
    means = compute_class_means(scaled, codes, outputs)
    known = np.bincount(codes, minlength=outputs) > 0
    left_out = leave_means_out(scaled, codes, means)
    slope, levels = calibrate_scores(left_out[:, known], codes_among(codes, known))
    whole = np.full(outputs, -np.log(2.0 * len(codes)) + levels.mean())
    whole[known] = levels
    weights = np.where(known[:, None], slope * means, 0.0)
    bias = whole - slope * np.where(known, np.square(means).sum(1), 0.0) / 2
    logits = np.where(known, slope * left_out, 0.0) + whole
    held_out = HeldOutScores(dev.labels, logits[len(train) :])
    choice: dict[str, Any] = {
        "slope": slope,
        "dev": float(dev.labels.quality(held_out.scores.astype(np.float32)))
        if len(dev)
        else float("nan"),
    }
    if (thresholds := find_thresholds(*held_out, train.labels.names)).at:
        choice[ThresholdNote.key] = thresholds.plain()
    return LinearMap(read, scale, LinearModel(weights, bias), None, choice, held_out)


def compute_class_means(features: Doubles, codes: Ints, outputs: int) -> Doubles:
    """The mean [outputs, d] of the features [n, d] of each class; zeros of one without examples."""
    sums = np.zeros((outputs, features.shape[1]))
    np.add.at(sums, codes, features)
    counts = np.bincount(codes, minlength=outputs)
    return np.asarray(sums / np.maximum(counts, 1)[:, None])


def leave_means_out(features: Doubles, codes: Ints, means: Doubles) -> Doubles:
    """The score x m - m m / 2 [n, outputs] of each example under each class mean, its own without
    the example. One that is alone in its class keeps it.
    """
    scores = features @ means.T
    norms, squares = np.square(means).sum(1), np.square(features).sum(1)
    at, counts = np.arange(len(codes)), np.bincount(codes, minlength=len(means))[codes]
    own, size = scores[at, codes], np.maximum(counts - 1, 1)
    product = (counts * own - squares) / size
    norm = (counts**2 * norms[codes] - 2 * counts * own + squares) / size**2
    left = np.where(counts > 1, product - norm / 2, own - norms[codes] / 2)
    scores -= norms / 2
    scores[at, codes] = left
    return np.asarray(scores)


def codes_among(codes: Ints, class_mask: NDArray[np.bool_]) -> Ints:
    """The codes [n] among the classes that are known."""
    return np.asarray((np.cumsum(class_mask) - 1)[codes], np.int64)


def calibrate_scores(scores: Doubles, codes: Ints) -> tuple[float, Doubles]:
    """The slope and the levels [k] under which codes [n] are likeliest, logits being slope * scores
    + levels (Platt 1999 for two classes).
    """
    from scipy.optimize import minimize

    if scores.shape[1] < 2:
        return 1.0, np.zeros(scores.shape[1])
    deviation = float((scores - scores.mean(1, keepdims=True)).std()) or 1.0
    x, wanted = scores / deviation, np.eye(scores.shape[1])[codes]

    def measure_loss(place: Doubles) -> tuple[float, Doubles]:
        slope, levels = place[0], place[1:]
        logits = slope * x + levels
        shares = np.exp(logits - logits.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        off = (shares - wanted) / len(codes)
        loss = float(compute_log_loss(logits, codes).mean())
        loss += _LEVEL_COST * float(levels @ levels)
        return loss, np.array([(off * x).sum(), *(off.sum(0) + 2 * _LEVEL_COST * levels)])

    start = np.array([1.0, *np.zeros(scores.shape[1])])
    bounds = [(1 / _STEEPEST, _STEEPEST), *([(None, None)] * scores.shape[1])]
    found = minimize(measure_loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return float(found[0]) / deviation, np.asarray(found[1:])
