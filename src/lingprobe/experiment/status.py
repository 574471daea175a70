"""How far a run is that may be at work on several machines: what of it is done, running, failed or
waiting, read from the store alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from lingprobe.data.references import shorten_reference
from lingprobe.encoders import ENCODERS
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.run import encoder_place
from lingprobe.store import plans
from lingprobe.store.claims import find_holder
from lingprobe.store.experiments import ExperimentRecord, TrialUnit
from lingprobe.store.failures import failure_of
from lingprobe.store.folder import BlockFolder, KeyIndex, Keys
from lingprobe.store.vectors import failures_in

State = Literal["done", "running", "failed", "waiting"]


@dataclass(frozen=True, slots=True)
class UnitStatus:
    """The state of a unit of work: trials that share their fit.

    task, encoder, probe, control  what is measured
    trials   how many they are
    state    done, running, failed, or waiting
    machine  where it runs or failed
    process  that is at it, where it runs
    since    it runs, in UTC
    why      it failed
    """

    task: str
    encoder: str
    probe: str
    control: str
    trials: int
    state: State
    machine: str = ""
    process: int | None = None
    since: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class EncodingStatus:
    """How far the vectors of an encoder are, in sentences that a run planned.

    done, running, failed, waiting  how many there are, are at work, could not be, are to be encoded
    machines  at work
    why       it failed
    """

    encoder: str
    done: int
    running: int
    failed: int
    waiting: int
    machines: tuple[str, ...] = ()
    why: str = ""


def list_unit_status(experiment: ExperimentRecord, paths: RunPaths) -> list[UnitStatus]:
    """How much of an experiment is done, running, failed and waiting, unit of work by unit."""
    known = paths.result_store().ids(experiment.ids)
    return [_unit(unit, known, paths) for unit in experiment.units]


def _unit(unit: TrialUnit, known: Collection[str], paths: RunPaths) -> UnitStatus:
    things = (
        unit.task,
        shorten_reference(ENCODERS, unit.encoder),
        unit.probe,
        unit.control,
        len(unit.ids),
    )
    if all(each in known for each in unit.ids):
        return UnitStatus(*things, "done")
    place = paths.result_store().place(unit.ids, unit.part)
    if (at_work := find_holder(place)) is not None:
        return UnitStatus(*things, "running", *at_work)
    if failure := failure_of(place):
        return UnitStatus(*things, "failed", failure.machine, why=failure.why)
    return UnitStatus(*things, "waiting")


def encodings_of(experiment: ExperimentRecord, paths: RunPaths) -> list[EncodingStatus]:
    """How far the vectors of each encoder of an experiment are, as far as some were planned."""
    names = {unit.vectors: unit.encoder for unit in experiment.units if unit.vectors}
    every = (_encoding(folder, encoder, paths) for folder, encoder in names.items())
    return [each for each in every if each.done or each.running or each.waiting or each.why]


def _encoding(name: str, encoder: str, paths: RunPaths) -> EncodingStatus:
    folder = paths.cache / "vectors" / name
    failure, failures = failure_of(encoder_place(paths.results, name)), failures_in(folder)
    sentences: dict[State, set[bytes]] = {"done": set(), "running": set(), "waiting": set()}
    machines = set[str]()
    for keys, state, machine in _list_planned_blocks(folder):
        machines |= {machine} - {""}
        sentences[state] |= set(map(bytes, keys))
    running = sentences["running"] - sentences["done"]
    left = sentences["waiting"] - sentences["done"] - running
    counts = {
        "done": len(sentences["done"]),
        "running": len(running),
        "failed": len(left & failures.keys()),
        "waiting": len(left - failures.keys()),
    }
    return EncodingStatus(
        shorten_reference(ENCODERS, encoder),
        **counts,
        machines=tuple(sorted(machines)),
        why=f"{failure.why} (on {failure.machine})" if failure else "",
    )


def _list_planned_blocks(folder: Path) -> Iterator[tuple[Keys, State, str]]:
    """The sentences of each planned block, how far they are, and the machine that is at them."""
    committed = BlockFolder(folder).refresh().blocks
    for path in sorted(folder.glob("*.plan")):
        if (plan := plans.read_encoding_plan(path)) is None:
            continue
        held = [
            block.array("keys") for block in committed if set(plan.slots) <= {*block.facts["slots"]}
        ]
        index = KeyIndex.of(np.concatenate(held)) if held else None
        for number in range(len(plan)):
            keys = plan.part(number)
            there = index.find(keys) >= 0 if index else np.zeros(len(keys), bool)
            at_work = None if there.all() else find_holder(plan.place(number))
            yield keys[there], "done", ""
            if at_work:
                yield keys[~there], "running", at_work.machine
            else:
                yield keys[~there], "waiting", ""
