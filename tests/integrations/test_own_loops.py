"""Probing in loops of one's own, and in those of Lightning."""

from __future__ import annotations

import random
from contextlib import nullcontext

import numpy as np
import pytest
import torch

import lingprobe
from fixtures.models import transformer
from lingprobe.datasets.formats.tables import write_dataset
from lingprobe.encoders import ENCODERS
from lingprobe.integrations.steps import _QUICK, ProbingMonitor, keep_state
from lingprobe.testing import TINY_DATASET_FAMILIES

FAST = {"baselines": "none"}
LETTERS = 128


class Net(torch.nn.Module):
    """Sentences by the letters in them, with what differs between training and evaluation."""

    def __init__(self):
        super().__init__()
        self.letters = torch.nn.EmbeddingBag(LETTERS, 8)
        self.dropout, self.frozen = torch.nn.Dropout(0.5), torch.nn.BatchNorm1d(8).eval()
        self.probing = None

    def forward(self, texts):
        letters = [torch.tensor([ord(c) % LETTERS for c in text]) for text in texts]
        ends = np.cumsum([0, *map(len, letters[:-1])])
        return self.frozen(self.dropout(self.letters(torch.cat(letters), torch.as_tensor(ends))))


@pytest.fixture
def net():
    torch.manual_seed(0)
    net = Net().train()
    net.frozen.eval()
    return net


def test_a_step_has_scores_and_results_of_its_own(task, net, tmp_path):
    probing = ProbingMonitor(
        task, "letters", **FAST, cache=tmp_path / "cache", output=tmp_path / "out"
    )
    for step in (10, 20):
        scores = probing(net.forward, step)
        kept = {r.trial.encoder: r.score for r in lingprobe.results(tmp_path / "out")}
        assert scores["letters_mean"] == pytest.approx(kept[f"letters step {step}"])
        assert scores["letters_seconds"] > 0
        assert set(scores) == {"letters_table:a.jsonl", "letters_mean", "letters_seconds"}
        with torch.no_grad():
            net.letters.weight.mul_(torch.randn_like(net.letters.weight))
    assert list(probing.evaluations) == [10, 20]
    assert probing.evaluations[10].fresh == probing.evaluations[20].fresh == 1


def test_the_loop_goes_on_as_if_nothing_had_been_measured(task, net, tmp_path):
    net(["a dog"]).sum().backward()
    before = net.letters.weight.grad.clone()
    states = torch.get_rng_state(), random.getstate(), np.random.get_state()[1].copy()
    ProbingMonitor(task, **FAST, cache=tmp_path)(net.forward, 1)
    assert torch.equal(torch.get_rng_state(), states[0])
    assert random.getstate() == states[1]
    assert (np.random.get_state()[1] == states[2]).all()
    assert torch.equal(net.letters.weight.grad, before)
    assert net.training
    assert net.dropout.training
    assert not net.frozen.training


@pytest.mark.parametrize("given", ["module", "method", "pair"])
def test_a_model_is_in_evaluation_mode_while_it_is_measured(given, net):
    thing = {"module": net, "method": net.forward, "pair": (net, str.split)}[given]
    with keep_state(thing):
        assert not any(module.training for module in net.modules())
        torch.rand(1)
    assert [m.training for m in (net, net.dropout, net.frozen)] == [True, True, False]
    with pytest.raises(ZeroDivisionError), keep_state(thing):
        _ = 1 / 0
    assert [m.training for m in (net, net.dropout, net.frozen)] == [True, True, False]


def test_a_function_may_name_its_model(task, net, tmp_path):
    modes = []

    def encode(texts):
        modes.append(net.training)
        return net(texts)

    ProbingMonitor(task, **FAST, cache=tmp_path)(encode, module=net)
    assert set(modes) == {False}


def test_validation_loops_turn_gradients_off_and_probes_learn_all_the_same(tmp_path):
    """`span` follows gradients through torch."""
    write_dataset(TINY_DATASET_FAMILIES["span"]((24, 8, 8)), tmp_path / "a.jsonl")
    settings = {**FAST, "probes": "span", "cache": tmp_path / "cache"}
    encoder = ENCODERS.make(f"hf:{transformer(tmp_path / 'bert')},pool=none")
    scores = []
    for name in ("inside", "outside"):
        probing = ProbingMonitor(
            f"table:{tmp_path / 'a.jsonl'}", **settings, output=tmp_path / name
        )
        with torch.inference_mode() if name == "inside" else nullcontext():
            scores.append(probing(encoder)["probing_mean"])
            assert torch.is_grad_enabled() == (name == "outside")
    assert scores[0] == scores[1]


def test_layers_and_probes_are_named_where_there_are_several(task, tmp_path):
    def names(layers, **settings):
        encoder = ENCODERS.make(f"hf:{folder},layers={layers}")
        probing = ProbingMonitor(
            task, **FAST, **settings, cache=tmp_path / "cache", output=tmp_path / "o"
        )
        return {name.removeprefix("probing_") for name in probing(encoder)} - {"mean", "seconds"}

    folder = transformer(tmp_path / "bert")
    assert names("2") == {"table:a.jsonl"}
    assert names("all") == {f"table:a.jsonl, layer {n}" for n in range(3)}
    probes = ["logreg", "mlp"]
    assert names("2", probes=probes) == {f"table:a.jsonl, {probe}" for probe in probes}


def test_what_bounds_the_cost_is_the_default_and_may_be_set(monkeypatch, task, net):
    seen = []

    def run(tasks, encoders, **settings):
        seen.append(settings)
        raise lingprobe.DataProblem("enough")

    monkeypatch.setattr("lingprobe.integrations.steps.run", run)
    for settings in ({}, {"limit": None, "seeds": 5}):
        with pytest.raises(lingprobe.DataProblem):
            ProbingMonitor(task, **settings)(net.forward)
    assert seen == [_QUICK, {**_QUICK, "limit": None, "seeds": 5}]


def test_lightning_logs_the_scores_and_chooses_its_checkpoint_by_them(task, net, tmp_path):
    import lightning

    monitor = lightning.pytorch.callbacks.ModelCheckpoint(
        tmp_path, monitor="probing_mean", mode="max"
    )

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net, self.modes = net, []
            self.probing = ProbingMonitor(task, **FAST, cache=tmp_path / "cache")

        def training_step(self, texts, _):
            return self.net(texts).pow(2).sum()

        def validation_step(self, texts, _):
            self.log("val_loss", self.net(texts).pow(2).sum(), batch_size=len(texts))

        def on_validation_epoch_end(self):
            self.log_dict(self.probing(self.net.forward, self.global_step))

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 1.0)

    texts = [s.text for s in TINY_DATASET_FAMILIES["sentence"]().sentences][:8]
    loader = torch.utils.data.DataLoader(texts, batch_size=4, collate_fn=list)
    trainer = lightning.Trainer(
        max_epochs=2,
        accelerator="cpu",
        logger=False,
        callbacks=[monitor],
        enable_progress_bar=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
    )
    module = Module()
    trainer.fit(module, loader, loader)
    evaluations = module.probing.evaluations
    assert list(evaluations) == [2, 4]
    scores = [evaluation.results[0].score for evaluation in evaluations.values()]
    assert float(monitor.best_model_score) == pytest.approx(max(scores))
