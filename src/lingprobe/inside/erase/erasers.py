"""Linear erasers: maps x -> x - left @ right @ (x - mean) after which a property cannot be read off
linearly, and random ones of the same size. All of it is float64.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import DataProblem
from lingprobe.data.labels import Column

Doubles = NDArray[np.float64]
_ROWS = 65_536  # that are projected at a time
_SPAN = 1e-9  # of the largest singular value, below which a direction is none
_STILL = 1e-6  # of the size or of the largest deviation, below which a number hardly varies
_STEEPEST = 25.0  # power of a covariance that is tried


@dataclass(frozen=True, slots=True)
class AffineEraser:
    """An affine map of vectors [n, dim]; fitted by one of the functions here.

    mean   [dim]        which point stays where it is
    left   [dim, rank]  the directions that are taken out
    right  [rank, dim]  how far a vector reaches along each of them
    """

    mean: Doubles
    left: Doubles
    right: Doubles

    @property
    def rank(self) -> int:
        """How many dimensions are taken out."""
        return int(self.left.shape[1])

    @property
    def dim(self) -> int:
        """The size of the vectors."""
        return len(self.mean)

    def __call__(self, vectors: NDArray[Any]) -> NDArray[Any]:
        """The vectors [n, dim] without what is erased, float32, or float64 if they are."""
        kept = np.float64 if vectors.dtype == np.float64 else np.float32
        erased = np.empty(vectors.shape, kept)
        for start in range(0, len(vectors), _ROWS):
            some = vectors[start : start + _ROWS].astype(np.float64)
            erased[start : start + _ROWS] = some - ((some - self.mean) @ self.right.T) @ self.left.T
        return erased

    def removed_variance(self, covariance: Doubles) -> float:
        """The variance that it takes away from vectors with this covariance [dim, dim]."""
        return float(np.trace(self.left @ (self.right @ covariance @ self.right.T) @ self.left.T))


class EraserMoments(NamedTuple):
    """What erasers are made of: mean [dim] and covariance [dim, dim] of vectors, and their
    covariance with the targets [dim, targets], which sites stand beside each other in.
    """

    mean: Doubles
    covariance: Doubles
    cross: Doubles
    n: int

    @classmethod
    def of(cls, sites: Sequence[NDArray[Any]], targets: Doubles) -> EraserMoments:
        """Those of examples with a vector for each site, [n, dim] each, and targets [n, k]."""
        each = [np.asarray(x, np.float64) for x in sites]
        n = len(targets)
        centred = [x - x.mean(0) for x in each]
        wanted = targets - targets.mean(0)
        covariance = sum(x.T @ x for x in centred) / (n * len(each))
        cross = np.concatenate([x.T @ wanted / n for x in centred], 1)
        mean = np.mean([x.mean(0) for x in each], 0)
        return cls(mean, np.asarray(covariance), cross, n)


def encode_labels(labels: Column) -> Doubles:
    """Labels as columns of numbers [n, k]: classes one-hot, label sets by their weights, scores as
    they are. What was not annotated counts as the label's mean. DataProblem for lists of numbers.
    """
    if labels.classes is not None:
        return np.eye(len(labels.names))[labels.classes]
    if not labels.has_constant:
        raise DataProblem("labels that are lists of numbers cannot be erased: take another task")
    numbers = labels.matrix().astype(np.float64)
    known = ~np.isnan(numbers)
    means = np.where(known, numbers, 0).sum(0) / np.maximum(known.sum(0), 1)
    return np.where(known, numbers, means)


def fit_leace(moments: EraserMoments, rank: int | None = None) -> AffineEraser:
    """The smallest change of vectors after which they have no covariance with the targets (Belrose
    et al. 2023, theorem 4.3): an oblique projection, found where the vectors are white. A rank
    below that of the targets takes the strongest directions.
    """
    # numbers of one scale first: else what rounding leaves of the label in a number that hardly
    # varies is read by a probe that scales it up
    deviations = np.sqrt(np.diag(moments.covariance))
    varying = deviations > _STILL * np.abs(moments.mean) + 1e-30
    scale = np.where(varying, deviations, 1.0)
    both = np.outer(varying, varying)
    correlation = np.where(both, moments.covariance, 0.0) / np.outer(scale, scale)
    values, basis = _spectrum(correlation)
    roots = np.sqrt(values)
    own = varying[:, None]
    cross = np.where(own, moments.cross / scale[:, None], 0.0)
    whitening = basis / roots
    directions = _compute_span_basis(whitening @ (basis.T @ cross), rank)
    inner = basis.T @ directions
    left = np.where(own, scale[:, None] * ((basis * roots) @ inner), 0.0)
    right = np.where(own.T, (whitening @ inner).T / scale, 0.0)
    return AffineEraser(moments.mean, left, right)


def fit_mean_projection(moments: EraserMoments, rank: int | None = None) -> AffineEraser:
    """The orthogonal projection away from the differences of class means (Haghighatkhah et al.
    2022); for scores, away from the direction in which they grow.
    """
    return _orthogonal(moments, _compute_span_basis(moments.cross, rank))


Classifier = Callable[[NDArray[Any]], NDArray[Any]]
"""Vectors [n, dim] -> the weights [outputs, dim] of a linear classifier of these."""


def fit_inlp(
    vectors: NDArray[Any],
    classifier: Classifier,
    rounds: int,
    is_readable: Callable[[AffineEraser], bool] = lambda eraser: True,
) -> AffineEraser:
    """Iterative nullspace projection (Ravfogel et al. 2020, algorithm 1): a classifier is trained,
    its row space is taken out, and so on, for so many rounds, or until nothing is readable. The
    projection is onto the intersection of all null spaces.
    """
    middle = np.zeros(vectors.shape[1])
    rows = np.zeros((0, vectors.shape[1]))
    eraser = AffineEraser(middle, rows.T, rows)
    for _ in range(rounds):
        if not is_readable(eraser) or len(rows) == len(middle):
            break
        weights = np.asarray(classifier(eraser(vectors)), np.float64)
        inside = weights - (weights @ rows.T) @ rows  # rounding errors of a projection
        rows = np.concatenate([rows, _compute_span_basis(inside.T, len(middle) - len(rows)).T])
        eraser = AffineEraser(middle, rows.T, rows)
    return eraser


def random_subspace(moments: EraserMoments, rank: int, rng: np.random.Generator) -> AffineEraser:
    """A random subspace of the same rank: the orthogonal projection away from it, in the space that
    vectors vary in, all of them equally likely.
    """
    _, basis = _spectrum(moments.covariance)
    return _orthogonal(moments, basis @ _frame(basis.shape[1], rank, rng))


def random_subspace_of_variance(
    moments: EraserMoments, rank: int, variance: float, rng: np.random.Generator
) -> AffineEraser:
    """A random subspace of the same rank and variance, or as close to that as the spectrum allows:
    the orthogonal projection away from it.
    """
    values, basis = _spectrum(moments.covariance)
    start = _frame(len(values), rank, rng)
    logs = np.log(values)

    def stretch(power: float) -> Doubles:
        grown = power * (logs - logs.mean())
        return np.linalg.qr(np.exp(grown - grown.max())[:, None] * start)[0]

    low, high = -_STEEPEST, _STEEPEST
    for _ in range(60):
        middle = (low + high) / 2
        much = float((values[:, None] * stretch(middle) ** 2).sum())
        low, high = (middle, high) if much < variance else (low, middle)
    return _orthogonal(moments, basis @ stretch((low + high) / 2))


def principal_angles(left_eraser: AffineEraser, right_eraser: AffineEraser) -> Doubles:
    """The angles between two erased subspaces in degrees, the smallest first (Björck & Golub
    1973), as many as the smaller of them has dimensions.
    """
    from scipy.linalg import subspace_angles

    if not (left_eraser.rank and right_eraser.rank):
        return np.zeros(0)
    return np.asarray(np.degrees(subspace_angles(left_eraser.left, right_eraser.left))[::-1])


def _spectrum(covariance: Doubles) -> tuple[Doubles, Doubles]:
    """The eigenvalues [some] that are above rounding, in rising order, and their vectors."""
    values, basis = np.linalg.eigh(covariance)
    some = values > values[-1] * len(values) * np.finfo(np.float64).eps
    return values[some], basis[:, some]


def _orthogonal(moments: EraserMoments, directions: Doubles) -> AffineEraser:
    """The projection away from directions [dim, rank]; numbers that hardly vary stay as they
    are.
    """
    deviations = np.sqrt(np.diag(moments.covariance))
    kept = np.where((deviations > _STILL * deviations.max())[:, None], directions, 0.0)
    return AffineEraser(moments.mean, kept, kept.T)


def _compute_span_basis(columns: Doubles, rank: int | None = None) -> Doubles:
    """An orthonormal basis of the space of some columns [dim, at most rank], strongest first."""
    left, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    some = int((sizes > _SPAN * sizes[0]).sum()) if len(sizes) and sizes[0] > 0 else 0
    return np.asarray(left[:, : some if rank is None else min(rank, some)])


def _frame(dim: int, rank: int, rng: np.random.Generator) -> Doubles:
    return np.asarray(np.linalg.qr(rng.standard_normal((dim, min(rank, dim))))[0])
