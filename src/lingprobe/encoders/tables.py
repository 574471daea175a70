"""Tables of word vectors: sampled at random by word form, or read from a file as words are asked
for.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import DataProblem
from lingprobe.data.vectors import Floats, Ints, Vectors, word_units
from lingprobe.encoders.keyed_random import draw_normals
from lingprobe.encoders.word_files import WordFile, open_words, word_digest

_MOST = 1 << 16  # words whose vectors are kept


class WordTable(Protocol):
    """Words -> vectors."""

    @property
    def fingerprint(self) -> str:
        """What tells the vectors from others."""
        ...

    def look_up(self, words: Sequence[str]) -> tuple[Floats, NDArray[np.bool_]]:
        """A vector for each word [words, dim], zeros where there is none, and which words there
        are.
        """
        ...


@dataclass(frozen=True)
class RandomTable:
    """A random normal vector for each word form, the same in every process; no word is unknown."""

    dim: int
    seed: int

    @property
    def fingerprint(self) -> str:
        return "random"

    def look_up(self, words: Sequence[str]) -> tuple[Floats, NDArray[np.bool_]]:
        keys = [w.encode("utf-8", "surrogatepass") for w in words]
        return draw_normals(keys, self.dim, f"word {self.seed}"), np.ones(len(words), bool)


@dataclass(frozen=True)
class FileTable:
    """Word vectors of a file as it is now; one that was written again is another. Only those of
    words that were asked for lately are kept in memory, for all tables of the file in a process.

    most  how many words these are, or a few times as many
    """

    path: Path
    most: int = _MOST

    @property
    def fingerprint(self) -> str:
        return word_digest(self.path)

    def look_up(self, words: Sequence[str]) -> tuple[Floats, NDArray[np.bool_]]:
        return _open_vector_cache(self.path, word_digest(self.path), self.most).look_up(words)


@dataclass(eq=False)
class WordVectorCache:
    """The vectors of those words of a file that were asked for lately, None for words that it
    lacks: `most`, or a few times as many.
    """

    path: Path
    file: WordFile
    most: int
    kept: dict[str, Floats | None] = field(default_factory=dict)
    before: dict[str, Floats | None] = field(default_factory=dict)

    def look_up(self, words: Sequence[str]) -> tuple[Floats, NDArray[np.bool_]]:
        if len(self.kept) > self.most:
            self.before, self.kept = self.kept, {}
        kept = self.kept
        kept.update(self._find_vectors([w for w in words if w not in kept]))
        vectors = np.zeros((len(words), self.file.dim), np.float32)
        known = np.zeros(len(words), bool)
        for i, word in enumerate(words):
            if (vector := kept[word]) is not None:
                vectors[i], known[i] = vector, True
        return vectors, known

    def _find_vectors(self, words: Sequence[str]) -> dict[str, Floats | None]:
        """The vectors of some words, in one piece of memory, which is freed as one."""
        before = self.before
        found = {w: before[w] for w in words if w in before}
        found |= self._read([w for w in words if w not in found])
        vectors = {w: vector for w, vector in found.items() if vector is not None}
        rows = zip(vectors, np.array([*vectors.values()]), strict=True)
        return {**dict.fromkeys(words), **dict(rows)}

    def _read(self, words: Sequence[str]) -> dict[str, Floats]:
        """The vectors of those words that the file has; DataProblem where one is broken."""
        vectors = self.file.find(words)
        if broken := [w for w, vector in vectors.items() if not np.isfinite(vector).all()]:
            raise DataProblem(
                f"{self.path}: the vector of {broken[0]!r} contains NaN or an infinite number;"
                " remove the word, or download the file again"
            )
        return vectors


@functools.lru_cache(maxsize=4)
def _open_vector_cache(path: Path, mark: str, most: int) -> WordVectorCache:
    """What was asked for of a file that has the digest `mark`."""
    return WordVectorCache(path, open_words(path), most)


def open_word_table(path: Path | None, dim: int, seed: int, most: int = _MOST) -> WordTable:
    """Word vectors of a file, of which about so many are kept in memory, or random ones of so many
    dimensions, as they stand.
    """
    return RandomTable(dim, seed) if path is None else FileTable(path, most)


def gather_word_vectors(vectors: Floats, ids: Ints, counts: Ints) -> Vectors:
    """The rows ids [words] of vectors [n, dim], zeros for a word without one (-1); sentences have
    counts [sentences] words.
    """
    found = np.zeros((len(ids), vectors.shape[1]), np.float32)
    found[ids >= 0] = vectors[ids[ids >= 0]]
    return Vectors((found,), ("-",), word_units(counts))
