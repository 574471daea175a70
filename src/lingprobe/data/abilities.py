"""What an encoder may say of itself beside its vectors: whoever has one of these is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.examples import Sentence
from lingprobe.data.notes import Checkpoint


@runtime_checkable
class Checkpointed(Protocol):
    """An encoder that knows at which point of its training it is; of others, names may tell."""

    @property
    def point_of_training(self) -> Checkpoint: ...


@runtime_checkable
class Remote(Protocol):
    """An encoder that sends sentences to another machine: which one, as a plan says."""

    @property
    def sends_to(self) -> str: ...


@runtime_checkable
class Averaging(Protocol):
    """An encoder of means over tokens that was looked at for a token that every sentence has and
    that holds most of the norm: which, by layer.
    """

    @property
    def constant_tokens(self) -> Mapping[str, str]: ...


@runtime_checkable
class Framed(Protocol):
    """An encoder that reads more than the sentence: the whole, with {sentence} in its place; ''
    where it does not.
    """

    @property
    def reads(self) -> str: ...


@runtime_checkable
class Withholding(Protocol):
    """An encoder whose vectors of some sentences must not be probed, as something was fitted on
    these: examples about them are left out and counted.
    """

    def withholds(self, sentences: Sequence[Sentence]) -> NDArray[np.bool_]:
        """Which of some sentences those are, [sentences]."""
