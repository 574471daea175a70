"""What a label column offers, whatever its kind, and label sets, the most general kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

MIN_LABEL_WEIGHT = 0.5  # a label of a set holds of an example where its weight is at least this

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Loss = Literal["softmax", "sigmoid", "squared", "absolute"]
Link = Literal["softmax", "sigmoid"]


class NumberList(NamedTuple):
    """A label that is a list of numbers, one for each word of a sentence, or for each pair of them.

    name    what is measured, the same for all examples of a data set, as `distance`
    values  the numbers; of pairs of words in the order (0, 1), (0, 2) ... (1, 2)
    counts  which numbers are about words that count when trees are compared; all without
    """

    name: str
    values: Sequence[float] | NDArray[Any]
    counts: Sequence[bool] | NDArray[Any] | None = None


Label = str | float | frozenset[str] | Mapping[str, float] | NumberList
"""What an author of a task writes: a class, a number, a set of labels, labels with weights (only
those annotated), or a list of numbers.
"""


class Column(ABC):
    """Labels of n examples.

    names    the outputs' names
    partial  whether labels that are not listed were not annotated, rather than negative
    loss     the loss for scores [n, outputs]
    link     how scores trained with the loss become probabilities; None for numbers
    metric   the default metric of tasks with such labels
    has_constant  whether one answer can be given to every example
    """

    __slots__ = ()
    names: tuple[str, ...]
    partial: bool = False
    loss: ClassVar[Loss]
    link: ClassVar[Link | None]
    metric: ClassVar[str]
    has_constant: ClassVar[bool] = True

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def take(self, rows: Ints) -> Self:
        """The labels of the examples rows [k], in that order."""

    @abstractmethod
    def matrix(self) -> NDArray[Any]:
        """The targets of probes: class ids [n], weights [n, outputs] or numbers [n, 1]."""

    @abstractmethod
    def decode(self, scores: Floats) -> Column:
        """The labels of n examples for their scores [n, outputs]."""

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays that `restore_column` turns into the column again: ids and values [n], or
        offsets [n + 1] with the ids and weights [total] of all sets.
        """

    @abstractmethod
    def label(self, i: int) -> Label:
        """The label of one example as in `Example`."""

    @abstractmethod
    def plain(self) -> Iterable[Any]:
        """Labels as JSON values; weights with as few digits as restore float32."""

    @abstractmethod
    def summary(self) -> dict[str, float]:
        """The total weight of each label; for numbers their mean, deviation and range."""

    @abstractmethod
    def groups(self) -> dict[str, Flags]:
        """Which examples have each label, [n]; for numbers, the lower and the upper half."""

    @abstractmethod
    def targets(self) -> list[NDArray[Any]]:
        """The targets of estimators with one output, [n] each: one for all classes, one per label,
        NaN where it was not annotated.
        """

    @abstractmethod
    def constant(self) -> Floats:
        """The scores [outputs] of the best constant answer: the commonest class, the set with the
        best micro F1, or the mean.
        """

    @abstractmethod
    def quality(self, scores: Floats) -> float:
        """The quality of scores [n, outputs] (higher is better): accuracy, micro F1, or minus
        squared error.
        """

    @abstractmethod
    def with_names(self, places: Ints, names: tuple[str, ...], partial: bool | None = None) -> Self:
        """The same labels under other names; places [names] are the positions of the old names
        among the new ones.
        """

    @abstractmethod
    def vary(self) -> bool:
        """Whether there is something to predict: not all examples have the same class or score;
        of label sets, there is a label that some examples have and others have not.
        """

    @abstractmethod
    def problem(self) -> str:
        """What is wrong with the column, so that nothing can be measured; '' if nothing is."""

    @classmethod
    @abstractmethod
    def stack(cls, columns: Sequence[Column]) -> Column:
        """Columns of this kind, with the same names, one after the other."""

    @property
    def classes(self) -> Ints | None:
        """The class of each example [n] into names; None if labels are not classes."""
        return None

    @property
    def numbers(self) -> NDArray[np.float64] | None:
        """The numbers [n]; None if labels are not numbers."""
        return None

    def sets(self) -> LabelSets:
        """Label sets unchanged, and classes as sets of one label each, for a sigmoid per label.
        ValueError for numbers.
        """
        raise ValueError("scores are no label sets")

    def codes(self) -> Ints:
        """One number per example [n], equal for equal labels."""
        matrix = np.nan_to_num(self.matrix().reshape(len(self), -1), nan=-1)
        return np.unique(matrix, axis=0, return_inverse=True)[1].ravel()

    def codes_to_balance(self) -> Ints:
        """What is balanced in each split, [n]: class ids; zeros if nothing is."""
        return np.zeros(len(self), np.int64)

    def class_names(self) -> list[str]:
        """The class of each example by name; '' if labels are not classes."""
        return [""] * len(self)

    def answers(self) -> NDArray[np.str_] | None:
        """The label of each example as text, [n]: its class, or all labels of its set; None for
        numbers.
        """
        return None

    def counts(self) -> dict[str, int]:
        """How many examples have each label; {} for numbers."""
        return {}

    def without_unused(self) -> Column:
        """The same without classes that no example has; label sets stay as they are."""
        return self


@dataclass(frozen=True, slots=True)
class LabelSets(Column):
    """A set of labels per example, sparse: with offsets [n + 1], example i has
    ids[offsets[i]:offsets[i + 1]] with these weights [total].

    A weight of zero means that the label was annotated as false. Labels that are not listed are
    false, too, unless `partial` is true: then only the listed labels were annotated.
    """

    offsets: Ints
    ids: Ints
    weights: Floats
    names: tuple[str, ...]
    partial: bool = False
    loss: ClassVar[Loss] = "sigmoid"
    link: ClassVar[Link | None] = "sigmoid"
    metric: ClassVar[str] = "micro-f1"

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
        """Labels of probability one half or more are predicted: every label whose logit in scores
        [n, outputs] is at least zero.
        """
        rows, ids = np.nonzero(scores >= 0)
        offsets = np.concatenate(
            [np.zeros(1, np.int64), np.cumsum(np.bincount(rows, minlength=len(scores)))]
        )
        return LabelSets(offsets, ids.astype(np.int64), np.ones(len(ids), np.float32), self.names)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"offsets": self.offsets, "ids": self.ids, "weights": self.weights}

    def sets(self) -> LabelSets:
        return self

    def vary(self) -> bool:
        low, high = np.full((2, len(self.names)), [[np.inf], [-np.inf]], np.float32)
        np.minimum.at(low, self.ids, self.weights)
        np.maximum.at(high, self.ids, self.weights)
        if not self.partial:
            low[np.bincount(self.ids, minlength=len(low)) < len(self)] = 0
        return bool((low < high).any())

    def label(self, i: int) -> Label:
        cells = slice(self.offsets[i], self.offsets[i + 1])
        pairs = zip(self.ids[cells], self.weights[cells], strict=True)
        weights = {self.names[k]: float(w) for k, w in pairs}
        return weights if self.partial else frozenset(k for k, w in weights.items() if w > 0)

    def plain(self) -> Iterable[Any]:
        known = not self.partial and bool((self.weights == 1).all())
        for start, stop in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            names = [self.names[k] for k in self.ids[start:stop]]
            weights = [float(str(w)) for w in self.weights[start:stop]]
            yield names if known else dict(zip(names, weights, strict=True))

    def answers(self) -> NDArray[np.str_]:
        sets, places = np.unique(self.matrix() >= MIN_LABEL_WEIGHT, axis=0, return_inverse=True)
        names = np.array(["+".join(np.array(self.names)[row]) for row in sets])
        return names[places.reshape(-1)]

    def counts(self) -> dict[str, int]:
        counts = np.bincount(self.ids[self.weights > 0], minlength=len(self.names))
        return {name: int(n) for name, n in zip(self.names, counts, strict=True)}

    def summary(self) -> dict[str, float]:
        return dict(zip(self.names, np.nan_to_num(self.matrix()).sum(0), strict=True))

    def groups(self) -> dict[str, Flags]:
        holds = np.nan_to_num(self.matrix()).T > 0
        return dict(zip(self.names, holds, strict=True))

    def targets(self) -> list[NDArray[Any]]:
        weights = self.matrix()
        return list(np.where(np.isnan(weights), np.nan, weights >= MIN_LABEL_WEIGHT).T)

    def constant(self) -> Floats:
        weights = self.matrix()
        annotated = (~np.isnan(weights)).sum(0)
        positive = (np.nan_to_num(weights) >= MIN_LABEL_WEIGHT).sum(0).astype(np.float64)
        share = positive / np.maximum(annotated, 1)
        # the best set for micro F1 always takes the labels with the largest shares
        order = np.argsort(-share, kind="stable")
        f1 = 2 * np.cumsum(positive[order]) / (np.cumsum(annotated[order]) + positive.sum() + 1e-12)
        chosen = order[: int(f1.argmax()) + 1] if len(f1) else order
        # below zero, in the order of the shares; the chosen ones are lifted above it
        scores = share - 1
        scores[chosen] = share[chosen]
        return np.asarray(scores - 1e-6 * (share == 0), np.float32)

    def quality(self, scores: Floats) -> float:
        weights = self.matrix()
        said, annotated = scores >= 0, ~np.isnan(weights)
        right = float(weights[said & annotated].sum())
        return 2 * right / max(float(said[annotated].sum() + weights[annotated].sum()), 1e-9)

    def with_names(
        self, places: Ints, names: tuple[str, ...], partial: bool | None = None
    ) -> LabelSets:
        known = self.partial if partial is None else partial
        return LabelSets(self.offsets, places[self.ids], self.weights, names, known)

    def problem(self) -> str:
        if not ((self.ids >= 0) & (self.ids < len(self.names))).all():
            return "a label id has no name"
        inside = (self.weights >= 0) & (self.weights <= 1)
        return "" if inside.all() else "label weights lie between 0 and 1"

    @classmethod
    def stack(cls, columns: Sequence[Column]) -> LabelSets:
        sets = [column.sets() for column in columns]
        offsets = np.cumsum(np.concatenate([[0], *(np.diff(each.offsets) for each in sets)]))
        return LabelSets(
            offsets,
            np.concatenate([each.ids for each in sets]),
            np.concatenate([each.weights for each in sets]),
            columns[0].names,
            any(each.partial for each in sets),
        )
