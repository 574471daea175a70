"""Examples as numbers: some bytes a word in memory, what is to be written in a file until it is cut
into pieces.
"""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TextIO

import numpy as np

from sonde.core import DataProblem
from sonde.training.data import Example
from sonde.training.texts import Texts
from sonde.vectors import Ints, offsets


@dataclass(frozen=True)
class Examples:
    """What is learnt from.

    first   the words that are encoded, of each example
    second  those of a second sentence; none where there is no such
    labels  the number of its label [examples]
    names   of the labels, sorted
    same    equal where first sentences are equal [examples]
    forms   of the words, by number
    texts   what is to be written, `each` lines for an example; `kept` are those that are read
    """

    first: Texts
    second: Texts
    labels: Ints
    names: tuple[str, ...]
    same: Ints
    forms: Sequence[str]
    texts: TextIO
    each: int
    kept: Ints

    @classmethod
    def of(cls, *parts: Iterable[Example]) -> tuple[Examples, list[int]]:
        """All of them, read once, and how many each part has."""
        forms: dict[str, int] = {}
        names: dict[str, int] = {}
        columns = array("i"), array("i"), array("i"), array("i")
        first, second, sizes, labels = columns
        same, each = array("q"), 0
        written = tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n")  # noqa: SIM115
        counts = [0] * len(parts)
        for number, example in ((i, example) for i, part in enumerate(parts) for example in part):
            counts[number] += 1
            same.append(hash(example.first))
            sizes.extend((len(example.first), len(example.second)))
            first.extend(forms.setdefault(word, len(forms)) for word in example.first)
            second.extend(forms.setdefault(word, len(forms)) for word in example.second)
            labels.append(names.setdefault(example.label, len(names)))
            each = len(example.texts)
            written.writelines(f"{text}\n" for text in example.texts)
        ids = [np.frombuffer(column, np.int32) for column in columns]
        lengths = ids[2].reshape(-1, 2).astype(np.int64)
        order = np.argsort(np.argsort(list(names))) if names else np.zeros(0, np.int64)
        made = cls(
            Texts(ids[0], offsets(lengths[:, 0])),
            Texts(ids[1], offsets(lengths[:, 1])),
            order[ids[3]],
            tuple(sorted(names)),
            np.frombuffer(same, np.int64),
            list(forms),
            written,
            each,
            np.arange(len(lengths)),
        )
        return made, counts

    def __len__(self) -> int:
        return len(self.kept)

    def take(self, rows: Ints) -> Examples:
        """Some of them, in ascending order, with the words that they have."""
        first, second = self.first.take(rows), self.second.take(rows)
        used = np.unique(np.concatenate([first.ids, second.ids]))
        number = np.zeros(len(self.forms), np.int32)
        number[used] = np.arange(len(used))
        return replace(
            self,
            first=Texts(number[first.ids], first.starts),
            second=Texts(number[second.ids], second.starts),
            labels=self.labels[rows],
            same=self.same[rows],
            forms=[self.forms[i] for i in used.tolist()],
            kept=self.kept[rows],
        )

    def written(self, number: int) -> Iterator[str]:
        """The text that is to be written of each example: the first, second … of an example."""
        if number >= self.each:
            raise DataProblem("the examples have no text that can be written")
        self.texts.seek(0)
        wanted = iter((self.kept * self.each + number).tolist())
        line = next(wanted, -1)
        for i, text in enumerate(self.texts):
            if i == line:
                yield text[:-1]
                line = next(wanted, -1)
