"""Data sets of one question in several languages, cut to the same numbers: of every class, and of
every construction where that is asked.

A score depends on how many examples a probe is trained on, on how classes are divided, and on what
they consist of. Here all sources have the same of each, and all targets have. The test examples of
a target do not depend on the source, so that scores of a column are over the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.marks import fold_form
from lingprobe.data.core import DATA_SPLITS, DataProblem, Dataset
from lingprobe.data.vectors import Ints
from lingprobe.datasets.splits import apportion_total
from lingprobe.inside.languages.joining import DEV_CODE, TEST_CODE, TRAIN_CODE

TARGET_FORM_STRATUM = "target"  # the stratum of the word that a label is about
_EVEN = 0.02  # by which classes of a balanced data set may differ in size


@dataclass(frozen=True)
class MatchedDatasets:
    """Data sets in several languages, and which of their rows have the same composition.

    names  what the data sets are called in messages
    by     a stratum whose values each class has in the same numbers, as 'construction'; '' for none
    size   training examples at most; None for as many as all have
    """

    datasets: Sequence[Dataset]
    names: Sequence[str]
    by: str = ""
    size: int | None = None
    seed: int = 0

    def __len__(self) -> int:
        return sum(map(len, self.datasets))

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The classes that train and test have in every data set; DataProblem for fewer than
        two.
        """
        known = [_classes(*pair, self.names) for pair in enumerate(self.datasets)]
        common = set.intersection(*map(set, known))
        if len(common) < 2:
            each = "; ".join(
                f"{name}: {', '.join(sorted(mine)) or 'none'}"
                for name, mine in zip(self.names, known, strict=True)
            )
            raise DataProblem(f"fewer than two classes are in all of these languages ({each})")
        return tuple(sorted(common))

    @cached_property
    def cells(self) -> tuple[list[Ints], Ints]:
        """The cell of each row of each data set, -1 for none, and the class of each cell. A cell is
        a class, or a class and a value of `by`.
        """
        if missing := [
            name
            for name, data in zip(self.names, self.datasets, strict=True)
            if self.by and self.by not in data.strata
        ]:
            raise DataProblem(f"{missing[0]} has no tag {self.by!r} to match by: leave by= out")
        numbers: dict[tuple[str, str], int] = {}
        coded = [
            np.array([numbers.setdefault(key, len(numbers)) for key in self._keys(data)], np.int64)
            for data in self.datasets
        ]
        place = {name: k for k, name in enumerate(self.classes)}
        labels = np.array([place.get(label, -1) for label, _ in numbers], np.int64)
        return [np.where(labels[codes] < 0, -1, codes) for codes in coded], labels

    def _keys(self, data: Dataset) -> list[tuple[str, str]]:
        """The class and the value of `by` of each row."""
        names = data.labels.class_names()
        if not self.by:
            return [(name, "") for name in names]
        tags = data.strata[self.by]
        return [(name, tags.names[k] if k >= 0 else "") for name, k in zip(names, tags.codes)]  # noqa: B905

    @cached_property
    def tests(self) -> list[Ints]:
        """The test rows of each data set."""
        quota = self._level(np.min([self._count(k, TEST_CODE) for k in self._all], 0))
        return [self._pick(k, TEST_CODE, quota) for k in self._all]

    def train(self, source: int, target: int) -> tuple[Ints, Ints]:
        """The rows of train and dev of a source, which share neither word forms nor sentences with
        the test rows of the target.
        """
        free = self._free(source, target)
        rows = (
            self._pick(source, split, self.quotas[split], free) for split in (TRAIN_CODE, DEV_CODE)
        )
        return next(rows), next(rows)

    @cached_property
    def quotas(self) -> list[Ints]:
        """How many rows of each cell train and dev have, whatever source and target are."""
        pairs = [(s, self._free(s, t)) for s, t in product(self._all, self._all)]
        most = [np.min([self._count(s, split, free) for s, free in pairs], 0) for split in (0, 1)]
        quotas = [self._level(most[TRAIN_CODE], self.size)]
        share = quotas[TRAIN_CODE].sum() / max(int(most[TRAIN_CODE].sum()), 1)
        quotas.append(self._level(most[DEV_CODE], max(round(share * int(most[DEV_CODE].sum())), 1)))
        return quotas

    def check(self) -> None:
        """DataProblem where matching leaves nothing to learn or to test."""
        labels = self.cells[1]
        sizes = [*self.quotas, np.bincount(self.cells[0][0][self.tests[0]], minlength=len(labels))]
        for split, quota in zip(DATA_SPLITS, sizes, strict=True):
            left = np.bincount(labels[labels >= 0], quota[labels >= 0], len(self.classes))
            if split != "dev" and (left < 1).any():
                lost = self.classes[int(left.argmin())]
                raise DataProblem(
                    f"no {split} example of class {lost!r} is left that all of"
                    f" {', '.join(self.names)} have{self._by_said()}"
                )

    def _by_said(self) -> str:
        return f" in the same {self.by}: leave by= out, or a language" if self.by else ""

    @property
    def _all(self) -> range:
        return range(len(self.datasets))

    @cached_property
    def _even(self) -> bool:
        """Whether the task balances its classes."""
        for k in self._all:
            cells, labels = self.cells[0][k], self.cells[1]
            for split in (TRAIN_CODE, TEST_CODE):
                mine = cells[(self.datasets[k].splits == split) & (cells >= 0)]
                sizes = np.bincount(labels[mine], minlength=len(self.classes))
                if sizes.max() - sizes.min() > max(_EVEN * sizes.max(), 1):
                    return False
        return True

    def _count(self, k: int, split: int, free: NDArray[np.bool_] | None = None) -> Ints:
        """Rows of a split by cell."""
        cells, labels = self.cells[0][k], self.cells[1]
        mine = (self.datasets[k].splits == split) & (cells >= 0)
        return np.bincount(cells[mine if free is None else mine & free], minlength=len(labels))

    def _free(self, source: int, target: int) -> NDArray[np.bool_]:
        """Which rows of a source have no word form that a label is about, nor a sentence, in the
        target's test.
        """
        ones, others = self.datasets[source], self.datasets[target].take(self.tests[target])
        return ~(
            _in_common(ones, others, _list_word_forms) | _in_common(ones, others, _list_first_words)
        )

    def _level(self, quota: Ints, size: int | None = None) -> Ints:
        """Quotas that keep the balance of classes, where the task has it, for so many rows at
        most.
        """
        labels, even = self.cells[1], self._even
        totals = np.bincount(labels[labels >= 0], quota[labels >= 0], len(self.classes))
        most = int(totals.sum()) if size is None else min(size, int(totals.sum()))
        if even:
            wanted = np.full(len(totals), min(int(totals.min()), most // len(totals)))
        else:
            wanted = apportion_total(most, totals.astype(float))
        level = np.zeros(len(quota), np.int64)
        for c, many in enumerate(wanted.tolist()):
            mine = np.flatnonzero(labels == c)
            if many:
                level[mine] = apportion_total(int(many), quota[mine].astype(float))
        return level

    def _pick(self, k: int, split: int, quota: Ints, free: NDArray[np.bool_] | None = None) -> Ints:
        """Rows of a split, so many of each class, and with `--by` of the same constructions in all
        languages, drawn in an order that depends on no other language.
        """
        cells = self.cells[0][k]
        rng = np.random.default_rng([self.seed, 21, split])
        rows = rng.permutation(np.flatnonzero(self.datasets[k].splits == split))
        rows = rows if free is None else rows[free[rows]]
        taken = [rows[cells[rows] == c][:many] for c, many in enumerate(quota.tolist())]
        return np.sort(np.concatenate(taken))


def _classes(k: int, data: Dataset, names: Sequence[str]) -> list[str]:
    """The classes that train and test of a data set have; DataProblem for other labels."""
    if data.labels.classes is None or data.asked.shape[1]:
        what = "labels are no classes" if data.labels.classes is None else "questions name words"
        raise DataProblem(f"{names[k]}: its {what}, so it cannot be asked in another language")
    sizes = [data.labels.take(data.rows(split)).counts() for split in ("train", "test")]
    return [name for name in data.labels.names if all(each[name] for each in sizes)]


def _in_common(
    ones: Dataset, others: Dataset, keys: Callable[[Dataset], list[Any]]
) -> NDArray[np.bool_]:
    """Which rows have a key that rows of other data have, too."""
    taken = set(keys(others)) - {None}
    return np.array([key in taken for key in keys(ones)], bool)


def _list_word_forms(data: Dataset) -> list[str | None]:
    """The word form that each label is about; None where the task does not say."""
    tags = data.strata.get(TARGET_FORM_STRATUM)
    if tags is None:
        return [None] * len(data)
    return [fold_form(tags.names[k]) if k >= 0 else None for k in tags.codes.tolist()]


def _list_first_words(data: Dataset) -> list[tuple[str, ...]]:
    """The words of each row's first sentence."""
    return [data.sentences[k].words for k in data.sites[:, 0, 0].tolist()]
