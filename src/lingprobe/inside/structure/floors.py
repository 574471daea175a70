"""What stands below a structural probe: the chain of neighbours, which needs no vectors, and parts
of speech with places, which need no model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lingprobe.data.core import Cell, Encoder, Predictions, Predictor, ProbeNeeds, Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.data.oracles import EncoderQuestion, Facts, Kind
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Vectors
from lingprobe.encoders.gold import GoldOracle
from lingprobe.inside.structure.trees import list_word_pairs
from lingprobe.inside.structure.words import lists_of, make_predictions


@dataclass(frozen=True, slots=True)
class ChainProbe:
    """Each word hangs on the one before it, and the first is the root (the baseline `Linear` of
    Hewitt & Manning 2019).
    """

    name: ClassVar[str] = "chain"
    needs: ClassVar[ProbeNeeds] = ProbeNeeds(seeds=False, words=True, train=False)

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        return [ChainPredictor() for _ in cells]


@dataclass(frozen=True, slots=True)
class ChainPredictor:
    """Distances and depths of a chain."""

    def predict(self, readings: Readings) -> Predictions:
        labels = lists_of(readings, "chain")
        lengths = [len(readings.sentence(i).words) for i in range(len(readings))]
        if labels.names == ("depth",):
            said = [np.arange(n) for n in lengths]
        else:
            said = [second - first for first, second in map(list_word_pairs, lengths)]
        return make_predictions(labels, said)


@dataclass(frozen=True)
class TagPositionBaseline:
    """The part of speech of each word, and how many words stand before it: what a probe finds
    without any model, as a baseline.
    """

    kind: ClassVar[Kind] = "baseline"
    opposes: ClassVar[tuple[EncoderQuestion, ...]] = ()
    oracle: ClassVar[str | None] = "tags"
    takes = "sentences"

    @property
    def name(self) -> str:
        return "tags"

    def with_oracle(self, oracle: str) -> TagPositionBaseline:
        return self

    def with_facts(self, facts: Mapping[Sentence, Facts], words: bool) -> Encoder:
        return GoldOracle("tags", width=None).with_facts(facts, words)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        raise EncoderStop(
            "tags has vectors only for the sentences of a task: use it with a task, in `lingprobe"
            " run`"
        )
