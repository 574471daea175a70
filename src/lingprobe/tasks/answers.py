"""What a rule says of a sentence: an answer, or the reason why there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from lingprobe.data.labels import Label
from lingprobe.data.vectors import Ints
from lingprobe.datasets.candidates import NO_STRATA


class Answer(NamedTuple):
    """A label, with its target form and strata.

    label   a class, a score, or a set of labels
    target  the word form that it is about, '' for none; each form is in one split only
    strata  tags to report by, such as the construction that the label is derived from
    lemma   of the target, '' where it is not known; no lemma makes half of a class
    """

    label: Label
    target: str = ""
    strata: Mapping[str, str] = NO_STRATA
    lemma: str = ""


class Reason(str):
    """Why a rule leaves a sentence out, in a few words; the notes count the reasons."""

    __slots__ = ()


Finding = Answer | str
"""An answer, or why there is none."""


READING_STRATUM, READ_BY_ROWS, UNREAD_BY_ROWS = "reading", "read", "unread"
"""The stratum that says whether rows of constructions cover what a label is derived from."""


@lru_cache(maxsize=1 << 17)
def make_answer(
    label: str,
    target: str = "",
    majority: str = "",
    construction: str = "",
    *,
    lemma: str = "",
    **others: str,
) -> Answer:
    """An answer with its usual strata; the same one is made once, as answers recur.

    majority      the label that most words of the sentence speak for
    construction  that the label is read from
    lemma         of the target, '' or `_` where it is not known
    others        further strata: `mark`, how the sentence ends; `auxiliary`, the one that carries
                  the tense, and the form beside it; `reading`, whether rows cover the construction
    """
    strata = {"majority-feature": majority, "construction": construction, **others}
    known = {name: value for name, value in strata.items() if value}
    return Answer(label, target, known, "" if lemma == "_" else lemma)


@dataclass(frozen=True, slots=True)
class RuleFindings:
    """What a rule says of each sentence: codes [sentences] into distinct findings, which are
    numbered in order of appearance, and how often each recurs.
    """

    codes: Ints
    values: list[Finding]
    many: list[int]

    @classmethod
    def of(cls, codes: Ints, values: list[Finding]) -> RuleFindings:
        """From codes and what they stand for."""
        return cls(codes, values, np.bincount(codes, minlength=len(values)).tolist())

    def recurring(self) -> Iterator[tuple[Finding, int]]:
        """Findings with how often each recurs."""
        return ((value, n) for value, n in zip(self.values, self.many, strict=True) if n)

    def map_values(self, change: Callable[[Finding], Finding]) -> RuleFindings:
        """The same with each finding changed; several may be equal then."""
        return RuleFindings(self.codes, list(map(change, self.values)), self.many)


def count_findings(findings: RuleFindings) -> tuple[dict[str, int], dict[str, int]]:
    """How many sentences there are by label, and how many are excluded by reason; the most frequent
    first.
    """
    labels: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for finding, n in findings.recurring():
        if type(finding) is Answer:
            labels[str(finding.label)] += n
        else:
            reasons[str(finding)] += n
    return dict(labels.most_common()), dict(reasons.most_common())


def count_by_finding(findings: RuleFindings) -> dict[str, dict[str, int]]:
    """The same as notes: what is excluded by reason, and what there is by label."""
    labels, reasons = count_findings(findings)
    return {"left out": reasons, "labels": labels}


def count_constructions(findings: RuleFindings) -> dict[str, dict[str, int]]:
    """Label -> construction that it is read from -> sentences, the most frequent first."""
    by_label: dict[str, Counter[str]] = {}
    for finding, n in findings.recurring():
        if type(finding) is Answer:
            constructions = by_label.setdefault(str(finding.label), Counter())
            constructions[finding.strata.get("construction", "")] += n
    return {label: dict(marks.most_common()) for label, marks in sorted(by_label.items())}
