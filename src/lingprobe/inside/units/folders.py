"""A sparse autoencoder's folder -> its weights and how they are to be used: folders of SAELens
(`cfg.json`, `sae_weights.safetensors`; https://github.com/decoderesearch/SAELens, versions 2 to 6)
and plain encoders (`sae.safetensors` with weight [units, dim], bias [units] and k).

What a folder asks for that is not known here is refused by its name.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lingprobe.corpora.files import digest_files
from lingprobe.data.core import DataProblem
from lingprobe.data.vectors import Floats

CONFIG, WEIGHTS, PLAIN = "cfg.json", "sae_weights.safetensors", "sae.safetensors"
DECODER = ("W_dec", "b_dec")
TENSORS = {
    "standard": ("W_enc", "b_enc", *DECODER),
    "topk": ("W_enc", "b_enc", *DECODER),
    "jumprelu": ("W_enc", "b_enc", "threshold", *DECODER),
    "gated": ("W_enc", "b_gate", "r_mag", "b_mag", *DECODER),
}
NORMS = ("none", "constant_norm_rescale", "layer_norm", "expected_average_only_in")
OLD = {
    "hook_point": "hook_name",
    "hook_point_head_index": "hook_head_index",
    "activation_fn_str": "activation_fn",
}
"""What keys were called before version 6, where they have no other place."""
# what TransformerLens may be told and the states do not change for
HARMLESS = (
    *("n_devices", "dtype", "device", "fold_ln", "center_unembed", "fold_value_biases"),
    *("trust_remote_code", "cache_dir"),
)
CENTRED = "center_writing_weights"


@dataclass(frozen=True)
class Recipe:
    """How states become features; by default as a plain encoder has it.

    layer      the layer whose states are read, None where the folder does not say
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
class Folder:
    """A folder that was read: tensors by SAELens' names, W_enc [dim, units], W_dec [units, dim]."""

    recipe: Recipe
    tensors: Mapping[str, Floats]

    @property
    def has_decoder(self) -> bool:
        """Whether states can be rebuilt from features."""
        return "W_dec" in self.tensors


def fingerprint_of(path: Path) -> str:
    """A digest of a folder's files."""
    return digest_files(_files(path))


def _files(path: Path) -> list[Path]:
    """The files of an autoencoder, which is a folder or the file of a plain encoder."""
    place = path.expanduser()
    if place.is_file():
        return [place]
    if (place / CONFIG).is_file() and (place / WEIGHTS).is_file():
        return [place / CONFIG, place / WEIGHTS]
    if (place / PLAIN).is_file() and not (place / CONFIG).is_file():
        return [place / PLAIN]
    raise DataProblem(
        f"{path}: no sparse autoencoder; a folder of SAELens has {CONFIG} and {WEIGHTS}, a plain"
        f" encoder is {PLAIN} with weight, bias and k"
    )


def load_folder(path: Path) -> Folder:
    """What lies in a folder; DataProblem where it is none, or asks for what is not known here."""
    files = _files(path)
    return _load(tuple(map(str, files)), digest_files(files))


def layer_of(path: Path) -> str | None:
    """The layer that a folder says its states are of, without its weights."""
    files = _files(path)
    return None if len(files) == 1 else _recipe(str(files[0]), _config(files[0])).layer


@functools.lru_cache(2)
def _load(files: tuple[str, ...], version: str) -> Folder:
    tensors = _tensors(Path(files[-1]))
    if len(files) == 1:
        return _plain(files[0], tensors)
    return _saelens(files[0], _config(Path(files[0])), tensors)


def _config(path: Path) -> dict[str, Any]:
    """What a configuration says, by the keys of version 6."""
    try:
        given = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise DataProblem(f"{path} is not JSON ({error})") from error
    told = {OLD.get(key, key): value for key, value in given.items()}
    return {**told, **(told.get("metadata") or {})}


def _tensors(path: Path) -> dict[str, Floats]:
    """All tensors of a file, in float32."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return {name: tensor.float().numpy() for name, tensor in load_file(path).items()}
    except SafetensorError as error:
        raise DataProblem(f"{path} is not a file of safetensors ({error})") from error


def _plain(where: str, tensors: Mapping[str, Floats]) -> Folder:
    if set(tensors) != {"weight", "bias", "k"}:
        raise DataProblem(
            f"{where} has the tensors {', '.join(sorted(tensors))}; a plain encoder has weight"
            " [units, dim], bias [units] and k"
        )
    weight, bias, k = tensors["weight"], tensors["bias"], int(tensors["k"].ravel()[0])
    _check_shapes(where, {"W_enc": weight.T, "b_enc": bias}, k)
    return Folder(Recipe(k=k), {"W_enc": np.ascontiguousarray(weight.T), "b_enc": bias})


def _saelens(where: str, told: Mapping[str, Any], tensors: dict[str, Floats]) -> Folder:
    recipe = _recipe(where, told)
    if not np.allclose(tensors.pop("scaling_factor", np.ones(1)), 1):
        raise _unknown(where, "finetuning_scaling_factor", "a scale of each feature")
    wanted = TENSORS[recipe.kind]
    if set(tensors) != set(wanted):
        raise DataProblem(
            f"{where}: {WEIGHTS} has {', '.join(sorted(tensors))}; a {recipe.kind} autoencoder has"
            f" {', '.join(wanted)}"
        )
    _check_shapes(where, tensors, recipe.k)
    return Folder(recipe, tensors)


def _recipe(where: str, told: Mapping[str, Any]) -> Recipe:
    """What a configuration asks for."""
    kind = told.get("architecture") or "standard"
    activation = told.get("activation_fn") or "relu"
    options = told.get("activation_fn_kwargs") or {}
    if kind == "standard" and activation == "topk":
        kind = "topk"
    if kind not in TENSORS:
        raise _unknown(where, "architecture", kind)
    if activation not in ("relu", "topk") or (activation == "topk" and kind != "topk"):
        raise _unknown(where, "activation_fn", activation)
    if (told.get("reshape_activations") or "none") != "none":
        raise _unknown(where, "reshape_activations", told["reshape_activations"])
    return Recipe(
        kind,
        _layer(where, told),
        int(told.get("k") or options.get("k") or 0) if kind == "topk" else 0,
        bool(told.get("apply_b_dec_to_input", True)),
        _norm(where, told.get("normalize_activations")),
        bool(told.get("rescale_acts_by_decoder_norm", False)) and kind == "topk",
        _is_centred(where, told.get("model_from_pretrained_kwargs") or {}),
    )


def _layer(where: str, told: Mapping[str, Any]) -> str | None:
    """The layer of a hook: what block L is given is state L, what it gives is state L + 1."""
    hook = told.get("hook_name")
    if hook is None:
        return None
    match = re.fullmatch(r"blocks\.(\d+)\.hook_resid_(pre|post)", str(hook))
    if match is None or told.get("hook_head_index") is not None:
        raise _unknown(where, "hook_name", hook)
    return str(int(match[1]) + (match[2] == "post"))


def _norm(where: str, value: Any) -> str:
    """How the input is scaled; early versions say whether by the mean norm."""
    norm = {None: "none", False: "none", True: NORMS[-1]}.get(value, value)
    if norm not in NORMS:
        raise _unknown(where, "normalize_activations", norm)
    return str(norm)


def _is_centred(where: str, told: Mapping[str, Any]) -> bool:
    for key, value in told.items():
        if key != CENTRED and key not in HARMLESS and value not in (None, False):
            raise _unknown(where, f"model_from_pretrained_kwargs {key}", value)
    return bool(told.get(CENTRED, False))


def _unknown(where: str, key: str, value: Any) -> DataProblem:
    return DataProblem(f"{where}: {key} is {value}, which lingprobe does not support")


def _check_shapes(where: str, tensors: Mapping[str, Floats], k: int) -> None:
    """Refuse tensors that do not go together."""
    dim, units = tensors["W_enc"].shape
    for name, tensor in tensors.items():
        shape = {"W_enc": (dim, units), "W_dec": (units, dim), "b_dec": (dim,)}.get(name, (units,))
        if tensor.shape != shape:
            raise DataProblem(f"{where}: {name} has the shape {tensor.shape}, not {shape}")
        if not np.isfinite(tensor).all():
            raise DataProblem(f"{where}: {name} has numbers that are not finite")
    if not 0 <= k <= units:
        raise DataProblem(f"{where}: k is {k}, and there are {units:,} units")
