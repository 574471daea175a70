"""Counts of word n-grams, in arrays: what a baseline that reads words sees of each example.

Sites have n-grams of their own; where there are several, words that all of them share are one more
column, and asked words have a column for each slot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import Dataset
from lingprobe.data.vectors import Ints, expand_ranges


@dataclass(frozen=True, slots=True)
class NGramVocabulary:
    """The n-grams of some training examples, which are the columns of `counts`.

    words    the words of sites, by code
    levels   for n = 1, 2, ... the sorted keys of the n-grams: (its first n - 1 words, as their
             column) * len(words) + its last word; single words have the site for a column
    asked    the sorted keys of asked words: slot * len(slots) + word
    slots    the asked words, by code
    several  whether there are several sites; shared: whether an example has a word that all of its
             sites have
    """

    words: Mapping[str, int]
    levels: tuple[Ints, ...]
    asked: Ints
    slots: Mapping[str, int]
    several: bool
    shared: bool
    lower: bool

    @classmethod
    def of(cls, dataset: Dataset, longest: int, lower: bool) -> NGramVocabulary:
        """The n-grams of up to `longest` words of some examples."""
        found = _read_words(dataset, lower)
        words, slots = _number_values(found.words), _number_values(found.slots)
        sites = dataset.sites.shape[1]
        codes = _codes(found.words, words)[found.codes]
        of, at = found.sites, np.arange(len(codes))
        levels: list[Ints] = []
        for _ in range(longest):
            level, columns = np.unique(of * len(words) + codes[at], return_inverse=True)
            levels.append(level)
            of, at = _grown(columns, at, found)
        asked = np.unique(_asked_keys(dataset, found, slots))
        shared = sites > 1 and len(_shared_words(found, sites)) > 0
        return cls(words, tuple(levels), asked[asked >= 0], slots, sites > 1, shared, lower)

    def __len__(self) -> int:
        return sum(map(len, self.levels)) + int(self.shared) + len(self.asked)

    def counts(self, dataset: Dataset) -> Any:
        """How often each example has each column, a sparse array [examples, columns]; what was
        never seen is passed over.
        """
        from scipy.sparse import csr_array

        found = _read_words(dataset, self.lower)
        parts, first = list(self._runs(found)), sum(map(len, self.levels))
        if self.shared:
            rows = _shared_words(found, dataset.sites.shape[1])
            parts.append((rows, np.full(len(rows), first)))
        slots = _locate_keys(_asked_keys(dataset, found, self.slots), self.asked)
        parts.append((np.nonzero(slots >= 0)[0], slots[slots >= 0] + first + self.shared))
        rows, columns = (np.concatenate(part) for part in zip(*parts, strict=True))
        return csr_array((np.ones(len(rows)), (rows, columns)), (len(dataset), len(self)))

    def _runs(self, found: _Read) -> Iterator[tuple[Ints, Ints]]:
        """The examples and the columns of all known n-grams, those of one length at a time."""
        codes = _codes(found.words, self.words)[found.codes]
        of, at, first = found.sites, np.arange(len(codes)), 0
        for level in self.levels:
            keys = of * len(self.words) + codes[at]
            of = _locate_keys(np.where((of < 0) | (codes[at] < 0), -1, keys), level)
            yield found.examples[at[of >= 0]], of[of >= 0] + first
            of, at = _grown(of, at, found)
            first += len(level)

    def names(self) -> list[str]:
        """The columns in words."""
        words, slots = list(self.words), list(self.slots)
        found, before = (
            [],
            (
                [
                    f"{k}:" if self.several else ""
                    for k in range(int(self.levels[0][-1]) // len(words) + 1)
                ]
                if words
                else []
            ),
        )
        for n, level in enumerate(self.levels):
            of, word = np.divmod(level, max(len(words), 1))
            before = [
                before[o] + (" " if n else "") + words[w] for o, w in zip(of, word, strict=True)
            ]
            found += before
        asked = [f"asked {key // len(slots)} {slots[key % len(slots)]}" for key in self.asked]
        return [*found, *(["shared"] if self.shared else []), *asked]


@dataclass(frozen=True, slots=True)
class _Read:
    """The words of all sites one after the other: codes into words, and the site and the example of
    each; sites are whole runs.
    """

    words: list[str]
    slots: list[str]
    codes: Ints
    sites: Ints
    examples: Ints


def _read_words(dataset: Dataset, lower: bool) -> _Read:
    used = np.unique(dataset.sites[:, :, 0])
    runs = [dataset.sentences[s].words for s in used]
    sizes = np.zeros(len(dataset.sentences), np.int64)
    sizes[used] = [len(run) for run in runs]
    forms = _number_values(chain.from_iterable(runs))
    words = [form.lower() for form in forms] if lower else list(forms)
    distinct = _number_values(words)
    places = map(forms.__getitem__, chain.from_iterable(runs))
    codes = _codes(words, distinct)[np.fromiter(places, np.int64, int(sizes.sum()))]
    sentence, start, stop = dataset.sites.reshape(-1, 3).T
    first = (np.cumsum(sizes) - sizes)[sentence]
    whole = start < 0
    rows, offsets = expand_ranges(
        first + np.where(whole, 0, start), first + np.where(whole, sizes[sentence], stop)
    )
    run = np.repeat(np.arange(len(sentence)), np.diff(offsets))
    many = dataset.sites.shape[1]
    slots = [w.lower() if lower else w for w in dataset.vocabulary]
    return _Read(list(distinct), slots, codes[rows], run % many, run // many)


def _number_values(values: Iterable[str]) -> dict[str, int]:
    return {value: i for i, value in enumerate(dict.fromkeys(values))}


def _codes(values: list[str], known: Mapping[str, int]) -> Ints:
    """The codes of some values, -1 for those that are not known."""
    return np.fromiter((known.get(value, -1) for value in values), np.int64, len(values))


def _locate_keys(keys: Ints, level: Ints) -> Ints:
    """Where keys stand among sorted ones; -1 for a key that is -1 or not there."""
    if not len(level):
        return np.full(keys.shape, -1)
    place = np.minimum(np.searchsorted(level, keys), len(level) - 1)
    return np.where((keys >= 0) & (level[place] == keys), place, -1)


def _grown(of: Ints, at: Ints, found: _Read) -> tuple[Ints, Ints]:
    """n-grams that end at words `at` and have one more word of the same site after them: their
    columns, and that word.
    """
    after = at + 1
    inside = after < len(found.codes)
    inside[inside] = (found.examples[after[inside]] == found.examples[at[inside]]) & (
        found.sites[after[inside]] == found.sites[at[inside]]
    )
    return of[inside], after[inside]


def _shared_words(found: _Read, sites: int) -> Ints:
    """The example of every distinct word that all its sites have."""
    size = max(len(found.words), 1)
    keys = [
        np.unique(found.examples[found.sites == k] * size + found.codes[found.sites == k])
        for k in range(sites)
    ]
    every = keys[0]
    for more in keys[1:]:
        every = np.intersect1d(every, more, assume_unique=True)
    return every // size


def _asked_keys(dataset: Dataset, found: _Read, slots: Mapping[str, int]) -> Ints:
    """The keys of asked words [examples, slots], -1 for unknown ones."""
    word = (
        _codes(found.slots, slots)[dataset.asked]
        if len(found.slots)
        else np.empty(dataset.asked.shape, np.int64)
    )
    return np.where(word < 0, -1, np.arange(dataset.asked.shape[1]) * len(slots) + word)


def weigh_counts(counts: Any) -> tuple[NDArray[np.float64], Any]:
    """Inverse document frequencies [columns], smoothed as if one more example had every n-gram, and
    the tf-idf of counts.
    """
    idf = (
        np.log((1 + counts.shape[0]) / (1 + np.bincount(counts.indices, minlength=counts.shape[1])))
        + 1
    )
    return idf, compute_tfidf(counts, idf)


def compute_tfidf(counts: Any, idf: NDArray[np.float64]) -> Any:
    """Counts times idf, each row of length one."""
    read = counts.copy()
    read.data *= idf[read.indices]
    rows = np.repeat(np.arange(read.shape[0]), np.diff(read.indptr))
    norms = np.sqrt(np.bincount(rows, read.data**2, read.shape[0]))
    read.data /= norms[rows]
    return read
