"""Where models are loaded from, and code of their own, which is run only where the user has said
which.
"""

from __future__ import annotations

import json
import shutil
import socket
import sys
import time

import huggingface_hub
import numpy as np
import pytest

from lingprobe.data.core import DataProblem
from lingprobe.data.examples import EncoderStop
from lingprobe.encoders import ENCODERS, hub, make_encoder
from lingprobe.encoders.hub import (
    CodeTrust,
    ModelFiles,
    ModelSource,
    check_hub,
    find_model_files,
    source_of,
)

EXACT = "dtype=float32,device=cpu"
COMMIT, OTHER = "1" * 40, "2" * 40
CODE = """
import torch
from transformers import BertConfig, BertModel

class MineConfig(BertConfig):
    model_type = "mine"

class MineModel(BertModel):
    config_class = MineConfig

    def forward(self, *args, **kwargs):
        found = super().forward(*args, **kwargs)
        found["last_hidden_state"] = 2 * found.last_hidden_state
        return found
"""
MAP = {"AutoConfig": "mine.MineConfig", "AutoModel": "mine.MineModel"}


@pytest.fixture
def custom(bert, tmp_path):
    """The tiny BERT with code of its own, which doubles the last state."""
    folder = shutil.copytree(bert, tmp_path / "custom")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(
        json.dumps(config | {"model_type": "mine", "architectures": ["MineModel"], "auto_map": MAP})
    )
    (folder / "mine.py").write_text(CODE)
    return folder


@pytest.fixture(autouse=True)
def nobody_is_asked(monkeypatch):
    monkeypatch.setattr(
        "builtins.input", lambda *_: pytest.fail("the user was asked in the middle of a run")
    )
    find_model_files.cache_clear()


@pytest.mark.parametrize("kind", ["hf", "st"])
def test_code_of_a_model_is_not_run_unasked_and_nobody_is_asked(kind, custom, sentences):
    before = set(sys.modules)
    with pytest.raises(
        EncoderStop, match=r"code of its own.*write trust_remote_code=true"
    ) as caught:
        make_encoder(f"{kind}:{custom},{EXACT}").encode(sentences)
    assert "\n" not in str(caught.value)
    assert not any("mine" in name.split(".") for name in set(sys.modules) - before)


def test_code_that_is_trusted_is_run(custom, bert, sentences):
    plain = make_encoder(f"hf:{bert},layers=all,{EXACT}").encode(sentences)
    vectors = make_encoder(f"hf:{custom},layers=all,trust_remote_code=true,{EXACT}").encode(
        sentences
    )
    *same, last = zip(vectors.layers, plain.layers, strict=True)
    assert all(np.array_equal(a, b) for a, b in same)
    assert np.allclose(last[0], 2 * last[1], atol=1e-4)
    by_st = make_encoder(f"st:{custom},trust_remote_code=true,{EXACT}").encode(sentences)
    assert np.isfinite(by_st.layers[0]).all()


@pytest.mark.parametrize("kind", ["hf", "st"])
def test_trust_and_code_are_part_of_what_an_encoder_is(kind, custom):
    plain, trusted = (
        make_encoder(f"{kind}:{custom}"),
        make_encoder(f"{kind}:{custom},trust_remote_code=true"),
    )
    assert "trust_remote_code=true" in ENCODERS.canonical(f"{kind}:{custom},trust_remote_code=true")
    if kind == "hf":
        assert plain.base != trusted.base
    before = trusted.fingerprint
    find_model_files.cache_clear()
    (custom / "mine.py").write_text(CODE.replace("2 *", "3 *"))
    assert make_encoder(f"{kind}:{custom},trust_remote_code=true").fingerprint != before


def cached(place, auto_map, weights=True):
    """A model in the hub's cache under the name org/name, at COMMIT."""
    repository = place / "models--org--name"
    folder = repository / "snapshots" / COMMIT
    folder.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(COMMIT)
    (folder / "config.json").write_text(json.dumps({"num_hidden_layers": 2, "auto_map": auto_map}))
    if weights:
        (folder / "model.safetensors").write_bytes(b"")
    return folder


@pytest.mark.parametrize("kind", ["hf", "st"])
def test_of_the_hub_one_commit_is_trusted(kind, tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    cached(tmp_path, MAP)
    assert COMMIT in make_encoder(f"{kind}:org/name").fingerprint  # nothing is said of trust
    for name in ("org/name", "org/name@main"):
        with pytest.raises(
            DataProblem, match=f"name the commit whose code you have read, as org/name@{COMMIT}"
        ):
            _ = make_encoder(
                f"{kind}:{name.replace('@', '%40')},trust_remote_code=true"
            ).fingerprint
    assert COMMIT in make_encoder(f"{kind}:org/name%40{COMMIT},trust_remote_code=true").fingerprint


def test_code_in_another_repository_has_a_commit_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    cached(
        tmp_path,
        {
            "AutoModel": "org/code--mine.MineModel",
            "AutoTokenizer": ["org/code--mine.Tokenizer", None],
        },
    )
    reference = f"hf:org/name%40{COMMIT},trust_remote_code=true"
    for more in ("", ",code_revision=main"):
        with pytest.raises(
            DataProblem, match=r"the code of org/name@1+ lies in org/code; name the commit of it"
        ):
            _ = make_encoder(reference + more).fingerprint
    one, two = (
        make_encoder(f"{reference},code_revision={COMMIT}"),
        make_encoder(f"{reference},code_revision={OTHER}"),
    )
    assert one.fingerprint == two.fingerprint
    assert one.base != two.base
    assert one.trust.arguments == {"trust_remote_code": True, "code_revision": COMMIT}


@pytest.fixture
def unplugged(tmp_path, monkeypatch):
    """A hub that nobody answers for, and an empty cache."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{free.getsockname()[1]}"
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", endpoint)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("no_proxy", "*")
    huggingface_hub.close_session()
    yield endpoint
    huggingface_hub.close_session()


@pytest.mark.parametrize("name", ["nobody/nothing", "nothing", "nobody/nothing%40v2"])
@pytest.mark.parametrize("kind", ["hf", "st"])
def test_a_hub_that_does_not_answer_is_said_at_once(kind, name, unplugged):
    began = time.monotonic()
    with pytest.raises(DataProblem) as caught:
        _ = make_encoder(f"{kind}:{name}").fingerprint
    assert time.monotonic() - began < 5
    assert f"and {unplugged} cannot be reached" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_weights_that_are_not_there_are_said_at_once(tmp_path, unplugged):
    folder = cached(tmp_path / "hub", {}, weights=False)
    began = time.monotonic()
    with pytest.raises(DataProblem, match=f"the weights of org/name are not in {folder}, and http"):
        source_of(find_model_files("org/name"), "org/name@main", CodeTrust())
    assert time.monotonic() - began < 5


def test_offline_is_said_by_its_variable(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(DataProblem, match=r"(?i)not in the cache .*offline"):
        find_model_files("nobody/nothing")


@pytest.mark.parametrize("name", ["two words", "a--b/..c", "x" * 200])
def test_what_is_no_name_is_said(name):
    with pytest.raises(DataProblem, match="is not a name of the hub"):
        find_model_files(name)


def test_what_is_not_fetched_yet_is_named_to_the_libraries(tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "check_hub", lambda _: None)
    whole, part = cached(tmp_path / "a", {}), cached(tmp_path / "b", {}, weights=False)
    assert source_of(ModelFiles(whole, COMMIT), "org/name@main", CodeTrust()) == ModelSource(
        str(whole)
    )
    source = source_of(ModelFiles(part, COMMIT), "org/name@main", CodeTrust())
    assert source == ModelSource("org/name", COMMIT)
    assert source.arguments == {"revision": COMMIT, "trust_remote_code": False}
    # a folder of one's own is what it is
    assert source_of(ModelFiles(part), str(part), CodeTrust()) == ModelSource(str(part))


def test_libraries_are_never_left_to_ask(bert, monkeypatch):
    import transformers

    from lingprobe.encoders.network import WeightSettings, load_network

    given = []
    for name, method in (
        ("AutoTokenizer", "from_pretrained"),
        ("AutoConfig", "from_pretrained"),
        ("AutoModel", "from_pretrained"),
        ("AutoModel", "from_config"),
    ):
        original = getattr(getattr(transformers, name), method)

        def told(*args, _original=original, **kwargs):
            given.append(kwargs.get("trust_remote_code"))
            return _original(*args, **kwargs)

        monkeypatch.setattr(getattr(transformers, name), method, told)
    load_network.__wrapped__(ModelSource(str(bert)), "cpu", "float32")
    load_network.__wrapped__(
        ModelSource(str(bert)), "cpu", "float32", WeightSettings("random", 1, True)
    )
    assert len(given) >= 6
    assert set(given) == {False}


def test_nothing_is_fetched_where_the_user_forbids_it(monkeypatch):
    monkeypatch.setenv("LINGPROBE_OFFLINE", "1")
    with pytest.raises(DataProblem, match="LINGPROBE_OFFLINE is set, so nothing is fetched"):
        check_hub("the model 'nobody/nothing' is not here")
