"""Which examples are judged by, where no file of them is given, and which of too many are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from lingprobe import DataProblem
from lingprobe.extend import Ints

_SHARE, _MOST = 0.05, 2000  # of the examples that are dev where no file is


def draw_dev_rows(row_count: int, seed: int) -> Ints:
    """The dev set where none is given: a twentieth of the examples, at most 2,000, that the seed
    draws; sorted rows among `row_count`.
    """
    draws = np.random.default_rng((seed, 1))
    return np.sort(draws.permutation(row_count)[: min(_MOST, int(_SHARE * row_count))])


def choose_rows(row_count: int, max_rows: int, seed: int) -> Ints:
    """At most `max_rows` rows of `row_count` (0: all), that the seed draws; sorted."""
    if not max_rows or row_count <= max_rows:
        return np.arange(row_count)
    return np.sort(np.random.default_rng(seed).choice(row_count, max_rows, replace=False))


_USED = {"read": "read", "train": "for training", "dev": "for dev"}
_VOCABULARY = {
    "words": "words",
    "forms": "word forms",
    **{name: name for name in ("words without a vector", "words that are too rare")},
}


def describe_counts(counts: Mapping[str, int]) -> str:
    """What was read and used, what was excluded and why, and the size of the vocabulary."""

    def list_counts(names: Mapping[str, str]) -> str:
        return ", ".join(
            f"{counts[name]:,} {said}" for name, said in names.items() if name in counts
        )

    left_out = {n: n for n in counts if n not in _USED and n not in _VOCABULARY and counts[n]}
    parts = {"examples": _USED, "excluded": left_out, "vocabulary": _VOCABULARY}
    return "; ".join(
        f"{part}: {said}" for part, names in parts.items() if (said := list_counts(names))
    )


def too_little(
    files: Iterable[Path], train: int, dev: int, counts: Mapping[str, int]
) -> DataProblem:
    """What is said where nothing is left to train on, or for dev; `counts` counts what was read,
    and what of that was excluded.
    """
    return DataProblem(
        f"{', '.join(map(str, files))}: {train:,} examples are left to train on and {dev:,} for"
        f" dev ({describe_counts(counts) or 'none was read'}); give more text"
    )
