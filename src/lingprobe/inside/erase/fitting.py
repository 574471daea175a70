"""Readings -> erasers: those of a task's labels, and baselines of the same size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.checks import check_choice, check_number
from lingprobe.data.core import DataProblem
from lingprobe.data.digests import digest_texts
from lingprobe.data.errors import UsageProblem
from lingprobe.data.labels import Column
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Ints
from lingprobe.inside.erase.erasers import (
    AffineEraser,
    EraserMoments,
    encode_labels,
    fit_inlp,
    fit_leace,
    fit_mean_projection,
    random_subspace,
    random_subspace_of_variance,
)
from lingprobe.probes.linear.logistic import fit_logistic_path

Method = Literal["leace", "inlp", "mean"]
_METHODS: tuple[str, ...] = get_args(Method)
Floor = Literal["rank", "variance", "shuffled"]
ERASER_BASELINES: tuple[Floor, ...] = get_args(Floor)
"""What an eraser is compared with: random subspaces of its rank, those that also have the variance
that it takes, and the same method on shuffled labels.
"""
_ROUNDS = 50  # of INLP at most
_HELD = 5  # one example in so many says when INLP stops
_PENALTY = 1.0  # C of its classifier


class EraserData(NamedTuple):
    """What an eraser is fitted on: vectors of each site, [n, dim] each, and labels."""

    sites: list[NDArray[Any]]
    labels: Column

    @classmethod
    def of(cls, readings: Readings, read: str) -> EraserData:
        """The examples of readings, in one layer."""
        return cls(readings.sites(read), readings.labels)

    @property
    def is_binary(self) -> bool:
        """Whether labels are one of two classes, so that there is one direction between them."""
        return self.labels.classes is not None and len(self.labels.names) == 2

    @property
    def moments(self) -> EraserMoments:
        """Their moments; DataProblem where there are too few examples."""
        if len(self.labels) < 2 or not self.labels.vary():
            raise DataProblem(
                f"{len(self.labels)} examples are left for the eraser, without two labels: take a"
                " task with more"
            )
        return EraserMoments.of(self.sites, encode_labels(self.labels))

    def shuffle(self, rng: np.random.Generator) -> EraserData:
        """The same method on shuffled labels: the data with labels in a random order."""
        return self._replace(labels=self.labels.take(rng.permutation(len(self.labels))))


def check_floors(method: str, draws: int) -> None:
    """UsageProblem for a method that there is not, and for fewer than one draw."""
    check_choice("method", method, _METHODS)
    check_number("draws", draws, "1", problem=UsageProblem)


def fit_eraser(source: EraserData, method: str, rank: int | None = None) -> AffineEraser:
    """The eraser of a method. UsageProblem for another name, DataProblem where it cannot be fitted
    to such labels.
    """
    if method == "leace":
        return fit_leace(source.moments, rank)
    if method == "mean":
        return fit_mean_projection(source.moments, rank)
    check_choice("method", method, _METHODS)
    if source.labels.classes is None:
        raise DataProblem("inlp is for classes: take method=leace for label sets and scores")
    return _iterate(source, rank)


def generator_of(*names: str) -> np.random.Generator:
    """What draws a baseline: the same for the same names."""
    return np.random.default_rng(int(digest_texts(*names)[:16], 16))


class EraserBaselines(NamedTuple):
    """What removing anything does: the baselines of an eraser, by what it was fitted on, and the
    variance that it takes.

    seed  decides what is drawn: what stands for the task's data, wherever they lie
    """

    source: EraserData
    method: str
    rank: int
    moments: EraserMoments
    variance: float
    seed: str

    @classmethod
    def of(
        cls, source: EraserData, method: str, eraser: AffineEraser, seed: str
    ) -> EraserBaselines:
        """Those of an eraser of a source."""
        moments = source.moments
        variance = eraser.removed_variance(moments.covariance)
        return cls(source, method, eraser.rank, moments, variance, seed)

    def draw_all(self, draws: int) -> Iterator[tuple[Floor, AffineEraser]]:
        """So many of each kind, with its kind; none of an eraser that takes out nothing."""
        for kind in ERASER_BASELINES if self.rank else ():
            for draw in range(draws):
                yield kind, self.draw(kind, draw)

    def draw(self, kind: Floor, draw: int) -> AffineEraser:
        """`floor=`: a baseline in place of an eraser (rank, variance or shuffled), with the seed
        `draw=`.
        """
        rng = generator_of(self.seed, kind, str(draw))
        if kind == "shuffled":
            return fit_eraser(self.source.shuffle(rng), self.method, self.rank)
        if kind == "rank":
            return random_subspace(self.moments, self.rank, rng)
        return random_subspace_of_variance(self.moments, self.rank, self.variance, rng)


def erase_layer(readings: Readings, read: str, eraser: AffineEraser) -> Readings:
    """The same examples over erased vectors of one layer; nothing that is stored changes."""
    known = readings.vectors
    vectors = replace(known, layers=(eraser(known.layer(read)),), names=(read,))
    return replace(readings, vectors=vectors)


def _iterate(source: EraserData, rank: int | None) -> AffineEraser:
    """INLP: linear classifiers one after the other, until held-out examples are at the commonest
    class (within a standard error), or up to a rank.
    """
    x = np.concatenate(source.sites)
    ids = np.tile(np.arange(len(source.labels)), len(source.sites))
    held = ids % _HELD == 0
    loop = _Loop(x[held], source.labels.take(ids[held]), source.labels.take(ids[~held]))
    each = max(1, len(source.labels.names) - 1)
    rounds = _ROUNDS if rank is None else max(1, rank // each)
    stops: Callable[[AffineEraser], bool] = (
        loop.is_readable if rank is None else lambda eraser: True
    )
    return fit_inlp(x[~held], loop.classify, rounds, stops)


@dataclass
class _Loop:
    """The classifiers of all rounds, and whether the last was of use on held-out examples."""

    held: NDArray[Any]
    gold: Column
    labels: Column
    classifiers: list[tuple[NDArray[Any], NDArray[Any]]] = field(default_factory=list)

    def classify(self, vectors: NDArray[Any]) -> NDArray[Any]:
        """The weights [classes - 1, dim] of a classifier of all but the held-out examples."""
        weights, bias = fit_weights(vectors, self.labels.matrix(), len(self.labels.names))
        self.classifiers.append((weights, bias))
        # what they have in common decides nothing
        return np.asarray(weights[1:] - weights[:1], np.float64)

    def is_readable(self, eraser: AffineEraser) -> bool:
        """Whether the last classifier was of use."""
        if not self.classifiers:
            return True
        weights, bias = self.classifiers[-1]
        # the eraser that it was fitted behind had fewer rows
        before = len(eraser.right) - (len(weights) - 1)
        rows = eraser.right[:before]
        scores = (self.held - (self.held @ rows.T) @ rows) @ weights.T + bias
        quality = self.gold.quality(np.asarray(scores, np.float32))
        usual = float(np.bincount(self.gold.matrix()).max()) / len(self.gold)
        return quality > usual + float(np.sqrt(usual * (1 - usual) / len(self.gold)))


def fit_weights(
    vectors: NDArray[Any], ids: Ints, outputs: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weights [outputs, dim] and biases [outputs] of a logistic regression, of vectors as they
    are.
    """
    plain = np.asarray(vectors, np.float32)
    # one factor for all, since what hardly varies must not decide
    factor = float(1 / max(plain.std(0, dtype=np.float64).mean(), 1e-30))
    penalties = [1 / (_PENALTY * len(plain))]
    found = next(fit_logistic_path(plain * np.float32(factor), ids, penalties, classes=outputs))
    weights, bias = found.split_odds() if outputs == 2 else (found.weights, found.bias)
    return weights * factor, bias
