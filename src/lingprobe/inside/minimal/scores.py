"""Scores of sentences as vectors: numbers whose sum is the score."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.vectors import Vectors

_BITS = 8  # that every type has in which vectors are kept
_PARTS = 3  # as many as a float32 has bits


def score_vectors(scores: NDArray[np.float64], cut: NDArray[np.bool_] | None = None) -> Vectors:
    """Scores [n] as vectors [n, 3] of few bits, whose sum is the score to 24 bits in whatever type
    they are kept.
    """
    rest, parts = np.asarray(scores, np.float64), []
    for _ in range(_PARTS):
        mantissa, exponent = np.frexp(rest)
        part = np.ldexp(np.round(mantissa * 2**_BITS), exponent - _BITS)
        parts.append(part)
        rest = rest - part
    return Vectors((np.stack(parts, 1).astype(np.float32),), cut=cut)
