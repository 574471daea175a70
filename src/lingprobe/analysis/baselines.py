"""What anything has to beat before its score says anything: answers that are the same for every
example, and, of a stratum, what its labels alone would score.

Far words are punctuation more often than near ones, and mentions that were seen together in train
corefer more often than others. A score by distance, or by what was seen, then moves with the
labels, whatever an encoder knows. So beside it stands what *all* test examples score with labels
weighted to be as frequent as here (indirect standardisation, as of deaths in a town of old people).
Weighting each stratum to one mix instead would leave out most labels: determiners stand near their
nouns, and hardly any value of distance has all relations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lingprobe.analysis.row import CONSTANT, ResultRow
from lingprobe.analysis.rows import (
    repeats,
    rows,
    strip_fold,
)
from lingprobe.data.core import Result
from lingprobe.data.labels import Column
from lingprobe.data.vectors import Ints
from lingprobe.metrics import Metric, constant_result
from lingprobe.metrics.metric import Doubles, sum_blocks

SPOKEN = {"class": "one label", "prevalent": "the {} that half have", "set": "best set of {}"}


def constant_rows(results: Sequence[Result]) -> list[ResultRow]:
    """A row for each constant answer of each task whose labels are sets, or may be answered with
    sets; chosen on train.
    """
    by_task: dict[str, list[Result]] = {}
    for result in results:
        if result.trial.control == "none" and "set" in (result.provenance.constants or ()):
            by_task.setdefault(strip_fold(result.trial.task), []).append(result)
    return [row for mine in by_task.values() for row in _rows(mine)]


def _rows(mine: Sequence[Result]) -> list[ResultRow]:
    """The constants of one task, each different answer once, the best set last."""
    first = mine[0].trial
    folds = repeats(
        r
        for r in mine
        if (r.trial.encoder, r.trial.read, r.trial.probe)
        == (first.encoder, first.read, first.probe)
    )[0]
    kinds: dict[tuple[str, ...], str] = {}
    constants = folds[0].provenance.constants or {}
    for kind in SPOKEN:
        kinds.setdefault(tuple(sorted(constants[kind])), kind)
    return [_row(folds, kind, len(labels)) for labels, kind in kinds.items() if labels]


def _row(folds: Sequence[Result], kind: str, many: int) -> ResultRow:
    (row,) = rows(constant_result(fold, kind) for fold in folds)
    row = replace(
        row, encoder=CONSTANT, kind="baseline", layer="-", probe=SPOKEN[kind].format(many)
    )
    return replace(
        row,
        is_seeded=False,
        unusable=0,
        cut=0,
        unseen=0,
        beyond=0,
        unaligned=0,
        partial=0,
        held=0,
        beyond_are="",
        unaligned_are="",
    )


def expected_metric(metric: Metric, gold: Column, rows: Ints) -> Metric | None:
    """The metric over all examples, `gold`, with labels as frequent as in some of them, `rows`;
    None where gold are scores.
    """
    weights = weights_of(gold, rows)
    if weights is None:
        return None

    def sums(gold: Column, predicted: Column, blocks: Ints, many: int) -> Doubles:
        each = metric.sums(gold, predicted, np.arange(len(gold)), len(gold))
        return sum_blocks(each * _example_weights(gold, weights)[:, None], blocks, many)

    return Metric(f"{metric.name}, expected", sums, metric.value, metric.least)


def beyond(metric: Metric, gold: Column, rows: Ints) -> Metric | None:
    """How much higher the metric over some examples, `rows`, is than their labels let expect; of
    answers to all examples only.
    """
    whole = expected_metric(metric, gold, rows)
    if whole is None:
        return None

    def sums(gold: Column, predicted: Column, blocks: Ints, many: int) -> Doubles:
        mine = metric.sums(gold.take(rows), predicted.take(rows), blocks[rows], many)
        return np.concatenate([mine, whole.sums(gold, predicted, blocks, many)], 1)

    def value(sums: Doubles) -> Doubles:
        mine, all_ = np.split(sums, 2, -1)
        return np.asarray(metric.value(mine) - metric.value(all_), np.float64)

    def influence(gold: Column, predicted: Column) -> Doubles:
        speeds = -whole.influences(gold, predicted)
        speeds[rows] += metric.influences(gold.take(rows), predicted.take(rows))
        return speeds

    def step(sums: Doubles) -> Doubles:
        mine = np.split(sums, 2, -1)[0]
        return (
            np.full(sums.shape[:-1], 1 / len(rows) ** 2) if not metric.step else metric.step(mine)
        )

    return Metric(f"{metric.name} relative to its labels", sums, value, -1.0, influence, step=step)


def weights_of(gold: Column, rows: Ints) -> dict[str, float] | None:
    """The weight of an example of each label by which labels of all become as frequent as in
    `rows`; their sum over all is that of rows.
    """
    names = gold.answers()
    if names is None:
        return None
    labels, codes = np.unique(names, return_inverse=True)
    every, mine = (np.bincount(some, minlength=len(labels)) for some in (codes, codes[rows]))
    return dict(zip(labels.tolist(), (mine / every).tolist(), strict=True))


def _example_weights(gold: Column, weights: dict[str, float]) -> Doubles:
    names = gold.answers()
    labels, codes = np.unique(np.zeros(0, np.str_) if names is None else names, return_inverse=True)
    return np.array([weights[label] for label in labels.tolist()])[codes]
