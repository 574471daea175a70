"""Sentences -> the vector cache: what is missing is planned, encoded block by block, and committed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sonde.core import Encoder, Sentence
from sonde.store.vectors import VectorStore
from sonde.vectors import Vectors


class EncoderProblem(ValueError):
    """An encoder that cannot be used; the message names it, says what it did and what to do."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """What became of some sentences.

    usable    [sentences] which of them have vectors
    problems  (sentence index, reason) for those that have none
    encoded, cached, cut   how many distinct sentences were encoded now, were there already, were read only in part
    """

    usable: NDArray[np.bool_]
    problems: tuple[tuple[int, str], ...]
    encoded: int
    cached: int
    cut: int
    seconds: float


def embed(encoder: Encoder, sentences: Sequence[Sentence], store: VectorStore, key: str, progress: bool = True) -> Embedded:
    """Encode and keep what the store does not hold yet; `key` is what the encoder's vectors are cached under."""
    raise NotImplementedError


def vectors(encoder: Encoder, sentences: Sequence[Sentence], store: VectorStore, key: str) -> Vectors:
    """The stored vectors of embedded sentences, in their order; unusable ones are zeros."""
    raise NotImplementedError
