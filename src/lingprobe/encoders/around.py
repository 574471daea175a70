"""Options that every encoder has: each names what makes an encoder of another one, and stands in
the reference of that one, as `hf:MODEL,without=TASK`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lingprobe.data.core import Encoder
from lingprobe.data.references import (
    Contents,
    Reference,
    ReferenceProblem,
    shorten_reference,
)
from lingprobe.encoders.encoder_contents import EncoderContents


@dataclass(frozen=True)
class WrappedContents(EncoderContents):
    """Encoders, and what stands around some of them.

    around  by option what is made of the reference of the encoder, of that option, and of those
            that belong to it
    """

    around: Contents = field(default_factory=lambda: Contents("option of encoders", "", {}))

    def split(self, reference: str | Reference) -> tuple[Reference, Reference | None]:
        """The reference of the encoder within, and one of what is around it; None for nothing."""
        parsed = Reference.parse(reference) if isinstance(reference, str) else reference
        given = {key for key, _ in parsed.options}
        for name in given & self.around.table.keys():
            own = self.around.options(name)
            inner = parsed.without(*own)
            mine = tuple(option for option in parsed.options if option[0] in own)
            return inner, Reference(name, str(inner), mine)
        return parsed, None

    def make(self, reference: str | Reference) -> Encoder:
        """The encoder that a reference names; ReferenceProblem where it stands for several."""
        if self.split(reference)[1] is None:
            return super().make(reference)
        each = self.expand(reference)
        if len(each) != 1:
            raise ReferenceProblem(
                f"{reference} stands for {len(each):,} encoders, where one is expected"
            )
        around = self.split(each[0])[1]
        assert around is not None
        from lingprobe.encoders.any_encoder import adapt_any

        return adapt_any(self.around.make(around), str(each[0]))

    def canonical(self, reference: str | Reference) -> str:
        """The reference with the encoder's defaults filled in, and what is around it behind."""
        inner, around = self.split(reference)
        if around is None:
            return super().canonical(reference)
        known = Reference.parse(self.canonical(inner))
        own = Reference.parse(shorten_reference(self.around, self.around.canonical(around)))
        return str(replace(known, options=(*known.options, *own.options)))

    def places_of(self, reference: Reference) -> set[str | None]:
        """The options of a reference that say where files lie."""
        inner, around = self.split(reference)
        if around is None:
            return super().places_of(reference)
        # what is around it has its encoder where others have an argument
        return self.places_of(inner) | (self.around.places_of(around) - {None})
