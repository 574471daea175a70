"""`lingprobe.model` and `lingprobe.configure`: models by their bare names, and options for several."""

import json

import pytest

import lingprobe
from fixtures.models import sentence_transformer, transformer


def test_a_transformer_is_read_with_transformers(tmp_path):
    folder = transformer(tmp_path / "bert")
    assert lingprobe.model(str(folder)) == f"hf:{folder}"
    assert lingprobe.model(f"{folder},layers=all") == f"hf:{folder},layers=all"


def test_a_sentence_transformer_is_read_as_one(tmp_path):
    folder = sentence_transformer(tmp_path / "sentences")
    assert lingprobe.model(str(folder)) == f"st:{folder}"


def test_a_name_of_the_hub_is_found_where_the_hub_keeps_models(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    for name, file in (("acme--plain", "config.json"), ("acme--pooled", "modules.json")):
        kept = tmp_path / f"models--{name}"
        (kept / "refs").mkdir(parents=True)
        (kept / "refs" / "main").write_text("c0ffee")
        (kept / "snapshots" / "c0ffee").mkdir(parents=True)
        for each in {"config.json", file}:
            (kept / "snapshots" / "c0ffee" / each).write_text(json.dumps({"model_type": "bert"}))
    assert lingprobe.model("acme/plain") == "hf:acme/plain"
    assert lingprobe.model("acme/pooled") == "st:acme/pooled"


def test_a_reference_is_one_already():
    assert lingprobe.model("st:acme/pooled,tokens=64") == "st:acme/pooled,tokens=64"


def test_what_is_no_model_is_refused(tmp_path):
    with pytest.raises(lingprobe.DataProblem, match=r"no modules\.json.*no config\.json"):
        lingprobe.model(str(tmp_path))


def test_options_go_to_encoders_that_have_them_and_do_not_say():
    asked = ["length", "st:one", "hf:two,device=cpu"]
    assert lingprobe.configure(asked, device="cuda:1") == [
        "length",
        "st:one,device=cuda%3A1",
        "hf:two,device=cpu",
    ]
    with pytest.raises(lingprobe.UsageProblem, match="has the option device"):
        lingprobe.configure(["length"], device="cpu")


def test_a_run_takes_a_model_by_its_folder_however_it_is_written(tmp_path, monkeypatch):
    folder = sentence_transformer(tmp_path / "made")
    monkeypatch.chdir(folder.rename(tmp_path / "mine").parent)
    how = {"probes": "logreg", "seeds": 1, "limit": 60, "baselines": "none", "output": "results"}
    for written in ("mine", "./mine", "st:mine/"):
        done = lingprobe.run("ud/tense:embedded", [written, "length"], **how)
        assert {r.trial.encoder.partition(",")[0] for r in done.results} == {"st:mine", "length"}
    assert done.fresh == 0
    (found,) = lingprobe.compare("results", against="mine").found
    assert found.second.startswith("st:mine")


def test_what_is_neither_an_encoder_nor_a_model_is_said_to_be_neither():
    with pytest.raises(lingprobe.DataProblem, match="no encoder is called 'acme/m', and the model"):
        lingprobe.run("ud/tense:embedded", "acme/m")
