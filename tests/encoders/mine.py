"""What a user may write in a file of their own and name as `mine.py@thing`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from lingprobe.data.core import Sentence
from lingprobe.data.vectors import Vectors


def characters(sentences):
    """A function of sentences, as it stands."""
    return [[len(s), s.count("e")] for s in sentences]


def annotated(texts: list[str]) -> np.ndarray:
    return np.array([[float(len(t))] for t in texts])


def factory(*, scale: float = 1.0):
    """A factory with options."""
    return lambda sentences: np.array([[scale * len(s)] for s in sentences])


def of_a_path(path: str, *, dim: int = 2):
    """A factory with an argument."""
    return lambda sentences: np.full((len(sentences), dim), len(path))


@dataclass(frozen=True)
class Own:
    """A whole encoder."""

    times: int = field(default=1, kw_only=True)
    takes = "sentences"

    @property
    def name(self) -> str:
        return "own"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return Vectors((np.array([[len(s.words) * self.times] for s in sentences], np.float32),))


class Object:
    """An object whose encode takes strings, and which has a name."""

    name = "object"

    def encode(self, texts):
        return np.array([[len(t)] for t in texts])


instance = Object()


def prepare(params, samples):
    params.longest = max(len(s) for s in samples)


def batcher(params, batch):
    return np.array([[len(words) / (params.longest or 1)] for words in batch])


pair = (batcher, prepare)
