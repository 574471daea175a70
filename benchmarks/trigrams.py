"""A bag of the letters of a sentence, as a baseline for languages whose words have many forms.

    lingprobe run -t ud/tense:UD_Finnish-TDT -e benchmarks/trigrams.py@Trigrams,dim=384

Runs of three signs of the text, in lower case and with a blank at either end, each with a random
vector of its own, and their mean. So it knows endings and little words, and nothing of what they
mean or of their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lingprobe.data.core import Sentence
from lingprobe.data.vectors import Vectors
from lingprobe.encoders import make_encoder


@dataclass(frozen=True)
class Trigrams:
    """Random vectors of all runs of three signs, averaged."""

    dim: int = 384
    seed: int = 0
    name = "trigrams"
    takes = "sentences"
    kind = "baseline"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        runs = []
        for sentence in sentences:
            text = f" {sentence.text.lower()} "
            runs.append(Sentence.of([text[i : i + 3] for i in range(len(text) - 2)]))
        return make_encoder(f"bow:random,dim={self.dim},seed={self.seed}").encode(runs)
