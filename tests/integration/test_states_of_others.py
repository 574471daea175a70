"""States that nnsight and TransformerLens give are those that `hf:` reads, layer by layer; each in an
environment of its own, which `make test-integration` installs, and skipped elsewhere.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lingprobe
from fixtures.models import chat_model
from lingprobe.encoders import make_encoder

pytestmark = pytest.mark.integration
SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "states.py"
TEXTS = ["the cat sleeps", "a dog barks", "I saw that the cat sleeps here"]


@pytest.fixture(scope="module", params=["llama", "gpt2"])
def model(request, tmp_path_factory):
    """A tiny causal model with letters as tokens."""
    from transformers import AutoModelForCausalLM, GPT2Config, GPT2LMHeadModel

    folder = chat_model(tmp_path_factory.mktemp(request.param))
    if request.param == "gpt2":
        sizes = {"n_embd": 16, "n_layer": 2, "n_head": 2, "vocab_size": 261, "n_positions": 64}
        made = GPT2LMHeadModel(GPT2Config(**sizes, initializer_range=0.4))
    else:
        made = AutoModelForCausalLM.from_pretrained(folder)
    made.eval().save_pretrained(folder)
    return folder


@pytest.mark.parametrize("package", ["nnsight", "transformer_lens"])
@pytest.mark.parametrize("layer", [1, 2])
def test_states_are_those_of_lingprobe(package, layer, model, tmp_path):
    pytest.importorskip(package)
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS), encoding="utf-8")
    command = [sys.executable, str(SCRIPT), package, str(model), str(layer), "texts.txt", "states"]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    sentences = [lingprobe.Sentence.of(text.split()) for text in TEXTS]
    for pool in ("mean", "last"):
        theirs = make_encoder(f"acts:{tmp_path / 'states'},pool={pool}").encode(sentences).layers[0]
        how = f"pool={pool},dtype=float32,device=cpu"
        ours = make_encoder(f"hf:{model},layers={layer},{how}").encode(sentences).layers[0]
        if layer == 2:  # the last one, which is normed there
            assert np.abs(theirs - ours).max() > 0.01
            continue
        assert np.abs(theirs - ours).max() < 1e-5
