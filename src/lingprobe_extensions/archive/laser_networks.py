"""The networks of LASER: layers of LSTMs (Artetxe & Schwenk 2019), or a transformer as fairseq
makes it (Heffernan et al. 2022). Imports torch.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from lingprobe import DataProblem
from lingprobe.extend import Floats, Ints, gather_vectors
from lingprobe_extensions.archive.files import check_weight_shapes, recurrent_shapes
from lingprobe_extensions.archive.recurrence import RecurrentLayers

_PADDING = 1  # the number of <pad>, behind which positions begin
_EMBEDDING = "embed_tokens.weight"
_NEEDED = {
    f"encoder_{name}" for name in ("embed_dim", "ffn_embed_dim", "layers", "attention_heads")
} | {"activation_fn"}


def load_lstm(file: Path, state: Mapping[str, Any]) -> tuple[RecurrentLayers, Floats]:
    """The network of a file, and the vectors of its pieces; DataProblem where sizes and weights do
    not agree.
    """
    said, weights = dict(state["params"]), state["model"]
    sizes = {
        name: int(said.get(name, usual))
        for name, usual in (("embed_dim", 320), ("hidden_size", 512), ("num_layers", 1))
    }
    dim, hidden, layers = sizes.values()
    ways = 2 if said.get("bidirectional") else 1
    shapes = {
        _EMBEDDING: (int(said.get("num_embeddings", 0)), dim),
        **recurrent_shapes(dim, hidden, layers, "lstm.", ways),
    }
    check_weight_shapes(file, weights, shapes, "a LASER of these sizes")
    return RecurrentLayers.of(weights, layers, ways, "lstm."), weights[_EMBEDDING].float().numpy()


class TransformerStates:
    """The states of a transformer; whether norms stand before what they norm is in its settings."""

    def __init__(self, weights: dict[str, Tensor], settings: Mapping[str, Any], width: int) -> None:
        square = [n for n, w in weights.items() if n.startswith("layers.") and w.ndim == 2]
        names = [name.removesuffix(".weight") for name in square]
        self.products = {
            name: (weights.pop(f"{name}.weight"), weights.pop(f"{name}.bias")) for name in names
        }
        self.weights, self.width = weights, width
        self.heads = int(settings["encoder_attention_heads"])
        self.layers = int(settings["encoder_layers"])
        self.first = bool(settings.get("encoder_normalize_before"))
        self.scale = 1.0 if settings.get("no_scale_embedding") else width**0.5
        self.act = functional.gelu if settings["activation_fn"] == "gelu" else functional.relu

    @torch.inference_mode()
    def top(self, vectors: Floats, rows: Sequence[Ints], pool: str) -> Tensor:
        """The states of the last layer [rows, longest, width], by the numbers of the tokens of each
        sentence in a table of vectors; whatever the pool, they are not pooled here.
        """
        tokens = gather_vectors(vectors, rows)
        lengths = torch.tensor([len(row) for row in rows])
        there = torch.arange(tokens.shape[1]) < lengths[:, None]
        states = self.scale * tokens + compute_sinusoids(tokens.shape[1], self.width)
        if "layernorm_embedding.weight" in self.weights:
            states = self._layer_norm("layernorm_embedding", states)
        for layer in range(self.layers):
            name = f"layers.{layer}."
            for norm, part in (
                ("self_attn_layer_norm", partial(self._attention, name, there)),
                ("final_layer_norm", partial(self._forward, name)),
            ):
                states = self._around(name + norm, states, part)
        return (
            self._layer_norm("layer_norm", states)
            if "layer_norm.weight" in self.weights
            else states
        )

    def _around(self, norm: str, states: Tensor, part: Callable[[Tensor], Tensor]) -> Tensor:
        if self.first:
            return states + part(self._layer_norm(norm, states))
        return self._layer_norm(norm, states + part(states))

    def _layer_norm(self, name: str, states: Tensor) -> Tensor:
        weights = self.weights
        return functional.layer_norm(
            states, (self.width,), weights[f"{name}.weight"], weights[f"{name}.bias"]
        )

    def _forward(self, name: str, states: Tensor) -> Tensor:
        return self._linear(name + "fc2", self.act(self._linear(name + "fc1", states)))

    def _linear(self, name: str, states: Tensor) -> Tensor:
        return functional.linear(states, *self.products[name])

    def _attention(self, name: str, there: Tensor, states: Tensor) -> Tensor:
        rows, longest, width = states.shape
        query, key, value = (
            self._linear(f"{name}self_attn.{part}_proj", states)
            .view(rows, longest, self.heads, width // self.heads)
            .transpose(1, 2)
            for part in "qkv"
        )
        seen = there[:, None, None, :]
        made = functional.scaled_dot_product_attention(query, key, value, attn_mask=seen)
        joined = made.transpose(1, 2).reshape(rows, longest, width)
        return self._linear(f"{name}self_attn.out_proj", joined)


def compute_sinusoids(token_count: int, width: int) -> Tensor:
    """Where tokens stand, as sines and cosines [token_count, width] (Vaswani et al. 2017, 3.5), in
    the order of fairseq: first all sines, the first position after that of padding.
    """
    half = width // 2
    steps = torch.exp(torch.arange(half) * -(np.log(10000) / (half - 1)))
    angles = torch.arange(_PADDING + 1, _PADDING + 1 + token_count)[:, None] * steps
    return torch.cat([angles.sin(), angles.cos()], 1)


def load_laser3(
    file: Path, state: Mapping[str, Any]
) -> tuple[TransformerStates, Floats, Mapping[str, Any]]:
    """The network of a LASER3, the vectors of its pieces, and its settings."""
    held = (state.get("cfg") or {}).get("model")
    if not isinstance(held, Namespace) or not vars(held).keys() >= _NEEDED:
        raise DataProblem(f"{file} has neither params nor cfg, one of which every LASER has")
    settings = vars(held)
    whole = any(name.startswith("decoder.") for name in state["model"])
    weights = {
        name.removeprefix("encoder."): value.float()
        for name, value in state["model"].items()
        if not whole or name.startswith("encoder.")
    }
    if settings.get("encoder_learned_pos"):
        raise DataProblem(f"{file} has learnt positions, which no published LASER3 has")
    width, rows = int(settings["encoder_embed_dim"]), len(weights.get(_EMBEDDING, ()))
    shapes = {_EMBEDDING: (rows, width), **_shapes(settings, width)}
    check_weight_shapes(file, weights, shapes, "a LASER3 of these sizes")
    vectors = weights.pop(_EMBEDDING).numpy()
    return TransformerStates(weights, settings, width), vectors, settings


def _shapes(settings: Mapping[str, Any], width: int) -> dict[str, tuple[int, ...]]:
    """The weights of the layers."""
    inner = int(settings["encoder_ffn_embed_dim"])
    shapes: dict[str, tuple[int, ...]] = {}
    for name in (f"layers.{layer}." for layer in range(int(settings["encoder_layers"]))):
        for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
            shapes |= _linear(f"{name}self_attn.{part}", width, width)
        shapes |= _linear(name + "fc1", width, inner) | _linear(name + "fc2", inner, width)
        for norm in ("self_attn_layer_norm", "final_layer_norm"):
            shapes |= {f"{name}{norm}.{each}": (width,) for each in ("weight", "bias")}
    return shapes


def _linear(name: str, read: int, made: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (made, read), f"{name}.bias": (made,)}
