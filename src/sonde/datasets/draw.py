"""Candidates -> a data set. What is left out and why, and what was kept, is in its notes under
`sampling`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from sonde.core import SPLITS, DataProblem, Dataset, Tags
from sonde.datasets.candidates import Candidate, Pool
from sonde.datasets.clean import Notes, apart, banded, capped, common, distinct, too_few
from sonde.datasets.divide import Division, matchable
from sonde.datasets.match import contrasts, correlation
from sonde.datasets.settings import Settings
from sonde.notes import Sampled
from sonde.vectors import Ints

FOLDS = 5  # more would test the same examples at a higher price
LIMIT = 0.05  # of |r| between class and length, in every split


def sample(
    candidates: Iterable[Candidate],
    settings: Settings | None = None,
    notes: Mapping[str, Any] | None = None,
) -> Dataset:
    """A data set of some candidates; `notes` are kept, and `sampling` is added to them. Raises
    DataProblem with counts.
    """
    settings = settings or Settings()
    pool = Pool.of(candidates)
    if settings.decorrelate and not pool.classes:
        raise DataProblem(
            "only classes can be matched in length, and these labels are scores or sets; leave"
            " decorrelate out"
        )
    counted: Notes = {
        "candidates": len(pool.candidates),
        "classes_before": pool.counts(np.arange(len(pool.candidates))),
    }
    rows = distinct(pool, counted)
    rows = banded(pool, rows, settings, counted)
    if settings.splits == "official":
        rows = apart(pool, rows, counted)
    rows = capped(pool, rows, np.random.default_rng([settings.seed, 0]), counted)
    rows = common(pool, rows, settings, counted)
    splits = _divided(pool, rows, settings, counted)
    _count(pool, splits, settings, counted)
    return _laid_out(
        pool,
        splits,
        {**(notes or {}), "sampling": {**counted, "settings": asdict(settings)}},
        settings.seed,
    )


def folds_needed(dataset: Dataset) -> int:
    """How many folds should take the place of this data set's one small test split; 1 where it is
    large enough.
    """
    sample = dataset.notes.part(Sampled)
    return 1 if sample is None else sample.folds_needed


def _divided(pool: Pool, rows: Ints, settings: Settings, notes: Notes) -> list[Ints]:
    """Rows of train, dev and test; where lengths are matched, matched ever more closely until every
    split is fine.
    """
    every = np.unique(pool.labels[rows]) if pool.classes else np.zeros(1, np.int64)
    number = (settings.folds() or (0, 1))[0]
    for limit in LIMIT * np.array([1, 0.8, 0.6, 0.4, 0.2, 0]):
        division = Division(pool, settings, every, float(limit))
        classes = (
            matchable(division, rows) if settings.decorrelate and settings.rare == "drop" else every
        )
        kept = rows[np.isin(pool.labels[rows], classes)] if pool.classes else rows
        folds = [
            [part.ravel() for part in parts]
            for parts in replace(division, classes=classes).splits(kept)
        ]
        # all folds must be fine, or each would be drawn from other examples
        if not settings.decorrelate or all(
            _worst(pool, parts, classes) <= LIMIT for parts in folds
        ):
            break
    if pool.classes:
        notes["length_r_before"] = _correlations(pool, [kept] * 3, classes)["all"]
        notes["length_r_after"] = _correlations(pool, folds[number], classes)
    if len(classes) < len(every):
        notes["classes_without_common_lengths"] = {
            pool.names[c]: int((pool.labels[rows] == c).sum()) for c in every if c not in classes
        }
    return folds[number]


def _worst(pool: Pool, splits: list[Ints], classes: Ints) -> float:
    return max(map(abs, _correlations(pool, splits, classes).values()))


def _correlations(pool: Pool, splits: list[Ints], classes: Ints) -> dict[str, float]:
    """Pearson's r of class and length in each split and in all of them."""
    spread = contrasts(tuple(pool.names[c] for c in classes))
    values = np.zeros((len(pool.names), spread.shape[1]))
    values[classes] = spread
    parts = {**dict(zip(SPLITS, splits, strict=True)), "all": np.concatenate(splits)}
    return {
        name: round(correlation(part, pool.labels, pool.lengths, values), 4)
        for name, part in parts.items()
    }


def _count(pool: Pool, splits: list[Ints], settings: Settings, notes: Notes) -> None:
    """Note sizes, refuse what is too small, and say whether folds are needed."""
    kept = np.concatenate(splits)
    counts = {name: n for name, n in pool.counts(kept).items() if n}
    notes["sizes"] = {name: len(part) for name, part in zip(SPLITS, splits, strict=True)}
    notes["classes_after"] = counts
    notes["forms_after"] = {
        name: len(np.unique(found))
        for name, part in zip(SPLITS, splits, strict=True)
        if len(found := _forms(pool, part))
    }
    if empty := [name for name, part in zip(SPLITS, splits, strict=True) if not len(part)]:
        forms = {
            name: len(np.unique(_forms(pool, kept[pool.labels[kept] == i])))
            for i, name in enumerate(pool.names)
        }
        why = f"; target forms of each class: {forms}" if any(forms.values()) else ""
        why += (
            "; the classes have too few lengths in common: give up some (rare=drop)"
            if settings.decorrelate
            else ""
        )
        raise DataProblem(
            f"nothing can go into {' and '.join(empty)}: {notes['sizes']} examples{why}"
        )
    if (
        settings.size is None
        and settings.balance
        and counts
        and min(counts.values()) < settings.least
    ):
        raise DataProblem(too_few(counts, settings.least, notes) + ", and the rest by balancing")
    if settings.splits == "sampled" and settings.fold is None:
        notes["folds_needed"] = _folds(pool, splits, settings)
    if settings.fold:
        notes["fold"] = settings.fold


def _forms(pool: Pool, rows: Ints) -> Ints:
    return pool.targets[rows][pool.targets[rows] >= 0]


def _folds(pool: Pool, splits: list[Ints], settings: Settings) -> int:
    """Five folds, which test every example once; fewer where a class has not so many target forms
    to share out.
    """
    labels = pool.labels if pool.classes else np.zeros(len(pool.labels), np.int64)
    kept = np.concatenate(splits)
    if np.unique(labels[splits[2]], return_counts=True)[1].min() >= settings.least_test:
        return 1
    forms = [len(np.unique(_forms(pool, kept[labels[kept] == c]))) for c in np.unique(labels[kept])]
    return int(min(FOLDS, *(n for n in forms if n), len(kept)))


def _laid_out(pool: Pool, splits: list[Ints], notes: Mapping[str, Any], seed: int) -> Dataset:
    """The columns of a data set, in random order within each split."""
    rng = np.random.default_rng([seed, 3])
    rows = np.concatenate([rng.permutation(part) for part in splits])
    chosen = [pool.candidates[i] for i in rows]
    strata: dict[str, Any] = {
        key: [c.strata.get(key) for c in chosen]
        for key in sorted({key for c in chosen for key in c.strata})
    }
    targets = pool.targets[rows]
    if (targets >= 0).any():  # in lower case, as they were kept apart
        strata["target"] = Tags(targets, pool.forms).pruned()
    return Dataset.of_columns(
        [c.sentence for c in chosen],
        np.arange(len(rows)),
        [c.label for c in chosen],
        np.repeat(np.arange(len(SPLITS)), [len(part) for part in splits]),
        strata=strata,
    ).noted(**notes)
