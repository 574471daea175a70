"""A suite: the tasks of a paper under the paper's protocol, beside the paper's table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from sonde.core import DataProblem, Result
from sonde.encoders import ENCODERS
from sonde.experiment.plan import Wanted
from sonde.naming import Reference, ReferenceProblem, brief
from sonde.probes import PROBES
from sonde.published import Entry, Paper, Place, settled
from sonde.tasks import TASKS


class Column(NamedTuple):
    """A column of the table: the last name of its tasks (`tense` of `senteval/tense`), and the probe that the paper reads with."""

    task: str
    probe: str


class Floor(NamedTuple):
    """A baseline of the paper, by its name there: an encoder and the probe that reads it."""

    name: str
    encoder: str
    probe: str


@dataclass(frozen=True)
class Suite:
    """A paper's table and how to measure what stands in it.

    columns    one for each column of the paper's table, in its order
    families   families whose tasks of the columns' names may stand in the table ('senteval' for `senteval/tense`)
    runs       the tasks that a run measures, as one reference under the family's name; None where the data are not named
    missing    what to write where they are not
    different  why a result is not over the data of the paper's figures; '' where it is
    """

    name: str
    paper: Paper
    columns: tuple[Column, ...]
    families: tuple[str, ...]
    runs: Reference | None = None
    missing: str = ""
    floors: tuple[Floor, ...] = ()
    different: Callable[[Reference, Result], str] = lambda reference, result: "the tasks were built from other sentences"

    def tasks(self) -> list[Reference]:
        """The reference of each column's task; DataProblem where the suite does not say which data it runs on."""
        if self.runs is None:
            raise DataProblem(f"{self.name} does not say on what to run: {self.missing}")
        return [self.runs.named(f"{self.runs.name}/{column.task}") for column in self.columns]


def tasks_of(family: str, path: str | None, with_: tuple[str, ...] = (), task: tuple[str, ...] = ()) -> Reference:
    """The tasks of a family on some data; `task` holds options for all of them, as 'size=2000'. Raises ReferenceProblem."""
    wrong = next((text for text in task if "=" not in text), None)
    if wrong is not None:
        raise ReferenceProblem(f"task={wrong}: give an option of the tasks with its value, as task=size=2000")
    options = [(key, value) for key, _, value in (text.partition("=") for text in task)]
    return Reference(family, path, (*(("with", other) for other in with_), *options))


@dataclass(frozen=True, slots=True)
class Asked:
    """What a run of a suite leaves to its user."""

    encoders: Sequence[Any]
    controls: Sequence[str] = ("none",)
    seeds: int = 5
    reads: Sequence[str] = ()
    on_error: str = "raise"


def wanted(suite: Suite, asked: Asked) -> list[Wanted]:
    """What a run of the suite measures: every encoder with each column's own probe, and the paper's floors."""
    import inspect

    tasks = []
    for reference in suite.tasks():
        able = "on_error" in inspect.signature(TASKS.find(reference.name)).parameters
        tasks.append(reference.plus(on_error=asked.on_error) if able and asked.on_error != "raise" else reference)
    pairs = sorted(zip(suite.columns, tasks, strict=True), key=lambda pair: pair[0].probe)
    found = [
        Wanted([task for _, task in mine], asked.encoders, (probe,), asked.controls, asked.seeds, asked.reads)
        for probe, mine in groupby(pairs, key=lambda pair: pair[0].probe)
        if asked.encoders
    ]
    return [*found, *(Wanted(tasks, (floor.encoder,), (floor.probe,), asked.controls, asked.seeds) for floor in suite.floors)]


class Selected(NamedTuple):
    """The results that stand in a suite's table, and how many of its tasks' results were measured with other probes."""

    entries: tuple[Entry, ...]
    others: int


def selected(suite: Suite, results: Iterable[Result]) -> Selected:
    """The results that belong in the table: on its tasks, and with its probes."""
    floors = {(_canonical(f.probe), ENCODERS.canonical(f.encoder)): f.name for f in suite.floors}
    probes = [_canonical(column.probe) for column in suite.columns]
    groups: dict[tuple[Any, ...], list[Result]] = {}
    places: dict[tuple[str, str], Place | None] = {}  # finding out whether files are the published ones reads them
    others = 0
    for result in results:
        trial = result.trial
        data = trial.task, result.provenance.get("identities", {}).get(trial.task, "")
        if data not in places:
            places[data] = located(suite, trial.task, result)
        place = places[data]
        if place is None:
            continue
        floor = floors.get((trial.probe, trial.encoder), "")
        if floor or trial.probe == probes[place.column]:
            groups.setdefault((place, floor, trial.encoder, trial.read, trial.probe, trial.control), []).append(result)
        else:
            others += 1
    order = [floor.name for floor in suite.floors]
    entries = [Entry(key[0], key[1], tuple(mine)) for key, mine in groups.items()]
    return Selected(tuple(sorted(settled(entries), key=lambda e: order.index(e.floor) if e.floor else len(order))), others)


def located(suite: Suite, task: str, result: Result | None = None) -> Place | None:
    """Where a task's scores stand; None for a task that the table has no column for. Without a result, data count as different."""
    try:
        full = Reference.parse(task)
        short = Reference.parse(brief(TASKS, task)).without("fold", "on_error")
    except ReferenceProblem:
        return None
    family, _, last = short.name.rpartition("/")
    names = [column.task for column in suite.columns]
    if family not in suite.families or last not in names:
        return None
    why = "nothing was measured on it" if result is None else suite.different(full.without("fold"), result)
    return Place(names.index(last), str(short.named(f"{family}/*")), why)


def _canonical(probe: str) -> str:
    return PROBES.canonical(probe)
