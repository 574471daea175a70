"""Probing while a transformers model is trained."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Unpack

import torch
from transformers import TrainerCallback

from lingprobe.api.evaluation import Evaluation
from lingprobe.api.measure import Settings
from lingprobe.data.core import RevisedEncoder
from lingprobe.data.errors import UsageProblem
from lingprobe.encoders import adapt_encoder
from lingprobe.integrations.steps import ProbingMonitor, keep_state, log, takes_settings


class ProbingCallback(TrainerCallback):  # type: ignore[misc]
    """A callback for `Trainer(callbacks=[...])`: the scores of each evaluation, from 0 to 1, are
    'eval_NAME_TASK' and 'eval_NAME_mean' in its metrics (what `trainer.evaluate()` returns,
    `metric_for_best_model` may name, and early stopping goes by), beside 'eval_NAME_seconds', how
    long probing took. `attach` has W&B, TensorBoard and other trackers see them, too.

    tasks     a reference or a Task object, or several
    name      what stands before the names of the metrics, and what the model is called in results
    every     measure every so many steps, in place of each evaluation; those are measured all the
              same where the best model is chosen by these scores
    states, pool  the layers whose states are read, and how they become a sentence's vector, as
              `layers` and `pool` of `hf:`
    settings  the fields of `lingprobe.Settings`; without them, a linear probe is fitted once, on at
              most 4,000 examples of each task; without `output`, results lie in the trainer's
              folder, under probing/
    The trainer has to know the tokenizer (`processing_class`). Where several processes train, the
    first one probes; weights that are sharded (FSDP, DeepSpeed ZeRO-3) cannot be.

        ProbingCallback("ud/tense:UD_English-EWT").attach(trainer)
    """

    @takes_settings
    def __init__(
        self,
        tasks: Any,
        name: str = "probing",
        every: int | None = None,
        states: str = "last",
        pool: str = "mean",
        **settings: Unpack[Settings],
    ) -> None:
        self.every = every
        self._reads = {"layers": states, "pool": pool}
        self._probing = ProbingMonitor(tasks, name, **settings)
        self._step, self._weights = -1, ""  # that were measured last
        self._has_loaded_best = False
        self._scores: dict[str, float] = {}
        self._log: Callable[[dict[str, float]], None] | None = None

    def attach(self, trainer: Any) -> ProbingCallback:
        """Put this before all other callbacks of a trainer, so that trackers see the scores."""
        callbacks = trainer.callback_handler.callbacks
        if self in callbacks:
            callbacks.remove(self)
        callbacks.insert(0, self)
        self._log = trainer.log
        return self

    @property
    def evaluations(self) -> Mapping[int, Evaluation]:
        """What was measured, by step, with tables and intervals."""
        return self._probing.evaluations

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Say which trackers will not see the scores: they are called before this."""
        self._has_loaded_best = False
        if self._log is None and args.report_to:
            log.warning(
                "%s does not see the scores of %s: ProbingCallback(...).attach(trainer) in place"
                " of callbacks=[...] shows them to all trackers",
                ", ".join(args.report_to),
                self._probing.name,
            )

    def on_train_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """From now on the weights may be those of the best step, which the trainer has loaded."""
        self._has_loaded_best = args.load_best_model_at_end and state.best_global_step is not None

    def _step_of(self, state: Any) -> int:
        """The step that the weights are of."""
        return int(state.best_global_step if self._has_loaded_best else state.global_step)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **given: Any) -> None:
        """Add the scores to the metrics of an evaluation, which are logged before any callback's
        `on_evaluate`.
        """
        if logs and any(key.endswith("_runtime") and key != "train_runtime" for key in logs):
            self._add(args, state, given, logs)
            if state.log_history:  # the trainer's copy of what it logs
                state.log_history[-1].update(self._scores)

    def on_evaluate(
        self, args: Any, state: Any, control: Any, metrics: Any = None, **given: Any
    ) -> None:
        """Add the scores where what was logged was a copy of the metrics."""
        self._add(args, state, given, metrics)

    def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Measure every so many steps."""
        if self.every is None or state.global_step % self.every:
            return
        self._measure(args, state, given)
        if self._log is not None:
            self._log(dict(self._scores))
        else:
            now = {"epoch": state.epoch, "step": state.global_step}
            state.log_history.append({**self._scores, **now})

    def _add(self, args: Any, state: Any, given: dict[str, Any], metrics: dict[str, float]) -> None:
        if any(key in metrics for key in self._scores):
            return
        chosen = str(args.metric_for_best_model).removeprefix("eval_")
        if self.every is None or chosen.startswith(f"{self._probing.name}_"):
            self._measure(args, state, given)
        elif self._step != self._step_of(state):
            return
        metrics.update(self._scores)

    def _measure(self, args: Any, state: Any, given: dict[str, Any]) -> None:
        """Where several processes train, the first one probes, unless these very weights were
        measured.
        """
        _refuse_shards(given["model"])
        if state.is_world_process_zero:
            self._scores = self._scores_of(args, state, given)
        self._scores, self._step = _of_first(self._scores), self._step_of(state)

    def _scores_of(self, args: Any, state: Any, given: dict[str, Any]) -> dict[str, float]:
        tokenizer = given.get("processing_class") or given.get("tokenizer")
        if tokenizer is None:
            raise UsageProblem(
                "the trainer has no tokenizer: pass one, Trainer(processing_class=tokenizer)"
            )
        model, name, step = given["model"], self._probing.name, self._step_of(state)
        encoder = adapt_encoder((model, tokenizer), name, **self._reads)
        weights = encoder.revision if isinstance(encoder, RevisedEncoder) else ""
        if (self._step, self._weights) == (step, weights):
            return self._scores
        with keep_state(model):
            scores = self._probing.measure(encoder, step, output=Path(args.output_dir) / "probing")
        self._weights = weights
        return {f"eval_{name}_{task}": score for task, score in scores.items()}


def _refuse_shards(model: torch.nn.Module) -> None:
    """UsageProblem, in each process, where none of them has all weights: FSDP wraps modules or has
    parameters of a type of its own, DeepSpeed ZeRO-3 marks them.
    """
    wrapped = any(type(module).__name__ == _SHARDED_MODULE for module in model.modules())
    if wrapped or any(
        type(each).__name__ == _SHARDED_TENSOR or _SHARDED_MARK in vars(each)
        for each in model.parameters()
    ):
        raise UsageProblem(
            "the weights of the model are sharded (FSDP or DeepSpeed ZeRO-3), so no process has all"
            " of them: probe the checkpoints that are saved, or train without sharding"
        )


_SHARDED_MODULE, _SHARDED_TENSOR, _SHARDED_MARK = "FullyShardedDataParallel", "DTensor", "ds_id"


def _of_first(scores: dict[str, float]) -> dict[str, float]:
    """The scores that the first of the processes that train together has."""
    if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
        return scores
    box = [scores]
    torch.distributed.broadcast_object_list(box, src=0)
    return box[0]
