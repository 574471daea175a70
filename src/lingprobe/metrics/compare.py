"""The metrics there are. The first line of each says what it is, the rest what exactly is averaged
over what.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.labels import MIN_LABEL_WEIGHT, Column
from lingprobe.data.options import Help
from lingprobe.data.vectors import Ints
from lingprobe.metrics.metric import Doubles, Metric, MetricProblem, compute_ratio, sum_blocks
from lingprobe.metrics.steps import (
    compute_spreads,
    kappa_step,
    macro_step,
    matthews_step,
    micro_step,
    recall_step,
)


def accuracy() -> Metric:
    """Share of examples whose class is right; of label sets, those right in every label that was
    annotated.
    """
    return Metric("accuracy", _right_sums, _divide_sums, influence=_right_influence)


def macro_f1(
    *,
    only: Annotated[tuple[str, ...], Help("as of micro-f1")] = (),
    without: Annotated[tuple[str, ...], Help("as of micro-f1")] = (),
) -> Metric:
    """Mean F1 of the classes (or labels) that occur in gold or predicted, each counting the same; 0
    for one never right.
    """
    counting = LabelFilter("macro-f1", only, without)
    return Metric(
        "macro-f1",
        partial(_confusion_sums, counting=counting),
        _macro,
        influence=partial(_macro_influence, counting=counting),
        several=True,
        step=macro_step,
    )


def micro_f1(
    *,
    only: Annotated[
        tuple[str, ...],
        Help(
            "patterns of labels that count, or do not (`ARG[0-5]`, `Other`); all count where"
            " neither is given."
        ),
    ] = (),
    without: Annotated[
        tuple[str, ...],
        Help(
            "patterns of labels that count, or do not (`ARG[0-5]`, `Other`); all count where"
            " neither is given."
        ),
    ] = (),
) -> Metric:
    """F1 over all pairs of example and label, 2 right / (gold + predicted), counting the labels
    asked for.

    A label holds where its weight is at least 0.5; pairs that nobody annotated are excluded (Tenney
    et al. 2019, section 3). Published figures need them: `only=1` for coreference, `without=Other`
    for relations, `only=ARG[0-5A],only=ARGM*` for roles.
    """
    counting = LabelFilter("micro-f1", only, without)
    sums = partial(_pair_sums, counting=counting)
    return Metric("micro-f1", sums, _f1, several=True, step=micro_step)


def mcc(
    *,
    only: Annotated[tuple[str, ...], Help("as of micro-f1")] = (),
    without: Annotated[tuple[str, ...], Help("as of micro-f1")] = (),
) -> Metric:
    """Matthews' correlation of gold and predicted classes, of any number of them, or of label sets;
    0 for constant answers.

    Gorodkin's R_K (2004, Computational Biology and Chemistry 28:367): the covariance of gold and
    predicted indicators, summed over labels, in units of their spreads. One label a example makes
    it scikit-learn's, and that of GLUE for two classes. Pairs that nobody annotated are excluded.
    """
    counting = LabelFilter("mcc", only, without)
    sums = partial(_annotated_sums, counting=counting)
    return Metric("mcc", sums, _matthews, least=-1.0, several=True, step=matthews_step)


def balanced_accuracy() -> Metric:
    """Mean over the classes of gold of the share of their examples that are right (mean recall).

    It is scikit-learn's `balanced_accuracy_score`; a constant answer has 1 / classes.
    """
    sums = partial(_class_sums, name="balanced-accuracy")
    return Metric("balanced-accuracy", sums, _mean_recall, step=recall_step)


def kappa() -> Metric:
    """Cohen's kappa of gold and predicted classes: agreement above that expected by chance,
    over its maximum; 0 for constant answers.

    (p_o - p_e) / (1 - p_e), Cohen 1960, Educational and Psychological Measurement 20:37.
    """
    return Metric("kappa", partial(_class_sums, name="kappa"), _kappa, least=-1.0, step=kappa_step)


def pearson() -> Metric:
    """Correlation of gold and predicted scores; 0 where either does not vary."""
    return Metric("pearson", _moments, _correlation, -1.0, _pearson_influence)


def spearman() -> Metric:
    """Correlation of the ranks of gold and predicted scores, ties sharing their mean rank; 0 where
    either does not vary.
    """
    return Metric(
        "spearman", partial(_moments, ranked=True), _correlation, -1.0, _spearman_influence
    )


def r2() -> Metric:
    """Share of the variance of gold scores that predicted ones explain: 1 - mean squared error /
    variance. 0 for their mean, and below for what is further off; 0 where gold does not vary.
    """
    return Metric("r2", _square_sums, _explained_variance, -np.inf, _explained_influence)


Pairs = tuple[Ints, Ints]
"""The example and the label of each pair."""


class LabelFilter(NamedTuple):
    """Which labels a metric counts, by patterns of their names; its name is for messages."""

    metric: str
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def __call__(self, names: tuple[str, ...]) -> NDArray[np.bool_]:
        """Whether each label counts, [labels]; MetricProblem where none does."""
        counts = [
            (not self.only or self._any(n, self.only)) and not self._any(n, self.without)
            for n in names
        ]
        if not any(counts):
            raise MetricProblem(
                f"{self.metric} does not count any of the labels {', '.join(names[:10])}: check"
                " only= and without="
            )
        return np.array(counts)

    @staticmethod
    def _any(name: str, patterns: tuple[str, ...]) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in patterns)


def _right(gold: Column, predicted: Column) -> Doubles:
    """1.0 where an example is right, [n]."""
    if _sets(gold, predicted):
        truth, answer, _ = _align_label_sets(gold, predicted)
        return np.asarray(((truth < 0) | (truth == answer)).all(1), np.float64)
    ids, answers, _ = _classes(gold, predicted, "accuracy")
    return np.asarray(ids == answers, np.float64)


def _right_sums(gold: Column, predicted: Column, blocks: Ints, many: int) -> Doubles:
    right = _right(gold, predicted)
    return sum_blocks(np.stack([right, np.ones(len(right))], 1), blocks, many)


def _right_influence(gold: Column, predicted: Column) -> Doubles:
    return _right(gold, predicted) / len(gold)


def _divide_sums(sums: Doubles) -> Doubles:
    return compute_ratio(sums[..., 0], sums[..., 1])


def _count_right_pairs(
    gold: Column, predicted: Column, metric: str
) -> tuple[list[Pairs], tuple[str, ...]]:
    """Pairs that are right, gold and predicted, and the labels' names."""
    if _sets(gold, predicted):
        truth, answer, names = _align_label_sets(gold, predicted)
        holds, said = truth > 0, (answer > 0) & (truth >= 0)
        pairs = [np.nonzero(cells) for cells in (holds & said, holds, said)]
        return [(rows.astype(np.int64), labels.astype(np.int64)) for rows, labels in pairs], names
    ids, answers, names = _classes(gold, predicted, metric)
    rows = np.arange(len(ids))
    same = ids == answers
    return [(rows[same], ids[same]), (rows, ids), (rows, answers)], names


def _confusion_sums(
    gold: Column, predicted: Column, blocks: Ints, many: int, *, counting: LabelFilter
) -> Doubles:
    """Right, gold and predicted examples of each label that counts, [many, 3 * labels]."""
    pairs, names = _scored_pairs(gold, predicted, counting)
    size = len(names)
    counts = [
        np.bincount(blocks[rows] * size + labels, minlength=many * size) for rows, labels in pairs
    ]
    return np.concatenate([c.reshape(many, size) for c in counts], 1).astype(np.float64)


def _macro(sums: Doubles) -> Doubles:
    right, gold, predicted = np.split(sums, 3, -1)
    return compute_ratio(
        compute_ratio(2 * right, gold + predicted).sum(-1),
        (gold + predicted > 0).sum(-1).astype(np.float64),
    )


def _macro_influence(gold: Column, predicted: Column, *, counting: LabelFilter) -> Doubles:
    """Of each label's F1, 2 right / pairs, over the labels that occur: 2 / pairs for a right pair,
    -F1 / pairs for any.
    """
    pairs, names = _scored_pairs(gold, predicted, counting)
    right, true, said = (
        np.bincount(labels, minlength=len(names)).astype(np.float64) for _, labels in pairs
    )
    labelled = true + said
    each = compute_ratio(np.ones(len(names)), labelled * (labelled > 0).sum())
    gains = (2 * each, *[-compute_ratio(2 * right, labelled) * each] * 2)
    return np.asarray(
        sum(
            np.bincount(rows, gain[labels], len(gold))
            for (rows, labels), gain in zip(pairs, gains, strict=True)
        )
    )


def _scored_pairs(
    gold: Column, predicted: Column, counting: LabelFilter
) -> tuple[list[Pairs], tuple[str, ...]]:
    """Pairs that are right, gold and predicted, of the labels that count, and all labels' names."""
    pairs, names = _count_right_pairs(gold, predicted, counting.metric)
    counts = counting(names)
    return [(rows[counts[labels]], labels[counts[labels]]) for rows, labels in pairs], names


def _pair_sums(
    gold: Column, predicted: Column, blocks: Ints, many: int, *, counting: LabelFilter
) -> Doubles:
    """Right pairs, and gold plus predicted pairs, of the labels that count, [many, 2]."""
    pairs, _ = _scored_pairs(gold, predicted, counting)
    right, truth, answer = (np.bincount(blocks[rows], minlength=many) for rows, _ in pairs)
    return np.stack([right, truth + answer], 1).astype(np.float64)


def _annotated_sums(
    gold: Column, predicted: Column, blocks: Ints, many: int, *, counting: LabelFilter
) -> Doubles:
    """Right, gold, predicted and annotated examples of each label, [many, 4 * labels]."""
    confusions = _confusion_sums(gold, predicted, blocks, many, counting=counting)
    size = confusions.shape[1] // 3
    annotated = np.repeat(np.bincount(blocks, minlength=many)[:, None], size, 1)
    if gold.partial:
        # a label that only the predictions name was annotated nowhere
        annotated[:, len(gold.names) :] = 0
        known = np.asarray(~np.isnan(gold.matrix()), np.float64)
        annotated[:, : len(gold.names)] = sum_blocks(known, blocks, many)
    return np.concatenate([confusions, annotated], 1)


def _class_sums(gold: Column, predicted: Column, blocks: Ints, many: int, *, name: str) -> Doubles:
    """Right, gold and predicted examples of each class, [many, 3 * classes]; MetricProblem where
    labels are no classes.
    """
    if gold.classes is None or predicted.classes is None:
        raise MetricProblem(
            f"{name} compares classes, not label sets or scores: use micro-f1 or pearson"
        )
    return _confusion_sums(gold, predicted, blocks, many, counting=LabelFilter(name))


def _mean_recall(sums: Doubles) -> Doubles:
    right, gold, _ = np.split(sums, 3, -1)
    return compute_ratio(compute_ratio(right, gold).sum(-1), (gold > 0).sum(-1).astype(np.float64))


def _kappa(sums: Doubles) -> Doubles:
    right, gold, said = np.split(sums, 3, -1)
    n = gold.sum(-1)
    expected = compute_ratio((gold * said).sum(-1), n)
    return compute_ratio(right.sum(-1) - expected, n - expected)


def _matthews(sums: Doubles) -> Doubles:
    right, gold, said, annotated = np.split(sums, 4, -1)
    covariance = (right - compute_ratio(gold * said, annotated)).sum(-1)
    return np.clip(compute_ratio(covariance, np.sqrt(compute_spreads(sums))), -1, 1)


def _f1(sums: Doubles) -> Doubles:
    return compute_ratio(2 * sums[..., 0], sums[..., 1])


def _classes(gold: Column, predicted: Column, metric: str) -> tuple[Ints, Ints, tuple[str, ...]]:
    """Class ids of both in one numbering, and its names."""
    true, said = gold.classes, predicted.classes
    if true is None or said is None:
        raise MetricProblem(
            f"{metric} compares classes or label sets, not scores: use pearson or spearman"
        )
    if gold.names == predicted.names:
        return true, said, gold.names
    names, places = _numbering(gold, predicted)
    return true, places[said], names


def _sets(gold: Column, predicted: Column) -> bool:
    """Whether label sets are compared: a sigmoid for each label answers with sets where gold labels
    may be classes, too.
    """
    if not gold.has_constant:
        raise MetricProblem(
            "labels are lists of numbers, one list a sentence: use a metric of the task's family"
        )
    if gold.numbers is not None:
        return False
    return gold.classes is None or (predicted.classes is None and predicted.numbers is None)


def _align_label_sets(
    gold: Column, predicted: Column
) -> tuple[NDArray[np.int8], NDArray[np.int8], tuple[str, ...]]:
    """Gold and predicted [n, labels]: 1 holds, 0 does not, -1 was not annotated; and the labels'
    names.
    """
    if predicted.numbers is not None:
        raise MetricProblem("gold labels are sets, the predictions are scores: predict label sets")
    true, said = gold.sets(), predicted.sets()
    names, places = _numbering(gold, predicted)
    truth = np.full((len(true), len(names)), -1 if true.partial else 0, np.int8)
    answer = np.zeros((len(true), len(names)), np.int8)
    rows = np.repeat(np.arange(len(true)), np.diff(true.offsets))
    truth[rows, true.ids] = true.weights >= MIN_LABEL_WEIGHT
    rows = np.repeat(np.arange(len(said)), np.diff(said.offsets))
    answer[rows, places[said.ids]] = said.weights >= MIN_LABEL_WEIGHT
    return truth, answer, names


def _numbering(gold: Column, predicted: Column) -> tuple[tuple[str, ...], Ints]:
    """All names, gold's first, and where each of predicted's is among them."""
    names = tuple(dict.fromkeys([*gold.names, *predicted.names]))
    number = {name: i for i, name in enumerate(names)}
    return names, np.array([number[name] for name in predicted.names], np.int64)


def _moments(
    gold: Column, predicted: Column, blocks: Ints, many: int, *, ranked: bool = False
) -> Doubles:
    """Counts, sums and products of two scores, [many, 6]; moved to a mean of 0 first, for
    precision.
    """
    x, y = (
        _centre_ranks(values) if ranked else values - values.mean()
        for values in _align_scores(gold, predicted)
    )
    return sum_blocks(np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y], 1), blocks, many)


def _correlation(sums: Doubles) -> Doubles:
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    n = np.maximum(n, 1)
    vx, vy = xx / n - (x / n) ** 2, yy / n - (y / n) ** 2
    # what rounding leaves of a constant is no variance
    varies = (vx > 1e-12 * xx / n) & (vy > 1e-12 * yy / n)
    spread = np.sqrt(np.where(varies, vx * vy, 0))
    return np.clip(compute_ratio(xy / n - x * y / n**2, spread), -1, 1)


def _align_scores(gold: Column, predicted: Column) -> tuple[Doubles, Doubles]:
    if gold.numbers is None or predicted.numbers is None:
        raise MetricProblem(
            "a correlation compares scores, not classes or label sets: use accuracy or micro-f1"
        )
    return gold.numbers, predicted.numbers


def _pearson_influence(gold: Column, predicted: Column) -> Doubles:
    return _correlation_slopes(*_align_scores(gold, predicted))[0]


def _spearman_influence(gold: Column, predicted: Column) -> Doubles:
    """That of the correlation of fixed ranks, and by how much an example moves the ranks of those
    above it, and of its ties by half.
    """
    both = _align_scores(gold, predicted)
    influences, *slopes = _correlation_slopes(*map(_centre_ranks, both))
    for values, slope in zip(both, slopes, strict=True):
        _, places = np.unique(values, return_inverse=True)
        tied = np.bincount(places, slope)
        influences = influences + (np.cumsum(tied[::-1])[::-1] - tied / 2)[places]
    return influences


def _correlation_slopes(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """How fast a correlation grows with the weight of each pair, with each x, and with each y, [n]
    each; 0 where one does not vary.
    """
    n = len(x)
    x, y = x - x.mean(), y - y.mean()
    sx, sy = (float(np.sqrt((v * v).mean())) for v in (x, y))
    if not (sx > 0 and sy > 0):
        return np.zeros(n), np.zeros(n), np.zeros(n)
    x, y = x / sx, y / sy
    r = float((x * y).mean())
    return (x * y - r * (x * x + y * y) / 2) / n, (y - r * x) / (n * sx), (x - r * y) / (n * sy)


def _squares(gold: Column, predicted: Column) -> tuple[Doubles, Doubles]:
    """How far gold scores are from their mean, and predicted ones from gold, [n] each."""
    x, y = _align_scores(gold, predicted)
    return x - x.mean(), y - x


def _square_sums(gold: Column, predicted: Column, blocks: Ints, many: int) -> Doubles:
    """Counts, sums and squares of gold scores, and squared errors, [many, 4]."""
    x, error = _squares(gold, predicted)
    return sum_blocks(np.stack([np.ones(len(x)), x, x * x, error * error], 1), blocks, many)


def _explained_variance(sums: Doubles) -> Doubles:
    n, x, xx, errors = np.moveaxis(sums, -1, 0)
    n = np.maximum(n, 1)
    variance = xx / n - (x / n) ** 2
    return np.where(variance > 0, 1 - compute_ratio(errors / n, variance), 0.0)


def _explained_influence(gold: Column, predicted: Column) -> Doubles:
    x, error = _squares(gold, predicted)
    variance = float((x * x).mean())
    if not variance > 0:
        return np.zeros(len(x))
    unexplained = float((error * error).mean()) / variance
    moved = unexplained * (x * x - variance) - (error * error - unexplained * variance)
    return np.asarray(moved / variance / len(x), np.float64)


def _centre_ranks(values: Doubles) -> Doubles:
    """Ranks, ties sharing their mean, moved to a mean of 0."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return ((2 * last - counts - 1) / 2)[places] - (len(values) - 1) / 2
