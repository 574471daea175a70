"""Features of sparse autoencoders: each architecture against a few lines of its paper, a tiny one
that is trained here, and what is refused.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from fixtures.models import SENTENCES, transformer
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.data.identity import compute_identity
from lingprobe.data.references import ReferenceProblem
from lingprobe.encoders import ENCODERS, make_encoder
from lingprobe.inside.units.features import SparseAutoencoder
from lingprobe.inside.units.folders import load_folder

DIM, UNITS = 6, 15
CONFIG = {
    "d_in": DIM,
    "d_sae": UNITS,
    "dtype": "float32",
    "device": "cpu",
    "apply_b_dec_to_input": True,
    "normalize_activations": "none",
    "reshape_activations": "none",
    "metadata": {"hook_name": "blocks.1.hook_resid_pre", "sae_lens_version": "6.15.0"},
}


def tensors(kind: str, dim: int = DIM, units: int = UNITS) -> dict[str, np.ndarray]:
    """Tensors of an autoencoder, drawn."""
    draws = np.random.default_rng(0)
    shapes = {"W_enc": (dim, units), "W_dec": (units, dim), "b_dec": (dim,)}
    names = {"gated": ("b_gate", "r_mag", "b_mag"), "jumprelu": ("b_enc", "threshold")}
    shapes |= dict.fromkeys(names.get(kind, ("b_enc",)), (units,))
    return {n: draws.normal(size=s).astype(np.float32) * 0.7 for n, s in shapes.items()}


def folder(place: Path, config: dict, given: dict[str, np.ndarray]) -> Path:
    place.mkdir(exist_ok=True)
    (place / "cfg.json").write_text(json.dumps(config))
    save_file(given, place / "sae_weights.safetensors")
    return place


def by_loops(t: dict, config: dict, x: list[float], scale: float = 1.0) -> tuple[list, list]:
    """The features of one state and what is rebuilt of them, number by number, from the papers:
    Bricken et al. 2023, Gao et al. 2024 (2.3), Rajamanoharan et al. 2024a (3.1), 2024b (3).
    """
    dim, units = len(x), len(t["W_dec"])
    shift, factor = 0.0, 1 / scale
    if config["normalize_activations"] == "constant_norm_rescale":
        factor = sum(v * v for v in x) ** 0.5 / dim**0.5
    if config["normalize_activations"] == "layer_norm":
        shift = sum(x) / dim
        factor = (sum((v - shift) ** 2 for v in x) / (dim - 1)) ** 0.5
        given = [(v - shift) / (factor + 1e-5) for v in x]
    else:
        given = [v / factor for v in x]
    if config["apply_b_dec_to_input"]:
        given = [v - float(b) for v, b in zip(given, t["b_dec"], strict=True)]
    features, norms = [], [sum(float(v) ** 2 for v in row) ** 0.5 for row in t["W_dec"]]
    for j in range(units):
        dot = sum(given[i] * float(t["W_enc"][i, j]) for i in range(dim))
        kind = config["architecture"]
        if kind == "gated":
            size = dot * np.exp(float(t["r_mag"][j])) + float(t["b_mag"][j])
            features.append(max(size, 0.0) if dot + float(t["b_gate"][j]) > 0 else 0.0)
            continue
        before = dot + float(t["b_enc"][j])
        if config.get("rescale_acts_by_decoder_norm"):
            before *= norms[j]
        over = before > float(t["threshold"][j]) if kind == "jumprelu" else True
        features.append(max(before, 0.0) if over else 0.0)
        if kind == "topk":
            features[-1] = before
    if config["architecture"] == "topk":
        kept = sorted(range(units), key=lambda j: -features[j])[: config["k"]]
        features = [max(features[j], 0.0) if j in kept else 0.0 for j in range(units)]
    used = features
    if config.get("rescale_acts_by_decoder_norm"):
        used = [f / n for f, n in zip(features, norms, strict=True)]
    rebuilt = [
        (sum(used[j] * float(t["W_dec"][j, i]) for j in range(units)) + float(t["b_dec"][i]))
        * factor
        + shift
        for i in range(dim)
    ]
    return features, rebuilt


@pytest.mark.parametrize("norm", ["none", "constant_norm_rescale", "layer_norm"])
@pytest.mark.parametrize("subtract", [True, False])
@pytest.mark.parametrize("kind", ["standard", "topk", "topk rescaled", "jumprelu", "gated"])
def test_features_are_the_papers(tmp_path, kind, subtract, norm):
    kind, _, rescaled = kind.partition(" ")
    config = {
        **CONFIG, "architecture": kind, "apply_b_dec_to_input": subtract,
        "normalize_activations": norm,
    }  # fmt: skip
    if kind == "topk":
        config |= {"k": 4, "rescale_acts_by_decoder_norm": bool(rescaled)}
    given = tensors(kind)
    made = SparseAutoencoder(load_folder(folder(tmp_path / "x", config, given)))
    states = np.random.default_rng(1).normal(size=(20, DIM)).astype(np.float32)
    for state, features, rebuilt in zip(
        states, made.encode(states), made.rebuild(states), strict=True
    ):
        expected = by_loops(given, config, state.tolist())
        assert features == pytest.approx(expected[0], abs=1e-4)
        assert rebuilt == pytest.approx(expected[1], abs=1e-4)
    assert made.folder.recipe.layer == "1"


def test_a_scale_of_the_input_is_folded_in_and_states_are_centred(tmp_path):
    config = {**CONFIG, "architecture": "standard"}
    config["metadata"] = {
        "hook_name": "blocks.1.hook_resid_post",
        "model_from_pretrained_kwargs": {"center_writing_weights": True, "fold_ln": True},
    }
    config["normalize_activations"] = "expected_average_only_in"
    given = tensors("standard")
    read = load_folder(folder(tmp_path / "x", config, given))
    assert read.recipe.layer == "post:2"
    states = np.random.default_rng(1).normal(size=(5, DIM)).astype(np.float32) + 3
    made = SparseAutoencoder(read, 0.4)
    centred = states - states.mean(1, keepdims=True)
    for state, features, rebuilt in zip(
        centred, made.encode(states), made.rebuild(states), strict=True
    ):
        expected = by_loops(given, config, state.tolist(), 0.4)
        assert features == pytest.approx(expected[0], abs=1e-4)
        assert rebuilt == pytest.approx(expected[1], abs=1e-4)


def test_folders_of_earlier_versions_are_read(tmp_path):
    old = {
        "hook_point": "blocks.0.hook_resid_post", "hook_point_layer": 0, "d_in": DIM,
        "d_sae": UNITS, "activation_fn_str": "topk", "activation_fn_kwargs": {"k": 3},
        "normalize_activations": False, "prepend_bos": True,
    }  # fmt: skip
    given = {**tensors("topk"), "scaling_factor": np.ones(UNITS, np.float32)}
    recipe = load_folder(folder(tmp_path / "x", old, given)).recipe
    assert (recipe.kind, recipe.k, recipe.layer, recipe.subtract) == ("topk", 3, "post:1", True)
    assert recipe.norm == "none"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"architecture": "transcoder"}, "architecture is transcoder"),
        ({"normalize_activations": "z-score"}, "normalize_activations is z-score"),
        ({"reshape_activations": "hook_z"}, "reshape_activations is hook_z"),
        ({"activation_fn": "tanh-relu"}, "activation_fn is tanh-relu"),
        ({"metadata": {"hook_name": "blocks.1.mlp.hook_post"}}, "hook_name is blocks.1.mlp.hook"),
        ({"metadata": {"model_from_pretrained_kwargs": {"refactor_factored_attn_matrices": True}}}, "refactor"),
        ({"architecture": "gated"}, "a gated autoencoder has"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_refused_by_name(tmp_path, changes, said):
    config = {**CONFIG, "architecture": "standard", **changes}
    with pytest.raises(DataProblem, match=said):
        load_folder(folder(tmp_path / "x", config, tensors("standard")))


def test_folders_that_are_none_are_refused(tmp_path):
    with pytest.raises(DataProblem, match=r"cfg\.json"):
        load_folder(tmp_path)
    place = folder(tmp_path / "x", {**CONFIG, "architecture": "standard"}, tensors("standard"))
    (place / "cfg.json").write_text("{")
    with pytest.raises(DataProblem, match="not JSON"):
        load_folder(place)
    scaled = {**tensors("standard"), "scaling_factor": np.full(UNITS, 2, np.float32)}
    with pytest.raises(DataProblem, match="finetuning_scaling_factor"):
        load_folder(folder(tmp_path / "y", {**CONFIG, "architecture": "standard"}, scaled))
    wrong = {**tensors("standard"), "b_enc": np.zeros(3, np.float32)}
    with pytest.raises(DataProblem, match="b_enc has the shape"):
        load_folder(folder(tmp_path / "z", {**CONFIG, "architecture": "standard"}, wrong))
    other = tmp_path / "plain.safetensors"
    save_file({"encoder.weight": np.zeros((3, 2), np.float32)}, other)
    with pytest.raises(DataProblem, match=r"encoder\.weight"):
        load_folder(other)
    other.write_bytes(b"no tensors")
    with pytest.raises(DataProblem, match="not a file of safetensors"):
        load_folder(other)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return transformer(tmp_path_factory.mktemp("model") / "hf")


@pytest.fixture(scope="module")
def states(model):
    """The states of word pieces in layer 1."""
    return make_encoder(f"hf:{model},layers=1,pool=none,dtype=float32").encode(SENTENCES)


@pytest.fixture(scope="module")
def trained(states, tmp_path_factory):
    """A top-k autoencoder that is trained on the states that it is to read."""
    x = torch.from_numpy(np.asarray(states.layers[0]))
    generator = torch.Generator().manual_seed(0)
    dim, units, k = x.shape[1], 128, 16
    decoder = torch.randn(units, dim, generator=generator) / dim**0.5
    weights = [decoder.T.clone(), torch.zeros(units), decoder, x.mean(0)]
    for each in weights:
        each.requires_grad_()
    adam = torch.optim.Adam(weights, 1e-2)
    for _ in range(300):
        encoder, bias, decoder, middle = weights
        before = (x - middle) @ encoder + bias
        values, where = before.topk(k)
        features = torch.zeros_like(before).scatter(1, where, values.relu())
        loss = (features @ decoder + middle - x).square().sum(1).mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
    names = ("W_enc", "b_enc", "W_dec", "b_dec")
    given = {n: w.detach().numpy().copy() for n, w in zip(names, weights, strict=True)}
    config = {**CONFIG, "d_in": dim, "d_sae": units, "architecture": "topk", "k": k}
    return folder(tmp_path_factory.mktemp("trained") / "sae", config, given)


def test_a_trained_one_gives_back_what_it_reads_and_not_what_others_have(trained, states, model):
    made = SparseAutoencoder(load_folder(trained))
    given = np.asarray(states.layers[0])
    assert made.explained_share(given) > 0.8
    rebuilt = made.rebuild(given)
    variance = 1 - ((given - rebuilt) ** 2).sum() / ((given - given.mean(0)) ** 2).sum()
    assert made.explained_share(given) == pytest.approx(variance, abs=1e-4)
    assert ((made.encode(given) > 0).sum(1) <= 16).all()
    # those of another model do not fit
    with pytest.raises(EncoderStop, match=r"gives back -?[0-9.]+ % of the variance"):
        make_encoder(f"sae:{trained},of=hf:{model}%2Cweights=random%2Cseed=3,explains=0.7").encode(
            SENTENCES
        )
    with pytest.raises(EncoderStop, match="less than 100 %"):
        make_encoder(f"sae:{trained},of=hf:{model}%2Cdtype=float32,explains=1").encode(SENTENCES)


def test_the_encoder_pools_features_of_word_pieces(trained, states, model):
    of = f"of=hf:{model}%2Cdtype=float32"
    whole = make_encoder(f"sae:{trained},{of},pool=none").encode(SENTENCES)
    made = SparseAutoencoder(load_folder(trained))
    assert whole.layers[0] == pytest.approx(made.encode(np.asarray(states.layers[0])), abs=1e-4)
    sentences = whole.spans.sentences
    for pool in ("mean", "max"):
        (pooled,) = make_encoder(f"sae:{trained},{of},pool={pool}").encode(SENTENCES).layers
        for row, start, stop in zip(pooled, sentences[:-1], sentences[1:], strict=True):
            some = whole.layers[0][start:stop]
            assert row == pytest.approx(some.mean(0) if pool == "mean" else some.max(0), abs=1e-4)


def test_random_directions_are_a_baseline_of_the_same_shape(trained, states, model):
    of = f"of=hf:{model}%2Cdtype=float32"
    drawn = make_encoder(f"sae:{trained},{of},weights=random,seed=1")
    assert drawn.kind == "baseline"
    assert make_encoder(f"sae:{trained},{of}").kind == "trained"
    features = drawn.load().encode(np.asarray(states.layers[0]))
    assert features.shape[1] == 128
    assert ((features > 0).sum(1) <= 16).all()
    tensors = load_folder(trained).tensors
    norms = np.linalg.norm(drawn.load().folder.tensors["W_enc"], axis=0)
    assert norms == pytest.approx(np.linalg.norm(tensors["W_enc"], axis=0), rel=1e-4)
    other = make_encoder(f"sae:{trained},{of},weights=random,seed=2").load()
    assert not np.allclose(other.encode(np.asarray(states.layers[0])), features)


def test_a_plain_encoder_is_read_and_its_middle_found(tmp_path, states, model):
    draws = np.random.default_rng(0)
    weight = draws.normal(size=(40, 32)).astype(np.float32)
    middle = draws.normal(size=32).astype(np.float32)
    place = tmp_path / "sae.safetensors"
    bias = -weight @ middle
    save_file({"weight": weight, "bias": bias, "k": np.array([5], np.int64)}, place)
    encoder = make_encoder(f"sae:{place},of=hf:{model}%2Cdtype=float32,layers=1,pool=none")
    (features,) = encoder.encode(SENTENCES).layers
    for state, row in zip(np.asarray(states.layers[0]), features, strict=True):
        before = weight @ state + bias
        kept = sorted(range(40), key=lambda j: -before[j])[:5]
        expected = [max(before[j], 0) if j in kept else 0 for j in range(40)]
        assert row == pytest.approx(expected, abs=1e-4)
    drawn = make_encoder(f"sae:{tmp_path},of=hf:{model},layers=1,weights=random").load()
    assert not drawn.encode(middle[None]).max() > 1e-3  # nothing is active in the middle
    with pytest.raises(DataProblem, match="layers=8"):
        make_encoder(f"sae:{place},of=hf:{model}").encode(SENTENCES)


def test_what_does_not_go_together_is_refused(trained, model, tmp_path):
    with pytest.raises(ReferenceProblem, match="layers= and pool= of sae"):
        make_encoder(f"sae:{trained},of=hf:{model}%2Cpool=mean")
    with pytest.raises(DataProblem, match="its hook is at layer 1, not 2"):
        make_encoder(f"sae:{trained},of=hf:{model},layers=2").encode(SENTENCES)
    narrow = tensors("standard")
    config = {**CONFIG, "architecture": "standard"}
    place = folder(tmp_path / "x", config, narrow)
    with pytest.raises(EncoderStop, match="is it of this model"):
        make_encoder(f"sae:{place},of=hf:{model}").encode(SENTENCES)
    with pytest.raises(DataProblem, match="say k="):
        make_encoder(f"sae:{place},of=hf:{model},weights=random").load()
    config["normalize_activations"] = "expected_average_only_in"
    place = folder(tmp_path / "y", config, narrow)
    with pytest.raises(DataProblem, match="scale="):
        make_encoder(f"sae:{place},of=hf:{model}").load()
    with pytest.raises(DataProblem, match="leave it out"):
        make_encoder(f"sae:{trained},of=hf:{model},scale=2").load()


def test_its_identity_is_that_of_its_files_and_its_model(trained, model, tmp_path):
    def known(text: str) -> str:
        reference = ENCODERS.canonical(text)
        return str(compute_identity(ENCODERS, reference, make_encoder(reference)))

    first = known(f"sae:{trained},of=hf:{model}")
    moved = folder(
        tmp_path / "moved",
        json.loads((trained / "cfg.json").read_text()),
        dict(load_folder(trained).tensors),
    )
    assert known(f"sae:{moved},of=hf:{model}") == first
    assert known(f"sae:{trained},of=hf:{model}%2Cweights=random") != first
    assert known(f"sae:{trained},of=hf:{model},pool=max") != first
    assert str(model) not in first
    assert (
        len(make_encoder(f"sae:{trained},of=hf:{model}").encode([Sentence((), "")]).layers[0]) == 1
    )


def test_the_example_trains_one_that_is_read(model, tmp_path, monkeypatch, capsys):
    """It gives back what it reads, counts as it should, and `sae:` reads it in its layer."""
    path = Path(__file__).parents[3] / "examples" / "sae.py"
    spec = importlib.util.spec_from_file_location("sae_example", path)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    text = tmp_path / "text.txt"
    text.write_text("".join(f"{' '.join(s.words)}\n" for s in SENTENCES))
    of = f"hf:{model},dtype=float32"
    numbers = ("--units", "64", "--k", "8", "--tokens", "300", "--epochs", "100")
    monkeypatch.setattr(
        sys, "argv", ["sae.py", of, "1", str(text), str(tmp_path / "sae"), *numbers]
    )
    example.main()
    said = capsys.readouterr().out
    made = SparseAutoencoder(load_folder(tmp_path / "sae"))
    assert (made.folder.recipe.layer, made.folder.recipe.k, made.units) == ("1", 8, 64)
    encoder = make_encoder(f"sae:{tmp_path / 'sae'},of={of.replace(',', '%2C')},pool=none")
    (features,) = encoder.encode(SENTENCES).layers
    states = np.asarray(make_encoder(f"{of},layers=1,pool=none").encode(SENTENCES).layers[0])
    assert features == pytest.approx(made.encode(states), abs=1e-5)
    assert (features > 0).sum(1).max() <= 8
    # the share by the formula, of the states that were held out: the first tenth in a drawn order
    asked = argparse.Namespace(text=text, tokens=300, seed=0)
    held = example.states_of(f"{of},layers=1,pool=none", asked).numpy()
    held = held[: int(len(held) * example.HELD_OUT)]
    lost = ((made.rebuild(held) - held) ** 2).sum() / ((held - held.mean(0)) ** 2).sum()
    assert f"{1 - lost:.1%} of the variance" in said
    assert made.explained_share(states) > 0.5
    assert np.linalg.norm(made.folder.tensors["W_dec"], axis=1).std() < 1e-3
