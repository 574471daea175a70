"""Which examples are judged by, where no file of them is given, and which of too many are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from sonde.core import DataProblem
from sonde.vectors import Ints

SHARE, MOST = 0.05, 2000  # of the examples that are dev where no file is


def held_out(many: int, seed: int) -> Ints:
    """The rows of dev among `many`: a twentieth, at most 2,000, that the seed draws; sorted."""
    draws = np.random.default_rng((seed, 1))
    return np.sort(draws.permutation(many)[: min(MOST, int(SHARE * many))])


def chosen(many: int, most: int, seed: int) -> Ints:
    """At most `most` rows of `many` (0: all), that the seed draws; sorted."""
    if not most or many <= most:
        return np.arange(many)
    return np.sort(np.random.default_rng(seed).choice(many, most, replace=False))


def too_little(files: Iterable[Path], train: int, dev: int, left: Mapping[str, int]) -> DataProblem:
    """What is said where nothing is left to train on, or to judge by; `left` counts what was read,
    and what of that was left out.
    """
    why = ", ".join(f"{name}: {n:,}" for name, n in left.items() if n) or "none was read"
    return DataProblem(
        f"{', '.join(map(str, files))}: {train:,} examples are left to train on and {dev:,} to"
        f" judge by ({why}); give more text"
    )
