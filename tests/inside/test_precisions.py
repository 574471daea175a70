"""Half precision, states of which one number is a thousand times the others, and padding on the
left: what a probe, `erase`, `intervene` and `heads` say is what they say without.
"""

from __future__ import annotations

import json
import shutil
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional

import lingprobe
from lingprobe.data.core import Sentence
from lingprobe.encoders import make_encoder
from lingprobe.inside.erase.effect_cells import decide_use

PLANTED = Path(__file__).parents[2] / "benchmarks" / "planted"
HALVES = ("bfloat16", "float16")
MASSIVE = 3_000.0
"""Of the states of the first token, as in trained models (Sun et al. 2024), whose others are near 1."""


@cache
def is_able(dtype: str) -> bool:
    """Whether this machine has the kernels that a small transformer needs in a precision."""
    x = torch.ones(1, 2, 4, 8)
    try:
        with torch.autocast("cpu", getattr(torch, dtype)):
            mixed = functional.scaled_dot_product_attention(x, x, x)
            functional.layer_norm(functional.linear(mixed, torch.ones(8, 8)), (8,))
            functional.gelu(mixed)
    except RuntimeError:
        return False
    return True


@pytest.fixture(params=HALVES)
def half(request):
    if not is_able(request.param):
        pytest.skip(f"no kernels of {request.param} here")
    return request.param


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A model one of whose heads moves a number to where the verb is chosen, and the same with
    massive activations.
    """
    sys.path.insert(0, str(PLANTED))
    try:
        import models
    finally:
        sys.path.remove(str(PLANTED))
    made = models.make_instance("one-head", 0)
    folders = {}
    for name in ("plain", "massive"):
        folders[name] = tmp_path_factory.mktemp(name)
        if name == "massive":
            made.weights["transformer.wpe.weight"][0, 5] += MASSIVE
        models.save_instance(folders[name], made)
    return made.head, folders


@cache
def probed(folder: Path, dtype: str) -> dict:
    """The score of a probe with its interval, by layer."""
    task = f"table:{folder}/task.jsonl"
    layers = "layers=1+2+post:2+mlp:1+attn:2"
    found = lingprobe.run(
        task, f"hf:{folder}/model,{layers},dtype={dtype}", probes="logreg", seeds=1,
        baselines="none", cache=folder / "cache",
    )  # fmt: skip
    assert not found.failures
    return {r.trial.read: (r.score, r.low, r.high) for r in found.results}


@cache
def erased(folder: Path, dtype: str) -> tuple:
    (row,) = lingprobe.erase(
        f"table:{folder}/task.jsonl", f"hf:{folder}/model,layers=1,dtype={dtype}", draws=3,
        nonlinear="", cache=folder / "cache",
    ).content  # fmt: skip
    return row


@cache
def used(folder: Path, dtype: str) -> str:
    page = lingprobe.intervene(
        f"table:{folder}/task.jsonl", f"lm:{folder}/model,dtype={dtype}", layer=1, draws=1, limit=120,
        pairs=f"minimal/pairs:{folder}/pairs.jsonl", cache=folder / "cache",
    )  # fmt: skip
    return decide_use(page.content)[0]


@cache
def ranked(folder: Path, dtype: str) -> dict:
    page = lingprobe.rank_heads(
        f"table:{folder}/task.jsonl", f"lm:{folder}/model,dtype={dtype}",
        pairs=f"minimal/pairs:{folder}/pairs.jsonl", cache=folder / "cache",
    )  # fmt: skip
    return {row.site: row for row in page.content}


@pytest.mark.parametrize("name", ["plain", "massive"])
def test_probes_score_within_the_interval_of_float32(name, half, planted):
    folder = planted[1][name]
    whole, found = probed(folder, "float32"), probed(folder, half)
    assert whole.keys() == found.keys()
    assert len(whole) == 5
    for layer, (score, low, high) in whole.items():
        assert low <= found[layer][0] <= high, (layer, score, found[layer])


@pytest.mark.parametrize("name", ["plain", "massive"])
def test_erasing_says_the_same(name, half, planted):
    whole, found = (erased(planted[1][name], dtype) for dtype in ("float32", half))
    assert whole.verdict == found.verdict == "falls"
    assert whole.fall_low <= found.fall <= whole.fall_high
    assert whole.low <= found.after <= whole.high


@pytest.mark.parametrize("name", ["plain", "massive"])
def test_the_same_head_is_named(name, half, planted):
    head, folders = planted
    whole, found = (ranked(folders[name], dtype) for dtype in ("float32", half))
    for ranks in (whole, found):
        assert [site for site, row in ranks.items() if row.found] == [head]
    assert found[head].margin == pytest.approx(whole[head].margin, abs=0.1)
    assert found[head].ablated == pytest.approx(whole[head].ablated, abs=0.1)


def test_a_use_is_found_all_the_same(half, planted):
    assert used(planted[1]["massive"], half) == used(planted[1]["plain"], "float32") == "used"


def test_states_are_massive(planted):
    vectors = make_encoder(
        f"hf:{planted[1]['massive']}/model,layers=1,pool=none,dtype=float32"
    ).encode([Sentence.of(["w1", "w2", "w3"])])
    states = np.abs(vectors.layers[0])
    assert states[0].max() > 0.9 * MASSIVE
    assert states[1:].max() < 10


@pytest.mark.parametrize("kind", ["hf", "lm"])
def test_padding_on_the_left_is_no_matter(kind, planted, tmp_path):
    """Rows are always filled up on the right, whatever the tokeniser is told."""
    folder = planted[1]["plain"] / "model"
    other = shutil.copytree(folder, tmp_path / "model")
    told = json.loads((other / "tokenizer_config.json").read_text())
    (other / "tokenizer_config.json").write_text(json.dumps({**told, "padding_side": "left"}))
    sentences = [Sentence.of(["w1", "w2", "w3", "w4"][:n]) for n in (4, 1, 2, 3)]
    layers = ",layers=all,pool=none" if kind == "hf" else ""
    plain, left = (make_encoder(f"{kind}:{each}{layers}") for each in (folder, other))
    for one, same in zip(
        plain.encode(sentences).layers, left.encode(sentences).layers, strict=True
    ):
        assert np.array_equal(one, same)
    with (
        left.replace_states({"1": torch.zeros_like}),
        plain.replace_states({"1": torch.zeros_like}),
    ):
        one, same = (each.encode(sentences).layers[-1] for each in (plain, left))
    assert np.array_equal(one, same)
