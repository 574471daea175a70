"""Models stored in each precision and computed with in each: all run, and differ by rounding."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from lingprobe.encoders import adapt_encoder, make_encoder

STORED = ("float32", "float16", "bfloat16")
# how far a vector may be, of its length, from that of the same weights in float32
ROUNDING = {"float32": 1e-5, "float16": 1e-2, "bfloat16": 6e-2}
SIZES = {
    "vocab_size": 200,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
}
MODELS = {
    "MiniLM": ("Bert", {}),
    "E5": ("XLMRoberta", {}),
    "GPT-2": ("GPT2", {}),
    "Llama": ("Llama", {"num_key_value_heads": 2}),
    "T5": ("T5", {"d_model": 32, "d_kv": 16, "d_ff": 48, "num_layers": 2, "num_heads": 2}),
    "Qwen3-MoE": (
        "Qwen3Moe",
        # every expert is asked, as rounding would ask another one
        {
            "num_experts": 4,
            "num_experts_per_tok": 4,
            "moe_intermediate_size": 16,
            "num_key_value_heads": 2,
            "head_dim": 16,
        },
    ),
    "Mamba": ("Mamba", {"state_size": 4}),
}


def saved(name: str, stored: str, tokeniser: Path, folder: Path) -> Path:
    """A tiny model of an architecture, stored in a precision, with weights that all show."""
    kind, settings = MODELS[name]
    shutil.copytree(tokeniser, folder)
    (folder / "model.safetensors").unlink()
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = getattr(transformers, f"{kind}Config")(**SIZES | settings)
        model = getattr(transformers, f"{kind}Model")(config)
        for weights in model.parameters():
            torch.nn.init.normal_(weights, 0.02, 0.2)
    model.to(getattr(torch, stored)).save_pretrained(folder)
    return folder


def by_hand(folder: Path, texts: list[str], kind: str) -> list[list[np.ndarray]]:
    """The states of each layer, in float32, sentence by sentence."""
    made = transformers.AutoTokenizer.from_pretrained(folder)
    model = getattr(transformers, f"{kind}Model").from_pretrained(folder, dtype=torch.float32)
    model = model.get_encoder() if model.config.is_encoder_decoder else model
    rows = []
    for text in texts:
        tokens = made(text, return_tensors="pt")
        with torch.no_grad():
            states = model.eval()(**tokens, output_hidden_states=True).hidden_states
        rows.append([state[0].mean(0).numpy() for state in states])
    return [list(layer) for layer in zip(*rows, strict=True)]


@pytest.mark.parametrize("stored", STORED)
@pytest.mark.parametrize("name", MODELS)
def test_every_stored_precision_is_computed_with_in_every_other(
    name, stored, bert, sentences, tmp_path
):
    folder = saved(name, stored, bert, tmp_path / "model")
    texts = [sentence.text for sentence in sentences[:-1]]
    layers = by_hand(folder, texts, MODELS[name][0])
    for dtype, rounding in ROUNDING.items():
        encoder = make_encoder(f"hf:{folder},layers=last,dtype={dtype},device=cpu")
        vectors = encoder.encode(sentences[:-1]).layers[0]
        for mine, theirs in zip(vectors, layers[-1], strict=True):
            assert np.linalg.norm(mine - theirs) < rounding * np.linalg.norm(theirs), dtype


@pytest.mark.parametrize("stored", STORED)
def test_sentence_transformers_of_every_precision_run_in_every_other(
    stored, sbert, sentences, tmp_path
):
    from sentence_transformers import SentenceTransformer

    texts = [sentence.text for sentence in sentences]
    kept = SentenceTransformer(str(sbert), device="cpu").to(getattr(torch, stored))
    kept.save(str(tmp_path / "model"))
    loaded = SentenceTransformer(str(tmp_path / "model"), device="cpu")
    whole = loaded.float().encode(texts)
    for dtype, rounding in ROUNDING.items():
        vectors = make_encoder(f"st:{tmp_path / 'model'},dtype={dtype},device=cpu").encode(
            sentences
        )
        away = np.linalg.norm(vectors.layers[0] - whole, axis=1)
        assert (away < rounding * np.linalg.norm(whole, axis=1)).all(), dtype
    live = SentenceTransformer(str(tmp_path / "model"), device="cpu")
    live.to(getattr(torch, stored))
    vectors = adapt_encoder(live).encode(sentences).layers[0]
    away = np.linalg.norm(vectors - whole, axis=1)
    assert (away < ROUNDING["bfloat16"] * np.linalg.norm(whole, axis=1)).all()
    assert {each.dtype for each in live.parameters()} == {getattr(torch, stored)}


def test_what_is_no_product_is_in_float32(bert, tmp_path):
    from lingprobe.encoders.hub import ModelSource
    from lingprobe.encoders.network import load_network

    folder = saved("MiniLM", "float16", bert, tmp_path / "model")
    model = load_network(ModelSource(str(folder)), "cpu", "bfloat16").model
    assert model.encoder.layer[0].output.dense.weight.dtype == torch.bfloat16
    assert model.encoder.layer[0].output.LayerNorm.weight.dtype == torch.float32
    assert model.embeddings.word_embeddings.weight.dtype == torch.float32
