"""What a run would do, before it does it: nothing is encoded or fitted."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from lingprobe.data.abilities import Remote
from lingprobe.data.core import Running, Sentence
from lingprobe.data.oracles import kind_of
from lingprobe.data.references import Reference
from lingprobe.encoders.model_files import Saved
from lingprobe.experiment.measure import Group
from lingprobe.experiment.paths import Paths
from lingprobe.experiment.plan import Plan, together
from lingprobe.experiment.portions import portions
from lingprobe.experiment.provenance import runs_in
from lingprobe.experiment.room import PIECES, bytes_of, left_of
from lingprobe.experiment.run import missing

USUAL = {"logreg": 0.3, "mlp": 0.5}
"""Seconds that a group of fits takes of some thousands of sentences, where none was timed here."""
OTHERWISE = 5.0
SIDE, ROUNDS = 512, 8  # of matrices that are multiplied to see how fast the machine is
MINUTE, HOUR = 60, 3600
UNIT = 1000


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
            f"{self.trials:,} trials, {self.known:,} of them measured before; {self.fits:,} groups"
            " of fits to do"
        ]
        lines += [
            f"{name}: {n:,} sentences to encode"
            + (f" in {self.computed[name]}" if name in self.computed else "")
            + (f", sent to {self.receivers[name]}" if name in self.receivers else "")
            for name, n in self.sentences.items()
        ]
        without = f", without encoding with {', '.join(self.untimed)}" if self.untimed else ""
        vectors = f"{_bytes(self.bytes)} of vectors, " if self.bytes else ""
        lines.append(f"about {vectors}{_duration(self.seconds)}{without}")
        lines += [f"refused: {names}: {why}" for names, why in together(self.refused)]
        return "\n".join(lines)


def estimate(plan: Plan, paths: Paths) -> Estimate:
    """What a run of this plan would do."""
    known, groups = missing(plan, paths)
    store = paths.vector_store()
    sentences: dict[str, int] = {}
    size, seconds, untimed = 0, _fitting(groups, paths), dict[str, None]()
    for part in portions(groups, paths):
        left = [(one, todo) for one in part.passes if (todo := left_of(one, store))]
        size = max(size, sum(bytes_of(one, todo, store) for one, todo in left))
        for one, todo in left:
            name = one.encoder.name
            sentences[name] = sentences.get(name, 0) + len(todo)
            if isinstance(one.encoder, Saved):
                seconds += _encoding(one.encoder, todo)
            elif kind_of(one.encoder) == "trained":
                untimed[name] = None
    return Estimate(
        len(plan.trials),
        len(known),
        len(groups),
        sentences,
        size,
        seconds,
        tuple(untimed),
        dict(plan.refused),
        {each.name: each.sends_to for each in plan.encoders.values() if isinstance(each, Remote)},
        {each.name: runs_in(each) for each in plan.encoders.values() if isinstance(each, Running)},
    )


def _fitting(groups: Sequence[Group], paths: Paths) -> float:
    """Seconds that groups take to fit: as long as those of their probe took before, on their task
    if it was timed. Settings of a probe are part of it, as they can take a hundred times as long.
    """
    timed: dict[tuple[str, ...], list[float]] = {}
    for trial, made_with in paths.result_store().facts():
        if took := made_with.get("fit_seconds"):
            for key in (trial.probe, trial.task), (trial.probe,):
                timed.setdefault(key, []).append(took)

    usual = {key: statistics.median(took) for key, took in timed.items()}

    def seconds(probe: str, task: str) -> float:
        otherwise = usual.get((probe,)) or USUAL.get(Reference.parse(probe).name, OTHERWISE)
        return usual.get((probe, task), otherwise)

    return sum(seconds(group.trials[0].probe, group.trials[0].task) for group in groups)


def _encoding(encoder: Saved, sentences: Iterable[Sentence]) -> float:
    """Seconds that a saved model takes over sentences: two operations for each weight and word
    piece, at the speed at which this machine multiplies matrices.
    """
    weights = [*encoder.files.folder.rglob("*.safetensors"), *encoder.files.folder.rglob("*.bin")]
    parameters = sum(path.stat().st_size for path in weights) / np.dtype(np.float32).itemsize
    pieces = sum(len(s.words) * PIECES for s in sentences)
    return 2 * parameters * pieces / _speed()


def _speed() -> float:
    """Operations a second of products of matrices in float32."""
    matrix = np.ones((SIDE, SIDE), np.float32)
    start = time.perf_counter()
    for _ in range(ROUNDS):
        matrix @ matrix
    return 2 * SIDE**3 * ROUNDS / (time.perf_counter() - start)


def _bytes(count: float) -> str:
    for unit in ("B", "KB", "MB"):
        if count < UNIT:
            return f"{count:,.0f} {unit}"
        count /= UNIT
    return f"{count:,.1f} GB"


def _duration(seconds: float) -> str:
    if seconds < 2 * MINUTE:
        return f"{seconds:,.0f} s"
    if seconds < 2 * HOUR:
        return f"{seconds / MINUTE:,.0f} min"
    return f"{seconds / HOUR:,.1f} h"
