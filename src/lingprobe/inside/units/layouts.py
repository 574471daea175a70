"""Folders of sparse autoencoders as other packages write them -> weights by SAELens' names.

sparsify             `cfg.json`, `sae.safetensors`; https://github.com/EleutherAI/sparsify
Gemma Scope          `params.npz`; Lieberum et al. 2024
dictionary_learning  `config.json`, `ae.pt`; https://github.com/saprmarks/dictionary_learning
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lingprobe.corpora.array_files import ArrayFile
from lingprobe.data.core import DataProblem
from lingprobe.data.vectors import Floats
from lingprobe.inside.units.recipes import (
    AutoencoderFolder,
    AutoencoderRecipe,
    check_tensor_shapes,
    make_unknown_problem,
)

SAE_CONFIG_FILE, SAE_WEIGHTS_FILE = "cfg.json", "sae.safetensors"
# the name of a module of transformers, which is the folder's; what it gives is read
_MODULE = re.compile(r"(?:.*\.)?(?:layers|layer|h|blocks)\.(\d+)(?:\.(\w+))?")
_PARTS = {"mlp": "mlp", "attn": "attn", "self_attn": "attn", "attention": "attn", None: "post"}
_SCOPES = {"res": "post:{}", "mlp": "mlp:{}", "att": "head:{}.*"}
_SUBMODULE = re.compile(r"resid_post_layer_(\d+)")
# by the classes of dictionary_learning: the kind, and the name of the decoder's bias
_CLASSES = {
    "AutoEncoder": ("standard", "bias"),
    "AutoEncoderNew": ("standard", "decoder.bias"),
    "AutoEncoderTopK": ("topk", "b_dec"),
    "BatchTopKSAE": ("jumprelu", "b_dec"),
    "MatryoshkaBatchTopKSAE": ("jumprelu", "b_dec"),
    "JumpReluAutoEncoder": ("jumprelu", "b_dec"),
    "GatedAutoEncoder": ("gated", "decoder_bias"),
}
_NAMES = {"encoder.bias": "b_enc", "gate_bias": "b_gate", "mag_bias": "b_mag"}


@dataclass(frozen=True)
class PackageLayout:
    """How a package lays out a folder.

    files  in this order
    load   what lies in them
    layer  the layer or site that they say is read; None where they do not
    """

    name: str
    files: tuple[str, ...]
    load: Callable[[Sequence[Path]], AutoencoderFolder]
    layer: Callable[[Sequence[Path]], str | None]


def read_config(path: Path) -> dict[str, Any]:
    """What a configuration says."""
    try:
        given: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise DataProblem(f"{path} is not JSON ({error})") from error
    return given


def read_tensors(path: Path) -> dict[str, Floats]:
    """All tensors of a file of safetensors, in float32."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return {name: tensor.float().numpy() for name, tensor in load_file(path).items()}
    except SafetensorError as error:
        raise DataProblem(f"{path} is not a file of safetensors ({error})") from error


def _check_folder(
    where: Path, recipe: AutoencoderRecipe, tensors: Mapping[str, Floats]
) -> AutoencoderFolder:
    known = {name: np.ascontiguousarray(each, np.float32) for name, each in tensors.items()}
    check_tensor_shapes(str(where), known, recipe.k)
    return AutoencoderFolder(recipe, known)


def _take(where: Path, tensors: Mapping[str, Floats], names: Sequence[str]) -> list[Floats]:
    if set(names) - set(tensors):
        has, wants = ", ".join(sorted(tensors)), ", ".join(names)
        raise DataProblem(f"{where} has {has}; such an autoencoder has {wants}")
    return [tensors[name] for name in names]


def load_sparsify(files: Sequence[Path]) -> AutoencoderFolder:
    """A folder of sparsify."""
    path, told = files[0], read_config(files[0])
    if told.get("transcode") or told.get("skip_connection"):
        raise make_unknown_problem(str(path), "transcode or skip_connection", True)
    kind = told.get("activation", "topk")
    if kind not in ("topk", "groupmax"):
        raise make_unknown_problem(str(path), "activation", kind)
    names = ("encoder.weight", "encoder.bias", "W_dec", "b_dec")
    weight, bias, decoder, middle = _take(files[1], read_tensors(files[1]), names)
    k = int(told.get("k") or 0)
    if kind == "groupmax" and len(bias) % max(k, 1):
        raise make_unknown_problem(str(path), "k", f"{k}, of {len(bias):,} units in groups")
    recipe = AutoencoderRecipe(kind, sparsify_layer(files), k, subtract=True)
    tensors = {"W_enc": weight.T, "b_enc": bias, "W_dec": decoder, "b_dec": middle}
    return _check_folder(path, recipe, tensors)


def sparsify_layer(files: Sequence[Path]) -> str | None:
    """The site that the name of a folder says, as `layers.5.mlp`."""
    found = _MODULE.fullmatch(files[0].absolute().parent.name)
    if found is None or found[2] not in _PARTS:
        return None
    return f"{_PARTS[found[2]]}:{int(found[1]) + 1}"


def load_gemma_scope(files: Sequence[Path]) -> AutoencoderFolder:
    """The parameters of one autoencoder of Gemma Scope."""
    path = files[-1]
    given = {name: np.asarray(each, np.float32) for name, each in ArrayFile(path).items()}
    names = ("W_enc", "b_enc", "threshold", "W_dec", "b_dec")
    tensors = dict(zip(names, _take(path, given, names), strict=True))
    return _check_folder(path, AutoencoderRecipe("jumprelu", gemma_scope_layer(files)), tensors)


def gemma_scope_layer(files: Sequence[Path]) -> str | None:
    """The site that the path of a file says, as gemma-scope-2b-pt-res/layer_20/."""
    parts = "/".join(files[-1].absolute().parts)
    where = re.search(r"gemma-scope-[^/]*-(res|mlp|att)(?:-[^/]*)?/(?:.*/)?layer_(\d+)/", parts)
    return _SCOPES[where[1]].format(int(where[2]) + 1) if where else None


def load_dictionary(files: Sequence[Path]) -> AutoencoderFolder:
    """A dictionary of dictionary_learning."""
    import torch

    path = files[-1]
    told = read_config(files[0]).get("trainer") or {}
    name = told.get("dict_class")
    if name not in _CLASSES:
        raise make_unknown_problem(str(files[0]), "dict_class", name)
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        given = {key: each.float().numpy() for key, each in state.items()}
    except Exception as error:  # of a file that is nothing of the kind
        raise DataProblem(f"{path} is not a file of weights alone ({error})") from error
    kind, middle = _CLASSES[name]
    tensors = {_NAMES.get(key, key): each for key, each in given.items() if each.ndim == 1}
    tensors["b_dec"] = _take(path, given, [middle])[0]
    if "W_enc" in given:
        tensors["W_enc"], tensors["W_dec"] = _take(path, given, ("W_enc", "W_dec"))
    else:
        encoder, decoder = _take(path, given, ("encoder.weight", "decoder.weight"))
        tensors["W_enc"], tensors["W_dec"] = encoder.T, decoder.T
    if name == "AutoEncoder":  # its loader brings the decoder's rows to one norm
        norms = np.linalg.norm(tensors["W_dec"], axis=1)
        tensors |= {"W_enc": tensors["W_enc"] * norms, "b_enc": tensors["b_enc"] * norms}
        tensors["W_dec"] = tensors["W_dec"] / norms[:, None]
    many = tensors["W_enc"].shape[1]
    if kind == "jumprelu":  # one for all features, but of JumpReLU one for each
        tensors["threshold"] = np.broadcast_to(_take(path, given, ["threshold"])[0], many)
    own = {"standard": ["b_enc"], "topk": ["b_enc"], "jumprelu": ["b_enc", "threshold"]}
    names = own.get(kind, ["b_gate", "r_mag", "b_mag"])
    names += ["W_enc", "W_dec", "b_dec"]
    k = int(given["k"]) if kind == "topk" else 0
    subtract = name not in ("AutoEncoderNew", "JumpReluAutoEncoder")
    recipe = AutoencoderRecipe(kind, dictionary_layer(files), k, subtract)
    return _check_folder(path, recipe, dict(zip(names, _take(path, tensors, names), strict=True)))


def dictionary_layer(files: Sequence[Path]) -> str | None:
    """The layer that a configuration says, where that is what a block gives."""
    told = read_config(files[0])
    trainer = told.get("trainer") or {}
    found = _SUBMODULE.fullmatch(str(trainer.get("submodule_name")))
    reads = (told.get("buffer") or {}).get("io", "out")
    return f"post:{int(found[1]) + 1}" if found and reads == "out" else None


SPARSIFY_LAYOUT = PackageLayout(
    "sparsify", (SAE_CONFIG_FILE, SAE_WEIGHTS_FILE), load_sparsify, sparsify_layer
)
GEMMA_SCOPE_LAYOUT = PackageLayout(
    "Gemma Scope", ("params.npz",), load_gemma_scope, gemma_scope_layer
)
DICTIONARY_LEARNING_LAYOUT = PackageLayout(
    "dictionary_learning", ("config.json", "ae.pt"), load_dictionary, dictionary_layer
)
