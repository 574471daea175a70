"""Baselines of pairs of sentences: what can be told from the second sentence alone, from the words
that both have, and from negation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np

from lingprobe.data.core import Sentence
from lingprobe.data.options import Help
from lingprobe.data.oracles import Kind
from lingprobe.data.vectors import Vectors
from lingprobe.encoders.bags import Pool, PooledWordVectors
from lingprobe.encoders.surface import WordsOnly
from lingprobe.encoders.tables import RandomTable

_ENGLISH = "no not nobody nothing never none nowhere neither nor without cannot"
_POLISH = (
    "nie nikt nikogo nikomu nikim nic niczego niczemu niczym nigdy nigdzie ani bez brak żaden żadna"
    " żadne żadnego żadnej żadnemu żadną żadnym żadni żadnych żadnymi"
)
_NEGATIONS = frozenset([*_ENGLISH.split(), *_POLISH.split()])


@dataclass(frozen=True)
class WordOverlap(WordsOnly):
    """How many words both sentences of a pair have, and nothing else: as shares of the first's, of
    the second's, and of all.
    """

    own_view: ClassVar[str] = "mean+overlap"

    @property
    def name(self) -> str:
        return "overlap"


@dataclass(frozen=True)
class HypothesisOnly(PooledWordVectors):
    """The second sentence of a pair, as a bag of word vectors."""

    own_view: ClassVar[str] = "mean+second"


def hypothesis(
    *,
    dim: int = 300,
    seed: int = 0,
    pool: Pool = "mean",
    lowercase: bool = False,
) -> HypothesisOnly:
    """A bag of random word vectors of the second sentence of a pair: the first is not looked at."""
    return HypothesisOnly("hypothesis", RandomTable(dim, seed), pool, lowercase)


@dataclass(frozen=True)
class NegationCount:
    """How many negations each sentence of a pair has, and nothing else: [n, 1]."""

    words: Annotated[
        tuple[str, ...],
        Help("those of another language; without, those of English and Polish"),
    ] = field(default=(), kw_only=True)
    own_view: ClassVar[str] = "mean"
    kind: ClassVar[Kind] = "baseline"
    takes = "sentences"

    @property
    def name(self) -> str:
        return "negation"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        known = frozenset(self.words) or _NEGATIONS
        counts = [sum(_negative(word.lower(), known) for word in s.words) for s in sentences]
        return Vectors((np.array(counts, np.float32).reshape(-1, 1),))


def _negative(word: str, known: frozenset[str]) -> bool:
    return word in known or (known is _NEGATIONS and word.replace("’", "'").endswith("n't"))
