"""Heads that were made to carry something, and to point somewhere, are found, and no others."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

import lingprobe
from fixtures.results import result, saying
from lingprobe.analysis.frame import ResultFrame
from lingprobe.data.core import DataProblem
from lingprobe.data.labels import Classes
from lingprobe.encoders import make_encoder
from lingprobe.inside.heads.views import HEADS_VIEW
from lingprobe.pages.view_page import compute_rows, show_rows
from lingprobe.tasks import TASKS


class Grid(NamedTuple):
    """All sites of one kind on one task."""

    frame: ResultFrame

    @property
    def rows(self):
        return self.frame.rows

    @property
    def best(self):
        return next(row for row in self.rows if row.best)

    @property
    def findings(self):
        return [row for row in self.rows if row.untrained_below]


def grids(results) -> list[Grid]:
    shown = compute_rows(HEADS_VIEW, ResultFrame.of(results))
    groups = shown.groups(("task", "network", "probe", "site"))
    return [Grid(shown.take(numbers)) for numbers in groups.values()]


def verdict(grid: Grid) -> str:
    return show_rows(HEADS_VIEW, grid.frame).tables[0].lead[0]


NOUNS = [f"n{k}" for k in range(20)]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [*SPECIAL, "cat", "dog", *NOUNS]
HEADS, WIDTH = 4, 32
OPTIONS = "dtype=float32,device=cpu"


def save(folder: Path, change) -> str:
    """A BERT of two blocks of four heads whose every word is one piece, changed by a function."""
    tokenizer = Tokenizer(models.WordLevel({w: k for k, w in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=40, pad_token="[PAD]", unk_token="[UNK]",
        cls_token="[CLS]", sep_token="[SEP]",
    ).save_pretrained(folder)  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = BertModel(
            BertConfig(
                vocab_size=len(WORDS), hidden_size=WIDTH, num_hidden_layers=2,
                num_attention_heads=HEADS, intermediate_size=48, max_position_embeddings=40,
                initializer_range=0.2,
            )
        ).eval()  # fmt: skip
        with torch.no_grad():
            change(model)
    model.save_pretrained(folder)
    return f"hf:{folder},{OPTIONS}"


def carry(model: BertModel) -> None:
    """Dimension 0 says whether the animal is a cat, with its opposite in 1, so that no norm shows
    it; nothing but the values of head 1.2 reads either.
    """
    words = model.embeddings.word_embeddings.weight
    words[:, :2] = 0
    words[WORDS.index("dog")] = words[WORDS.index("cat")]
    words[WORDS.index("cat"), :2] = torch.tensor([3.0, -3.0])
    words[WORDS.index("dog"), :2] = torch.tensor([-3.0, 3.0])
    for table in (model.embeddings.position_embeddings, model.embeddings.token_type_embeddings):
        table.weight[:, :2] = 0
    for layer in model.encoder.layer:
        own = layer.attention.self
        for matrix in (own.query, own.key, own.value, layer.intermediate.dense):
            matrix.weight[:, :2] = 0
        layer.attention.output.dense.weight[:, 8:16] = 0
    value = model.encoder.layer[0].attention.self.value.weight
    value[8:16] = 0
    value[8:16, 0] = 1


def point(model: BertModel) -> None:
    """Places are angles, and the queries of head 1.2 are its keys, turned back by one place."""
    model.embeddings.word_embeddings.weight[:, :16] = 0
    model.embeddings.token_type_embeddings.weight[:] = 0
    places = model.embeddings.position_embeddings.weight
    places[:] = 0
    angles = torch.arange(40)[:, None] * 2 * torch.pi * torch.tensor([1, 3, 7, 13]) / 40
    wave = torch.stack([angles.cos(), angles.sin()], 2).flatten(1)
    places[:, :16] = torch.stack([wave, -wave], 2).flatten(1)
    own = model.encoder.layer[0].attention.self
    key = torch.zeros(8, WIDTH)
    key[torch.arange(8), torch.arange(8) * 2] = 8.0
    step = 2 * torch.pi * torch.tensor([1, 3, 7, 13]) / 40
    back = torch.block_diag(
        *(torch.tensor([[s.cos(), s.sin()], [-s.sin(), s.cos()]]) for s in step)
    )
    own.key.weight[8:16], own.query.weight[8:16] = key, back @ key
    own.key.bias[8:16] = own.query.bias[8:16] = 0


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Sentences with a cat or a dog among other words."""
    rng, lines = np.random.default_rng(0), []
    for split, many in (("train", 240), ("dev", 80), ("test", 160)):
        for number in range(many):
            animal = ("cat", "dog")[number % 2]
            words = [animal, *rng.choice(NOUNS, 7).tolist()]
            rng.shuffle(words)
            lines.append({"text": " ".join(words), "label": animal, "split": split})
    path = tmp_path_factory.mktemp("table") / "animals.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


@pytest.fixture(scope="module")
def measured(table, tmp_path_factory):
    """Heads and slices of a network in which head 1.2 knows the animal, and heads before"
    " training."""
    name = save(tmp_path_factory.mktemp("carries"), carry)
    encoders = [f"{name},layers=head:*.*+slice:*.*+mlp:*", f"{name},weights=random,layers=head:*.*"]
    return lingprobe.evaluate(
        encoders, str(table), probes=["logreg"], seeds=1, baselines="none"
    ).results


def test_the_head_that_carries_a_property_is_found_and_no_other(measured):
    heads, mlps = grids(measured)
    assert [row.layer for row in heads.findings] == ["head:1.2"]
    assert heads.best.layer == "head:1.2"
    assert heads.best.score == 100
    assert all(row.score < 70 for row in heads.rows if row.layer != "head:1.2")
    assert heads.best.constant_verdict == "better"
    assert heads.best.slices > 60  # its numbers, dealt out over all slices
    assert heads.best.slice_verdict == "no significant difference"
    assert not mlps.best.untrained_whole
    assert not mlps.findings
    assert mlps.best.slice_verdict == ""


def test_the_best_of_many_heads_on_test_is_tested_as_such():
    """Of 144 heads that know nothing the best has a p below 0.01 by itself."""
    gold = np.arange(200) % 2
    draws = np.random.default_rng(0)

    def grid(choice):
        made = []
        for layer in range(144):
            one = result(encoder="hf:x", read=f"head:{1 + layer // 12}.{1 + layer % 12}")
            said = Classes(np.where(draws.random(200) < 0.5, gold, 1 - gold), one.gold.names)
            share = float((said.ids == gold).mean())
            one = replace(one, predicted=said, score=share)
            made.append(saying(one, kind="trained", is_seeded=False, choice=choice(share)))
        return grids(made)[0]

    best = grid(lambda share: {}).best
    assert not best.best_by_dev
    assert best.constant_p_alone < 0.01
    assert best.constant_verdict == "no significant difference"
    assert best.constant_p == pytest.approx(min(1, 144 * best.constant_p_alone))
    chosen = grid(lambda share: {"dev": share}).best
    assert chosen.constant_p == chosen.constant_p_alone


def test_no_finding_without_the_untrained_network(measured):
    trained = [r for r in measured if "weights=random" not in r.trial.encoder]
    (said,) = (verdict(grid) for grid in grids(trained) if grid.best.site == "head")
    assert "This is not yet a finding" in said
    assert "weights=random" in said
    (whole,) = (verdict(grid) for grid in grids(measured) if grid.best.site == "head")
    assert "1 of 8 heads are better than before training" in whole
    assert "not shown to be specific to it" in whole


def test_the_page_has_verdicts_a_grid_and_a_heat_map(measured, tmp_path):
    page = lingprobe.report(measured, view="heads")
    text = str(page)
    assert text.index("best on dev is head:1.2") < text.index("Sites inside blocks")
    assert "100.0*" in text
    lines = page.text("csv").splitlines()
    assert len(lines) == 1 + 8 + 2
    constants = {row["majority"] for row in csv.DictReader(lines)}
    assert constants == {"50.0000"}
    page.write(tmp_path / "heads.svg")
    assert "<svg" in (tmp_path / "heads.svg").read_text()


def test_results_without_sites_are_told_how_to_get_some(table, tmp_path):
    results = lingprobe.evaluate(
        "bow:random", str(table), probes=["logreg"], seeds=1, baselines="none"
    ).results
    with pytest.raises(DataProblem, match=r"layers=head:\*\.\*"):
        lingprobe.report(results, view="heads")


def treebank(folder: Path) -> Path:
    """Sentences in which each word hangs on the one before, and the last on the first."""
    rng = np.random.default_rng(1)
    for split, many in (("train", 30), ("dev", 20), ("test", 20)):
        blocks = []
        for _ in range(many):
            words = rng.choice(NOUNS, int(rng.integers(4, 9))).tolist()
            heads = [*range(len(words) - 1), 1]
            relations = ["root", *["flat"] * (len(words) - 2), "conj"]
            rows = [
                f"{k}\t{word}\t{word}\tNOUN\t_\t_\t{head}\t{relation}\t_\t_"
                for k, (word, head, relation) in enumerate(
                    zip(words, heads, relations, strict=True), 1
                )
            ]
            blocks.append("\n".join([f"# text = {' '.join(words)}", *rows]) + "\n\n")
        (folder / f"xx-ud-{split}.conllu").write_text("".join(blocks))
    return folder


def test_the_head_that_points_to_the_word_before_is_found(tmp_path):
    name = save(tmp_path / "model", point)
    bank = treebank(tmp_path)
    sentences = TASKS.make(f"arcs/head:{bank}").load().sentences
    vectors = make_encoder(f"{name},layers=map:*.*,pool=none").encode(sentences)
    first = vectors.spans.words[vectors.spans.first_word[:-1], 0]
    others = np.setdiff1d(np.arange(len(vectors.layers[0])), first)
    shares = {n: float((vectors.layer(n)[others] == -1).mean()) for n in vectors.names}
    assert shares.pop("map:1.2") == 1
    assert max(shares.values()) < 0.6
    asked = [f"{name},pool=none,layers=map:*.*", f"{name},pool=none,weights=random,layers=map:*.*"]
    results = lingprobe.evaluate(asked, f"arcs/head:{bank}", baselines="none").results
    (grid,) = grids(results)
    assert grid.best.layer == "map:1.2"
    assert grid.best.score == grid.best.constant_score > 75  # the best fixed offset
    assert grid.best in grid.findings
    assert "not significantly better than the constant answer's" in verdict(grid)


def test_offsets_are_asked_from_either_end(tmp_path):
    bank = treebank(tmp_path)
    tasks = TASKS
    down = tasks.make(f"arcs/head:{bank},rel=flat,end=head").load()
    assert set(down.labels.plain()) == {"+1"}
    up = tasks.make(f"arcs/head:{bank},rel=fl*").load()
    assert set(up.labels.plain()) == {"-1"}
    assert len(up) == len(down)
    assert not (up.sites[:, 0, 1] == 0).any()  # the root has no head
    assert (down.sites[:, 0, 1] == 0).any()


def test_pointers_read_maps_alone(table, tmp_path):
    bank = treebank(tmp_path)
    found = lingprobe.evaluate("bow:random,pool=none", f"arcs/head:{bank}", baselines="none")
    assert "pointer reads one value for each word" in str(found)
