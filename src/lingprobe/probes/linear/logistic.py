"""Logistic regression with an L2 penalty, for one penalty after the other.

The objective is the mean log loss in nats plus penalty / 2 * |weights|^2; the bias is free. Minima
are found by L-BFGS (Nocedal 1980), whose first guess of the inverse Hessian is that of the
Kronecker product of the mean curvature of the loss, classes by classes, and the features' Gram
matrix (after Boehning's bound, 1992, with the curvature where the search begins). One
decomposition of the Gram matrix serves all penalties, and what was learned of the curvature is
carried along the path.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.errors import DataProblem

Doubles = NDArray[np.float64]

_OBJECTIVE_TOLERANCE = (
    5e-6  # of the objective: how far above its minimum a search may end, as it estimates
)
_MAX_STEPS = 300
_MAX_TRIALS = 12
_SUFFICIENT = 1e-4  # share of the promised decrease that a step must bring (Armijo)
_SCALES = (0.05, 20.0)  # of the guessed inverse Hessian
_MOVES = 10  # last steps that the inverse Hessian is updated with
_CURVATURE_ROWS = 4096  # examples that the mean curvature is estimated from
_BLOCK_SCORES = 2**18  # scores, and features times four, of one block of examples: cache
_SPECTRUM_ROWS = 16384  # examples that the features' spectrum is estimated from
_MAX_AXES = 1024  # dimensions up to which all axes of the features are found
_AXES = 256  # axes found of wider features
_HUGE = 1e6  # features beyond this, or all below its inverse, are brought to 1 first
_PATH_CHANGE = 1e-4  # nats of held-out log loss below which a path changes nothing any more


class LossMinimum(NamedTuple):
    """The weights [outputs, d], bias [outputs] and objective of one penalty; two classes have one
    output, the log odds of the second.

    is_separated  whether every training label has a probability above one half: a weaker penalty
                  only makes scores larger
    """

    weights: Doubles
    bias: Doubles
    objective: float
    is_separated: bool

    def split_odds(self) -> tuple[Doubles, Doubles]:
        """The log odds of two classes as the scores of both, whose difference they are."""
        return (
            np.concatenate([-self.weights / 2, self.weights / 2]),
            np.concatenate([-self.bias / 2, self.bias / 2]),
        )


class FeatureSpectrum(NamedTuple):
    """Eigenvalues [axes] of features.T @ features / n, their vectors [d, axes], and the mean of the
    eigenvalues that are excluded. No vectors: each feature is an axis.
    """

    values: Doubles
    basis: Doubles | None
    rest: float = 0.0


def fit_logistic_path(
    features: NDArray[Any],
    codes: NDArray[Any],
    penalties: Sequence[float],
    start: tuple[Doubles, Doubles] | None = None,
    *,
    classes: int | None = None,
    spectrum: FeatureSpectrum | None = None,
) -> Iterator[LossMinimum]:
    """The minimum of each penalty in turn, each found from the one before; computed when it is
    asked for, so the caller may stop. Penalties fall.

    features  [n, d] float32 or float64, centred and scaled; products are made in their precision
    codes     the class of each example [n], or of label sets 0 or 1 [n, labels] (NaN: not
              annotated), which are as many problems of two classes, solved together
    classes   how many there are; the largest code's without
    spectrum  of the features, if known: it makes steps better, and minima no other

    A class without examples has no weights and the bias of a tiny prior. DataProblem for features
    that are not finite.
    """
    x = np.asarray(features)
    if x.dtype not in (np.float32, np.float64):
        x = x.astype(np.float64)
    _check_input(x, codes, penalties)
    x, mean, factor = _condition(x)
    problem: _Problem
    problem = _LabelSets.of(codes) if codes.ndim == 2 else _pose_classes(codes, classes)
    if spectrum is not None and factor != 1:
        spectrum = spectrum._replace(
            values=spectrum.values * factor**2, rest=spectrum.rest * factor**2
        )
    path = _Path(x, problem, spectrum or estimate_spectrum(x))
    if start is not None:
        weights, bias = (np.asarray(part, np.float64)[problem.rows_solved] for part in start)
        start = weights / factor, bias + weights @ mean
    path.begin(start)
    for penalty in penalties:
        objective = path.descend(penalty * factor**2)
        weights = path.place[:, :-1] * factor
        bias = path.place[:, -1] - weights @ mean
        yield LossMinimum(*problem.complete(weights, bias), objective, path.is_separated)


def ends_path(losses: Sequence[float], minimum: LossMinimum) -> bool:
    """Whether weaker penalties are of no more use: the training data are separated, or the log
    losses (nats, of held-out examples, one a penalty so far) have changed before and no longer do,
    or rose twice in a row.
    """
    if minimum.is_separated:
        return True
    steps = np.diff(np.asarray(losses, np.float64))
    if len(steps) < 2:
        return False
    moved = bool((np.abs(steps[:-1]) >= _PATH_CHANGE).any())
    return (moved and abs(steps[-1]) < _PATH_CHANGE) or bool((steps[-2:] > _PATH_CHANGE).all())


def estimate_spectrum(features: NDArray[Any]) -> FeatureSpectrum:
    """The spectrum of centred features [n, d], of many examples that of a sample: whole, or of wide
    features the upper end by one round of subspace iteration (Halko et al. 2011).
    """
    features = features[_spread_rows(len(features), _SPECTRUM_ROWS)]
    n, dim = features.shape
    if dim <= _MAX_AXES:
        gram = (features.T @ features).astype(np.float64) / n
        values, basis = np.linalg.eigh(gram)
        return FeatureSpectrum(np.maximum(values, 0.0), basis)
    axes = min(_AXES, n)
    probes = np.random.default_rng(0).standard_normal((dim, axes)).astype(features.dtype)
    probes = np.linalg.qr(features.T @ (features @ probes))[0]
    seen = features @ probes
    values, turn = np.linalg.eigh((seen.T @ seen).astype(np.float64) / n)
    total = float(np.einsum("ij,ij->", features, features, dtype=np.float64)) / n
    rest = max(total - float(values.sum()), 0.0) / max(min(n, dim) - axes, 1)
    return FeatureSpectrum(np.maximum(values, 0.0), probes.astype(np.float64) @ turn, rest)


def _spread_rows(n: int, limit: int) -> NDArray[np.int64] | slice:
    """All of n examples, or so many at even distances."""
    return slice(None) if n <= limit else np.linspace(0, n - 1, limit).astype(np.int64)


def _check_input(x: NDArray[Any], codes: NDArray[Any], penalties: Sequence[float]) -> None:
    if x.ndim != 2 or not len(x) or len(codes) != len(x):
        raise DataProblem(
            f"logistic regression of features {x.shape} and labels {codes.shape}: give one row of"
            " features and one label for each of at least one example"
        )
    if not np.isfinite(x.sum(dtype=np.float64)):
        rows = np.flatnonzero(~np.isfinite(x).all(1))
        if len(rows):
            raise DataProblem(
                f"features are NaN or infinite in {len(rows)} of {len(x)} examples, first in"
                f" example {rows[0]}: check where they come from"
            )
    if not all(0 < penalty < np.inf for penalty in penalties):
        raise DataProblem(f"penalties must be positive numbers, not {list(penalties)}")


def _condition(x: NDArray[Any]) -> tuple[NDArray[Any], Doubles, float]:
    """Features that products can be made of, with the mean [d] and the factor that they were
    brought there by; unchanged where they are centred and of a usual size.
    """
    largest = float(max(x.max(initial=0), -x.min(initial=0)))
    factor = 1 / largest if largest > _HUGE or 0 < largest < 1 / _HUGE else 1.0
    scaled = x if factor == 1 else (x.astype(np.float64) * factor).astype(x.dtype)
    mean = scaled.mean(0, dtype=np.float64)
    size = float(np.sqrt(np.einsum("ij,ij->", scaled, scaled, dtype=np.float64) / max(x.size, 1)))
    if not np.abs(mean).max(initial=0) > 0.01 * size:
        return scaled, np.zeros(x.shape[1]), factor
    return (scaled - mean).astype(x.dtype), mean / factor, factor


class _Problem(Protocol):
    """Labels, and the loss of scores for them. Scores are [outputs, examples]; `joint` says that
    the outputs are one problem, else each is a problem of its own.
    """

    joint: ClassVar[bool]

    @property
    def outputs(self) -> int:
        """How many are solved for."""
        ...

    @property
    def rows_solved(self) -> NDArray[Any]:
        """Which of all outputs these are."""
        ...

    def priors(self) -> Doubles:
        """Biases [outputs] that are best without features."""
        ...

    def both(
        self, scores: NDArray[Any], rows: slice, outputs: NDArray[np.int64]
    ) -> tuple[Doubles, NDArray[Any], Doubles]:
        """Losses summed over some examples, [outputs] or [1] where joint, gradients in the scores
        (over which they may be written), and the least probabilities of a label, likewise.
        """
        ...

    def curvature(self, scores: Doubles) -> Doubles:
        """The mean Hessian of the loss in the scores, [outputs, outputs] or, of problems of their
        own, its diagonal [outputs].
        """
        ...

    def complete(self, weights: Doubles, bias: Doubles) -> tuple[Doubles, Doubles]:
        """With those of outputs that were not solved for."""
        ...


def _pose_classes(codes: NDArray[Any], classes: int | None) -> _Problem:
    count = max(classes or 0, int(codes.max()) + 1)
    if count <= 2:
        return _LabelSets.of((codes == 1)[:, None])
    return _Classes.of(codes, count)


@dataclass(frozen=True, slots=True)
class _Classes:
    """Classes: one softmax over those that have examples."""

    codes: NDArray[np.int64]
    present: NDArray[np.int64]
    count: int
    joint: ClassVar[bool] = True

    @classmethod
    def of(cls, codes: NDArray[Any], count: int) -> _Classes:
        present, local = np.unique(codes, return_inverse=True)
        return cls(local.astype(np.int64), present.astype(np.int64), count)

    @property
    def outputs(self) -> int:
        return len(self.present)

    @property
    def rows_solved(self) -> NDArray[Any]:
        return self.present

    def priors(self) -> Doubles:
        logs = np.log(np.bincount(self.codes) / len(self.codes))
        return np.asarray(logs - logs.mean())

    def both(
        self, scores: NDArray[Any], rows: slice, outputs: NDArray[np.int64]
    ) -> tuple[Doubles, NDArray[Any], Doubles]:
        codes, at = self.codes[rows], np.arange(scores.shape[1])
        scores -= scores.max(0)
        right = scores[codes, at]
        np.exp(scores, out=scores)
        sums = scores.sum(0)
        logs = right - np.log(sums)
        scores /= sums
        scores[codes, at] -= 1
        total = -logs.sum(dtype=np.float64)
        return np.array([total]), scores, np.exp(logs.min(keepdims=True))

    def curvature(self, scores: Doubles) -> Doubles:
        shares = np.exp(scores - scores.max(0))
        shares /= shares.sum(0)
        return np.asarray(np.diag(shares.mean(1)) - shares @ shares.T / shares.shape[1])

    def complete(self, weights: Doubles, bias: Doubles) -> tuple[Doubles, Doubles]:
        """Of present classes the biases have mean 0 and so, on weights that sum to 0, the largest
        score is never below 0: a class without examples is never the answer.
        """
        weights, bias = weights - weights.mean(0), bias - bias.mean()
        if self.outputs == self.count:
            return weights, bias
        every = np.zeros((self.count, weights.shape[1]))
        levels = np.full(self.count, -np.log(2.0 * len(self.codes)))
        every[self.present], levels[self.present] = weights, bias
        return every, levels


@dataclass(frozen=True, slots=True)
class _LabelSets:
    """Labels that hold or do not: a sigmoid each, over those that vary. Targets are [labels, n].

    known  1 where a label was annotated, else 0; None where all were
    fixed  biases [labels] of those that do not vary, NaN of others
    """

    targets: NDArray[np.float32]
    known: NDArray[np.float32] | None
    fixed: Doubles
    joint: ClassVar[bool] = False

    @classmethod
    def of(cls, matrix: NDArray[Any]) -> _LabelSets:
        wanted = np.ascontiguousarray(matrix.T, np.float32)
        missing = np.isnan(wanted)
        counts = (~missing).sum(1)
        shares = np.nan_to_num(wanted).sum(1, dtype=np.float64) / np.maximum(counts, 1)
        odds = np.log(2.0 * np.maximum(counts, 1))
        fixed = np.where(counts == 0, 0.0, np.where(shares == 0, -odds, odds))
        fixed[(shares > 0) & (shares < 1)] = np.nan
        varying = np.isnan(fixed)
        known = (~missing[varying]).astype(np.float32) if missing[varying].any() else None
        return cls(np.nan_to_num(wanted[varying]), known, fixed)

    @property
    def outputs(self) -> int:
        return len(self.targets)

    @property
    def rows_solved(self) -> NDArray[Any]:
        return np.flatnonzero(np.isnan(self.fixed))

    def priors(self) -> Doubles:
        total = self.targets.sum(1, dtype=np.float64)
        counts = self.targets.shape[1] if self.known is None else self.known.sum(1)
        return np.asarray(np.log(total / (counts - total)))

    def both(
        self, scores: NDArray[Any], rows: slice, outputs: NDArray[np.int64]
    ) -> tuple[Doubles, NDArray[Any], Doubles]:
        wanted = self.targets[outputs, rows]
        small = np.exp(-np.abs(scores))
        losses = np.maximum(scores, 0) - wanted * scores + np.log(1 + small)
        slope = np.where(scores >= 0, 1, small) / (1 + small) - wanted
        if self.known is not None:
            known = self.known[outputs, rows]
            losses *= known
            slope *= known
        worst = np.exp(-losses.max(1, initial=0.0))
        return losses.sum(1, dtype=np.float64), slope.astype(scores.dtype, copy=False), worst

    def curvature(self, scores: Doubles) -> Doubles:
        small = np.exp(-np.abs(scores))
        share = 1.0 if self.known is None else self.known.mean(1)
        return np.asarray((small / (1 + small) ** 2).mean(1) * share)

    def complete(self, weights: Doubles, bias: Doubles) -> tuple[Doubles, Doubles]:
        varying = self.rows_solved
        every, levels = np.zeros((len(self.fixed), weights.shape[1])), self.fixed.copy()
        every[varying], levels[varying] = weights, bias
        return every, levels


class _Sums(NamedTuple):
    """The data's part of objectives at a place, in the rows of outputs: mean loss of the problem
    [outputs, 1], the gradient [outputs, d + 1], the bias's last, and the least probability of a
    label [outputs, 1].
    """

    losses: Doubles
    slope: Doubles
    worst: Doubles

    def take(self, outputs: NDArray[np.int64]) -> _Sums:
        return _Sums(*(part[outputs] for part in self))

    def put(self, outputs: NDArray[np.int64], other: _Sums) -> None:
        for part, new in zip(self, other, strict=True):
            part[outputs] = new


class _Bend(NamedTuple):
    """What a move tells of the curvature under a penalty: the step and the change of the gradient
    with the penalty's part, both [outputs, d + 1], and 1 / (step . change) [outputs, 1], or 0 where
    that says nothing.
    """

    penalty: float
    step: Doubles
    change: Doubles
    share: Doubles

    def take(self, outputs: NDArray[np.int64]) -> _Bend:
        """That of some outputs."""
        if len(outputs) == len(self.step):
            return self
        parts = self.step, self.change, self.share
        return _Bend(self.penalty, *(part[outputs] for part in parts))


@dataclass(slots=True)
class _Move:
    """A step, and the change of the data's part of the gradient over it, both [outputs, d + 1];
    zeros in the rows of outputs that did not move.
    """

    step: Doubles
    change: Doubles
    bend: _Bend | None = None


class _Guess(NamedTuple):
    """The inverse of (curvature x Gram matrix + penalty) along axes of outputs and features.

    turn  the axes of outputs [outputs, outputs]; None where each is its own
    """

    spectrum: FeatureSpectrum
    turn: Doubles | None
    along: Doubles
    across: Doubles
    free: Doubles

    @classmethod
    def of(cls, spectrum: FeatureSpectrum, curvature: Doubles, penalty: float) -> _Guess:
        turn, bends = None, curvature
        if curvature.ndim == 2:
            bends, turn = np.linalg.eigh(curvature)
        bends = np.maximum(bends, 1e-12)[:, None]
        free = 1 / bends
        if turn is not None:  # nothing says by how much all scores should move
            free[bends <= 1e-9 * bends.max()] = 0.0
        along = 1 / (bends * spectrum.values + penalty)
        return cls(spectrum, turn, along, 1 / (bends * spectrum.rest + penalty), free)

    def times(self, slope: Doubles, rows: NDArray[np.int64]) -> Doubles:
        """The guess times a gradient [rows, d + 1] of some outputs."""
        turned = slope if self.turn is None else self.turn.T @ slope
        along, across, free = self.along[rows], self.across[rows], self.free[rows]
        inner = turned[:, :-1]
        if self.spectrum.basis is None:
            inner = inner * along
        else:
            seen = inner @ self.spectrum.basis
            whole = self.spectrum.basis.shape[1] == inner.shape[1]
            inner = (
                (seen * along) @ self.spectrum.basis.T
                if whole
                else inner * across + (seen * (along - across)) @ self.spectrum.basis.T
            )
        moved = np.concatenate([inner, turned[:, -1:] * free], 1)
        return moved if self.turn is None else self.turn @ moved

    def measure(self, change: Doubles) -> float:
        """The product of a change of the gradient of all outputs, the guess, and the change."""
        turned = change if self.turn is None else self.turn.T @ change
        inner, bias = turned[:, :-1], turned[:, -1:]
        seen = inner if self.spectrum.basis is None else inner @ self.spectrum.basis
        total = np.vdot(seen * self.along, seen) + np.vdot(bias * self.free, bias)
        if seen.shape[1] < inner.shape[1]:
            across = np.einsum("ij,ij->i", inner, inner) - np.einsum("ij,ij->i", seen, seen)
            total += self.across[:, 0] @ np.maximum(across, 0.0)
        return float(total)


@dataclass(slots=True)
class _Path:
    """A search along the penalties: the place [outputs, d + 1], the sums there, the last moves."""

    x: NDArray[Any]
    problem: _Problem
    spectrum: FeatureSpectrum
    place: Doubles = field(init=False)
    sums: _Sums = field(init=False)
    moves: list[_Move] = field(default_factory=list)

    @property
    def is_separated(self) -> bool:
        return bool((self.sums.worst > 0.5).all())

    def begin(self, start: tuple[Doubles, Doubles] | None) -> None:
        """Go to weights and biases of the outputs that are solved for, or to the best without
        features.
        """
        self.place = np.zeros((self.problem.outputs, self.x.shape[1] + 1))
        if start is None:
            self.place[:, -1] = self.problem.priors()
        else:
            self.place[:, :-1], self.place[:, -1] = start
        self.sums = self._sum(self.place, np.arange(self.problem.outputs))

    def descend(self, penalty: float) -> float:
        """Go to the minimum of a penalty; its objective."""
        guess, going = self._guess(penalty), np.arange(self.problem.outputs)
        for _ in range(_MAX_STEPS):
            values, slope = self._objective(self.place[going], self.sums.take(going), penalty)
            direction = -self._invert(guess, slope, going, penalty)
            promise = -self._dot(direction, slope)
            on = (promise / 2 > _OBJECTIVE_TOLERANCE * values)[:, 0]
            if not on.any():
                break
            going = going[on]
            ended = self._step(going, direction[on], promise[on], penalty)
            going = going[~ended]
            if not len(going):
                break
        values = self._objective(self.place, self.sums, penalty)[0]
        return float(values[0, 0] if self.problem.joint else values.sum())

    def _step(
        self, going: NDArray[np.int64], direction: Doubles, promise: Doubles, penalty: float
    ) -> NDArray[np.bool_]:
        """Move some outputs along their directions; which of them found no place that is better.
        Steps shrink along a parabola until they bring enough.
        """
        before, sums = self.place[going], self.sums.take(going)
        values = self._objective(before, sums, penalty)[0]
        slack = 4 * np.finfo(self.x.dtype).eps * values
        length, trying = np.ones((len(going), 1)), np.arange(len(going))
        for _ in range(_MAX_TRIALS):
            tried = before[trying] + length[trying] * direction[trying]
            there = self._sum(tried, going[trying])
            t, down, old = length[trying], promise[trying], values[trying]
            new = self._objective(tried, there, penalty)[0]
            good = (new <= old - _SUFFICIENT * t * down + slack[trying])[:, 0]
            self.place[going[trying[good]]] = tried[good]
            self.sums.put(going[trying[good]], there.take(np.flatnonzero(good)))
            best = down * t * t / (2 * (new - old + t * down))
            trying, t, best = trying[~good], t[~good], best[~good]
            if not len(trying):
                break
            length[trying] = np.clip(np.where(np.isfinite(best), best, 0.0), 0.1 * t, 0.5 * t)
        step, change = np.zeros(self.place.shape), np.zeros(self.place.shape)
        step[going] = self.place[going] - before
        change[going] = self.sums.slope[going] - sums.slope
        self.moves = [*self.moves, _Move(step, change)][-_MOVES:]
        ended = np.zeros(len(going), bool)
        ended[trying] = True
        return ended

    def _objective(self, place: Doubles, sums: _Sums, penalty: float) -> tuple[Doubles, Doubles]:
        """Objectives [outputs, 1], that of a joint problem in each row, and gradients."""
        weights = place.copy()
        weights[:, -1] = 0.0
        return sums.losses + penalty / 2 * self._dot(weights, weights), (
            sums.slope + penalty * weights
        )

    def _dot(self, one: Doubles, other: Doubles) -> Doubles:
        """Products [outputs, 1], summed over each problem."""
        rows = np.einsum("ij,ij->i", one, other)[:, None]
        return np.full_like(rows, rows.sum()) if self.problem.joint else rows

    def _invert(
        self, guess: _Guess, slope: Doubles, rows: NDArray[np.int64], penalty: float
    ) -> Doubles:
        """The inverse Hessian, as guessed and as the last moves tell it, times a gradient of some
        outputs (the two-loop recursion).
        """
        q, seen = slope.copy(), list[tuple[_Bend, Doubles]]()
        for move in reversed(self.moves):
            bend = self._bend(move, penalty).take(rows)
            weight = bend.share * self._dot(bend.step, q)
            q -= weight * bend.change
            seen.append((bend, weight))
        q = guess.times(q, rows)
        if seen and self.problem.joint:
            q *= self._scale(guess, seen[0][0])
        for bend, weight in reversed(seen):
            q += (weight - bend.share * self._dot(bend.change, q)) * bend.step
        return q

    def _scale(self, guess: _Guess, bend: _Bend) -> float:
        """By what the guess is too small along the last move (Oren & Luenberger 1974): where many
        classes are told apart, the mean curvature is far from that of any example.
        """
        share, size = float(bend.share[0, 0]), guess.measure(bend.change)
        return float(np.clip(1 / (share * size), *_SCALES)) if share * size > 0 else 1.0

    def _bend(self, move: _Move, penalty: float) -> _Bend:
        """What a move tells of the curvature under a penalty, computed once for all steps."""
        if move.bend is None or move.bend.penalty != penalty:
            step, change = move.step, move.change.copy()
            change[:, :-1] += penalty * step[:, :-1]
            bend = self._dot(step, change)
            curved = bend > 1e-12 * self._dot(change, change)
            share = np.where(curved, 1 / np.where(curved, bend, 1.0), 0.0)
            move.bend = _Bend(penalty, step, change, share)
        return move.bend

    def _sum(self, place: Doubles, outputs: NDArray[np.int64]) -> _Sums:
        """The sums at a place of some outputs, block by block of examples."""
        n, dim = self.x.shape
        weights, bias = place[:, :-1].astype(self.x.dtype), place[:, -1:].astype(self.x.dtype)
        losses, worst = np.zeros((len(outputs), 1)), np.ones((len(outputs), 1))
        slope = np.zeros(place.shape)
        size = max(64, _BLOCK_SCORES // max(len(outputs), dim // 4, 1))
        for first in range(0, n, size):
            rows = slice(first, first + size)
            scores = weights @ self.x[rows].T
            scores += bias
            loss, change, least = self.problem.both(scores, rows, outputs)
            losses += loss[:, None]
            slope[:, :-1] += change @ self.x[rows]
            slope[:, -1] += change.sum(1, dtype=np.float64)
            np.minimum(worst, least[:, None], out=worst)
        return _Sums(losses / n, slope / n, worst)

    def _guess(self, penalty: float) -> _Guess:
        """From the curvature at the place."""
        rows = _spread_rows(len(self.x), _CURVATURE_ROWS)
        weights = self.place[:, :-1].astype(self.x.dtype)
        scores = (weights @ self.x[rows].T).astype(np.float64) + self.place[:, -1:]
        return _Guess.of(self.spectrum, self.problem.curvature(scores), penalty)
