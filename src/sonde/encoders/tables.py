"""Tables of word vectors: drawn at random by word form, or read from a file as words are asked
for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sonde.corpora.files import digest
from sonde.encoders.keyed import normals
from sonde.encoders.wordfiles import WordFile, open_words
from sonde.vectors import Floats


class WordTable(Protocol):
    """Words -> vectors."""

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

    def look_up(self, words: Sequence[str]) -> tuple[Floats, NDArray[np.bool_]]:
        keys = [w.encode("utf-8", "surrogatepass") for w in words]
        return normals(keys, self.dim, f"word {self.seed}"), np.ones(len(words), bool)


@dataclass(frozen=True)
class FileTable:
    """Word vectors of a file; only those of words that were asked for are kept in memory."""

    path: Path
    _file: list[WordFile] = field(default_factory=list, repr=False, compare=False)
    _kept: dict[str, Floats | None] = field(default_factory=dict, repr=False, compare=False)

    @property
    def fingerprint(self) -> str:
        return digest([self.path])

    def __reduce__(self) -> tuple[type[FileTable], tuple[Path]]:
        return FileTable, (self.path,)  # what was read stays in the process that read it

    def look_up(self, words: Sequence[str]) -> tuple[Floats, NDArray[np.bool_]]:
        if not self._file:
            self._file.append(open_words(self.path))
        file = self._file[0]
        new = [w for w in words if w not in self._kept]
        found = file.find(new)
        self._kept.update((w, found.get(w)) for w in new)
        vectors = np.zeros((len(words), file.dim), np.float32)
        known = np.zeros(len(words), bool)
        for i, word in enumerate(words):
            if (vector := self._kept[word]) is not None:
                vectors[i], known[i] = vector, True
        return vectors, known
