"""Whether differences support a claim about their direction, contradict it, or neither."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from scipy.special import stdtrit

CLAIM_SIGNIFICANCE_LEVEL = 0.05  # the level of significance
Direction = Literal["above", "below", "alike"]
Verdict = Literal["supported", "contradicted", "inconclusive"]


class DifferenceEstimate(NamedTuple):
    """A difference, its standard error and the error's degrees of freedom; infinitely many for a
    normal distribution.
    """

    value: float
    error: float
    df: float = math.inf

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval."""
        half = student_reach(self.df) * self.error
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
        return DifferenceEstimate(-self.value, self.error, self.df).above(-bound)


class ClaimEvidence(NamedTuple):
    """One-sided p values of a claim's being wrong (small where it is supported) and of its being
    right, and the differences that decide, by index.

    weakest    the one whose support is the weakest that the claim needs
    strongest  the one whose evidence against the claim is the weakest that its refutation needs
    agrees     whether the differences have the sign that the claim says
    """

    wrong: float
    right: float
    weakest: int
    strongest: int
    agrees: bool

    @property
    def p(self) -> float:
        """The two-sided p value."""
        return min(1.0, 2 * min(self.wrong, self.right))

    @property
    def supports(self) -> bool:
        """Whether the evidence is for the claim rather than against it."""
        return self.wrong <= self.right

    @property
    def decisive(self) -> int:
        """The difference that decides."""
        return self.weakest if self.supports else self.strongest


def sum_differences(estimates: Sequence[DifferenceEstimate]) -> DifferenceEstimate:
    """The sum of independent differences; degrees of freedom are Satterthwaite's."""
    parts = [each.error**2 for each in estimates]
    doubt = sum(part**2 / each.df for part, each in zip(parts, estimates, strict=True))
    df = sum(parts) ** 2 / doubt if doubt else math.inf
    return DifferenceEstimate(sum(each.value for each in estimates), math.sqrt(sum(parts)), df)


def compute_evidence(
    estimate: DifferenceEstimate, direction: Direction, within: float = 0.0, index: int = 0
) -> ClaimEvidence:
    """What one difference says of a claim about its direction; alike and at chance mean less than
    some points, by two one-sided tests.

    `alike` says that it is less than `within` on either side (two one-sided tests, Schuirmann
    1987); `above` and `below` that it is not `within` or more on the other side of 0.
    """
    value = estimate.value
    if direction == "alike":
        wrong = max(estimate.above(-within), estimate.below(within))
        right = min(estimate.above(within), estimate.below(-within))
        return ClaimEvidence(wrong, right, index, index, abs(value) <= within)
    if direction == "above":
        wrong, right = estimate.above(-within), estimate.below(-within)
        return ClaimEvidence(wrong, right, index, index, value > -within)
    return ClaimEvidence(
        estimate.below(within), estimate.above(within), index, index, value < within
    )


def combine_at_least(k: int, evidence: Sequence[ClaimEvidence]) -> ClaimEvidence:
    """Whether so many comparisons are significant in a claim's direction: what evidence on some
    claims says of the claim that at least `k` of them are true.

    Partial conjunction (Benjamini & Heller 2008, Biometrics 64, section 2): fewer than k are true
    only if some n - k + 1 of them are all wrong. The p value is the largest over all such choices
    of the p value that these are wrong, by Bonferroni, which holds however the claims depend on
    each other: n - k + 1 times the k-th smallest. For k = n that is the largest of all (Berger
    1982). All counts up to the number that Holm's procedure rejects are supported, which is the
    bound by closed testing (Goeman & Solari 2011). The claim is refuted if n - k + 1 are wrong.
    """
    n = len(evidence)
    wrong = sorted(evidence, key=lambda part: part.wrong)[k - 1]
    right = sorted(evidence, key=lambda part: part.right)[n - k]
    return ClaimEvidence(
        min(1.0, (n - k + 1) * wrong.wrong),
        min(1.0, k * right.right),
        wrong.weakest,
        right.strongest,
        sum(part.agrees for part in evidence) >= k,
    )


def judge_claim(evidence: ClaimEvidence, corrected: float) -> Verdict:
    """Whether a claim holds, does not hold, or is inconclusive, from its p value corrected over all
    claims.
    """
    if corrected >= CLAIM_SIGNIFICANCE_LEVEL:
        return "inconclusive"
    return "supported" if evidence.supports else "contradicted"


def student_reach(df: float) -> float:
    """How many standard errors a 95 % interval reaches to either side: Student's t."""
    return float(stdtrit(df, 0.975))
