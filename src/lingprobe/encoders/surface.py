"""Baselines that look at no meaning: the number of words, nothing at all, and a random vector for
each sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from lingprobe.data.core import Sentence
from lingprobe.data.oracles import DECODABLE_QUESTION, EncoderQuestion, Kind
from lingprobe.data.vectors import Vectors, word_units
from lingprobe.encoders.keyed_random import draw_normals


@dataclass(frozen=True)
class SentenceLength:
    """The number of words, and nothing else: [n, 1]."""

    kind: ClassVar[Kind] = "baseline"
    takes = "sentences"
    width: ClassVar[int] = 1
    by_word: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return "length"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return Vectors((np.array([[len(s.words)] for s in sentences], np.float32).reshape(-1, 1),))


@dataclass(frozen=True)
class WordsOnly:
    """No features [n, 0]: for probes that read the words themselves, which no vector is as wide as,
    or their annotation.
    """

    kind: ClassVar[Kind] = "baseline"
    opposes: ClassVar[tuple[EncoderQuestion, ...]] = ()
    takes = "sentences"

    @property
    def name(self) -> str:
        return "words"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return Vectors((np.zeros((len(sentences), 0), np.float32),))


@dataclass(frozen=True)
class RandomVectors:
    """A random normal vector for each sentence, drawn by a hash of its text: it identifies
    the sentence, and has no information about it.

    With pool `none`, one for each word of each sentence: the same word has another vector wherever
    it stands.
    """

    pool: Literal["sentence", "none"] = field(default="sentence", kw_only=True)
    dim: int = field(default=300, kw_only=True)
    seed: int = field(default=0, kw_only=True)
    kind: ClassVar[Kind] = "baseline"
    opposes: ClassVar[tuple[EncoderQuestion, ...]] = (DECODABLE_QUESTION,)
    takes = "sentences"

    @property
    def name(self) -> str:
        return "random"

    @property
    def width(self) -> int:
        """Numbers of a vector."""
        return self.dim

    @property
    def by_word(self) -> bool:
        """Whether each word has a vector."""
        return self.pool == "none"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        if self.pool == "none":
            keys = [
                s.key + number.to_bytes(4, "little")
                for s in sentences
                for number in range(len(s.words))
            ]
            spans = word_units(np.array([len(s.words) for s in sentences], np.int64))
            return Vectors(
                (draw_normals(keys, self.dim, f"word of sentence {self.seed}"),), ("-",), spans
            )
        return Vectors(
            (draw_normals([s.key for s in sentences], self.dim, f"sentence {self.seed}"),)
        )
