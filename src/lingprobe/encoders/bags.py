"""Bags of word vectors: each word on its own, pooled over the sentence, its order lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.oracles import (
    BEYOND_SURFACE_QUESTION,
    DECODABLE_QUESTION,
    EncoderQuestion,
    Kind,
)
from lingprobe.data.reading import POOLS
from lingprobe.data.vectors import (
    Floats,
    Ints,
    Vectors,
    compute_offsets,
    word_units,
)
from lingprobe.encoders.tables import FileTable, RandomTable, WordTable

Pool = Literal["mean", "max", "sum", "none"]


@dataclass(frozen=True)
class PooledWordVectors:
    """Word vectors of a sentence, pooled: words that the table lacks are excluded, and zeros stand
    where all are.

    With pool `none`, a vector for each word, of zeros for those that the table lacks: to an encoder
    of words they are all one.
    """

    name: str
    table: WordTable
    pool: Pool = "mean"
    lowercase: bool = False
    kind: ClassVar[Kind] = "baseline"
    takes = "sentences"

    @property
    def opposes(self) -> tuple[EncoderQuestion, ...]:
        """Random vectors of words are what needs no training, and all are words without order."""
        is_random = isinstance(self.table, RandomTable)
        return (
            (DECODABLE_QUESTION, BEYOND_SURFACE_QUESTION)
            if is_random
            else (BEYOND_SURFACE_QUESTION,)
        )

    @property
    def width(self) -> int:
        """Numbers of a vector; 0 where they are those of a file."""
        return self.table.dim if isinstance(self.table, RandomTable) else 0

    @property
    def by_word(self) -> bool:
        """Whether each word has a vector."""
        return self.pool == "none"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        matrix, known, offsets = self._looked_up(sentences)
        if self.pool == "none":
            return Vectors((matrix,), ("-",), word_units(np.diff(offsets)))
        before = np.zeros(len(known) + 1, np.int64)
        np.cumsum(known, out=before[1:])
        units, starts, stops = matrix[known], before[offsets[:-1]], before[offsets[1:]]
        pooled = POOLS["mean" if self.pool == "sum" else self.pool](units, starts, stops)
        return Vectors(
            (
                (
                    pooled * np.maximum(stops - starts, 1)[:, None].astype(np.float32)
                    if self.pool == "sum"
                    else pooled
                ),
            )
        )

    def unknown(self, words: Sequence[str]) -> NDArray[np.bool_] | None:
        """Which words a file lacks; None of random vectors, which lack none, and of a file in which
        one of the vectors is broken.
        """
        if isinstance(self.table, RandomTable):
            return None
        try:
            return ~self.table.look_up([w.lower() if self.lowercase else w for w in words])[1]
        except DataProblem:  # whoever encodes is told, with the sentence
            return None

    def coverage(self, sentences: Sequence[Sentence]) -> dict[str, int]:
        """How many words of these sentences there are, how many the table lacks, and how many
        sentences it knows nothing of.
        """
        _, known, starts = self._looked_up(sentences)
        before = compute_offsets(known)[starts]
        unread = (np.diff(before) == 0) & (np.diff(starts) > 0)
        return {
            "words": len(known),
            "unknown": int((~known).sum()),
            "sentences unread": int(unread.sum()),
        }

    def _looked_up(self, sentences: Sequence[Sentence]) -> tuple[Floats, NDArray[Any], Ints]:
        """Vectors of all words one after the other, which of them the table knows, and where each
        sentence begins [n + 1].
        """
        forms: dict[str, int] = {}
        words = [w.lower() if self.lowercase else w for s in sentences for w in s.words]
        numbers = np.fromiter(
            (forms.setdefault(w, len(forms)) for w in words), np.int64, len(words)
        )
        vectors, known = self.table.look_up(list(forms))
        offsets = np.concatenate(
            [[0], np.cumsum([len(s.words) for s in sentences], dtype=np.int64)]
        )
        return vectors[numbers], known[numbers], offsets.astype(np.int64)


def bow(
    words: Literal["random"] = "random",
    *,
    dim: int = 300,
    seed: int = 0,
    pool: Pool = "mean",
    lowercase: bool = False,
) -> PooledWordVectors:
    """A bag of random word vectors: it knows which words there are, and nothing of what they
    mean.
    """
    return PooledWordVectors(f"bow:{words}", RandomTable(dim, seed), pool, lowercase)


def static(path: Path, *, pool: Pool = "mean", lowercase: bool = False) -> PooledWordVectors:
    """A bag of static word vectors from a word2vec, GloVe or fastText file (.gz and .xz too)."""
    return PooledWordVectors(f"static:{path}", FileTable(path), pool, lowercase)
