"""Encoders that know which words they do not know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sonde.core import Encoder


@runtime_checkable
class Lexical(Encoder, Protocol):
    """An encoder that can tell, without encoding, which words it does not know."""

    def unknown(self, words: Sequence[str]) -> NDArray[np.bool_] | None:
        """Of which words [n] some part is read as the token for the unknown; None where it cannot
        be told.
        """
        ...
