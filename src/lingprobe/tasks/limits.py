"""A task with a part of its examples: `limit=100` beside any task's options, for a first look."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from lingprobe.corpora.files import uncompressed_path
from lingprobe.corpora.places import find_treebank_folders, get_treebank_folder
from lingprobe.data.core import (
    DATA_SPLITS,
    AnnotatedTask,
    Dataset,
    Facts,
    SamplingOptions,
    Sentence,
    Task,
)
from lingprobe.data.oracles import ReferenceLines
from lingprobe.data.references import Contents, HasExpand, Reference, ReferenceProblem
from lingprobe.data.vectors import Ints
from lingprobe.datasets.formats.folders import TABLE_SUFFIXES, no_table
from lingprobe.datasets.splits import apportion_total

LIMIT_OPTION = "limit"
_LEAST = len(DATA_SPLITS)
# a score over three test examples is worth nothing: dev keeps a sixth, and test a third, as far as
# so many examples
_SHARES, _MOST = np.array([0, 1 / 6, 1 / 3]), np.array([0, 50, 100])


@dataclass(frozen=True)
class LimitedTask:
    """At most so many examples of a task, spread over its splits and classes as all are, but for
    enough of them in dev and test; it is not divided into folds.
    """

    task: Task
    limit: int

    @property
    def name(self) -> str:
        """The task's name, marked."""
        return f"{self.task.name},{LIMIT_OPTION}={self.limit}"

    @property
    def question(self) -> str:
        return self.task.question

    @property
    def reference_lines(self) -> Sequence[str]:
        """Those of the task."""
        return self.task.reference_lines if isinstance(self.task, ReferenceLines) else ()

    @property
    def metric(self) -> str:
        return self.task.metric

    @property
    def probe(self) -> str:
        return self.task.probe

    @property
    def view(self) -> str:
        return self.task.view

    @property
    def oracles(self) -> Mapping[str, str]:
        """Those of the task."""
        return self.task.oracles if isinstance(self.task, AnnotatedTask) else {}

    @property
    def sampling(self) -> SamplingOptions:
        """What a run may set."""
        return SamplingOptions(on_error=SamplingOptions.of(self.task).on_error)

    def facts(self, oracle: str, sentences: Collection[Sentence]) -> Mapping[Sentence, Facts]:
        """What the task's oracle says of these sentences."""
        return self.task.facts(oracle, sentences) if isinstance(self.task, AnnotatedTask) else {}

    def load(self) -> Dataset:
        """`--limit`: some of the task's examples, with their sentences."""
        whole = self.task.load()
        if len(whole) <= self.limit:
            return whole
        rows = [whole.rows(split) for split in DATA_SPLITS]
        sizes = np.array([len(each) for each in rows], np.float64)
        least = np.minimum(
            sizes, np.maximum(np.minimum(self.limit * _SHARES, _MOST).astype(int), 1)
        )
        many = np.maximum(apportion_total(self.limit, sizes), least.astype(int))
        many[many.argmax()] -= max(many.sum() - self.limit, 0)
        codes = whole.labels.codes_to_balance()
        parts = [_spread(each, codes, int(n)) for each, n in zip(rows, many, strict=True)]
        return _drop_unused_sentences(whole.take(np.sort(np.concatenate(parts))))


def _spread(rows: Ints, codes: Ints, number: int) -> Ints:
    """So many of the rows, each class in proportion, evenly over the order that they have."""
    ordered = rows[np.argsort(codes[rows], kind="stable")]
    taken: Ints = ordered[np.arange(number) * len(ordered) // max(number, 1)]
    return taken


def _drop_unused_sentences(dataset: Dataset) -> Dataset:
    """The data set without sentences that no example is about."""
    used, sites = np.unique(dataset.sites[:, :, 0], return_inverse=True)
    numbers = sites.reshape(dataset.sites.shape[:2])
    return replace(
        dataset,
        sentences=tuple(dataset.sentences[i] for i in used.tolist()),
        sites=np.concatenate([numbers[:, :, None], dataset.sites[:, :, 1:]], axis=2),
    )


class TaskContents(Contents):
    """The table of contents of tasks: each takes `limit` beside its own options, and the name of a
    table's file stands for the task that reads it.
    """

    def expand(self, reference: str | Reference) -> list[Reference]:
        """The references that a pattern stands for: of names (`ud/*:PATH`), of treebanks
        (`ud/feat:*`, `ud/feat:UD_Finnish-*`), or of an option that depends on the data
        (`feature=*`). A table's name stands for the table.
        """
        names = super().expand(self._as_task(reference))
        placed = [one for each in names for one in _expand_treebanks(each)]
        return [one for each in placed for one in self._expand_options(each)]

    def _expand_options(self, reference: Reference) -> Sequence[Reference]:
        if not any("*" in value for _, value in reference.options):
            return [reference]
        factory = self.find(reference.name)
        return factory.expand(reference) if isinstance(factory, HasExpand) else [reference]

    def make(self, reference: str | Reference) -> Any:
        """The task that a reference names."""
        parsed = self._as_task(reference)
        task: Task = super().make(parsed.without(LIMIT_OPTION))
        limit = _limit(parsed)
        return task if limit is None else LimitedTask(task, limit)

    def canonical(self, reference: str | Reference) -> str:
        """The reference with defaults filled in, and with its limit where it has one."""
        parsed = self._as_task(reference)
        whole = Reference.parse(super().canonical(parsed.without(LIMIT_OPTION)))
        limit = _limit(parsed)
        return str(whole if limit is None else whole.plus(**{LIMIT_OPTION: str(limit)}))

    def _unknown(self, name: str, places: Iterable[str]) -> str:
        if not Path(unquote(name)).is_file():
            return super()._unknown(name, places)
        return f"{no_table(name)}; other files need a task: table:{name}, edge/tags:{name}"

    def _as_task(self, reference: str | Reference) -> Reference:
        """The reference of a task; `mine.csv`, a folder and `hf://datasets/...`, which name tables,
        are `table:mine.csv` and so on.
        """
        parsed = Reference.parse(reference) if isinstance(reference, str) else reference
        path = Path(unquote(parsed.name))
        if parsed.argument is None and "@" not in parsed.name:
            is_file = uncompressed_path(path).suffix.lower() in TABLE_SUFFIXES
            if is_file or (path.is_dir() and parsed.name not in self.places()):
                return Reference("table", str(path), parsed.options)
        if parsed.name == "hf" and (parsed.argument or "").startswith("//datasets/"):
            return Reference("table", f"hf:{parsed.argument}", parsed.options)
        return parsed


def _expand_treebanks(reference: Reference) -> list[Reference]:
    """The reference on each treebank here that its argument fits: all for `*`, or those of a
    pattern that begins with UD_. ReferenceProblem where there is none.
    """
    pattern = reference.argument or ""
    if "*" not in pattern or not (pattern == "*" or pattern.startswith("UD_")):
        return [reference]
    shelf = get_treebank_folder() or Path()
    banks = [bank for bank in find_treebank_folders(shelf) if fnmatchcase(bank.name, pattern)]
    if not banks:
        raise ReferenceProblem(
            f"{reference.name}:{pattern}: no such treebank is in {shelf.absolute()}; set"
            " LINGPROBE_TREEBANKS to a folder with UD_* folders, or name a treebank"
        )
    return [
        replace(reference, argument=bank.name if get_treebank_folder() else str(bank))
        for bank in banks
    ]


def _limit(reference: Reference) -> int | None:
    """How many examples a reference asks for at most; None for all."""
    values = [value for key, value in reference.options if key == LIMIT_OPTION]
    if not values:
        return None
    if not values[-1].isdecimal() or int(values[-1]) < _LEAST:
        raise ReferenceProblem(
            f"{reference.name},{LIMIT_OPTION}={values[-1]}: not a whole number of at least"
            f" {_LEAST}, one example for each split"
        )
    return int(values[-1])
