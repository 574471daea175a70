"""Where in a model something is: statistics over layers, in plain loops."""

from __future__ import annotations

from math import erfc, exp, log, log2, sqrt


def softmax(numbers):
    """Shares of some numbers, as exponentials."""
    powers = [exp(number - max(numbers)) for number in numbers]
    return [power / sum(powers) for power in powers]


def centre_of_gravity(shares):
    """Tenney et al. 2019b, section 3.1: the mean layer under shares of a mix."""
    return sum(layer * share for layer, share in enumerate(shares)) / sum(shares)


def divergence(shares):
    """KL(shares || uniform) in bits, section 3.1."""
    known = [share / sum(shares) for share in shares]
    return sum(share * log2(share * len(known)) for share in known if share)


def expected_layer(scores):
    """Section 3.2: the mean of layers 1 to L by what each adds to the mix of those below."""
    added = [scores[layer] - scores[layer - 1] for layer in range(1, len(scores))]
    return sum(layer * gain for layer, gain in enumerate(added, 1)) / sum(added)


def roughness(scores):
    """The standard error of one score, if all second differences were errors: 6 times its variance
    each, as (1, -2, 1) has the squares 1 + 4 + 1.
    """
    bends = [a - 2 * b + c for a, b, c in zip(scores, scores[1:], scores[2:], strict=False)]
    return sqrt(sum(bend**2 for bend in bends) / len(bends) / 6)


def differ(r, n, ranked=False):
    """The p (two sides) of r12 = r34 over n observations: Fisher's z with the covariance of Pearson
    & Filon 1898, as Raghunathan, Rosenthal & Rubin 1996 (equation 3) and Steiger 1980 (equation 3)
    have it; the variance of each of Spearman's as Bonett & Wright 2000 (equation 3) have it.
    """
    shared = (
        (r[0][2] - r[0][1] * r[1][2]) * (r[1][3] - r[1][2] * r[2][3])
        + (r[0][3] - r[0][2] * r[2][3]) * (r[1][2] - r[0][1] * r[0][2])
        + (r[0][2] - r[0][3] * r[2][3]) * (r[1][3] - r[0][1] * r[0][3])
        + (r[0][3] - r[0][1] * r[1][3]) * (r[1][2] - r[1][3] * r[2][3])
    ) / 2
    covariance = shared / ((1 - r[0][1] ** 2) * (1 - r[2][3] ** 2))
    variances = [1 + one**2 / 2 if ranked else 1.0 for one in (r[0][1], r[2][3])]
    error = sqrt(sum(variances) * (1 - covariance) / (n - 3))
    z = abs(_fisher(r[0][1]) - _fisher(r[2][3])) / error
    return erfc(z / sqrt(2))


def _fisher(r):
    return log((1 + r) / (1 - r)) / 2
