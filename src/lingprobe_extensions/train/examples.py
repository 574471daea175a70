"""Examples as numbers: some bytes a word in memory, what is to be written in a file until it is cut
into pieces.
"""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import compress, islice
from typing import IO

import numpy as np
from numpy.typing import NDArray

from lingprobe import DataProblem
from lingprobe.extend import Ints, compute_offsets
from lingprobe_extensions.train.data import TrainingExample
from lingprobe_extensions.train.texts import NumberedTexts, WordNumbers


@dataclass(frozen=True)
class TrainingExamples:
    """What is learnt from.

    first   the words that are encoded, of each example
    second  those of a second sentence; none where there is no such
    labels  the number of its label [examples]
    names   of the labels, sorted
    same    equal where first sentences are equal [examples]
    forms   of the words, by number
    texts   what is to be written, `each` lines for an example; `kept` are the
            numbers of the examples that these are, where they are not all
    """

    first: NumberedTexts
    second: NumberedTexts
    labels: Ints
    names: tuple[str, ...]
    same: Ints
    forms: Sequence[str]
    texts: IO[str]
    each: int
    kept: Ints | None = None

    @classmethod
    def of(
        cls, *parts: Iterable[TrainingExample], first_words: Sequence[str] = ()
    ) -> tuple[TrainingExamples, list[int]]:
        """All of them, read once, and how many each part has; `first_words` are numbered first."""
        forms, names = (
            WordNumbers(zip(first_words, range(len(first_words)), strict=True)),
            WordNumbers(),
        )
        first, second, sizes, labels = array("i"), array("i"), array("i"), array("i")
        same, each = array("q"), 0
        written = tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n")  # noqa: SIM115
        counts = [0] * len(parts)
        with ExitStack() as broken:
            broken.callback(written.close)
            for number, example in ((i, example) for i, p in enumerate(parts) for example in p):
                if not isinstance(example, TrainingExample):
                    raise DataProblem(
                        f"an objective reads {example!r:.60}, and should read Examples"
                    )
                counts[number] += 1
                same.append(hash(example.first))
                sizes.extend((len(example.first), len(example.second)))
                first.extend(forms[word] for word in example.first)
                second.extend(forms[word] for word in example.second)
                labels.append(names[example.label])
                each = len(example.texts)
                written.writelines(f"{text}\n" for text in example.texts)
            broken.pop_all()
        widths = np.frombuffer(sizes, np.int32).reshape(-1, 2)
        made = cls(
            _texts(first, widths[:, 0]),
            _texts(second, widths[:, 1]),
            _labels(labels, list(names)),
            tuple(sorted(names)),
            np.frombuffer(same, np.int64),
            list(forms),
            written,
            each,
        )
        return made, counts

    def __len__(self) -> int:
        return len(self.same)

    def take(self, rows: Ints) -> TrainingExamples:
        """Some of them, in ascending order, with the words that they have."""
        first, second = self.first.take(rows), self.second.take(rows)
        used = np.unique(np.concatenate([first.ids, second.ids]))
        number = np.zeros(len(self.forms), np.int32)
        number[used] = np.arange(len(used))
        return replace(
            self,
            first=NumberedTexts(number[first.ids], first.starts),
            second=NumberedTexts(number[second.ids], second.starts),
            labels=self.labels[rows],
            same=self.same[rows],
            forms=[self.forms[i] for i in used.tolist()],
            kept=rows if self.kept is None else self.kept[rows],
        )

    def target_texts(self, number: int) -> Iterator[str]:
        """The text that is to be written of each example: the first, second … of an example."""
        if number >= self.each:
            raise DataProblem("the examples have no text that can be written")
        self.texts.seek(0)
        texts = (text[:-1] for text in islice(self.texts, number, None, self.each))
        if self.kept is None:
            yield from texts
            return
        there = np.zeros(int(self.kept.max(initial=0)) + 1, bool)
        there[self.kept] = True
        yield from compress(texts, there)


def _texts(ids: array[int], lengths: NDArray[np.int32]) -> NumberedTexts:
    starts = compute_offsets(lengths) if ids else np.broadcast_to(np.int64(0), len(lengths) + 1)
    return NumberedTexts(np.frombuffer(ids, np.int32), starts)


def _labels(numbers: array[int], names: Sequence[str]) -> Ints:
    """The number of each example's label among the sorted names, by that among names as they were
    met.
    """
    if len(names) < 2:
        return np.broadcast_to(np.int64(0), len(numbers))  # which takes no memory
    order: Ints = np.argsort(np.argsort(names))
    return order[np.frombuffer(numbers, np.int32)]
