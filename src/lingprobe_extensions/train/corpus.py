"""A corpus as numbers in a file, of which some is in memory at a time, so that memory does not grow
with the words of a text but with its lines (16 bytes each) and its distinct words.
"""

from __future__ import annotations

import tempfile
import weakref
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from lingprobe import DataProblem
from lingprobe.extend import Ints, compute_offsets
from lingprobe_extensions.train.texts import NumberedTexts, WordNumbers, join_texts

_BLOCK = 1 << 20  # words that are in memory at once, or one sentence
_STRETCHES = 256  # that make up a block, where sentences are drawn from all over the text
_WAITING = 1 << 16  # words that are written at once


@dataclass
class TrainingCorpus:
    """Sentences as numbers of words, in the order in which words were first met.

    The file has no name, so that it is gone when the process is, however that ends.
    """

    file: BinaryIO
    forms: list[str]
    starts: Ints

    def __post_init__(self) -> None:
        weakref.finalize(self, self.file.close)

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]], folder: Path) -> TrainingCorpus:
        """Sentences, written in that folder as they are read."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file = cast(BinaryIO, tempfile.TemporaryFile(dir=folder))  # noqa: SIM115
        except OSError as error:
            raise DataProblem(f"cannot write to {folder}: {error.strerror or error}") from None
        numbers = WordNumbers()
        lengths, waiting = array("i"), array("i")
        with ExitStack() as broken:
            broken.callback(file.close)
            for sentence in sentences:
                lengths.append(len(sentence))
                waiting.extend(numbers[word] for word in sentence)
                if len(waiting) > _WAITING:
                    waiting.tofile(file)
                    del waiting[:]
            waiting.tofile(file)
            file.flush()
            broken.pop_all()
        return cls(
            file, list(numbers), compute_offsets(np.frombuffer(lengths, np.int32).astype(np.int64))
        )

    def __len__(self) -> int:
        return len(self.starts) - 1

    def read(self, first: int, last: int) -> NumberedTexts:
        """The sentences from `first` up to `last`."""
        begin, end = self.starts[first], self.starts[last]
        self.file.seek(4 * int(begin))
        ids = np.frombuffer(self.file.read(4 * int(end - begin)), np.int32)
        return NumberedTexts(ids, self.starts[first : last + 1] - begin)

    def blocks(self, words: int = 0) -> list[tuple[int, int]]:
        """The first and last + 1 sentence of parts of about so many words each; without a number,
        of what is in memory at once.
        """
        size = words or _BLOCK
        cuts = np.searchsorted(self.starts, np.arange(size, self.starts[-1], size))
        every = np.unique([0, *cuts.tolist(), len(self)]).tolist()
        return list(pairwise(every))

    def shuffled_texts(self, rows: Ints, draws: np.random.Generator) -> Iterator[NumberedTexts]:
        """Those of the sentences `rows` (sorted), some at a time, each time from all over the text:
        short stretches are drawn, as many as are in memory at once, and their sentences mixed.
        """
        stretches = self.blocks(max(_BLOCK // _STRETCHES, 1))
        order = draws.permutation(len(stretches))
        for first in range(0, len(order), _STRETCHES):
            some = [stretches[i] for i in order[first : first + _STRETCHES].tolist()]
            texts = join_texts([self.within(rows, *stretch) for stretch in some])
            yield texts.take(draws.permutation(len(texts)))

    def iterate_blocks(self, rows: Ints) -> Iterator[NumberedTexts]:
        """Those of the sentences `rows` (sorted) that each block has."""
        for first, last in self.blocks():
            yield self.within(rows, first, last)

    def within(self, rows: Ints, first: int, last: int) -> NumberedTexts:
        """Those of the sentences `rows` (sorted) that one block has."""
        own = rows[np.searchsorted(rows, first) : np.searchsorted(rows, last)]
        return self.read(first, last).take(own - first)

    def unlike(self, rows: Ints, others: Ints) -> Ints:
        """Those of `rows` whose words are not those of one of `others`, a few sentences."""
        known = {
            row.tobytes() for text in self.iterate_blocks(others) for row in _yield_text_rows(text)
        }
        kept = np.fromiter(
            (
                row.tobytes() not in known
                for text in self.iterate_blocks(rows)
                for row in _yield_text_rows(text)
            ),
            bool,
        )
        left: Ints = rows[kept]
        return left

    def counts(self, rows: Ints) -> Ints:
        """How often each word stands in some sentences."""
        total = np.zeros(len(self.forms), np.int64)
        for text in self.iterate_blocks(rows):
            total += np.bincount(text.ids, minlength=len(total))
        return total


def _yield_text_rows(texts: NumberedTexts) -> Iterator[NDArray[np.integer[Any]]]:
    return (texts.row(i) for i in range(len(texts)))


@dataclass(frozen=True)
class WordVocabulary:
    """Words that occur often enough, the most frequent first.

    words    their forms
    counts   how often each is in train
    numbers  of all words of a corpus; -1 for one that is too rare
    """

    words: tuple[str, ...]
    counts: Ints
    numbers: NDArray[np.int32]

    @classmethod
    def of(cls, corpus: TrainingCorpus, rows: Ints, min_count: int) -> WordVocabulary:
        """The words that occur `min_count` times in some sentences."""
        counts = corpus.counts(rows)
        order = np.argsort(-counts, kind="stable")
        order = order[counts[order] >= max(min_count, 1)]
        numbers = np.full(len(counts), -1, np.int32)
        numbers[order] = np.arange(len(order))
        return cls(tuple(corpus.forms[i] for i in order.tolist()), counts[order], numbers)

    def drop_rare_words(self, texts: NumberedTexts) -> NumberedTexts:
        """Sentences without their rare words; their neighbours then stand side by side."""
        ids = self.numbers[texts.ids]
        return NumberedTexts(ids[ids >= 0], compute_offsets(ids >= 0)[texts.starts])
