"""Oracles: vectors that hold what a task's annotation says, to show what a probe can read of
vectors of this size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Annotated, Any, ClassVar

import numpy as np

from lingprobe.data.checks import check_number
from lingprobe.data.core import Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.data.options import Help
from lingprobe.data.oracles import Facts, Kind
from lingprobe.data.vectors import Floats, Vectors, word_units
from lingprobe.encoders.keyed_random import draw_normals

_WIDTH = 384  # that of small sentence encoders


@dataclass(frozen=True)
class GoldOracle:
    """What the annotation of a task's data says: an oracle, as the upper bound that other encoders
    are compared with.

    Each fact, such as `root.Tense=Past`, is a random normal vector of its own, about 1 long, drawn
    by a hash of its text, so that it is the same in every data set; the facts of a sentence, or of
    each of its words where the task is about spans, are added up. So vectors are about as long as
    those of most sentence encoders, which matters to probes that do not scale.
    """

    oracle: Annotated[
        str | None,
        Help("which of the task's; without, its first (`lingprobe tasks NAME` lists them)"),
    ] = None
    width: Annotated[
        int | None,
        Help(
            "numbers in a vector; none: one for each different fact of the data set, which then"
            " counts it exactly"
        ),
    ] = field(default=_WIDTH, kw_only=True)
    noise: Annotated[
        float,
        Help("about how long a vector is that is added at random, where a fact's own is 1"),
    ] = field(default=0.0, kw_only=True)
    seed: int = field(default=0, kw_only=True)
    kind: ClassVar[Kind] = "oracle"
    takes = "sentences"

    def __post_init__(self) -> None:
        check_number("gold,width", self.width, "1", "of dimensions, or none for one a fact")
        check_number("gold,noise", self.noise, "0", "the length of a random vector")

    @property
    def name(self) -> str:
        return "gold" if self.oracle is None else f"gold:{self.oracle}"

    def with_oracle(self, oracle: str) -> GoldOracle:
        return replace(self, oracle=oracle)

    def with_facts(self, facts: Mapping[Sentence, Facts], words: bool) -> GoldEncoder:
        return GoldEncoder(self, facts, words)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        raise EncoderStop(
            f"{self.name} has vectors only for the sentences of a task: use it with a task, in"
            " `lingprobe run`"
        )


@dataclass(frozen=True, eq=False)
class GoldEncoder:
    """Gold that was told the facts of some sentences."""

    gold: GoldOracle
    facts: Mapping[Sentence, Facts]
    words: bool
    kind: ClassVar[Kind] = "oracle"
    takes = "sentences"

    @property
    def name(self) -> str:
        return self.gold.name

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        known = [self.facts[sentence] for sentence in sentences]
        units = (
            [unit for facts in known for unit in facts]
            if self.words
            else [list(chain.from_iterable(facts)) for facts in known]
        )
        numbers = {fact: number for number, fact in enumerate(self._sorted_facts())}
        vectors = self._sum_vectors(units, numbers)
        if self.gold.noise:
            many = [len(facts) for facts in known] if self.words else [1] * len(known)
            keys = [
                s.key + n.to_bytes(4, "little")
                for s, count in zip(sentences, many, strict=True)
                for n in range(count)
            ]
            vectors += np.float32(self.gold.noise / vectors.shape[1] ** 0.5) * draw_normals(
                keys, vectors.shape[1], f"gold noise {self.gold.seed}"
            )
        spans = (
            word_units(np.array([len(facts) for facts in known], np.int64)) if self.words else None
        )
        return Vectors((vectors,), ("-",), spans)

    def _sorted_facts(self) -> list[str]:
        """Every fact of every sentence that is known, in an order that no sentence decides."""
        return sorted({fact for facts in self.facts.values() for unit in facts for fact in unit})

    def _sum_vectors(self, units: Sequence[Sequence[str]], numbers: Mapping[str, int]) -> Floats:
        """Each fact has its own random vector, and those of a unit's facts are added: [units,
        width].
        """
        from scipy.sparse import csr_array

        counts: Any = csr_array(
            (
                np.ones(sum(map(len, units)), np.float32),
                np.fromiter((numbers[fact] for unit in units for fact in unit), np.int64),
                np.cumsum([0, *map(len, units)]),
            ),
            shape=(len(units), len(numbers)),
        )
        # sorts, too, so that a sum comes out the same whatever the order of its facts
        counts.sum_duplicates()
        if self.gold.width is None:
            return np.asarray(counts.toarray(), np.float32)
        table = draw_normals(
            [fact.encode("utf-8", "surrogatepass") for fact in numbers],
            self.gold.width,
            f"gold {self.gold.seed}",
        )
        return np.asarray(counts @ (table / np.float32(self.gold.width**0.5)), np.float32)
