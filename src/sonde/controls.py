"""Controls: data sets with the linguistics taken out. `CONTROLS.make("shuffled,seed=1")(dataset)` is one.

Each leaves a note `control`, with `null`: what a probe that learned nothing scores (docs/design/control-task.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sonde.core import SPLITS, DataProblem, Dataset
from sonde.naming import Contents
from sonde.sampling.allocate import allocate
from sonde.targets import Classes, Column, Scores
from sonde.vectors import Ints, ranges

CONTROLS = Contents(
    "control",
    "sonde.controls",
    {
        "none": "sonde.controls:Unchanged",
        "shuffled": "sonde.controls:Shuffled",
        "word-labels": "sonde.controls:WordLabels",
        "random-asked": "sonde.controls:RandomAsked",
    },
)


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The task as it is."""

    def __call__(self, dataset: Dataset) -> Dataset:
        return dataset


@dataclass(frozen=True, slots=True)
class Shuffled:
    """Labels permuted within each split: what a probe scores that can learn nothing but how frequent labels are."""

    seed: int = field(default=0, kw_only=True)

    def __call__(self, dataset: Dataset) -> Dataset:
        rng = np.random.default_rng([self.seed, 10])
        order = np.arange(len(dataset))
        for split in SPLITS:
            rows = dataset.rows(split)
            order[rows] = rng.permutation(rows)
        changed = replace(dataset, labels=dataset.labels.take(order))
        return changed.noted(control={"name": "shuffled", "seed": self.seed, "null": null_value(changed)})


@dataclass(frozen=True, slots=True)
class WordLabels:
    """Labels drawn for word types: what a probe scores by remembering words (after Hewitt & Liang 2019).

    The key of an example is the rarest word of its sites that at least `least` training examples (10 for whole sentences,
    1 for spans) and a test example have; or its asked words. Examples without a key are left out and counted.
    """

    least: int | None = field(default=None, kw_only=True)
    seed: int = field(default=0, kw_only=True)

    def __call__(self, dataset: Dataset) -> Dataset:
        rng = np.random.default_rng([self.seed, 11])
        whole = bool((dataset.sites[:, :, 1] < 0).all())
        least = (10 if whole else 1) if self.least is None else self.least
        keys = _keys(dataset, least, rng)
        kept = np.flatnonzero(keys >= 0)
        if not all(len(np.intersect1d(kept, dataset.rows(split))) for split in ("train", "test")):
            raise DataProblem(f"control word-labels: train and test share no word that {least} training examples have; write least=1")
        _, codes = np.unique(keys[kept], return_inverse=True)
        changed = dataset.take(kept)
        changed = replace(changed, labels=_drawn(changed, codes, rng))
        return changed.noted(
            control={"name": "word-labels", "seed": self.seed, "null": null_value(changed), "least": least, **_covered(dataset, keys)}
        )


@dataclass(frozen=True, slots=True)
class RandomAsked:
    """Asked words drawn anew for each example: what a probe scores that is not told what is asked (Ettinger et al. 2018, section 7).

    As in the authors' code each slot gets any word of the vocabulary, whatever its kind.
    """

    seed: int = field(default=0, kw_only=True)

    def __call__(self, dataset: Dataset) -> Dataset:
        if not dataset.asked.shape[1]:
            raise DataProblem("control random-asked: the task asks about no words")
        rng = np.random.default_rng([self.seed, 12])
        changed = replace(dataset, asked=rng.integers(len(dataset.vocabulary), size=dataset.asked.shape))
        return changed.noted(control={"name": "random-asked", "seed": self.seed, "null": null_value(changed)})


def null_value(dataset: Dataset) -> float | None:
    """What a probe that learned nothing scores: the share of the commonest class, 0 for scores, None for label sets.

    In accuracy, and for scores in correlation. Label sets have no such number but the best constant of their metric.
    """
    if isinstance(dataset.labels, Scores):
        return 0.0
    if not isinstance(dataset.labels, Classes):
        return None
    test = dataset.labels.ids[dataset.rows("test")]
    return round(float(np.bincount(test).max() / len(test)), 6) if len(test) else None


def _keys(dataset: Dataset, least: int, rng: np.random.Generator) -> Ints:
    """The key of each example [n], -1 without one."""
    if dataset.asked.shape[1]:
        _, keys = np.unique(dataset.asked, axis=0, return_inverse=True)
        shared = np.intersect1d(keys[dataset.rows("train")], keys[dataset.rows("test")])
        return np.where(np.isin(keys, shared), keys, -1)
    owner, words = _words(dataset)
    pairs = np.unique(np.stack([owner, words], 1), axis=0)
    counts = [np.bincount(pairs[dataset.splits[pairs[:, 0]] == s, 1], minlength=int(words.max()) + 1) for s in (0, 2)]
    usable = (counts[0] >= least) & (counts[1] >= 1)
    rank = np.lexsort((rng.random(len(usable)), counts[0], ~usable))  # usable words first, the rarest of them first
    place = np.argsort(rank)
    best = np.full(len(dataset), len(usable))
    np.minimum.at(best, pairs[:, 0], place[pairs[:, 1]])
    found = best < usable.sum()
    return np.where(found, rank[np.minimum(best, len(rank) - 1)], -1)


def _words(dataset: Dataset) -> tuple[Ints, Ints]:
    """The words of all examples, ignoring case: which example each belongs to, and its type."""
    numbers: dict[str, int] = {}
    types = [[numbers.setdefault(w.casefold(), len(numbers)) for w in s.words] for s in dataset.sentences]
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(t) for t in types])])
    flat = np.concatenate([np.array(t, np.int64) for t in types])
    owners, cells = [], []
    for sentence, start, stop in dataset.sites.transpose(1, 2, 0):
        begin = first[sentence] + np.maximum(start, 0)
        end = np.where(start < 0, first[sentence + 1], first[sentence] + stop)
        places, _ = ranges(begin, end)
        owners.append(np.repeat(np.arange(len(dataset)), end - begin))
        cells.append(flat[places])
    return np.concatenate(owners), np.concatenate(cells)


def _drawn(dataset: Dataset, keys: Ints, rng: np.random.Generator) -> Column:
    """A label for each key, so that labels are about as frequent in every split as in the task."""
    labels = dataset.labels
    if not isinstance(labels, Classes):
        drawn = rng.choice(dataset.rows("train"), int(keys.max()) + 1)
        return labels.take(drawn[keys])
    shares = np.bincount(labels.ids, minlength=len(labels.names)).astype(float)
    order = rng.permutation(np.flatnonzero(shares))
    return Classes(order[allocate(keys, dataset.splits.astype(np.int64), shares[order].tolist(), rng)], labels.names)


def _covered(dataset: Dataset, keys: Ints) -> dict[str, Any]:
    """How many keys there are, and what share of each split has one."""
    rows = {split: keys[dataset.rows(split)] for split in SPLITS}
    covered = {split: round(float((found >= 0).mean()), 4) for split, found in rows.items() if len(found)}
    left_out = int((keys < 0).sum())
    used = {split: len(np.unique(found[found >= 0])) for split, found in rows.items()}
    return {"keys": len(np.unique(keys[keys >= 0])), "keys_of_split": used, "covered": covered, "left_out": left_out}
