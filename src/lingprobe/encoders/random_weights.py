"""Weights of a transformer sampled at random. Imports torch."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn

from lingprobe.encoders.blocks import find_layers

LAYER_SEARCH_TOKENS = 8  # tokens by which layers are found

_drawing = threading.Lock()


def draw_untrained_model(build: Callable[[], Any], seed: int) -> Any:
    """A model that its own library initialises, which it does with torch's global generator; that
    is given back as it was.
    """
    with _drawing, torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return build()


def orthonormalise_weights(
    model: nn.Module, keep: frozenset[str], generator: torch.Generator
) -> None:
    """Draw every matrix with orthonormal rows or columns, and set biases to zero, but for the
    parameters in `keep`.

    As the Orthonormal ELMo of Tenney et al. (2019, section 3.4), whose matrices are normal numbers
    made orthonormal: it mixes contexts at random and loses nothing of them. ELMo's gates had random
    biases too; a layer norm would let those drown the rest.
    """
    with torch.no_grad():
        for name, weights in sorted(model.named_parameters()):
            if name in keep:
                continue
            if weights.ndim > 1:
                nn.init.orthogonal_(weights, generator=generator)
            elif name.endswith("bias"):
                weights.zero_()


def redraw_modules(model: nn.Module, seed: int, keeps_lexical: bool) -> None:
    """Give a loaded model of several modules weights as their libraries begin to train them: its
    transformer, and what stands beside that, such as dense layers.

    keeps_lexical  whether what is below the transformer's first layer stays as it is
    """
    from transformers import PreTrainedModel

    inner = {name: m for name, m in model.named_modules() if isinstance(m, PreTrainedModel)}
    outer = {name: m for name, m in inner.items() if not _is_inside(name, inner)}

    def draw() -> None:
        for name, module in sorted(model.named_modules()):
            reset = getattr(module, "reset_parameters", None)
            if callable(reset) and name not in outer and not _is_inside(name, outer):
                reset()
        for module in outer.values():
            state = type(module)(module.config).state_dict()
            kept = below_layers(module.cpu()) if keeps_lexical else frozenset[str]()
            new = {name: value for name, value in state.items() if name not in kept}
            module.load_state_dict(new, strict=False)

    device = next((p.device for p in model.parameters()), torch.device("cpu"))
    draw_untrained_model(draw, seed)
    model.to(device).eval()


def _is_inside(name: str, modules: Mapping[str, nn.Module]) -> bool:
    """Whether a module lies in one of some others."""
    return any(name.startswith(f"{other}.") or not other for other in modules if other != name)


def below_layers(model: nn.Module) -> frozenset[str]:
    """The names of the parameters that decide what the first layer is given: those through which a
    gradient flows from there.
    """
    parameters = dict(model.named_parameters())
    with torch.enable_grad():
        ids = torch.arange(2 * LAYER_SEARCH_TOKENS).reshape(2, LAYER_SEARCH_TOKENS)

        def run() -> Any:
            return model(input_ids=ids, output_hidden_states=True)

        below = find_layers(model, ids, run).of(model, ids, run())[0]
        grads = torch.autograd.grad(below.sum(), list(parameters.values()), allow_unused=True)
    return frozenset(name for name, grad in zip(parameters, grads, strict=True) if grad is not None)
