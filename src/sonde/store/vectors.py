"""Vectors on disk, one entry for each sentence and slot ('layer.form') of an encoder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sonde.core import Sentence
from sonde.vectors import Vectors


class VectorStore:
    """Vectors by encoder base, slot and sentence, in float32 or float16."""

    def __init__(self, root: Path, dtype: str = "float32") -> None:
        self.root = Path(root)
        self.dtype = np.dtype(dtype)

    def missing(self, base: str, slot: str, sentences: Sequence[Sentence]) -> NDArray[np.bool_]:
        """Which sentences have no entry yet, [sentences]."""
        raise NotImplementedError

    def read(self, base: str, slots: Sequence[str], names: Sequence[str], sentences: Sequence[Sentence]) -> Vectors:
        """The vectors of sentences, one layer a slot; rows of sentences without an entry are zeros."""
        raise NotImplementedError
