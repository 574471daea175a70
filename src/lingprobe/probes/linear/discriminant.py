"""Linear discriminant analysis with a ridge on the within-class covariance (Hastie, Buja &
Tibshirani 1995), from a decomposition of all features that any labels share.

The within-class covariance is that of all less that of the class means M: W = X'X / n - M' P M with
the priors P. So products with (W + penalty)^-1 follow from those with (X'X / n + penalty)^-1 by a
system of [classes, classes] (Woodbury). This is flexible discriminant analysis: ridge regression on
the classes, then the nearest centre in the within-class metric of its fitted values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.notes import BoundaryDensity
from lingprobe.data.vectors import Ints
from lingprobe.probes.linear.calibration import compute_log_loss
from lingprobe.probes.linear.decomposition import SharedDecomposition

Doubles = NDArray[np.float64]

_NEWTON_STEPS = 40
_CLOSE = 1e-3  # relative, of weights of parts; the loss is flat around its minimum
_ROUNDING = 1e-6  # relative, of a mean loss in single precision
_FAR = 1e12  # nats, of which squares are within single precision
_LEAST_WEIGHT, _MOST_WEIGHT = 1e-4, 1e3
_WITHIN_ONE = 0.6826894921370859  # of a normal distribution within one standard deviation
_HIGHEST_DENSITY = float(1 / np.sqrt(2 * np.pi))  # of the same
# the same two of the difference of two such numbers, within one deviation of one of them
_PAIR_WITHIN_ONE, _HIGHEST_PAIR_DENSITY = 0.5204998778130465, float(1 / np.sqrt(4 * np.pi))
_PARTNERS = 32  # with which an example's score is compared


class LinearModel(NamedTuple):
    """Scores = scaled features @ weights.T + bias; weights [outputs, d], bias [outputs]."""

    weights: Doubles
    bias: Doubles


class ClassMetric(NamedTuple):
    """What one penalty makes of the class means M, with A and B the covariances of all and within
    classes plus the penalty.

    means     their halves [k, r]
    lift      (P^-1 - M A^-1 M')^-1 [k, k]
    turn      what makes M B^-1 of M A^-1, [k, k]
    products  M B^-1 M' [k, k]
    """

    means: Doubles
    lift: Doubles
    turn: Doubles
    products: Doubles


class PartWeights(NamedTuple):
    """Weights of the two parts of a discriminant x B^-1 m - m B^-1 m / 2. Means of few examples
    are longer than those of many: `squared / linear` is how far they are shrunk towards the mean of
    all, and what is left is the scale of the covariance (a temperature).
    """

    linear: float
    squared: float


class LeftOut(NamedTuple):
    """The parts x B^-1 m and m B^-1 m of discriminants that an example did not shape, [rows, k]."""

    linear: Doubles
    squared: Doubles

    def weigh(self, weights: PartWeights) -> Doubles:
        """Log likelihoods, up to what all classes share."""
        return np.asarray(weights.linear * self.linear - weights.squared / 2 * self.squared)


@dataclass(frozen=True, slots=True)
class ShrunkDiscriminant:
    """The discriminants of some classes [n] over a decomposition, for any penalty.

    rows       training examples whose leave-one-out scores are asked for
    means      of the classes, projected [k, r]
    """

    decomposition: SharedDecomposition
    codes: Ints
    counts: Ints
    rows: Ints
    means: Doubles

    @classmethod
    def of(cls, decomposition: SharedDecomposition, codes: Ints, rows: Ints) -> ShrunkDiscriminant:
        """Those of classes [n] that all have examples."""
        from scipy.sparse import csr_array

        counts = np.bincount(codes)
        n, places = len(codes), np.arange(len(codes))
        shares = csr_array((1 / counts[codes], (codes, places)), (len(counts), n))
        means = decomposition.project_sums(shares)
        return cls(decomposition, codes, counts, rows, means)

    @property
    def log_priors(self) -> Doubles:
        """Of shares that are shrunk towards equal ones as far as they differ no more than samples
        do (Hausser & Strimmer 2009, equation 8), [k].
        """
        shares, total = self.counts / self.counts.sum(), int(self.counts.sum())
        even = 1 / len(shares)
        spread = (total - 1) * float(((shares - even) ** 2).sum())
        noise = 1 - float((shares**2).sum())
        weight = 1.0 if spread <= noise else noise / spread
        return np.asarray(np.log(weight * even + (1 - weight) * shares))

    def _metric(self, penalty: float) -> ClassMetric:
        halved = self.decomposition.halve(self.means, penalty)
        gram = halved @ halved.T
        root = np.sqrt(self.counts / self.counts.sum())
        inner = np.eye(len(gram)) - root[:, None] * gram * root
        lift = root[:, None] * np.linalg.inv(inner) * root
        turn = np.eye(len(gram)) + lift @ gram
        products = gram @ turn
        return ClassMetric(halved, lift, turn, (products + products.T) / 2)

    def fit(self, penalty: float, weights: PartWeights) -> LinearModel:
        """Logits of the classes: log likelihoods under one covariance, whose two parts have these
        weights, and log priors.
        """
        metric = self._metric(penalty)
        means = self.decomposition.solve_halved(metric.turn.T @ metric.means, penalty)
        bias = self.log_priors - weights.squared * np.diag(metric.products) / 2
        return LinearModel(weights.linear * means, bias)

    def leave_one_out(self, penalty: float) -> LeftOut:
        """Both parts of the scores [rows, k] of examples by the discriminants of all others,
        exactly: without an example its class has another mean, and the scatter within classes loses
        a square.

        The penalty is a part of the scatter that stays as it is, and so do the priors and the
        origin. An example that is alone in its class keeps it.
        """
        metric = self._metric(penalty)
        halves, norms = self.decomposition.halve_features(self.rows, penalty)
        seen = halves @ metric.means.T
        scores = seen @ metric.turn  # x B^-1 m
        own = self.codes[self.rows]
        at = np.arange(len(own))
        # x A^-1 x, and with this x B^-1 x
        norms = norms + np.einsum("ij,ij->i", seen, seen @ metric.lift)
        products, level = metric.products, np.diag(metric.products)
        many = self.counts[own].astype(np.float64)
        rest = 1 / np.maximum(many - 1, 1)
        away = norms - 2 * scores[at, own] + level[own]  # u B^-1 u, u = x - m of its class
        share = np.where(many > 1, many * rest, 0.0) / len(self.codes)
        gain = share / np.maximum(1 - share * away, 1e-12)
        across = scores - products[own]  # u B^-1 m
        along = norms - scores[at, own]  # u B^-1 x
        own_across = across[at, own]
        squared = across * across
        squared *= gain[:, None]
        squared += level
        linear = np.multiply(across, (gain * along)[:, None], out=across)
        linear += scores
        grown, alone = 1 + gain * away, many < 2
        mean = linear[at, own] - rest * along * grown
        norm = squared[at, own] - 2 * rest * own_across * grown + rest**2 * away * grown
        linear[at, own] = np.where(alone, linear[at, own], mean)
        squared[at, own] = np.where(alone, squared[at, own], norm)
        return LeftOut(linear, squared)

    def measure_boundary(
        self, penalty: float, weights: PartWeights, logits: Doubles
    ) -> BoundaryDensity:
        """The density at 0 of leave-one-out margins, in units of their training error: how many
        examples other training data would answer otherwise. 0.4 where nothing is learnt, 0 where
        all margins are wide. And the same of differences between examples, which ranks are made of.

        logits  leave-one-out, [rows, k], as `judge` returns them

        A margin is the logit of an example's class less that of its best rival. Its error is that
        of the two class means, whose covariances are those of all features over their examples.
        The density is that of a normal distribution that has as many margins within one error.
        """
        if len(self.counts) < 2:
            return BoundaryDensity(0.0, 0.0)
        own, at = self.codes[self.rows], np.arange(len(self.rows))
        spread = self.decomposition.measure_distances(self.rows, self.means, penalty)
        errors = weights.linear * np.sqrt(spread / self.counts)
        ranks = _measure_ranks(logits, errors, own)
        mine, others = logits[at, own], logits.copy()
        others[at, own] = -np.inf
        rival = others.argmax(1)
        error = np.hypot(errors[at, own], errors[at, rival])
        near = float((np.abs(mine - logits[at, rival]) < error).mean())
        return BoundaryDensity(min(near / _WITHIN_ONE, 1.0) * _HIGHEST_DENSITY, ranks)

    def judge(
        self, penalty: float, start: PartWeights | None = None
    ) -> tuple[float, PartWeights, Doubles]:
        """The mean leave-one-out log loss in nats under the best weights of the parts, these
        weights (looked for from `start` on), and the logits [rows, k]; examples that are alone in
        their class do not count.
        """
        own = self.codes[self.rows]
        left, counted = self.leave_one_out(penalty), self.counts[own] > 1
        weights = start or PartWeights(1.0, 1.0)
        if counted.any():
            some = left if counted.all() else LeftOut(left.linear[counted], left.squared[counted])
            weights = fit_part_weights(some, own[counted], self.log_priors, weights)
        logits = left.weigh(weights) + self.log_priors
        losses = compute_log_loss(logits[counted], own[counted])
        return float(losses.mean()) if len(losses) else 0.0, weights, logits


def _measure_ranks(logits: Doubles, errors: Doubles, own: Ints) -> float:
    """The density at 0 of differences between the scores of two examples, one of a class and one
    not, in units of the training error of the first; mean of the classes, each with some partners
    of every example of it.

    logits, errors  [n, classes]
    own             the class of each example [n]
    """
    n, at = len(own), np.arange(len(own))
    if logits.shape[1] == 2:  # ranked by the difference of both
        first = logits[:, 0] - logits[:, 1]
        scores, error = np.stack([first, -first], 1), np.hypot(errors[:, 0], errors[:, 1])
    else:  # by log probabilities, to which the errors of all classes come
        scores = logits - np.logaddexp.reduce(logits, 1, keepdims=True)
        share = -np.exp(scores)
        share[at, own] += 1
        error = np.linalg.norm(share * errors, axis=1)
    order = np.random.default_rng(0).permutation(n)
    place = np.argsort(order)
    near, met = np.zeros(n), np.zeros(n)
    for away in range(1, min(_PARTNERS, n - 1) + 1):
        other = order[(place + away) % n]
        counts = own[other] != own
        met += counts
        near += counts & (np.abs(scores[at, own] - scores[other, own]) < error)
    met_any = met > 0
    sizes = np.bincount(own[met_any])
    sums = np.bincount(own[met_any], near[met_any] / met[met_any])
    within = float((sums[sizes > 0] / sizes[sizes > 0]).mean()) if met_any.any() else 0.0
    return min(within / _PAIR_WITHIN_ONE, 1.0) * _HIGHEST_PAIR_DENSITY


def fit_part_weights(
    left_out: LeftOut, codes: Ints, offset: Doubles, start: PartWeights
) -> PartWeights:
    """The weights of the two parts under which codes [n] are likeliest, with `offset` [k] added to
    the logits: a convex problem, by Newton's method with halved steps. Shares of classes are in
    single precision, which is much quicker and far below how close the weights are looked for, and
    lie class by class, as sums over few numbers that lie beside each other are slow.
    """
    at = np.arange(len(codes))
    differences = [
        part - part[at, codes][:, None] for part in (left_out.linear, -left_out.squared / 2)
    ]
    parts = [np.clip(each.T, -_FAR, _FAR).astype(np.float32, order="C") for each in differences]
    level = (offset[:, None] - offset[codes]).astype(np.float32)
    place, step, before = np.array(start), np.zeros(2), np.inf
    for _ in range(_NEWTON_STEPS):
        shares = np.float32(place[0]) * parts[0]
        shares += np.float32(place[1]) * parts[1]
        shares += level
        highest = shares.max(0)
        shares -= highest
        np.exp(shares, out=shares)
        sums = shares.sum(0)
        loss = float((np.log(sums) + highest).mean(dtype=np.float64))
        if loss > before + _ROUNDING * abs(before) and np.abs(step).max() > 1e-9:
            step /= 2
            place = place - step
            continue
        before = loss
        shares /= sums
        moved = _step_part_weights(place, parts, shares)
        step = moved - place
        if np.abs(step).max() <= _CLOSE * np.abs(place).max():
            break
        place = moved
    return PartWeights(float(place[0]), float(place[1]))


def _step_part_weights(
    place: Doubles, parts: Sequence[NDArray[Any]], shares: NDArray[Any]
) -> Doubles:
    """Where a step of Newton leads, with weights that are not negative, from the parts of the
    scores and the shares of the classes [k, n].
    """
    weighted = [shares * part for part in parts]
    means = [each.sum(0).astype(np.float64) for each in weighted]
    slope = np.array([mean.sum() for mean in means])
    bend = np.empty((2, 2))
    for i, j in ((0, 0), (0, 1), (1, 1)):
        rows = (weighted[i] * parts[j]).sum(0)
        bend[i, j] = bend[j, i] = rows.sum(dtype=np.float64) - means[i] @ means[j]
    bend[np.diag_indices(2)] *= 1 + 1e-9
    bend[np.diag_indices(2)] += 1e-12
    moved = place - np.linalg.solve(bend, slope)
    if moved[1] < _LEAST_WEIGHT:  # at the end of what it may be the other is best alone
        moved[1] = _LEAST_WEIGHT
        moved[0] = place[0] - (slope[0] + bend[0, 1] * (moved[1] - place[1])) / bend[0, 0]
    # no more than threefold at once: the loss is no parabola far from its minimum
    moved = np.clip(moved, place / 3, 3 * place)
    return np.asarray(np.clip(moved, _LEAST_WEIGHT, _MOST_WEIGHT))
