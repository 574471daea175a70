"""The parts of a transformer's blocks, found by watching one pass, and what they give in others.
Imports torch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lingprobe.data.core import DataProblem
from lingprobe.encoders.attention import AttentionRecorder
from lingprobe.encoders.block_parts import BlockModules, BlockRecording, ModuleCall, find_parts
from lingprobe.encoders.blocks import first_states
from lingprobe.encoders.sites import BLOCK_PART_SITES, RESIDUAL_SITES, ModelSite
from lingprobe.encoders.taps import ModuleTaps, Raw, Turn, arrange_states

WATCHED_TOKEN_COUNT = 7  # in a row that is watched; unlike the sizes of parts
_TURNS = ((0, 1, 2), (1, 0, 2), (0, 2, 1))
"""How the axes of states may lie: rows, tokens, width; tokens first (XLNet); width before tokens
(SqueezeBERT).
"""


@dataclass(frozen=True)
class InstrumentedModel:
    """A model whose parts are known, and caught when it is run."""

    kind: str
    parts: tuple[BlockModules, ...]
    taps: ModuleTaps

    def width(self, site: ModelSite) -> int:
        """How many numbers a site has; DataProblem where the model has no such site."""
        parts, kind = self.parts[site.block - 1], get_block_part(site)
        if reason := parts.why.get(kind):
            raise DataProblem(f"no {site.name} in a {self.kind} model: {reason}")
        if site.head > parts.many:
            raise DataProblem(
                f"no {site.name}: block {site.block} of this {self.kind} model has {parts.many}"
                " heads, whatever its configuration says"
            )
        whole = {**dict.fromkeys((*BLOCK_PART_SITES, *RESIDUAL_SITES), parts.whole), "map": 1}
        return whole.get(kind, parts.width // max(parts.many, 1))

    def read(
        self, shape: tuple[int, int], sites: Sequence[ModelSite], run: Callable[[], Any]
    ) -> tuple[Any, Raw]:
        """What `run` returns for rows of tokens of a shape, and what was caught of sites."""
        for site in sites:
            assert self.width(site)
        wanted = {(get_block_part(site), site.block) for site in sites}
        with self.taps.catching(shape, wanted) as caught:
            if any(kind == "map" for kind, _ in wanted):
                with AttentionRecorder(shape, self.taps.weigh):
                    return run(), caught
            return run(), caught

    def site(self, site: ModelSite, raw: Raw) -> Tensor:
        """A site's numbers [rows, tokens, width] of what was caught; of a map, [rows, tokens,
        heads] was made of its weights.
        """
        if site.kind == "map":
            return raw["map", site.block][..., site.head - 1 : site.head]
        whole = raw[get_block_part(site), site.block]
        numbers = self.numbers(site)
        return whole if numbers is None else whole[..., numbers.to(whole.device)]

    def numbers(self, site: ModelSite) -> Tensor | None:
        """Which dimensions of what its part gives a site is, those of a head or (`slice`) random
        ones, as many as a head has; None for all.
        """
        if site.kind not in ("head", "slice"):
            return None
        each, many = self.width(site), self.parts[site.block - 1].width
        order = np.arange(many)
        if site.kind == "slice":
            order = np.random.default_rng(site.block).permutation(many)
        first = (site.head - 1) * each
        return torch.from_numpy(np.sort(order[first : first + each]))


def get_block_part(site: ModelSite) -> str:
    """The part of a block that a site is of."""
    return "heads" if site.kind in ("head", "slice") else site.kind


def look_inside(
    model: Any, blocks: str, ids: Tensor, layer_zero: Tensor, run: Callable[[], Any]
) -> InstrumentedModel:
    """The parts of a model's blocks, as `run` shows them for token ids [rows, tokens] and this
    layer 0; they are caught from now on, so the model has to be one of ours.
    """
    shape = int(ids.shape[0]), int(ids.shape[1])
    listed = model.get_submodule(blocks)
    children = list({id(child): child for child in listed.children()}.values())
    turn, seen = _watch(children, shape, layer_zero, run)
    parts = tuple(find_parts(block) for block in seen)
    inside = InstrumentedModel(model.config.model_type, parts, ModuleTaps(turn))
    _tap(inside, model, children)
    return inside


def _modules(child: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """The modules of a block, inner ones too, under names that no other module has."""
    for name, module in child.named_modules():
        if module is not child:
            yield f"{id(child)} {name}", module


@contextmanager
def _wrapper(around: Mapping[nn.Module, Callable[..., Any]]) -> Iterator[None]:
    """Other functions in the place of `forward`, which is put back."""
    before = [(module, module.__dict__.get("forward")) for module in around]
    try:
        for module, other in around.items():
            module.forward = other
        yield
    finally:
        for module, own in before:
            module.__dict__.pop("forward", None)
            if own is not None:
                module.forward = own


def _watch(
    children: Sequence[nn.Module], shape: tuple[int, int], first: Tensor, run: Callable[[], Any]
) -> tuple[Turn, list[BlockRecording]]:
    """How states lie, and what is seen of each block while a model runs."""
    seen: list[BlockRecording] = []
    turns: list[Turn] = []

    def block(forward: Callable[..., Any]) -> Callable[..., Any]:
        def watch_block(*given: Any, **named: Any) -> Any:
            states = first_states([*given, *named.values()])
            if not turns:
                turns.append(_turn(states, first))
            laid = None if states is None else arrange_states(states, shape, turns[0])
            seen.append(BlockRecording(torch.empty(0) if laid is None else laid.clone()))
            back = forward(*given, **named)
            seen[-1].back = _copy_first_states([back], shape, turns[0])
            return back

        return watch_block

    def call(name: str, forward: Callable[..., Any]) -> Callable[..., Any]:
        def watch_call(*given: Any, **named: Any) -> Any:
            before = _copy_first_states([*given, *named.values()], shape, turns[0])
            back = forward(*given, **named)
            seen[-1].calls.append(
                ModuleCall(name, before, _copy_first_states([back], shape, turns[0]))
            )
            return back

        return watch_call

    around = {child: block(child.forward) for child in children}
    for child in children:
        around |= {m: call(name, m.forward) for name, m in _modules(child) if _is_called(m)}
    with (
        _wrapper(around),
        AttentionRecorder(
            shape,
            lambda weights: (
                seen[-1].weights.append((len(seen[-1].calls), weights)) if seen else None
            ),
            lambda mixed: seen[-1].mixed.append(mixed.clone()) if seen else None,
        ),
    ):
        run()
    return (turns or [_TURNS[0]])[0], seen


def _is_called(module: nn.Module) -> bool:
    return not isinstance(module, nn.ModuleList | nn.ModuleDict)


def _turn(states: Tensor | None, layer: Tensor) -> Turn:
    """How the states of blocks lie, which are layer 0."""
    for turn in _TURNS:
        if states is not None and states.ndim == 3:
            turned = states.permute(turn)
            if turned.shape == layer.shape and torch.allclose(turned.float(), layer.float()):
                return turn
    return _TURNS[0]


def _copy_first_states(values: Sequence[Any], shape: tuple[int, int], turn: Turn) -> Tensor | None:
    """A copy of the first states among some values, since models add to them in place."""
    for value in values:
        held = value.values() if isinstance(value, Mapping) else value
        for each in held if isinstance(value, tuple | list | Mapping) else [value]:
            if (laid := arrange_states(each, shape, turn)) is not None:
                return laid.detach().clone()
    return None


def _tap(inside: InstrumentedModel, model: nn.Module, children: Sequence[nn.Module]) -> None:
    """Make a model's blocks and their parts give what is wanted of them, or another thing.
    `forward` is wrapped for good.
    """
    taps = inside.taps
    model.forward = taps.begin(model.forward)
    for child in children:
        child.forward = taps.around_block(child.forward)
    modules = {name: module for child in children for name, module in _modules(child)}
    before: dict[str, set[str]] = {}
    behind: dict[str, set[str]] = {}
    for parts in inside.parts:
        before.setdefault(parts.heads, set()).add("heads")
        behind.setdefault(parts.attn, set()).add("attn")
        behind.setdefault(parts.mlp, set()).add("mlp")
    for name in (before.keys() | behind.keys()) - {""}:
        module, kinds = modules[name], (before.get(name, ()), behind.get(name, ()))
        module.forward = taps.around(*kinds, module.forward)
