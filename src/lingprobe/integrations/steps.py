"""Steps of a training, each measured under a name of its own."""

from __future__ import annotations

import logging
from typing import Any

from lingprobe.analysis.row import NO_CONTROL, PERCENT
from lingprobe.analysis.rows import rows
from lingprobe.api.evaluation import Evaluation
from lingprobe.api.measure import run
from lingprobe.data.core import DataProblem
from lingprobe.pages.captions import short

MEAN = "mean"

log = logging.getLogger("lingprobe.integrations")


class Steps:
    """What is probed at steps of a training: tasks, what the model is called, and the settings of
    `lingprobe.run`.

    evaluations  what was measured, by step; -1 is the end
    """

    def __init__(self, tasks: Any, name: str, settings: dict[str, Any]) -> None:
        self.tasks, self.name, self.settings = tasks, name, settings
        self.evaluations: dict[int, Evaluation] = {}

    def measure(self, model: Any, step: int, **usual: Any) -> dict[str, float]:
        """The score of each task from 0 to 1, and their mean, under `MEAN`; the model is called
        'NAME step 100', so that no step takes the place of another.

        usual  settings that hold where the user gave none
        DataProblem where nothing could be measured.
        """
        called = self.name if step < 0 else f"{self.name} step {step}"
        evaluation = run(self.tasks, {called: model}, **{**usual, **self.settings})
        mine = [
            row
            for row in rows(evaluation.results)
            if row.encoder == called and row.control == NO_CONTROL
        ]
        if not mine:
            raise DataProblem(f"{called}: nothing could be measured: {evaluation.problems[0]}")
        for problem in evaluation.problems:
            log.warning("%s: %s", called, problem)
        self.evaluations[step] = evaluation
        several = len({row.probe for row in mine}) > 1
        scores = {
            short(row.task) + row.read + (f", {row.probe}" if several else ""): row.score / PERCENT
            for row in mine
        }
        return {**scores, MEAN: sum(scores.values()) / len(scores)}
