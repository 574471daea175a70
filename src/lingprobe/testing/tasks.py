"""What every task promises: a question, the same examples each time, honest splits, notes that can
be written down.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from lingprobe.corpora.marks import fold_form
from lingprobe.data.core import DATA_SPLITS, Dataset, Task, needs_of
from lingprobe.data.labels import Column
from lingprobe.data.oracles import facts_of, oracles_of
from lingprobe.data.reading import parse_view
from lingprobe.data.references import allow_code
from lingprobe.metrics import METRICS, MetricProblem
from lingprobe.probes import PROBES
from lingprobe.tasks import TASKS


def check_task(task: Task | str, *, sentences_may_recur: bool = False) -> None:
    """A task, or the reference of one, keeps every promise of a task.

    sentences_may_recur  for data whose official splits share sentences, as pairs drawn from one
                         pool do
    """
    allow_code(task)
    made: Task = TASKS.make(task) if isinstance(task, str) else task
    assert made.name, "a task needs a name: tables show it"
    assert made.question.strip().endswith("?"), (
        f"the question of {made.name} should end with '?', found {made.question!r}"
    )
    parse_view(made.view)
    first, second = made.load(), made.load()
    allow_code(made.probe, made.metric)
    probe = PROBES.make(made.probe)
    check_dataset(
        first,
        sentences_may_recur=sentences_may_recur,
        splits=DATA_SPLITS if needs_of(probe).train else ("test",),
    )
    same_dataset(
        first,
        second,
        f"loading {made.name} twice gave different examples; seed every random choice with a"
        " setting of the task",
    )
    _check_oracles(made, first)
    gold = first.labels.take(first.rows("test"))
    try:
        METRICS.make(made.metric)(gold, gold)
    except MetricProblem as problem:
        raise AssertionError(
            f"the metric of {made.name} cannot judge its labels: {problem}"
        ) from problem


def check_dataset(
    dataset: Dataset, *, sentences_may_recur: bool = False, splits: Sequence[str] = DATA_SPLITS
) -> None:
    """A data set is sound: arrays agree, every split has examples of every label, splits share no
    sentence and no target form.

    splits  those that it must have; test alone for a probe that learns nothing
    """
    _check_arrays(dataset)
    _check_labels(dataset, splits)
    if not sentences_may_recur:
        words = [
            {dataset.sentences[s].words for s in dataset.sites[dataset.rows(name), :, 0].ravel()}
            for name in DATA_SPLITS
        ]
        for a, b in combinations(range(len(DATA_SPLITS)), 2):
            shared = words[a] & words[b]
            shown = " ".join(next(iter(shared), ()))
            assert not shared, (
                f"{len(shared)} sentences are in {DATA_SPLITS[a]} and in {DATA_SPLITS[b]}, for"
                f" example {shown!r}: keep splits apart"
            )
    if "target" in dataset.strata:
        _check_targets(dataset)
    try:
        json.dumps(dict(dataset.notes), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise AssertionError(
            "notes must be plain JSON (strings, finite numbers, lists, mappings by string), but:"
            f" {error}"
        ) from error


def _check_oracles(task: Task, dataset: Dataset) -> None:
    """Every oracle says in a sentence what it holds, and has facts for the data set's sentences."""
    for oracle, holds in oracles_of(task).items():
        assert holds.strip(), f"oracle {oracle!r} of {task.name} does not describe its content"
        known = facts_of(task, oracle, dataset)
        stated = {fact for facts in known.values() for unit in facts for fact in unit}
        assert stated, f"oracle {oracle!r} of {task.name} has no facts at all"
        assert all(fact for fact in stated), f"oracle {oracle!r} of {task.name} has an empty fact"


def same_dataset(a: Dataset, b: Dataset, message: str = "the data sets differ") -> None:
    """Two data sets hold the same examples, labels, splits, asked words, strata and notes."""
    assert a.sentences == b.sentences, f"{message} (sentences)"
    assert np.array_equal(a.sites, b.sites), f"{message} (sites)"
    assert np.array_equal(a.splits, b.splits), f"{message} (splits)"
    assert np.array_equal(a.asked, b.asked), f"{message} (asked)"
    assert a.vocabulary == b.vocabulary, f"{message} (asked words)"
    same_labels(a.labels, b.labels, f"{message} (labels)")
    assert {k: t.names for k, t in a.strata.items()} == {k: t.names for k, t in b.strata.items()}, (
        f"{message} (strata)"
    )
    assert all(np.array_equal(t.codes, b.strata[k].codes) for k, t in a.strata.items()), (
        f"{message} (strata)"
    )
    assert json.dumps(dict(a.notes), sort_keys=True) == json.dumps(dict(b.notes), sort_keys=True), (
        f"{message} (notes)"
    )


def same_labels(a: Column, b: Column, message: str = "the labels differ") -> None:
    """Two label columns are equal."""
    assert (a.loss, a.names) == (b.loss, b.names), message
    assert a.partial == b.partial, message
    here, there = a.arrays(), b.arrays()
    assert all(
        np.array_equal(values, there[key], equal_nan=True) for key, values in here.items()
    ), message


def _check_arrays(dataset: Dataset) -> None:
    _check_columns(dataset)
    sentence, start, stop = np.moveaxis(dataset.sites, 2, 0)
    assert dataset.sites.dtype == np.int64, f"sites are {dataset.sites.dtype}, not int64"
    assert dataset.sites.shape[1] > 0, "an example needs at least one site"
    assert ((sentence >= 0) & (sentence < len(dataset.sentences))).all(), (
        "a site names a sentence that is not there"
    )
    sizes = np.array([len(s.words) for s in dataset.sentences], np.int64)[sentence]
    spans = (start >= 0) & (start < stop) & (stop <= sizes)
    assert (spans | ((start == -1) & (stop == -1))).all(), (
        "a span lies outside its sentence, or is empty"
    )
    assert len(set(dataset.sentences)) == len(dataset.sentences), (
        "sentences are listed twice; list the distinct ones"
    )
    assert np.isin(dataset.splits, range(len(DATA_SPLITS))).all(), (
        "splits are 0 (train), 1 (dev) and 2 (test)"
    )


def _check_columns(dataset: Dataset) -> None:
    n = len(dataset)
    for what, column in (("labels", dataset.labels), ("splits", dataset.splits)):
        assert len(column) == n, f"{len(column)} {what} for {n} examples"
    assert len(dataset.asked) == n, f"{len(dataset.asked)} asked for {n} examples"
    asked = (dataset.asked >= 0) & (dataset.asked < len(dataset.vocabulary))
    assert asked.all(), "an asked word is not in the vocabulary"
    for key, tags in dataset.strata.items():
        assert len(tags.codes) == n, f"{len(tags.codes)} stratum {key!r} for {n} examples"
        assert ((tags.codes >= -1) & (tags.codes < len(tags.names))).all(), (
            f"stratum {key!r} has a code without a name"
        )


def _check_labels(dataset: Dataset, splits: Sequence[str]) -> None:
    labels = dataset.labels
    for name in splits:
        assert len(dataset.rows(name)), (
            f"no examples in {name}; carve a split with lingprobe.datasets.carve_dev, or sample one"
        )
    assert not labels.problem(), labels.problem()
    for name in splits if labels.classes is not None else ():
        counts = labels.take(dataset.rows(name)).counts()
        absent = [label for label, n in counts.items() if not n]
        assert not absent, f"{name} has no example of {', '.join(absent[:5])}"


def _check_targets(dataset: Dataset) -> None:
    tags = dataset.strata["target"]
    forms = [
        {fold_form(tags.names[c]) for c in tags.codes[dataset.rows(name)] if c >= 0}
        for name in DATA_SPLITS
    ]
    for a, b in combinations(range(len(DATA_SPLITS)), 2):
        shared = forms[a] & forms[b]
        assert not shared, (
            f"target forms are in {DATA_SPLITS[a]} and in {DATA_SPLITS[b]}:"
            f" {', '.join(sorted(shared)[:5])}"
        )
