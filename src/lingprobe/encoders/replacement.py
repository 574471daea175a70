"""States of a model that are replaced while the rest of it runs, and what parts of its blocks give.
Imports torch.

State k is what block k + 1 is given, `pre:K`. Where nothing is replaced, every module is given what
it was given before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from torch import Tensor

from lingprobe.data.abilities import Edit, OfSentences
from lingprobe.data.examples import EncoderStop
from lingprobe.encoders.blocks import LayerStates
from lingprobe.encoders.inside import InstrumentedModel, get_block_part
from lingprobe.encoders.sites import ModelSite, is_site
from lingprobe.encoders.taps import Place

_OWN = "_replacement_of_states"  # of a model that is read by one
Some = tuple[Tensor | None, Edit]
"""What changes some numbers of a part, by which they are; None for all."""


class StateReplacement:
    """What the states and parts of a model are replaced by at present, by name; for one reader of
    the model at a time.
    """

    def __init__(self, layers: LayerStates, inside: InstrumentedModel) -> None:
        self.edits: Mapping[str, Edit] = {}
        self._last = len(layers.widths) - 1
        self._inside = inside

    @contextmanager
    def by(self, edits: Mapping[str, Edit]) -> Iterator[None]:
        """Replace states (`3`) and what parts give (`mlp:3`) until the block ends. EncoderStop or
        DataProblem where there is no such thing, or where it cannot be replaced.
        """
        before, taps = self.edits, self._inside.taps
        taps_before = taps.edits
        after = {**before, **edits}
        taps.edits = self._by_place(after)
        self.edits = after
        try:
            yield
        finally:
            self.edits, taps.edits = before, taps_before

    @property
    def is_by_sentence(self) -> bool:
        """Whether something is replaced by what depends on the sentence."""
        return any(isinstance(edit, OfSentences) for edit in self.edits.values())

    def _by_place(self, edits: Mapping[str, Edit]) -> dict[Place, Edit]:
        found: dict[Place, list[Some]] = {}
        for name, edit in edits.items():
            site = self._site(name)
            some = self._inside.numbers(site), edit
            found.setdefault((get_block_part(site), site.block), []).append(some)
        return {place: _join_edits(some) for place, some in found.items()}

    def _site(self, name: str) -> ModelSite:
        """The site of a name; a state is what the block behind it is given."""
        last, kind = self._last, self._inside.kind
        if not is_site(name):
            if not 0 <= int(name) < last:
                raise EncoderStop(
                    f"nothing of the model reads state {name}: take one from 0 to {last - 1}, or"
                    f" post:{last}, what its last block gives"
                )
            return ModelSite("pre", int(name) + 1)
        site = ModelSite.parse(name)
        if not self._inside.width(site) or site.kind == "map":
            raise EncoderStop(
                f"{name} of a {kind} model cannot be replaced: take a state, as 3, or pre:3,"
                " post:3, mlp:3, attn:3 or head:3.2"
            )
        return site


def _join_edits(some: Sequence[Some]) -> Edit:
    """One change of a part for several of its numbers."""

    def change(states: Tensor) -> Tensor:
        for numbers, edit in some:
            if numbers is None:
                states = edit(states)
                continue
            there = numbers.to(states.device)
            new = states.clone()
            new[..., there] = edit(states[..., there])
            states = new
        return states

    return change


def replacement_of(
    model: Any, layers: LayerStates, inside: Callable[[], InstrumentedModel]
) -> StateReplacement:
    """What replaces the states of a model; the same for the same model."""
    if find_replacement(model) is None:
        model.__dict__[_OWN] = StateReplacement(layers, inside())
    made = find_replacement(model)
    assert made is not None
    return made


def is_replaced(model: Any) -> bool:
    """Whether something of a model is replaced at present."""
    made = find_replacement(model)
    return made is not None and bool(made.edits)


def find_replacement(model: Any) -> StateReplacement | None:
    """What replaces the states of a model, where anything ever did."""
    made = model.__dict__.get(_OWN)
    assert made is None or isinstance(made, StateReplacement)
    return made
