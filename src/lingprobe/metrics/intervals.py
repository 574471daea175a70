"""How far a score can be trusted: 95 % intervals over seeds and examples, which are crossed (every
seed answers all). And whether two scores over the same test examples differ: the difference with
its interval, and corrected p values of several.

Intervals hold for the training set that was drawn: what another one would have taught is not in
them, but for what folds that share one err together (`fold_dependence`). `clusters` has the
variance; Wilson's interval with as many examples as it is worth keeps shares between 0 and 1,
Fisher's transformation correlations below 1. Two intervals that overlap say little about a
difference: most examples are easy, or hard, for both, and what both have in common cancels out.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lingprobe.data.labels import Column
from lingprobe.data.scored_labels import ScoredLabels
from lingprobe.data.vectors import Ints
from lingprobe.metrics.clusters import (
    CONFIDENCE_LEVEL,
    MIN_SEED_COUNT,
    Clusters,
    ScoreInfluences,
    ScoreVariance,
    balanced_classes,
    compute_t_quantile,
    estimate_variance,
)
from lingprobe.metrics.constant import find_metric
from lingprobe.metrics.fold_dependence import (
    VarianceInflation,
    correlate_ties,
    scatter_of_area,
    scatter_of_share,
    widen_for_shared_training,
)
from lingprobe.metrics.metric import Doubles, Metric, MetricProblem
from lingprobe.metrics.student import t_quantile, t_tail

_POWER = 0.8  # how often a difference is to be told, where it is said to be detectable
_REMEMBERED = 128  # answers whose scores are not computed again: one is compared with many
_ROUNDS = 30  # from the normal distribution on, by which Student's is found; ten are enough
_LINE = 3  # examples through which Fisher's transformation says nothing: two are always on a line
_RANKED_WORTH = 4.0  # examples of a share that a positive (or negative, if rarer) is worth at most
_ACCURACY, _AREA = "accuracy", "auroc"
_ROUNDING = 1e-9  # of the variance of independent examples: what rounding leaves of none


class NullShare(NamedTuple):
    """How many control cells lie outside their interval around the null value, and how probable
    that is by chance.
    """

    outside: int
    cells: int
    p: float

    @property
    def share(self) -> float:
        """Cells outside over all cells; 5 % is expected."""
        return self.outside / self.cells if self.cells else 0.0


def interval(
    outcomes: ArrayLike, minimum: float = 0.0, clusters: Clusters | None = None
) -> tuple[float, float]:
    """The 95 % interval of the mean of outcomes [seeds, examples] in [minimum, 1]; folds are pooled
    as more examples.
    """
    fits = ScoreInfluences.of_means(outcomes)
    return _interval(
        fits, clusters or {}, np.zeros(fits.influences.shape[1], np.int64), (minimum, 1.0)
    )


def interval_of(
    metric: str | Metric,
    gold: Column,
    predicted: Sequence[Column],
    clusters: Clusters | None = None,
) -> tuple[float, float]:
    """The 95 % interval of a metric's mean over seeds; `predicted` has one column a seed, over the
    same examples.

    clusters  what examples were sampled together, so that they are no independent draws; without,
              each is one
    Of one seed or two it holds for these; from three on it is over seeds as well.
    """
    return FitAnswers(gold, predicted, clusters or {}).interval(metric)


def null_share(
    cells: Iterable[tuple[float, float, float]], draws: Iterable[Hashable] | None = None
) -> NullShare:
    """Of cells (low, high, null value): those whose interval misses the null, and the binomial p of
    so many at 5 %.

    Cells of one draw of labels err together: `draws` names the draw of each cell, and p then counts
    cells and misses at their effective number, divided by the design effect of the clusters (Rao &
    Scott 1992, Biometrics 48:577).
    """
    from scipy.stats import binomtest

    listed = list(cells)
    missed = np.array([not low <= null <= high for low, high, null in listed], np.float64)
    outside, n = int(missed.sum()), len(listed)
    effect = 1.0 if draws is None else _design_effect(missed, list(draws))
    p = (
        float(
            binomtest(
                round(outside / effect), max(round(n / effect), 1), 1 - CONFIDENCE_LEVEL
            ).pvalue
        )
        if listed
        else 1.0
    )
    return NullShare(outside, n, p)


def _design_effect(missed: Doubles, draws: Sequence[Hashable]) -> float:
    """How much more a share of clustered cells varies than one of independent cells; never below
    1.
    """
    codes = np.unique([str(draw) for draw in draws], return_inverse=True)[1]
    sizes, hits = np.bincount(codes), np.bincount(codes, missed)
    share, n, many = float(missed.mean()) if len(missed) else 0.0, len(missed), len(sizes)
    if many < 2 or not 0 < share < 1:
        return 1.0
    clustered = many / (many - 1) * float(((hits - share * sizes) ** 2).sum()) / n**2
    return max(1.0, clustered * n / (share * (1 - share)))


def _interval(
    fits: ScoreInfluences,
    clusters: Clusters,
    strata: Ints,
    ends: tuple[float, float],
    more: float = 0.0,
) -> tuple[float, float]:
    found = estimate_variance(fits.influences.mean(0), [fits], clusters, strata)
    found = found._replace(variance=found.variance + more)
    return _around(float(fits.scores.mean()), found, *ends)


def _interval_of_ranks(
    fits: ScoreInfluences, clusters: Clusters, strata: Ints, worth: float, more: float
) -> tuple[float, float]:
    """Wilson's interval of a share of pairs, which is worth no more than so many examples."""
    mean = float(fits.scores.mean())
    found = estimate_variance(fits.influences.mean(0), [fits], clusters, strata)
    variance = max(found.variance, mean * (1 - mean) / worth) + more
    return _around(mean, found._replace(variance=variance, worth=min(found.worth, worth)), 0.0, 1.0)


def _around(mean: float, spread: ScoreVariance, least: float, most: float) -> tuple[float, float]:
    """Wilson's interval with as many examples as the variance is worth; Fisher's transformation for
    correlations, Student's interval for what has no lower end.
    """
    if not np.isfinite(mean + spread.variance):  # of an infinite variance nothing is known
        return (mean, mean) if np.isnan(mean) else (least, 1.0)
    t = compute_t_quantile(spread.df)
    if least >= 0:
        return _wilson(min(max(mean, 0.0), 1.0), spread, t)
    if np.isinf(least):
        half = t * float(np.sqrt(spread.variance))
        return mean - half, min(mean + half, most)
    if abs(mean) >= 1:
        return (mean, mean) if spread.worth > _LINE else (-1.0, 1.0)
    if not spread.variance:  # of others, of which there were none, the correlation is at most this
        reach = float(t / np.sqrt(spread.worth + t * t))
        return max(mean - reach, -1.0), min(mean + reach, 1.0)
    centre, half = np.arctanh(mean), t * np.sqrt(spread.variance) / (1 - mean**2)
    return float(np.tanh(centre - half)), float(np.tanh(centre + half))


def _wilson(share: float, spread: ScoreVariance, t: float) -> tuple[float, float]:
    """Wilson's interval. Where nothing varies (all are right, all tie, a class is always answered)
    it is that of the share of others, of which there were none.
    """
    scatter, worth = share * (1 - share), spread.worth
    if not spread.variance > _ROUNDING * (scatter / worth) > 0:
        others = t * t / (worth + t * t)
        return float(share * (1 - others)), float(share + (1 - share) * others)
    worth = scatter / spread.variance
    shrink = 1 + t * t / worth
    centre = (share + t * t / (2 * worth)) / shrink
    half = t / shrink * np.sqrt(scatter / worth + t * t / (4 * worth * worth))
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


@dataclass(frozen=True, slots=True, eq=False)
class FitAnswers:
    """Gold labels and what each of some fits (seeds, samples of the training data) answered, over
    the same examples.

    clusters  codes of what the examples were sampled together; empty where each is a draw of its
              own, or nobody knows
    redrawn   the gold labels of each fit, where each had others, as the samples of a control have
    tied      by how much folds of each fit err together; () of a single fold
    """

    gold: Column
    predicted: Sequence[Column]
    clusters: Clusters = field(default_factory=dict)
    redrawn: Sequence[Column] = ()
    tied: Sequence[VarianceInflation] = ()

    @property
    def golds(self) -> Sequence[Column]:
        """The gold labels of each fit."""
        return self.redrawn or (self.gold,) * len(self.predicted)

    def scores(self, metric: str | Metric) -> list[float]:
        """The score of each fit."""
        return list(map(find_metric(metric), self.golds, self.predicted))

    def fits(self, metric: Metric) -> ScoreInfluences:
        """The score of each fit, and how fast it grows with the weight of each example."""
        return _compute_influences(self, metric)

    def interval(self, metric: str | Metric) -> tuple[float, float]:
        """The 95 % interval of their mean."""
        measure = find_metric(metric)
        strata = _fixed_classes(self.redrawn or (self.gold,))
        if measure.ranks:
            worth = _RANKED_WORTH / np.sqrt(self.step(measure))
            more = self.tied_variance(measure) + self._own_means_variance(measure)
            return _interval_of_ranks(self.fits(measure), self.clusters, strata, worth, more)
        step = self.step(measure) if measure.step else 0.0  # Wilson's interval knows that of shares
        more = step + self.tied_variance(measure)
        ends = measure.least, measure.most
        return _interval(self.fits(measure), self.clusters, strata, ends, more)

    def tied_variance(self, metric: Metric) -> float:
        """What the variance of their mean is larger by as folds err together; 0 of labels that are
        no classes, and where nobody knows.
        """
        tie = self.tie(metric)
        if not tie > 0 or self.gold.classes is None:
            return 0.0
        usual, scatter_of = (
            (_AREA, scatter_of_area) if metric.ranks else (_ACCURACY, scatter_of_share)
        )
        scatter = scatter_of(float(np.mean(self.scores(usual))))
        influences = self.fits(metric).influences.mean(0)
        return widen_for_shared_training(influences, scatter, tie)

    def tie(self, metric: str | Metric) -> float:
        """By how much folds err together in such a metric, mean of the fits that say it; NaN where
        none does.
        """
        if all(each == (0, 0) for each in self.tied):  # of a fold, whatever its metric is
            return 0.0 if self.tied else float("nan")
        ranks = find_metric(metric).ranks
        ties = [each.ranks if ranks else each.answers for each in self.tied]
        known = [tie for tie in ties if not np.isnan(tie)]
        return float(np.mean(known)) if known else float("nan")

    def _own_means_variance(self, metric: Metric) -> float:
        """What the variance of a mean of ranks lacks, as examples are compared with the mean of
        their own class in their own fold: m - 1 examples in place of m (DeLong et al. 1988).
        """
        codes, said = self.gold.classes, self.predicted[0]
        if codes is None or not isinstance(said, ScoredLabels):
            return 0.0
        cells = said.folds * (int(codes.max(initial=0)) + 1) + codes
        others = np.maximum(np.bincount(cells)[cells] - 1, 1)
        return float((self.fits(metric).influences.mean(0) ** 2 / others).sum())

    def step(self, metric: Metric) -> float:
        """The square of how far one example more moves the score, mean of the fits."""
        return _step(self, metric)


@lru_cache(maxsize=_REMEMBERED)
def _compute_influences(answers: FitAnswers, metric: Metric) -> ScoreInfluences:
    pairs = list(zip(answers.golds, answers.predicted, strict=True))
    return ScoreInfluences(
        np.array([metric(*pair) for pair in pairs]),
        np.stack([metric.influences(*pair) for pair in pairs]),
    )


@lru_cache(maxsize=_REMEMBERED)
def _step(answers: FitAnswers, metric: Metric) -> float:
    pairs = zip(answers.golds, answers.predicted, strict=True)
    return float(np.mean([metric.squared_step(*pair) for pair in pairs]))


class ScoreDifference(NamedTuple):
    """How much higher the first of two scores is, in the metric's unit: its 95 % interval, and the
    p of none (Student's t, two sides).

    detectable  the smallest difference that these examples would tell from none four times in five,
                at a p of 0.05
    error       its standard error
    least, most  between which it lies, as scores do
    step        how far one example more moves it: so many as it is steps have to change
    """

    value: float
    low: float
    high: float
    p: float
    df: float
    detectable: float
    error: float
    least: float = -np.inf
    most: float = np.inf
    step: float = 0.0

    @classmethod
    def of(
        cls,
        value: float,
        error: float,
        df: float,
        ends: tuple[float, float] = (-np.inf, np.inf),
        step: float = 0.0,
    ) -> ScoreDifference:
        """A difference with this standard error, which has so many degrees of freedom."""
        p = 2 * t_tail(df, abs(value) / error)
        nothing = cls(value, value, value, p, df, 0.0, error, *ends, step)
        low, high = nothing.interval(1 - CONFIDENCE_LEVEL)
        return nothing._replace(
            low=low, high=high, detectable=nothing.detects(1 - CONFIDENCE_LEVEL)
        )

    def interval(self, level: float) -> tuple[float, float]:
        """The interval that misses with this probability; it excludes 0 exactly where p is
        lower.
        """
        half = _reach(self.df, 1 - level / 2) * self.error
        return max(self.value - half, self.least), min(self.value + half, self.most)

    def detects(self, level: float) -> float:
        """The smallest difference that this test detects with a power of 80 %, at a p of `level`.
        It varies at least as the examples do that have to change for it.
        """
        reach = _reach(self.df, 1 - level / 2) + _reach(self.df, _POWER)
        return max(reach * self.error, reach**2 * self.step)

    def times(self, level: float, value: float) -> float:
        """How many times as many examples would tell a difference so large four times in five, at a
        p of `level`: the error falls with the root of their number, degrees of freedom grow with
        it.
        """
        found = np.inf
        for _ in range(_ROUNDS):
            reach = sum(_reach(self.df * found, share) for share in (1 - level / 2, _POWER))
            before, found = found, reach**2 * max((self.error / value) ** 2, self.step / value)
            if abs(before - found) <= _ROUNDING * found:
                break
        return float(found)


def _reach(df: float, share: float) -> float:
    """The standard errors below which Student's t lies with this probability."""
    return t_quantile(float(df), share)


def compute_difference(
    metric: str | Metric, left_answers: FitAnswers, right_answers: FitAnswers
) -> ScoreDifference:
    """How much better `left_answers` scores than `right_answers`, whose examples are the same,
    though gold may differ (a task and its control).

    Clusters are those of both. Fits are crossed with examples, as in `interval_of`; where both have
    as many, the i-th of the one goes with the i-th of the other (the same seed). MetricProblem
    where there are not as many examples.
    """
    return contrast(metric, ((1.0, left_answers), (-1.0, right_answers)))


def contrast(metric: str | Metric, terms: Sequence[tuple[float, FitAnswers]]) -> ScoreDifference:
    """The weighted sum of the scores of several answers to the same examples, as in
    `compute_difference`, which has the weights 1 and -1; p is that of a sum of 0. MetricProblem for
    answers to different examples.
    """
    sizes = {len(each.gold): None for _, each in terms}
    if len(sizes) > 1:
        raise MetricProblem(
            "a difference needs scores over the same examples, and these have"
            f" {' and '.join(map(str, sizes))}"
        )
    measure = find_metric(metric)
    fitted = [each.fits(measure) for _, each in terms]
    weighted = [
        ScoreInfluences(weight * each.scores, weight * each.influences)
        for (weight, _), each in zip(terms, fitted, strict=True)
    ]
    value = float(sum(each.scores.mean() for each in weighted))
    influence = np.sum([each.influences.mean(0) for each in weighted], 0)
    clusters = {name: codes for _, each in terms for name, codes in each.clusters.items()}
    variation = estimate_variance(
        influence,
        _varying(weighted),
        clusters,
        _fixed_classes([gold for _, each in terms for gold in each.redrawn or (each.gold,)]),
    )
    # one example more that changed each way (Bonett & Price 2012)
    more = sum(weight**2 * each.step(measure) for weight, each in terms)
    tied = _tied_variance(measure, terms)
    error = np.sqrt(variation.variance + more + tied)
    ends = [sorted((weight * measure.least, weight * measure.most)) for weight, _ in terms]
    least, most = (sum(sides) for sides in zip(*ends, strict=True))
    step = float(np.sqrt(more / len(terms)))
    return ScoreDifference.of(value, float(error), variation.df, (least, most), step)


def _tied_variance(metric: Metric, terms: Sequence[tuple[float, FitAnswers]]) -> float:
    """What the variance of a weighted sum of scores is larger by as the folds of each err together,
    those of two scores as far as their answers do.
    """
    parts = [weight * float(np.sqrt(each.tied_variance(metric))) for weight, each in terms]
    total = sum(part**2 for part in parts)
    for (i, one), (j, other) in combinations(enumerate(parts), 2):
        if one and other:
            pair = (terms[k][1].fits(metric).influences.mean(0) for k in (i, j))
            total += 2 * one * other * correlate_ties(*pair, ranks=metric.ranks)
    return max(total, 0.0)


class CopySpread(NamedTuple):
    """How much the true scores of networks with random weights differ: their variance is a share of
    (score - least) (most - score), and known as well as from so many degrees of freedom.
    """

    share: float
    df: float


_COPY_SPREAD = CopySpread(5.7e-4, 11.5)
"""Over eight architectures and two tasks, measured by benchmarks/copies.py."""


def difference_from_draws(
    metric: str | Metric, answers: FitAnswers, drawn: FitAnswers, spread: CopySpread = _COPY_SPREAD
) -> ScoreDifference:
    """How much better `answers` scores than the mean of things that were sampled at random, as
    networks with random weights are; the fits of `drawn` are these things.

    The variance is that of the paired difference and that between the draws, as `answers` would
    vary were it drawn as the others were; what the examples add to the second makes it too large
    rather than too small. Degrees of freedom are those of a sum (Satterthwaite 1946, Biometrics
    Bulletin 2:110). Fewer than three draws do not tell how they vary: that is `spread` from other
    networks.
    """
    paired, measure = compute_difference(metric, answers, drawn), find_metric(metric)
    scores = drawn.fits(measure).scores
    many = len(scores)
    if not np.isfinite(paired.error):
        return paired
    if many >= MIN_SEED_COUNT:
        between, df = float(scores.var(ddof=1)), float(many - 1)
    else:
        room = (scores.mean() - measure.least) * (measure.most - scores.mean())
        if not np.isfinite(room):
            return paired
        between, df = spread.share * float(room) * (1 + 1 / many), spread.df
    total = paired.error**2 + between
    doubt = paired.error**4 / paired.df + between**2 / df
    whole = total**2 / doubt if doubt else paired.df
    ends = (paired.least, paired.most)
    return ScoreDifference.of(paired.value, float(np.sqrt(total)), whole, ends, paired.step)


class GapShare(NamedTuple):
    """How much of the way from one score to a higher one a third has gone, with its 95 %
    interval.
    """

    value: float
    low: float
    high: float


def compute_gap_share(
    metric: str | Metric, middle: FitAnswers, lower: FitAnswers, upper: FitAnswers
) -> GapShare:
    """(middle - lower) / (upper - lower) of three scores over the same examples, as in
    `compute_difference`.

    The interval takes the share as linear in the scores, which it is where `upper` is clearly
    above `lower`; ask `compute_difference` first. MetricProblem where there are not as many
    examples.
    """
    sizes = {len(each.gold) for each in (middle, lower, upper)}
    if len(sizes) > 1:
        raise MetricProblem(
            f"a share needs scores over the same examples, and these have {sorted(sizes)}"
        )
    measure = find_metric(metric)
    three = [each.fits(measure) for each in (middle, lower, upper)]
    scores = [float(each.scores.mean()) for each in three]
    room = scores[2] - scores[1]
    value = (scores[0] - scores[1]) / room
    weights = (1 / room, (value - 1) / room, -value / room)
    apart = [
        ScoreInfluences(w * f.scores, w * f.influences) for w, f in zip(weights, three, strict=True)
    ]
    influence = np.sum([each.influences.mean(0) for each in apart], 0)
    clusters = {**middle.clusters, **lower.clusters, **upper.clusters}
    fixed = _fixed_classes([middle.gold, upper.gold])
    variation = estimate_variance(influence, _varying(apart), clusters, fixed)
    step = float(np.mean([each.step(measure) for each in (middle, lower, upper)]))
    error = np.sqrt(variation.variance + 2 * step / room**2)
    half = float(compute_t_quantile(variation.df) * error)
    return GapShare(value, value - half, value + half)


def _varying(weighted: Sequence[ScoreInfluences]) -> list[ScoreInfluences]:
    """What varies with seeds: the sums under each, or each score on its own where they have not as
    many.
    """
    if len({len(each.scores) for each in weighted}) > 1:
        return list(weighted)
    scores = np.sum([each.scores for each in weighted], 0)
    return [ScoreInfluences(scores, np.sum([each.influences for each in weighted], 0))]


def _fixed_classes(golds: Sequence[Column]) -> Ints:
    """The classes of fixed size, as `balanced_classes` says of one gold standard; none where
    several differ.
    """
    classes = [balanced_classes(gold) for gold in {id(gold): gold for gold in golds}.values()]
    same = all(np.array_equal(classes[0], other) for other in classes[1:])
    return classes[0] if same else np.zeros_like(classes[0])
