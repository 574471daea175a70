"""The data of tasks in three disjoint parts (for the eraser, the probe and the test), and samples
in which the labels of two tasks are independent.

A sentence that any eraser sees is in no probe's data and in no test, whatever the task: a label of
one task says something of another's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import Dataset
from lingprobe.data.labels import Column
from lingprobe.data.vectors import Ints

Flags = NDArray[np.bool_]
_SETS = 20  # different label sets at most that are told apart as classes
_LEAST = {"eraser": 20, "train": 20, "dev": 5, "test": 10}
"""Examples that each pair of labels must have in each part of an independent sample."""
_RELATED = 0.1  # of Cramér's V, below which labels count as independent
_KNOWN = 50  # examples with both labels, of fewer nobody knows


class FourWaySplit(NamedTuple):
    """Which examples of a data set are of which part, [some] each."""

    eraser: Ints
    train: Ints
    dev: Ints
    test: Ints

    def with_rows(self, rows: Mapping[str, Ints]) -> FourWaySplit:
        """Other rows of some parts."""
        return self._replace(**rows)


def divide_for_erasure(datasets: Sequence[Dataset]) -> list[FourWaySplit]:
    """Eraser, probe and test have disjoint sentences: the parts of each data set. Dev and test are
    those of the task; half of the sentences of train, by their hash, are the eraser's, without
    those that are dev or test of any task.
    """
    held = {key for data in datasets for key in _held_out(data)}
    return [_divide(data, held) for data in datasets]


def _held_out(data: Dataset) -> Iterator[bytes]:
    rows = np.concatenate([data.rows("dev"), data.rows("test")])
    for k in np.unique(data.sites[rows, :, 0]).tolist():
        yield data.sentences[k].key


def _divide(data: Dataset, held: set[bytes]) -> FourWaySplit:
    keys = [sentence.key for sentence in data.sentences]
    of_eraser = np.array([key[0] % 2 == 0 and key not in held for key in keys], bool)
    train = data.rows("train")
    marks = of_eraser[data.sites[train, :, 0]]
    # a pair with one sentence of each part is in neither
    return FourWaySplit(
        train[marks.all(1)], train[~marks.any(1)], data.rows("dev"), data.rows("test")
    )


def codes_of(labels: Column) -> Ints | None:
    """Labels as classes [n]: scores as halves, label sets as they are where there are few of them;
    None for others.
    """
    if labels.classes is not None:
        return labels.classes
    if labels.numbers is not None:
        return (labels.numbers > np.median(labels.numbers)).astype(np.int64)
    codes = labels.codes()
    return codes if len(codes) and codes.max() < _SETS else None


def labels_on(labelled: Dataset, examples: Dataset) -> Ints:
    """What one task says of the examples of another, as classes [examples]; -1 where it
    says nothing. A label about a whole sentence holds of its words.
    """
    codes = codes_of(labelled.labels)
    if codes is None:
        return np.full(len(examples), -1)
    known: dict[tuple[object, ...], int] = {}
    for key, code in zip(_keys(labelled), codes.tolist(), strict=True):
        # of what is said in two ways nothing is known
        known[key] = code if known.setdefault(key, code) == code else -1
    exact = [known.get(key, -1) for key in _keys(examples)]
    if labelled.of_sentences and not examples.of_sentences:
        return np.array([known.get(_sentence(key), -1) for key in _keys(examples)], np.int64)
    return np.array(exact, np.int64)


def _keys(data: Dataset) -> Iterator[tuple[object, ...]]:
    """What stands for the sites of each example."""
    for sites in data.sites.tolist():
        yield tuple((data.sentences[s].key, a, b) for s, a, b in sites)


def _sentence(key: tuple[object, ...]) -> tuple[object, ...]:
    """The whole sentence that some sites lie in; () of several."""
    sentences = {site[0] for site in key if isinstance(site, tuple)}
    return ((*sentences, -1, -1),) if len(sentences) == 1 else ()


class LabelDependence(NamedTuple):
    """How far the labels of two tasks depend on each other: Cramér's V and the p of none (a
    chi-squared test), over n examples that have both; NaN where too few have.
    """

    v: float
    p: float
    n: int

    @property
    def is_known(self) -> bool:
        """Whether enough examples have both labels."""
        return self.n >= _KNOWN

    @property
    def is_clear(self) -> bool:
        """Whether there is some."""
        return self.is_known and self.p < 0.05 and self.v >= _RELATED


def compute_dependence(left_codes: Ints, right_codes: Ints) -> LabelDependence:
    """Of labels as classes [n] each, -1 for none."""
    from scipy.stats import chi2_contingency
    from scipy.stats.contingency import association

    both = (left_codes >= 0) & (right_codes >= 0)
    n = int(both.sum())
    table = _count_label_pairs(left_codes[both], right_codes[both])
    if n < _KNOWN or min(table.shape) < 2:
        return LabelDependence(np.nan, np.nan, n if min(table.shape) > 1 else 0)
    p = float(chi2_contingency(table, correction=False).pvalue)
    return LabelDependence(float(association(table, method="cramer")), p, n)


def _count_label_pairs(one: Ints, other: Ints) -> Ints:
    """How often each pair of labels that there are occurs."""
    first, second = (np.unique(each, return_inverse=True)[1].reshape(-1) for each in (one, other))
    shape = (int(first.max(initial=-1)) + 1, int(second.max(initial=-1)) + 1)
    table = np.zeros(shape, np.int64)
    np.add.at(table, (first, second), 1)
    return table


@dataclass(frozen=True, slots=True)
class LabelPairing:
    """The labels of two tasks on the examples of the one that is erased and of the one that is
    measured, as classes, -1 for none: (erased's, measured's) each.
    """

    on_erased: tuple[Ints, Ints]
    on_measured: tuple[Ints, Ints]

    @classmethod
    def of(cls, erased: Dataset, measured: Dataset) -> LabelPairing:
        """Of two data sets."""
        own = [codes_of(data.labels) for data in (erased, measured)]
        a, b = (
            np.full(len(data), -1) if codes is None else codes
            for data, codes in zip((erased, measured), own, strict=True)
        )
        return cls((a, labels_on(measured, erased)), (labels_on(erased, measured), b))

    @property
    def dependence(self) -> LabelDependence:
        """Over the examples of the task that is measured."""
        return compute_dependence(*self.on_measured)

    def independent(
        self, erased: FourWaySplit, measured: FourWaySplit, seed: int = 0
    ) -> tuple[Ints, FourWaySplit] | None:
        """Examples in which the labels of two tasks do not depend on each other (‡): rows for the
        eraser, and the rows that are measured, with each pair of labels as frequent; None where too
        few are left (†).
        """
        rng = np.random.default_rng(seed)
        parts = {name: measured._asdict()[name] for name in ("train", "dev", "test")}
        found = {"eraser": _even(erased.eraser, self.on_erased, _LEAST["eraser"], rng)}
        found |= {
            name: _even(rows, self.on_measured, _LEAST[name], rng) for name, rows in parts.items()
        }
        rows = {name: each for name, each in found.items() if each is not None}
        if len(rows) < len(found):
            return None
        eraser = rows.pop("eraser")
        return eraser, measured.with_rows(rows)


def _even(
    rows: Ints, labels: tuple[Ints, Ints], least: int, rng: np.random.Generator
) -> Ints | None:
    """As many of some rows for each pair of labels, in order; None where a pair has too few."""
    one, other = (codes[rows] for codes in labels)
    kept = rows[(one >= 0) & (other >= 0)]
    if not len(kept):
        return None
    values = [np.unique(codes[codes >= 0]) for codes in labels]
    cells = [
        kept[(labels[0][kept] == a) & (labels[1][kept] == b)] for a in values[0] for b in values[1]
    ]
    many = min(map(len, cells))
    if many < least:
        return None
    drawn = [rng.choice(cell, many, replace=False) for cell in cells]
    return np.sort(np.concatenate(drawn))
