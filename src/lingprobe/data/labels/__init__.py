"""Label columns: the only code that distinguishes the kinds of labels.

A column has its outputs, the loss of scores for them, the decoding of scores, and methods for
everything that depends on the kind. Callers never ask for the kind: `classes` and `numbers` are
None for other kinds of labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.labels.column import (
    MIN_LABEL_WEIGHT,
    Column,
    Flags,
    Floats,
    Ints,
    Label,
    LabelSets,
    Link,
    Loss,
    NumberList,
)
from lingprobe.data.labels.lists import NumberLists

__all__ = [
    "COLUMN_KINDS_BY_LOSS",
    "MIN_LABEL_WEIGHT",
    "Classes",
    "Column",
    "Label",
    "LabelSets",
    "Link",
    "Loss",
    "NumberList",
    "NumberLists",
    "ScoreLabels",
    "build_column",
    "column_from_codes",
    "join_columns",
    "restore_column",
]


@dataclass(frozen=True, slots=True)
class Classes(Column):
    """One class per example: ids [n] into names."""

    ids: Ints
    names: tuple[str, ...]
    loss: ClassVar[Loss] = "softmax"
    link: ClassVar[Link | None] = "softmax"
    metric: ClassVar[str] = "accuracy"

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: Ints) -> Classes:
        return Classes(self.ids[rows], self.names)

    def matrix(self) -> NDArray[Any]:
        """Class ids [n], int64."""
        return self.ids

    def decode(self, scores: Floats) -> Classes:
        """The class with the highest of the scores [n, outputs]."""
        return Classes(scores.argmax(1).astype(np.int64), self.names)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"ids": self.ids}

    @property
    def classes(self) -> Ints:
        return self.ids

    def sets(self) -> LabelSets:
        ones = np.ones(len(self), np.float32)
        return LabelSets(np.arange(len(self) + 1), self.ids, ones, self.names)

    def vary(self) -> bool:
        return bool((self.ids != self.ids[:1]).any())

    def label(self, i: int) -> str:
        return str(self.names[int(self.ids[i])])

    def plain(self) -> list[str]:
        return self.class_names()

    def class_names(self) -> list[str]:
        return [self.names[k] for k in self.ids]

    def answers(self) -> NDArray[np.str_]:
        return np.array(self.names, np.str_)[self.ids]

    def codes(self) -> Ints:
        return self.ids

    def codes_to_balance(self) -> Ints:
        return self.ids

    def counts(self) -> dict[str, int]:
        counts = np.bincount(self.ids, minlength=len(self.names))
        return {name: int(n) for name, n in zip(self.names, counts, strict=True)}

    def summary(self) -> dict[str, float]:
        return {name: float(n) for name, n in self.counts().items()}

    def groups(self) -> dict[str, Flags]:
        return {name: self.ids == k for k, name in enumerate(self.names)}

    def targets(self) -> list[NDArray[Any]]:
        return [self.ids]

    def constant(self) -> Floats:
        counts = np.bincount(self.ids, minlength=len(self.names))
        return np.asarray(counts / len(self), np.float32)

    def quality(self, scores: Floats) -> float:
        return float((scores.argmax(1) == self.ids).mean())

    def with_names(
        self, places: Ints, names: tuple[str, ...], partial: bool | None = None
    ) -> Classes:
        return Classes(places[self.ids], names)

    def without_unused(self) -> Classes:
        used, ids = np.unique(self.ids, return_inverse=True)
        return Classes(ids, tuple(self.names[i] for i in used))

    def problem(self) -> str:
        inside = (self.ids >= 0) & (self.ids < len(self.names))
        return "" if inside.all() else "a class id has no name"

    @classmethod
    def stack(cls, columns: Sequence[Column]) -> Classes:
        ids = [column.ids for column in columns if isinstance(column, Classes)]
        return Classes(np.concatenate(ids), columns[0].names)


@dataclass(frozen=True, slots=True)
class ScoreLabels(Column):
    """One number per example: values [n]."""

    values: NDArray[np.float64]
    names: tuple[str, ...] = field(default=("score",), init=False)
    loss: ClassVar[Loss] = "squared"
    link: ClassVar[Link | None] = None
    metric: ClassVar[str] = "pearson"

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: Ints) -> ScoreLabels:
        return ScoreLabels(self.values[rows])

    def matrix(self) -> NDArray[Any]:
        """The numbers as [n, 1], float32."""
        with np.errstate(over="ignore"):  # what is beyond float32 is infinite, which is a problem
            return self.values.astype(np.float32)[:, None]

    def decode(self, scores: Floats) -> ScoreLabels:
        return ScoreLabels(scores[:, 0].astype(np.float64))

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"values": self.values}

    @property
    def numbers(self) -> NDArray[np.float64]:
        return self.values

    def vary(self) -> bool:
        return bool((self.values != self.values[:1]).any())

    def label(self, i: int) -> float:
        return float(self.values[i])

    def plain(self) -> list[float]:
        return list(self.values.tolist())

    def summary(self) -> dict[str, float]:
        x = self.matrix()
        if not len(x):
            return {}
        return {"mean": x.mean(), "sd": x.std(), "min": x.min(), "max": x.max()}

    def groups(self) -> dict[str, Flags]:
        upper = self.matrix()[:, 0] > np.median(self.matrix())
        return {"lower half": ~upper, "upper half": upper}

    def targets(self) -> list[NDArray[Any]]:
        return [self.matrix()[:, 0]]

    def constant(self) -> Floats:
        return np.asarray(self.matrix().mean(0), np.float32)

    def quality(self, scores: Floats) -> float:
        return -float(((scores - self.matrix()) ** 2).mean())

    def with_names(
        self, places: Ints, names: tuple[str, ...], partial: bool | None = None
    ) -> ScoreLabels:
        return self

    def problem(self) -> str:
        if not np.isfinite(self.matrix()).all():
            return "a score is not a finite number"
        return "" if self.vary() else "all scores are equal: there is nothing to predict"

    @classmethod
    def stack(cls, columns: Sequence[Column]) -> ScoreLabels:
        values = [column.values for column in columns if isinstance(column, ScoreLabels)]
        return ScoreLabels(np.concatenate(values))


COLUMN_KINDS_BY_LOSS: Mapping[str, type[Column]] = {
    kind.loss: kind for kind in (Classes, LabelSets, ScoreLabels, NumberLists)
}


def build_column(labels: Sequence[Label]) -> Column:
    """The column of some labels; classes and set labels are numbered in sorted order."""
    kinds = {_kind(v) for v in labels}
    if len(kinds) > 1:
        raise ValueError(
            f"labels of one data set must be of one kind, found {' and '.join(sorted(kinds))}"
        )
    if kinds == {"class"}:
        names = tuple(sorted({str(v) for v in labels}))
        number = {name: i for i, name in enumerate(names)}
        return Classes(np.array([number[str(v)] for v in labels], np.int64), names)
    if kinds == {"score"}:
        return ScoreLabels(np.array(labels, np.float64))
    if kinds == {"list"}:
        return NumberLists.of([v for v in labels if isinstance(v, NumberList)])
    return _label_sets([v for v in labels if isinstance(v, Mapping | Set)])


def column_from_codes(codes: Ints, names: Sequence[str]) -> Column:
    """The column of codes [n] into names, a class each, or codes [n, k] for sets of k labels."""
    codes = np.asarray(codes, np.int64)
    if codes.ndim == 1:
        return Classes(codes, tuple(names))
    n, k = codes.shape
    return LabelSets(np.arange(n + 1) * k, codes.ravel(), np.ones(n * k, np.float32), tuple(names))


def join_columns(columns: Sequence[Column]) -> Column:
    """Label columns one after the other, as the folds of a data set come together."""
    if len(columns) == 1:
        return columns[0]
    names = tuple(dict.fromkeys(name for c in columns for name in c.names))
    places = [np.array([names.index(n) for n in c.names], np.int64) for c in columns]
    recoded = [c.with_names(place, names) for place, c in zip(places, columns, strict=True)]
    return recoded[0].stack(recoded)


def restore_column(
    loss: str, arrays: Mapping[str, NDArray[Any]], names: Sequence[str], partial: bool = False
) -> Column:
    """The column that `arrays()` was taken from, as the store and a built file read it back."""
    if loss == "softmax":
        return Classes(arrays["ids"].astype(np.int64), tuple(names))
    if loss == "squared":
        return ScoreLabels(arrays["values"].astype(np.float64))
    if loss == "sigmoid":
        return LabelSets(arrays["offsets"], arrays["ids"], arrays["weights"], tuple(names), partial)
    if loss == "absolute":
        return NumberLists(arrays["offsets"], arrays["values"], arrays["counts"], tuple(names))
    raise ValueError(f"no label column has the loss {loss!r}")


def _kind(label: Label) -> str:
    if isinstance(label, str):
        return "class"
    if isinstance(label, Real):  # numpy's numbers too
        return "score"
    if isinstance(label, Mapping | Set):
        return "set"
    if isinstance(label, NumberList):
        return "list"
    raise ValueError(
        "a label is a string, a number, a set of strings, a mapping of strings to weights, or a"
        f" NumberList, not {label!r}"
    )


def _label_sets(labels: Sequence[Set[str] | Mapping[str, float]]) -> LabelSets:
    weighted = [v if isinstance(v, Mapping) else dict.fromkeys(v, 1.0) for v in labels]
    names = tuple(sorted({name for v in weighted for name in v}))
    number = {name: i for i, name in enumerate(names)}
    cells = [(number[name], weight) for v in weighted for name, weight in sorted(v.items())]
    with np.errstate(over="ignore"):  # what is no weight is told as a problem of the column
        weights = np.array([c[1] for c in cells], np.float64).astype(np.float32)
    return LabelSets(
        np.cumsum([0, *map(len, weighted)]).astype(np.int64),
        np.array([c[0] for c in cells], np.int64),
        weights,
        names,
        partial=any(isinstance(v, Mapping) for v in labels),
    )
