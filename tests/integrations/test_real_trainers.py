"""Probing inside real trainings: those of transformers' and sentence-transformers' trainers, of a
tiny model.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.sentence_transformer.evaluation import SentenceEvaluator
from sentence_transformers.sentence_transformer.losses import CosineSimilarityLoss
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    EarlyStoppingCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

import lingprobe
from datasets import Dataset
from fixtures.models import SENTENCES, sentence_transformer, transformer
from lingprobe.data.errors import UsageProblem
from lingprobe.integrations.sentence_transformers import ProbingEvaluator
from lingprobe.integrations.transformers import ProbingCallback

FAST = {"seeds": 1, "baselines": "none"}
STEPS, EACH = 3, 1
TEXTS = [sentence.text for sentence in SENTENCES]


class Recorder(TrainerCallback):
    """What a tracker would get."""

    def __init__(self):
        self.seen = []

    def on_log(self, args, state, control, logs=None, **given):
        self.seen.append((state.global_step, dict(logs)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return transformer(tmp_path_factory.mktemp("bert"))


def trainer_of(folder, output, callbacks=(), model=None, **more):
    """A trainer of a classifier whose steps are wide, so that each has scores of its own."""
    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    rows = [{**tokenizer(text), "labels": i % 2} for i, text in enumerate(TEXTS)]
    usual = {
        "max_steps": STEPS,
        "learning_rate": 0.03,
        "per_device_train_batch_size": 4,
        "eval_strategy": "steps",
        "save_strategy": "steps",
        "logging_steps": EACH,
        "eval_steps": EACH,
        "save_steps": EACH,
        "report_to": "none",
        "disable_tqdm": True,
        "use_cpu": True,
        "seed": 0,
    }
    return Trainer(
        model or AutoModelForSequenceClassification.from_pretrained(folder),
        TrainingArguments(str(output), **{**usual, **more}),
        train_dataset=rows,
        eval_dataset=rows[:8],
        processing_class=tokenizer,
        callbacks=list(callbacks),
    )


def weights_of(trainer):
    return {name: value.clone() for name, value in trainer.model.state_dict().items()}


def same(one, other):
    return all(torch.equal(value, other[name]) for name, value in one.items())


@pytest.fixture(scope="module")
def chosen(folder, task, tmp_path_factory):
    """A training whose best model is chosen by its scores."""
    place, recorder = tmp_path_factory.mktemp("chosen"), Recorder()
    best = {
        "metric_for_best_model": "eval_probing_mean",
        "greater_is_better": True,
        "load_best_model_at_end": True,
    }
    trainer = trainer_of(folder, place / "out", [recorder], **best)
    callback = ProbingCallback(task, **FAST, cache=place / "cache").attach(trainer)
    trainer.train()
    return trainer, callback, recorder


def scores_of_step(evaluation):
    (score,) = {r.score for r in evaluation.results if r.trial.encoder.startswith("probing")}
    return score


def scores_of(trainer):
    return {
        entry["step"]: entry["eval_probing_mean"]
        for entry in trainer.state.log_history
        if "eval_probing_mean" in entry
    }


def test_the_best_checkpoint_is_the_one_with_the_best_score(chosen, folder):
    trainer, callback, _ = chosen
    scores = scores_of(trainer)
    assert list(scores) == [1, 2, 3] == list(callback.evaluations)
    assert len(set(scores.values())) > 1
    best = max(scores, key=lambda step: (scores[step], -step))
    assert trainer.state.best_metric == scores[best]
    assert trainer.state.best_model_checkpoint.endswith(f"checkpoint-{best}")
    kept = AutoModelForSequenceClassification.from_pretrained(trainer.state.best_model_checkpoint)
    assert same(kept.state_dict(), weights_of(trainer))


def test_trackers_see_the_scores_beside_the_loss(chosen):
    trainer, _, recorder = chosen
    seen = {step: logs for step, logs in recorder.seen if "eval_loss" in logs}
    assert {step: logs["eval_probing_mean"] for step, logs in seen.items()} == scores_of(trainer)
    assert all(logs["eval_probing_seconds"] > 0 for logs in seen.values())
    assert not any("eval_probing_mean" in logs for _, logs in recorder.seen if "loss" in logs)


def test_an_evaluation_of_the_best_model_has_its_scores_and_not_the_last_ones(chosen):
    trainer, callback, _ = chosen
    during = scores_of(trainer)
    assert trainer.evaluate()["eval_probing_mean"] == pytest.approx(trainer.state.best_metric)
    # and stands for the step that was loaded, not for the last one
    steps = {step: scores_of_step(each) for step, each in callback.evaluations.items()}
    assert steps == pytest.approx(during)
    assert trainer.state.best_global_step < max(steps)


def test_results_lie_beside_the_checkpoints(chosen):
    trainer, _, _ = chosen
    assert (Path(trainer.args.output_dir) / "probing" / "results.parquet").is_file()


def test_early_stopping_goes_by_the_scores(folder, task, tmp_path, monkeypatch):
    """Even where it is called before the scores are added: it stands first."""
    falling = iter((0.9, 0.8, 0.7))
    monkeypatch.setattr(
        "lingprobe.integrations.steps._list_step_scores", lambda *_: {"made up": next(falling)}
    )
    best = {
        "metric_for_best_model": "probing_mean",
        "greater_is_better": True,
        "load_best_model_at_end": True,
        "max_steps": 20,
    }
    stopping = EarlyStoppingCallback(early_stopping_patience=1)
    probing = ProbingCallback(task, **FAST, cache=tmp_path / "cache")
    trainer = trainer_of(folder, tmp_path / "out", [stopping, probing], **best)
    trainer.train()
    assert trainer.state.global_step == 2 * EACH
    assert trainer.state.best_global_step == EACH


def test_the_training_is_the_same_bit_by_bit(folder, task, tmp_path):
    probing = ProbingCallback(task, probes=["logreg", "mlp"], **FAST, cache=tmp_path / "cache")
    trained = []
    for name, callbacks in (("probed", [probing]), ("alone", [])):
        trainer = trainer_of(folder, tmp_path / name, callbacks, max_steps=2 * EACH)
        trainer.train()
        trained.append(weights_of(trainer))
    assert len(probing.evaluations) == 2
    assert same(*trained)


@pytest.mark.parametrize("how", ["ds_id", "DTensor", "FullyShardedDataParallel"])
def test_weights_of_which_a_process_has_a_part_are_refused(folder, task, tmp_path, how):
    probing = ProbingCallback(task, **FAST, cache=tmp_path / "cache")
    trainer = trainer_of(folder, tmp_path / "out", [probing], max_steps=EACH)
    part = trainer.model.classifier
    if how == "ds_id":
        part.weight.ds_id = 7
    elif how == "DTensor":
        part.weight = type(how, (torch.nn.Parameter,), {})(part.weight.detach())
    else:
        part.__class__ = type(how, (type(part),), {})
    with pytest.raises(UsageProblem, match=r"sharded .* no process has all"):
        trainer.evaluate()


def test_an_adapter_is_probed_as_it_is_trained(folder, task, tmp_path):
    peft = pytest.importorskip("peft", reason="LoRA needs peft")
    base = AutoModelForSequenceClassification.from_pretrained(folder)
    config = peft.LoraConfig(target_modules=["query", "value"], task_type="SEQ_CLS")
    probing = ProbingCallback(task, **FAST, cache=tmp_path / "cache")
    model = peft.get_peft_model(base, config)
    trainer = trainer_of(
        folder, tmp_path / "out", [probing], model, learning_rate=1.0, max_steps=2 * EACH
    )
    trainer.train()
    identities = {
        result.provenance.identities["encoder"]
        for evaluation in probing.evaluations.values()
        for result in evaluation.results
    }
    assert len(identities) == 2  # the adapter's weights are among those that count
    how = {**FAST, "cache": tmp_path / "again"}
    [score] = lingprobe.evaluate((model, trainer.processing_class), task, **how)
    assert score.score / 100 == pytest.approx(scores_of(trainer)[2 * EACH])


class Idle(SentenceEvaluator):
    """An evaluator that measures nothing: evaluations of their own change how data are drawn."""

    def __call__(self, model, output_path=None, epoch=-1, steps=-1):
        return {"probing_mean": 0.0}


def test_sentence_transformers_choose_their_best_model_by_the_scores(task, tmp_path):
    def trained(name, probing):
        model = SentenceTransformer(str(sentence_transformer(tmp_path / name)), device="cpu")
        best = {"metric_for_best_model": "eval_probing_mean", "greater_is_better": True}
        args = SentenceTransformerTrainingArguments(
            str(tmp_path / name / "out"),
            max_steps=2,
            learning_rate=0.03,
            eval_strategy="steps",
            eval_steps=1,
            save_steps=1,
            report_to="none",
            disable_tqdm=True,
            use_cpu=True,
            seed=0,
            **best,
        )
        pairs = {"a": TEXTS[:8], "b": TEXTS[4:12], "score": [0.0, 1.0] * 4}
        trainer = SentenceTransformerTrainer(
            model,
            args,
            Dataset.from_dict(pairs),
            loss=CosineSimilarityLoss(model),
            evaluator=probing,
        )
        trainer.train()
        return trainer

    evaluator = ProbingEvaluator(task, **FAST, cache=tmp_path / "cache")
    trainer = trained("probed", evaluator)
    scores = scores_of(trainer)
    assert list(scores) == [1, 2] == list(evaluator.evaluations)
    assert trainer.state.best_metric == max(scores.values())
    assert all(
        entry["eval_probing_seconds"] > 0
        for entry in trainer.state.log_history
        if "eval_probing_mean" in entry
    )
    undisturbed = trained("alone", Idle())
    assert same(weights_of(undisturbed), weights_of(trainer))
