"""Heads whose weights were written: the one that moves what the model chooses by is named, and no
other; and what is measured is what hooks written by hand give.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

import lingprobe
from fixtures.models import transformer
from fixtures.results import result, saying
from lingprobe import UsageProblem
from lingprobe.analysis.frame import ResultFrame
from lingprobe.cli import app
from lingprobe.data.labels import Classes
from lingprobe.data.vectors import Spans, Vectors
from lingprobe.inside.heads.effects import PairTokens
from lingprobe.inside.heads.views import HEADS_VIEW
from lingprobe.pages.view_page import show_frame

PLANTED = Path(__file__).parents[3] / "benchmarks" / "planted"


@pytest.fixture(scope="module")
def models():
    """The module that writes models."""
    sys.path.insert(0, str(PLANTED))
    try:
        import models

        yield models
    finally:
        sys.path.remove(str(PLANTED))


@pytest.fixture(scope="module")
def planted(models, tmp_path_factory):
    """Instances of some truths, with their folders."""
    made = {}
    for truth in ("one-head", "unused-head"):
        folder = tmp_path_factory.mktemp(truth)
        instance = models.make_instance(truth, 0)
        models.save_instance(folder, instance)
        made[truth] = instance, folder
    return made


def rank(folder, **more):
    asked = {"pairs": f"minimal/pairs:{folder}/pairs.jsonl", "cache": folder / "cache", **more}
    return lingprobe.rank_heads(f"table:{folder}/task.jsonl", f"lm:{folder}/model", **asked)


@pytest.fixture(scope="module")
def page(planted):
    return rank(planted["one-head"][1])


def test_the_head_that_moves_it_is_named_and_no_other(planted, page):
    (found,) = (row for row in page.content if row.found)
    assert found.site == planted["one-head"][0].head
    (lead,) = page.tables[0].lead
    assert f"rests on {found.site} (" in lead
    assert found.margin - found.ablated == pytest.approx(0, abs=0.5)
    assert found.patched > found.margin  # it goes as far to the other verb
    others = [row for row in page.content if not row.found]
    assert all(abs(row.ablated) < 0.1 for row in others)
    assert all(row.ablated_detectable < found.margin / 4 for row in page.content)
    grid = str(page)
    assert grid.count(f"{found.ablated:.2f}*") == grid.count(f"{found.patched:.2f}*") == 1


def test_a_head_that_moves_something_else_is_not_named(planted):
    made, folder = planted["unused-head"]
    shown = rank(folder)
    moving = next(row for row in shown.content if row.site == made.head)
    assert moving.ablated > moving.margin / 2  # the model chooses by it
    assert moving.ablated_p < 0.01
    assert not any(row.found for row in shown.content)
    assert "no head is shown to carry it" in shown.tables[0].lead[0]
    assert "reads the suffix of the word itself" in shown.tables[0].lead[0]


def margins(folder, head, change):
    """Of each pair, by the model's own library: an input of the projection of heads is changed."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(folder / "model").eval()
    tokenizer = AutoTokenizer.from_pretrained(folder / "model")
    block, number = (int(part) - 1 for part in head.removeprefix("head:").split("."))
    wide = model.config.n_embd // model.config.n_head
    some = slice(number * wide, (number + 1) * wide)
    lines = [json.loads(line) for line in (folder / "pairs.jsonl").read_text().splitlines()]
    texts = [line[side] for line in lines for side in ("good", "bad")]
    ids = torch.tensor([[0, *each] for each in tokenizer(texts)["input_ids"]])
    seen = []

    def edit(module, given):
        x = given[0].clone()
        seen.append(x[..., some].clone())
        if change is not None:
            x[..., some] = change(seen[-1])
        return (x, *given[1:])

    hook = model.transformer.h[block].attn.c_proj.register_forward_pre_hook(edit)
    with torch.no_grad():
        said = model(ids).logits.log_softmax(-1)
    hook.remove()
    sums = said[:, :-1].gather(2, ids[:, 1:, None]).sum((1, 2)).reshape(-1, 2)
    return (sums[:, 0] - sums[:, 1]).double(), seen[0]


def test_ablation_is_what_hooks_give(planted, page):
    made, folder = planted["one-head"]
    before, states = margins(folder, made.head, None)
    mean = states[:, 1:].mean((0, 1))
    after, _ = margins(folder, made.head, mean.expand_as)
    row = next(row for row in page.content if row.site == made.head)
    assert row.margin == pytest.approx(float(before.mean()), abs=1e-3)
    assert row.ablated == pytest.approx(float((before - after).mean()), abs=1e-3)


def test_patches_by_label_come_from_the_same_place_of_another_pair(planted):
    tokens = PairTokens(np.arange(0, 25, 4), np.array([2, 1, 3]), np.array([1, 1, 0]))
    better, codes = np.array([0, 1, 0]), np.array([0, 1, 0])
    plan = tokens.patch_labels(better, codes, np.random.default_rng(0))
    # of pairs 0 and 2 alone there is another label and another pair of the same
    assert plan.starts.tolist() == [0, 1, 2, 2, 2, 3, 4]
    assert plan.places.tolist() == [2, 2, 3, 3]
    assert plan.other.tolist() == [12 + 0] * 4  # unit 0 of the better sentence of pair 1
    assert plan.own.tolist() == [16 + 2, 16 + 2, 0 + 1, 0 + 1]


def test_patches_of_the_other_sentence_are_aligned_from_both_ends():
    """`a b c d` beside `a x y c d`: b gets x, c and d their like, and y, which is longer, c's."""
    forms = np.eye(7, dtype=np.float32)
    a, b, c, d, x, y, _ = range(7)
    rows = [a, b, c, d, a, x, y, c, d]
    spans = Spans(np.array([0, 4, 9]), np.zeros((0, 2), np.int64), np.zeros(3, np.int64))
    tokens = PairTokens.of(Vectors((forms[rows],), ("lex",), spans))
    assert tokens.first.tolist() == [1]
    assert tokens.shared.tolist() == [2]
    plan = tokens.patch_members()
    assert plan.starts.tolist() == [0, 3, 6]
    assert plan.places.tolist() == [2, 3, 4, 2, 4, 5]  # behind a start token
    assert plan.other.tolist() == [5, 7, 8, 1, 2, 3]
    assert plan.own.tolist() == [1, 2, 3, 5, 7, 8]
    said = [np.array([1.0, 2, 3, 4]), np.array([1.0, 1, 1, 2, 2])]
    at, behind = tokens.margins(said, np.array([0]))
    assert (at, behind) == (0, 3)


def test_what_cannot_be_ranked_is_said(planted, tmp_path):
    folder = planted["one-head"][1]
    asked = {"pairs": f"minimal/pairs:{folder}/pairs.jsonl", "cache": folder / "cache"}
    with pytest.raises(UsageProblem, match="take lm:MODEL of a causal model"):
        lingprobe.rank_heads(f"table:{folder}/task.jsonl", f"hf:{transformer(tmp_path)}", **asked)


def test_the_command_is_the_function(planted, page):
    folder = planted["one-head"][1]
    arguments = [
        "inside", "heads", "-t", f"table:{folder}/task.jsonl", "-e", f"lm:{folder}/model",
        "--pairs", f"minimal/pairs:{folder}/pairs.jsonl", "--cache", str(folder / "cache"),
        "--format", "csv", "-q",
    ]  # fmt: skip
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert done.stdout == page.text("csv")


def test_a_best_probe_that_is_not_found_is_said_beside_those_that_are():
    """Head 1.2 is best on dev alone, and 1.1 is better than before training."""
    gold = np.arange(200) % 2
    draws = np.random.default_rng(0)

    def answer(layer, dev, right, encoder, kind):
        one = result(encoder=encoder, read=layer)
        ids = np.where(draws.random(200) < right, gold, 1 - gold)
        said = Classes(ids, one.gold.names)
        one = replace(one, predicted=said, score=float((ids == gold).mean()))
        return saying(one, kind=kind, is_seeded=False, choice={"dev": dev})

    heads = {"head:1.1": (0.7, 0.95), "head:1.2": (0.9, 0.5)}
    made = [answer(head, *shares, "hf:x", "trained") for head, shares in heads.items()]
    made += [answer(head, 0.5, 0.5, "hf:x,weights=random", "baseline") for head in heads]
    page = show_frame(HEADS_VIEW, ResultFrame.of(made))
    (lead,) = page.tables[0].lead
    assert "best on dev is head:1.2" in lead
    assert "1 of 2 heads are better than before training: head:1.2 is not among them" in lead
    assert "whose best is head:1.1." in lead
