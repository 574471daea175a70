"""What probes of units keep with a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from lingprobe.data.notes import NotePart


@dataclass(frozen=True, slots=True)
class UnitsRead(NotePart):
    """The units that a sparse probe reads, in the order of their rank, and how many there are.

    examples  of the best of them the examples that drive it up and down: value, label, sentence
    """

    key: ClassVar[str] = "sparse"
    units: Sequence[int] = ()
    width: int = 0
    examples: Sequence[Mapping[str, Sequence[Any]]] | None = None


@dataclass(frozen=True, slots=True)
class AttentionNote(NotePart):
    """What an attention probe looks at: the mean share of the first and the last token, how even
    weights are (their entropy over that of equal weights), how many tokens there are, and the words
    with the most weight: form, how many times its share it has, how often it was seen.
    """

    key: ClassVar[str] = "attention"
    first: float = 0.0
    last: float = 0.0
    even: float = 1.0
    tokens: float = 0.0
    words: Sequence[Sequence[Any]] = ()
