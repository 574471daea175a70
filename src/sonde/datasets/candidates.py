"""What a task hands in to be sampled, the same in columns, and what is left out before anything is
drawn: duplicates, target forms outside the band, rare classes. All counted.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from sonde.core import SPLITS, DataProblem, Sentence
from sonde.corpora.text import letters
from sonde.datasets.settings import SampleSettings
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
        hashes = [_hashes(c.sentence.words) for c in listed]
        content = (words for words, _ in hashes)
        alike = (hash(n) if spelt is None else spelt for n, (_, spelt) in enumerate(hashes))
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


@functools.lru_cache(1 << 16)  # every fold, and every task over the same sentences, asks again
def _hashes(words: tuple[str, ...]) -> tuple[int, int | None]:
    """Hashes of 64 bits that stand for words without their case, and for their letters and digits,
    None where they have none: at ten million sentences two differing ones meet with a chance of
    3e-6.
    """
    spelt = letters("".join(words))
    return hash("\x1f".join(words).casefold()), hash(spelt) if spelt else None


_SPLITS = {"train": 0, "dev": 1, "test": 2}


def numbered(values: Iterable[Hashable]) -> tuple[Ints, list[Hashable]]:
    """Codes of some values in order of appearance, and the values by code."""
    numbers: dict[Hashable, int] = {}
    codes = np.fromiter((numbers.setdefault(v, len(numbers)) for v in values), np.int64)
    return codes, list(numbers)


def _frozen(label: Label) -> Hashable:
    return tuple(sorted(label.items())) if isinstance(label, Mapping) else label


Notes = dict[str, Any]

# of official splits test keeps what is in several, then dev: what is tested stays what it was
HOME = np.array([2, 1, 0])


def distinct(pool: Pool, notes: Notes) -> Ints:
    """One row for every run of words; words that occur with two labels are left out altogether.

    Of sentences that differ in marks, spaces or how they were cut into words only one is kept: a
    probe that had it in train would know it.
    """
    order = np.lexsort((np.arange(len(pool.content)), HOME[pool.splits], pool.content))
    first = np.flatnonzero(np.r_[True, np.diff(pool.content[order]) != 0])
    labels = pool.labels[order]
    agree = np.maximum.reduceat(labels, first) == np.minimum.reduceat(labels, first)
    sizes = np.diff(np.r_[first, len(order)])
    notes["conflicting"] = int(sizes[~agree].sum())
    notes["duplicates"] = int((sizes[agree] - 1).sum())
    kept = np.sort(order[first[agree]])
    alike = np.lexsort((kept, HOME[pool.splits[kept]], pool.letters[kept]))
    alone = alike[np.r_[True, np.diff(pool.letters[kept][alike]) != 0][: len(alike)]]
    notes["near_duplicates"] = len(kept) - len(alone)
    return np.asarray(kept[np.sort(alone)])


def banded(pool: Pool, rows: Ints, settings: SampleSettings, notes: Notes) -> Ints:
    """Rows whose target form is neither too rare nor too common (Krasnowska-Kieraś & Wróblewska
    2019, section 4.2).
    """
    targets = pool.targets[rows]
    some = targets >= 0
    if not some.any():
        return rows
    counts = np.bincount(targets[some], minlength=len(pool.forms))
    rarest, commonest, cap = settings.bounds(int(some.sum()), int((counts > 0).sum()))
    rare, common = (counts > 0) & (counts < rarest), counts > commonest
    notes["targets"] = {
        "forms": int((counts > 0).sum()),
        "rarest": rarest,
        "commonest": commonest,
        "cap": cap,
    }
    notes["too_rare"] = {"forms": int(rare.sum()), "examples": int(counts[rare].sum())}
    notes["too_common"] = {"forms": int(common.sum()), "examples": int(counts[common].sum())}
    return rows[~some | ~(rare | common)[targets]]


def capped(pool: Pool, rows: Ints, rng: np.random.Generator, notes: Notes) -> Ints:
    """At most `cap` rows of each target form, drawn at random, in order (same section)."""
    if "targets" not in notes:
        return rows
    targets = pool.targets[rows]
    order = np.lexsort((rng.random(len(targets)), targets))
    ranked = targets[order]
    rank = np.arange(len(order)) - np.searchsorted(ranked, ranked)
    kept = np.sort(order[(rank < notes["targets"]["cap"]) | (ranked < 0)])
    notes["over_cap"] = len(rows) - len(kept)
    return np.asarray(rows[kept])


def common(pool: Pool, rows: Ints, settings: SampleSettings, notes: Notes) -> Ints:
    """Rows of classes with enough examples; too few are refused, or dropped and counted."""
    counts = pool.counts(rows)
    rare = {name: n for name, n in counts.items() if n < settings.least}
    if rare and settings.rare == "refuse":
        raise DataProblem(too_few(rare, settings.least, notes))
    if rare:
        notes["rare_classes"] = rare
        rows = rows[
            ~np.isin(pool.labels[rows], [i for i, name in enumerate(pool.names) if name in rare])
        ]
    if pool.classes and len(counts) - len(rare) < 2:
        raise DataProblem(
            f"one class is no question: {counts} after {left_out(notes)}; at least two need"
            f" {settings.least} examples each"
        )
    if not len(rows):
        raise DataProblem(
            f"nothing is left of {notes['candidates']} candidates after {left_out(notes)}"
        )
    return rows


def apart(pool: Pool, rows: Ints, notes: Notes) -> Ints:
    """Rows of official splits whose target form has its home in their own split; the others are
    counted by split.
    """
    if (unknown := np.flatnonzero(pool.splits[rows] < 0)).size:
        text = pool.candidates[rows[unknown[0]]].sentence.text
        raise DataProblem(
            f"{len(unknown)} candidates have no official split, the first is {text[:60]!r}; write"
            " splits=sampled"
        )
    targets, ranks = pool.targets[rows], HOME[pool.splits[rows]]
    home = np.full(len(pool.forms) + 1, len(SPLITS))
    np.minimum.at(home, targets, ranks)
    stay = (targets < 0) | (home[targets] == ranks)
    gone = np.bincount(pool.splits[rows[~stay]], minlength=3)
    notes["target_in_another_split"] = {name: int(n) for name, n in zip(SPLITS, gone, strict=True)}
    return np.asarray(rows[stay])


def too_few(counts: dict[str, int], least: int, notes: Notes) -> str:
    """Why a task is refused, with counts."""
    rarest = ", ".join(
        f"{name}: {n}" for name, n in sorted(counts.items(), key=lambda item: item[1])[:10]
    )
    return (
        f"too few examples of a class ({rarest}; {least} are needed) among {notes['candidates']}"
        f" candidates, after {left_out(notes)}"
    )


def left_out(notes: Notes) -> str:
    """What was left out so far, in words."""
    many = notes.get("duplicates", 0) + notes.get("near_duplicates", 0)
    reasons = [f"{many} duplicates", f"{notes.get('conflicting', 0)} with two labels"]
    for key in ("too_rare", "too_common"):
        if key in notes:
            reasons.append(f"{notes[key]['examples']} with a {key.replace('_', ' ')} target form")
    if notes.get("over_cap"):
        reasons.append(f"{notes['over_cap']} over the cap of a target form")
    return ", ".join(reasons) + " were left out"
