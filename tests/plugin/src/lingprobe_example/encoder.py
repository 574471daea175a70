"""An encoder: one vector a sentence, here how often each letter occurs in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase

import numpy as np

from lingprobe.data.core import Sentence
from lingprobe.data.vectors import Vectors


@dataclass(frozen=True)
class Letters:
    """How often each letter from a to z occurs in the sentence."""

    name = "alphabet"
    takes = "sentences"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        counts = [
            [sentence.text.lower().count(letter) for letter in ascii_lowercase]
            for sentence in sentences
        ]
        return Vectors((np.array(counts, np.float32),))
