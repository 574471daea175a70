"""Probing at steps of a training, in a loop of any kind."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MethodType
from typing import Any, Unpack, final

import torch

from lingprobe.analysis.frame import FrameRow, ResultFrame
from lingprobe.analysis.row import NO_CONTROL, PERCENT_SCALE, said_of
from lingprobe.analysis.score_columns import compute_scores
from lingprobe.api.arguments import takes_options
from lingprobe.api.evaluation import Evaluation
from lingprobe.api.measure import Settings, run
from lingprobe.api.options import RunOptions
from lingprobe.data.core import DataProblem
from lingprobe.pages.captions import shorten_task
from lingprobe.tasks.limits import LIMIT_OPTION

MEAN_SCORE_NAME, _SECONDS = "mean", "seconds"
_QUICK: Settings = {"probes": ("linear",), "seeds": 1, "limit": 4_000, "dtype": "none"}
"""What bounds the cost of a step where the user sets nothing else: a linear probe, fitted once on
at most so many examples, over vectors that are not kept.
"""
takes_settings = takes_options(RunOptions, without=["suite", "log_to"], usual=_QUICK)
"""What takes the settings of a step."""

log = logging.getLogger("lingprobe.integrations")


@final
class ProbingMonitor:
    """Probing in a training loop of your own, or in a LightningModule.

    tasks     a reference or a Task object, or several
    name      what stands before the names of the scores, and what the model is called in results
    settings  the fields of `lingprobe.Settings`; without them, a linear probe is fitted once, on at
              most 4,000 examples of each task

        probing = ProbingMonitor("ud/tense:UD_English-EWT")
        scores = probing(model, step)  # {'probing_mean': 0.71, ...}
    """

    @takes_settings
    def __init__(self, tasks: Any, name: str = "probing", **settings: Unpack[Settings]) -> None:
        self.tasks, self.name = tasks, name
        self._settings = settings
        self._evaluations: dict[int, Evaluation] = {}

    @property
    def evaluations(self) -> Mapping[int, Evaluation]:
        """What was measured, by step, with tables and intervals; -1 is the end."""
        return self._evaluations

    def __call__(self, encoder: Any, step: int = -1, module: Any = None) -> dict[str, float]:
        """The score of each task from 0 to 1 ('NAME_TASK'), their mean ('NAME_mean'), and how long
        that took ('NAME_seconds'). The training goes on as if nothing had been measured.

        encoder  what `lingprobe.run` takes: a model, or a function list[str] -> [n, dim]
        step     -1 at the end
        module   the torch module behind the encoder, which is in evaluation mode meanwhile; found
                 where the encoder is one, or a method of one
        """
        with keep_state(encoder if module is None else module):
            scores = self.measure(encoder, step)
        return {f"{self.name}_{task}": score for task, score in scores.items()}

    def measure(self, encoder: Any, step: int, **usual: Any) -> dict[str, float]:
        """The scores by task, their mean, and the seconds, under short names; the model is called
        'NAME step 100', so that no step takes the place of another.

        usual  settings that hold where the user gave none
        DataProblem where nothing could be measured.
        """
        began = time.perf_counter()
        called = self.name if step < 0 else f"{self.name} step {step}"
        settings: Any = {**_QUICK, **usual, **self._settings}
        evaluation = run(self.tasks, {called: encoder}, **settings)
        scores = _list_step_scores(evaluation, called, settings["limit"])
        if not scores:
            raise DataProblem(f"{called}: nothing could be measured: {evaluation.problems[0]}")
        for problem in evaluation.problems:
            log.warning("%s: %s", called, problem)
        self._evaluations[step] = evaluation
        mean = sum(scores.values()) / len(scores)
        return {**scores, MEAN_SCORE_NAME: mean, _SECONDS: time.perf_counter() - began}


def _list_step_scores(evaluation: Evaluation, encoder: str, limit: int | None) -> dict[str, float]:
    """The scores of an encoder from 0 to 1, by task, and layer and probe where it has several; the
    limit of all tasks is not part of their names.
    """
    scored = compute_scores(ResultFrame.of(evaluation.results))
    mine = scored.where(encoder=encoder, control=NO_CONTROL)
    layers = len({row.layer for row in mine}) > 1
    probes = len({row.probe for row in mine}) > 1

    def name(row: FrameRow) -> str:
        task = shorten_task(row.task.removesuffix(f",{LIMIT_OPTION}={limit}"))
        return task + (said_of(row.layer) if layers else "") + (f", {row.probe}" if probes else "")

    return {name(row): row.score / PERCENT_SCALE for row in mine}


@contextmanager
def keep_state(model: Any) -> Iterator[None]:
    """A model is in evaluation mode meanwhile, and then again as it was: each of its modules is in
    its mode again, and random numbers go on as if nothing had happened.

    model  a torch module, a method of a module, or a tuple that begins with one; others are left
           alone
    """
    first = model[0] if isinstance(model, tuple) and model else model
    owner = first.__self__ if isinstance(first, MethodType) else first
    modules = list(owner.modules()) if isinstance(owner, torch.nn.Module) else []
    modes = [module.training for module in modules]
    devices = (
        sorted({p.get_device() for p in modules[0].parameters() if p.is_cuda}) if modules else []
    )
    # turns gradients on, which validation loops turn off and some probes need
    with torch.random.fork_rng(devices), torch.inference_mode(False):
        try:
            for module in modules:
                module.training = False
            yield
        finally:
            for module, mode in zip(modules, modes, strict=True):
                module.training = mode
