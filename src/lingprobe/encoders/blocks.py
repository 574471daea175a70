"""Which hidden states of a model are its layers, found by watching its blocks when it is loaded.
Imports torch.

Layer k is what block k + 1 is given, and the last layer what the model returns as its last state,
behind the final norm where it has one. Libraries list other states: from behind the first block on
(Mamba, RWKV), or the last one before the norm (CLIP).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import torch
from torch import Tensor, nn

from lingprobe.data.examples import EncoderStop

_LISTS = (nn.ModuleList, nn.Sequential, nn.ModuleDict)


@dataclass(frozen=True)
class LayerStates:
    """The states of a model that are its layers.

    embedded  whether layer 0 is what its table of embeddings gives, which is none of the states
    given     the numbers of the states that its other blocks are given
    widths    of each layer, from 0
    blocks    the name of the list of modules that are given them
    """

    embedded: bool
    given: tuple[int, ...]
    widths: tuple[int, ...]
    blocks: str

    def of(self, model: Any, ids: Tensor, output: Any) -> tuple[Tensor, ...]:
        """The layers [rows, tokens, width] of a model's output for some token ids."""
        return _layers(model, ids, output, self.embedded, self.given)


def find_layers(model: Any, ids: Tensor, run: Callable[[], Any]) -> LayerStates:
    """Which states are layers, by hooks; a model where hooks find none is refused. Layer k is what
    block k+1 is given, of the output of `run` for some token ids [rows, tokens].

    EncoderStop where the blocks of a model are given something else than its states.
    """
    calls, output = _watch_calls(model, run)
    states, kind = _states(output), model.config.model_type
    if not states:
        raise EncoderStop(
            f"a {kind} model does not tell its hidden states, so no layer of it can be read"
        )
    if odd := [list(state.shape) for state in states if state.shape[:-1] != ids.shape]:
        raise EncoderStop(
            f"a {kind} model has states of shape {odd[0]} for {list(ids.shape)} tokens, so a token"
            " has no vector of its own in each layer"
        )
    if any(torch.isnan(state).any() for state in states):
        raise EncoderStop(f"a {kind} model has NaN in its states: are its weights damaged?")
    blocks = _find_block_list(calls, states)
    inputs = [given for given, _ in calls.get(blocks, [])]
    numbers = [_find_state_number(states, each) for each in inputs]
    if None in numbers[:1] and _is_embedded(model, ids, inputs[0]):
        embedded, given = True, numbers[1:]
    else:
        embedded, given = False, numbers
    if not numbers or None in given:
        raise EncoderStop(
            f"the hidden states of a {kind} model are not what its blocks are given, so the layers"
            " cannot be identified"
        )
    known = tuple(number for number in given if number is not None)
    layers = _layers(model, ids, output, embedded, known)
    return LayerStates(embedded, known, tuple(layer.shape[-1] for layer in layers), blocks)


def _layers(
    model: Any, ids: Tensor, output: Any, embedded: bool, given: Sequence[int]
) -> tuple[Tensor, ...]:
    """Layer k is what block k+1 is given; the last layer is taken after the final norm."""
    states = _states(output)
    below = (model.get_input_embeddings()(ids),) if embedded else ()
    last = getattr(output, "last_hidden_state", None)
    return (*below, *(states[n] for n in given), states[-1] if last is None else last)


def _states(output: Any) -> tuple[Tensor, ...]:
    return tuple(getattr(output, "hidden_states", None) or ())


Call = tuple[Tensor | None, Tensor | None]
"""What a module was given and what it returned."""


def _watch_calls(model: Any, run: Callable[[], Any]) -> tuple[dict[str, list[Call]], Any]:
    """The calls of what stands in each list of modules, by the name of the list, and the output.

    `forward` is wrapped, since hooks miss a block whose `forward` its model calls itself.
    """
    calls: dict[str, list[Call]] = {}

    def watch(name: str, child: nn.Module) -> None:
        forward = child.forward

        @wraps(forward)
        def record_call(*given: Any, **named: Any) -> Any:
            back = forward(*given, **named)
            held = back.values() if isinstance(back, Mapping) else back
            returned = held if isinstance(back, tuple | list | Mapping) else [back]
            calls.setdefault(name, []).append(
                (first_states([*given, *named.values()]), first_states(returned))
            )
            return back

        child.forward = record_call

    lists = [(name, each) for name, each in model.named_modules() if isinstance(each, _LISTS)]
    children = [(name, child) for name, each in lists for child in each.children()]
    before = [(child, child.__dict__.get("forward")) for _, child in children]
    try:
        for name, child in children:
            watch(name, child)
        return calls, run()
    finally:
        for child, own in before:
            child.__dict__.pop("forward", None)
            if own is not None:
                child.forward = own


def first_states(values: Iterable[Any]) -> Tensor | None:
    """The first of some values that may be states."""
    tensors = (value for value in values if isinstance(value, Tensor))
    return next((each for each in tensors if each.is_floating_point() and each.ndim > 2), None)


def _find_block_list(calls: dict[str, list[Call]], states: Sequence[Tensor]) -> str:
    """The list of the blocks: the one whose calls give or return most of the states, and of lists
    that lie in one another the outer one; '' where there is none.
    """

    def match_rank(name: str) -> tuple[int, int]:
        about = [state for call in calls[name] for state in call]
        return sum(_find_state_number(about, state) is not None for state in states), -len(name)

    return max(calls, key=match_rank, default="")


def _find_state_number(states: Sequence[Tensor | None], wanted: Tensor | None) -> int | None:
    """Which of some states a tensor is, or is but for tokens that the model adds at an end; some
    models put tokens before rows, or behind what they are made of.
    """
    turns = () if wanted is None else (wanted, wanted.transpose(0, 1), wanted.transpose(1, 2))
    for turned in turns:
        for number, state in enumerate(states):
            if state is not None and _is_within(state, turned):
                return number
    return None


def _is_within(state: Tensor, wider: Tensor) -> bool:
    tokens = state.shape[1]
    return any(
        part.shape == state.shape and torch.equal(part, state)
        for part in (wider[:, :tokens], wider[:, -tokens:])
    )


def _is_embedded(model: Any, ids: Tensor, wanted: Tensor | None) -> bool:
    return wanted is not None and torch.equal(model.get_input_embeddings()(ids), wanted)


def text_encoder(model: Any) -> Any:
    """The text tower of a model of text and images, the encoder of an encoder-decoder model, or
    else the model, ready to be run.
    """
    sees = any(hasattr(model.config, f"{sense}_config") for sense in ("vision", "audio"))
    tower = model.text_model if sees and hasattr(model, "text_model") else model
    parts = (getattr(tower, part, None) for part in ("encoder", "decoder"))
    # which an encoder that was saved alone, and is loaded as both, does not say of itself
    both = tower.config.is_encoder_decoder or all(isinstance(part, nn.Module) for part in parts)
    tower = tower.get_encoder() if both else tower
    if not hasattr(tower, "config"):  # FSMT's encoder
        tower.config = model.config
    tower.config.use_cache = False
    return tower.eval()
