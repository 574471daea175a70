"""examples/language_models.py trains models that `hf:` and `lm:` read, and the same ones again."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

from inside.minimal.conftest import CLAUSES, TEST, TRAIN
from lingprobe.data.core import Sentence
from lingprobe.encoders import ENCODERS

SCRIPT = Path(__file__).parents[3] / "examples" / "language_models.py"
SMALL = "--pieces 320 --layers 1 --width 64 --tokens 20000 --held-out 40 --every 1000 --batch 512"


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    file = tmp_path_factory.mktemp("novels") / "novels.txt"
    lines = [good for good, _ in TRAIN for _ in range(2)]
    file.write_text("# book = one\n\n" + "\n".join(lines) + "\n")
    return file


def train(kind, folder, text, *more):
    before = sys.argv
    sys.argv = [str(SCRIPT), kind, str(folder), "--data", str(text), *SMALL.split(), *more]
    threads = torch.get_num_threads()
    try:
        return runpy.run_path(str(SCRIPT), run_name="__main__")
    finally:
        sys.argv = before
        torch.set_num_threads(threads)


def recipe_of(folder):
    return json.loads((folder / "recipe.json").read_text())


@pytest.mark.parametrize("kind", ["causal", "masked"])
def test_a_model_learns_and_is_read(kind, text, tmp_path):
    train(kind, tmp_path, text, "--passes", "3", "--rate", "0.01")
    recipe = recipe_of(tmp_path)
    assert recipe["step"] == recipe["steps"] == int(list(recipe["held out"])[-1])
    lines = (tmp_path / "text.txt").read_text().splitlines()
    assert len(lines) == recipe["sentences"] == 2 * len(TRAIN) - 40
    assert not any(line.startswith("#") for line in lines)
    assert ENCODERS.make(f"lm:{tmp_path}").is_masked == (kind == "masked")
    sentences = [Sentence.of(good.split()) for good, _ in TEST]
    said, early = (
        ENCODERS.make(f"lm:{place}").encode(sentences).layers[0].astype(float).sum(1).mean()
        for place in (tmp_path, tmp_path / "early")
    )
    assert said > early + 2  # in nats a sentence
    states = ENCODERS.make(f"hf:{tmp_path},layers=all").encode(sentences[:4])
    assert [x.shape for x in states.layers] == [(4, 64)] * 2


def test_the_loss_is_the_one_of_the_model_itself(text, tmp_path):
    made = train("causal", tmp_path, text)
    model = AutoModelForCausalLM.from_pretrained(tmp_path).eval()
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    sentences = [good for good, _ in CLAUSES[:40]]
    total, many = 0.0, 0
    for sentence in sentences:
        ids = torch.tensor([tokenizer(sentence)["input_ids"]])
        with torch.no_grad():
            total += float(model(ids, labels=ids).loss) * (ids.shape[1] - 1)
        many += ids.shape[1] - 1
    reader = made["Reader"](model, tokenizer, "float32")
    rows = made["rows_of"](tokenizer, sentences)
    assert made["held_out_loss"](reader, rows, 100) == pytest.approx(total / many, abs=1e-3)


def test_the_same_seed_gives_the_same_weights(text, tmp_path):
    for name, seed in (("one", "0"), ("two", "0"), ("other", "1")):
        train("masked", tmp_path / name, text, "--tokens", "3000", "--seed", seed)
    one, two, other = (recipe_of(tmp_path / n) for n in ("one", "two", "other"))
    assert one["model.safetensors"] == two["model.safetensors"] != other["model.safetensors"]
    assert one["text.txt"] == two["text.txt"] != other["text.txt"]


def test_what_is_masked_is_predicted_and_marks_are_not(text, tmp_path):
    made = train("masked", tmp_path, text, "--tokens", "3000")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    rows = tokenizer([good for good, _ in CLAUSES])["input_ids"]
    ids = tokenizer.pad({"input_ids": rows}, return_tensors="pt")["input_ids"]
    model = AutoModelForMaskedLM.from_pretrained(tmp_path)
    reader = made["Reader"](model, tokenizer, "float32")
    real = ids != tokenizer.pad_token_id
    given, wanted = reader._masked(ids, real, torch.Generator().manual_seed(0))
    marks = ids < 4
    assert not wanted[marks].any()
    assert (given == ids)[~wanted].all()
    share = wanted[~marks].float().mean()
    masked = (given == tokenizer.mask_token_id)[wanted].float().mean()
    stays = (given == ids)[wanted].float().mean()
    assert abs(share - made["MASKED"]) < 0.02
    assert abs(masked - 0.8) < 0.03
    assert abs(stays - 0.1) < 0.03
    assert np.unique(given[wanted & (given != ids) & (given > 3)]).size > 50
