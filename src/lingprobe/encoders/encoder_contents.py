"""The list of encoders: what a reference names is made into one."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from lingprobe.data.core import Encoder
from lingprobe.data.references import Contents, HasExpand, Reference, ReferenceProblem
from lingprobe.encoders.signatures import is_factory


@dataclass(frozen=True)
class EncoderContents(Contents):
    """Contents whose things are made into encoders.

    `mine.py@thing` may name a factory (a class, or a function of a path and options), as
    everywhere; or, for encoders, a function of a list of sentences, an object with `encode`, a
    SentEval batcher(params, batch), or a pair of it and prepare.
    """

    def find(self, name: str) -> Callable[..., Any]:
        """The factory called `name`; one without parameters for what is no factory itself."""
        thing: Any = super().find(name)
        if "@" not in name or is_factory(thing):
            return typing.cast(Callable[..., Any], thing)

        def factory() -> Any:
            from lingprobe.encoders.any_encoder import adapt_any

            return adapt_any(thing, name)

        factory.__module__ = getattr(thing, "__module__", type(thing).__module__)
        factory.__doc__ = getattr(thing, "__doc__", None)
        return factory

    def _unknown(self, name: str, places: Iterable[str]) -> str:
        said = super()._unknown(name, places)
        if "did you mean" in said:
            return said
        typed = f"on the command line, -m {name}"
        return f"{said}; if it is a model, write st:{name} or hf:{name} ({typed})"

    def expand(self, reference: str | Reference) -> list[Reference]:
        """The encoders that a reference stands for, as those of all epochs of a training."""
        single: list[Reference] = []
        for one in super().expand(reference):
            factory = self.find(one.name)
            single += factory.expand(one) if isinstance(factory, HasExpand) else [one]
        return single

    def make(self, reference: str | Reference) -> Encoder:
        """The encoder that a reference names; ReferenceProblem where it stands for several."""
        each = self.expand(reference)
        if len(each) > 1:
            raise ReferenceProblem(
                f"{reference} stands for {len(each):,} encoders, where one is expected, such as"
                f" {each[0]}"
            )
        from lingprobe.encoders.any_encoder import adapt_any  # which knows all kinds of live models

        single = each[0] if each else reference  # a pattern that fits nothing is told below
        return adapt_any(super().make(single), str(single))
