"""Floors that look at no meaning: the number of words, nothing at all, and a random vector for each sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sonde.core import Sentence
from sonde.encoders.keyed import normals
from sonde.vectors import Vectors


@dataclass(frozen=True)
class Length:
    """The number of words, and nothing else: [n, 1]."""

    @property
    def name(self) -> str:
        return "length"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return Vectors((np.array([[len(s.words)] for s in sentences], np.float32).reshape(-1, 1),))


@dataclass(frozen=True)
class Words:
    """No features [n, 0]: for probes that read the words themselves."""

    @property
    def name(self) -> str:
        return "words"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return Vectors((np.zeros((len(sentences), 0), np.float32),))


@dataclass(frozen=True)
class Random:
    """A random normal vector for each sentence, drawn by a hash of its text: it knows the sentence's name and nothing else."""

    dim: int = field(default=300, kw_only=True)
    seed: int = field(default=0, kw_only=True)

    @property
    def name(self) -> str:
        return "random"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return Vectors((normals([s.key for s in sentences], self.dim, f"sentence {self.seed}"),))
