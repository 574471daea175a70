"""A sparse autoencoder's folder -> its weights and how they are to be used: folders of SAELens
(`cfg.json`, `sae_weights.safetensors`; https://github.com/decoderesearch/SAELens, versions 2 to 6),
plain encoders (`sae.safetensors` with weight [units, dim], bias [units] and k), and those of
`layouts`.

What a folder asks for that is not known here is refused by its name.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lingprobe.corpora.files import digest_files
from lingprobe.data.core import DataProblem
from lingprobe.inside.units.layouts import (
    DICTIONARY_LEARNING_LAYOUT,
    GEMMA_SCOPE_LAYOUT,
    SAE_CONFIG_FILE,
    SAE_WEIGHTS_FILE,
    SPARSIFY_LAYOUT,
    PackageLayout,
    read_config,
    read_tensors,
)
from lingprobe.inside.units.recipes import (
    AutoencoderFolder,
    AutoencoderRecipe,
    check_tensor_shapes,
    make_unknown_problem,
)

_WEIGHTS = "sae_weights.safetensors"
_OF_HEADS = "attn.hook_z"
_HOOKS = {
    "hook_resid_pre": "",
    "hook_resid_post": "post:",
    "hook_mlp_out": "mlp:",
    "hook_attn_out": "attn:",
    _OF_HEADS: "head:",
}
_DECODER = ("W_dec", "b_dec")
_TENSORS = {
    "standard": ("W_enc", "b_enc", *_DECODER),
    "topk": ("W_enc", "b_enc", *_DECODER),
    "jumprelu": ("W_enc", "b_enc", "threshold", *_DECODER),
    "gated": ("W_enc", "b_gate", "r_mag", "b_mag", *_DECODER),
}
SAE_NORMALISATIONS = ("none", "constant_norm_rescale", "layer_norm", "expected_average_only_in")
_OLD = {
    "hook_point": "hook_name",
    "hook_point_head_index": "hook_head_index",
    "activation_fn_str": "activation_fn",
}
"""What keys were called before version 6, where they have no other place."""
# what TransformerLens may be told and the states do not change for
_HARMLESS = (
    *("n_devices", "dtype", "device", "fold_ln", "center_unembed", "fold_value_biases"),
    *("trust_remote_code", "cache_dir"),
)
_CENTRED = "center_writing_weights"


def fingerprint_of(path: Path) -> str:
    """A digest of a folder's files."""
    return digest_files(_find_autoencoder_files(path)[1])


def _find_autoencoder_files(path: Path) -> tuple[PackageLayout, list[Path]]:
    """The layout and the files of an autoencoder, which is a folder or the file of a plain encoder
    or of Gemma Scope.
    """
    place = path.expanduser()
    if place.is_file():
        return GEMMA_SCOPE_LAYOUT if place.name == GEMMA_SCOPE_LAYOUT.files[-1] else _PLAIN, [place]
    for layout in _LAYOUTS:
        files = [place / name for name in layout.files]
        if all(file.is_file() for file in files):
            return layout, files
    known = "; ".join(f"{' and '.join(each.files)} ({each.name})" for each in _LAYOUTS)
    raise DataProblem(f"{path}: no sparse autoencoder; a folder of one has {known}")


def load_folder(path: Path) -> AutoencoderFolder:
    """What lies in a folder; DataProblem where it is none, or asks for what is not known here."""
    layout, files = _find_autoencoder_files(path)
    return _load(layout, tuple(files), digest_files(files))


def read_folder_layer(path: Path) -> str | None:
    """The layer or site that a folder says it reads, without its weights."""
    layout, files = _find_autoencoder_files(path)
    return layout.layer(files)


@functools.lru_cache(2)
def _load(layout: PackageLayout, files: tuple[Path, ...], version: str) -> AutoencoderFolder:
    return layout.load(files)


def load_plain(files: Sequence[Path]) -> AutoencoderFolder:
    """A plain encoder."""
    where, tensors = str(files[-1]), read_tensors(files[-1])
    if set(tensors) != {"weight", "bias", "k"}:
        raise DataProblem(
            f"{where} has the tensors {', '.join(sorted(tensors))}; a plain encoder has weight"
            " [units, dim], bias [units] and k"
        )
    weight, bias, k = tensors["weight"], tensors["bias"], int(tensors["k"].ravel()[0])
    check_tensor_shapes(where, {"W_enc": weight.T, "b_enc": bias}, k)
    return AutoencoderFolder(
        AutoencoderRecipe(k=k), {"W_enc": np.ascontiguousarray(weight.T), "b_enc": bias}
    )


def load_saelens(files: Sequence[Path]) -> AutoencoderFolder:
    """A folder of SAELens."""
    where, tensors = str(files[0]), read_tensors(files[-1])
    recipe = _recipe(where, _config(files[0]))
    if not np.allclose(tensors.pop("scaling_factor", np.ones(1)), 1):
        raise make_unknown_problem(where, "finetuning_scaling_factor", "a scale of each feature")
    wanted = _TENSORS[recipe.kind]
    if set(tensors) != set(wanted):
        raise DataProblem(
            f"{where}: {_WEIGHTS} has {', '.join(sorted(tensors))}; a {recipe.kind} autoencoder has"
            f" {', '.join(wanted)}"
        )
    check_tensor_shapes(where, tensors, recipe.k)
    return AutoencoderFolder(recipe, tensors)


def _config(path: Path) -> dict[str, Any]:
    """What a configuration says, by the keys of version 6."""
    told = {_OLD.get(key, key): value for key, value in read_config(path).items()}
    return {**told, **(told.get("metadata") or {})}


def _recipe(where: str, told: Mapping[str, Any]) -> AutoencoderRecipe:
    """What a configuration asks for."""
    kind = told.get("architecture") or "standard"
    activation = told.get("activation_fn") or "relu"
    options = told.get("activation_fn_kwargs") or {}
    if kind == "standard" and activation == "topk":
        kind = "topk"
    if kind not in _TENSORS:
        raise make_unknown_problem(where, "architecture", kind)
    if activation not in ("relu", "topk") or (activation == "topk" and kind != "topk"):
        raise make_unknown_problem(where, "activation_fn", activation)
    layer = _parse_hook_layer(where, told)
    of_heads = (layer or "").startswith("head:")
    if (told.get("reshape_activations") or "none") not in ("none", "hook_z" if of_heads else ""):
        raise make_unknown_problem(where, "reshape_activations", told["reshape_activations"])
    loaded = told.get("model_from_pretrained_kwargs") or {}
    if of_heads and loaded.get("fold_value_biases"):  # then heads lack what values add always
        raise make_unknown_problem(where, "model_from_pretrained_kwargs fold_value_biases", True)
    return AutoencoderRecipe(
        kind,
        layer,
        int(told.get("k") or options.get("k") or 0) if kind == "topk" else 0,
        bool(told.get("apply_b_dec_to_input", True)),
        _norm(where, told.get("normalize_activations")),
        bool(told.get("rescale_acts_by_decoder_norm", False)) and kind == "topk",
        _is_centred(where, loaded) and not of_heads,
    )


def _parse_hook_layer(where: str, told: Mapping[str, Any]) -> str | None:
    """The layer or site of a hook: what block L is given is state L, and blocks of sites count from
    1.
    """
    hook = told.get("hook_name")
    if hook is None:
        return None
    match = re.fullmatch(r"blocks\.(\d+)\.([\w.]+)", str(hook))
    head = told.get("hook_head_index")
    if match is None or match[2] not in _HOOKS or (head is not None and match[2] != _OF_HEADS):
        raise make_unknown_problem(
            where, "hook_name", hook if head is None else f"{hook} of head {head}"
        )
    if match[2] == _OF_HEADS:
        return f"head:{int(match[1]) + 1}." + ("*" if head is None else str(int(head) + 1))
    return f"{_HOOKS[match[2]]}{int(match[1]) + (match[2] != 'hook_resid_pre')}"


def _norm(where: str, value: Any) -> str:
    """How the input is normalised (`normalize_activations`); early versions say whether by the mean
    norm.
    """
    norm = {None: "none", False: "none", True: SAE_NORMALISATIONS[-1]}.get(value, value)
    if norm not in SAE_NORMALISATIONS:
        raise make_unknown_problem(where, "normalize_activations", norm)
    return str(norm)


def _is_centred(where: str, told: Mapping[str, Any]) -> bool:
    """Whether TransformerLens centred the weights (`center_writing_weights`); other settings of the
    model are refused.
    """
    for key, value in told.items():
        if key != _CENTRED and key not in _HARMLESS and value not in (None, False):
            raise make_unknown_problem(where, f"model_from_pretrained_kwargs {key}", value)
    return bool(told.get(_CENTRED, False))


_SAELENS = PackageLayout(
    "SAELens", (SAE_CONFIG_FILE, _WEIGHTS), load_saelens, lambda files: _layer_said(files[0])
)
_PLAIN = PackageLayout("a plain encoder", (SAE_WEIGHTS_FILE,), load_plain, lambda _: None)
_LAYOUTS = (_SAELENS, SPARSIFY_LAYOUT, _PLAIN, GEMMA_SCOPE_LAYOUT, DICTIONARY_LEARNING_LAYOUT)
"""Where the files of two are there, the first holds."""


def _layer_said(path: Path) -> str | None:
    return _recipe(str(path), _config(path)).layer
