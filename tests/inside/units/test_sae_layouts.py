"""Autoencoders as other packages write them, and hooks within blocks.

The loops here are from the papers. The same folders were read and encoded by eai-sparsify 1.3.3
(`SparseCoder.load_from_disk`) and dictionary-learning 0.1.0 (`load_dictionary`), whose features
differ from ours by less than 1e-6.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from fixtures.models import SENTENCES, transformer
from lingprobe.data.core import DataProblem
from lingprobe.encoders import make_encoder
from lingprobe.inside.units.features import SparseAutoencoder
from lingprobe.inside.units.folders import load_folder, read_folder_layer

DIM, UNITS, K = 6, 12, 3
DRAWS = np.random.default_rng(0)
STATES = DRAWS.normal(size=(20, DIM)).astype(np.float32)
WEIGHT = DRAWS.normal(size=(UNITS, DIM)).astype(np.float32)
DECODER = DRAWS.normal(size=(UNITS, DIM)).astype(np.float32)
BIAS, RATE, MAGNITUDE = DRAWS.normal(size=(3, UNITS)).astype(np.float32) * 0.3
MIDDLE = DRAWS.normal(size=DIM).astype(np.float32)
THRESHOLD = 0.4


def before(state, middle=MIDDLE, bias=BIAS):
    """Pre-activations of one state."""
    return [
        sum(float(w) * (float(x) - float(m)) for w, x, m in zip(row, state, middle, strict=True))
        + float(b)
        for row, b in zip(WEIGHT, bias, strict=True)
    ]


def largest(state):
    """Gao et al. 2024, section 2.3."""
    values = before(state)
    kept = sorted(range(UNITS), key=lambda j: -values[j])[:K]
    return [max(v, 0) if j in kept else 0 for j, v in enumerate(values)]


def of_groups(state):
    """The largest of each of K groups of neighbours."""
    values, size = before(state), UNITS // K
    kept = [max(range(g, g + size), key=values.__getitem__) for g in range(0, UNITS, size)]
    return [max(v, 0) if j in kept else 0 for j, v in enumerate(values)]


def above(state, middle=MIDDLE):
    """Rajamanoharan et al. 2024b, section 3; batch top-k in use, of one threshold for all."""
    return [v if v > THRESHOLD else 0 for v in before(state, middle)]


def gated(state):
    """Rajamanoharan et al. 2024a, section 3.1."""
    plain = before(state, bias=np.zeros(UNITS))
    sizes = [
        max(v * np.exp(float(r)) + float(m), 0)
        for v, r, m in zip(plain, RATE, MAGNITUDE, strict=True)
    ]
    return [s if v + float(b) > 0 else 0 for s, v, b in zip(sizes, plain, BIAS, strict=True)]


def normed(state):
    """Bricken et al. 2023, features in units of their decoder's row."""
    return [
        max(v, 0) * float(np.linalg.norm(row))
        for v, row in zip(before(state), DECODER, strict=True)
    ]


def sparsify(place, name="layers.4.mlp", **more):
    folder = place / name
    folder.mkdir()
    told = {
        "activation": "topk",
        "k": K,
        "d_in": DIM,
        "num_latents": UNITS,
        "transcode": False,
        **more,
    }
    (folder / "cfg.json").write_text(json.dumps(told))
    weights = {"encoder.weight": WEIGHT, "encoder.bias": BIAS, "W_dec": DECODER, "b_dec": MIDDLE}
    save_file(weights, folder / "sae.safetensors")
    return folder


def scope(place, path="gemma-scope-2b-pt-res/layer_4/width_16k/average_l0_7"):
    folder = place / path
    folder.mkdir(parents=True)
    np.savez(
        folder / "params.npz",
        W_enc=WEIGHT.T, b_enc=BIAS, W_dec=DECODER, b_dec=MIDDLE,
        threshold=np.full(UNITS, THRESHOLD, np.float32),
    )  # fmt: skip
    return folder


def dictionary(place, name, **more):
    folder = place / "trainer_0"
    folder.mkdir()
    trainer = {"dict_class": name, "k": K, "submodule_name": "resid_post_layer_4", **more}
    (folder / "config.json").write_text(json.dumps({"trainer": trainer, "buffer": {"io": "out"}}))
    linear = {"encoder.weight": WEIGHT, "decoder.weight": DECODER.T}
    plain = {"W_enc": WEIGHT.T, "b_enc": BIAS, "W_dec": DECODER, "b_dec": MIDDLE}
    one = {"k": np.array(K), "threshold": np.array(THRESHOLD, np.float32)}
    state = {
        "AutoEncoder": linear | {"encoder.bias": BIAS, "bias": MIDDLE},
        "AutoEncoderNew": linear | {"encoder.bias": BIAS, "decoder.bias": MIDDLE},
        "AutoEncoderTopK": linear | one | {"encoder.bias": BIAS, "b_dec": MIDDLE},
        "BatchTopKSAE": linear | one | {"encoder.bias": BIAS, "b_dec": MIDDLE},
        "MatryoshkaBatchTopKSAE": plain | one | {"group_sizes": np.array([4, 8])},
        "JumpReluAutoEncoder": plain | {"threshold": np.full(UNITS, THRESHOLD, np.float32)},
        "GatedAutoEncoder": linear
        | {"decoder_bias": MIDDLE, "r_mag": RATE, "gate_bias": BIAS, "mag_bias": MAGNITUDE},
    }.get(name, {})
    torch.save({key: torch.from_numpy(np.array(v)) for key, v in state.items()}, folder / "ae.pt")
    return folder


ORIGIN = np.zeros(DIM)
LAYOUTS = {
    "sparsify": (sparsify, {}, largest),
    "sparsify groupmax": (sparsify, {"activation": "groupmax"}, of_groups),
    "Gemma Scope": (scope, {}, lambda state: above(state, ORIGIN)),
    "AutoEncoder": (dictionary, {"name": "AutoEncoder"}, normed),
    "AutoEncoderNew": (
        dictionary,
        {"name": "AutoEncoderNew"},
        lambda state: [max(v, 0) for v in before(state, ORIGIN)],
    ),
    "AutoEncoderTopK": (dictionary, {"name": "AutoEncoderTopK"}, largest),
    "BatchTopKSAE": (dictionary, {"name": "BatchTopKSAE"}, above),
    "MatryoshkaBatchTopKSAE": (dictionary, {"name": "MatryoshkaBatchTopKSAE"}, above),
    "JumpReluAutoEncoder": (
        dictionary,
        {"name": "JumpReluAutoEncoder"},
        lambda state: above(state, ORIGIN),
    ),
    "GatedAutoEncoder": (dictionary, {"name": "GatedAutoEncoder"}, gated),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_features_and_what_is_rebuilt_are_the_papers(layout, tmp_path):
    write, more, features = LAYOUTS[layout]
    folder = write(tmp_path, **more)
    made = SparseAutoencoder(load_folder(folder))
    found = made.encode(STATES)
    expected = np.array([features(state) for state in STATES])
    assert 0 < (expected > 0).mean() < 1
    assert np.abs(found - expected).max() < 1e-5
    decoder = DECODER
    if layout == "AutoEncoder":
        decoder = DECODER / np.linalg.norm(DECODER, axis=1, keepdims=True)
    assert np.abs(made.rebuild(STATES) - (expected @ decoder + MIDDLE)).max() < 1e-4
    assert read_folder_layer(folder) == ("mlp:5" if layout.startswith("sparsify") else "post:5")


def test_names_of_folders_say_sites(tmp_path):
    names = {
        "layers.4": "post:5",
        "transformer.h.0.attn": "attn:1",
        "gpt_neox.layers.2.attention": "attn:3",
        "model.layers.11.self_attn": "attn:12",
        "h.3.mlp": "mlp:4",
        "h.3.ln_1": None,
        "embed_tokens": None,
    }
    assert {name: read_folder_layer(sparsify(tmp_path, name)) for name in names} == names
    paths = {
        "gemma-scope-2b-pt-att/layer_0/width_16k/canonical": "head:1.*",
        "gemma-scope-9b-it-res-canonical/layer_20/width_16k": "post:21",
        "gemma-scope-2b-pt-mlp/layer_5/width_65k/average_l0_9": "mlp:6",
        "other/layer_5": None,
    }
    assert {path: read_folder_layer(scope(tmp_path, path)) for path in paths} == paths
    assert (
        read_folder_layer(scope(tmp_path, "gemma-scope-a-res/layer_1") / "params.npz") == "post:2"
    )


def test_what_is_not_known_is_refused_by_name(tmp_path):
    with pytest.raises(DataProblem, match="transcode"):
        load_folder(sparsify(tmp_path, "a", transcode=True))
    with pytest.raises(DataProblem, match="activation is relu"):
        load_folder(sparsify(tmp_path, "b", activation="relu"))
    with pytest.raises(DataProblem, match="k is 5, of 12 units in groups"):
        load_folder(sparsify(tmp_path, "c", activation="groupmax", k=5))
    with pytest.raises(DataProblem, match="dict_class is CrossCoder"):
        load_folder(dictionary(tmp_path, "CrossCoder"))
    folder = scope(tmp_path)
    np.savez(folder / "params.npz", W_enc=WEIGHT.T)
    with pytest.raises(DataProblem, match="such an autoencoder has W_enc, b_enc, threshold"):
        load_folder(folder)


class Planted:
    """Something that is no tensor, and would run when it is read."""

    def __reduce__(self):
        return print, ("read",)


def test_a_file_of_weights_runs_nothing(tmp_path, capsys):
    folder = dictionary(tmp_path, "AutoEncoder")
    torch.save({"encoder.weight": Planted()}, folder / "ae.pt")
    with pytest.raises(DataProblem, match="not a file of weights alone"):
        load_folder(folder)
    assert "read" not in capsys.readouterr().out


HOOKS = {
    "blocks.0.hook_mlp_out": "mlp:1",
    "blocks.0.hook_attn_out": "attn:1",
    "blocks.0.attn.hook_z": "head:1.*",
    "blocks.1.attn.hook_z 1": "head:2.2",
    "blocks.0.hook_resid_post": "1",
    "blocks.1.hook_resid_post": "post:2",  # layer 2 stands behind the norm of the model
    "blocks.1.hook_resid_pre": "1",
}


@pytest.mark.parametrize("hook", HOOKS)
def test_hooks_are_sites(hook, tmp_path):
    model = transformer(tmp_path / "model")
    name, _, head = hook.partition(" ")
    site = HOOKS[hook]
    of = f"hf:{model},dtype=float32"
    vectors = make_encoder(f"{of},layers={site},pool=none").encode(SENTENCES)
    states = np.concatenate(vectors.layers, 1)
    width = states.shape[1]
    rng = np.random.default_rng(0)
    weights = {
        "W_enc": rng.normal(size=(width, 20)), "b_enc": rng.normal(size=20),
        "W_dec": rng.normal(size=(20, width)), "b_dec": rng.normal(size=width),
    }  # fmt: skip
    weights = {key: value.astype(np.float32) for key, value in weights.items()}
    told = {"architecture": "standard", "apply_b_dec_to_input": False, "hook_name": name}
    if head:
        told["hook_head_index"] = int(head)
    if "hook_z" in name:
        told["reshape_activations"] = "hook_z"
    folder = tmp_path / "sae"
    folder.mkdir()
    (folder / "cfg.json").write_text(json.dumps(told))
    save_file(weights, folder / "sae_weights.safetensors")
    encoder = make_encoder(f"sae:{folder},of={of.replace(',', '%2C')},pool=none,explains=-1e9")
    assert encoder.layer == site
    (features,) = encoder.encode(SENTENCES).layers
    expected = np.maximum(states @ weights["W_enc"] + weights["b_enc"], 0)
    assert np.abs(features - expected).max() < 1e-4


def test_heads_whose_value_biases_stand_elsewhere_are_refused(tmp_path):
    told = {
        "architecture": "standard",
        "hook_name": "blocks.0.attn.hook_z",
        "model_from_pretrained_kwargs": {"fold_value_biases": True},
    }
    (tmp_path / "cfg.json").write_text(json.dumps(told))
    save_file({"b_dec": MIDDLE}, tmp_path / "sae_weights.safetensors")
    with pytest.raises(DataProblem, match="fold_value_biases is True"):
        read_folder_layer(tmp_path)
