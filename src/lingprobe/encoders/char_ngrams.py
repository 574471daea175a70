"""`char-ngrams`: bags of character n-grams, which need no model; related languages share some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal

import numpy as np

from lingprobe.corpora.text import hash_ngrams
from lingprobe.data.core import Sentence
from lingprobe.data.oracles import Kind
from lingprobe.data.vectors import Floats, Vectors, word_units

_FIRST, _LAST = "\x02", "\x03"  # so that what a sentence begins and ends with is seen


@dataclass(frozen=True, slots=True)
class CharNgrams:
    """The logarithms of the counts of character n-grams (n = 1 to 4), hashed into some dimensions
    with random signs (Weinberger et al. 2009), of length 1; with pool=none, of each word.
    """

    _: KW_ONLY
    dim: int = 1024
    longest: int = 4
    pool: Literal["mean", "none"] = "mean"
    kind: ClassVar[Kind] = "baseline"
    takes: ClassVar[str] = "sentences"

    @property
    def name(self) -> str:
        return "char-ngrams"

    @property
    def width(self) -> int:
        """Dimensions of a vector."""
        return self.dim

    @property
    def by_word(self) -> bool:
        """Whether each word has a vector."""
        return self.pool == "none"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        if self.pool == "none":
            words = [word for s in sentences for word in s.words]
            spans = word_units(np.array([len(s.words) for s in sentences], np.int64))
            return Vectors((self._rows(words),), ("-",), spans)
        return Vectors((self._rows([s.text for s in sentences]),))

    def _rows(self, texts: Sequence[str]) -> Floats:
        known = {text: self._vector(f"{_FIRST}{text.casefold()}{_LAST}") for text in set(texts)}
        return np.array([known[text] for text in texts], np.float32).reshape(-1, self.dim)

    def _vector(self, text: str) -> Floats:
        hashes, counts = np.unique(
            np.concatenate(list(hash_ngrams(text, self.longest))), return_counts=True
        )
        columns = (hashes >> np.uint64(33)) % np.uint64(self.dim)
        signs = np.where(hashes >> np.uint64(32) & np.uint64(1), 1.0, -1.0)
        vector = np.bincount(columns.astype(np.int64), signs * np.log1p(counts), self.dim)
        return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-12), np.float32)
