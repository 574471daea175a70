"""What a rule says of a sentence: an answer, or the reason why there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from sonde.datasets.candidates import NOTHING
from sonde.labels import Label


class Answer(NamedTuple):
    """A label, and what there is to know of it.

    label   a class, a score, or a set of labels
    target  the word form that it is about, '' for none; forms are kept apart between splits
    strata  tags to report by, as the construction that the label is read from
    """

    label: Label
    target: str = ""
    strata: Mapping[str, str] = NOTHING


class Reason(str):
    """Why a rule leaves a sentence out, in a few words; they are counted in the notes."""

    __slots__ = ()


Finding = Answer | str
"""An answer, or why there is none."""


@lru_cache(maxsize=1 << 17)
def answer(
    label: str, target: str = "", majority: str = "", construction: str = "", mark: str = ""
) -> Answer:
    """An answer with its usual strata; the same one is made once, as answers recur.

    majority      the label that most words of the sentence speak for
    construction  that the label is read from; mark: how the sentence ends
    """
    strata = {"majority-feature": majority, "construction": construction, "mark": mark}
    return Answer(label, target, {name: value for name, value in strata.items() if value})


def tallied(findings: Iterable[Finding]) -> tuple[dict[str, int], dict[str, int]]:
    """How many sentences there are by label, and how many are left out by reason; the most frequent
    first.
    """
    labels: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for finding, n in recurring(findings):
        if type(finding) is Answer:
            labels[str(finding.label)] += n
        else:
            reasons[str(finding)] += n
    return dict(labels.most_common()), dict(reasons.most_common())


def counts(findings: Iterable[Finding]) -> dict[str, dict[str, int]]:
    """The same as notes: what is left out by reason, and what there is by label."""
    labels, reasons = tallied(findings)
    return {"left out": reasons, "labels": labels}


def composition(findings: Iterable[Finding]) -> dict[str, dict[str, int]]:
    """Label -> construction that it is read from -> sentences, the most frequent first."""
    by_label: dict[str, Counter[str]] = {}
    for finding, n in recurring(findings):
        if type(finding) is Answer:
            constructions = by_label.setdefault(str(finding.label), Counter())
            constructions[finding.strata.get("construction", "")] += n
    return {label: dict(marks.most_common()) for label, marks in sorted(by_label.items())}


def recurring(findings: Iterable[Finding]) -> list[tuple[Finding, int]]:
    """Findings with how often each object recurs; equal ones may come several times."""
    listed = findings if isinstance(findings, list) else list(findings)
    counts = Counter(map(id, listed))
    objects = dict(zip(map(id, listed), listed, strict=True))
    return [(objects[key], n) for key, n in counts.items()]
