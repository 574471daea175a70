"""Probing inside training loops: of sentence-transformers by its evaluator, of transformers by its
callback, with models that the tests make.
"""

from __future__ import annotations

import logging

import pytest
import torch
from transformers import AutoModel, AutoTokenizer
from transformers.trainer_callback import CallbackHandler, TrainerControl, TrainerState

import lingprobe
from fixtures.models import sentence_transformer, transformer
from lingprobe.integrations.sentence_transformers import ProbingEvaluator
from lingprobe.integrations.transformers import Live, ProbingCallback
from lingprobe.testing import FAMILIES

FAST = {"probes": "logreg", "seeds": 1, "bounds": False}


@pytest.fixture
def sbert(tmp_path):
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(sentence_transformer(tmp_path / "sbert")), device="cpu")


@pytest.fixture
def bert(tmp_path):
    folder = transformer(tmp_path / "bert")
    return AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)


def trained(model, texts=("a dog", "the cat")) -> None:
    """One step of training, so that the weights are others."""
    model.train()
    features = (
        model.preprocess(list(texts))
        if hasattr(model, "preprocess")
        else model.tokenize(list(texts))
    )
    loss = model(features)["sentence_embedding"].pow(2)[:, 0].sum()
    loss.backward()
    torch.optim.SGD(model.parameters(), lr=10.0).step()


def test_each_step_has_results_of_its_own(task, sbert, tmp_path):
    evaluator = ProbingEvaluator(task, **FAST, cache=tmp_path / "cache")
    out = tmp_path / "eval"
    first = evaluator(sbert, str(out), epoch=0.5, steps=10)
    trained(sbert)
    second = evaluator(sbert, str(out), epoch=1.0, steps=20)
    assert set(first) == set(second)
    assert set(evaluator.evaluations) == {10, 20}
    assert [e.fresh for e in evaluator.evaluations.values()] == [1, 1]
    kept = {r.trial.encoder: r.score for r in lingprobe.results(out / "probing")}
    assert set(kept) == {"probing step 10", "probing step 20"}
    assert first["probing_mean"] == pytest.approx(kept["probing step 10"])
    assert second["probing_mean"] == pytest.approx(kept["probing step 20"])
    revisions = {r.provenance.identities["encoder"] for r in lingprobe.results(out / "probing")}
    assert len(revisions) == 2
    assert (out / "probing" / "results.parquet").is_file()


def test_another_training_of_the_same_step_is_not_taken_for_the_first(task, sbert, tmp_path):
    how = {**FAST, "cache": tmp_path / "cache", "output": tmp_path / "out"}
    for fresh in (1, 1):
        evaluator = ProbingEvaluator(task, **how)
        evaluator(sbert, steps=10)
        assert evaluator.evaluations[10].fresh == fresh
        trained(sbert)


def test_the_primary_metric_is_the_mean_and_greater_is_better(task, sbert, tmp_path):
    evaluator = ProbingEvaluator(task, name="grammar", **FAST, cache=tmp_path)
    metrics = evaluator(sbert)
    assert evaluator.primary_metric == "grammar_mean"
    assert evaluator.greater_is_better
    (other,) = [value for key, value in metrics.items() if key != "grammar_mean"]
    assert metrics["grammar_mean"] == other
    assert 0 <= other <= 1
    (score,) = evaluator.evaluations[-1]
    assert score.encoder == "grammar"


def test_the_model_goes_on_being_trained(task, sbert, tmp_path):
    sbert.train()
    before = {name: value.clone() for name, value in sbert.state_dict().items()}
    ProbingEvaluator(task, **FAST, cache=tmp_path)(sbert, steps=1)
    assert sbert.training
    assert all(torch.equal(before[name], value) for name, value in sbert.state_dict().items())
    assert all(p.requires_grad for p in sbert.parameters())
    trained(sbert)  # nothing that was made without gradients is left in it
    assert not all(torch.equal(before[name], value) for name, value in sbert.state_dict().items())
    sbert.eval()
    ProbingEvaluator(task, **FAST, cache=tmp_path)(sbert, steps=2)
    assert not sbert.training


def test_it_stands_among_other_evaluators(task, sbert, tmp_path):
    from sentence_transformers.base.evaluation import SequentialEvaluator

    names = ("one", "two")
    each = [ProbingEvaluator(task, name=name, **FAST, cache=tmp_path) for name in names]
    metrics = SequentialEvaluator(each)(sbert, str(tmp_path / "eval"), epoch=1.0, steps=5)
    assert metrics["one_mean"] == metrics["two_mean"] == metrics["sequential_score"]
    assert all(set(evaluator.evaluations) == {5} for evaluator in each)


def handler(callback, bert):
    model, tokenizer = bert
    return CallbackHandler([callback], model, tokenizer, None, None)


def test_a_callback_logs_the_scores_of_each_evaluation(task, bert, tmp_path):
    callback = ProbingCallback(task, **FAST, cache=tmp_path / "cache", output=tmp_path / "out")
    calls, state = handler(callback, bert), TrainerState(epoch=0.5)
    for step in (100, 200):
        state.global_step = step
        calls.on_evaluate(None, state, TrainerControl(), {})
        with torch.no_grad():
            for parameter in bert[0].parameters():
                parameter.add_(torch.randn_like(parameter))
    calls.on_step_end(None, state, TrainerControl())
    assert [entry["step"] for entry in state.log_history] == [100, 200]
    kept = {r.trial.encoder: r.score for r in lingprobe.results(tmp_path / "out")}
    for entry in state.log_history:
        assert entry["eval_probing_mean"] == pytest.approx(kept[f"probing step {entry['step']}"])
        assert entry["epoch"] == 0.5
    assert (
        len({r.provenance.identities["encoder"] for r in lingprobe.results(tmp_path / "out")}) == 2
    )


@pytest.mark.parametrize("every", [None, 1])
def test_the_trainer_chooses_its_best_model_by_the_scores(every, task, bert, tmp_path):
    """As `Trainer` does: what `on_evaluate` was given is what it looks the metric up in."""
    callback = ProbingCallback(task, every=every, **FAST, cache=tmp_path / "cache")
    calls, state = handler(callback, bert), TrainerState(epoch=0.5, global_step=3)
    calls.on_step_end(None, state, TrainerControl())
    for _ in range(2):  # the second of a step measures nothing
        metrics = {"eval_loss": 1.0}
        calls.on_evaluate(None, state, TrainerControl(), metrics)
        assert metrics["eval_probing_mean"] == state.log_history[-1]["eval_probing_mean"]
    assert len(state.log_history) == 1


def test_a_trainer_logs_the_scores_where_it_reports(task, bert, tmp_path):
    class Trainer:
        def add_callback(self, callback):
            self.calls = handler(callback, bert)

        def log(self, scores):
            self.scores = scores

    trainer, state = Trainer(), TrainerState(epoch=0.5, global_step=3)
    callback = ProbingCallback(task, **FAST, cache=tmp_path / "cache")
    callback.attach(trainer)
    metrics = {}
    trainer.calls.on_evaluate(None, state, TrainerControl(), metrics)
    assert trainer.scores == metrics
    assert "eval_probing_mean" in metrics
    assert state.log_history == []


def test_a_callback_may_measure_every_so_many_steps(task, bert, tmp_path):
    callback = ProbingCallback(task, every=2, **FAST, cache=tmp_path)
    calls, state = handler(callback, bert), TrainerState(epoch=0.0)
    for step in range(1, 5):
        state.global_step = step
        calls.on_step_end(None, state, TrainerControl())
        calls.on_evaluate(None, state, TrainerControl(), {})
    assert set(callback.evaluations) == {2, 4}


def test_only_the_first_process_probes(task, bert, tmp_path):
    callback = ProbingCallback(task, **FAST, cache=tmp_path)
    state = TrainerState(is_world_process_zero=False)
    handler(callback, bert).on_evaluate(None, state, TrainerControl(), {})
    assert callback.evaluations == {}


def test_a_trainer_without_a_tokenizer_is_told_so(task, bert, tmp_path):
    callback = ProbingCallback(task, **FAST, cache=tmp_path)
    calls = CallbackHandler([callback], bert[0], None, None, None)
    with pytest.raises(lingprobe.UsageProblem, match=r"Trainer\(processing_class=tokenizer\)"):
        calls.on_evaluate(None, TrainerState(), TrainerControl(), {})


def test_vectors_of_a_live_model_are_the_means_of_its_states(bert):
    model, tokenizer = bert
    model.train()
    sentences = FAMILIES["sentence"]().sentences[:5]
    ours = Live("mine", model, tokenizer).encode(sentences).layers[0]
    assert model.training
    model.eval()
    for sentence, vector in zip(sentences, ours, strict=True):
        with torch.no_grad():
            alone = model(**tokenizer(sentence.text, return_tensors="pt")).last_hidden_state
        assert vector == pytest.approx(alone[0].mean(0).numpy(), abs=1e-4)
    lower = Live("mine", model, tokenizer, layer=0)
    assert not (lower.encode(sentences).layers[0] == ours).all()
    assert lower.fingerprint != Live("mine", model, tokenizer).fingerprint


def test_without_a_token_to_pad_with_vectors_are_the_same(bert):
    model, tokenizer = bert
    sentences = FAMILIES["sentence"]().sentences[:5]
    padded = Live("mine", model, tokenizer).encode(sentences).layers[0]
    tokenizer.pad_token = None
    alone = Live("mine", model, tokenizer).encode(sentences).layers[0]
    assert alone == pytest.approx(padded, abs=1e-4)


def test_what_cannot_be_measured_is_said_at_the_first_step(bert, tmp_path, task, caplog):
    callback = ProbingCallback("table:/nowhere.jsonl", **FAST, cache=tmp_path)
    with pytest.raises(lingprobe.LingprobeError, match="nowhere"):
        handler(callback, bert).on_evaluate(None, TrainerState(), TrainerControl(), {})
    both = ProbingCallback([task, "table:/nowhere.jsonl"], **FAST, cache=tmp_path)
    with caplog.at_level(logging.WARNING, "lingprobe"):
        handler(both, bert).on_evaluate(None, TrainerState(), TrainerControl(), {})
    assert "nowhere" in caplog.text
    assert len(both.evaluations[0]) == 1


@pytest.mark.parametrize("kind", [ProbingEvaluator, ProbingCallback])
def test_an_unknown_setting_is_answered_by_the_nearest(kind, task):
    with pytest.raises(lingprobe.UsageProblem, match="did you mean probes"):
        kind(task, probe="logreg")
