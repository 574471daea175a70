"""Metrics of probabilities and ranks: log loss, calibration, AUROC and average precision.

They read the scores that a result keeps, and ScoredLabels hold them. Of every metric here higher is
better: a loss is negated, as scikit-learn's scorers do it. Ranks are compared within a fold, and
the folds averaged: scores of different fits are not on one scale, and pooled ranks are biased.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data._logits import code_length
from lingprobe.data.labels import MIN_LABEL_WEIGHT, Column
from lingprobe.data.scored_labels import ScoredLabels
from lingprobe.data.vectors import Ints
from lingprobe.metrics.metric import Doubles, Metric, MetricProblem, compute_ratio, sum_blocks

CALIBRATION_BINS = 15  # of equal width (Guo et al. 2017)

Flags = NDArray[np.bool_]


def log_loss() -> Metric:
    """Log loss in nats, negated so that higher is better: the mean log probability of the class; of
    label sets, summed over the labels that were annotated.
    """

    def sums(gold: Column, predicted: Column, blocks: Ints, many: int) -> Doubles:
        found = _read_scores(gold, predicted, "neg-log-loss")
        nats = code_length(gold, found.logits.astype(np.float32)) * np.log(2)
        return sum_blocks(np.stack([-nats, np.ones(len(nats))], 1), blocks, many)

    return Metric("neg-log-loss", sums, _average_sums, least=-np.inf, most=0.0, reads_scores=True)


def brier_score() -> Metric:
    """Brier score, negated so that higher is better: the mean squared distance of the probabilities
    from 1 for the class that is right and 0 for the others, summed over classes; halved for two
    classes; of label sets, summed over the labels that were annotated.

    Brier 1950. It is scikit-learn's `brier_score_loss`, which halves that of two classes, too.
    """

    def sums(gold: Column, predicted: Column, blocks: Ints, many: int) -> Doubles:
        losses = _squared_distances(gold, _read_scores(gold, predicted, "neg-brier").logits)
        return sum_blocks(np.stack([-losses, np.ones(len(losses))], 1), blocks, many)

    return Metric("neg-brier", sums, _average_sums, least=-np.inf, most=0.0, reads_scores=True)


def expected_calibration_error() -> Metric:
    """Expected calibration error, negated so that higher is better: in 15 bins of equal width of
    the probability, |share right - mean probability|, weighted by the examples in the bin.

    Guo et al. 2017, equation 3. Of classes the probability of the most probable one; of label sets
    that of every label that was annotated. Calibrated probabilities have an error above 0 by
    chance, more the fewer examples there are; intervals are wider by what that may be.
    """

    def sums(gold: Column, predicted: Column, blocks: Ints, many: int) -> Doubles:
        gaps = calibration_gaps(gold, _read_scores(gold, predicted, "neg-ece").logits)
        inside = np.eye(CALIBRATION_BINS)[gaps.bins]
        columns = [gaps.gap[:, None] * inside, gaps.variance[:, None] * inside]
        pairs = np.concatenate([*columns, np.ones((len(inside), 1))], 1)
        return sum_blocks(pairs, blocks[gaps.rows], many)

    def value(sums: Doubles) -> Doubles:
        return -compute_ratio(np.abs(sums[..., :CALIBRATION_BINS]).sum(-1), sums[..., -1])

    def bias(sums: Doubles) -> Doubles:
        # the error of calibrated probabilities, which is as much as chance may add
        spread = np.sqrt(2 / np.pi * sums[..., CALIBRATION_BINS:-1])
        return compute_ratio(spread.sum(-1), sums[..., -1]) ** 2

    return Metric("neg-ece", sums, value, -np.inf, step=bias, most=0.0, reads_scores=True)


def auroc() -> Metric:
    """Area under the ROC curve: how probably a positive example scores above a negative one, ties
    counting half; averaged over folds, never pooled.

    Of two classes the rarer one is positive; of more classes, and of labels, the mean over each
    against the rest (macro), without those that have no positive or no negative example in a fold.
    """
    return _rank_metric("auroc", _area_under_roc)


def average_precision() -> Metric:
    """Average precision: the mean over positive examples of the precision among all that score at
    least as high; averaged over folds, never pooled. Chance is the share of positives.

    Classes and labels as of auroc. It is scikit-learn's `average_precision_score`.
    """
    return _rank_metric("average-precision", _average_precision)


class CalibrationGaps(NamedTuple):
    """Of each answered probability p its example, its bin, right (0 or 1) minus p, and the variance
    p (1 - p) of that where p is calibrated, [pairs].
    """

    rows: Ints
    bins: Ints
    gap: Doubles
    variance: Doubles


def calibration_gaps(gold: Column, logits: NDArray[np.floating]) -> CalibrationGaps:
    """The gaps that a calibration error sums, from logits [n, outputs]."""
    z = logits.astype(np.float64)
    if gold.classes is not None:
        shares = np.exp(z - np.logaddexp.reduce(z, 1, keepdims=True))
        rows, sure = np.arange(len(gold)), shares.max(1)
        right = shares.argmax(1) == gold.classes
    else:
        matrix = gold.matrix()
        rows, labels = np.nonzero(~np.isnan(matrix))
        sure, right = 1 / (1 + np.exp(-z[rows, labels])), matrix[rows, labels] >= MIN_LABEL_WEIGHT
    bins = np.minimum((sure * CALIBRATION_BINS).astype(np.int64), CALIBRATION_BINS - 1)
    return CalibrationGaps(rows.astype(np.int64), bins, right - sure, sure * (1 - sure))


def _squared_distances(gold: Column, logits: NDArray[np.floating]) -> Doubles:
    """The squared distances that a Brier score averages, [n], from logits [n, outputs]."""
    z = logits.astype(np.float64)
    if gold.classes is None:
        matrix = gold.matrix()
        gaps = np.where(np.isnan(matrix), 0.0, 1 / (1 + np.exp(-z)) - (matrix >= MIN_LABEL_WEIGHT))
        return np.asarray((gaps**2).sum(1), np.float64)
    shares = np.exp(z - np.logaddexp.reduce(z, 1, keepdims=True))
    right = shares[np.arange(len(gold)), gold.classes]
    total = (shares**2).sum(1) - right**2 + (1 - right) ** 2
    return np.asarray(total / (2 if z.shape[1] == 2 else 1), np.float64)


def _average_sums(sums: Doubles) -> Doubles:
    # of no example, as of a block that has none, it is 0
    count = sums[..., 1]
    return np.divide(sums[..., 0], count, out=np.zeros_like(count), where=count > 0)


def _read_scores(gold: Column, predicted: Column, metric: str) -> ScoredLabels:
    if gold.numbers is not None or gold.link is None:
        raise MetricProblem(
            f"{metric} judges classes or label sets, not numbers: use pearson or r2"
        )
    if not isinstance(predicted, ScoredLabels):
        raise MetricProblem(
            f"{metric} needs probabilities, and these results have none: measure with --keep-scores"
            " (keep_scores=True) and a probe that gives probabilities, as linear or mlp, or name a"
            " metric of labels, as table:FILE,metric=macro-f1"
        )
    return predicted


class _Ranked(NamedTuple):
    """How well scores rank positives above negatives, and how fast that grows with the weight of
    each example, [n].
    """

    value: float
    influence: Doubles


def _rank_metric(name: str, rank: Callable[[Doubles, Flags], _Ranked]) -> Metric:
    """Ranks are averaged over folds, never pooled: a metric that is the mean over folds, and over
    classes or labels within a fold.

    Its sums are those of pseudo-values, the value plus n times each example's influence (the
    infinitesimal jackknife; Efron 1982), so that it is resampled as a mean is.
    """

    def judge(gold: Column, predicted: Column) -> tuple[_Ranked, float]:
        """The value, and the square of how far one example more may move it."""
        found = _read_scores(gold, predicted, name)
        folds = []
        for fold in np.unique(found.folds):
            rows = np.flatnonzero(found.folds == fold)
            scores = found.logits[rows].astype(np.float64)
            tasks = list(_pose_ranks(gold, predicted.names, rows, scores))
            if tasks:
                folds.append((rows, [(where, rank(s, p), p) for where, s, p in tasks]))
        if not folds:
            raise MetricProblem(f"{name} needs examples with a label and without it in a test fold")
        value, step, influence = 0.0, 0.0, np.zeros(len(gold))
        for rows, ranked in folds:
            share = 1 / (len(folds) * len(ranked))
            for where, each, positive in ranked:
                value += share * each.value
                influence[rows[where]] += share * each.influence
                few = min(int(positive.sum()), int((~positive).sum()))
                step += share * (1 / (len(folds) * few)) ** 2 / len(ranked)
        return _Ranked(value, influence), step

    def sums(gold: Column, predicted: Column, blocks: Ints, many: int) -> Doubles:
        ranked, step = judge(gold, predicted)
        n = len(gold)
        pseudo = ranked.value + n * ranked.influence
        return sum_blocks(np.stack([pseudo, np.ones(n), np.full(n, step)], 1), blocks, many)

    return Metric(
        name,
        sums,
        lambda sums: compute_ratio(sums[..., 0], sums[..., 1]),
        influence=lambda gold, predicted: judge(gold, predicted)[0].influence,
        step=lambda sums: compute_ratio(sums[..., 2], sums[..., 1]),
        ranks=True,
        reads_scores=True,
    )


def _pose_ranks(
    gold: Column, names: tuple[str, ...], rows: Ints, scores: Doubles
) -> Iterator[tuple[Ints, Doubles, Flags]]:
    """What is ranked in a fold: of two classes the rarer is positive, of more each against the
    rest; the rows, their scores, and which are positive; those with both kinds alone.
    """
    if gold.classes is not None:
        counts = np.bincount(gold.classes, minlength=len(gold.names))
        used = np.flatnonzero(counts)
        order = [names.index(gold.names[k]) for k in used]
        codes, scores = gold.classes[rows], scores[:, order]
        every = np.arange(len(rows))
        if len(used) == 2:
            rare = int(counts[used[1]] <= counts[used[0]])
            tasks = [(every, scores[:, rare] - scores[:, 1 - rare], codes == used[rare])]
        else:
            tasks = [(every, scores[:, k], codes == used[k]) for k in range(len(used))]
    else:
        matrix = gold.matrix()[rows]
        order = [names.index(name) for name in gold.names]
        known = [np.flatnonzero(~np.isnan(column)) for column in matrix.T]
        tasks = [
            (at, scores[at, k], matrix[at, j] >= MIN_LABEL_WEIGHT)
            for j, (k, at) in enumerate(zip(order, known, strict=True))
        ]
    yield from (task for task in tasks if task[2].any() and not task[2].all())


def _area_under_roc(scores: Doubles, positive: Flags) -> _Ranked:
    """Mann-Whitney's statistic over its largest, and the placements that its variance comes from
    (DeLong, DeLong & Clarke-Pearson 1988).
    """
    placement = np.empty(len(scores))
    for mine in (positive, ~positive):
        others = np.sort(scores[~mine])
        below = np.searchsorted(others, scores[mine], "left")
        upto = np.searchsorted(others, scores[mine], "right")
        placement[mine] = (below + upto) / 2 / len(others)
    placement[~positive] = 1 - placement[~positive]
    value = float(placement[positive].mean())
    size = np.where(positive, positive.sum(), (~positive).sum())
    return _Ranked(value, (placement - value) / size)


def _average_precision(scores: Doubles, positive: Flags) -> _Ranked:
    """The mean precision at the positives. An example's weight changes the precision at every
    positive that scores no higher than it.
    """
    levels, place = np.unique(-scores, return_inverse=True)
    hits = np.bincount(place, positive, len(levels))
    above = np.cumsum(hits)
    answered = np.cumsum(np.bincount(place, minlength=len(levels)))
    precision, size = above / answered, float(positive.sum())
    value = float((hits * precision).sum() / size)
    # of all positives at this level and below: what one more positive, or one more example, moves
    gain = np.cumsum((hits / answered)[::-1])[::-1] / size
    loss = np.cumsum((hits * precision / answered)[::-1])[::-1] / size
    own = (precision[place] - value) / size
    return _Ranked(value, np.where(positive, own + gain[place], 0.0) - loss[place])
