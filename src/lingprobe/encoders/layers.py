"""Encoders with several layers, any of which one pass fills."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.oracles import Kind
from lingprobe.data.vectors import Vectors
from lingprobe.encoders.sites import HEAD_SITES, expand_sites


class DeepEncoder(Protocol):
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
    def asking(self, slots: tuple[str, ...]) -> SlotEncoder:
        """The same encoder yielding these slots, in this order."""
        ...

    def read(self, sentences: Sequence[Sentence], asked: Sequence[tuple[str, str]]) -> Vectors:
        """The layers that are asked for, each with its pooling."""
        ...


@dataclass(frozen=True)
class SlotEncoder:
    """An encoder that yields some slots ('layer.pooling') of its cache."""

    encoder: DeepEncoder
    slots: tuple[str, ...]
    takes = "sentences"

    @classmethod
    def of(cls, encoder: DeepEncoder, slots: tuple[str, ...], units: str) -> SlotEncoder:
        """An encoder that yields these slots; ValueError for vectors of sentences beside those of
        `units`, as words.
        """
        if len({slot.endswith(".none") for slot in slots}) > 1:
            raise ValueError(
                f"{units} and sentence vectors have different units; ask for them one after the"
                " other"
            )
        return cls(encoder, slots)

    @staticmethod
    def slots_of(
        encoder: DeepEncoder, last: int, heads: Callable[[], int] | None = None
    ) -> tuple[str, ...]:
        """The slots that an encoder's options name, where `last` is its last layer, and `heads` how
        many heads a block has, if its blocks can be looked into. DataProblem for maps of attention
        of anything but words.
        """
        names = layer_names(encoder.layers, last, heads)
        if encoder.pool != "none" and any(name.startswith(f"{HEAD_SITES[-1]}:") for name in names):
            raise DataProblem(f"layers={encoder.layers}: a map is of words; write pool=none")
        return tuple(f"{name}.{encoder.pool}" for name in names)

    @staticmethod
    def names(asked: Sequence[tuple[str, str]]) -> tuple[str, ...]:
        """What layers are called: by their number, and where one comes twice by their pooling,
        too.
        """
        names = tuple(layer for layer, _ in asked)
        if len(set(names)) == len(names):
            return names
        return tuple(f"{layer}.{pool}" for layer, pool in asked)

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

    def asking(self, slots: tuple[str, ...]) -> SlotEncoder:
        return self.encoder.asking(slots)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return self.encoder.read(
            sentences, [(layer, pool) for layer, _, pool in (s.rpartition(".") for s in self.slots)]
        )


def layer_names(
    text: str, last_layer: int, heads: Callable[[], int] | None = None
) -> tuple[str, ...]:
    """The layers, by name, that a text stands for in a model with `last_layer` layers.

    `lex`, `last`, `penultimate`, `all`, `N` and `N-M` (a range), `every:N` (0, N, 2N and so on, and
    the last), sites inside blocks (`lingprobe.encoders.sites`), or several of these with `+`
    between them.
    """
    named = {
        "lex": ("lex",),
        "last": (str(last_layer),),
        "penultimate": (str(last_layer - 1),),
        "all": tuple(map(str, range(last_layer + 1))),
    }
    chosen: list[str] = []
    for part in text.split("+"):
        step = part.removeprefix("every:")
        if step != part and step.isdigit() and int(step):
            chosen += map(str, [*range(0, last_layer, int(step)), last_layer])
            continue
        if ":" in part and step == part:
            chosen += expand_sites(part, last_layer, heads)
            continue
        first, dash, end = part.partition("-")
        numbers = first.isdigit() and (end.isdigit() or not dash)
        if part not in named and not numbers:
            hint = (
                f"lex, last, penultimate, all, every:8, a number, a range 0-{last_layer}, or"
                f" several as lex+0+{last_layer}"
            )
            raise DataProblem(f"layers={text}: write {hint}")
        names = named.get(part) or tuple(map(str, range(int(first), int(end or first) + 1)))
        if not names or (numbers and int(names[-1]) > last_layer):
            raise DataProblem(
                f"layers={text}: the model has layers 0 (its embeddings) to {last_layer}, and lex"
                " (the same without positions)"
            )
        chosen += names
    return tuple(dict.fromkeys(chosen))
