"""Variances, tests and corrections as their papers have them, in plain loops."""

from __future__ import annotations

from itertools import combinations, product
from math import comb, sqrt

from scipy.stats import norm, t


def mcnemar(only_one: int, only_other: int) -> float:
    """The exact p (two sides) of so many examples that only one of two answers well: twice the
    smaller tail of a fair coin (McNemar 1947).
    """
    many, least = only_one + only_other, min(only_one, only_other)
    tail = sum(comb(many, k) for k in range(least + 1)) / 2**many
    return min(1.0, 2 * tail)


def permutation(statistic, one, other, clusters):
    """The p of no difference: the share of all ways of swapping the answers of whole clusters whose
    difference is as large.
    """
    names = sorted(set(clusters))
    seen = abs(statistic(one) - statistic(other))
    hits = 0
    for swapped in product((False, True), repeat=len(names)):
        swap = dict(zip(names, swapped, strict=True))
        a = [o if swap[c] else x for x, o, c in zip(one, other, clusters, strict=True)]
        b = [x if swap[c] else o for x, o, c in zip(one, other, clusters, strict=True)]
        hits += abs(statistic(a) - statistic(b)) >= seen - 1e-12
    return hits / 2 ** len(names)


def holm(p):
    """Holm 1979: the k-th smallest of n times n - k + 1, never less than one before it."""
    corrected, least = list(p), 0.0
    for k, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        least = max(least, min(1.0, (len(p) - k) * p[i]))
        corrected[i] = least
    return corrected


def benjamini_hochberg(p):
    """Benjamini & Hochberg 1995: the k-th smallest of n times n / k, never more than one after
    it.
    """
    corrected, most = list(p), 1.0
    order = sorted(range(len(p)), key=lambda i: p[i])
    for k in range(len(p), 0, -1):
        i = order[k - 1]
        most = min(most, len(p) / k * p[i])
        corrected[i] = most
    return corrected


def design_effect(missed, draws):
    """Of a share over clusters of unequal size: its variance between clusters, with k / (k - 1),
    over that of a share of independent cells (Rao & Scott 1992, section 2).
    """
    n, share, k = len(missed), sum(missed) / len(missed), len(set(draws))
    total = 0.0
    for draw in set(draws):
        mine = [m for m, d in zip(missed, draws, strict=True) if d == draw]
        total += (sum(mine) - share * len(mine)) ** 2
    clustered = k / (k - 1) * total / n**2
    return clustered / (share * (1 - share) / n)


def binomial(hits: int, n: int, share: float) -> float:
    """The exact p (two sides) of so many hits: of all counts that are not more probable."""
    chances = [comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(n + 1)]
    return sum(c for c in chances if c <= chances[hits] * (1 + 1e-9))


def jackknife(score, n, clusters):
    """How a score(rows) moves where each cluster in turn is left out, and the variance that this
    tells: (k - 1) / k times the squares (Tukey 1958).
    """
    names, whole = sorted(set(clusters)), score(list(range(n)))
    moves = [score([i for i in range(n) if clusters[i] != name]) - whole for name in names]
    return moves, (len(names) - 1) / len(names) * sum(move**2 for move in moves)


def crossed(score, n, ways):
    """The variance of a score over examples that share in several ways: that of each way, less that
    of each two together, and so on (Cameron, Gelbach & Miller 2011, section 2.3); at least half of
    the largest (docs/design/intervals.md).
    """
    total, single = 0.0, []
    for many in range(1, len(ways) + 1):
        for some in combinations(ways, many):
            variance = jackknife(score, n, list(zip(*some, strict=True)))[1]
            total += (-1) ** (many + 1) * variance
            single += [variance] * (many == 1)
    return max(total, max(single) / 2)


def share_interval(right, clusters):
    """The 95 % interval of a share over clusters (docs/design/intervals.md): Wilson's, with as many
    examples as the variance is worth and seven tenths of Satterthwaite's degrees of freedom; or as
    if each cluster agreed, where that is narrower.
    """
    n, share = len(right), sum(right) / len(right)
    moves, variance = jackknife(lambda rows: sum(right[i] for i in rows) / len(rows), n, clusters)
    k, squares = len(moves), [move**2 for move in moves]
    spread = sum(s**2 for s in squares) - sum(squares) ** 2 / k
    df = k - 1.0
    if k < n and spread > 0:
        df = min(max(0.7 * 2 * sum(squares) ** 2 / spread, 1.0), df)
    worth = n**2 / sum(list(clusters).count(name) ** 2 for name in set(clusters))
    agreed = share * (1 - share) / (worth - 1)
    options = [(variance, df), (agreed, worth - 1)]
    variance, df = min(options, key=lambda one: one[0] * t.ppf(0.975, one[1]) ** 2)
    if not variance > 1e-9 * share * (1 - share) / worth:
        return wilson(share, worth, t.ppf(0.975, df))
    return wilson(share, share * (1 - share) / variance, t.ppf(0.975, df))


def wilson(share: float, n: float, t: float) -> tuple[float, float]:
    """Wilson 1927: the shares p from which the observed one is t standard errors of p away."""
    centre = (share + t**2 / (2 * n)) / (1 + t**2 / n)
    half = t * sqrt(share * (1 - share) / n + t**2 / (4 * n**2)) / (1 + t**2 / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def paired(changes):
    """The 95 % interval of a mean difference over examples, and the p of none: Student's, with one
    example more that changed each way (Bonett & Price 2012, equation 2).
    """
    n, mean = len(changes), sum(changes) / len(changes)
    variance = sum((change - mean) ** 2 for change in changes) / (n - 1) / n + 2 / n**2
    half = t.ppf(0.975, n - 1) * sqrt(variance)
    return mean - half, mean + half, 2 * t.sf(abs(mean) / sqrt(variance), n - 1)


def over_seeds(fits):
    """The variance of a difference of mean scores over seeds and independent examples, and its
    degrees of freedom (docs/design/intervals.md): seeds are one more way of sharing, so their
    variance is added and that of seed and example together taken off; a third of the largest stays.

    fits  of each thing the scores [seeds] and influences [seeds][n], with the sign in the
          difference; fewer than three seeds count as they are
    """
    n = len(fits[0][1][0])
    means = [sum(sum(row[i] for row in rows) / len(rows) for _, rows in fits) for i in range(n)]
    variance = n / (n - 1) * sum(mean**2 for mean in means)
    total = sure = largest = variance
    doubt = variance**2 / (n - 1)
    for scores, rows in fits:
        many = len(scores)
        if many < 3:
            continue
        centre = sum(scores) / many
        between = sum((score - centre) ** 2 for score in scores) / (many - 1) / many
        apart = sum(
            (row[i] - sum(other[i] for other in rows) / many) ** 2 for row in rows for i in range(n)
        )
        both = n / (n - 1) * apart / (many * (many - 1))
        total, sure = total + between - both, sure + 1.5 * between - both
        largest = max(largest, between)
        doubt += ((1.5 * between) ** 2 + both**2 / (n - 1)) / (many - 1)
    least = largest / 3
    if all(len(scores) < 3 for scores, _ in fits):
        return variance, n - 1
    return max(total, least), max(max(sure, least) ** 2 / doubt, 1.0)


def share(part, least, whole):
    """(part - least) / (whole - least) of three shares of right answers over the same examples, and
    its 95 % interval: the delta method, with one example more that changed each way.
    """
    n = len(part)
    means = [sum(right) / n for right in (part, least, whole)]
    room = means[2] - means[1]
    value = (means[0] - means[1]) / room
    moves = [
        ((a - means[0]) - (1 - value) * (b - means[1]) - value * (c - means[2])) / room / n
        for a, b, c in zip(part, least, whole, strict=True)
    ]
    variance = n / (n - 1) * sum(move**2 for move in moves) + 2 / (room * n) ** 2
    half = t.ppf(0.975, n - 1) * sqrt(variance)
    return value, value - half, value + half


def examples_needed(
    only_one: int, only_other: int, n: int, comparisons: int, wanted: float
) -> float:
    """The examples with which a paired difference of two shares of `wanted` is found four times in
    five at a level of 0.05 over so many comparisons, where so many are those that only one and only
    the other has right (Connor 1987, Biometrics 43:207, with the variance of the alternative).
    """
    apart, difference = (only_one + only_other) / n, (only_one - only_other) / n
    reach = norm.ppf(1 - 0.05 / comparisons / 2) + norm.ppf(0.8)
    return float(reach**2 * (apart - difference**2) / wanted**2)
