"""Verdicts on encoders in words: a sentence for each, how to read it, and what to do next. They
stand above tables and open pages; `analysis.encoder_verdicts` decides them.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path

from lingprobe.analysis.comparison import CORRECTION
from lingprobe.analysis.encoder_verdicts import (
    POINT,
    EncoderVerdict,
    TaskVerdict,
    Verdicts,
    judge_encoders,
)
from lingprobe.analysis.row import CONSTANT
from lingprobe.data.core import Result
from lingprobe.data.references import try_parse_reference
from lingprobe.metrics.multiplicity import NAMES
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.groups import arrange_columns

SOME = 8  # encoders that have a sentence
FEW = 3  # tasks that a sentence names
PATIENCE = 1_000_000  # test examples, from which on nobody will have them


@dataclass(frozen=True, repr=False)
class Statement:
    """The verdicts on the encoders of some results; printing it shows them in words.

    verdicts  their values: iterate over `verdicts.encoders`
    names     of encoders and of tasks, by reference
    folder    of the results; None for those of the last run
    """

    verdicts: Verdicts
    names: Mapping[str, str]
    folder: Path | None = None

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each encoder, those first that are better on most tasks."""
        ranked = sorted(self.verdicts.encoders, key=lambda one: -len(one.where("better")))
        said = [self.sentence(one) for one in ranked[:SOME]]
        if len(ranked) > SOME:
            rest = len(ranked) - SOME
            said.append(f"`lingprobe compare{self.where}` has the verdicts on {rest} more.")
        return tuple(said)

    @property
    def lines(self) -> tuple[str, ...]:
        """The sentences, what they rest on, and what to do next."""
        if not self.verdicts.encoders:
            return (f"Only baselines were measured, so no encoder is judged. {self.next_step}",)
        return (*self.sentences, self.basis, self.next_step)

    @property
    def basis(self) -> str:
        """How layers were chosen, what was corrected for, and what was left out for speed."""
        return " ".join(self._basis())

    def _basis(self) -> Iterator[str]:
        yield (
            f"Verdicts and 95 % intervals [in brackets] are corrected for {self.verdicts.family}:"
            f" {NAMES[CORRECTION]}."
        )
        every = [one.where("answered by a baseline") for one in self.verdicts.encoders]
        if answered := [task for mine in every for task in mine]:
            yield f"Not counted: {self._name_answered(answered)}."
        is_open = [one.where("cannot be told") for one in self.verdicts.encoders]
        if any(not task.is_small for mine in is_open for task in mine):
            yield (
                "Numbers of test examples: for a power of 80 % if the difference is the one seen,"
                " or 1 point."
            )
        if self.verdicts.limit:
            yield (
                f"At most {self.verdicts.limit:,} examples per task: a first look, not to publish."
            )

    @property
    def layers(self) -> str:
        """The layer that was chosen of each encoder, and how all are shown."""
        chosen = [
            f"{self._name(one.encoder)}: "
            + ", ".join(f"{self._name(task.row.task)} {task.row.layer}" for task in one.tasks)
            for one in self.verdicts.encoders
            if any(task.layers > 1 for task in one.tasks)
        ]
        return (
            f"Layers are the best on dev, of up to {self.verdicts.layers} ({'; '.join(chosen)})."
            f" All layers: `lingprobe report{self.where} --read '*'`."
        )

    @property
    def next_step(self) -> str:
        """What would tell more."""
        judged, where = self.verdicts.encoders, self.where
        if not judged:
            return "Next: `lingprobe run -m MODEL` measures a model beside them."
        is_open = any(one.where("cannot be told") for one in judged)
        if is_open and self.verdicts.limit:
            return "Next: the same run without `--limit`, to decide more."
        if is_open:
            return f"Next: `lingprobe compare{where}` shows which differences could be found."
        if len(judged) > 1:
            return f"Next: `lingprobe compare{where} --pairs` tells the encoders apart."
        if one := self._with_one_layer():
            return f"Next: `-e {one},layers=all` shows in which layer it is."
        return f"Next: `lingprobe report{where} --html` shows errors, and how far to trust this."

    @property
    def where(self) -> str:
        """The folder as a command takes it."""
        if self.folder is None:
            return ""
        folder, here = self.folder.absolute(), Path.cwd()
        return (
            f" {shlex.quote(str(folder.relative_to(here) if here in folder.parents else folder))}"
        )

    def _with_one_layer(self) -> str:
        """A transformer of which one layer was read; '' where there is none."""
        one = try_parse_reference(self.verdicts.encoders[0].encoder)
        is_one = one is not None and one.name == "hf" and "layers" not in dict(one.options)
        return self.verdicts.encoders[0].encoder if is_one else ""

    def sentence(self, one: EncoderVerdict) -> str:
        """The verdict on an encoder."""
        name = self._name(one.encoder) + (f" ({one.probe})" if one.probe else "")
        answered = one.where("answered by a baseline")
        counted = [task for task in one.tasks if task not in answered]
        if not counted:
            return f"{name} is not judged here: {self._name_answered(answered)}."
        said = self._of_one(counted[0]) if len(counted) == 1 else self._of_several(one, counted)
        return f"{name}{_layer(counted)} {said}."

    def _of_one(self, task: TaskVerdict) -> str:
        """The verdict on one task."""
        best = f"the best baseline ({self._name(task.baseline.encoder)})"
        where, much = self._name(task.row.task), f"{_points(task)} points, n = {task.row.n:,}"
        if task.verdict == "cannot be told":
            told = f"cannot be told from {best} on {where} ({much})"
            return f"{told}: {_say_needed([task])}"
        return f"is {task.verdict} than {best} on {where} (by {much})"

    def _of_several(self, one: EncoderVerdict, counted: Sequence[TaskVerdict]) -> str:
        """The verdict on several tasks."""
        better, worse = one.where("better"), one.where("worse")
        is_open = one.where("cannot be told")
        many = f"{len(better) or 'none'} of {len(counted)}"
        if len(better) == len(counted):
            many = "both" if len(counted) == 2 else f"all {len(counted)}"
        which = "" if len(better) == len(counted) else self._list_names(better)
        parts = [f"is better than the best baseline on {many} tasks{which}{_range(better)}"]
        if worse:
            parts.append(f"worse on {len(worse)}{self._list_names(worse)}{_range(worse)}")
        if is_open:
            told = f"{len(is_open)} cannot be told{self._list_names(is_open)}"
            parts.append(f"{told}: {_say_needed(is_open)}")
        return ", ".join(parts[:-1]) + (", and " if len(parts) > 1 else "") + parts[-1]

    def _name_answered(self, tasks: Sequence[TaskVerdict]) -> str:
        """The tasks that baselines answer, with these."""
        by: dict[str, dict[str, None]] = {}
        for task in tasks:
            by.setdefault(self._name(task.baseline.encoder), {})[self._name(task.row.task)] = None
        return "; ".join(f"{', '.join(mine)}, which {name} answers" for name, mine in by.items())

    def _list_names(self, tasks: Sequence[TaskVerdict]) -> str:
        names = [self._name(task.row.task) for task in tasks]
        return f" ({', '.join(names)})" if 0 < len(names) <= FEW else ""

    def _name(self, reference: str) -> str:
        return self.names.get(reference, reference)

    def __iter__(self) -> Iterator[EncoderVerdict]:
        return iter(self.verdicts.encoders)

    def __len__(self) -> int:
        return len(self.verdicts.encoders)

    def __repr__(self) -> str:
        return f"Statement({len(self)} encoders, {self.verdicts.family})"

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def _repr_html_(self) -> str:
        return "".join(f"<p>{escape(line)}</p>" for line in self.lines)


def statement(results: Sequence[Result], folder: Path | None = None) -> Statement:
    """The verdicts on the encoders of some results, in words."""
    verdicts = judge_encoders(results)
    rows = [row for one in verdicts.encoders for t in one.tasks for row in (t.row, t.baseline)]
    columns = arrange_columns(list(dict.fromkeys(row.task for row in rows))) if rows else []
    tasks = {column.task: column.name for column in columns}
    if len(set(tasks.values())) < len(tasks):
        tasks = {c.task: f"{c.name} ({c.group})" if c.group else c.name for c in columns}
    encoders = label_encoders(dict.fromkeys(row.encoder for row in rows))
    constant = {CONSTANT: "one constant answer"}
    return Statement(verdicts, {**tasks, **encoders, **constant}, folder)


def _layer(tasks: Sequence[TaskVerdict]) -> str:
    """Which of several layers is judged."""
    of = sorted({task.layers for task in tasks if task.layers > 1})
    if not of:
        return ""
    best = "" if all(task.on_dev for task in tasks) else f"the best of {of[-1]} layers"
    layer = f"layer {tasks[0].row.layer}" if len(tasks) == 1 else ""
    return f", at {', '.join(filter(None, (layer, best)))}," if layer or best else ""


def _points(task: TaskVerdict) -> str:
    one = task.decision
    is_open = task.verdict == "cannot be told"
    low, high = (-one.high, -one.low) if task.verdict == "worse" else (one.low, one.high)
    value = f"{one.difference:+.1f}" if is_open else f"{abs(one.difference):.1f}"
    return f"{value} [{low:.1f}, {high:.1f}]".replace("-", "−")


def _range(tasks: Sequence[TaskVerdict]) -> str:
    """The smallest and the largest of some differences, with their intervals."""
    if not tasks:
        return ""
    ordered = sorted(tasks, key=lambda task: abs(task.decision.difference))
    ends = dict.fromkeys((_points(ordered[0]), _points(ordered[-1])))
    return f" (by {' to '.join(ends)} points)"


def _say_needed(tasks: Sequence[TaskVerdict]) -> str:
    """About how many test examples would decide some tasks, to two digits; or that a difference
    worth looking for would have been found.
    """
    needed = sorted(task.needed_examples for task in tasks if not task.is_small)
    if not needed:
        return f"a difference of {POINT:.0f} point would be found (power 80 %)"
    them = "it" if len(tasks) == 1 else "them" if len(needed) == len(tasks) else "some"
    if needed[-1] > PATIENCE:
        return f"more than {PATIENCE:,} test examples would decide {them}"
    ends = dict.fromkeys(f"{round_up(n):,}" for n in (needed[0], needed[-1]))
    return f"about {' to '.join(ends)} test examples would decide {them}"


def round_up(number: int) -> int:
    """A number to two digits, upwards."""
    unit = int(10 ** max(len(str(number)) - 2, 0))
    return -(-number // unit) * unit
