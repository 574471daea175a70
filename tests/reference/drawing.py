"""Tests by drawing again, in plain loops over the same random numbers."""

from __future__ import annotations

from collections import Counter

import numpy as np


def swapped(statistic, one, other, clusters, draws):
    """The p of no difference where the answers of each cluster whose counts differ are swapped, or
    not, by a coin: (hits + 1) / (draws + 1), as what was seen is one of the ways (Phipson & Smyth
    2010). Answers are pairs of gold and predicted.
    """

    def counts(answers, name):
        mine = [pair for pair, c in zip(answers, clusters, strict=True) if c == name]
        return Counter(said for _, said in mine), Counter(g for g, said in mine if g == said)

    differing = [name for name in sorted(set(clusters)) if counts(one, name) != counts(other, name)]
    seen, hits = abs(statistic(one) - statistic(other)), 0
    for coins in np.random.default_rng(0).integers(0, 2, (draws, len(differing))):
        turned = {name for name, coin in zip(differing, coins, strict=True) if coin}
        a = [y if c in turned else x for x, y, c in zip(one, other, clusters, strict=True)]
        b = [x if c in turned else y for x, y, c in zip(one, other, clusters, strict=True)]
        hits += abs(statistic(a) - statistic(b)) >= seen - 1e-12
    return (hits + 1) / (draws + 1)


def bootstrap(statistic, one, other, clusters, draws):
    """The differences of draws of clusters with replacement in rising order, their 2.5 and 97.5 %
    points, and twice the smaller share on either side of none (Efron & Tibshirani 1993, chapters 13
    and 16), with one draw more.
    """
    names, found = sorted(set(clusters)), []
    for picked in np.random.default_rng(0).integers(0, len(names), (draws, len(names))):
        rows = [i for k in picked for i, c in enumerate(clusters) if c == names[k]]
        found.append(statistic([one[i] for i in rows]) - statistic([other[i] for i in rows]))
    found.sort()
    beyond = max(int(0.025 * (draws + 1)), 1)
    sides = min(sum(d <= 1e-12 for d in found), sum(d >= -1e-12 for d in found))
    return found, found[beyond - 1], found[-beyond], min(2 * (sides + 1) / (draws + 1), 1.0)
