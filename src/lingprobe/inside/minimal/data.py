"""Minimal pairs -> a data set: either sentence first in half of them, paradigms never split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lingprobe.corpora.text import split_words
from lingprobe.data.checks import check_number
from lingprobe.data.core import DataProblem, Dataset, Sentence
from lingprobe.data.labels import column_from_codes
from lingprobe.data.vectors import Ints
from lingprobe.datasets.fold_plan import DEFAULT_FOLD_COUNT
from lingprobe.datasets.folds import select_test_fold
from lingprobe.datasets.settings import SampleSettings
from lingprobe.datasets.splits import apportion_total, carve_dev
from lingprobe.inside.minimal.pairs import MinimalPair
from lingprobe.inside.minimal.preference import PREFERENCE_LABELS

_FEWEST = 3  # groups, so that train, dev and test have one each


@dataclass(frozen=True)
class PairSampling:
    """How pairs become a data set.

    keep  what is kept in one split: `paradigm`, or `target`, the lemma that differs
    cap   whether of a frequent group no more is taken than of target forms elsewhere
    """

    keep: str
    seed: int
    size: int | None
    fold: str | None
    cap: bool = False


def build_pair_dataset(
    pairs: Sequence[MinimalPair], settings: PairSampling, notes: Mapping[str, Any]
) -> Dataset:
    """Pairs in five folds, so each pair is tested once, on paradigms that the probe was not trained
    on; a pair is never split.
    """
    kept = [pair for pair in pairs if pair.good != pair.bad]
    if len(kept) < _FEWEST:
        raise DataProblem(f"{len(kept)} minimal pairs are too few for train, dev and test")
    counts = {"pairs": len(pairs), "equal": len(pairs) - len(kept)}
    codes = np.unique([pair.group for pair in kept], return_inverse=True)[1]
    rng = np.random.default_rng([settings.seed, 8])
    rows = _cap(codes, rng) if settings.cap else np.arange(len(codes))
    counts["over_cap"] = len(codes) - len(rows)
    rows = rows[_draw(codes[rows], settings.size, rng)]
    kept, codes = [kept[i] for i in rows], codes[rows]
    whole = _laid_out(kept, _sides(codes, rng), settings.keep)
    groups = len(np.unique(codes))
    apart = groups >= _FEWEST
    whole = replace(whole, clusters=(settings.keep,) if apart else ())
    folds = min(DEFAULT_FOLD_COUNT, groups if apart else len(kept))
    divided = select_test_fold(whole, settings.fold or f"1/{folds}", settings.seed)
    sampling = {"fold": settings.fold} if settings.fold else {"folds_needed": folds}
    return carve_dev(divided, settings.seed).with_notes(
        **notes,
        sampling={**sampling, **counts, f"{settings.keep}s": groups, "kept_together": apart},
    )


def _cap(groups: Ints, rng: np.random.Generator) -> Ints:
    """Rows in their order, of each group at most so many as of a target form."""
    cap = SampleSettings().bounds(len(groups), len(np.unique(groups)))[2]
    mixed = rng.permutation(len(groups))
    order = mixed[np.argsort(groups[mixed], kind="stable")]
    place = np.arange(len(order)) - np.searchsorted(groups[order], groups[order])
    return np.sort(order[place < cap])


def _draw(groups: Ints, size: int | None, rng: np.random.Generator) -> Ints:
    """`size=` draws so many pairs, of each group its share, in their order; all without a size."""
    if size is None or size >= len(groups):
        return np.arange(len(groups))
    check_number("size", size, "1", "or leave size out for all", DataProblem)
    shares = apportion_total(size, np.bincount(groups).astype(float))
    mixed = rng.permutation(len(groups))
    order = mixed[np.argsort(groups[mixed], kind="stable")]
    place = np.arange(len(order)) - np.searchsorted(groups[order], groups[order])
    return np.sort(order[place < shares[groups[order]]])


def _sides(groups: Ints, rng: np.random.Generator) -> Ints:
    """Which sentence comes first, drawn for half of each group either way: where the better one
    stands, 0 or 1.
    """
    mixed = rng.permutation(len(groups))
    order = mixed[np.argsort(groups[mixed], kind="stable")]
    sides = np.empty(len(groups), np.int64)
    sides[order] = np.arange(len(groups)) % 2
    return sides


def _laid_out(pairs: Sequence[MinimalPair], sides: Ints, keep: str) -> Dataset:
    numbers: dict[str, int] = {}
    sites = np.array(
        [
            [numbers.setdefault(text, len(numbers)) for text in (pair.good, pair.bad)]
            for pair in pairs
        ],
        np.int64,
    )
    sites = np.where(sides[:, None] == 1, sites[:, ::-1], sites)
    sentences = [Sentence(split_words(text), text) for text in numbers]
    tags = [
        {keep: pair.group, "length": _compare(len(pair.good), len(pair.bad)), **pair.tags}
        for pair in pairs
    ]
    names = Counter(name for each in tags for name in each)
    return Dataset.of_columns(
        sentences,
        np.stack([sites, *np.full((2, *sites.shape), -1)], 2),
        column_from_codes(sides, PREFERENCE_LABELS),
        np.full(len(pairs), -1, np.int8),
        strata={name: [each.get(name) for each in tags] for name in names},
    )


def _compare(good: float, bad: float) -> str:
    """Which of two is more, for a stratum."""
    return "same" if good == bad else "better one has more" if good > bad else "worse one has more"
