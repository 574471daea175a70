"""Folders of models in which something is missing or damaged: what would be made up in silence is
refused.
"""

import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import save_file
from torch import nn

from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.encoders import make_encoder
from lingprobe.encoders.loading import check_blocks

CAT = Sentence.of(["The", "cat", "sat"])
T5 = {"vocab_size": 200, "d_model": 16, "d_ff": 24, "d_kv": 8, "num_layers": 2, "num_heads": 2}


@pytest.fixture
def folder(bert, tmp_path):
    """A copy of the tiny BERT."""
    return shutil.copytree(bert, tmp_path / "model")


def refused(folder, said, kinds=("hf", "st")):
    for kind in kinds:
        with pytest.raises(EncoderStop, match=said) as told:
            make_encoder(f"{kind}:{folder},device=cpu").encode([CAT])
        assert "\n" not in str(told.value)


def test_a_folder_without_a_tokenizer_has_no_vectors(folder):
    """transformers makes a tokeniser that knows no word, so that all sentences are one."""
    for file in [*folder.glob("token*"), *folder.glob("*vocab*"), *folder.glob("special*")]:
        file.unlink()
    refused(folder, "has no tokenizer .*save_pretrained")


def test_layers_that_the_files_lack_are_not_drawn(folder):
    file = folder / "config.json"
    settings = json.loads(file.read_text())
    file.write_text(json.dumps(settings | {"num_hidden_layers": 5}))
    refused(folder, r"32 of its parameters are in none of its files \(the first: .*\.3\.", ["hf"])
    refused(
        folder,
        r"its files lack layer\.3 of the model, which would be initialised at random",
        ["st"],
    )


def test_nothing_is_printed_of_weights_that_no_layer_needs(folder):
    program = (
        "from transformers import AutoConfig, AutoModelForMaskedLM\n"
        f"folder = {str(folder)!r}\n"
        "AutoModelForMaskedLM.from_config(AutoConfig.from_pretrained(folder)).save_pretrained(folder)\n"
        "import sys\n"
        "print('loaded', file=sys.stderr)\n"
        "from lingprobe.encoders import make_encoder\n"
        "from lingprobe.data.core import Sentence\n"
        "make_encoder(f'hf:{folder},device=cpu').encode([Sentence.of(['The', 'cat'])])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr.partition("loaded\n")[2] == ""
    assert done.stdout == ""


def test_a_pooler_may_be_missing_and_a_head_too_many(folder):
    """As in models that were saved with a head: neither decides a hidden state."""
    before = make_encoder(f"hf:{folder},device=cpu").encode([CAT]).layers[-1]
    model = transformers.BertModel.from_pretrained(folder)
    masked = transformers.BertForMaskedLM(model.config)
    masked.bert.load_state_dict(model.state_dict(), strict=False)
    masked.save_pretrained(folder)
    np.testing.assert_array_equal(
        make_encoder(f"hf:{folder},device=cpu").encode([CAT]).layers[-1], before
    )


def test_an_encoder_that_was_saved_without_its_decoder_is_read(bert, tmp_path):
    shutil.copytree(bert, folder := tmp_path / "t5")
    (folder / "model.safetensors").unlink()
    config = transformers.T5Config(**T5, pad_token_id=0)
    model = transformers.T5EncoderModel(config).eval()
    model.save_pretrained(folder)
    ids = transformers.AutoTokenizer.from_pretrained(folder)(CAT.text, return_tensors="pt")
    with torch.no_grad():
        states = model(ids["input_ids"], ids["attention_mask"]).last_hidden_state[0]
    vector = make_encoder(f"hf:{folder},device=cpu,dtype=float32").encode([CAT]).layers[-1][0]
    np.testing.assert_allclose(vector, states.mean(0).numpy(), atol=1e-5)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"version https://git-lfs.github.com/spec/v1\n", "is a pointer of Git LFS, not the file"),
        (b"", "is the download complete"),
    ],
)
def test_weights_that_are_not_there_are_told(folder, content, said):
    (folder / "model.safetensors").write_bytes(content)
    refused(folder, said)


def test_weights_with_nan_are_told(folder):
    model = transformers.BertModel.from_pretrained(folder)
    model.encoder.layer[0].output.dense.weight.data[0] = float("nan")
    model.save_pretrained(folder)
    refused(folder, "has NaN in its (states|vectors): are its weights damaged")


def test_parts_without_weights_of_their_own_are_in_no_file(tmp_path):
    """An activation between two layers has none, a layer that is run twice is kept once."""
    model = nn.ModuleDict({"steps": nn.ModuleList([nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2)])})
    shared = nn.Linear(2, 2)
    model["turns"] = nn.ModuleList([shared, shared])
    once = {k: v for k, v in model.state_dict().items() if not k.startswith("turns.1")}
    save_file(once, tmp_path / "model.safetensors")
    check_blocks(tmp_path, model)
    model["steps"].append(nn.Linear(2, 2))
    with pytest.raises(EncoderStop, match=r"its files lack steps\.3"):
        check_blocks(tmp_path, model)


@pytest.mark.parametrize("change", [{"num_hidden_layers": 10_000}, {"vocab_size": 10**9}])
@pytest.mark.parametrize("kind", ["hf", "st"])
def test_a_configuration_beyond_its_weights_is_refused_at_once(kind, change, folder):
    config = json.loads((folder / "config.json").read_text("utf-8"))
    assert make_encoder(f"{kind}:{folder}").fingerprint  # this one belongs to its weights
    (folder / "config.json").write_text(json.dumps(config | change), "utf-8")
    with pytest.raises(DataProblem, match=r"its weights only .*do not belong together"):
        _ = make_encoder(f"{kind}:{folder}").fingerprint


def test_a_configuration_that_is_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "config.json")
    (tmp_path / "model.safetensors").write_bytes(bytes(64))
    with pytest.raises(DataProblem, match="is a pipe, a socket or a device"):
        _ = make_encoder(f"hf:{tmp_path}").fingerprint
