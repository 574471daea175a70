"""Data sets of a run: read once a process, and what was learnt about them remembered, so that a cached run reads none."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from sonde.core import DataProblem, Dataset, Task
from sonde.experiment.identity import digest

_datasets: dict[str, Dataset] = {}


def loaded(task: Task, known: str) -> Dataset:
    """A task's data set, read once a process; `known` is the task's identity."""
    if known not in _datasets:
        _datasets[known] = task.load()
    return _datasets[known]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a plan must know of a task: how many folds its data ask for (1: one test set), or why it is refused."""

    folds: int = 1
    refused: str = ""


def facts(task: Task, known: str, cache: Path) -> Facts:
    """The facts of a task, read from the cache or found by loading its data."""
    file = cache / "facts" / f"{digest(known)}.json"
    try:
        return Facts(**json.loads(file.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        found = _find(task, known)
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(f".{os.getpid()}.part")
    draft.write_text(json.dumps(asdict(found)), "utf-8")
    draft.replace(file)
    return found


def _find(task: Task, known: str) -> Facts:
    try:
        folds = getattr(task, "folds", None)
        count = int(folds()) if callable(folds) else 1
        if count == 1:
            loaded(task, known)
        return Facts(count)
    except DataProblem as problem:
        return Facts(refused=str(problem))
