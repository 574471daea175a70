"""One decomposition of training features, which serves every penalty and every set of labels.

With A = X'X / n + penalty of centred features X, all that ridge regression, discriminant analysis
and their leave-one-out predictions need are products R A^-1 S' of rows R and S. An
eigendecomposition gives them for all penalties: of X'X, or of XX' where there are fewer examples
than dimensions. Where both are many, a Cholesky factor for each penalty is cheaper.

Features are at one scale or standardised. Either way the mean of the eigenvalues of X'X / n over
the dimensions that vary is 1, so a penalty is relative to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.digests import digest_pieces
from lingprobe.data.latest import LruCache
from lingprobe.data.vectors import Floats, Ints

Doubles = NDArray[np.float64]

_BLOCK_ROWS = 4096  # that are float64 at one time
_MAX_EIGEN = 3000  # examples or dimensions, whichever are fewer, of an eigendecomposition
_RANK = 1e-11  # of the largest eigenvalue of XX': what is below is rounding
_KEPT_BYTES = 2**28
_DIGESTED_ROWS = 64


@dataclass(frozen=True, slots=True)
class FeatureScale:
    """What brings features [n, d] to their mean and scale: (features - shift) * factor, both [d];
    a dimension that does not vary has factor 0.
    """

    shift: Doubles
    factor: Doubles

    @classmethod
    def of(cls, features: Floats, standardised: bool) -> FeatureScale:
        """That of training features: every dimension by its deviation, or all by their mean one."""
        shift = features.mean(0, dtype=np.float64)
        squares = np.zeros(features.shape[1])
        for start in range(0, len(features), _BLOCK_ROWS):
            block = features[start : start + _BLOCK_ROWS] - shift
            squares += np.einsum("ij,ij->j", block, block)
        deviation = np.sqrt(squares / max(len(features), 1))
        varies = deviation > 1e-6 * np.abs(shift) + 1e-30
        if not varies.any():
            return cls(shift, np.zeros(len(shift)))
        common = np.sqrt(np.mean(np.square(deviation[varies])))
        divisor = np.where(varies, deviation, 1.0) if standardised else common
        return cls(shift, np.where(varies, 1 / divisor, 0.0))

    def apply(self, features: Floats) -> Doubles:
        """Features at this scale, float64."""
        scaled = features - self.shift
        scaled *= self.factor
        return scaled

    def blocks(self, features: Floats) -> Iterator[tuple[slice, Doubles]]:
        """The same block by block of examples."""
        for start in range(0, len(features), _BLOCK_ROWS):
            rows = slice(start, start + _BLOCK_ROWS)
            yield rows, self.apply(features[rows])


class HalvedRows(NamedTuple):
    """Examples' halves [m, r] under a penalty, and their products with themselves [m]."""

    halves: Doubles
    norms: Doubles


@dataclass(slots=True)
class SharedDecomposition:
    """Training features [n, d], decomposed; rows are projected once, then halved for each penalty:
    the inner product of two halves is R A^-1 S'.

    values   the eigenvalues [r] of X'X / n, with their vectors as `basis` [d, r]
    gram     X'X / n [d, d] instead of these where it is factored for each penalty
    """

    features: Floats
    scale: FeatureScale
    values: Doubles | None = None
    basis: Doubles | None = None
    gram: Doubles | None = None
    _factors: dict[float, Doubles] = field(default_factory=dict, init=False)

    @classmethod
    def of(cls, features: Floats, standardised: bool) -> SharedDecomposition:
        """That of training features; the latest are remembered."""
        key = _digest_some(features), standardised
        known = _KEPT.find(key)
        if known is None or not np.array_equal(known.features, features):
            known = cls._decompose(features, FeatureScale.of(features, standardised))
            _KEPT.keep(key, known, known.size)
        return known

    @classmethod
    def _decompose(cls, features: Floats, scale: FeatureScale) -> SharedDecomposition:
        n, dim = features.shape
        if n <= dim and (n <= _MAX_EIGEN or 2 * n <= dim):
            return cls(features, scale, *_decompose_examples(features, scale))
        gram = np.zeros((dim, dim))
        for _, block in scale.blocks(features):
            gram += block.T @ block
        gram /= n
        if dim > _MAX_EIGEN:
            return cls(features, scale, gram=gram)
        values, basis = np.linalg.eigh(gram)
        return cls(features, scale, np.maximum(values, 0.0), basis)

    @property
    def size(self) -> int:
        """Bytes, those of the features among them."""
        parts = (self.features, self.values, self.basis, self.gram)
        return sum(part.nbytes for part in parts if part is not None)

    @property
    def is_factored(self) -> bool:
        """Whether each penalty takes a factorisation of its own."""
        return self.gram is not None

    def project(self, scaled: Doubles) -> Doubles:
        """Rows [m, d] at the features' scale, as `halve` takes them."""
        return scaled if self.basis is None else scaled @ self.basis

    def project_features(self, rows: Ints) -> Doubles:
        """Some of the training examples, projected."""
        parts = [
            self.project(self.scale.apply(self.features[rows[start : start + _BLOCK_ROWS]]))
            for start in range(0, len(rows), _BLOCK_ROWS)
        ]
        return np.concatenate(parts)

    def halve_features(self, rows: Ints, penalty: float) -> HalvedRows:
        """Some of the training examples, halved; the latest are remembered, as controls ask for
        the same.
        """
        known = _SAMPLES.find(id(self))
        if known is None or known.owner is not self or not np.array_equal(known.rows, rows):
            known = _SampledRows(self, rows, self.project_features(rows))
        if known.penalty != penalty:
            halves = self.halve(known.projected, penalty)
            halved = HalvedRows(halves, np.einsum("ij,ij->i", halves, halves))
            known = known._replace(penalty=penalty, halved=halved)
            _SAMPLES.keep(id(self), known, 2 * halves.nbytes)
        assert known.halved is not None
        return known.halved

    def project_sums(self, weights: Any) -> Doubles:
        """Sums of examples by weights [k, n], an array or a sparse one, projected [k, r]."""
        blocks = self.scale.blocks(self.features)
        return self.project(np.asarray(sum(weights[:, rows] @ block for rows, block in blocks)))

    def halve(self, projected: Doubles, penalty: float) -> Doubles:
        """Projected rows [m, r] times a root of A^-1: the product of two such is R A^-1 S'."""
        if self.values is not None:
            return projected / np.sqrt(self.values + penalty)
        from scipy.linalg import solve_triangular

        lower = self._factor(penalty)
        return np.asarray(
            solve_triangular(lower, projected.T, lower=True, check_finite=False).T, np.float64
        )

    def measure_distances(self, rows: Ints, places: Doubles, penalty: float) -> Doubles:
        """The squared distances of some examples and projected places [k, r] by A^-1 (X'X / n)
        A^-1, [m, k]: the variances of their differences' products with weights that a training
        example of no class in particular shapes.
        """
        examples, halves = self.halve_features(rows, penalty), self.halve(places, penalty)
        solved = [self._halve_again(each, penalty) for each in (examples.halves, halves)]
        shrunk = [penalty * np.einsum("ij,ij->i", each, each) for each in solved]
        products = examples.halves @ halves.T - penalty * (solved[0] @ solved[1].T)
        own = np.einsum("ij,ij->i", halves, halves) - shrunk[1]
        distances = (examples.norms - shrunk[0])[:, None] - 2 * products + own
        return np.asarray(np.maximum(distances, 0.0))

    def _halve_again(self, halved: Doubles, penalty: float) -> Doubles:
        """Rows times A^-1 from rows times its root, whose inner products are those of R A^-2 S'."""
        if self.values is not None:
            return np.asarray(halved / np.sqrt(self.values + penalty))
        from scipy.linalg import solve_triangular

        lower = self._factor(penalty)
        turned = solve_triangular(lower, halved.T, lower=True, trans="T", check_finite=False)
        return np.asarray(turned.T, np.float64)

    def solve_halved(self, halved: Doubles, penalty: float) -> Doubles:
        """The other half: A^-1 times what was halved [k, r], as weights [k, d]."""
        solved = self._halve_again(halved, penalty)
        return solved if self.basis is None else solved @ self.basis.T

    def _factor(self, penalty: float) -> Doubles:
        """The lower Cholesky factor of A."""
        if penalty not in self._factors:
            assert self.gram is not None
            shifted = self.gram.copy()
            shifted[np.diag_indices(len(shifted))] += penalty
            # the last alone: they are large
            self._factors = {penalty: np.asarray(np.linalg.cholesky(shifted), np.float64)}
        return self._factors[penalty]


class _SampledRows(NamedTuple):
    """Some of the examples of a decomposition, projected [m, r], and halved under a penalty."""

    owner: SharedDecomposition
    rows: Ints
    projected: Doubles
    penalty: float = 0.0
    halved: HalvedRows | None = None


_KEPT: LruCache[SharedDecomposition] = LruCache(_KEPT_BYTES)
_SAMPLES: LruCache[_SampledRows] = LruCache(_KEPT_BYTES // 2)


def _decompose_examples(features: Floats, scale: FeatureScale) -> tuple[Doubles, Doubles]:
    """The eigenvalues above 0 of X'X / n and their vectors, from XX'."""
    x = scale.apply(features)
    values, turn = np.linalg.eigh(x @ x.T / len(x))
    kept = values > max(_RANK * values[-1], 0.0)
    values, turn = values[kept], turn[:, kept]
    return values, (x.T @ turn) / np.sqrt(len(x) * values)


def _digest_some(features: Floats) -> str:
    """Stands for features [n, d], by some of the examples."""
    some = features[:: max(len(features) // _DIGESTED_ROWS, 1)]
    return digest_pieces(f"{features.dtype} {features.shape}", some)
