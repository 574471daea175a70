"""Metrics of probabilities and ranks against scikit-learn and their definitions; ranks are never
pooled over folds.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score
from sklearn.metrics import log_loss as sklearn_log_loss

from lingprobe.data._logits import ProbeLogits, code_length
from lingprobe.data.labels import build_column, column_from_codes, join_columns
from lingprobe.data.scored_labels import ScoredLabels
from lingprobe.metrics import (
    METRICS,
    FitAnswers,
    MetricProblem,
    best_constant,
    compute_difference,
    floor,
)

NAMES = ("auroc", "average-precision", "neg-brier", "neg-ece", "neg-log-loss")


def score_classes(codes, logits, names=None, train=None):
    """The gold column of codes, and a prediction by logits [n, classes] of one fold."""
    names = names or tuple(f"c{k}" for k in range(logits.shape[1]))
    gold = column_from_codes(codes, names)
    scores = ProbeLogits.of(
        logits.astype(np.float32), "softmax", train or gold, np.arange(len(codes))
    )
    decoded = column_from_codes(logits.argmax(1), names)
    return gold, ScoredLabels.of(decoded, names, scores)


def sample(n=300, classes=2, seed=0, strength=1.0, share=0.3):
    rng = np.random.default_rng(seed)
    if classes == 2:
        codes = (rng.random(n) < share).astype(np.int64)
    else:
        codes = rng.integers(classes, size=n)
    logits = strength * rng.normal(size=(n, classes)) + np.eye(classes)[codes]
    return codes, logits.astype(np.float32)


def measure(name, gold, predicted):
    return METRICS.make(name)(gold, predicted)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("seed", range(4))
def test_values_are_those_of_scikit_learn(classes, seed):
    codes, logits = sample(classes=classes, seed=seed)
    gold, predicted = score_classes(codes, logits)
    z = predicted.logits.astype(np.float64)
    shares = np.exp(z - np.logaddexp.reduce(z, 1)[:, None])
    if classes == 2:
        rare = int((codes == 1).mean() <= 0.5)
        area = roc_auc_score(codes == rare, z[:, rare] - z[:, 1 - rare])
        precision = average_precision_score(codes == rare, z[:, rare] - z[:, 1 - rare])
    else:
        pairs = [(codes == k, z[:, k]) for k in range(classes)]
        area = np.mean([roc_auc_score(*pair) for pair in pairs])
        precision = np.mean([average_precision_score(*pair) for pair in pairs])
    assert measure("auroc", gold, predicted) == pytest.approx(area)
    assert measure("average-precision", gold, predicted) == pytest.approx(precision)
    assert measure("neg-log-loss", gold, predicted) == pytest.approx(
        -sklearn_log_loss(codes, shares, labels=range(classes)), rel=1e-6
    )
    assert measure("neg-brier", gold, predicted) == pytest.approx(
        -brier_score_loss(codes, shares if classes > 2 else shares[:, 1], labels=range(classes))
    )
    expected, sure = 0.0, shares.max(1)
    for k in range(15):  # equation 3 of Guo et al. 2017
        inside = (sure >= k / 15) & ((sure < (k + 1) / 15) | (k == 14))
        if inside.any():
            right = (shares.argmax(1) == codes)[inside].mean()
            expected += inside.mean() * abs(right - sure[inside].mean())
    assert measure("neg-ece", gold, predicted) == pytest.approx(-expected)


def test_ties_count_half_and_are_taken_together():
    codes, logits = sample(seed=3)
    gold, predicted = score_classes(codes, np.round(logits))
    z = predicted.logits.astype(np.float64)
    margin = np.round(z[:, 1] - z[:, 0], 2)
    assert len(np.unique(margin)) < 20
    assert measure("auroc", gold, predicted) == pytest.approx(
        roc_auc_score(codes, z[:, 1] - z[:, 0])
    )
    assert measure("average-precision", gold, predicted) == pytest.approx(
        average_precision_score(codes, z[:, 1] - z[:, 0])
    )


def test_label_sets_are_the_mean_over_labels():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(200, 3)).astype(np.float32)
    holds = rng.random((200, 3)) < 1 / (1 + np.exp(-z))
    known = rng.random((200, 3)) < 0.8
    labels = [
        {name: float(h) for name, h, k in zip("abc", row, seen, strict=True) if k}
        for row, seen in zip(holds, known, strict=True)
    ]
    gold = build_column(labels)
    scores = ProbeLogits.of(z, "sigmoid", gold, np.arange(200))
    predicted = ScoredLabels.of(gold.decode(z), gold.names, scores)
    z = scores.values.astype(np.float64)
    areas = [roc_auc_score(holds[known[:, k], k], z[known[:, k], k]) for k in range(3)]
    assert measure("auroc", gold, predicted) == pytest.approx(np.mean(areas))
    nats = np.where(known, np.logaddexp(0, z) - holds * z, 0).sum(1).mean()
    assert measure("neg-log-loss", gold, predicted) == pytest.approx(-nats, rel=1e-5)
    gaps = np.where(known, 1 / (1 + np.exp(-z)) - holds, 0)
    assert measure("neg-brier", gold, predicted) == pytest.approx(-(gaps**2).sum(1).mean())
    sure, right = (1 / (1 + np.exp(-z)))[known], holds[known]
    bins = np.minimum((15 * sure).astype(int), 14)
    error = sum(abs((right - sure)[bins == k].sum()) for k in range(15)) / known.sum()
    assert measure("neg-ece", gold, predicted) == pytest.approx(-error)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("classes", [2, 3])
def test_influences_are_slopes_in_the_weights_of_examples(name, classes):
    """Against the exact change where an example is there three times more: a slope by repeating."""
    codes, logits = sample(120, classes, 5)
    times = 40  # the change of one of 40 copies is nearly a derivative
    gold, predicted = score_classes(np.tile(codes, times), np.tile(logits, (times, 1)))
    base = measure(name, gold, predicted)
    metric = METRICS.make(name)
    influences = metric.influences(*score_classes(codes, logits))
    assert influences.sum() == pytest.approx(0, abs=1e-9)
    for i in range(0, 120, 17):
        rows = np.concatenate([np.arange(120 * times), [i]])
        more = measure(name, gold.take(rows), predicted.take(rows))
        assert (more - base) * times == pytest.approx(influences[i], rel=0.05, abs=2e-5)


@pytest.mark.parametrize("name", ["auroc", "average-precision"])
def test_ranks_are_averaged_over_folds(name):
    """A fold whose scores are a hundred times those of the other says nothing of them."""
    folds = []
    for seed, factor in ((0, 1), (1, 100)):
        codes, logits = sample(seed=seed)
        folds.append(score_classes(codes, factor * logits - 5 * (seed == 0)))
    gold = join_columns([one for one, _ in folds])
    predicted = join_columns([other for _, other in folds])
    mean = np.mean([measure(name, *fold) for fold in folds])
    assert measure(name, gold, predicted) == pytest.approx(mean)
    rows = np.random.default_rng(0).permutation(600)
    assert measure(name, gold.take(rows), predicted.take(rows)) == pytest.approx(mean)


def test_without_signal_pooled_ranks_are_biased_and_those_of_folds_are_not():
    """200 examples, a tenth positive, five folds whose scores are on two scales: the intercept of a
    fit falls with the share of positives in its train, and so rises with that in test.
    """
    rng = np.random.default_rng(0)
    pooled, per_fold = [], []
    for _ in range(300):
        codes = rng.permutation(np.repeat([0, 1], [180, 20]))
        parts, margins = [], np.zeros(200)
        for fold, test in enumerate(np.array_split(np.arange(200), 5)):
            train = np.setdiff1d(np.arange(200), test)
            rate = codes[train].mean()
            margin = 0.05 * rng.normal(size=len(test)) + np.log(rate / (1 - rate))
            margin *= 1 + fold % 2
            margins[test] = margin
            parts.append(score_classes(codes[test], np.stack([0 * margin, margin], 1)))
        pooled.append(roc_auc_score(codes, margins))
        joined = (join_columns([part[k] for part in parts]) for k in range(2))
        per_fold.append(measure("auroc", *joined))
    error = np.std(per_fold) / np.sqrt(300)
    assert abs(np.mean(per_fold) - 0.5) < 3 * error < 0.03
    assert np.mean(pooled) < 0.5 - 5 * np.std(pooled) / np.sqrt(300)


@pytest.mark.parametrize("name", NAMES)
def test_intervals_hold_the_truth(name):
    """95 % of intervals hold what a very large sample scores; at least 90 of 100 here."""
    metric = METRICS.make(name)
    truth = metric(*score_classes(*sample(200_000, 2, 99)))
    inside = 0
    for seed in range(100):
        gold, predicted = score_classes(*sample(300, 2, seed))
        low, high = FitAnswers(gold, [predicted]).interval(metric)
        value = metric(gold, predicted)
        assert low <= value <= high
        inside += low <= truth <= high
    assert inside >= 90


def test_a_better_ranking_is_better():
    codes, logits = sample(600, 2, 1)
    noise = np.random.default_rng(9).normal(size=logits.shape)
    gold, good = score_classes(codes, 3 * np.eye(2)[codes] + noise)
    _, poor = score_classes(codes, logits)
    for name in NAMES:
        found = compute_difference(name, FitAnswers(gold, [good]), FitAnswers(gold, [poor]))
        assert found.value == pytest.approx(measure(name, gold, good) - measure(name, gold, poor))
        if name != "neg-ece":
            assert found.low > 0


@pytest.mark.parametrize(("name", "expected"), [("auroc", 0.5), ("average-precision", 0.3)])
def test_the_constant_answer_is_chance(name, expected):
    codes = np.repeat([0, 1], [70, 30])
    gold, predicted = score_classes(codes, np.random.default_rng(0).normal(size=(100, 2)))
    assert floor({}, gold, predicted, name) == pytest.approx(expected)
    assert best_constant(gold, gold, name) == pytest.approx(expected)
    nats = -(0.7 * np.log(0.7) + 0.3 * np.log(0.3))
    assert floor({}, gold, predicted, "neg-log-loss") == pytest.approx(-nats, rel=0.01)
    assert floor({}, gold, predicted, "neg-brier") == pytest.approx(-0.3 * 0.7, rel=0.01)
    assert floor({}, gold, predicted, "neg-ece") == pytest.approx(0, abs=0.01)


def test_perfect_ranks_are_not_certain():
    codes = np.repeat([0, 1], [97, 3])
    gold, predicted = score_classes(codes, 5.0 * np.eye(2)[codes])
    low, high = FitAnswers(gold, [predicted]).interval("auroc")
    assert measure("auroc", gold, predicted) == 1
    assert low < 0.8
    assert high == 1


@pytest.mark.parametrize("true", [0.6, 0.95, 0.99])
@pytest.mark.parametrize("positives", [5, 20])
def test_intervals_of_few_positives_hold_the_truth(true, positives):
    """At least 91 of 100 intervals hold the area under the curve of two normal distributions, and
    they are no wider than those of the positives alone.
    """
    rng, inside, widths = np.random.default_rng(0), 0, []
    codes = np.repeat([0, 1], [9 * positives, positives])
    shift = NormalDist().inv_cdf(true) * np.sqrt(2)
    for _ in range(300):
        margin = rng.normal(size=len(codes)) + shift * codes
        gold, predicted = score_classes(codes, np.stack([0 * margin, margin], 1))
        low, high = FitAnswers(gold, [predicted]).interval("auroc")
        inside += low <= true <= high
        widths.append(high - low)
    assert inside >= 273
    assert np.mean(widths) < 4 * np.sqrt(true * (1 - true) / positives) + 1 / positives


@pytest.mark.parametrize("name", NAMES)
def test_what_has_no_probabilities_is_told(name):
    gold = column_from_codes(np.array([0, 1, 0]), ("a", "b"))
    with pytest.raises(MetricProblem, match=r"needs probabilities.*--keep-scores"):
        measure(name, gold, gold)
    numbers = build_column([1.0, 2.0])
    with pytest.raises(MetricProblem, match="not numbers"):
        measure(name, numbers, numbers)


@pytest.mark.parametrize("name", ["auroc", "average-precision"])
def test_a_fold_of_one_class_is_left_out(name):
    codes, logits = sample(100, 2, 0)
    whole = score_classes(codes, logits)
    empty = score_classes(np.zeros(20, np.int64), logits[:20])
    gold, predicted = (join_columns([a, b]) for a, b in zip(whole, empty, strict=True))
    assert measure(name, gold, predicted) == pytest.approx(measure(name, *whole))
    with pytest.raises(MetricProblem, match="with a label and without it"):
        measure(name, *empty)


def test_scored_labels_are_the_labels_that_they_hold():
    codes, logits = sample(50, 3, 0)
    gold, predicted = score_classes(codes, logits)
    assert measure("accuracy", gold, predicted) == measure("accuracy", gold, predicted.predicted)
    assert measure("macro-f1", gold, predicted) == measure("macro-f1", gold, predicted.predicted)
    other = score_classes(codes, logits, ("c0", "c1", "d"))[1]
    both = join_columns([predicted, other])
    assert both.names == ("c0", "c1", "c2", "d")
    assert both.class_names()[50:] == other.class_names()
    bits = code_length(other.predicted, other.logits.astype(np.float32))
    renamed = code_length(
        both.predicted.take(np.arange(50, 100)), both.logits[50:].astype(np.float32)
    )
    np.testing.assert_allclose(renamed, bits, atol=1e-3)
