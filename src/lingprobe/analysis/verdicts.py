"""Whether differences support a claim about their direction, contradict it, or neither."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from lingprobe.metrics.clusters import quantile
from lingprobe.metrics.multiplicity import ALPHA

Direction = Literal["above", "below", "alike"]
Verdict = Literal["supported", "contradicted", "inconclusive"]


class Estimate(NamedTuple):
    """A difference, its standard error and the error's degrees of freedom; infinitely many for a
    normal distribution.
    """

    value: float
    error: float
    df: float = math.inf

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval."""
        half = quantile(self.df) * self.error
        return self.value - half, self.value + half

    def above(self, bound: float) -> float:
        """The one-sided p value of a true difference of at most the bound."""
        from scipy.special import stdtr

        gap = self.value - bound
        if not self.error:
            return 0.0 if gap > 0 else 1.0
        return float(stdtr(self.df, -gap / self.error))

    def below(self, bound: float) -> float:
        """The one-sided p value of a true difference of at least the bound."""
        return Estimate(-self.value, self.error, self.df).above(-bound)


class Sides(NamedTuple):
    """One-sided p values of the claim's being wrong (small where it is supported), and of its being
    right.
    """

    wrong: float
    right: float


class Settled(NamedTuple):
    """What several differences say of a claim that is made of each of them.

    p          of the claim, two-sided
    supported  whether the evidence is for the claim rather than against it
    decisive   the index of the difference that decides: the weakest one, or the strongest against
               the claim
    agree      how many have the sign that the claim says
    """

    p: float
    supported: bool
    decisive: int
    agree: int


def total(estimates: Sequence[Estimate]) -> Estimate:
    """The sum of independent differences; degrees of freedom are Satterthwaite's."""
    parts = [each.error**2 for each in estimates]
    doubt = sum(part**2 / each.df for part, each in zip(parts, estimates, strict=True))
    df = sum(parts) ** 2 / doubt if doubt else math.inf
    return Estimate(sum(each.value for each in estimates), math.sqrt(sum(parts)), df)


def mean(estimates: Sequence[Estimate]) -> Estimate:
    """The mean of independent differences, as over different test examples."""
    whole, many = total(estimates), len(estimates)
    return Estimate(whole.value / many, whole.error / many, whole.df)


def sides(estimate: Estimate, direction: Direction, within: float = 0.0) -> Sides:
    """The p values of one difference: of being 0, or of leaving `within` on either side where it is
    claimed that scores are alike (two one-sided tests, Schuirmann 1987).
    """
    if direction == "alike":
        inside = max(estimate.above(-within), estimate.below(within))
        return Sides(inside, min(estimate.above(within), estimate.below(-within)))
    both = Sides(estimate.above(0), estimate.below(0))
    return both if direction == "above" else Sides(both.right, both.wrong)


def settled(estimates: Sequence[Estimate], direction: Direction, within: float = 0.0) -> Settled:
    """Tests a claim about each of some differences.

    It is supported if all of them are significant in its direction, which needs no correction
    (Berger 1982), and contradicted if one is significant in the other direction, corrected for
    their number.
    """
    each = [sides(estimate, direction, within) for estimate in estimates]
    wrong = max(side.wrong for side in each)
    right = min(1.0, len(each) * min(side.right for side in each))
    supported = wrong <= right
    decisive = max(range(len(each)), key=lambda i: each[i].wrong)
    if not supported:
        decisive = min(range(len(each)), key=lambda i: each[i].right)
    agree = sum(_agrees(estimate, direction, within) for estimate in estimates)
    return Settled(min(1.0, 2 * min(wrong, right)), supported, decisive, agree)


def _agrees(estimate: Estimate, direction: Direction, within: float) -> bool:
    if direction == "alike":
        return abs(estimate.value) <= within
    return estimate.value > 0 if direction == "above" else estimate.value < 0


def verdict(what: Settled, corrected: float) -> Verdict:
    """The verdict on a claim, from its p value corrected for all claims."""
    if corrected >= ALPHA:
        return "inconclusive"
    return "supported" if what.supported else "contradicted"
