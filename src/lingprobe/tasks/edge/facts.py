"""What annotation says word by word, as facts for oracles of tasks about spans.

The label of a span is annotation itself: there is nothing else that it is derived from. So an
oracle holds the annotation as vectors of words could hold it. Each word has the spans that it lies
in, begins or ends, or the events that it has a part in, and so has every other word of the
sentence; which of it is asked about, the probe has to find out from the spans that it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

from lingprobe.corpora.files import CorpusPart
from lingprobe.data.core import Sentence
from lingprobe.data.labels import MIN_LABEL_WEIGHT, Label
from lingprobe.data.oracles import Facts
from lingprobe.tasks.edge.columns import SentenceTargets
from lingprobe.tasks.edge.family import (
    EdgeTaskOptions,
    ReadingTally,
    TargetReader,
    TaskOracle,
    WordFacts,
)

O = TypeVar("O", bound=EdgeTaskOptions)  # noqa: E741
Span = tuple[int, ...]
Units = Sequence[list[str]]


class MultiLabelTarget(NamedTuple):
    """One target of a sentence: the ends of its spans, and the labels that hold of it."""

    ends: Span
    labels: tuple[str, ...]


Of = Callable[[Sentence, Sequence[MultiLabelTarget]], Facts]
"""The facts of a sentence, from its targets."""
_SPANS = (
    "the labelled spans that each word lies in, begins and ends, with how many others are around"
    " them"
)
_ROLES = (
    "the number of the event that each word names, and its labels in each event that it has a"
    " part in"
)


def make_span_oracle(reader: TargetReader[O]) -> dict[str, TaskOracle[O]]:
    """The oracle of tasks about one span."""
    return {"spans": oracle_of(reader, _SPANS, _span_facts)}


def make_role_oracle(reader: TargetReader[O]) -> dict[str, TaskOracle[O]]:
    """The oracle of tasks about two spans, of which the first is an event and the second takes part
    in it.
    """
    return {"roles": oracle_of(reader, _ROLES, _event_facts)}


def make_span_or_pair_oracle(reader: TargetReader[O]) -> dict[str, TaskOracle[O]]:
    """The oracle of files that may have targets of either sort."""
    return {"labels": oracle_of(reader, f"{_SPANS}; of pairs, {_ROLES}", _of_either)}


def oracle_of(reader: TargetReader[O], holds: str, of: Of) -> TaskOracle[O]:
    """An oracle that is made from the targets of each sentence."""
    return TaskOracle(holds, FromTargets(reader, of))


@dataclass(frozen=True, slots=True)
class FromTargets(Generic[O]):
    """How facts are made from the targets of each sentence; a value, so that tasks pickle and are
    equal.
    """

    reader: TargetReader[O]
    of: Of

    def __call__(self, options: O, parts: list[CorpusPart], count: ReadingTally) -> WordFacts:
        """The facts of every sentence in some files."""
        return (
            (sentence, self.of(sentence, mine))
            for sentence, mine in collect_targets(self.reader(options, parts, count)).items()
        )


def collect_targets(sentences: Iterable[SentenceTargets]) -> dict[Sentence, list[MultiLabelTarget]]:
    """The targets of each sentence, wherever they are listed; none of pairs that lie in two
    sentences.
    """
    known: dict[Sentence, dict[MultiLabelTarget, None]] = {}
    for one in sentences:
        mine = known.setdefault(one.sentence, {})
        if one.second is None:
            mine |= dict.fromkeys(
                MultiLabelTarget(tuple(ends), true_labels(label))
                for ends, label in zip(one.spans, one.labels, strict=True)
            )
    return {sentence: list(mine) for sentence, mine in known.items()}


def true_labels(label: Label) -> tuple[str, ...]:
    """The labels that hold of a target."""
    if isinstance(label, Mapping):
        return tuple(sorted(name for name, weight in label.items() if weight >= MIN_LABEL_WEIGHT))
    return tuple(sorted(label)) if isinstance(label, frozenset) else (str(label),)


def nesting_depths(places: Iterable[Span]) -> dict[Span, int]:
    """Spans, the outer before the inner, each with the number of those that are around it."""
    depths: dict[Span, int] = {}
    around: list[Span] = []
    for span in sorted(places, key=lambda ends: (ends[0], -ends[1])):
        around = [outer for outer in around if outer[1] >= span[1]]
        depths[span] = len(around)
        around.append(span)
    return depths


def mark_span_words(units: Units, span: Span, role: str) -> None:
    """Say of each word of a span that it lies in it, and of the first and the last that it begins
    or ends there.
    """
    inside, begins, ends = _boundary_facts(role)
    for word in range(*span):
        units[word].append(inside)
    units[span[0]].append(begins)
    units[span[1] - 1].append(ends)


@lru_cache(maxsize=1 << 16)
def _boundary_facts(what: str) -> tuple[str, str, str]:
    """The facts of a span; each string is made once, however many words have it."""
    return what, f"{what} begins", f"{what} ends"


def _span_facts(sentence: Sentence, mine: Sequence[MultiLabelTarget]) -> Facts:
    units: list[list[str]] = [[] for _ in sentence.words]
    labels: dict[Span, set[str]] = {}
    for target in mine:
        labels.setdefault(target.ends, set()).update(target.labels)
    for span, depth in nesting_depths(labels).items():
        for label in sorted(labels[span]):
            mark_span_words(units, span, f"{label} {depth}")
    return units


def _event_facts(sentence: Sentence, mine: Sequence[MultiLabelTarget]) -> Facts:
    units: list[list[str]] = [[] for _ in sentence.words]
    events = {
        span: f"event {number}"
        for number, span in enumerate(sorted({target.ends[:2] for target in mine}), 1)
    }
    for span, event in events.items():
        for word in range(*span):
            units[word].append(event)
    for target in mine:
        said = [f"{events[target.ends[:2]]}: {label}" for label in target.labels]
        for word in range(*target.ends[2:]):
            units[word] += said
    return units


def _of_either(sentence: Sentence, mine: Sequence[MultiLabelTarget]) -> Facts:
    return (_event_facts if mine and len(mine[0].ends) > 2 else _span_facts)(sentence, mine)
