"""Lists of numbers as labels: what is measured between the words of a sentence, or at each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.digests import hash_bytes
from lingprobe.data.labels.column import Column, Flags, Floats, Ints, Link, Loss, NumberList


@dataclass(frozen=True, slots=True)
class NumberLists(Column):
    """A list of numbers per example, as long as its sentence asks for: example i has
    values[offsets[i]:offsets[i+1]], float32, with flags `counts` [values] as of `NumberList`.

    No answer is the same for every example, and scores [n, outputs] cannot hold one: a probe gives
    the column itself. Probes of other labels ask for `matrix`, which says so.
    """

    offsets: Ints
    values: Floats
    counted: Flags
    names: tuple[str, ...]
    loss: ClassVar[Loss] = "absolute"
    link: ClassVar[Link | None] = None
    metric: ClassVar[str] = ""
    has_constant: ClassVar[bool] = False

    @classmethod
    def of(cls, labels: Sequence[NumberList]) -> NumberLists:
        """The column of some labels."""
        values = [np.asarray(label.values, np.float32) for label in labels]
        counted = [
            np.ones(len(own), bool) if label.counts is None else np.asarray(label.counts, bool)
            for label, own in zip(labels, values, strict=True)
        ]
        offsets = np.cumsum([0, *map(len, values)]).astype(np.int64)
        names = tuple(dict.fromkeys(label.name for label in labels))
        if len(names) > 1:
            raise ValueError(f"lists of one data set measure one thing, found {', '.join(names)}")
        return cls(offsets, np.concatenate(values), np.concatenate(counted), names)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, rows: Ints) -> NumberLists:
        lengths = np.diff(self.offsets)[rows]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        cells = np.arange(offsets[-1]) + np.repeat(self.offsets[rows] - offsets[:-1], lengths)
        return NumberLists(offsets, self.values[cells], self.counted[cells], self.names)

    def row(self, i: int) -> Floats:
        """The numbers of one example."""
        return self.values[self.offsets[i] : self.offsets[i + 1]]

    def matrix(self) -> NDArray[Any]:
        raise ValueError(
            "labels are lists of numbers, one list a sentence: read them with structural or chain"
        )

    def decode(self, scores: Floats) -> Column:
        raise ValueError("lists of numbers are no scores of outputs; the probe gives the lists")

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"offsets": self.offsets, "values": self.values, "counts": self.counted}

    def vary(self) -> bool:
        return bool((self.values != self.values[:1]).any())

    def label(self, i: int) -> NumberList:
        cells = slice(self.offsets[i], self.offsets[i + 1])
        return NumberList(self.names[0], self.values[cells], self.counted[cells])

    def plain(self) -> list[dict[str, Any]]:
        labels = map(self.label, range(len(self)))
        return [
            {name: np.asarray(values).tolist(), "counts": np.asarray(counts).tolist()}
            for name, values, counts in labels
        ]

    def summary(self) -> dict[str, float]:
        x = self.values
        return {"mean": x.mean(), "sd": x.std(), "min": x.min(), "max": x.max()} if len(x) else {}

    def groups(self) -> dict[str, Flags]:
        return {}

    def targets(self) -> list[NDArray[Any]]:
        return [self.matrix()]

    def constant(self) -> Floats:
        return np.asarray(self.matrix())

    def quality(self, scores: Floats) -> float:
        return float(self.matrix())

    def codes(self) -> Ints:
        numbers: dict[bytes, int] = {}
        digests = (hash_bytes(self.row(i).tobytes(), 64) for i in range(len(self)))
        return np.array([numbers.setdefault(d, len(numbers)) for d in digests], np.int64)

    def with_names(
        self, places: Ints, names: tuple[str, ...], partial: bool | None = None
    ) -> NumberLists:
        return self

    def problem(self) -> str:
        return "" if np.isfinite(self.values).all() else "a number of a list is not finite"

    @classmethod
    def stack(cls, columns: Sequence[Column]) -> NumberLists:
        lists = [column for column in columns if isinstance(column, NumberLists)]
        return cls(
            np.cumsum(np.concatenate([[0], *(np.diff(each.offsets) for each in lists)])),
            np.concatenate([each.values for each in lists]),
            np.concatenate([each.counted for each in lists]),
            columns[0].names,
        )
