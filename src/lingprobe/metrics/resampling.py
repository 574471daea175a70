"""Whether two scores over the same test examples differ, by drawing again: swapping the answers of
the two (a permutation test), or drawing the examples (a bootstrap).

Both keep together what was sampled together. Where examples share in several ways (sentences and
words), it is the way that moves the difference most. Seeds are taken as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from lingprobe.data.vectors import Ints
from lingprobe.metrics.clusters import CONFIDENCE_LEVEL, number_clusters
from lingprobe.metrics.constant import find_metric
from lingprobe.metrics.intervals import FitAnswers
from lingprobe.metrics.metric import Doubles, Metric, MetricProblem

RESAMPLE_COUNT = 9_999
_EXACT = 12  # clusters that differ, up to which every way of swapping is counted
_AT_ONCE = 2**22  # weights of clusters that are held at a time


class ResampledDifference(NamedTuple):
    """How much higher the first of two scores is, with the 95 % interval of the draws, and the p of
    none (two sides); the draws [draws] are in rising order.
    """

    value: float
    low: float
    high: float
    p: float
    draws: Doubles

    def interval(self, level: float) -> tuple[float, float]:
        """The percentile interval that misses with this probability; it excludes 0 exactly where p
        is not higher.
        """
        return _percentiles(self.draws, level)


class _Sums(NamedTuple):
    """The statistics of two things, [seeds, clusters, statistics] each, and their metric."""

    metric: Metric
    left_sums: Doubles
    right_sums: Doubles

    def difference(self, left_totals: Doubles, right_totals: Doubles) -> Doubles:
        """Of totals [draws, seeds, statistics], how much higher the first score is, [draws]."""
        return np.asarray(
            (self.metric.value(left_totals) - self.metric.value(right_totals)).mean(-1)
        )

    @property
    def value(self) -> float:
        """How much higher the first score is."""
        return float(self.difference(self.left_sums.sum(1)[None], self.right_sums.sum(1)[None])[0])


def compute_permutation_p(
    metric: str | Metric,
    left_answers: FitAnswers,
    right_answers: FitAnswers,
    draws: int = RESAMPLE_COUNT,
) -> float:
    """The permutation test: how often a difference is as large where each cluster's answers are
    swapped between two encoders, or not, by chance; the p of none (two sides).

    For one seed, accuracy and examples that share nothing this is McNemar's exact test; else every
    way of swapping is counted where few clusters differ, and `draws` of them where many do
    (approximate randomisation; Yeh 2000). Fits are paired by their order, as many as both have.
    MetricProblem where there are not as many examples.
    """
    sums = _sum_clusters(find_metric(metric), left_answers, right_answers)
    swap = sums.right_sums - sums.left_sums
    differing = np.flatnonzero(np.abs(swap).sum((0, 2)) > 0)
    if not len(differing):
        return 1.0
    if (
        sums.metric.name == "accuracy"
        and (signs := _find_swap_signs(swap[:, differing])) is not None
    ):
        from scipy.stats import binomtest

        return float(binomtest(int((signs > 0).sum()), len(signs)).pvalue)
    least = abs(sums.value) * (1 - 1e-9)
    totals = sums.left_sums.sum(1), sums.right_sums.sum(1)
    swap, many = swap[:, differing], len(differing)
    exact = many <= _EXACT
    hits = count = 0
    for weights in _every(many) if exact else _flips(many, draws):
        moved = np.tensordot(weights, swap, ([1], [1]))
        found = sums.difference(totals[0] + moved, totals[1] - moved)
        hits, count = hits + int((np.abs(found) >= least).sum()), count + len(weights)
    return hits / count if exact else (hits + 1) / (count + 1)


def joint_permutation(differences: Doubles, draws: int = RESAMPLE_COUNT) -> Doubles:
    """The p (two sides) of several differences over the same clusters [tests, clusters], corrected
    for their number: how often the largest of all, in units of its spread, is as large when the two
    sides of each cluster are swapped, or not, in all tests at once (Westfall & Young 1993, in one
    step). It knows that tests share their examples, as heads of a network do, which Bonferroni's
    correction does not.

    differences  what each cluster adds to the difference of each test
    """
    sizes = np.sqrt((differences**2).sum(1))
    known = differences[sizes > 0] / sizes[sizes > 0, None]
    p = np.ones(len(differences))
    if not len(known):
        return p
    least = np.abs(known.sum(1)) - 1e-9
    many = known.shape[1]
    exact = many <= _EXACT
    hits, count = np.zeros(len(known)), 0
    for weights in _every(many) if exact else _flips(many, draws):
        largest = np.abs((1 - 2 * weights) @ known.T).max(1)
        hits += (largest[:, None] >= least).sum(0)
        count += len(weights)
    p[sizes > 0] = hits / count if exact else (hits + 1) / (count + 1)
    return p


def bootstrap_difference(
    metric: str | Metric,
    left_answers: FitAnswers,
    right_answers: FitAnswers,
    draws: int = RESAMPLE_COUNT,
) -> ResampledDifference:
    """The bootstrap: how much better `left_answers` scores, with the percentile interval where
    clusters of test examples are resampled with replacement, for both the same.

    p is twice the smaller share of draws on either side of no difference. Ranks of a rank
    correlation stay those of all examples. MetricProblem where there are not as many examples.
    """
    sums = _sum_clusters(find_metric(metric), left_answers, right_answers)
    many = sums.left_sums.shape[1]
    found = np.concatenate(
        [
            sums.difference(
                np.tensordot(weights, sums.left_sums, ([1], [1])),
                np.tensordot(weights, sums.right_sums, ([1], [1])),
            )
            for weights in _resamples(many, draws)
        ]
    )
    found = np.sort(found)
    sides = 1 + min(int((found <= 0).sum()), int((found >= 0).sum()))
    p = min(2 * sides / (draws + 1), 1.0)
    return ResampledDifference(sums.value, *_percentiles(found, 1 - CONFIDENCE_LEVEL), p, found)


def joint_draws(
    metric: str | Metric, answers: Sequence[FitAnswers], draws: int = RESAMPLE_COUNT
) -> Doubles:
    """What several things score under the same draws of clusters with replacement, [things, draws]:
    the mean over the fits of each.

    Clusters are those that move the difference of the first two most. MetricProblem where there are
    not as many examples.
    """
    measure = find_metric(metric)
    sizes = {len(each.gold) for each in answers}
    if len(sizes) > 1:
        raise MetricProblem(
            f"scores are resampled jointly over the same examples, and these have {sorted(sizes)}"
        )
    codes = _way(measure, answers[0], answers[1])
    many = int(codes.max()) + 1
    sums = [
        np.stack([measure.sums(each.gold, said, codes, many) for said in each.predicted])
        for each in answers
    ]
    blocks = [
        np.stack([measure.value(np.tensordot(w, each, ([1], [1]))).mean(-1) for each in sums])
        for w in _resamples(many, draws)
    ]
    return np.concatenate(blocks, 1)


def _percentiles(draws: Doubles, level: float) -> tuple[float, float]:
    """The draws, in rising order, beyond which half of `level` lies on either side."""
    beyond = min(max(int(level / 2 * (len(draws) + 1)), 1), len(draws))
    return float(draws[beyond - 1]), float(draws[-beyond])


def _sum_clusters(metric: Metric, one: FitAnswers, other: FitAnswers) -> _Sums:
    sizes = len(one.gold), len(other.gold)
    if sizes[0] != sizes[1]:
        raise MetricProblem(
            f"a difference needs scores over the same examples, and these have {sizes[0]} and"
            f" {sizes[1]}"
        )
    pairs = list(zip(one.predicted, other.predicted, strict=False))
    codes = _way(metric, one, other)
    many = int(codes.max()) + 1
    both = [
        np.stack([metric.sums(each.gold, pair[k], codes, many) for pair in pairs])
        for k, each in enumerate((one, other))
    ]
    return _Sums(metric, *both)


def _way(metric: Metric, one: FitAnswers, other: FitAnswers) -> Ints:
    """The codes [n] of the way of sharing whose clusters move the difference most."""
    ways = [number_clusters(codes) for codes in {**one.clusters, **other.clusters}.values()]
    ways = [codes for codes in ways if codes.max() > 0] or [np.arange(len(one.gold))]
    influence = np.mean([metric.influences(one.gold, p) for p in one.predicted], 0) - np.mean(
        [metric.influences(other.gold, p) for p in other.predicted], 0
    )
    return max(ways, key=lambda codes: float((np.bincount(codes, influence) ** 2).sum()))


def _find_swap_signs(swap: Doubles) -> Doubles | None:
    """Which way each cluster of one example differs; None where some differ by more or less, or
    several seeds answer.
    """
    right = swap[0, :, 0]
    size = np.abs(right)
    return np.sign(right) if len(swap) == 1 and np.ptp(size) == 0 and size[0] > 0 else None


def _every(many: int) -> Iterator[Doubles]:
    yield ((np.arange(2**many)[:, None] >> np.arange(many)) & 1).astype(np.float64)


def _flips(many: int, draws: int) -> Iterator[Doubles]:
    generator = np.random.default_rng(0)
    for size in _portions(many, draws):
        yield generator.integers(0, 2, (size, many)).astype(np.float64)


def _resamples(many: int, draws: int) -> Iterator[Doubles]:
    """How often each cluster is drawn, [draws, clusters]."""
    generator = np.random.default_rng(0)
    for size in _portions(many, draws):
        rows = generator.integers(0, many, (size, many)) + many * np.arange(size)[:, None]
        yield np.bincount(rows.ravel(), minlength=size * many).reshape(size, many).astype(float)


def _portions(many: int, draws: int) -> list[int]:
    size = max(1, _AT_ONCE // many)
    return [min(size, draws - start) for start in range(0, draws, size)]
