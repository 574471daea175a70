"""What an audit finds, in values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lingprobe.data.labels import Column
from lingprobe.metrics import METRICS, interval_of


@dataclass(frozen=True, slots=True)
class AuditExample:
    """One example to read."""

    split: str
    label: str
    text: str
    target: str = ""
    asked: tuple[str, ...] = ()
    strata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AuditBaseline:
    """What is scored without an encoder: by `name`, with a 95 % interval over examples; `about`
    says what it was fitted on.
    """

    name: str
    score: float
    low: float
    high: float
    about: str = ""

    @classmethod
    def of(
        cls, name: str, metric: str, labels: tuple[Column, Column], *about: str
    ) -> AuditBaseline:
        """The baseline of predicted labels beside the gold ones, which stand first."""
        gold, said = labels
        score = METRICS.make(metric)(gold, said)
        return cls(name, score, *interval_of(metric, gold, [said]), "; ".join(filter(None, about)))


@dataclass(frozen=True, slots=True)
class SplitOverlap:
    """What the second of two splits shares with the first: how many distinct things, and in how
    many of its examples.
    """

    distinct: int
    examples: int


@dataclass(frozen=True, slots=True)
class RepeatedSentence:
    """A sentence that several examples are about: where, as 'train: past' -> examples."""

    text: str
    places: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Audit:
    """What `inspect` found. Shares and scores lie between 0 and 1 (correlations between -1 and 1).

    sizes           examples a split
    balance         split -> label -> examples (weights for label sets; mean, sd, min, max for
                    scores)
    metric          what baselines are in
    floors          by name: constant, set, length, source, word, words, bigrams, characters; empty
                    if nothing was fitted
    correlation     of length and label: Pearson's r if labels are numbers, otherwise how much of
                    the length labels explain (eta)
    before          the same, as r, before and after sampling, from the notes; {} if they do not
                    have it
    lengths         label -> mean words in train (for scores, of the lower and the upper half)
    duplicates      split -> examples with the same question as another one of the split
    contradictions  examples with the same question as another one, but a different label, in all
                    splits
    same            'dev/test' -> 'rows' (in the same order) or 'set' (in another) if two splits
                    have the same examples
    shared          'train/test' -> sentences (ignoring case) of the second that are in the first
    forms           stratum ('target', 'replacement') -> 'train/test' -> word forms of the second
                    that are in the first
    words           split -> share of its distinct words that occur in train
    altered         the label of altered sentences, if the task has any; `versions`: examples with a
                    sentence that occurs in both versions, the same words in another order
    repeats         the sentences with the most examples
    rows            examples sampled at random, to read
    notes           counts from building the data set
    problems        possible problems, one sentence each
    asked           by name, for questions about words: the scores of the asked words, a bag of
                    words and rules
    pairs           every pair of rules, the best first
    negatives       split -> kind of negative -> examples, if the task has the stratum `negative`
    """

    sizes: Mapping[str, int]
    balance: Mapping[str, Mapping[str, float]]
    metric: str
    floors: Mapping[str, AuditBaseline]
    correlation: float
    before: Mapping[str, float]
    lengths: Mapping[str, float]
    duplicates: Mapping[str, int]
    contradictions: int
    same: Mapping[str, str]
    shared: Mapping[str, SplitOverlap]
    forms: Mapping[str, Mapping[str, SplitOverlap]]
    words: Mapping[str, float]
    altered: str
    versions: int
    repeats: tuple[RepeatedSentence, ...]
    rows: tuple[AuditExample, ...]
    notes: Mapping[str, Any]
    problems: tuple[str, ...] = ()
    asked: Mapping[str, AuditBaseline] = field(default_factory=dict)
    pairs: tuple[AuditBaseline, ...] = ()
    negatives: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
