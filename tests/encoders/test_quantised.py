"""Models in few bits: found by their configuration, and never moved or cast."""

import importlib.util
import json
import re
import shutil

import numpy as np
import pytest

from lingprobe.data.core import DataProblem
from lingprobe.data.examples import EncoderStop
from lingprobe.encoders import make_encoder
from lingprobe.encoders.quantisation import check_model_memory, choose_placement, get_quantisation

transformers = pytest.importorskip("transformers")


@pytest.mark.parametrize(
    ("said", "way"),
    [
        ({}, ""),
        ({"quantization_config": None}, ""),
        ({"quantization_config": {"quant_method": "gptq", "bits": 4}}, "gptq"),
        ({"quantization_config": {"quant_method": "awq"}}, "awq"),
        ({"quantization_config": {"quant_method": "torchao"}}, "torchao"),
        ({"quantization_config": {"load_in_4bit": True}}, "bitsandbytes"),
        ({"compression_config": {"quant_method": "compressed-tensors"}}, "compressed-tensors"),
    ],
)
def test_the_configuration_says_how(said, way):
    assert get_quantisation(said) == way


@pytest.mark.parametrize(
    ("given", "place"),
    [
        (("cpu", "", 10, None), {}),
        (("cpu", "torchao", 10, None), {}),
        (("cuda", "", 10, 100), {}),
        (("cuda", "", 90, 100), {"device_map": "auto"}),
        (("cuda:1", "", 90, None), {}),
        (("cuda:1", "gptq", 90, None), {"device_map": {"": "cuda:1"}}),
        (("cuda", "gptq", 90, 100), {"device_map": "auto"}),
    ],
)
def test_where_a_model_is_put(given, place, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    assert choose_placement(*given) == place
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    if place:
        with pytest.raises(EncoderStop, match="pip install accelerate"):
            choose_placement(*given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((20, 4, "float32", 20), None),
        ((20, 2, "bfloat16", 20), None),
        ((20, 2, "float32", None), None),
        ((20, 2, "float32", 40), None),
        ((20, 2, "float32", 39), "take 40.0 GB in memory, and 39.0 GB are free; with dtype=bf"),
        ((20, 4, "float32", 19), "take 20.0 GB in memory, and 19.0 GB are free; take a machine"),
        ((20, 2, "bfloat16", 19), "take 20.0 GB in memory, and 19.0 GB are free; take a machine"),
    ],
)
def test_a_model_that_does_not_fit_in_memory(given, said):
    size, stored, dtype, free = given
    free = free and free * 10**9
    if said is None:
        check_model_memory("large", size * 10**9, stored, dtype, free)
        return
    with pytest.raises(EncoderStop, match=re.escape(said)):
        check_model_memory("large", size * 10**9, stored, dtype, free)


def test_it_is_refused_before_it_is_loaded(bert, sentences, monkeypatch, tmp_path):
    shutil.copytree(bert, tmp_path / "large")
    monkeypatch.setattr("lingprobe.encoders.network.free_memory", lambda: 1000)
    monkeypatch.setattr(
        transformers.AutoModel, "from_pretrained", lambda *a, **k: pytest.fail("loaded")
    )
    with pytest.raises(EncoderStop, match="GB are free"):
        make_encoder(f"hf:{tmp_path / 'large'},device=cpu").encode(sentences[:1])


@pytest.fixture
def in_bits(bert, tmp_path):
    """The tiny BERT with a configuration that says that it is quantised."""

    def made(way):
        folder = tmp_path / way
        shutil.copytree(bert, folder)
        config = json.loads((folder / "config.json").read_text())
        config["quantization_config"] = {"quant_method": way, "bits": 4, "group_size": 32}
        (folder / "config.json").write_text(json.dumps(config))
        return folder

    return made


@pytest.mark.parametrize("way", ["gptq", "awq"])
def test_what_is_quantised_is_never_moved_or_cast(way, in_bits, bert, sentences, monkeypatch):
    """With a stub for what reads such weights, which needs a GPU."""
    model = transformers.AutoModel.from_pretrained(bert)
    folder, asked = in_bits(way), {}

    def stub(name, **options):
        asked.update(options)
        for method in ("to", "half", "bfloat16", "cuda", "cpu"):
            monkeypatch.setattr(model, method, lambda *a, **k: pytest.fail("moved or cast"))
        return model, {"missing_keys": set()}

    monkeypatch.setattr(transformers.AutoModel, "from_pretrained", stub)
    encoder = make_encoder(f"hf:{folder},device=cpu,layers=1")
    vectors = encoder.encode(sentences).layers[0]
    assert asked["dtype"] == "auto"
    assert encoder.runs == ("cpu", way)
    assert way in encoder.fingerprint
    monkeypatch.undo()
    plain = make_encoder(f"hf:{bert},device=cpu,layers=1,dtype=float32").encode(sentences)
    assert np.allclose(vectors, plain.layers[0], atol=1e-5)


@pytest.mark.parametrize(
    "option", ["weights=random,lexical=trained", "weights=orthonormal", "dtype=bfloat16"]
)
def test_options_that_quantised_weights_have_no_use_for(option, in_bits):
    with pytest.raises(DataProblem, match=r"the model is quantised \(gptq\)"):
        make_encoder(f"hf:{in_bits('gptq')},{option}").fingerprint  # noqa: B018


def test_random_weights_are_those_of_the_configuration_without_bits(in_bits, bert, sentences):
    folder = in_bits("gptq")
    (drawn,) = make_encoder(f"hf:{folder},device=cpu,weights=random").encode(sentences).layers
    (same,) = make_encoder(f"hf:{bert},device=cpu,weights=random").encode(sentences).layers
    np.testing.assert_array_equal(drawn, same)
    own = make_encoder(f"hf:{folder}").own_baselines
    assert not any("lexical" in name for name in own)


@pytest.mark.skipif(importlib.util.find_spec("gptqmodel") is not None, reason="it is installed")
def test_what_is_not_installed_is_one_sentence(in_bits, sentences):
    with pytest.raises(EncoderStop, match="cannot load this model") as caught:
        make_encoder(f"hf:{in_bits('gptq')},device=cpu").encode(sentences[:1])
    assert "\n" not in str(caught.value)


def test_int8_of_torchao_runs_on_a_processor(bert, sentences, tmp_path):
    # not among what the checks install: transformers imports it with every model, and it warns
    quantization = pytest.importorskip("torchao.quantization")
    import torch

    from lingprobe.encoders.hub import ModelSource
    from lingprobe.encoders.network import load_network

    settings = transformers.TorchAoConfig(quantization.Int8WeightOnlyConfig())
    model = transformers.AutoModel.from_pretrained(
        bert, dtype=torch.float32, quantization_config=settings
    )
    model.save_pretrained(tmp_path)
    for file in bert.glob("*token*"):
        shutil.copy(file, tmp_path)
    encoder = make_encoder(f"hf:{tmp_path},layers=all,device=cpu")
    assert encoder.runs == ("cpu", "torchao")
    assert "torchao=" in encoder.fingerprint
    vectors = encoder.encode(sentences)
    held = load_network(ModelSource(str(tmp_path)), "cpu", "torchao").model
    inside = held.encoder.layer[0].intermediate.dense.weight
    assert type(inside).__module__.startswith("torchao")
    plain = make_encoder(f"hf:{bert},layers=all,device=cpu,dtype=float32").encode(sentences)
    apart = [abs(a - b).max() for a, b in zip(vectors.layers, plain.layers, strict=True)]
    assert apart[0] == 0  # embeddings are not quantised
    assert 0 < apart[3] < 0.2
    tokenizer = transformers.AutoTokenizer.from_pretrained(bert)
    with torch.no_grad():
        read = tokenizer(sentences[0].text, return_tensors="pt")
        theirs = model(**read, output_hidden_states=True).hidden_states[3][0].mean(0)
    assert np.allclose(vectors.layer("3")[0], theirs.numpy(), atol=1e-4)
