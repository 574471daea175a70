"""Labelled spans -> a data set in columns: divided into splits, cut to a size, counted; no object
per target.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np

from lingprobe.corpora.marks import fold_form
from lingprobe.data.checks import check_number
from lingprobe.data.core import DATA_SPLITS, DataProblem, Dataset, Sentence, Tags
from lingprobe.data.labels import Label
from lingprobe.data.vectors import Ints
from lingprobe.datasets.candidates import NO_STRATA, WORD_SEPARATOR, joined
from lingprobe.datasets.splits import allocate_to_all, apportion_total

_SHARES = (0.8, 0.1, 0.1)  # of train, dev and test where the files say no splits
_UNKNOWN = -1
_AT_ONCE = 1 << 14  # targets whose words are held at once


class SentenceTargets(NamedTuple):
    """One sentence with its targets side by side.

    spans    (start, stop) of each target, or (start, stop, start, stop) of a pair
    labels   one a target
    split    what the source says, '' where it says nothing
    strata   tags to report by, one value a target, '' for none
    second   the sentence that the second spans lie in, where it is another
    group    what stays in one split when splits are drawn, as a document; '' for nothing but equal
             sentences
    """

    sentence: Sentence
    spans: Sequence[tuple[int, ...]]
    labels: Sequence[Label]
    split: str = ""
    strata: Mapping[str, Sequence[str]] = NO_STRATA
    second: Sentence | None = None
    group: str = ""


@dataclass(frozen=True, slots=True)
class UnsplitDataset:
    """A data set whose splits may be unknown (-1), and what belongs together: owners and groups are
    numbers [examples].
    """

    dataset: Dataset
    owners: Ints
    groups: Ints


def pool_targets(sentences: Iterable[SentenceTargets]) -> UnsplitDataset:
    """All targets in columns, in order, with their distance; the first pair that does not fit the
    others is named.
    """
    lists = _Lists()
    for one in sentences:
        if one.spans:
            lists.add(one)
    if not lists.labels:
        raise DataProblem("no targets: nothing in the data has an answer to the task's question")
    firsts, seconds, splits, groups, sizes = np.array(lists.rows, np.int64).T
    sites = _sites(lists.ends(), np.repeat(firsts, sizes), np.repeat(seconds, sizes))
    strata: dict[str, Any] = {
        key: [value or None for value in values] for key, values in lists.strata.items()
    }
    if sites.shape[1] == 2:
        strata["distance"] = _distance(sites)
    dataset = Dataset.of_columns(
        lists.numbers,
        sites,
        lists.labels,
        np.repeat(splits, sizes),
        strata={key: strata[key] for key in sorted(strata)},
    )
    return UnsplitDataset(
        dataset, np.repeat(np.arange(len(sizes)), sizes), np.repeat(groups, sizes)
    )


@dataclass(slots=True)
class _Lists:
    """Targets one after the other, while sentences are read.

    numbers, groups  of sentences, and of what stays in one split
    rows             a sentence each: first, second, split, group, how many targets
    spans            where the spans of the targets begin and end; widths: how many numbers a target
                     has there
    """

    numbers: dict[Sentence, int] = field(default_factory=dict)
    groups: dict[str, int] = field(default_factory=dict)
    rows: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    spans: array[int] = field(default_factory=lambda: array("q"))
    widths: set[int] = field(default_factory=set)
    labels: list[Label] = field(default_factory=list)
    strata: dict[str, list[str]] = field(default_factory=dict)

    def add(self, one: SentenceTargets) -> None:
        """Take in the targets of a sentence."""
        first = self._number(one.sentence)
        second = first if one.second is None else self._number(one.second)
        # no group begins with a line end
        alike = one.group or WORD_SEPARATOR + joined(one.sentence.words).casefold()
        group = self.groups.setdefault(alike, len(self.groups))
        split = DATA_SPLITS.index(one.split) if one.split else _UNKNOWN
        self.rows.append((first, second, split, group, len(one.spans)))
        for key in self.strata.keys() | one.strata.keys():
            values = self.strata.setdefault(key, [""] * len(self.labels))
            values.extend(one.strata.get(key) or [""] * len(one.spans))
        self.spans.extend(chain.from_iterable(one.spans))
        self.widths.update(map(len, one.spans))
        self.labels.extend(one.labels)

    def ends(self) -> Ints:
        """The spans [targets, 2 or 4]; DataProblem where some targets have other numbers of
        them.
        """
        if len(self.widths) > 1:
            raise DataProblem(
                "some targets have one span and others two; one data set holds one kind of target"
            )
        return np.array(self.spans, np.int64).reshape(len(self.labels), -1)

    def _number(self, sentence: Sentence) -> int:
        return self.numbers.setdefault(sentence, len(self.numbers))


def _sites(ends: Ints, first: Ints, second: Ints) -> Ints:
    """Sites [n, 1 or 2, 3] of spans, and the sentences that they lie in."""
    sites = np.empty((len(ends), ends.shape[1] // 2, 3), np.int64)
    sites[:, 0, 0] = first
    sites[:, 1:, 0] = second[:, None]
    sites[:, :, 1:] = ends.reshape(len(ends), -1, 2)
    return sites


def _distance(sites: Ints) -> Tags:
    """The number of words between two spans: 0 where they touch or overlap; none where they lie in
    two sentences.
    """
    first, second = sites[:, 0], sites[:, 1]
    gaps = np.maximum(np.maximum(second[:, 1] - first[:, 2], first[:, 1] - second[:, 2]), 0)
    gaps[first[:, 0] != second[:, 0]] = _UNKNOWN
    distances, codes = np.unique(gaps, return_inverse=True)
    apart = int(distances[0] == _UNKNOWN)
    return Tags(codes.reshape(-1).astype(np.int64) - apart, tuple(map(str, distances[apart:])))


def assign_splits(pool: UnsplitDataset, sampled: bool, seed: int) -> Dataset:
    """Without any split, sentences or documents are divided 8:1:1, as by `sampled`, what belongs
    together in one; else the data set has the splits of the source.
    """
    dataset = pool.dataset
    unknown = dataset.splits == _UNKNOWN
    if unknown.any() and not unknown.all() and not sampled:
        raise DataProblem(
            "some files say no split and others do; rename them after train, dev and test, or write"
            " splits=sampled"
        )
    if not (sampled or unknown.all()):
        return dataset
    codes = dataset.labels.codes_to_balance()
    parts = allocate_to_all(pool.groups, codes, _SHARES, np.random.default_rng([seed, 6]))
    return replace(dataset, splits=parts.astype(np.int8)).with_notes(
        splits={"drawn": "8:1:1", "groups": len(np.unique(pool.groups)), "seed": seed}
    )


def sample_targets(dataset: Dataset, owners: Ints, size: int, seed: int) -> tuple[Dataset, Ints]:
    """`size=`: about so many targets, in whole sentences, each split keeping its share; and the
    owners that are left.
    """
    check_number("size", size, "1", "or leave size out for all", DataProblem)
    if size >= len(dataset):
        return dataset, owners
    rng = np.random.default_rng([seed, 7])
    quotas = apportion_total(
        size, np.bincount(dataset.splits, minlength=len(DATA_SPLITS)).astype(float)
    )
    chosen = []
    for split, quota in zip(DATA_SPLITS, quotas, strict=True):
        rows = dataset.rows(split)
        mine = rng.permutation(np.unique(owners[rows]))
        reached = np.cumsum(np.bincount(owners[rows], minlength=int(owners.max()) + 1)[mine])
        chosen.append(
            rows[
                np.isin(
                    owners[rows], mine[: np.searchsorted(reached, quota) + 1] if quota else mine[:0]
                )
            ]
        )
    rows = np.sort(np.concatenate(chosen))
    return (
        prune_dataset(dataset.take(rows)).with_notes(
            size={"asked": size, "of": len(dataset), "seed": seed}
        ),
        owners[rows],
    )


def prune_dataset(dataset: Dataset) -> Dataset:
    """The same targets without the sentences that none of them is about, and without the classes
    that none of them has.
    """
    used, codes = np.unique(dataset.sites[:, :, 0], return_inverse=True)
    sites = dataset.sites.copy()
    sites[:, :, 0] = codes.reshape(sites.shape[:2])
    sentences = tuple(dataset.sentences[i] for i in used)
    return replace(
        dataset, sentences=sentences, sites=sites, labels=dataset.labels.without_unused()
    )


def tagged_seen(dataset: Dataset) -> Dataset:
    """With the subgroup `seen`, of dev and test: whether train has a target with the same words,
    case ignored; without train there is none.

    yes: it does; no: it does not. Of pairs, `apart`: train has either span's words, but never both
    together in one target.
    """
    if not len(dataset.rows("train")):
        return dataset
    forms, many, train = _number_span_words(dataset), dataset.sites.shape[1], dataset.rows("train")
    pair = forms[:, 0] if many == 1 else forms[:, 0] * (int(forms.max()) + 1) + forms[:, 1]
    each = np.all([np.isin(forms[:, k], forms[train, k]) for k in range(many)], 0)
    together = np.isin(pair, pair[train])
    names = ("no", "yes") if many == 1 else ("no", "apart", "yes")
    codes = np.where(together, len(names) - 1, each.astype(np.int64))
    codes[train] = _UNKNOWN
    strata = {**dataset.strata, "seen": Tags(codes, names)}
    return replace(dataset, strata={key: strata[key] for key in sorted(strata)})


def _number_span_words(dataset: Dataset) -> Ints:
    """Numbers of the words of each span, case ignored [examples, spans]."""

    @lru_cache(maxsize=_AT_ONCE)  # targets of a sentence follow one another
    def words(sentence: int) -> list[str]:
        return list(map(fold_form, dataset.sentences[sentence].words))

    numbers: dict[str, int] = {}
    forms = np.empty(dataset.sites.shape[:2], np.int64)
    for first in range(0, len(dataset), _AT_ONCE):
        sites = dataset.sites[first : first + _AT_ONCE]
        for k in range(sites.shape[1]):
            texts = (" ".join(words(s)[a:b]) for s, a, b in sites[:, k].tolist())
            forms[first : first + len(sites), k] = [
                numbers.setdefault(form, len(numbers)) for form in texts
            ]
    return forms


def count_targets(dataset: Dataset, owners: Ints) -> dict[str, Any]:
    """What a reader should know: targets a split, sentences that recur, labels that train lacks."""
    notes: dict[str, Any] = {"targets": {split: len(dataset.rows(split)) for split in DATA_SPLITS}}
    repeated = _count_repeats(dataset, owners)
    if shown := {what: n for what, n in repeated.items() if n}:
        notes["sentences that recur"] = shown
    if unseen := _unseen(dataset):
        notes["labels that train lacks"] = unseen
    return notes


def _count_repeats(dataset: Dataset, owners: Ints) -> dict[str, int]:
    """How many sentences come again, in the same split and in another."""
    wordings: dict[tuple[str, ...], int] = {}
    content = np.array(
        [wordings.setdefault(s.words, len(wordings)) for s in dataset.sentences], np.int64
    )[dataset.sites[:, 0, 0]]
    # a sentence is read once, but paired with several
    within = np.flatnonzero(dataset.sites[:, 0, 0] == dataset.sites[:, -1, 0])
    first = within[np.unique(owners[within], return_index=True)[1]]
    repeated: dict[str, int] = {}
    home: dict[str, set[int]] = {}
    for split in DATA_SPLITS:
        mine = content[first[dataset.splits[first] == DATA_SPLITS.index(split)]]
        home[split] = set(mine.tolist())
        repeated[f"again in {split}"] = len(mine) - len(home[split])
    for a, b in combinations(DATA_SPLITS, 2):
        repeated[f"in {a} and {b}"] = len(home[a] & home[b])
    return repeated


def _unseen(dataset: Dataset) -> dict[str, int]:
    """Labels of dev and test that no training target has, with how many targets have them; none
    where there is no train.
    """
    if not len(train := dataset.rows("train")):
        return {}
    taught = dataset.labels.take(train).counts()
    others = dataset.labels.take(np.flatnonzero(dataset.splits != 0)).counts()
    return {name: n for name, n in others.items() if n and not taught[name]}
