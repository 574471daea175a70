"""An encoder that looks at the corpus first: letters weigh more where few sentences have them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase

import numpy as np

from lingprobe.data.core import Sentence
from lingprobe.data.vectors import Vectors


@dataclass(frozen=True)
class RareLetters:
    """How often each letter occurs in the sentence, weighted by how rare it is in the corpus."""

    floor: int = 1  # an option: rare-letters:3 or rare-letters,floor=3
    weights: tuple[float, ...] = ()

    name = "rare-letters"
    takes = "sentences"

    def prepare(self, sentences: Sequence[Sentence]) -> "RareLetters":
        having = (self._counts(sentences) > 0).sum(0)
        weights = np.log(len(sentences) / np.maximum(having, self.floor))
        return replace(self, weights=tuple(weights.tolist()))

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return Vectors(((self._counts(sentences) * self.weights).astype(np.float32),))

    def _counts(self, sentences: Sequence[Sentence]) -> np.ndarray:
        counts = [[s.text.lower().count(letter) for letter in ascii_lowercase] for s in sentences]
        return np.array(counts, np.float64).reshape(len(sentences), len(ascii_lowercase))
