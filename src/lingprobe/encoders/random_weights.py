"""Weights of a transformer drawn at random. Imports torch."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from lingprobe.encoders.blocks import layers_of

SOME = 8  # tokens by which layers are found

_drawing = threading.Lock()


def draw_model(build: Callable[[], Any], seed: int) -> Any:
    """A model that its own library initialises, which it does with torch's global generator; that
    is given back as it was.
    """
    with _drawing, torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return build()


def orthonormalise(model: nn.Module, keep: frozenset[str], generator: torch.Generator) -> None:
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


def below_layers(model: nn.Module) -> frozenset[str]:
    """The names of the parameters that decide what the first layer is given: those through which a
    gradient flows from there.
    """
    parameters = dict(model.named_parameters())
    with torch.enable_grad():
        ids = torch.arange(2 * SOME).reshape(2, SOME)

        def run() -> Any:
            return model(input_ids=ids, output_hidden_states=True)

        below = layers_of(model, ids, run).of(model, ids, run())[0]
        grads = torch.autograd.grad(below.sum(), list(parameters.values()), allow_unused=True)
    return frozenset(name for name, grad in zip(parameters, grads, strict=True) if grad is not None)
