"""Scores of predictions as textbooks have them, in plain loops over lists."""

from __future__ import annotations

from math import log2, sqrt


def accuracy(gold, predicted):
    """The share of what is right."""
    return sum(g == p for g, p in zip(gold, predicted, strict=True)) / len(gold)


def f1(gold, predicted, label):
    """Twice the right over gold and predicted, of one label; 0 where neither is there."""
    right = sum(g == p == label for g, p in zip(gold, predicted, strict=True))
    both = sum(g == label for g in gold) + sum(p == label for p in predicted)
    return 2 * right / both if both else 0.0


def macro_f1(gold, predicted, only=None):
    """The mean F1 of the labels that occur (among some)."""
    labels = {*gold, *predicted} & set(only or [*gold, *predicted])
    return sum(f1(gold, predicted, label) for label in labels) / len(labels) if labels else 0.0


def micro_f1(gold, predicted, only):
    """F1 over all pairs of example and label, of some labels (van Rijsbergen 1979, chapter 7)."""
    right = sum(g == p and g in only for g, p in zip(gold, predicted, strict=True))
    both = sum(g in only for g in gold) + sum(p in only for p in predicted)
    return 2 * right / both if both else 0.0


def matthews(gold, predicted):
    """Gorodkin 2004, R_K: the covariance of gold and predicted indicators, summed over labels, in
    units of their spreads; rows of indicators, one an example.
    """

    def covariance(a, b):
        pairs = zip(zip(*a, strict=True), zip(*b, strict=True), strict=True)  # a column a label
        return sum(
            sum(x * y for x, y in zip(one, other, strict=True)) / len(one)
            - sum(one) / len(one) * sum(other) / len(other)
            for one, other in pairs
        )

    spread = covariance(gold, gold) * covariance(predicted, predicted)
    return covariance(gold, predicted) / sqrt(spread) if spread > 1e-12 else 0.0


def pearson(x, y):
    """Product-moment correlation; 0 where one does not vary."""
    mx, my = sum(x) / len(x), sum(y) / len(y)
    xy = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    xx, yy = sum((a - mx) ** 2 for a in x), sum((b - my) ** 2 for b in y)
    return xy / sqrt(xx * yy) if xx and yy else 0.0


def ranks(x):
    """Ranks from 1 on; equal values share the mean of theirs."""
    return [sum(b < a for b in x) + (sum(b == a for b in x) + 1) / 2 for a in x]


def spearman(x, y):
    """The correlation of ranks."""
    return pearson(ranks(x), ranks(y))


def kendall(x, y):
    """Kendall's tau-b: concordant less discordant pairs, over those that are tied in neither."""
    pairs = [(i, j) for i in range(len(x)) for j in range(i)]
    signs = [(_sign(x[i] - x[j]), _sign(y[i] - y[j])) for i, j in pairs]
    untied = [sum(sign[k] != 0 for sign in signs) for k in (0, 1)]
    return sum(a * b for a, b in signs) / sqrt(untied[0] * untied[1]) if all(untied) else 0.0


def _sign(difference):
    return (difference > 0) - (difference < 0)


def r2(gold, predicted):
    """1 less the squared errors over the squared distances to the mean."""
    mean = sum(gold) / len(gold)
    errors = sum((g - p) ** 2 for g, p in zip(gold, predicted, strict=True))
    spread = sum((g - mean) ** 2 for g in gold)
    return 1 - errors / spread if spread else 0.0


def slope(metric, gold, predicted, row, step=1000):
    """How fast a metric grows with the weight of one example, by repeating all others."""
    n = len(gold)
    more = [i for i in range(n) for _ in range(step + (i == row))]
    less = [i for i in range(n) for _ in range(step - (i == row))]
    high, low = (
        metric([gold[i] for i in part], [predicted[i] for i in part]) for part in (more, less)
    )
    return (high - low) * step / 2


def calibration_error(chances, right, bins=15):
    """Guo et al. 2017, equation 5: bins of equal width, of each how far the mean chance is from the
    share that is right, weighed by its size.
    """
    total = 0.0
    for k in range(bins):
        mine = [
            (chance, hit)
            for chance, hit in zip(chances, right, strict=True)
            if k / bins <= chance < (k + 1) / bins or (k == bins - 1 and chance == 1)
        ]
        if mine:
            gap = sum(hit for _, hit in mine) - sum(chance for chance, _ in mine)
            total += abs(gap) / len(chances)
    return total


def pointwise_information(train, gold, chances):
    """Ethayarajh et al. 2022, equation 4, of each example: bits of the label by the shares in train
    (half an example added to each count), less those by the probe's chances.
    """
    labels = range(len(chances[0]))
    counts = [sum(t == label for t in train) + 0.5 for label in labels]
    return [
        -log2(counts[g] / sum(counts)) + log2(row[g]) for g, row in zip(gold, chances, strict=True)
    ]
