"""Adapters of PEFT: from their folders, live, and merged, against what PEFT itself computes."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer

import lingprobe
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.data.references import ReferenceProblem
from lingprobe.encoders import adapt_encoder, make_encoder

pytestmark = pytest.mark.skipif(find_spec("peft") is None, reason="peft is not installed")
QUERIES = {"r": 4, "lora_alpha": 8, "target_modules": ["query", "value"]}
KINDS = {
    "LoRA": lambda peft: peft.LoraConfig(**QUERIES, init_lora_weights=False),
    "DoRA": lambda peft: peft.LoraConfig(**QUERIES, init_lora_weights=False, use_dora=True),
    "IA3": lambda peft: peft.IA3Config(
        target_modules=["query", "output.dense"],
        feedforward_modules=["output.dense"],
        init_ia3_weights=False,
    ),
}


def adapted(bert, folder, kind="LoRA", of=AutoModel, **more):
    """A model with an adapter of PEFT with weights that show, saved in a folder."""
    import peft  # takes seconds, which a worker without these tests does not wait for

    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = KINDS[kind](peft)
        for name, value in more.items():
            setattr(config, name, value)
        model = peft.get_peft_model(of.from_pretrained(bert), config)
        for name, weights in model.named_parameters():
            if "ia3" in name:
                torch.nn.init.uniform_(weights, 0.2, 3)
    model.save_pretrained(folder)
    return model.eval()


def by_peft(model, bert, sentences) -> list[np.ndarray]:
    """The mean of each hidden state as PEFT's own model computes them, sentence by sentence."""
    tokenizer, rows = AutoTokenizer.from_pretrained(bert), []
    for sentence in sentences:
        with torch.no_grad():
            states = model(
                **tokenizer(sentence.text, return_tensors="pt"), output_hidden_states=True
            ).hidden_states
        rows.append([state[0].mean(0).numpy() for state in states])
    return [np.stack(layer) for layer in zip(*rows, strict=True)]


@pytest.mark.parametrize("kind", KINDS)
def test_an_adapter_gives_the_vectors_of_peft(kind, bert, sentences, tmp_path):
    model = adapted(bert, tmp_path / "adapter", kind)
    how = "layers=all,dtype=float32,tokens=1"  # no padding, which rounds otherwise
    expected = by_peft(model, bert, sentences)
    forms = [
        make_encoder(f"hf:{bert},adapter={tmp_path / 'adapter'},{how}"),
        make_encoder(f"hf:{tmp_path / 'adapter'},{how}"),
        adapt_encoder(
            (model, AutoTokenizer.from_pretrained(bert)), layers="all", dtype="float32", tokens=1
        ),
    ]
    bare = make_encoder(f"hf:{bert},{how}").encode(sentences).layers
    first = forms[0].encode(sentences).layers
    for form in forms:
        layers = form.encode(sentences).layers
        for ours, theirs, same in zip(layers, expected, first, strict=True):
            np.testing.assert_allclose(ours, theirs, atol=2e-6)
            assert np.array_equal(ours, same)
    assert max(abs(a - b).max() for a, b in zip(first, bare, strict=True)) > 0.05
    merged = model.merge_and_unload()
    for ours, theirs in zip(first, by_peft(merged, bert, sentences), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=2e-5)  # other products of matrices


@pytest.mark.parametrize("biases", ["none", "all"])
def test_an_adapter_of_a_model_with_a_head_goes_into_the_model_without(
    biases, bert, sentences, tmp_path
):
    kind = AutoModelForSequenceClassification
    model = adapted(bert, tmp_path / "a", of=kind, task_type="SEQ_CLS", bias=biases)
    if biases == "all":
        with torch.no_grad():
            model.get_base_model().bert.encoder.layer[1].output.dense.bias += 0.5
        model.save_pretrained(tmp_path / "a")
    ours = (
        make_encoder(f"hf:{tmp_path / 'a'},layers=all,dtype=float32,tokens=1")
        .encode(sentences)
        .layers
    )
    for one, other in zip(ours, by_peft(model, bert, sentences), strict=True):
        np.testing.assert_allclose(one, other, atol=2e-6)


def test_switches_and_scales_of_a_live_adapter_count(bert, sentences, tmp_path):
    model, tokenizer = adapted(bert, tmp_path / "a"), AutoTokenizer.from_pretrained(bert)
    on = adapt_encoder((model, tokenizer))
    known = {on.fingerprint}
    assert on.name.endswith(" + LORA")
    with model.disable_adapter():
        off = adapt_encoder((model, tokenizer))
        known.add(off.fingerprint)
        bare = make_encoder(f"hf:{bert}").encode(sentences).layers[0]
        assert np.array_equal(off.encode(sentences).layers[0], bare)
    model.get_base_model().encoder.layer[0].attention.self.query.scaling["default"] = 9.0
    known.add(adapt_encoder((model, tokenizer)).fingerprint)
    assert len(known) == 3


def test_an_adapter_is_known_by_its_content(bert, tmp_path):
    adapted(bert, tmp_path / "a")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    one, other = (f"hf:{bert},adapter={tmp_path / name}" for name in "ab")
    assert make_encoder(one).fingerprint == make_encoder(other).fingerprint
    assert make_encoder(one).fingerprint != make_encoder(f"hf:{bert}").fingerprint
    file = tmp_path / "b" / "adapter_model.safetensors"
    weights = load_file(file)
    weights[min(weights)] += 1
    save_file(weights, file)
    assert make_encoder(one).fingerprint != make_encoder(other).fingerprint
    assert lingprobe.model(str(tmp_path / "a")) == f"hf:{tmp_path / 'a'}"


def test_what_does_not_fit_is_said_in_a_sentence(bert, tmp_path):
    sentence, folder = [Sentence.of(["a"])], tmp_path / "a"
    adapted(bert, folder)
    with pytest.raises(DataProblem, match="leave the adapter out"):
        _ = make_encoder(f"hf:{bert},adapter={folder},weights=random").fingerprint
    file = folder / "adapter_model.safetensors"
    weights = load_file(file)
    save_file({key: value for key, value in weights.items() if "layer.0" not in key}, file)
    with pytest.raises(EncoderStop, match=r"no weights for 4 of 12 .*merge_and_unload"):
        make_encoder(f"hf:{folder}").encode(sentence)
    said = json.loads((folder / "adapter_config.json").read_text())
    for base, what in (
        ("nobody/none", "of 'nobody/none', which is not a folder"),
        ("", "of no model"),
    ):
        (folder / "adapter_config.json").write_text(
            json.dumps(said | {"base_model_name_or_path": base})
        )
        with pytest.raises(DataProblem, match=f"{what}.*hf:MODEL,adapter="):
            make_encoder(f"hf:{folder}").encode(sentence)
    with pytest.raises((DataProblem, ReferenceProblem), match="not a folder"):
        make_encoder(f"hf:{bert},adapter=./nowhere").encode(sentence)


def test_an_adapter_of_tokens_before_the_text_is_refused(bert, tmp_path):
    import peft

    config = peft.PromptTuningConfig(task_type="FEATURE_EXTRACTION", num_virtual_tokens=2)
    model = peft.get_peft_model(AutoModel.from_pretrained(bert), config)
    with pytest.raises(EncoderStop, match="tokens of its own before a text"):
        adapt_encoder((model, AutoTokenizer.from_pretrained(bert))).encode([Sentence.of(["a"])])
    model.save_pretrained(tmp_path)
    with pytest.raises(EncoderStop, match="does not go into the model"):
        make_encoder(f"hf:{tmp_path}").encode([Sentence.of(["a"])])


@pytest.mark.parametrize("kind", ["embeddings", "low rank"])
def test_an_adapter_that_was_trained_with_further_tokens_brings_them(kind, bert, tmp_path):
    import peft

    tokenizer = AutoTokenizer.from_pretrained(bert)
    tokenizer.add_tokens(["<tool>", "<call>"])
    targets = ["query", "value", *(["word_embeddings"] if kind == "low rank" else [])]
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = AutoModel.from_pretrained(bert)
        model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
        config = peft.LoraConfig(r=4, target_modules=targets, init_lora_weights=False)
        model = peft.get_peft_model(model, config).eval()
    folder = tmp_path / "adapter"
    model.save_pretrained(folder, save_embedding_layers=True)
    tokenizer.save_pretrained(folder)
    said = [Sentence.of(["<tool>", "the", "cat"]), Sentence.of(["the", "<call>"])]
    ours = make_encoder(f"hf:{folder},dtype=float32,tokens=1").encode(said).layers[0]
    for row, sentence in zip(ours, said, strict=True):
        with torch.no_grad():
            states = model(**tokenizer(sentence.text, return_tensors="pt")).last_hidden_state
        np.testing.assert_allclose(row, states[0].mean(0).numpy(), atol=2e-6)
