"""Rows -> train, dev and test: sampled, in folds, or official; each is balanced, and lengths are
matched where asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sonde.core import DataProblem
from sonde.datasets.allocate import allocate_to_all, apportion
from sonde.datasets.candidates import Pool
from sonde.datasets.match import blocks, contrasts, gaussian, matched, uncorrelated
from sonde.datasets.settings import Settings
from sonde.vectors import Ints


@dataclass(frozen=True, slots=True)
class Division:
    """What dividing works with. A block is one row of each class, or, unbalanced, just a row;
    `limit` is that of |r|.
    """

    pool: Pool
    settings: Settings
    classes: Ints
    limit: float

    def splits(self, rows: Ints) -> list[list[Ints]]:
        """Blocks [blocks, classes] of train, dev and test: of every fold, or just once."""
        rng = np.random.default_rng([self.settings.seed, 2])
        folds = self.settings.folds()
        if self.settings.splits == "official":
            found = [self.block(rows[self.pool.splits[rows] == s], rng) for s in range(3)]
            return [self.sized(found, [len(b) for b in found], rng)]
        if folds is None:
            return [
                self.sized(
                    self.shared(rows, self.settings.proportions, rng),
                    self.settings.proportions,
                    rng,
                )
            ]
        parts = self.sized(self.shared(rows, [1] * folds[1], rng), [1] * folds[1], rng)
        return [self._fold(parts, number) for number in range(folds[1])]

    def _fold(self, parts: list[Ints], number: int) -> list[Ints]:
        """One part as test, the others as train and dev; the same parts whichever is asked for."""
        rng = np.random.default_rng([self.settings.seed, 5, number])
        others = np.concatenate([part for i, part in enumerate(parts) if i != number])
        train_dev = self.settings.proportions[:2]
        if self.grouped(others.ravel()):
            return [*self.shared(others.ravel(), train_dev, rng), parts[number]]
        return [*_dealt(others, apportion(len(others), np.array(train_dev)), rng), parts[number]]

    def grouped(self, rows: Ints) -> bool:
        """Whether rows cannot be divided one by one: they have target forms to keep apart, or
        classes that differ in size.
        """
        return not self.balanced or bool((self.pool.targets[rows] >= 0).any())

    @property
    def balanced(self) -> bool:
        return self.settings.balance and self.pool.classes

    def shared(self, rows: Ints, shares: Sequence[float], rng: np.random.Generator) -> list[Ints]:
        """Blocks of each share of the rows; those of one target form lie in one share."""
        if not self.grouped(rows):
            found = self.block(rows, rng)
            return _dealt(found, apportion(len(found), np.array(shares, float)), rng)
        labels = self.pool.labels[rows] if self.pool.classes else np.zeros(len(rows), np.int64)
        parts = allocate_to_all(self.pool.targets[rows], labels, shares, rng)
        return [self.block(rows[parts == k], rng) for k in range(len(shares))]

    def block(self, rows: Ints, rng: np.random.Generator) -> Ints:
        """The most blocks that can be made of some rows."""
        if not self.balanced:
            return rng.permutation(rows)[:, None]
        if not self.settings.decorrelate:
            return blocks(rows, self.pool.labels, self.classes, rng)
        found = matched(rows, self.pool.labels, self.classes, self.pool.lengths, rng)
        if self.settings.decorrelate == "gaussian":
            found = found[gaussian(self.pool.lengths[found])]
        values = contrasts(tuple(self.pool.names[c] for c in self.classes))
        return uncorrelated(found, self.pool.lengths, values, self.limit)

    def sized(
        self, parts: list[Ints], shares: Sequence[float], rng: np.random.Generator
    ) -> list[Ints]:
        """As many blocks of each part as the size asked for needs, drawn at random; never
        padded.
        """
        if self.settings.size is None:
            return parts
        weights, width = np.array(shares, float), parts[0].shape[1]
        wanted = apportion(self.settings.size // width, weights)
        if any(len(part) < n for part, n in zip(parts, wanted, strict=True)):
            most = _most(np.array([len(part) for part in parts]), weights) * width
            raise DataProblem(
                f"size={self.settings.size} cannot be had: the largest that these data allow is"
                f" {most}; write size={most}"
            )
        return [
            _dealt(part, np.array([n, len(part) - n]), rng)[0]
            for part, n in zip(parts, wanted, strict=True)
        ]


def matchable(division: Division, rows: Ints) -> Ints:
    """The classes that leave enough blocks of like length when others are given up, one after the
    other.

    Trees of depth 2 and of depth 9 share no length, so together they leave nothing; each time the
    class goes without which most blocks are left, the rarer one where that is the same.
    """
    labels, classes = division.pool.labels[rows], division.classes
    sizes = np.bincount(labels, minlength=len(division.pool.names))

    def left(kept: Ints) -> int:
        rng = np.random.default_rng([division.settings.seed, 4])
        return len(replace(division, classes=kept).block(rows[np.isin(labels, kept)], rng))

    while len(classes) > 2 and left(classes) < division.settings.least:
        classes = max(
            (classes[classes != c] for c in classes),
            key=lambda kept: (left(kept), sizes[kept].sum()),
        )
    return classes


def _most(lengths: Ints, weights: np.ndarray[tuple[int], np.dtype[np.float64]]) -> int:
    """The most blocks that can be shared out by these weights over parts of these lengths."""
    total = int(min((lengths + 1) * weights.sum() / weights)) + len(weights)
    while (apportion(total, weights) > lengths).any():
        total -= 1
    return total


def _dealt(found: Ints, sizes: Ints, rng: np.random.Generator) -> list[Ints]:
    """Blocks dealt out evenly along their order into parts of these sizes, so that well and badly
    matched ones mix alike.
    """
    turns = np.concatenate([(np.arange(n) + rng.random()) / n for n in sizes if n] or [np.empty(0)])
    parts = np.repeat(np.arange(len(sizes)), sizes)[np.argsort(turns, kind="stable")]
    return [found[parts == k] for k in range(len(sizes))]
