"""Published encoders with several layers, which one pass fills."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sonde.core import Sentence
from sonde.encoders.hf import layer_names
from sonde.oracles import Kind
from sonde.vectors import Vectors


class Deep(Protocol):
    """An encoder of which any layer can be asked, with any pooling."""

    @property
    def layers(self) -> str: ...
    @property
    def pool(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> Kind: ...
    @property
    def base(self) -> str: ...
    def read(self, sentences: Sequence[Sentence], asked: Sequence[tuple[str, str]]) -> Vectors:
        """The layers that are asked for, each with its pooling."""
        ...


def slots_of(encoder: Deep, last: int) -> tuple[str, ...]:
    """The slots that an encoder's options name, where `last` is its last layer."""
    return tuple(f"{name}.{encoder.pool}" for name in layer_names(encoder.layers, last))


@dataclass(frozen=True)
class Asked:
    """An encoder that yields some slots ('layer.pooling') of its cache."""

    encoder: Deep
    slots: tuple[str, ...]
    takes = "sentences"

    @property
    def name(self) -> str:
        return self.encoder.name

    @property
    def kind(self) -> Kind:
        """That of the encoder."""
        return self.encoder.kind

    @property
    def base(self) -> str:
        return self.encoder.base

    def asking(self, slots: tuple[str, ...]) -> Asked:
        if len({slot.endswith(".none") for slot in slots}) > 1:
            raise ValueError(
                "words and sentence vectors have different units; ask for them one after the other"
            )
        return Asked(self.encoder, slots)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return self.encoder.read(
            sentences, [(layer, pool) for layer, _, pool in (s.partition(".") for s in self.slots)]
        )
