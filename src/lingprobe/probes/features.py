"""What a probe trains on: finite features of a read, brought to one scale by train statistics, and
targets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.labels import Column
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.vectors import Floats

# mean sum of squares of an example's features, which rates and penalties are set for
MEAN_FEATURE_SQUARES = 384.0
# how far a feature's deviation may lie from the common scale before it is brought nearer
_LARGEST, _LEAST = 10.0, 0.1


@dataclass(frozen=True, slots=True)
class AffineScaling:
    """features -> (features - shift) * factor, both [features] float32."""

    shift: Floats
    factor: Floats

    def __call__(self, features: Floats) -> Floats:
        scaled = features - self.shift
        scaled *= self.factor
        return scaled


def common_scale(train: Floats) -> AffineScaling:
    """Brought to one scale: one factor for all features, so that what varies more keeps its weight;
    far from the rest, a feature gets its own.

    Input of any size then trains alike, and so does input of any width: one feature is scaled up,
    thousands are scaled down. A feature that does not vary on train is excluded (factor 0).
    """
    shift, deviation = _moments(train)
    varying = deviation > 1e-6 * np.abs(shift) + 1e-30
    if not varying.any():
        return AffineScaling(shift.astype(np.float32), np.zeros(len(shift), np.float32))
    middle = np.median(deviation[varying])
    # a few huge features do not set the scale
    common = np.sqrt(np.mean(np.minimum(deviation[varying], 10 * middle) ** 2))
    divisor = np.clip(common, deviation / _LARGEST, np.maximum(deviation, 1e-30) / _LEAST)
    factor = np.where(varying, 1 / divisor, 0)
    factor *= np.sqrt(MEAN_FEATURE_SQUARES / np.sum(np.square(factor * deviation)))
    return AffineScaling(shift.astype(np.float32), factor.astype(np.float32))


def no_scale(train: Floats) -> AffineScaling:
    """Features as they are."""
    return AffineScaling(np.zeros(train.shape[1], np.float32), np.ones(train.shape[1], np.float32))


def scaled_train(train: Readings, read: str, scaled: bool) -> tuple[AffineScaling, Floats]:
    """What brings features to one scale, or leaves them as they are, and those of train under it.
    What was read is given back, so that one copy is left.
    """
    features = read_finite_features(train, read, "train")
    scaling = (common_scale if scaled else no_scale)(features)
    return scaling, scaling(features)


def _moments(x: Floats) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and standard deviation of every column, in float64."""
    mean = x.mean(0, dtype=np.float64)
    total = np.zeros(x.shape[1])
    for start in range(0, len(x), 4096):
        block = x[start : start + 4096].astype(np.float64)
        total += np.square(block - mean, out=block).sum(0)
    return mean, np.sqrt(total / len(x))


def read_finite_features(readings: Readings, read: str, split: str) -> Floats:
    """The features of a read [examples, features] float32, or an error that names the first example
    that has NaN or infinity.
    """
    features = readings.features(read)
    if not np.isfinite(features.sum(dtype=np.float64)):
        bad = np.flatnonzero(~np.isfinite(features).all(1))
        if len(bad):
            where = (
                f"{len(bad)} of {len(features)} {split} examples, first in"
                f" {readings.sentence(int(bad[0])).text[:60]!r}"
            )
            raise ReadingProblem(
                f"layer selection {read!r} has NaN or infinite features in {where}; check the"
                " output of the encoder there"
            )
    return features


@dataclass(frozen=True, slots=True)
class ScaledTargets:
    """Targets as a probe trains on them; scores are brought to mean 0 and deviation 1 on train, and
    back by `undo`.
    """

    train: NDArray[Any]
    dev: NDArray[Any]
    shift: float = 0.0
    factor: float = 1.0


def make_targets(train: Column, dev: Column) -> ScaledTargets:
    """The targets of a label column."""
    wanted, judged = train.matrix(), dev.matrix()
    if train.numbers is None:
        return ScaledTargets(wanted, judged)
    shift, factor = float(wanted.mean(dtype=np.float64)), float(wanted.std(dtype=np.float64)) or 1.0
    return ScaledTargets((wanted - shift) / factor, (judged - shift) / factor, shift, factor)
