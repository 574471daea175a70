"""States of a model that are replaced while the rest of it runs, and what parts of its blocks give.
Imports torch.

State k is what block k + 1 is given. `forward` of each block is wrapped for good, so the model has
to be one of ours; where nothing is replaced it is given what it was given before. Parts of blocks
are wrapped when one of them is asked for.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from torch import Tensor

from lingprobe.data.abilities import Edit, OfSentences
from lingprobe.data.examples import EncoderStop
from lingprobe.encoders.blocks import Layers, first_states
from lingprobe.encoders.inside import TURNS, Inside, modules_of
from lingprobe.encoders.sites import WHOLE, Site, is_site

OWN = "_replacement_of_states"  # of a model that is read by one


class Replacement:
    """The blocks of a model, and what its states and parts are replaced by at present, by name; for
    one reader of the model at a time.
    """

    def __init__(self, model: Any, layers: Layers, inside: Callable[[], Inside]) -> None:
        self.edits: Mapping[str, Edit] = {}
        self._widths, self._kind = layers.widths, model.config.model_type
        self._look = inside
        self._inside: Inside | None = None
        blocks = model.get_submodule(layers.blocks)
        self._children = list({id(child): child for child in blocks.children()}.values())
        for number, child in enumerate(self._children):
            child.forward = self._wrap_block(str(number), child.forward)

    @contextmanager
    def by(self, edits: Mapping[str, Edit]) -> Iterator[None]:
        """Replace states (`3`) and what parts give (`mlp:3`) until the block ends. EncoderStop or
        DataProblem where there is no such thing, or where it cannot be replaced.
        """
        last = len(self._widths) - 1
        if len(self._children) != last:  # as ALBERT, whose block is run again and again
            raise EncoderStop(
                f"a {self._kind} model has no block of its own for each layer, so no state of it"
                " can be replaced"
            )
        states = [name for name in edits if not is_site(name)]
        if bad := [name for name in states if not 0 <= int(name) < last]:
            raise EncoderStop(
                f"nothing of the model reads state {bad[0]}: take one from 0 to {last - 1}"
            )
        for name in edits.keys() - states:
            self._reach(Site.parse(name))
        before, self.edits = self.edits, {**self.edits, **edits}
        try:
            yield
        finally:
            self.edits = before

    @property
    def is_by_sentence(self) -> bool:
        """Whether something is replaced by what depends on the sentence."""
        return any(isinstance(edit, OfSentences) for edit in self.edits.values())

    def _reach(self, site: Site) -> None:
        """Wrap the parts of blocks, unless that was done; DataProblem for one that there is not."""
        inside = self._inside or self._look()
        if self._inside is None:
            self._inside = inside
            self._wrap_parts(inside)
        assert inside.width(site)
        if inside.turn != TURNS[0] or site.kind not in (*WHOLE, "head"):
            raise EncoderStop(
                f"{site.name} of a {self._kind} model cannot be replaced: take a state, as 3, or"
                " mlp:3, attn:3 or head:3.2"
            )

    def _wrap_parts(self, inside: Inside) -> None:
        modules = modules_of(self._children)
        for block, parts in enumerate(inside.parts, 1):
            for kind, name in (("attn", parts.attn), ("mlp", parts.mlp)):
                if name:
                    module = modules[name]
                    module.forward = self._wrap_part(f"{kind}:{block}", module.forward)
            if parts.heads:
                module = modules[parts.heads]
                module.forward = self._wrap_heads(block, module.forward)

    def _states(self, values: Sequence[Any], width: int) -> Tensor:
        """The first states among some values; EncoderStop where they have another width."""
        states = first_states(values)
        if states is None or states.shape[-1] != width:
            raise EncoderStop(
                f"the states of a {self._kind} model lie otherwise than [rows, tokens, width],"
                " so they cannot be replaced"
            )
        return states

    def _wrap_block(self, name: str, forward: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(forward)
        def run_block(*given: Any, **named: Any) -> Any:
            if (edit := self.edits.get(name)) is None:
                return forward(*given, **named)
            states = self._states([*given, *named.values()], self._widths[int(name)])
            return _call(forward, given, named, (states, edit(states)))

        return run_block

    def _wrap_part(self, name: str, forward: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(forward)
        def run_part(*given: Any, **named: Any) -> Any:
            back = forward(*given, **named)
            if (edit := self.edits.get(name)) is None:
                return back
            width = self._widths[Site.parse(name).block - 1]
            states = self._states(back if isinstance(back, tuple) else [back], width)
            new = edit(states)
            return (
                tuple(new if each is states else each for each in back)
                if isinstance(back, tuple)
                else new
            )

        return run_part

    def _wrap_heads(self, block: int, forward: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(forward)
        def run_heads(*given: Any, **named: Any) -> Any:
            mine = [
                (Site.parse(name), edit)
                for name, edit in self.edits.items()
                if name.startswith(f"head:{block}.")
            ]
            if not mine:
                return forward(*given, **named)
            assert self._inside is not None
            width = self._inside.parts[block - 1].width
            states = self._states([*given, *named.values()], width)
            new = states.clone()
            for site, edit in mine:
                each = self._inside.width(site)
                some = slice((site.head - 1) * each, site.head * each)
                new[..., some] = edit(states[..., some])
            return _call(forward, given, named, (states, new))

        return run_heads


def _call(
    forward: Callable[..., Any],
    given: Sequence[Any],
    named: Mapping[str, Any],
    changed: tuple[Tensor, Tensor],
) -> Any:
    """What a function returns that is given another tensor in the place of one."""
    before, after = changed
    return forward(
        *(after if each is before else each for each in given),
        **{name: after if each is before else each for name, each in named.items()},
    )


def replacement_of(model: Any, layers: Layers, inside: Callable[[], Inside]) -> Replacement:
    """What replaces the states of a model; the same for the same model."""
    if present(model) is None:
        model.__dict__[OWN] = Replacement(model, layers, inside)
    made = present(model)
    assert made is not None
    return made


def is_replaced(model: Any) -> bool:
    """Whether something of a model is replaced at present."""
    made = present(model)
    return made is not None and bool(made.edits)


def present(model: Any) -> Replacement | None:
    """What replaces the states of a model, where anything ever did."""
    made = model.__dict__.get(OWN)
    assert made is None or isinstance(made, Replacement)
    return made
