"""Probing while a sentence-transformers model is trained."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Unpack

from lingprobe.api.evaluation import Evaluation
from lingprobe.api.measure import Settings
from lingprobe.integrations.steps import MEAN_SCORE_NAME, ProbingMonitor, keep_state, takes_settings

try:
    from sentence_transformers.sentence_transformer.evaluation import SentenceEvaluator
except ImportError:  # before version 6
    from sentence_transformers.evaluation import SentenceEvaluator


class ProbingEvaluator(SentenceEvaluator):  # type: ignore[misc]
    """An evaluator for `SentenceTransformerTrainer(evaluator=...)`, alone or in a
    `SequentialEvaluator`: the score of each task from 0 to 1, their mean, which is the primary
    metric, and how many seconds probing took.

    tasks     a reference or a Task object, or several
    name      what stands before the names of the metrics, and what the model is called in results
    settings  the fields of `lingprobe.Settings`; without them, a linear probe is fitted once, on at
              most 4,000 examples of each task; without `output`, results lie in the folder that the
              trainer names, under probing/

        evaluator = ProbingEvaluator("ud/tense:UD_English-EWT")
    """

    @takes_settings
    def __init__(self, tasks: Any, name: str = "probing", **settings: Unpack[Settings]) -> None:
        super().__init__()
        self.name, self.primary_metric, self.greater_is_better = name, MEAN_SCORE_NAME, True
        self._probing = ProbingMonitor(tasks, name, **settings)

    @property
    def evaluations(self) -> Mapping[int, Evaluation]:
        """What was measured, by step, with tables and intervals; -1 is the end."""
        return self._probing.evaluations

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: float = -1, steps: int = -1
    ) -> dict[str, float]:
        """Measure the model as it is; it goes on being trained as before."""
        usual = {} if output_path is None else {"output": Path(output_path) / "probing"}
        with keep_state(model):  # dropout would make each vector another
            scores = self._probing.measure(model, steps, **usual)
        metrics: dict[str, float] = self.prefix_name_to_metrics(scores, self.name)
        self.store_metrics_in_model_card_data(model, metrics, epoch, steps)
        return metrics
