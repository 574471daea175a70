"""What a sparse autoencoder is: its weights, and how states become features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lingprobe.data.core import DataProblem
from lingprobe.data.vectors import Floats


@dataclass(frozen=True)
class AutoencoderRecipe:
    """How states become features; by default as a plain encoder has it.

    kind       standard, topk, groupmax (the largest of each of k groups), jumprelu, gated
    layer      the layer or site that is read, None where the folder does not say
    subtract   whether the decoder's bias is taken from the input
    norm       how the input is brought to one scale
    rescale    whether pre-activations are multiplied by the norms of the decoder's rows
    centred    whether each state has mean 0, as TransformerLens makes them
    """

    kind: str = "topk"
    layer: str | None = None
    k: int = 0
    subtract: bool = False
    norm: str = "none"
    rescale: bool = False
    centred: bool = False


@dataclass(frozen=True)
class AutoencoderFolder:
    """A folder that was read: tensors by SAELens' names, W_enc [dim, units], W_dec [units, dim]."""

    recipe: AutoencoderRecipe
    tensors: Mapping[str, Floats]

    @property
    def has_decoder(self) -> bool:
        """Whether states can be rebuilt from features."""
        return "W_dec" in self.tensors


def make_unknown_problem(folder: str, key: str, value: Any) -> DataProblem:
    """What a folder of an autoencoder asks for that is not known here is refused by name."""
    return DataProblem(f"{folder}: {key} is {value}, which lingprobe does not support")


def check_tensor_shapes(folder: str, tensors: Mapping[str, Floats], k: int) -> None:
    """Refuse tensors that do not go together."""
    dim, units = tensors["W_enc"].shape
    for name, tensor in tensors.items():
        shape = {"W_enc": (dim, units), "W_dec": (units, dim), "b_dec": (dim,)}.get(name, (units,))
        if tensor.shape != shape:
            raise DataProblem(f"{folder}: {name} has the shape {tensor.shape}, not {shape}")
        if not np.isfinite(tensor).all():
            raise DataProblem(f"{folder}: {name} has numbers that are not finite")
    if not 0 <= k <= units:
        raise DataProblem(f"{folder}: k is {k}, and there are {units:,} units")
