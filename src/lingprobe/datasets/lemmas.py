"""No lemma alone makes half of a class: of 91 plural subjects of Biblical Hebrew 48 are *Elohim*,
and what distinguishes these is a word and not a number.

Target forms are kept apart and capped, but a lemma may have many. Where a class is too small
without what is above the bound, all of it stays, and the notes say so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from lingprobe.data.vectors import Ints
from lingprobe.datasets.candidates import CandidatePool, Notes
from lingprobe.datasets.settings import SampleSettings

MAX_LEMMA_SHARES = (0.5, 0.4, 0.3)
"""Of a class that a lemma may have among the candidates, one after the other until none makes half
of a class in what is drawn of them.
"""
_HALF = 0.5
_FEWEST = 20  # examples of a class, below which a lemma may have half of it by chance
_MAX_NAMED = 3  # classes that a remark names


class DominantLemma(NamedTuple):
    """A class that is mostly one lemma, and how many of its examples have it."""

    label: str
    lemma: str
    examples: int
    total: int


def find_dominances(pool: CandidatePool, rows: Ints, share: float = _HALF) -> list[DominantLemma]:
    """The classes of some rows of which one lemma has such a share or more."""
    if not pool.classes:
        return []
    some = rows[pool.lemmas[rows] >= 0]
    wide = len(pool.lemma_names) + 1
    cells, many = np.unique(pool.labels[some] * wide + pool.lemmas[some], return_counts=True)
    totals = np.bincount(pool.labels[rows], minlength=len(pool.names))
    largest: dict[int, tuple[int, int]] = {}
    for cell, n in zip(cells.tolist(), many.tolist(), strict=True):
        label, lemma = divmod(cell, wide)
        largest[label] = max(largest.get(label, (0, 0)), (n, -lemma))
    return [
        DominantLemma(pool.names[label], pool.lemma_names[-lemma], n, int(totals[label]))
        for label, (n, lemma) in sorted(largest.items())
        if totals[label] >= _FEWEST and n >= share * totals[label]
    ]


def cap_lemmas(
    pool: CandidatePool, rows: Ints, share: float, settings: SampleSettings, notes: Notes
) -> Ints:
    """Rows of which no lemma has such a share of a class or more, sampled at random, in order;
    where too few of a class would be left, all of it.
    """
    kept = np.ones(len(rows), bool)
    rng = np.random.default_rng([settings.seed, 7])
    for label, lemma, count, total in find_dominances(pool, rows, share):
        others = total - count
        allowed = int(np.ceil(share / (1 - share) * others)) - 1
        if others + allowed < max(settings.least, 1):
            continue
        mine = np.flatnonzero(
            (pool.labels[rows] == pool.names.index(label))
            & (pool.lemmas[rows] == pool.lemma_names.index(lemma))
        )
        kept[rng.permutation(mine)[allowed:]] = False
        notes.setdefault("over_half_of_a_class", {})[label] = {
            "lemma": lemma, "candidates": count, "kept": allowed, "of": total
        }  # fmt: skip
    return np.asarray(rows[kept])


def describe_caps(notes: Notes) -> list[str]:
    """What was left out so that no lemma makes half of a class."""
    return _list_remarks(
        f"{label!r}: {cap['candidates']:,} of {cap['of']:,} candidates have the lemma"
        f" {cap['lemma']!r}, and {cap['kept']:,} of them are kept, so that no lemma makes half of"
        " the class"
        for label, cap in notes.get("over_half_of_a_class", {}).items()
    )


def describe_dominances(lemmas: Sequence[DominantLemma], min_examples: int) -> list[str]:
    """Which classes are mostly one lemma all the same."""
    return _list_remarks(
        f"{100 * one.examples / one.total:.0f} % of {one.label!r} have the lemma {one.lemma!r}:"
        f" with fewer of them the class, or a split, has too few examples ({min_examples} are"
        " needed)"
        for one in lemmas
    )


def _list_remarks(remarks: Iterable[str]) -> list[str]:
    """The first of some remarks, and how many more there are."""
    listed = list(remarks)
    rest = len(listed) - _MAX_NAMED
    return [*listed[:_MAX_NAMED], *([f"so too of {rest} further classes"] if rest > 0 else [])]
