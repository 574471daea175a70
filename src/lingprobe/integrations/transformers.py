"""Probing while a transformers model is trained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import torch
from transformers import TrainerCallback

from lingprobe.api.arguments import keywords, options_of
from lingprobe.api.evaluation import Evaluation
from lingprobe.api.measure import Settings, run
from lingprobe.data.core import Sentence
from lingprobe.data.errors import UsageProblem
from lingprobe.data.vectors import Vectors
from lingprobe.encoders.live_models import model_digest
from lingprobe.integrations.steps import Steps

BATCH = 32
LONGEST = 512  # tokens, of a model that does not say how many it reads


class ProbingCallback(TrainerCallback):  # type: ignore[misc]
    """A callback for `Trainer(callbacks=[...])`: the scores of each evaluation, or of every so many
    steps, are 'eval_NAME_TASK', from 0 to 1, and 'eval_NAME_mean', in the metrics of the evaluation
    (what `trainer.evaluate()` returns and `metric_for_best_model` may name) and in
    `state.log_history`. `attach` has them logged, too, as W&B and TensorBoard show it.

    tasks     a reference or a Task object, or several
    name      what stands before the names of the metrics, and what the model is called in results
    every     so many steps; whenever the trainer evaluates without
    layer     of the hidden states whose mean over tokens is a sentence's vector; the last without
    settings  the fields of `lingprobe.Settings`
    The trainer has to know the tokenizer (`processing_class`). Where several processes train, the
    first one probes; weights that are sharded (FSDP, DeepSpeed ZeRO-3) cannot be.

        trainer.add_callback(ProbingCallback("ud/tense:UD_English-EWT", probes="logreg", seeds=1))
    """

    @keywords(options_of(run, without=["suite"]))
    def __init__(
        self,
        tasks: Any,
        name: str = "probing",
        every: int | None = None,
        layer: int = -1,
        **settings: Unpack[Settings],
    ) -> None:
        self.every, self.layer = every, layer
        self._steps = Steps(tasks, name, dict(settings))
        self._scores: dict[int, dict[str, float]] = {}
        self._log: Callable[[dict[str, float]], None] | None = None

    def attach(self, trainer: Any) -> None:
        """Add this to a trainer, and have it log the scores to wherever it reports."""
        trainer.add_callback(self)
        self._log = trainer.log

    @property
    def evaluations(self) -> dict[int, Evaluation]:
        """What was measured, by step, with tables and intervals."""
        return self._steps.evaluations

    def on_evaluate(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Measure, unless that is done every so many steps, and add the scores to the metrics."""
        if self.every is None:
            self._measure(state, given)
        given["metrics"].update(_of_first(self._scores.get(state.global_step, {})))

    def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Measure every so many steps."""
        if self.every is not None and state.global_step % self.every == 0:
            self._measure(state, given)

    def _measure(self, state: Any, given: dict[str, Any]) -> None:
        step = state.global_step
        if not state.is_world_process_zero or step in self.evaluations:
            return
        tokenizer = given.get("processing_class") or given.get("tokenizer")
        if tokenizer is None:
            raise UsageProblem(
                "the trainer knows no tokenizer: give it one, Trainer(processing_class=tokenizer)"
            )
        live = Live(self._steps.name, given["model"], tokenizer, self.layer)
        scores = self._steps.measure(live, step)
        self._scores[step] = {
            f"eval_{self._steps.name}_{task}": score for task, score in scores.items()
        }
        if self._log is None:
            state.log_history.append({**self._scores[step], "epoch": state.epoch, "step": step})
        else:
            self._log(dict(self._scores[step]))


def _of_first(scores: dict[str, float]) -> dict[str, float]:
    """The scores that the first of the processes that train together has."""
    if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
        return scores
    box = [scores]
    torch.distributed.broadcast_object_list(box, src=0)
    return box[0]


@dataclass(frozen=True)
class Live:
    """A transformers model that is loaded, with its tokenizer: the mean of a layer's hidden states
    over the tokens of a sentence. A digest of its weights stands for it.
    """

    name: str
    model: Any
    tokenizer: Any
    layer: int = -1

    takes = "sentences"

    @property
    def fingerprint(self) -> str:
        """Weights and modules, the vocabulary's size, and the layer."""
        return f"{model_digest(self.model)} {len(self.tokenizer)} layer={self.layer}"

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        training = self.model.training
        self.model.eval()
        try:
            # without a token to pad with, each sentence is a batch
            size = BATCH if self.tokenizer.pad_token is not None else 1
            texts = [sentence.text for sentence in sentences]
            parts = [self._means(texts[i : i + size]) for i in range(0, len(texts), size)]
        finally:
            self.model.train(training)
        return Vectors((np.concatenate(parts).astype(np.float32),))

    @torch.no_grad()
    def _means(self, texts: list[str]) -> Any:
        config = self.model.config
        longest = getattr(config, "max_position_embeddings", LONGEST)
        tokens = self.tokenizer(
            texts,
            padding=len(texts) > 1,
            truncation=True,
            max_length=min(longest, self.tokenizer.model_max_length),
            return_tensors="pt",
        ).to(self.model.device)
        encoder = self.model.get_encoder() if config.is_encoder_decoder else self.model.base_model
        known = {"input_ids": tokens["input_ids"], "attention_mask": tokens["attention_mask"]}
        states = encoder(**known, output_hidden_states=True).hidden_states[self.layer]
        mask = known["attention_mask"].unsqueeze(-1)
        summed = (states.float() * mask).sum(1)
        return (summed / mask.sum(1).clamp(min=1)).cpu().numpy()
