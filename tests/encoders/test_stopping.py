"""A network runs no further than the highest layer that is asked for."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from torch.utils.flop_counter import FlopCounterMode
from transformers import AutoModel, AutoTokenizer

from lingprobe.data.core import Sentence
from lingprobe.encoders import make_encoder
from lingprobe.encoders.hub import ModelSource
from lingprobe.encoders.live import live_model
from lingprobe.encoders.network import LoadedModel, load_network

EXACT = "dtype=float32,device=cpu"
DEPTH = 4
SIZES = {
    "vocab_size": 200,
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": DEPTH,
    "num_attention_heads": 2,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
}
KEYED = SIZES | {"num_key_value_heads": 1}
T5 = {"vocab_size": 200, "d_model": 16, "d_kv": 8, "d_ff": 24, "num_layers": DEPTH, "num_heads": 2}
XLNET = {"vocab_size": 200, "d_model": 16, "n_layer": DEPTH, "n_head": 2, "d_inner": 24}
MODELS = {
    "Bert": SIZES,
    "Roberta": SIZES | {"max_position_embeddings": 66, "pad_token_id": 1},
    "Albert": SIZES | {"embedding_size": 8},  # one block, called again and again
    "DebertaV2": SIZES | {"relative_attention": True, "pos_att_type": ["c2p"]},
    "ModernBert": SIZES | {"reference_compile": False},
    "GPT2": {"vocab_size": 200, "n_embd": 16, "n_layer": DEPTH, "n_head": 2, "n_positions": 64},
    "Llama": KEYED,
    "Qwen2": KEYED,
    "Mistral": KEYED,
    "OPT": SIZES | {"ffn_dim": 24, "word_embed_proj_dim": 16},
    "T5": T5,
}


@pytest.fixture(scope="module")
def folder(bert, tmp_path_factory):
    """A function from an architecture to a model of it, with the tokeniser of the tiny BERT."""

    def saved(name: str) -> Path:
        place = shutil.copytree(bert, tmp_path_factory.mktemp(name) / "model")
        (place / "model.safetensors").unlink()
        with torch.random.fork_rng():
            torch.manual_seed(0)
            config = getattr(transformers, f"{name}Config")(**MODELS.get(name, XLNET))
            model = getattr(transformers, f"{name}Model")(config)
            for weights in model.parameters():
                torch.nn.init.normal_(weights, 0.05, 0.3)
        model.save_pretrained(place)
        return place

    return saved


def operations(network: LoadedModel, layer: int | None) -> int:
    rows = [list(range(5, 25)), list(range(5, 17))]
    network.model.requires_grad_(False)  # or they are not counted
    network.hidden_states(rows, None, layer)  # whatever happens on a first call
    with FlopCounterMode(display=False) as counter:
        network.hidden_states(rows, None, layer)
    return counter.get_total_flops()


@pytest.mark.parametrize("name", MODELS)
def test_the_same_bits_for_as_many_operations_as_there_are_blocks_below(name, folder, sentences):
    place = folder(name)
    network = load_network(ModelSource(str(place)), "cpu", "float32")
    whole = make_encoder(f"hf:{place},layers=all,{EXACT}").encode(sentences)
    for asked in ("1", "0-2", "lex+3" if name != "DebertaV2" else "3"):
        some = make_encoder(f"hf:{place},layers={asked},{EXACT}").encode(sentences)
        for layer in set(some.names) - {"lex"}:
            assert np.array_equal(some.layer(layer), whole.layer(layer)), layer
    first, *rest, full = (operations(network, layer) for layer in range(DEPTH + 1))
    block = rest[0] - first
    assert block > 0
    assert rest == [first + below * block for below in range(1, DEPTH)]
    assert full >= first + DEPTH * block
    assert operations(network, None) == full


def test_a_model_whose_blocks_are_given_its_states_turned_runs_to_its_end(folder, sentences):
    place = folder("XLNet")
    network = load_network(ModelSource(str(place)), "cpu", "float32")
    assert operations(network, 1) == operations(network, None)
    some, whole = (
        make_encoder(f"hf:{place},layers={layers},{EXACT}").encode(sentences)
        for layers in ("1", "all")
    )
    assert np.array_equal(some.layer("1"), whole.layer("1"))


@pytest.mark.parametrize("name", ["Bert", "Llama"])
def test_a_live_model_stays_as_it_was(name, folder, sentences):
    place = folder(name)
    model, tokenizer = AutoModel.from_pretrained(place), AutoTokenizer.from_pretrained(place)
    inputs = tokenizer("the cat sat", return_tensors="pt")
    inputs.pop("token_type_ids", None)
    with torch.no_grad():
        before = model(**inputs, output_hidden_states=True)
    some = live_model((model, tokenizer), "m", {"layers": "1", "dtype": "float32"})
    whole = live_model((model, tokenizer), "m", {"layers": "all", "dtype": "float32"})
    assert np.array_equal(some.encode(sentences).layer("1"), whole.encode(sentences).layer("1"))
    assert not any("forward" in vars(module) for module in model.modules())
    with torch.no_grad():
        after = model(**inputs, output_hidden_states=True)
    assert len(after.hidden_states) == DEPTH + 1
    assert all(map(torch.equal, before.hidden_states, after.hidden_states))


def test_several_threads_stop_each_where_it_is_to(bert, sentences):
    """A batch a thread, and another encoder of the same network beside them."""
    many = [Sentence.of([*each.words, *other.words]) for each in sentences for other in sentences]
    encoders = [make_encoder(f"hf:{bert},layers={layer},tokens=32,{EXACT}") for layer in (0, 1, 2)]
    alone = [each.encode(many).layers[0] for each in encoders]
    with ThreadPoolExecutor(3) as pool:
        beside = list(pool.map(lambda each: each.encode(many).layers[0], encoders * 3))
    for number, vectors in enumerate(beside):
        assert np.array_equal(vectors, alone[number % 3])
