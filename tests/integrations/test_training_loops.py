"""Probing inside training loops: of sentence-transformers by its evaluator, of transformers by its
callback, with models that the tests make.
"""

from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest
import torch
from transformers import AutoModel, AutoTokenizer
from transformers.trainer_callback import (
    CallbackHandler,
    TrainerControl,
    TrainerState,
)

import lingprobe
from fixtures.models import sentence_transformer, transformer
from lingprobe.integrations.sentence_transformers import ProbingEvaluator
from lingprobe.integrations.transformers import ProbingCallback

FAST = {"probes": "logreg", "seeds": 1, "baselines": "none"}


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
    assert metrics.pop("grammar_seconds") > 0
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


def arguments(folder):
    """Those of `TrainingArguments` that the callback reads."""
    return SimpleNamespace(output_dir=str(folder), metric_for_best_model=None)


def handler(callback, bert):
    """What a `Trainer` calls, without the rest of it."""
    model, tokenizer = bert
    return CallbackHandler([callback], model, tokenizer, None, None)


def evaluate(calls, state, folder, metrics):
    """What `Trainer.evaluate` does with metrics: it logs them, and then calls `on_evaluate`."""
    metrics["eval_runtime"] = 0.1
    state.log_history.append({**metrics, "epoch": state.epoch, "step": state.global_step})
    calls.on_log(arguments(folder), state, TrainerControl(), metrics)
    calls.on_evaluate(arguments(folder), state, TrainerControl(), metrics)
    return metrics


def test_a_callback_adds_the_scores_to_what_an_evaluation_logs(task, bert, tmp_path):
    callback = ProbingCallback(task, **FAST, cache=tmp_path / "cache", output=tmp_path / "out")
    calls, state = handler(callback, bert), TrainerState(epoch=0.5)
    for step in (100, 200):
        state.global_step = step
        metrics = evaluate(calls, state, tmp_path, {"eval_loss": 1.0})
        assert metrics.items() <= state.log_history[-1].items()
        assert metrics["eval_probing_seconds"] > 0
        with torch.no_grad():
            for parameter in bert[0].parameters():
                parameter.add_(torch.randn_like(parameter))
    calls.on_step_end(arguments(tmp_path), state, TrainerControl())
    assert [entry["step"] for entry in state.log_history] == [100, 200]
    kept = {r.trial.encoder: r.score for r in lingprobe.results(tmp_path / "out")}
    for entry in state.log_history:
        assert entry["eval_probing_mean"] == pytest.approx(kept[f"probing step {entry['step']}"])
    assert (
        len({r.provenance.identities["encoder"] for r in lingprobe.results(tmp_path / "out")}) == 2
    )


def test_the_same_weights_are_measured_once_and_others_again(task, bert, tmp_path):
    """A trainer evaluates each of its sets, and once more when it has loaded its best model."""
    callback = ProbingCallback(task, **FAST, cache=tmp_path / "cache")
    calls, state = handler(callback, bert), TrainerState(global_step=3)
    first, second = (evaluate(calls, state, tmp_path, {}) for _ in range(2))
    assert first == second
    with torch.no_grad():
        for parameter in bert[0].parameters():
            parameter.add_(torch.randn_like(parameter))
    third = evaluate(calls, state, tmp_path, {})
    assert third["eval_probing_seconds"] != first["eval_probing_seconds"]


def test_a_trainer_that_logs_a_copy_has_the_scores_as_well(task, bert, tmp_path):
    callback = ProbingCallback(task, **FAST, cache=tmp_path / "cache")
    calls, state, metrics = handler(callback, bert), TrainerState(global_step=3), {}
    calls.on_log(arguments(tmp_path), state, TrainerControl(), {"eval_runtime": 0.1})
    calls.on_evaluate(arguments(tmp_path), state, TrainerControl(), metrics)
    assert "eval_probing_mean" in metrics


@pytest.mark.parametrize("chosen", ["eval_probing_mean", "probing_mean", "loss"])
def test_scores_that_choose_the_best_model_are_always_there(chosen, task, bert, tmp_path):
    callback = ProbingCallback(task, every=2, **FAST, cache=tmp_path / "cache")
    given = SimpleNamespace(output_dir=str(tmp_path), metric_for_best_model=chosen)
    calls, metrics = handler(callback, bert), {}
    calls.on_evaluate(given, TrainerState(global_step=3), TrainerControl(), metrics)
    assert ("eval_probing_mean" in metrics) == (chosen != "loss")


def test_what_is_logged_otherwise_is_left_alone(task, bert, tmp_path):
    callback = ProbingCallback(task, **FAST, cache=tmp_path / "cache")
    calls, state = handler(callback, bert), TrainerState(global_step=3)
    for logs in ({"loss": 1.0}, {"train_runtime": 1.0, "loss": 1.0}):
        before = dict(logs)
        calls.on_log(arguments(tmp_path), state, TrainerControl(), logs)
        assert logs == before
    assert callback.evaluations == {}


def test_a_callback_may_measure_every_so_many_steps(task, bert, tmp_path):
    callback = ProbingCallback(task, every=2, **FAST, cache=tmp_path)
    calls, state = handler(callback, bert), TrainerState(epoch=0.0)
    for step in range(1, 5):
        state.global_step = step
        calls.on_step_end(arguments(tmp_path), state, TrainerControl())
        metrics = evaluate(calls, state, tmp_path, {})
        assert ("eval_probing_mean" in metrics) == (step in {2, 4})
    assert set(callback.evaluations) == {2, 4}
    assert [entry["step"] for entry in state.log_history if "eval_runtime" not in entry] == [2, 4]


def test_only_the_first_process_probes(task, bert, tmp_path):
    callback = ProbingCallback(task, **FAST, cache=tmp_path)
    state = TrainerState(is_world_process_zero=False)
    handler(callback, bert).on_evaluate(arguments(tmp_path), state, TrainerControl(), {})
    assert callback.evaluations == {}


def test_a_trainer_without_a_tokenizer_is_told_so(task, bert, tmp_path):
    callback = ProbingCallback(task, **FAST, cache=tmp_path)
    calls = CallbackHandler([callback], bert[0], None, None, None)
    with pytest.raises(lingprobe.UsageProblem, match=r"Trainer\(processing_class=tokenizer\)"):
        calls.on_evaluate(arguments(tmp_path), TrainerState(), TrainerControl(), {})


def test_layers_are_read_as_those_of_a_loaded_model(task, bert, tmp_path):
    callback = ProbingCallback(task, **FAST, cache=tmp_path, states="all", pool="cls")
    metrics = evaluate(handler(callback, bert), TrainerState(), tmp_path, {})
    reads = lingprobe.configure(bert, layers="all", pool="cls")
    other = lingprobe.evaluate(reads, task, **FAST, cache=tmp_path / "other")
    scores = sorted(value for key, value in metrics.items() if key.startswith("eval_probing_table"))
    assert scores == pytest.approx(sorted(score.score / 100 for score in other))
    assert len(scores) > 1


def test_what_cannot_be_measured_is_said_at_the_first_step(bert, tmp_path, task, caplog):
    callback = ProbingCallback("table:/nowhere.jsonl", **FAST, cache=tmp_path)
    with pytest.raises(lingprobe.LingprobeError, match="nowhere"):
        handler(callback, bert).on_evaluate(
            arguments(tmp_path), TrainerState(), TrainerControl(), {}
        )
    both = ProbingCallback([task, "table:/nowhere.jsonl"], **FAST, cache=tmp_path)
    with caplog.at_level(logging.WARNING, "lingprobe"):
        handler(both, bert).on_evaluate(arguments(tmp_path), TrainerState(), TrainerControl(), {})
    assert "nowhere" in caplog.text
    assert len(both.evaluations[0].results) == 1


@pytest.mark.parametrize(
    ("attached", "trackers"), [(False, ["wandb"]), (True, ["wandb"]), (False, [])]
)
def test_trackers_that_will_not_see_the_scores_are_named(attached, trackers, task, bert, caplog):
    callback = ProbingCallback(task, **FAST)
    calls = handler(callback, bert)
    if attached:
        callback.attach(SimpleNamespace(callback_handler=calls, log=dict))
    with caplog.at_level(logging.WARNING, "lingprobe"):
        calls.on_train_begin(SimpleNamespace(report_to=trackers), TrainerState(), TrainerControl())
    assert ("wandb does not see the scores" in caplog.text) == (bool(trackers) and not attached)


@pytest.mark.parametrize("kind", [ProbingEvaluator, ProbingCallback])
def test_an_unknown_setting_is_answered_by_the_nearest(kind, task):
    with pytest.raises(lingprobe.UsageProblem, match="did you mean probes"):
        kind(task, probe="logreg")
