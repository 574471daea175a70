"""Candidates -> a data set: what is left out and why is counted in its notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from sonde.core import Dataset
from sonde.sampling.allocate import allocate
from sonde.sampling.candidates import Candidate, Pool
from sonde.sampling.match import blocks
from sonde.sampling.settings import Settings
from sonde.targets import column
from sonde.vectors import Ints


def sample(candidates: Iterable[Candidate], settings: Settings | None = None, notes: Mapping[str, Any] | None = None) -> Dataset:
    """A data set of some candidates; `notes` are kept, and `sampling` is added to them."""
    settings = settings or Settings()
    pool = Pool.of(candidates)
    rng = np.random.default_rng(settings.seed)
    counted: dict[str, Any] = {"candidates": len(pool.candidates), "seed": settings.seed}
    rows = _distinct(pool, counted)
    parts = allocate(pool.targets[rows], pool.labels[rows], settings.proportions, rng)
    splits = [rows[parts == s] for s in range(3)]
    if settings.balance and pool.classes:
        splits = [blocks(part, pool.labels, np.unique(pool.labels[rows]), rng).ravel() for part in splits]
    return _laid_out(pool, splits, {**(notes or {}), "sampling": counted}, rng)


def folds_needed(dataset: Dataset) -> int:
    """How many folds should take the place of this data set's one test split; 1 where it is large enough."""
    return int(dataset.notes.get("sampling", {}).get("folds needed", 1))


def _distinct(pool: Pool, counted: dict[str, Any]) -> Ints:
    _, rows = np.unique(pool.content, return_index=True)
    return np.sort(rows)


def _laid_out(pool: Pool, splits: list[Ints], notes: Mapping[str, Any], rng: np.random.Generator) -> Dataset:
    mixed = [rng.permutation(part) for part in splits]
    rows = np.concatenate(mixed)
    chosen = [pool.candidates[i] for i in rows]
    sites = np.full((len(rows), 1, 3), -1, np.int64)
    sites[:, 0, 0] = np.arange(len(rows))
    codes = np.repeat(np.arange(3), [len(part) for part in mixed]).astype(np.int8)
    labels = column([c.label for c in chosen])
    return Dataset(tuple(c.sentence for c in chosen), sites, labels, codes, np.empty((len(rows), 0), np.int64), notes=dict(notes))
