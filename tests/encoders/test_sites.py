"""Sites inside blocks: those that hooks on the library's own modules see, in every architecture."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
import transformers
from torch.utils.flop_counter import FlopCounterMode

from lingprobe.data.core import DataProblem, Sentence
from lingprobe.encoders import make_encoder
from lingprobe.encoders.attention import (
    AttentionInputs,
    compute_attention_offsets,
    compute_attention_weights,
)
from lingprobe.encoders.forward import ForwardPass
from lingprobe.encoders.frames import DEFAULT_PROMPT_FRAME
from lingprobe.encoders.hub import ModelSource
from lingprobe.encoders.layers import layer_names
from lingprobe.encoders.live import live_model
from lingprobe.encoders.network import load_network
from reference.attention_maps import pointed, scaled_softmax

EXACT = "dtype=float32,device=cpu"
SIZES = {
    "vocab_size": 200,
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
}
IMAGES = SIZES | {"image_size": 8, "patch_size": 4}
KEYED = SIZES | {"num_key_value_heads": 2, "head_dim": 8}
POSTNORM = ("attention.output.dense", "output.dense", "attention.output.dense")
GATED = ("self_attn.o_proj", "mlp.down_proj", "self_attn.o_proj")
NORMED = ("post_attention_layernorm", "post_feedforward_layernorm", "self_attn.o_proj")
TOWER = ("self_attn.out_proj", "mlp.fc2", "self_attn.out_proj")
GPT = {"vocab_size": 200, "n_embd": 16, "n_layer": 2, "n_head": 4}
T5 = {"vocab_size": 200, "d_model": 16, "d_ff": 24, "d_kv": 8, "num_layers": 2, "num_heads": 4}
DISTIL = {"vocab_size": 200, "dim": 16, "hidden_dim": 24, "n_layers": 2, "n_heads": 4}
# settings, where the blocks are, and in a block what gives attention, the MLP, and is given heads
MODELS = {
    "Bert": (SIZES, "encoder.layer.{}", *POSTNORM),
    "Roberta": (SIZES, "encoder.layer.{}", *POSTNORM),
    "Electra": (SIZES | {"embedding_size": 8}, "encoder.layer.{}", *POSTNORM),
    "DebertaV2": (SIZES | {"relative_attention": True}, "encoder.layer.{}", *POSTNORM),
    "Albert": (
        SIZES | {"embedding_size": 8},
        "encoder.albert_layer_groups.0.albert_layers.0",
        "attention.dense",
        "ffn_output",
        "attention.dense",
    ),
    "MPNet": (SIZES, "encoder.layer.{}", "attention.attn.o", "output.dense", "attention.attn.o"),
    "DistilBert": (
        DISTIL,
        "transformer.layer.{}",
        *("attention.out_lin", "ffn.lin2", "attention.out_lin"),
    ),
    "SqueezeBert": (
        SIZES | {"embedding_size": 16},
        "encoder.layers.{}",
        *("post_attention.conv1d", "output.conv1d", "post_attention.conv1d"),
    ),
    "ModernBert": (SIZES, "layers.{}", "attn.Wo", "mlp.Wo", "attn.Wo"),
    "GPT2": (GPT, "h.{}", "attn.c_proj", "mlp.c_proj", "attn.c_proj"),
    "GPTNeoX": (SIZES, "layers.{}", "attention.dense", "mlp.dense_4h_to_h", "attention.dense"),
    "Llama": (KEYED, "layers.{}", *GATED),
    "Qwen3": (KEYED, "layers.{}", *GATED),
    "Mistral": (KEYED, "layers.{}", *GATED),
    "Gemma": (KEYED, "layers.{}", *GATED),
    "Gemma2": (KEYED, "layers.{}", *NORMED),
    "OPT": (
        SIZES | {"ffn_dim": 24, "word_embed_proj_dim": 16},
        "decoder.layers.{}",
        *("self_attn.out_proj", "fc2", "self_attn.out_proj"),
    ),
    "T5": (
        T5,
        "encoder.block.{}",
        *("layer.0.SelfAttention.o", "layer.1.DenseReluDense.wo", "layer.0.SelfAttention.o"),
    ),
    "CLIP": (
        {"text_config": SIZES, "vision_config": IMAGES},
        "text_model.encoder.layers.{}",
        *TOWER,
    ),
}
NO_ATTENTION = "no attention is computed in the block"
MAMBA = {"vocab_size": 200, "hidden_size": 16, "num_hidden_layers": 2, "state_size": 4}
XLNET = {"vocab_size": 200, "d_model": 16, "n_layer": 2, "n_head": 4, "d_inner": 24}
REFUSED = {
    ("Mamba", "mlp:1"): (MAMBA | {"num_heads": 2}, NO_ATTENTION),
    ("FNet", "head:1.1"): (SIZES | {"num_attention_heads": 2}, NO_ATTENTION),
    ("XLNet", "head:2.1"): (XLNET, "no module of the block is given the heads"),
    ("XLNet", "attn:1"): (XLNET, "not the sum of what they are given and of two parts"),
}


@pytest.fixture(scope="module")
def folder(bert, tmp_path_factory):
    """A function from an architecture to a model of it whose parts all show, with the tokeniser of
    the tiny BERT.
    """
    made = {}

    def saved(name, settings):
        if name in made:
            return made[name]
        place = shutil.copytree(bert, tmp_path_factory.mktemp(name) / "model")
        (place / "model.safetensors").unlink()
        with torch.random.fork_rng():
            torch.manual_seed(0)
            config = getattr(transformers, f"{name}Config")(**settings)
            config.pad_token_id = 0
            model = getattr(transformers, f"{name}Model")(config)
            for weights in model.parameters():
                torch.nn.init.normal_(weights, 0.05, 0.3)
        model.save_pretrained(place)
        return made.setdefault(name, place)

    return saved


def by_hooks(place, text, block, names):
    """What hooks on the modules of each block see, each [blocks, tokens, width]."""
    model = transformers.AutoModel.from_pretrained(place).eval()
    model = model.get_encoder() if model.config.is_encoder_decoder else model
    below = block.removeprefix("encoder.") if model.config.model_type == "t5" else block
    seen = {"attn": [], "mlp": [], "head": []}

    def laid(tensor):
        tensor = tensor.reshape(-1, tensor.shape[-1]) if tensor.ndim == 2 else tensor[0]
        return (tensor.T if model.config.model_type == "squeezebert" else tensor).numpy().copy()

    hooks = []
    for number in (0, 1) if "{}" in below else (0,):
        modules = [model.get_submodule(f"{below.format(number)}.{name}") for name in names]
        for kind, module in zip(("attn", "mlp"), modules, strict=False):
            hooks.append(
                module.register_forward_hook(lambda m, i, out, k=kind: seen[k].append(laid(out)))
            )
        hooks.append(
            modules[2].register_forward_pre_hook(lambda m, i: seen["head"].append(laid(i[0])))
        )
    read = transformers.AutoTokenizer.from_pretrained(place)(text, return_tensors="pt")
    if model.config.model_type != "gpt2":
        read.pop("token_type_ids", None)
    with torch.no_grad():
        getattr(model, "text_model", model)(**read)
    return seen


@pytest.mark.parametrize("name", MODELS)
def test_every_part_is_what_its_module_gives(name, folder, sentences):
    settings, block, *names = MODELS[name]
    place = folder(name, settings)
    sites = "resid:*+attn:*+mlp:*+head:*.*+slice:2.*"
    vectors = make_encoder(f"hf:{place},layers={sites},{EXACT}").encode(sentences)
    layers = make_encoder(f"hf:{place},layers=all,{EXACT}").encode(sentences)
    assert vectors.names[:3] == layers.names == ("0", "1", "2")
    assert all(map(np.array_equal, vectors.layers, layers.layers))
    for row in (0, 2, 5):
        seen = by_hooks(place, sentences[row].text, block, names)
        for number in (1, 2):
            for kind in ("attn", "mlp"):
                assert np.allclose(
                    vectors.layer(f"{kind}:{number}")[row],
                    seen[kind][number - 1].mean(0),
                    rtol=1e-3,
                    atol=1e-4,
                ), (kind, number)
            heads = np.split(seen["head"][number - 1].mean(0), 4)
            for head, expected in enumerate(heads, 1):
                found = vectors.layer(f"head:{number}.{head}")[row]
                assert np.allclose(found, expected, rtol=1e-3, atol=1e-4), (number, head)
    slices = np.concatenate([vectors.layer(f"slice:2.{h}") for h in range(1, 5)], 1)
    whole = np.concatenate([vectors.layer(f"head:2.{h}") for h in range(1, 5)], 1)
    assert np.allclose(np.sort(slices, 1), np.sort(whole, 1), atol=1e-5)  # each number once
    assert not np.allclose(slices, whole, atol=1e-2)


@pytest.mark.parametrize(("name", "site"), REFUSED)
def test_what_an_architecture_lacks_is_refused_by_name(name, site, folder, sentences):
    settings, why = REFUSED[name, site]
    place = folder(name, settings)
    kind = transformers.AutoConfig.from_pretrained(place).model_type
    with pytest.raises(DataProblem, match=f"no {site} in a {kind} model: .*{why}"):
        make_encoder(f"hf:{place},layers={site},{EXACT}").encode(sentences)


def test_names_of_sites():
    def heads():
        return 3

    assert layer_names("resid:1+mlp:1-2+lex", 2, heads) == ("1", "mlp:1", "mlp:2", "lex")
    assert layer_names("head:2.*", 2, heads) == ("head:2.1", "head:2.2", "head:2.3")
    assert len(layer_names("head:*.*+attn:*", 2, heads)) == 8
    for text, said in {
        "mlp:0": "from 1 to 2",
        "head:3.1": "from 1 to 2",
        "head:1.4": "heads of a block are numbered from 1 to 3",
        "head:1": "are written",
        "mlp:1.1": "are written",
        "nose:1": "are written",
    }.items():
        with pytest.raises(DataProblem, match=said):
            layer_names(text, 2, heads)
    with pytest.raises(DataProblem, match="only hf: models"):
        layer_names("mlp:1", 2)


def test_a_pass_ends_behind_the_highest_block_that_is_asked_for(folder):
    place = folder("Bert", SIZES)
    network = load_network(ModelSource(str(place)), "cpu", "float32")
    tokens = ForwardPass(
        network, DEFAULT_PROMPT_FRAME, special=True, tokens=1024
    ).tokenize_sentences([Sentence.of(["the", "cat"])], by_piece=False)[0]

    def operations(names):
        states = ForwardPass(network, DEFAULT_PROMPT_FRAME, special=True, tokens=1024).states(
            tokens, names
        )
        states(np.array([0]))
        with FlopCounterMode(display=False) as counter:
            states(np.array([0]))
        return counter.get_total_flops()

    assert operations({"head:1.2", "mlp:1"}) == operations({"1"})
    assert operations({"1"}) < operations({"head:2.2"}) == operations({"2"})


def test_a_live_model_has_the_same_sites_and_stays_as_it_was(folder, sentences):
    place = folder("Llama", KEYED)
    model = transformers.AutoModel.from_pretrained(place)
    tokenizer = transformers.AutoTokenizer.from_pretrained(place)
    asked = "head:2.*+mlp:1"
    live = live_model((model, tokenizer), "m", {"layers": asked, "dtype": "float32"})
    saved = make_encoder(f"hf:{place},layers={asked},{EXACT}")
    assert live.slots == saved.slots
    for one, other in zip(
        live.encode(sentences).layers, saved.encode(sentences).layers, strict=True
    ):
        assert np.array_equal(one, other)
    assert not any("forward" in vars(module) for module in model.modules())


def test_threads_catch_each_what_they_want(bert, sentences):
    many = [
        Sentence.of([*each.words, *other.words]) for each in sentences for other in sentences[:2]
    ]
    asked = ("head:1.2", "mlp:3+1", "head:2.*")
    encoders = [make_encoder(f"hf:{bert},layers={each},tokens=32,{EXACT}") for each in asked]
    alone = [each.encode(many).layers for each in encoders]
    with ThreadPoolExecutor(3) as pool:
        beside = list(pool.map(lambda each: each.encode(many).layers, encoders * 3))
    for number, layers in enumerate(beside):
        assert all(map(np.array_equal, layers, alone[number % 3]))


@pytest.mark.parametrize("name", ["Bert", "DebertaV2", "GPT2", "Llama", "T5", "XLNet"])
def test_maps_point_where_the_weights_of_the_library_do(name, folder, sentences):
    """The model is run as it always is; transformers' own weights come of another kernel."""
    place = folder(name, XLNET if name == "XLNet" else MODELS[name][0])
    vectors = make_encoder(f"hf:{place},layers=map:*.*+2,pool=none,{EXACT}").encode(sentences)
    layers = make_encoder(f"hf:{place},layers=2,pool=none,{EXACT}").encode(sentences)
    assert np.array_equal(vectors.layer("2"), layers.layer("2"))
    model = transformers.AutoModel.from_pretrained(place, attn_implementation="eager").eval()
    model = model.get_encoder() if model.config.is_encoder_decoder else model
    tokenizer = transformers.AutoTokenizer.from_pretrained(place)
    for row in (0, 2):
        text = tokenizer(" ".join(sentences[row].words), return_tensors="pt")
        types = {"token_type_ids": text["token_type_ids"]} if name in ("Bert", "GPT2") else {}
        with torch.no_grad():
            weights = model(input_ids=text["input_ids"], output_attentions=True, **types).attentions
        words = [
            [k for k, word in enumerate(text.word_ids()) if word == number]
            for number in dict.fromkeys(w for w in text.word_ids() if w is not None)
        ]
        first = vectors.spans.first_word[row]
        starts = vectors.spans.words[first : first + len(words), 0]
        for block in (1, 2):
            for head in range(1, 5):
                expected = pointed(weights[block - 1][0, head - 1].tolist(), words)
                found = vectors.layer(f"map:{block}.{head}")[starts, 0]
                assert found.tolist() == expected, (block, head)


def test_maps_are_of_words(bert):
    with pytest.raises(DataProblem, match="a map is of words; write pool=none"):
        assert make_encoder(f"hf:{bert},layers=map:1.1").slots


def test_words_that_were_cut_are_neither_pointed_to_nor_from():
    weights = torch.tensor([[[[0.1, 0.2, 0.7], [0.3, 0.5, 0.2], [0.6, 0.2, 0.2]]]])
    words = np.array([[0, 1], [0, 0], [1, 2], [0, 0]])
    assert compute_attention_offsets(weights, [words])[0, :, 0].tolist() == [2.0, -2.0, 0.0]
    assert compute_attention_offsets(weights, [words[:2]])[0, :, 0].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("how", ["plain", "causal", "flags", "added", "shared"])
def test_weights_are_those_of_the_formula(how):
    generator = torch.Generator().manual_seed(0)
    query, key, value = torch.randn(3, 1, 2, 4, 8, generator=generator)
    allowed = torch.ones(4, 4, dtype=torch.bool)
    named = {}
    if how == "causal":
        allowed, named = allowed.tril(), {"is_causal": True}
    elif how in ("flags", "added"):
        allowed = torch.rand(4, 4, generator=generator) > 0.3
        allowed[2] = False  # attends to nothing
        added = torch.zeros(4, 4).masked_fill(~allowed, -torch.inf)
        named = {"attn_mask": allowed if how == "flags" else added}
    elif how == "shared":
        key, value, named = key[:, :1], value[:, :1], {"enable_gqa": True}
    found = compute_attention_weights(AttentionInputs(query, key, value, **named))
    for head in range(2):
        keys = key[0, 0 if how == "shared" else head].tolist()
        expected = scaled_softmax(query[0, head].tolist(), keys, allowed.tolist())
        assert torch.allclose(found[0, head], torch.tensor(expected), atol=1e-5)
