"""Label columns, and the one place that knows their outputs, their loss and how scores are decoded.

A probe trains `outputs` scores under the loss that a column names, against `column.matrix()`, and
never looks at the type of the column. `decode` turns scores back into a column of the same kind,
which is what metrics compare.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

HOLDS = 0.5  # a label of a set holds of an example where its weight is at least this

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Loss = Literal["softmax", "sigmoid", "squared"]


class Column(Protocol):
    """Labels of n examples. `names` are the outputs' names; `loss` says how scores [n, outputs] are
    judged.
    """

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def loss(self) -> Loss: ...
    def __len__(self) -> int: ...
    def take(self, rows: Ints) -> Column: ...
    def matrix(self) -> NDArray[Any]: ...
    def decode(self, scores: Floats) -> Column: ...
    def arrays(self) -> dict[str, NDArray[Any]]: ...


@dataclass(frozen=True, slots=True)
class Classes:
    """One class an example: ids [n] into names."""

    ids: Ints
    names: tuple[str, ...]

    @property
    def loss(self) -> Loss:
        return "softmax"

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: Ints) -> Classes:
        return Classes(self.ids[rows], self.names)

    def matrix(self) -> NDArray[Any]:
        """Class ids [n], int64."""
        return self.ids

    def decode(self, scores: Floats) -> Classes:
        """The class of the highest score."""
        return Classes(scores.argmax(1).astype(np.int64), self.names)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"ids": self.ids}


@dataclass(frozen=True, slots=True)
class Scores:
    """One number an example: values [n]."""

    values: NDArray[np.float64]

    @property
    def names(self) -> tuple[str, ...]:
        return ("score",)

    @property
    def loss(self) -> Loss:
        return "squared"

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: Ints) -> Scores:
        return Scores(self.values[rows])

    def matrix(self) -> NDArray[Any]:
        """The numbers as [n, 1], float32."""
        return self.values.astype(np.float32)[:, None]

    def decode(self, scores: Floats) -> Scores:
        return Scores(scores[:, 0].astype(np.float64))

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"values": self.values}


@dataclass(frozen=True, slots=True)
class LabelSets:
    """A set of labels an example, sparse: example i has ids[offsets[i]:offsets[i+1]] with these
    weights.

    A weight of zero says that the label was looked at and denied; labels that are not listed count
    as denied too, unless `partial` holds: then only the listed labels were annotated.
    """

    offsets: Ints
    ids: Ints
    weights: Floats
    names: tuple[str, ...]
    partial: bool = False

    @property
    def loss(self) -> Loss:
        return "sigmoid"

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, rows: Ints) -> LabelSets:
        lengths = np.diff(self.offsets)[rows]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        cells = np.arange(offsets[-1]) + np.repeat(self.offsets[rows] - offsets[:-1], lengths)
        return LabelSets(offsets, self.ids[cells], self.weights[cells], self.names, self.partial)

    def matrix(self) -> NDArray[Any]:
        """Weights [n, outputs], float32; NaN where a label was not annotated, which the loss leaves
        out.
        """
        dense = np.full((len(self), len(self.names)), np.nan if self.partial else 0.0, np.float32)
        dense[np.repeat(np.arange(len(self)), np.diff(self.offsets)), self.ids] = self.weights
        return dense

    def decode(self, scores: Floats) -> LabelSets:
        """Every label whose score (a logit) is at least zero."""
        rows, ids = np.nonzero(scores >= 0)
        offsets = np.concatenate(
            [np.zeros(1, np.int64), np.cumsum(np.bincount(rows, minlength=len(scores)))]
        )
        return LabelSets(offsets, ids.astype(np.int64), np.ones(len(ids), np.float32), self.names)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"offsets": self.offsets, "ids": self.ids, "weights": self.weights}


Label = str | float | frozenset[str] | Mapping[str, float]
"""What an author of a task writes: a class, a number, a set of labels, or labels with weights (only
those annotated).
"""


def column(labels: Sequence[Label]) -> Column:
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
        return Scores(np.array(labels, np.float64))
    return _label_sets([v for v in labels if isinstance(v, Mapping | Set)])


def label_of(labels: Column, i: int) -> Label:
    """The label of one example as an author would write it, by name."""
    arrays, names = labels.take(np.array([i])).arrays(), labels.names
    if labels.loss == "softmax":
        return str(names[int(arrays["ids"][0])])
    if labels.loss == "squared":
        return float(arrays["values"][0])
    pairs = {names[k]: float(w) for k, w in zip(arrays["ids"], arrays["weights"], strict=True)}
    return (
        pairs
        if getattr(labels, "partial", False)
        else frozenset(k for k, w in pairs.items() if w > 0)
    )


def _kind(label: Label) -> str:
    if isinstance(label, str):
        return "class"
    if isinstance(label, Real):  # numpy's numbers too
        return "score"
    if isinstance(label, Mapping | Set):
        return "set"
    raise ValueError(
        "a label is a string, a number, a set of strings or a mapping of strings to weights, not"
        f" {label!r}"
    )


def _label_sets(labels: Sequence[Set[str] | Mapping[str, float]]) -> LabelSets:
    weighted = [v if isinstance(v, Mapping) else dict.fromkeys(v, 1.0) for v in labels]
    names = tuple(sorted({name for v in weighted for name in v}))
    number = {name: i for i, name in enumerate(names)}
    cells = [(number[name], weight) for v in weighted for name, weight in sorted(v.items())]
    return LabelSets(
        np.cumsum([0, *map(len, weighted)]).astype(np.int64),
        np.array([c[0] for c in cells], np.int64),
        np.array([c[1] for c in cells], np.float32),
        names,
        partial=any(isinstance(v, Mapping) for v in labels),
    )


def as_sets(labels: Column) -> LabelSets:
    """Label sets as they are, and classes as sets of one label each, which is how a sigmoid for
    each label sees them.
    """
    if isinstance(labels, LabelSets):
        return labels
    if isinstance(labels, Classes):
        return LabelSets(
            np.arange(len(labels) + 1), labels.ids, np.ones(len(labels), np.float32), labels.names
        )
    raise ValueError("scores are no label sets")


def link_of(labels: Column) -> Literal["softmax", "sigmoid"] | None:
    """How scores that were trained under the labels' own loss become probabilities; None for
    numbers.
    """
    return None if labels.loss == "squared" else labels.loss


def code_length(labels: Column, scores: Floats) -> NDArray[np.float64]:
    """Bits that each example's labels take under a probe's scores (logits), [n]: -log2 p;
    ValueError for numbers.

    Classes are coded by softmax, even where a sigmoid each was trained: that is their distribution
    given that one label holds.
    """
    z = scores.astype(np.float64)
    if isinstance(labels, Classes):
        nats = np.logaddexp.reduce(z, 1) - z[np.arange(len(labels)), labels.ids]
    elif isinstance(labels, LabelSets):
        holds = labels.matrix()
        nats = np.where(np.isnan(holds), 0, np.logaddexp(0, z) - (holds >= HOLDS) * z).sum(1)
    else:
        raise ValueError("numbers have no code of a length in bits: take classes or label sets")
    return np.asarray(nats / np.log(2))


def uniform_length(labels: Column) -> NDArray[np.float64]:
    """Bits that each example's labels take when all are equally likely, [n]: log2 of the classes,
    or one a label annotated.
    """
    if isinstance(labels, Classes):
        return np.full(len(labels), np.log2(len(labels.names)))
    return code_length(labels, np.zeros((len(labels), len(labels.names)), np.float32))


def adaptive_length(labels: Column) -> NDArray[np.float64]:
    """Bits that each example's labels take for one who has seen those before it and no vectors,
    [n].

    A class has the chance (times seen + 1/2) / (examples seen + classes / 2); each label of a set
    holds or does not likewise (Krichevsky & Trofimov 1981).
    """
    if isinstance(labels, Classes):
        order = np.argsort(labels.ids, kind="stable")
        first = np.searchsorted(labels.ids[order], labels.ids)
        before = np.empty(len(labels), np.int64)
        before[order] = np.arange(len(labels))
        seen = before - first
        return np.asarray(np.log2((np.arange(len(labels)) + len(labels.names) / 2) / (seen + 0.5)))
    if not isinstance(labels, LabelSets):
        raise ValueError("numbers have no code of a length in bits: take classes or label sets")
    matrix = labels.matrix()
    known, holds = ~np.isnan(matrix), matrix >= HOLDS
    seen, held = known.cumsum(0) - known, holds.cumsum(0) - holds
    bits = np.log2((seen + 1) / (np.where(holds, held, seen - held) + 0.5))
    return np.asarray(np.where(known, bits, 0.0).sum(1))


def joined(columns: Sequence[Column]) -> Column:
    """Label columns one after the other, as the folds of a data set come together."""
    first = columns[0]
    if len(columns) == 1:
        return first
    if isinstance(first, Scores):
        return Scores(np.concatenate([c.values for c in columns if isinstance(c, Scores)]))
    names = tuple(dict.fromkeys(name for c in columns for name in c.names))
    places = [np.array([names.index(n) for n in c.names], np.int64) for c in columns]
    if isinstance(first, Classes):
        return Classes(
            np.concatenate(
                [
                    place[c.ids]
                    for place, c in zip(places, columns, strict=True)
                    if isinstance(c, Classes)
                ]
            ),
            names,
        )
    sets = [as_sets(c) for c in columns]
    offsets = np.cumsum(np.concatenate([[0], *(np.diff(c.offsets) for c in sets)]))
    ids = np.concatenate([place[c.ids] for place, c in zip(places, sets, strict=True)])
    return LabelSets(
        offsets, ids, np.concatenate([c.weights for c in sets]), names, any(c.partial for c in sets)
    )


def restored(
    loss: str, arrays: Mapping[str, NDArray[Any]], names: Sequence[str], partial: bool = False
) -> Column:
    """The column that `arrays()` was taken from, as the store and a built file read it back."""
    if loss == "softmax":
        return Classes(arrays["ids"].astype(np.int64), tuple(names))
    if loss == "squared":
        return Scores(arrays["values"].astype(np.float64))
    if loss == "sigmoid":
        return LabelSets(arrays["offsets"], arrays["ids"], arrays["weights"], tuple(names), partial)
    raise ValueError(f"no label column has the loss {loss!r}")
