"""Candidates -> a data set. What is excluded and why, and what was kept, is in its notes under
`sampling`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from lingprobe.data.core import DATA_SPLITS, DataProblem, Dataset, Tags
from lingprobe.data.errors import LingprobeError
from lingprobe.data.vectors import Ints
from lingprobe.datasets.candidates import (
    Candidate,
    CandidatePool,
    Notes,
    cap_targets,
    keep_common_classes,
    select_band,
    select_distinct_rows,
    separate_splits,
    too_few,
)
from lingprobe.datasets.fold_plan import FoldPlan, plan_folds
from lingprobe.datasets.lemmas import (
    MAX_LEMMA_SHARES,
    cap_lemmas,
    describe_caps,
    describe_dominances,
    find_dominances,
)
from lingprobe.datasets.match import (
    code_contrasts,
    correlate_length_with_contrast,
    match_gaussian,
    match_lengths,
    sample_class_blocks,
    uncorrelated_blocks,
)
from lingprobe.datasets.settings import SampleSettings
from lingprobe.datasets.splits import allocate_to_all, apportion_total


class _TooMany(LingprobeError):
    """More examples are asked for than a division has; `most` is what it has."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.most = most


@dataclass(frozen=True, slots=True)
class SplitRequest:
    """What dividing works with. A block is one row of each class, or, unbalanced, just a row;
    `limit` is that of |r|.
    """

    pool: CandidatePool
    settings: SampleSettings
    classes: Ints
    limit: float

    def splits(self, rows: Ints) -> list[list[Ints]]:
        """Blocks [blocks, classes] of train, dev and test: of the fold that is asked for, of every
        one where lengths are matched, or just once.
        """
        rng = np.random.default_rng([self.settings.seed, 2])
        folds = self.settings.folds()
        if self.settings.splits == "official":
            official = [self.block(rows[self.pool.splits[rows] == s], rng) for s in range(3)]
            return [self.draw_blocks(official, [len(b) for b in official], rng)]
        if folds is None:
            return [
                self.draw_blocks(
                    self.divide_rows(rows, self.settings.proportions, rng),
                    self.settings.proportions,
                    rng,
                )
            ]
        shares = folds.shares(len(rows))
        parts = self.draw_blocks(self.divide_rows(rows, shares, rng), shares, rng)
        every = range(folds.many) if self.settings.decorrelate else [folds.number]
        return [self._fold(parts, each) for each in every]

    def _fold(self, parts: list[Ints], number: int) -> list[Ints]:
        """One part as test, the others as train and dev; the same parts whichever is asked for."""
        rng = np.random.default_rng([self.settings.seed, 5, number])
        others = np.concatenate([part for i, part in enumerate(parts) if i != number])
        train_dev = self.settings.proportions[:2]
        if self.has_groups(others.ravel()):
            return [*self.divide_rows(others.ravel(), train_dev, rng), parts[number]]
        return [
            *_dealt(others, apportion_total(len(others), np.array(train_dev)), rng),
            parts[number],
        ]

    def has_groups(self, rows: Ints) -> bool:
        """Whether rows cannot be divided one by one: they have target forms to keep apart, or
        classes that differ in size.
        """
        return not self.is_balanced or bool((self.pool.targets[rows] >= 0).any())

    @property
    def is_balanced(self) -> bool:
        return self.settings.balance and self.pool.classes

    def divide_rows(
        self, rows: Ints, shares: Sequence[float], rng: np.random.Generator
    ) -> list[Ints]:
        """No target form is in two splits: blocks of each share of the rows; those of one form lie
        in one share.
        """
        if not self.has_groups(rows):
            dealt = self.block(rows, rng)
            return _dealt(dealt, apportion_total(len(dealt), np.array(shares, float)), rng)
        labels = self.pool.labels[rows] if self.pool.classes else np.zeros(len(rows), np.int64)
        parts = allocate_to_all(self.pool.targets[rows], labels, shares, rng)
        return [self.block(rows[parts == k], rng) for k in range(len(shares))]

    def block(self, rows: Ints, rng: np.random.Generator) -> Ints:
        """The most blocks that can be made of some rows."""
        if not self.is_balanced:
            return rng.permutation(rows)[:, None]
        if not self.settings.decorrelate:
            return sample_class_blocks(rows, self.pool.labels, self.classes, rng)
        pairs = match_lengths(rows, self.pool.labels, self.classes, self.pool.lengths, rng)
        if self.settings.decorrelate == "gaussian":
            pairs = pairs[match_gaussian(self.pool.lengths[pairs])]
        values = code_contrasts(tuple(self.pool.names[c] for c in self.classes))
        return uncorrelated_blocks(pairs, self.pool.lengths, values, self.limit)

    def draw_blocks(
        self, parts: list[Ints], shares: Sequence[float], rng: np.random.Generator
    ) -> list[Ints]:
        """As many blocks of each part as the size asked for needs, sampled at random; never
        padded.
        """
        if self.settings.size is None:
            return parts
        weights, width = np.array(shares, float), parts[0].shape[1]
        if not weights.any():  # official splits without an example that is left
            return parts
        sizes = apportion_total(self.settings.size // width, weights)
        if any(len(part) < n for part, n in zip(parts, sizes, strict=True)):
            raise _TooMany(_most(np.array([len(part) for part in parts]), weights) * width)
        return [
            _dealt(part, np.array([n, len(part) - n]), rng)[0]
            for part, n in zip(parts, sizes, strict=True)
        ]


def find_matchable_classes(division: SplitRequest, rows: Ints) -> Ints:
    """The classes that leave enough blocks of like length when others are given up, one after the
    other.

    Trees of depth 2 and of depth 9 share no length, so together they leave nothing; each time the
    class goes without which most blocks are left, the rarer one where that is the same.
    """
    labels, classes = division.pool.labels[rows], division.classes
    sizes = np.bincount(labels, minlength=len(division.pool.names))

    def examples_left(kept: Ints) -> int:
        rng = np.random.default_rng([division.settings.seed, 4])
        return len(replace(division, classes=kept).block(rows[np.isin(labels, kept)], rng))

    while len(classes) > 2 and examples_left(classes) < division.settings.least:
        classes = max(
            (classes[classes != c] for c in classes),
            key=lambda kept: (examples_left(kept), sizes[kept].sum()),
        )
    return classes


def _most(lengths: Ints, weights: np.ndarray[tuple[int], np.dtype[np.float64]]) -> int:
    """The most blocks that can be shared out by these weights over parts of these lengths."""
    some = weights > 0
    total = int(min((lengths[some] + 1) * weights.sum() / weights[some])) + len(weights)
    while (apportion_total(total, weights) > lengths).any():
        total -= 1
    return total


def _dealt(dealt: Ints, sizes: Ints, rng: np.random.Generator) -> list[Ints]:
    """Blocks dealt out evenly along their order into parts of these sizes, so that well and badly
    matched ones mix alike.
    """
    turns = np.concatenate([(np.arange(n) + rng.random()) / n for n in sizes if n] or [np.empty(0)])
    parts = np.repeat(np.arange(len(sizes)), sizes)[np.argsort(turns, kind="stable")]
    return [dealt[parts == k] for k in range(len(sizes))]


_LIMIT = 0.05  # of |r| between class and length, in every split


def sample(
    candidates: Iterable[Candidate],
    settings: SampleSettings | None = None,
    notes: Mapping[str, Any] | None = None,
) -> Dataset:
    """Remove duplicates, balance classes, make splits; `sampling` is added to `notes`. DataProblem
    gives the counts.
    """
    return sample_pool(CandidatePool.of(candidates), settings or SampleSettings(), notes or {})


def sample_pool(pool: CandidatePool, settings: SampleSettings, notes: Mapping[str, Any]) -> Dataset:
    """The same of candidates in columns."""
    try:
        return _draw_dataset(pool, settings, notes)
    except _TooMany as problem:
        raise DataProblem(_instead(pool, settings, problem.most)) from None


def _instead(pool: CandidatePool, settings: SampleSettings, most: int) -> str:
    """What to write in place of a size that is too large. How lengths are matched depends on the
    size, so each is tried, down to one that can be drawn.
    """
    tried, refusal = {settings.size}, f"size={settings.size} is not possible"
    what = "a size" if settings.decorrelate else "the largest"
    while most and most not in tried:
        tried.add(most)
        try:
            _draw_dataset(pool, replace(settings, size=most), {})
        except _TooMany as problem:
            most = problem.most
        except DataProblem:  # so few that a split has none
            break
        else:
            return f"{refusal}: {what} that these data allow is {most}; write size={most}"
    try:
        _draw_dataset(pool, replace(settings, size=None), {})
    except DataProblem as problem:
        return f"{refusal}, and no other is: {problem}"
    return f"{refusal}, and no smaller one gives every split an example: leave size out"


def _draw_dataset(
    pool: CandidatePool, settings: SampleSettings, notes: Mapping[str, Any]
) -> Dataset:
    """The same: what is excluded is counted, and no target form is in two splits."""
    if settings.decorrelate and not pool.classes:
        raise DataProblem(
            "only classes can be matched in length, and these labels are scores or sets; leave"
            " decorrelate out"
        )
    counts: Notes = {
        "candidates": len(pool),
        "classes_before": pool.counts(np.arange(len(pool))),
    }
    rows = select_distinct_rows(pool, counts)
    rows = select_band(pool, rows, settings, counts)
    if settings.splits == "official":
        rows = separate_splits(pool, rows, counts)
    rows = cap_targets(pool, rows, np.random.default_rng([settings.seed, 0]), counts)
    splits = _draw_rows(pool, rows, settings, _choose_share(pool, rows, settings, counts), counts)
    dominant = find_dominances(pool, np.concatenate(splits))
    remarks = [*describe_caps(counts), *describe_dominances(dominant, settings.least)]
    if dominant:
        counts["mostly_one_lemma"] = [one._asdict() for one in dominant]
    if remarks:
        notes = {**notes, "remarks": [*notes.get("remarks", ()), *remarks]}
    return _laid_out(
        pool,
        splits,
        {**notes, "sampling": {**counts, "settings": asdict(settings)}},
        settings.seed,
    )


def _draw_rows(
    pool: CandidatePool, rows: Ints, settings: SampleSettings, share: float | None, counts: Notes
) -> list[Ints]:
    """The rows of each split, where a lemma may have some share of a class; None: any."""
    if share is not None:
        rows = cap_lemmas(pool, rows, share, settings, counts)
    rows = keep_common_classes(pool, rows, settings, counts)
    splits = _draw_splits(pool, rows, settings, counts)
    wanted = _plan_test(pool, splits, settings)
    if wanted is not None and wanted.folds == 1 and wanted.tested > len(splits[2]):
        larger = replace(settings, proportions=_with_test_share(settings, wanted, splits))
        splits = _draw_splits(pool, rows, larger, counts)
    _note_split_sizes(pool, splits, settings, counts)
    if wanted is not None:
        every = wanted.tested == sum(map(len, splits))
        counts["folds_needed"] = _count_folds(pool, splits, wanted.folds)
        counts["tested"] = 0 if every or counts["folds_needed"] == 1 else wanted.tested
    return splits


def _choose_share(
    pool: CandidatePool, rows: Ints, settings: SampleSettings, counts: Notes
) -> float | None:
    """How much of a class a lemma may have among candidates, so that none makes half of a class in
    what is drawn; None where a class cannot be had then. The same for all folds of the same data.
    """
    if settings.cap == 0 or not find_dominances(pool, rows, MAX_LEMMA_SHARES[-1]):
        return None
    chosen = None
    for share in MAX_LEMMA_SHARES:
        try:
            drawn = [
                _draw_rows(pool, rows, of_fold, share, dict(counts))
                for of_fold in _settings_of_folds(settings)
            ]
        except (DataProblem, _TooMany):
            break
        chosen = share
        if not any(find_dominances(pool, np.concatenate(splits)) for splits in drawn):
            break
    return chosen


def _settings_of_folds(settings: SampleSettings) -> list[SampleSettings]:
    """The settings of each fold, of data that are divided into some."""
    if settings.folds() is None or settings.fold is None:
        return [settings]
    _, *rest = settings.fold.split("/")
    numbers = range(1, int(rest[0]) + 1)
    return [replace(settings, fold="/".join((str(number), *rest))) for number in numbers]


def _draw_splits(
    pool: CandidatePool, rows: Ints, settings: SampleSettings, notes: Notes
) -> list[Ints]:
    """Rows of train, dev and test; where lengths are matched, matched ever more closely until every
    split is fine.
    """
    every = np.unique(pool.labels[rows]) if pool.classes else np.zeros(1, np.int64)
    for limit in _LIMIT * np.array([1, 0.8, 0.6, 0.4, 0.2, 0]):
        division = SplitRequest(pool, settings, every, float(limit))
        classes = (
            find_matchable_classes(division, rows)
            if settings.decorrelate and settings.rare == "drop"
            else every
        )
        left = rows[np.isin(pool.labels[rows], classes)] if pool.classes else rows
        folds = [
            [part.ravel() for part in parts]
            for parts in replace(division, classes=classes).splits(left)
        ]
        # all folds must be fine, or each would be drawn from other examples
        if not settings.decorrelate or all(
            _worst(pool, parts, classes) <= _LIMIT for parts in folds
        ):
            break
    # of several, the one that was asked for
    asked = settings.folds()
    mine = folds[asked.number if asked and len(folds) > 1 else 0]
    if pool.classes:
        notes["length_r_before"] = _correlation(pool, left, classes)
        notes["length_r_after"] = _correlations(pool, mine, classes)
    if len(classes) < len(every):
        notes["classes_without_common_lengths"] = {
            pool.names[c]: int((pool.labels[rows] == c).sum()) for c in every if c not in classes
        }
    return mine


def _worst(pool: CandidatePool, splits: list[Ints], classes: Ints) -> float:
    return max(map(abs, _correlations(pool, splits, classes).values()))


def _correlations(pool: CandidatePool, splits: list[Ints], classes: Ints) -> dict[str, float]:
    """Pearson's r of class and length in each split and in all of them."""
    parts = {**dict(zip(DATA_SPLITS, splits, strict=True)), "all": np.concatenate(splits)}
    return {name: _correlation(pool, part, classes) for name, part in parts.items()}


def _correlation(pool: CandidatePool, rows: Ints, classes: Ints) -> float:
    """The same in some rows."""
    spread = code_contrasts(tuple(pool.names[c] for c in classes))
    values = np.zeros((len(pool.names), spread.shape[1]))
    values[classes] = spread
    return round(correlate_length_with_contrast(rows, pool.labels, pool.lengths, values), 4)


def _note_split_sizes(
    pool: CandidatePool, splits: list[Ints], settings: SampleSettings, notes: Notes
) -> None:
    """Note sizes, refuse what is too small, and say whether folds are needed."""
    rows = np.concatenate(splits)
    counts = {name: n for name, n in pool.counts(rows).items() if n}
    notes["sizes"] = {name: len(part) for name, part in zip(DATA_SPLITS, splits, strict=True)}
    notes["classes_after"] = counts
    notes["forms_after"] = {
        name: len(np.unique(targets))
        for name, part in zip(DATA_SPLITS, splits, strict=True)
        if len(targets := _list_target_forms(pool, part))
    }
    if empty := [name for name, part in zip(DATA_SPLITS, splits, strict=True) if not len(part)]:
        raise DataProblem(_why_empty(pool, rows, empty, settings, notes["sizes"]))
    if (
        settings.size is None
        and settings.balance
        and counts
        and min(counts.values()) < settings.least
    ):
        raise DataProblem(too_few(counts, settings.least, notes) + ", and the rest by balancing")
    if settings.fold:
        notes["fold"] = settings.fold


def _why_empty(
    pool: CandidatePool,
    rows: Ints,
    empty: list[str],
    settings: SampleSettings,
    sizes: Mapping[str, int],
) -> str:
    """Why splits have no examples, and what to do."""
    forms = {
        name: len(np.unique(_list_target_forms(pool, rows[pool.labels[rows] == i])))
        for i, name in enumerate(pool.names)
    }
    why = f"; target forms of each class: {_list_counts(forms)}" if any(forms.values()) else ""
    if settings.decorrelate:
        why += "; the classes have too few lengths in common: give up some (rare=drop)"
    if settings.splits == "official":
        why += "; leave splits=official out to draw splits of all sentences"
    return f"nothing can go into {' and '.join(empty)}: {_list_counts(sizes)} examples{why}"


def _list_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in counts.items())


def _list_target_forms(pool: CandidatePool, rows: Ints) -> Ints:
    return pool.targets[rows][pool.targets[rows] >= 0]


def _plan_test(
    pool: CandidatePool, splits: list[Ints], settings: SampleSettings
) -> FoldPlan | None:
    """How many of the examples in these splits are to be tested; None where that is given."""
    if settings.splits != "sampled" or settings.fold is not None:
        return None
    rows = np.concatenate(splits)
    if not len(rows):
        return None
    labels = pool.labels[rows] if pool.classes else np.zeros(len(rows), np.int64)
    rarest = int(np.unique(labels, return_counts=True)[1].min())
    return plan_folds(len(rows), rarest, settings.least_test, settings.proportions)


def _with_test_share(
    settings: SampleSettings, wanted: FoldPlan, splits: list[Ints]
) -> tuple[float, float, float]:
    """The proportions in which so many are tested, and train and dev share the rest as before."""
    train, dev, _ = settings.proportions
    rest = sum(map(len, splits)) - wanted.tested
    return rest * train / (train + dev), rest * dev / (train + dev), wanted.tested


def _count_folds(pool: CandidatePool, splits: list[Ints], many: int) -> int:
    """So many folds, or fewer where a class has not so many target forms to share out."""
    labels = pool.labels if pool.classes else np.zeros(len(pool.labels), np.int64)
    rows = np.concatenate(splits)
    forms = [
        len(np.unique(_list_target_forms(pool, rows[labels[rows] == c])))
        for c in np.unique(labels[rows])
    ]
    return int(min(many, *(n for n in forms if n), len(rows)))


def _laid_out(
    pool: CandidatePool, splits: list[Ints], notes: Mapping[str, Any], seed: int
) -> Dataset:
    """The columns of a data set, in random order within each split."""
    rng = np.random.default_rng([seed, 3])
    rows = np.concatenate([rng.permutation(part) for part in splits])
    chosen = pool.read(rows)
    strata: dict[str, Any] = {
        key: [c.strata.get(key) for c in chosen]
        for key in sorted({key for c in chosen for key in c.strata})
    }
    targets = pool.targets[rows]
    if (targets >= 0).any():  # in lower case, as they were kept apart
        strata["target"] = Tags(targets, pool.forms).without_unused()
    return Dataset.of_columns(
        [c.sentence for c in chosen],
        np.arange(len(rows)),
        [c.label for c in chosen],
        np.repeat(np.arange(len(DATA_SPLITS)), [len(part) for part in splits]),
        strata=strata,
    ).with_notes(**notes)
