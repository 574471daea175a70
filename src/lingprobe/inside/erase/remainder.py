"""An encoder without what a probe could find of some tasks: the option `without=` of every
encoder.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from lingprobe.api.arguments import as_list
from lingprobe.corpora.training_sentences import (
    Hashes,
    are_among,
    hash_sentences,
)
from lingprobe.data.core import (
    DataProblem,
    DeviceAwareEncoder,
    Encoder,
    LayeredEncoder,
    LexicalEncoder,
    OracleEncoder,
    PreparedEncoder,
    RevisedEncoder,
    Sentence,
    TrainingAwareEncoder,
)
from lingprobe.data.examples import EncoderStop
from lingprobe.data.oracles import EncoderQuestion, Kind, get_encoder_role
from lingprobe.data.reading import EncoderWithView
from lingprobe.data.references import (
    PlaceOption,
    Reference,
    ReferenceProblem,
    allow_code,
)
from lingprobe.data.vectors import Vectors
from lingprobe.encoders import adapt_encoder
from lingprobe.inside.erase.erasure import EncoderOrigin, ErasureDescription
from lingprobe.inside.erase.fitting import Floor, Method


@dataclass(frozen=True)
class RemainderEncoder:
    """Vectors of an encoder after an erasure, not to be probed on the sentences of the eraser."""

    inner: Encoder
    origin: EncoderOrigin
    erasure: ErasureDescription

    opposes: ClassVar[tuple[EncoderQuestion, ...]] = ()
    takes = "sentences"

    @property
    def name(self) -> str:
        return f"{self.inner.name},without={'+'.join(self.erasure.things)}"

    @property
    def kind(self) -> Kind:
        """A baseline where a baseline stands in for the eraser, or that of the encoder."""
        return "baseline" if self.erasure.floor != "none" else get_encoder_role(self.inner)

    @property
    def runs(self) -> tuple[str, str]:
        """The device and precision of the encoder."""
        return self.inner.runs if isinstance(self.inner, DeviceAwareEncoder) else ("cpu", "float32")

    @property
    def revision(self) -> str:
        """That of the encoder."""
        return self.inner.revision if isinstance(self.inner, RevisedEncoder) else ""

    @property
    def slots(self) -> tuple[str, ...]:
        """Those of the encoder, or one without a layer."""
        return self.inner.slots if isinstance(self.inner, LayeredEncoder) else ("-",)

    def unknown(self, words: Sequence[str]) -> NDArray[np.bool_] | None:
        """Which words [n] the encoder does not know; None where it cannot tell."""
        return self.inner.unknown(words) if isinstance(self.inner, LexicalEncoder) else None

    def saw(self) -> Hashes | None:
        """What the encoder was trained on; nothing where it was not."""
        return (
            self.inner.saw()
            if isinstance(self.inner, TrainingAwareEncoder)
            else np.zeros(0, np.uint64)
        )

    def withholds(self, sentences: Sequence[Sentence]) -> NDArray[np.bool_]:
        """Sentences of the eraser are excluded from every task: which of some are, [sentences]."""
        return are_among(hash_sentences(sentences), self.erasure.hashes)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        try:
            chains = self.erasure.erasers(self.origin, self.slots)
        except DataProblem as problem:
            raise EncoderStop(str(problem)) from problem
        given = self.inner.encode(sentences)
        layers = tuple(
            functools.reduce(lambda x, eraser: eraser(x), chain, np.asarray(layer))
            for layer, chain in zip(given.layers, chains, strict=True)
        )
        return replace(given, layers=layers)


@dataclass(frozen=True)
class LayeredRemainder(RemainderEncoder):
    """The same of an encoder with layers, each of which is erased by itself."""

    inner: LayeredEncoder

    @property
    def base(self) -> str:
        return f"{self.inner.base},without"

    def asking(self, slots: tuple[str, ...]) -> LayeredRemainder:
        """The same with these slots, in this order."""
        asked = self.inner.asking(slots)
        assert isinstance(asked, LayeredEncoder)
        return replace(self, inner=asked)


def make_remainder(
    of: PlaceOption,
    *,
    without: tuple[PlaceOption, ...],
    eraser: Method | Literal["none"] = "leace",
    rank: int = 0,
    floor: Floor | Literal["none"] = "none",
    draw: int = 0,
) -> RemainderEncoder:
    """What is left of an encoder's vectors after an eraser, whose sentences are excluded from all
    tasks.

    without  tasks to erase, or files of `lingprobe erase --erasers`; several with +
    eraser   leace, inlp or mean; none: vectors as they are, on the same examples
    rank     how many dimensions go of each task; 0 for what is needed
    floor    what stands in for the eraser: rank (a random subspace of its rank), variance (one that
             takes as much variance, too), shuffled (the eraser of shuffled labels)
    draw     the seed of the baseline
    """
    things = tuple(thing for text in without for thing in text.split("+"))
    return _remainder(
        EncoderOrigin.of(Reference.parse(of)), ErasureDescription(things, eraser, rank, floor, draw)
    )


def without(
    encoder: Any,
    tasks: str | Sequence[str],
    *,
    eraser: Method | Literal["none"] = "leace",
    rank: int = 0,
    floor: Floor | Literal["none"] = "none",
    draw: int = 0,
) -> RemainderEncoder:
    """An encoder or model without what a probe could find of tasks, as `ENCODER,without=TASK`.

    encoder  as of `run`
    tasks    to erase, or files of `lingprobe erase --erasers`
    eraser, rank, floor, draw  as options
    ReferenceProblem for encoders without vectors of their own.

        lingprobe.without((model, tokenizer), "ud/tense:en_ewt")
    """
    made = ErasureDescription(tuple(as_list(tasks)), eraser, rank, floor, draw)
    named = isinstance(encoder, str | Reference)
    allow_code(*([encoder] if named else []), *made.things)
    return _remainder(EncoderOrigin.of(encoder if named else adapt_encoder(encoder)), made)


def _remainder(origin: EncoderOrigin, made: ErasureDescription) -> RemainderEncoder:
    inner = origin.encoder
    if isinstance(inner, OracleEncoder | PreparedEncoder | EncoderWithView):
        raise ReferenceProblem(
            f"{inner.name},without=: nothing can be erased from it, as its vectors depend on the"
            " task or are no vectors of sentences and words"
        )
    return (
        LayeredRemainder(inner, origin, made)
        if isinstance(inner, LayeredEncoder)
        else RemainderEncoder(inner, origin, made)
    )
