"""Rules that know one thing of an example, learnt on train and scored on test.

One word: a sentence that has it gets one class, a sentence that lacks it another. What the best
such rule reaches, an encoder may reach by knowing one word: a data set in which it is far above the
best constant asks about that word. The source: the commonest label of each. Where sources differ in
their labels, vectors score by telling the sources apart.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import Dataset
from lingprobe.data.labels import Column, column_from_codes
from lingprobe.data.notes import SourceRule
from lingprobe.data.vectors import Floats, Ints
from lingprobe.metrics import best_constant, interval_of

_SOURCE = "source"
"""The stratum that says which source an example comes from."""


def by_group(train: Column, groups: Ints, tested: Ints) -> Floats:
    """The best constant of each group of training examples for those that are tested [tested,
    outputs]; that of all for a new group.
    """
    scores = np.tile(train.constant(), (len(tested), 1))
    for k in np.unique(groups):
        scores[tested == k] = train.take(np.flatnonzero(groups == k)).constant()
    return scores


def have_several_sources(train: Dataset) -> bool:
    """Whether training examples come from several sources, and say so."""
    tags = train.strata.get(_SOURCE)
    return tags is not None and len(np.unique(tags.codes)) > 1


def by_source(train: Dataset, test: Dataset) -> Column:
    """What the source says of test examples."""
    return test.labels.decode(
        by_group(train.labels, train.strata[_SOURCE].codes, test.strata[_SOURCE].codes)
    )


def measure_source_rule(dataset: Dataset) -> SourceRule | None:
    """Which share of test the source gets right, the lower end of its interval, and that of the
    best constant; None where there is one source or labels are no classes.
    """
    train, test = (dataset.take(dataset.rows(split)) for split in ("train", "test"))
    if dataset.labels.classes is None or not len(test) or not have_several_sources(train):
        return None
    gold, said = test.labels, by_source(train, test)
    low, _ = interval_of("accuracy", gold, [said])
    return SourceRule(
        float((gold.matrix() == said.matrix()).mean()),
        low,
        best_constant(train.labels, gold, "accuracy"),
    )


_CELLS = 4_000_000  # of words by classes that are looked at: the most frequent words


@dataclass(frozen=True, slots=True)
class OneWord:
    """A word, the class with it and the class without, which share of train and test that gets
    right (0 to 1), and who has the word [n].
    """

    word: str
    with_it: str
    without: str
    train: float
    test: float
    has: NDArray[np.bool_]

    def predict(self, rows: Ints, names: Sequence[str]) -> Column:
        """What the rule says of some examples."""
        codes = np.where(self.has[rows], names.index(self.with_it), names.index(self.without))
        return column_from_codes(codes, names)

    def __str__(self) -> str:
        return f"{self.with_it} with {self.word!r}, else {self.without}"


def best_word(dataset: Dataset) -> OneWord | None:
    """The best rule of one word, the one that is right most often on train; None where examples are
    not single whole sentences in classes, with words.
    """
    labels, train, test = dataset.labels, dataset.rows("train"), dataset.rows("test")
    if labels.classes is None or not (dataset.of_sentences and len(train) and len(test)):
        return None
    words, of, codes = _index_words(dataset, dataset.sites[:, 0, 0])
    mine = np.isin(of, train)
    if not mine.any():
        return None
    names = sorted(labels.names)  # so that ties do not depend on the order of examples
    ids = np.array([names.index(name) for name in labels.names])[labels.classes]
    every = np.bincount(ids[train], minlength=len(names))
    common = _commonest(words, codes[mine], max(1, _CELLS // len(names)))
    best, present, absent = _find_best_word(words, common, codes[mine], ids[of[mine]], every)
    has = np.zeros(len(dataset), bool)
    has[of[codes == best]] = True
    right = np.where(has, present, absent) == ids
    shares = float(right[train].mean()), float(right[test].mean())
    return OneWord(words[best], names[present], names[absent], *shares, has)


def _find_best_word(
    words: Sequence[str], common: Ints, codes: Ints, classes: Ints, every: Ints
) -> tuple[int, int, int]:
    """The code of the word whose rule is right most often, the most frequent and then the first by
    letters of several, and the class of examples with it and without; from the word and the class
    of each pair, and how many examples each class has.
    """
    place = np.full(len(words), -1)
    place[common] = np.arange(len(common))
    counts = _count_cooccurrences(place[codes], classes, (len(common), len(every)))
    right = counts.max(1) + (every - counts).max(1)
    ties = np.flatnonzero(right == right.max()).tolist()
    best = min(ties, key=lambda k: (-int(counts[k].sum()), words[int(common[k])]))
    present, absent = int(counts[best].argmax()), int((every - counts[best]).argmax())
    return int(common[best]), present, absent


def _commonest(words: Sequence[str], codes: Ints, most: int) -> Ints:
    """The words that most examples have; so many at most."""
    frequency = np.bincount(codes)
    there = np.flatnonzero(frequency)
    if len(there) <= most:
        return there
    order = sorted(there.tolist(), key=lambda k: (-frequency[k], words[k]))
    return np.array(order[:most])


def _count_cooccurrences(rows: Ints, columns: Ints, shape: tuple[int, int]) -> Ints:
    """How often each row stands beside each column; row -1 is none."""
    cells = (rows * shape[1] + columns)[rows >= 0]
    return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)


_numbers: dict[str, int] = {}


def _index_words(dataset: Dataset, sentences: Ints) -> tuple[Sequence[str], Ints, Ints]:
    """All words that were met, case ignored, and which example has which: examples [pairs], codes
    [pairs], each pair once.
    """
    coded = [_codes(dataset.sentences[s].words) for s in sentences.tolist()]
    sizes = np.fromiter(map(len, coded), np.int64, len(coded))
    codes = np.concatenate([*coded, np.empty(0, np.int64)])
    return list(_numbers), np.repeat(np.arange(len(coded)), sizes), codes


@functools.lru_cache(1 << 16)  # every fold, and every task over the same sentences, asks again
def _codes(words: tuple[str, ...]) -> Ints:
    """The distinct words of a sentence, case ignored, as numbers that stay the same."""
    numbers = [_numbers.setdefault(w.casefold(), len(_numbers)) for w in words]
    return np.unique(np.array(numbers, np.int64))
