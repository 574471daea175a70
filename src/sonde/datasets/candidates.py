"""What a task hands in to be sampled, and the same in columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from sonde.core import DataProblem, Sentence
from sonde.corpora.text import letters
from sonde.labels import Label
from sonde.vectors import Ints

NOTHING: Mapping[str, str] = MappingProxyType({})


class Candidate(NamedTuple):
    """A sentence that could become an example; a tuple, because there may be millions.

    target   the word form that the label is about, '' where there is none; forms are kept apart
             between splits, ignoring case
    split    where the source puts it: 'train', 'dev', 'test', or '' where it does not say
    length   what decorrelation calls the length; None: the number of words
    """

    sentence: Sentence
    label: Label
    target: str = ""
    split: str = ""
    strata: Mapping[str, str] = NOTHING
    length: int | None = None


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates in columns, all [n].

    labels   codes into names; classes are numbered in sorted order, other labels as they come and
             without names
    targets  codes into forms, -1 without a target
    content  equal for sentences of the same words, ignoring case
    letters  equal for those of the same letters and digits, whatever their marks and spaces
    splits   0 train, 1 dev, 2 test, -1 unknown
    classes  whether the labels are classes, which can be balanced
    """

    candidates: Sequence[Candidate]
    labels: Ints
    names: tuple[str, ...]
    targets: Ints
    forms: tuple[str, ...]
    content: Ints
    letters: Ints
    lengths: Ints
    splits: Ints
    classes: bool

    @classmethod
    def of(cls, candidates: Iterable[Candidate]) -> Pool:
        """Columns of some candidates."""
        listed = list(candidates)
        if not listed:
            raise DataProblem("no candidates: nothing in the data answers the task's question")
        classes = all(isinstance(c.label, str) for c in listed)
        labels, distinct = numbered(
            c.label if isinstance(c.label, str) else _frozen(c.label) for c in listed
        )
        names = tuple(map(str, distinct)) if classes else ()
        if classes:
            order = sorted(range(len(names)), key=names.__getitem__)
            labels = np.argsort(order)[labels]
            names = tuple(names[i] for i in order)
        targets, forms = numbered(c.target.casefold() for c in listed)
        if "" in forms:
            targets = np.where(targets == forms.index(""), -1, targets)
        lengths = (len(c.sentence.words) if c.length is None else c.length for c in listed)
        splits = (_SPLITS.get(c.split, -1) for c in listed)
        # 64-bit hashes stand for the words: at ten million sentences two differing ones meet with a
        # chance of 3e-6
        content = (hash("\x1f".join(c.sentence.words).casefold()) for c in listed)
        alike = (hash(letters("".join(c.sentence.words)) or n) for n, c in enumerate(listed))
        words, spelling, sizes, parts = (
            np.fromiter(values, np.int64, len(listed))
            for values in (content, alike, lengths, splits)
        )
        texts = tuple(map(str, forms))
        return cls(listed, labels, names, targets, texts, words, spelling, sizes, parts, classes)

    def counts(self, rows: Ints) -> dict[str, int]:
        """How many of these rows each class has; {} where labels are no classes."""
        if not self.classes:
            return {}
        counts = np.bincount(self.labels[rows], minlength=len(self.names))
        return {name: int(n) for name, n in zip(self.names, counts, strict=True)}


_SPLITS = {"train": 0, "dev": 1, "test": 2}


def numbered(values: Iterable[Hashable]) -> tuple[Ints, list[Hashable]]:
    """Codes of some values in order of appearance, and the values by code."""
    numbers: dict[Hashable, int] = {}
    codes = np.fromiter((numbers.setdefault(v, len(numbers)) for v in values), np.int64)
    return codes, list(numbers)


def _frozen(label: Label) -> Hashable:
    return tuple(sorted(label.items())) if isinstance(label, Mapping) else label
