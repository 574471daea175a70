"""Data sets of tasks as a folder that can be published on the Hugging Face hub."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe.api.measure import run
from lingprobe.audit.data_card import (
    CHECKSUM_FILE,
    DATA_CARD_FILE,
    ONLY_CONFIG_AND_FOLDER,
    HubSet,
    UpperBound,
    card_text,
    checksum_files,
)
from lingprobe.audit.findings import Audit
from lingprobe.audit.hub_tools import largest_class, tool_files, tool_for
from lingprobe.audit.inspection import audit_dataset
from lingprobe.data.cache import write_text
from lingprobe.data.core import AnnotatedTask, DataProblem, Task
from lingprobe.data.digests import checksum_file
from lingprobe.data.errors import UsageProblem
from lingprobe.data.references import Reference, shorten_reference
from lingprobe.datasets.formats import hub_folder
from lingprobe.experiment.data import load_examples
from lingprobe.tasks import TASKS
from lingprobe.tasks.table import TableTask
from lingprobe.tasks.terms import DataSource, data_files, list_data_sources

_EXAMPLES = 5  # rows of each set that the card shows


class HubTask(NamedTuple):
    """A task to write: what the user gave, how it is written elsewhere, and the data it reads."""

    given: Any
    task: Task
    reference: str
    files: list[Path]
    sources: list[DataSource]

    @property
    def config(self) -> str:
        """What a folder of several sets calls it."""
        return re.sub(r"[^\w.-]+", "-", self.reference)


def write_hub(references: Sequence[Any], output: Path, licence: str | None) -> dict[str, Audit]:
    """Write the data sets of some tasks to a new folder, at once or not at all; the audit of each,
    by what it is called there. DataProblem for data that may not be published, unless a licence is
    stated.
    """
    output = output.expanduser().absolute()
    _check_place(output)
    tasks = [_find_sources(each) for each in references]
    _check_names(tasks)
    if licence is None:
        for source in (source for each in tasks for source in each.sources):
            _check_licence(source)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=".lingprobe-") as draft:
        folder = Path(draft) / output.name
        sets = [_write_set(each, folder, len(tasks) == 1) for each in tasks]
        write_text(folder / DATA_CARD_FILE, card_text(folder, sets, licence or ""))
        names = [f"{each.place}/{name}" for each in sets for name in each.files]
        for name, text in tool_files(folder, sets).items():
            write_text(folder / name, text)
            names.append(name)
        write_text(folder / CHECKSUM_FILE, checksum_files(folder, names))
        folder.replace(output)
    return {each.config: each.audit for each in sets}


def _check_place(output: Path) -> None:
    if not output.parent.is_dir():
        raise DataProblem(f"no folder {str(output.parent)!r} to write {output.name} into; make it")
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise DataProblem(f"{output} is there already; name another folder, or remove it")


def _check_names(tasks: Sequence[HubTask]) -> None:
    """Refuse no task, and two that a folder would call the same."""
    if not tasks:
        raise UsageProblem("a folder for the hub needs at least one task")
    names = [each.config for each in tasks]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise UsageProblem(f"two tasks would be called {twice}; write one of them elsewhere")


def _find_sources(given: Any) -> HubTask:
    task = TASKS.make(given) if isinstance(given, Reference) else given
    files = data_files(task)
    return HubTask(given, task, _write_reference(given), files, list_data_sources(task, files))


def _check_licence(source: DataSource) -> None:
    """Refuse data under NC or GPL, or whose licence nobody states: those that not everybody may
    use, change and share.
    """
    if not source.is_open:
        said = (
            f"under {source.licence}" if source.licence else "under no licence that is known here"
        )
        raise DataProblem(
            f"{source.name} is {said}, and only open data (CC BY, CC BY-SA, CC0 and the like) are"
            " written for the hub; if you may publish them, state the licence yourself:"
            " licence='...' (--licence)"
        )


def _write_set(hub_task: HubTask, folder: Path, alone: bool) -> HubSet:
    """Write the files of one set, and measure what its card says."""
    task = hub_task.task
    config, name = ONLY_CONFIG_AND_FOLDER if alone else (hub_task.config, hub_task.config)
    place = folder / name
    place.mkdir(parents=True)
    dataset = hub_folder.without_folders(load_examples(task))
    files = hub_folder.write_hub_folder(dataset, place)
    return HubSet(
        config,
        name,
        hub_task.reference,
        isinstance(hub_task.given, Reference),
        task.question,
        _read_back(task, place, folder.name if alone else f"{folder.name}/{name}"),
        hub_task.sources,
        {file.name: checksum_file(file) for file in hub_task.files},
        files,
        audit_dataset(dataset, rows=_EXAMPLES, metric=task.metric),
        _ceiling(hub_task),
        tool_for(dataset, task.metric),
        largest_class(dataset),
    )


def _write_reference(given: Any) -> str:
    """The task as it is written elsewhere: without defaults, and with names in place of paths."""
    if not isinstance(given, Reference):
        return str(given.name)
    short = Reference.parse(shorten_reference(TASKS, str(given)))
    options = tuple((key, _without_folder(value)) for key, value in short.options)
    argument = None if short.argument is None else _without_folder(short.argument)
    return str(Reference(short.name, argument, options))


def _without_folder(text: str) -> str:
    return Path(text).name if os.sep in text and Path(text).expanduser().exists() else text


def _read_back(task: Task, place: Path, shown: str) -> str:
    """The reference by which the files are read again: with what they do not say of the task."""
    table = TableTask(place)
    options = [("metric", task.metric), ("probe", task.probe), ("view", task.view)]
    usual = (table.metric, table.probe, table.view)
    differing = tuple(o for o, own in zip(options, usual, strict=True) if o[1] != own)
    return str(Reference("table", shown, differing))


def _ceiling(hub_task: HubTask) -> UpperBound | str:
    """The upper bound: what the task's probe scores on the gold annotation, fitted once, or why
    that is not known.
    """
    oracles = hub_task.task.oracles if isinstance(hub_task.task, AnnotatedTask) else {}
    if not oracles:
        return "the data have no annotation that their labels are derived from"
    with tempfile.TemporaryDirectory() as results:
        done = run([hub_task.given], ["gold"], seeds=1, baselines="none", output=results)
    if done.failures:
        return "; ".join(done.failures.values())
    (score,) = done
    return UpperBound(next(iter(oracles.values())), score.score, score.low, score.high)
