"""Which state a layer is, in the families in use: layer k is what block k is given, and the last
what stands behind the model's final norm where it has one.
"""

from __future__ import annotations

import itertools
import json
import shutil

import pytest
import torch
import transformers

from lingprobe.data.core import Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.encoders import make_encoder
from lingprobe.encoders.hub import ModelSource
from lingprobe.encoders.network import load_network

SIZES = {
    "vocab_size": 200,
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
}
TOWER = {"projection_dim": 16, "bos_token_id": 2, "eos_token_id": 3}
IMAGES = SIZES | {"image_size": 8, "patch_size": 4}
SEVERAL = SIZES | {"num_key_value_heads": 2, "head_dim": 8}
# class, settings, where its blocks are, and its final norm
FAMILIES = {
    "BERT": ("Bert", SIZES, "encoder.layer", None),
    "RoBERTa": ("Roberta", SIZES, "encoder.layer", None),
    "DeBERTa": ("DebertaV2", SIZES, "encoder.layer", None),
    "GPT-2": ("GPT2", {"vocab_size": 200, "n_embd": 16, "n_layer": 3, "n_head": 2}, "h", "ln_f"),
    "Llama": ("Llama", SEVERAL, "layers", "norm"),
    "Qwen": ("Qwen3", SEVERAL, "layers", "norm"),
    "Gemma": ("Gemma", SEVERAL, "layers", "norm"),
    "ModernBERT": ("ModernBert", SIZES, "layers", "final_norm"),
    "T5": (
        "T5",
        {"vocab_size": 200, "d_model": 16, "d_ff": 24, "d_kv": 8, "num_layers": 3, "num_heads": 2},
        "block",
        "final_layer_norm",
    ),
    "Mamba": (
        "Mamba",
        {"vocab_size": 200, "hidden_size": 16, "num_hidden_layers": 3, "state_size": 4},
        "layers",
        "norm_f",
    ),
    "Falcon Mamba": (
        "FalconMamba",
        {"vocab_size": 200, "hidden_size": 16, "num_hidden_layers": 3, "state_size": 4},
        "layers",
        "norm_f",
    ),
    # it halves its states behind every second block
    "RWKV": (
        "Rwkv",
        {"vocab_size": 200, "hidden_size": 16, "num_hidden_layers": 3, "rescale_every": 2},
        "blocks",
        "ln_out",
    ),
    "CLIP": (
        "CLIP",
        {"text_config": SIZES | TOWER, "vision_config": IMAGES},
        "encoder.layers",
        "final_layer_norm",
    ),
    "SigLIP": (
        "Siglip",
        {"text_config": SIZES | TOWER, "vision_config": IMAGES},
        "encoder.layers",
        "final_layer_norm",
    ),
}
STREAMS = SEVERAL | {
    "num_key_value_heads": 1,
    "q_lora_rank": 8,
    "qk_rope_head_dim": 4,
    "moe_intermediate_size": 8,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "index_head_dim": 8,
    "index_n_heads": 2,
}
REFUSED = {
    "Canine": (SIZES, "states of shape"),
    "DeepseekV4": (STREAMS, "states of shape .* a token has no vector of its own in each layer"),
    "HrmText": (SIZES | {"head_dim": 8}, "the layers cannot be identified"),
}


def saved(name, settings, tokeniser, folder):
    """A tiny model of an architecture with norms that do something."""
    shutil.copytree(tokeniser, folder)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = getattr(transformers, f"{name}Config")(**settings, pad_token_id=0)
        model = getattr(transformers, f"{name}Model")(config)
        for weights in model.parameters():
            torch.nn.init.normal_(weights, 0.1, 0.3)
    (folder / "model.safetensors").unlink()
    model.save_pretrained(folder)
    return folder


@pytest.fixture(params=FAMILIES)
def network(request, bert, tmp_path):
    """A tiny model of a family with norms that do something, the tokeniser of the tiny BERT, and
    where its blocks and its final norm are.
    """
    name, settings, blocks, norm = FAMILIES[request.param]
    folder = saved(name, settings, bert, tmp_path / "model")
    found = load_network(ModelSource(str(folder)), "cpu", "float32")
    return found, found.model.get_submodule(blocks), norm and found.model.get_submodule(norm)


def test_a_layer_is_what_its_block_is_given_and_the_last_is_normed(network):
    found, blocks, norm = network
    given, after = [], []
    hooks = [
        block.register_forward_pre_hook(
            lambda module, inputs, named: given.append(
                inputs[0] if inputs else named["hidden_states"]
            ),
            with_kwargs=True,
        )
        for block in blocks
    ]
    hooks.append(
        (norm or blocks[-1]).register_forward_hook(
            lambda module, inputs, output: after.append(
                output if isinstance(output, torch.Tensor) else output[0]
            )
        )
    )
    with torch.no_grad():
        states = found.hidden_states([[5, 6, 7, 8, 9]])
    for hook in hooks:
        hook.remove()
    expected = [*given, after[-1]]
    assert len(states) == len(expected) == 4
    for number, (state, same) in enumerate(zip(states, expected, strict=True)):
        assert torch.allclose(state, same, atol=1e-5), number
    for below, above in itertools.pairwise(states):
        assert not torch.allclose(below, above, atol=1e-2)


@pytest.mark.parametrize("name", REFUSED)
def test_models_whose_states_are_no_layers_are_refused_by_name(name, bert, tmp_path):
    settings, said = REFUSED[name]
    folder = saved(name, settings, bert, tmp_path / "model")
    kind = json.loads((folder / "config.json").read_text())["model_type"]
    with pytest.raises(EncoderStop, match=said) as caught:
        load_network(ModelSource(str(folder)), "cpu", "float32")
    assert kind in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_depth_that_the_model_does_not_have_is_said(bert, tmp_path):
    folder = saved("Llama", SEVERAL, bert, tmp_path / "model")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"text_config": {"n_layer": 2}}))
    with pytest.raises(EncoderStop, match=r"config\.json says 2 layers, and the model has 3"):
        make_encoder(f"hf:{folder},layers=last,device=cpu").encode([Sentence.of(["a"])])
