"""What a run would do, before it does it: nothing is encoded or fitted."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lingprobe.data.abilities import LookupEncoder, RemoteEncoder
from lingprobe.data.cache import format_bytes
from lingprobe.data.core import DataProblem, DeviceAwareEncoder, Encoder, Sentence
from lingprobe.experiment.durations import (
    PROCESS_START_SECONDS,
    estimate_encoding,
    estimate_fitting,
)
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import TrialPlan, group_refusals
from lingprobe.experiment.portions import split_groups
from lingprobe.experiment.provenance import runs_in
from lingprobe.experiment.room import bytes_of, left_of
from lingprobe.experiment.run import find_missing

_MINUTE, _HOUR = 60, 3600


@dataclass(frozen=True)
class Estimate:
    """What a run would do; printing it shows this.

    trials     how many it has
    known      how many of these were measured before
    fits       how many groups of trials are still to be fitted: the reads and seeds of one task,
               encoder, probe and control are one group, or several if they are much work
    sentences  how many sentences each encoder still has to encode, by its name
    bytes      the most bytes that are written of their vectors at a time, as far as their width is
               known
    seconds    about how long it takes, with one process on this machine
    untimed    encoders whose time is unknown, except baselines
    refused    what cannot be measured, and why
    receivers  where sentences are sent, by the name of the encoder that sends them
    computed   the precision and the kind of device that encoders run with, by their names, as far
               as they have a choice
    """

    trials: int
    known: int
    fits: int
    sentences: Mapping[str, int] = field(default_factory=dict)
    bytes: int = 0
    seconds: float = 0.0
    untimed: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    receivers: Mapping[str, str] = field(default_factory=dict)
    computed: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [
            f"{self.trials:,} trials, {self.known:,} of them measured before; {self.fits:,} jobs to"
            " do"
        ]
        lines += [
            f"{name}: {n:,} sentences to encode"
            + (f" in {self.computed[name]}" if name in self.computed else "")
            + (f", sent to {self.receivers[name]}" if name in self.receivers else "")
            for name, n in self.sentences.items()
        ]
        without = f", without encoding with {', '.join(self.untimed)}" if self.untimed else ""
        vectors = f"{format_bytes(self.bytes)} of vectors, " if self.bytes else ""
        lines.append(f"about {vectors}{_duration(self.seconds)}{without}")
        lines += [f"refused: {names}: {why}" for names, why in group_refusals(self.refused)]
        return "\n".join(lines)


def estimate_plan(plan: TrialPlan, paths: RunPaths) -> Estimate:
    """`--dry-run`: what a run of this plan would do, and about how long it would take."""
    known, groups = find_missing(plan, paths)
    store = paths.vector_store()
    sentences: dict[str, int] = {}
    size, untimed, start = 0, dict[str, None](), time.perf_counter()
    refused = dict(plan.refused)
    parts = split_groups(groups, paths)
    reading = time.perf_counter() - start  # as a run does, too
    seconds = PROCESS_START_SECONDS + reading + estimate_fitting(groups, paths) if groups else 0.0
    for part in parts:
        left = [(one, todo) for one in part.passes if (todo := left_of(one, store))]
        size = max(size, sum(bytes_of(one, todo, store) for one, todo in left))
        for one, todo in left:
            name = one.encoder.name
            if why := _lacks(one.encoder, todo):
                refused[name] = why
            sentences[name] = sentences.get(name, 0) + len(todo)
            took = estimate_encoding(one.encoder, one.slots, todo)
            seconds += took or 0.0
            if took is None:
                untimed[name] = None
    return Estimate(
        len(plan.trials),
        len(known),
        len(groups),
        sentences,
        size,
        seconds,
        tuple(untimed),
        refused,
        {
            each.name: each.sends_to
            for each in plan.encoders.values()
            if isinstance(each, RemoteEncoder)
        },
        {
            each.name: runs_in(each)
            for each in plan.encoders.values()
            if isinstance(each, DeviceAwareEncoder)
        },
    )


def _lacks(encoder: Encoder, sentences: Sequence[Sentence]) -> str:
    """What is wrong with vectors that there are already, such as sentences that they are not of; ''
    where nothing is.
    """
    try:
        if isinstance(encoder, LookupEncoder):
            encoder.check_there(sentences)
    except DataProblem as problem:
        return str(problem)
    return ""


def _duration(seconds: float) -> str:
    if seconds < 2 * _MINUTE:
        return f"{seconds:,.0f} s"
    if seconds < 2 * _HOUR:
        return f"{seconds / _MINUTE:,.0f} min"
    return f"{seconds / _HOUR:,.1f} h"
