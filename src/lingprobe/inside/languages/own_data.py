"""A probe trained on one data set of one's own and tested on another, both with the examples that
they have: nothing is matched, as it is between treebanks.

Trained and tested on one data set it is what `run` measures of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import ConfigurableTask, DataProblem, Dataset, SamplingOptions, Task
from lingprobe.data.digests import digest_texts
from lingprobe.data.identity import is_stated
from lingprobe.data.notes import SamplingNote
from lingprobe.data.references import Reference
from lingprobe.datasets.fold_plan import name_folds
from lingprobe.inside.languages.joining import (
    DEV_CODE,
    TEST_CODE,
    TRAIN_CODE,
    RowSelection,
    join_datasets,
)
from lingprobe.tasks import TASKS
from lingprobe.tasks.memory import CorpusCache

_DATA = "data"  # the stratum that says which data set an example is of
_MOST_SHARED = 0.5  # of the training examples that may be left out for their prompt
_LOADED: CorpusCache[Dataset] = CorpusCache()
"""The data sets that were read last, since each is in many cells of a table."""


@dataclass(frozen=True, slots=True)
class OwnTransfer:
    """A task that asks whether what a probe learnt of one data set holds on another.

    source, target  a task each, or its reference
    names           what the two are called
    asked           the task without its data, as results have it
    size            training examples at most; None for all
    """

    source: Reference | Task
    target: Reference | Task
    names: tuple[str, str]
    asked: str = "table"
    size: int | None = None
    seed: int = 0
    centred: bool = False
    fold: str | None = None
    tasks: tuple[Task, Task] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tasks", (_make(self.source), _make(self.target)))

    @property
    def name(self) -> str:
        """As a reference of `transfer` would be, were the data in files."""
        options = {"training": str(self.size or ""), "centred": "true" if self.centred else ""}
        options |= {"fold": self.fold or ""}
        plain = Reference("transfer", self.names[0], (("task", self.asked),))
        known = plain.plus(test=self.names[1], matched="false")
        return str(known.plus(**{key: value for key, value in options.items() if value}))

    @property
    def question(self) -> str:
        """What is asked."""
        return f"Learnt from {self.names[0]}, tested on {self.names[1]}: which label?"

    @property
    def metric(self) -> str:
        return self.tasks[0].metric

    @property
    def probe(self) -> str:
        return self.tasks[0].probe

    @property
    def view(self) -> str:
        view = self.tasks[0].view
        return f"{view}+centred" if self.centred else view

    @property
    def sampling(self) -> SamplingOptions:
        """What a run may set."""
        source, target = map(SamplingOptions.of, self.tasks)
        return SamplingOptions(fold=target.fold, on_error=source.on_error and target.on_error)

    @property
    def fingerprint(self) -> str:
        """Those of both data sets in order, and what decides what is taken of them."""
        how = f"{self.size} {self.seed} {self.centred}"
        return digest_texts(*map(_identify, self.tasks), how)

    def plus(self, **options: str) -> OwnTransfer:
        """The same two, of which another fold is tested, or bad rows are excluded."""
        fold = options.pop("fold", self.fold)
        source, target = (_set_options(each, options) for each in (self.source, self.target))
        return replace(self, source=source, target=target, fold=fold)

    def load(self) -> Dataset:
        """Train and dev of the source, test of the target. DataProblem for labels that the source
        does not have, and where the target's texts are all that it has.
        """
        target, folds = self._read(1, self.fold)
        is_same = _identify(self.tasks[0]) == _identify(self.tasks[1])
        source = target if is_same else self._read_source()
        for data, name in zip((source, target), self.names, strict=True):
            _check_labels(data, name)
        train, dev = source.rows("train"), source.rows("dev")
        remarks = list[str]()
        if not is_same:
            self._check_classes(source, target)
            free, remarks = self._leave_shared_out(source, target)
            train, dev = train[free[train]], dev[free[dev]]
        if self.size is not None and self.size < len(train):
            train = np.sort(np.random.default_rng([self.seed, 22]).permutation(train)[: self.size])
        parts = [
            RowSelection(source, train, TRAIN_CODE, self.names[0]),
            RowSelection(source, dev, DEV_CODE, self.names[0]),
            RowSelection(target, target.rows("test"), TEST_CODE, self.names[1]),
        ]
        unlabelled = [
            parts[0],
            RowSelection(target, target.rows("train"), TRAIN_CODE, self.names[1]),
        ]
        whole = join_datasets(parts, unlabelled if self.centred else (), source.labels.names, _DATA)
        sizes = {"train": len(train), "dev": len(dev), "test": len(parts[2].rows)}
        notes = {"matched": {"data": list(self.names), **sizes}, "remarks": remarks}
        return whole.with_notes(folds, **notes)

    def _read_source(self) -> Dataset:
        """The source, of whose folds the one with the number of the target's is left out."""
        plain, folds = self._read(0, None)
        if not (names := name_folds(plain.with_notes(folds))):
            return plain
        number = int(self.fold.partition("/")[0]) if self.fold else 1
        return self._read(0, names[(number - 1) % len(names)])[0]

    def _read(self, place: int, fold: str | None) -> tuple[Dataset, SamplingNote]:
        """A data set, and the folds that it asks for."""
        item, key = (self.source, self.target)[place], _identify(self.tasks[place])
        found = _LOADED.get((key, fold), lambda: _make(item, fold).load())
        sampled = found.notes.part(SamplingNote) or SamplingNote()
        return found, SamplingNote() if fold else SamplingNote(sampled.folds_needed, sampled.tested)

    def _check_classes(self, source: Dataset, target: Dataset) -> None:
        has = {name for name, many in source.labels.counts().items() if many}
        wanted = [name for name, many in target.labels.counts().items() if many]
        if unknown := [name for name in wanted if name not in has]:
            raise DataProblem(
                f"{self.names[1]} has the label {unknown[0]!r}, and {self.names[0]} has only"
                f" {', '.join(sorted(has)[:20])}: write the same labels in both"
            )

    def _leave_shared_out(
        self, source: Dataset, target: Dataset
    ) -> tuple[NDArray[np.bool_], list[str]]:
        """Training texts and prompts that are tested elsewhere are excluded and counted: which rows
        of the source are left, and what there is to say of it.
        """
        tested = target.take(target.rows("test"))
        train = source.splits == TRAIN_CODE
        of_text = _find_shared(_list_texts(source), _list_texts(tested))
        of_prompt = _find_shared(_list_prompts(source), _list_prompts(tested))
        remarks = []
        if of_prompt[train].mean() > _MOST_SHARED:
            remarks.append(
                f"{int(of_prompt[train].sum()):,} training examples of {self.names[0]} have a"
                f" prompt that is tested in {self.names[1]}"
            )
            of_prompt = np.zeros_like(of_prompt)
        shared = of_text | of_prompt
        if shared[train].all():
            raise DataProblem(
                f"all training texts of {self.names[0]} are tested in {self.names[1]}: nothing is"
                " left to learn from"
            )
        if shared[train].any():
            remarks.append(
                f"{int(shared[train].sum()):,} training examples of {self.names[0]} were excluded,"
                f" as {self.names[1]} tests their text or prompt"
            )
        return ~shared, remarks


def _make(item: Reference | Task, fold: str | None = None) -> Task:
    """The task of a data set, or of one fold of it."""
    chosen = _set_options(item, {"fold": fold} if fold else {})
    if isinstance(chosen, Reference):
        made: Task = TASKS.make(chosen)
        return made
    return chosen


def _set_options(item: Reference | Task, options: Mapping[str, str]) -> Reference | Task:
    if options and isinstance(item, Reference | ConfigurableTask):
        return item.plus(**options)
    return item


def _identify(task: Task) -> str:
    """What stands for the content of a data set."""
    return task.fingerprint if is_stated(task) else task.name


def _check_labels(data: Dataset, name: str) -> None:
    """DataProblem for labels that are no classes, and for questions about words of their own."""
    if data.labels.classes is None:
        raise DataProblem(f"{name}: its labels are no classes, so no other data are tested")
    if data.asked.shape[1]:
        raise DataProblem(f"{name}: its questions name words, so no other data are tested")


def _find_shared(
    ones: Sequence[object | None], others: Sequence[object | None]
) -> NDArray[np.bool_]:
    """Which of some values are among others; None is never."""
    known = set(others) - {None}
    return np.array([each in known for each in ones], bool)


def _list_texts(data: Dataset) -> list[tuple[str, ...]]:
    """The texts of each example."""
    texts = [" ".join(sentence.text.split()) for sentence in data.sentences]
    return [tuple(texts[k] for k in row) for row in data.sites[:, :, 0].tolist()]


def _list_prompts(data: Dataset) -> list[object | None]:
    """What stands before the response of each conversation."""
    prompts = [
        sentence.turns[:-1] if sentence.turns and sentence.turns[-1].role == "assistant" else None
        for sentence in data.sentences
    ]
    return [prompts[k] or None for k in data.sites[:, 0, 0].tolist()]
