"""The first fold of a task, which decides what all folds share."""

from __future__ import annotations

from dataclasses import replace

from lingprobe.data.core import Settable
from lingprobe.data.references import try_parse_reference
from lingprobe.experiment.data import task_identity
from lingprobe.experiment.groups import Group
from lingprobe.tasks import TASKS


def first_fold(group: Group) -> Group:
    """The same group on the first fold of its task; itself where the task has no folds, or is their
    first.
    """
    parsed = try_parse_reference(group.trials[0].task)
    number, _, folds = dict(parsed.options if parsed else ()).get("fold", "").partition("/")
    if parsed is None or not folds or number == "1":
        return group
    fold = f"1/{folds}"
    if isinstance(group.task, Settable):
        task = group.task.plus(fold=fold)
        reference, known = task.name, task_identity(None, task)
    else:
        reference = TASKS.canonical(parsed.without("fold").plus(fold=fold))
        task = TASKS.make(reference)
        known = task_identity(reference, task)
    trials = tuple(replace(trial, task=reference) for trial in group.trials)
    ingredients = group.ingredients._replace(task=known)
    return replace(group, task=task, trials=trials, ingredients=ingredients)
