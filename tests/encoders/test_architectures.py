"""Models that want something of their own, each read layer by layer as by itself, sentence by
sentence, without padding.
"""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from torch import nn

from lingprobe.data.core import Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.encoders import make_encoder
from lingprobe.encoders.blocks import find_layers
from lingprobe.encoders.hub import ModelSource
from lingprobe.encoders.network import load_network

EXACT = "dtype=float32,device=cpu"
SIZES = {
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
}
TEXT = SIZES | {
    "vocab_size": 200,
    "max_position_embeddings": 64,
    "bos_token_id": 2,
    "eos_token_id": 3,
}
IMAGES = SIZES | {"image_size": 8, "patch_size": 4}
OPT = {
    "vocab_size": 200,
    "hidden_size": 16,
    "ffn_dim": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "max_position_embeddings": 64,
}
MODELS = {
    "XLNet": {"vocab_size": 200, "d_model": 16, "n_layer": 2, "n_head": 2, "d_inner": 24},
    "OPT": OPT | {"word_embed_proj_dim": 8},
    "CLIP": {"text_config": TEXT, "vision_config": IMAGES},
    "Siglip": {"text_config": TEXT, "vision_config": IMAGES},
    "FNet": TEXT | {"type_vocab_size": 2},
    "SqueezeBert": TEXT | {"embedding_size": 16},
}
WIDTHS = {"OPT": (16, 16, 8)}


@pytest.fixture(scope="module")
def folders(bert, tmp_path_factory):
    """A model of each architecture with weights large enough that everything shows, and the
    tokeniser of the tiny BERT.
    """
    found = {}
    for name, settings in MODELS.items():
        folder = shutil.copytree(bert, tmp_path_factory.mktemp(name) / "model")
        with torch.random.fork_rng():
            torch.manual_seed(0)
            model = getattr(transformers, f"{name}Model")(
                getattr(transformers, f"{name}Config")(**settings)
            )
            for weights in model.parameters():
                nn.init.normal_(weights, 0.05, 0.3)
        (folder / "model.safetensors").unlink()
        model.save_pretrained(folder)
        found[name] = folder
    return found


def by_hand(folder: Path, text: str) -> list[np.ndarray]:
    model = transformers.AutoModel.from_pretrained(folder).eval()
    model = getattr(model, "text_model", model)
    ids = transformers.AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")["input_ids"]
    with torch.no_grad():
        found = model(input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True)
    layers = [*found.hidden_states[:-1], found.last_hidden_state]
    return [states[0].numpy() for states in layers]


@pytest.mark.parametrize("name", MODELS)
def test_every_layer_is_that_of_the_model_alone(name, folders, sentences):
    encoder = make_encoder(f"hf:{folders[name]},layers=all,{EXACT}")
    vectors = encoder.encode(sentences)
    assert vectors.names == ("0", "1", "2")
    assert tuple(layer.shape[1] for layer in vectors.layers) == WIDTHS.get(name, (16, 16, 16))
    for i, sentence in enumerate(sentences[:-1]):
        for layer, states in zip(
            vectors.layers, by_hand(folders[name], sentence.text), strict=True
        ):
            assert np.allclose(
                layer[i], states.mean(0), atol=2e-4 * max(1, np.abs(states).max())
            ), (name, i)


@pytest.mark.parametrize("name", MODELS)
def test_pieces_and_the_lexical_layer_are_there_too(name, folders, sentences):
    vectors = make_encoder(f"hf:{folders[name]},layers=all,pool=none,special=true,{EXACT}").encode(
        sentences[:2]
    )
    ids = transformers.AutoTokenizer.from_pretrained(folders[name])(" ".join(sentences[0].words))[
        "input_ids"
    ]
    assert vectors.spans.sentences[1] == len(ids)
    assert all(len(layer) == vectors.spans.sentences[-1] for layer in vectors.layers)


def test_only_models_that_read_padding_are_run_without_it(folders, caplog):
    with caplog.at_level(logging.WARNING, "lingprobe.encoders"):
        load_network.cache_clear()
        modes = {
            name: load_network(ModelSource(str(folder)), "cpu", "float32").batching
            for name, folder in folders.items()
        }
    assert modes == dict.fromkeys(MODELS, "padded") | {"FNet": "equal"}
    assert [
        record
        for record in caplog.records
        if "only sentences of equal length are read together" in record.getMessage()
    ]
    assert len(caplog.records) == 1


def test_watching_blocks_leaves_a_forward_of_their_own(folders):
    model = transformers.AutoModel.from_pretrained(folders["SqueezeBert"]).eval()
    first, second = model.encoder.layers
    first.forward = own = first.forward  # as libraries do that load weights when they are needed
    ids = torch.tensor([[2, 5, 6, 3]])
    find_layers(model, ids, lambda: model(input_ids=ids, output_hidden_states=True))
    assert first.__dict__["forward"] is own
    assert "forward" not in second.__dict__


def test_a_model_without_layers_in_its_config_json_has_those_of_its_library(folders, tmp_path):
    import json

    folder = shutil.copytree(folders["Siglip"], tmp_path / "siglip")
    config = json.loads((folder / "config.json").read_text())
    del config["text_config"]["num_hidden_layers"]
    (folder / "config.json").write_text(json.dumps(config))
    # what transformers takes where the file does not say
    assert make_encoder(f"hf:{folder}").slots == ("12.mean",)


class Odd(nn.Module):
    """A transformer in which something is wrong with batches."""

    def __init__(self, inner: nn.Module, how: str) -> None:
        super().__init__()
        self.inner, self.config, self.how = inner, inner.config, how

    def forward(self, input_ids, attention_mask, **rest):
        found = self.inner(
            input_ids=input_ids, attention_mask=attention_mask, output_hidden_states=True
        )
        last = found.hidden_states[-1]
        if self.how == "batch":  # as a norm over the batch does
            last = last - last.mean(0, keepdim=True)
        elif self.how == "chance":
            last = last + torch.randn_like(last)
        elif self.how == "last":  # the token beside the padding alone sees it, as in a convolution
            last = last + torch.nn.functional.pad(last, (0, 0, 0, 1))[:, 1:]
        elif self.how == "silent":
            return transformers.modeling_outputs.BaseModelOutput(last_hidden_state=last)
        return transformers.modeling_outputs.BaseModelOutput(
            hidden_states=(*found.hidden_states[:-1], last)
        )


@pytest.mark.parametrize(
    ("how", "expected"), [("", "padded"), ("last", "equal"), ("batch", "single")]
)
def test_what_a_batch_does_is_found_out(how, expected, bert, monkeypatch):
    monkeypatch.setattr(
        "lingprobe.encoders.network._model",
        lambda *_: Odd(transformers.AutoModel.from_pretrained(bert).eval(), how),
    )
    load_network.cache_clear()
    assert load_network(ModelSource(str(bert)), "cpu", "float32").batching == expected
    assert load_network.__wrapped__(ModelSource(str(bert)), "cpu", "bfloat16").batching == expected
    load_network.cache_clear()


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("chance", "gives different vectors each time"),
        ("silent", "does not tell its hidden states"),
    ],
)
def test_models_that_nothing_can_be_repeated_with_are_refused(how, said, bert, monkeypatch):
    monkeypatch.setattr(
        "lingprobe.encoders.network._model",
        lambda *_: Odd(transformers.AutoModel.from_pretrained(bert).eval(), how),
    )
    load_network.cache_clear()
    with pytest.raises(EncoderStop, match=said):
        load_network(ModelSource(str(bert)), "cpu", "float32")
    load_network.cache_clear()


@pytest.mark.parametrize("how", ["batch", "last"])
def test_such_models_give_a_sentence_one_vector_whatever_stands_beside_it(
    how, bert, sentences, monkeypatch
):
    monkeypatch.setattr(
        "lingprobe.encoders.network._model",
        lambda *_: Odd(transformers.AutoModel.from_pretrained(bert).eval(), how),
    )
    load_network.cache_clear()
    try:
        encoder = make_encoder(f"hf:{bert},layers=all,{EXACT}")
        whole = encoder.encode(sentences).layers[-1]
        alone = np.concatenate([encoder.encode([s]).layers[-1] for s in sentences])
    finally:
        load_network.cache_clear()
    assert np.allclose(whole, alone, atol=1e-4)


def test_layers_of_unlike_width_are_mixed_by_nobody(folders):
    vectors = make_encoder(f"hf:{folders['OPT']},layers=all,pool=none,{EXACT}").encode(
        [Sentence.of(["the", "cat"])]
    )
    assert [layer.shape[1] for layer in vectors.layers] == [16, 16, 8]
