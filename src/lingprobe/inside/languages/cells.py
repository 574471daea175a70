"""The tasks of a matrix of sources and targets: treebanks with a question, or data sets of one's
own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lingprobe.api.arguments import as_list
from lingprobe.api.tables import tasks_given
from lingprobe.data.core import Task
from lingprobe.data.errors import UsageProblem
from lingprobe.data.references import Reference
from lingprobe.inside.languages.own_data import OwnTransfer
from lingprobe.inside.languages.transfer import name_places
from lingprobe.tasks import TASKS
from lingprobe.tasks.held_table import HeldTable

OWN_DATA_TASK = "table"  # the question of data of one's own
_RANKING = "auroc"


@dataclass(frozen=True, slots=True)
class CellSettings:
    """What all cells of a matrix have, as the options of `transfer`; `matched` is None where the
    data decide it.
    """

    by: str = ""
    centred: bool = False
    size: int | None = None
    matched: bool | None = None

    def options(self) -> dict[str, str]:
        """Those that are not as they are by default, as references have them."""
        training = "" if self.size is None else str(self.size)
        known = {"by": self.by, "training": training, "centred": "true" if self.centred else ""}
        return {name: value for name, value in known.items() if value}


def list_cells(task: Reference, train: Any, test: Any, settings: CellSettings) -> list[Any]:
    """The tasks of all pairs of a source and a target, and of each target with itself. UsageProblem
    where there is no source or target.
    """
    is_own = task.name == OWN_DATA_TASK
    named = [_list_data(each, task, is_own) for each in (train, test)]
    if not all(named):
        raise UsageProblem("name at least one treebank or table to train on, and one to test on")
    sources, targets = named
    if clash := [name for name in sources if targets.get(name, sources[name]) != sources[name]]:
        raise UsageProblem(f"two data sets are called {clash[0]!r}: give each its own name")
    every = {**sources, **targets}
    is_matched = not is_own if settings.matched is None else settings.matched
    if settings.by and not is_matched:
        raise UsageProblem(f"by={settings.by} matches data: add matched, or leave by out")
    held = [name for name, each in every.items() if each is not None]
    if held and is_matched:
        raise UsageProblem(f"{held[0]}: data in memory are not matched; write them to a file")
    if is_own and not is_matched:
        task = _share_metric(task, every)
    pairs = _pair([*sources], [*targets] if is_matched else [*every])
    if held:
        return _pair_data(task, pairs, every, settings)
    match = tuple(("match", bank) for bank in sorted(every)) if is_matched else ()
    options = [*match, *(() if is_matched else [("matched", "false")]), *settings.options().items()]
    return [
        Reference("transfer", s, (("task", str(task)), ("test", t), *options)) for s, t in pairs
    ]


def _list_data(data: Any, task: Reference, is_own: bool) -> dict[str, HeldTable | None]:
    """Data sets by place, or by name where they are in memory."""
    listed: list[Any] = as_list(data) if not isinstance(data, Mapping) else [data]
    if all(isinstance(each, str | os.PathLike) for each in listed):
        return {os.fspath(each): None for each in listed}
    if not is_own:
        raise UsageProblem(f"{task.name} is asked of treebanks: name folders or codes")
    if task.options:
        raise UsageProblem(f"{task}: data in memory have options by lingprobe.table(data, ...)")
    found = dict[str, HeldTable | None]()
    for each in tasks_given(data):
        if isinstance(each, HeldTable):
            found[each.name] = each
        elif isinstance(each, Reference) and each.name == OWN_DATA_TASK and not each.options:
            found[str(each.argument)] = None
        else:
            found[str(each)] = None
    return found


def _pair(sources: Sequence[str], targets: Sequence[str]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((s, t) for t in targets for s in (*sources, t)))


def _share_metric(task: Reference, every: Mapping[str, HeldTable | None]) -> Reference:
    """The question with the metric that all data sets are judged by."""
    made = [
        each or TASKS.make(Reference(OWN_DATA_TASK, k, task.options)) for k, each in every.items()
    ]
    metrics = {each.metric for each in made}
    return task.plus(metric=_RANKING) if len(metrics) > 1 and _RANKING in metrics else task


def _pair_data(
    task: Reference,
    pairs: Sequence[tuple[str, str]],
    every: Mapping[str, HeldTable | None],
    how: CellSettings,
) -> list[OwnTransfer]:
    """The tasks of pairs of data sets of which some are in memory."""
    names = name_places(every)
    known: dict[str, Reference | Task] = {
        name: Reference(OWN_DATA_TASK, name, task.options)
        if each is None
        else _set_metric(each, task)
        for name, each in every.items()
    }
    settings = how.size, 0, how.centred
    return [
        OwnTransfer(known[s], known[t], (names[s], names[t]), OWN_DATA_TASK, *settings)
        for s, t in pairs
    ]


def _set_metric(data: HeldTable, task: Reference) -> HeldTable:
    """Data in memory, judged by the metric that all have."""
    metric = dict(task.options).get("metric", data.metric)
    return replace(data, handling=replace(data.handling, metric=metric))
