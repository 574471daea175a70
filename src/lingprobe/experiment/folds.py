"""The first fold of a task, which decides what all folds share."""

from __future__ import annotations

from dataclasses import replace

from lingprobe.data.core import ConfigurableTask, Task
from lingprobe.data.identity import ContentIdentity
from lingprobe.data.latest import LruCache
from lingprobe.data.references import Reference, try_parse_reference
from lingprobe.experiment.data import task_identity
from lingprobe.experiment.groups import TrialGroup
from lingprobe.tasks import TASKS

_FIRST_FOLDS: LruCache[tuple[str, Task, ContentIdentity]] = LruCache(64)
"""First folds by the identity of another, with their references and identities."""


def first_fold(group: TrialGroup) -> TrialGroup:
    """The same group on the first fold of its task; itself where the task has no folds, or is their
    first.
    """
    parsed = try_parse_reference(group.trials[0].task)
    number, _, folds = dict(parsed.options if parsed else ()).get("fold", "").partition("/")
    if parsed is None or not folds or number == "1":
        return group
    key = str(group.ingredients.task)
    if (first := _FIRST_FOLDS.find(key)) is None:
        first = _make_first(group, parsed.without("fold").plus(fold=f"1/{folds}"))
        _FIRST_FOLDS.keep(key, first)
    reference, task, known = first
    trials = tuple(replace(trial, task=reference) for trial in group.trials)
    ingredients = group.ingredients._replace(task=known)
    return replace(group, task=task, trials=trials, ingredients=ingredients)


def _make_first(group: TrialGroup, reference: Reference) -> tuple[str, Task, ContentIdentity]:
    """The first fold of a group's task, which is called so."""
    if isinstance(group.task, ConfigurableTask):
        task: Task = group.task.plus(fold=dict(reference.options)["fold"])
        return task.name, task, task_identity(None, task)
    name = TASKS.canonical(reference)
    made = TASKS.make(name)
    return name, made, task_identity(name, made)
