"""Data sets of a run: read once a process, and what was learnt about them remembered, so that a
cached run reads none.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from lingprobe.data._closure import digest_code, root_of
from lingprobe.data._foreign_code import foreign_code, one_line
from lingprobe.data.cache import FileProblem, recall_value, remember_value
from lingprobe.data.core import DataProblem, Dataset, Sentence, Task
from lingprobe.data.digests import RunningDigest, digest_texts
from lingprobe.data.identity import ContentIdentity, compute_identity, is_stated, mark_draw
from lingprobe.data.labels import Column
from lingprobe.data.notes import WordRule
from lingprobe.datasets.fold_plan import name_folds
from lingprobe.experiment.rules import best_word, measure_source_rule
from lingprobe.tasks import TASKS
from lingprobe.tasks.baselines import Unit, unit_of
from lingprobe.tasks.limits import LimitedTask

log = logging.getLogger("lingprobe.experiment")
_datasets: dict[str, Dataset] = {}


class TaskFault(DataProblem):
    """A task that fails otherwise than by saying what is wrong with its data; other tasks go on."""


@contextmanager
def guard_task(task: Task) -> Iterator[None]:
    """Tell any exception of a task as a DataProblem, so that one task's fault loses no other's
    table.
    """
    try:
        yield
    except DataProblem:
        raise
    except FileProblem as problem:  # as of a full disk: no fault of the task
        raise DataProblem(str(problem)) from problem
    except Exception as error:
        log.debug("%s", task.name, exc_info=error)
        raise TaskFault(
            f"{one_line(error)} (a bug in the task {task.name}, which should report what is wrong)"
        ) from error


def load_dataset(task: Task, identity: ContentIdentity) -> Dataset:
    """A task's data set, read once a process. Whatever goes wrong is a DataProblem."""
    key = str(identity)
    if key not in _datasets:
        _datasets[key] = load_examples(task)
    return _datasets[key]


def load_sentences(task: Task, identity: ContentIdentity) -> Sequence[Sentence]:
    """The sentences of a task's data set; none where it cannot be read, which is said when it is
    measured.
    """
    try:
        return load_dataset(task, identity).sentences
    except DataProblem:
        return ()


def load_examples(task: Task) -> Dataset:
    """A task's examples, read now; the task may be anybody's."""
    with guard_task(task), foreign_code(task.name):
        dataset = task.load()
        rule, source = best_word(dataset), measure_source_rule(dataset)
    word = WordRule(str(rule), rule.train, rule.test) if rule else None
    return dataset.with_notes(*filter(None, (word, source)))


def task_identity(reference: str | None, task: Task) -> ContentIdentity:
    """What decides a task's examples; one that does not say so by a `fingerprint` is read, and its
    examples say it.
    """
    whole = task.task if isinstance(task, LimitedTask) else task
    with guard_task(task):
        if is_stated(whole):
            return compute_identity(TASKS, reference, task)
        dataset = load_examples(task)
        drawn = mark_draw(reference or task.name)
        known = compute_identity(TASKS, reference, task, drawn + digest_examples(dataset))
    _datasets[str(known)] = dataset
    return known


def digest_examples(dataset: Dataset) -> str:
    """Thirty-two hexadecimal digits that stand for a data set's examples."""
    state, labels = RunningDigest(), dataset.labels
    for sentence in dataset.sentences:
        state.add(sentence.key)
    state.add(dataset.sites, dataset.splits, dataset.asked, *labels.arrays().values())
    state.add("\x1f".join([*labels.names, *dataset.vocabulary]))
    return state.hex()


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """What a plan must know of a task: the folds that its data ask for (none: one test set), or why
    it is refused.

    strata  that it writes
    unit    what it is about
    train   how many examples there are to learn from
    rest    how many others there are
    outputs how many labels there are; `sets`: whether an example may have several of them
    """

    folds: Sequence[str] = ()
    refused: str = ""
    strata: Sequence[str] = ()
    unit: Unit = "sentence"
    train: int = 0
    rest: int = 0
    outputs: int = 0
    sets: bool = False


def load_task_facts(task: Task, identity: ContentIdentity, cache: Path) -> PlanFacts:
    """The facts of a task, read from the cache or found by loading its data."""
    folder, key = cache / "facts", digest_texts(str(identity), digest_code(root_of(_find)))
    if remembered := recall_value(folder, key):
        return PlanFacts(**remembered)
    try:
        fresh = _find(task, identity)
    except TaskFault as fault:  # which may be gone the next time
        return PlanFacts(refused=str(fault))
    remember_value(folder, key, asdict(fresh))
    return fresh


def _refuse_equal_labels(labels: Column, what: str) -> str:
    """A task is refused whose labels are all the same: what is wrong with them; '' if nothing
    is.
    """
    if not len(labels) or labels.vary():
        return ""
    label = labels.label(0)
    if isinstance(label, str | float):
        same = f"one label, {label!r}"
    else:
        same = f"the same labels ({', '.join(sorted(map(str, label))) or 'none'})"
    return f"all {len(labels):,} {what}examples have {same}: there is nothing to predict"


def _find(task: Task, known: ContentIdentity) -> PlanFacts:
    """The facts of a task, by loading its data; one that cannot be measured is refused."""
    try:
        dataset = load_dataset(task, known)
        train = dataset.rows("train")
        return PlanFacts(
            name_folds(dataset),
            _refuse_equal_labels(dataset.labels, "")
            or _refuse_equal_labels(dataset.labels.take(train), "training ")
            or dataset.labels.problem(),
            strata=sorted(dataset.strata),
            unit=unit_of(dataset),
            train=len(train),
            rest=len(dataset) - len(train),
            outputs=len(dataset.labels.names),
            sets=dataset.labels.classes is None and dataset.labels.numbers is None,
        )
    except TaskFault:
        raise
    except DataProblem as problem:
        return PlanFacts(refused=str(problem))
