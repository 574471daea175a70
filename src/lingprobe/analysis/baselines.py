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

from dataclasses import replace

import numpy as np

from lingprobe.analysis.answers import RunPredictions
from lingprobe.analysis.frame import FrameRow, ResultFrame
from lingprobe.analysis.row import CONSTANT_ENCODER, NO_CONTROL
from lingprobe.analysis.score_columns import add_score_columns
from lingprobe.data.labels import Column
from lingprobe.data.notes import BoundaryDensity, ProbeChoice
from lingprobe.data.scored_labels import ScoredLabels
from lingprobe.data.vectors import Ints
from lingprobe.metrics import Metric
from lingprobe.metrics.constant import CONSTANT_SET_KIND, constant_column, find_metric
from lingprobe.metrics.metric import Doubles, sum_blocks

_ENCODER_COUNTS = ("unusable", "cut", "unseen", "beyond", "unaligned", "partial", "held")
_SPOKEN = {"class": "one label", "prevalent": "the {} that half have", "set": "best set of {}"}


def constant_rows(scored: ResultFrame) -> list[FrameRow]:
    """A row for each constant answer of each task whose labels are sets, or may be answered with
    sets; chosen on train.
    """
    plain = scored.where(control=NO_CONTROL)
    able = plain.take([k for k in range(len(plain)) if CONSTANT_SET_KIND in plain.run(k).constants])
    first = [numbers[0] for numbers in able.groups(("task",)).values()]
    known = [(k, kind, labels) for k in first for labels, kind in _list_constants(able.run(k))]
    fits = [[[answer_always(run, kind) for run in able.folds(k)[0]]] for k, kind, _ in known]
    alone = {"seeds": [1], "samples": [1], "left_out": [0]}
    columns = {name: cells * len(known) for name, cells in alone.items()}
    rows = able.take([k for k, *_ in known]).with_predictions(fits, columns)
    named = dict.fromkeys(("unusable_are", "beyond_are", "unaligned_are"), "")
    unread = dict.fromkeys(_ENCODER_COUNTS, 0) | named
    return [
        row._replace(
            encoder=CONSTANT_ENCODER,
            kind="baseline",
            layer="-",
            probe=_SPOKEN[kind].format(len(labels)),
            is_seeded=False,
            **unread,
        )
        for row, (_, kind, labels) in zip(add_score_columns(rows), known, strict=True)
    ]


def _list_constants(run: RunPredictions) -> list[tuple[tuple[str, ...], str]]:
    """The constants of a task with their kinds, each different answer once, the best set last."""
    kinds: dict[tuple[str, ...], str] = {}
    for kind in _SPOKEN:
        kinds.setdefault(tuple(sorted(run.constants[kind])), kind)
    return [(labels, kind) for labels, kind in kinds.items() if labels]


def answer_always(run: RunPredictions, kind: str) -> RunPredictions:
    """What a constant answer of train would have predicted over the same examples."""
    answer = constant_column(run.constants[kind], run.gold.names, run.n, kind)
    if isinstance(run.predicted, ScoredLabels):
        answer = run.predicted.as_constant()
    score = find_metric(run.metric)(run.gold, answer)
    about = replace(run.about, choice=ProbeChoice())
    return replace(run, predicted=answer, score=score, about=about, density=BoundaryDensity())


def expected_metric(metric: Metric, gold: Column, rows: Ints) -> Metric | None:
    """The expected score of a subset, `rows`: of all examples, `gold`, weighted to its label
    frequencies; None where gold are scores.
    """
    weights = balance_label_weights(gold, rows)
    if weights is None:
        return None

    def sums(gold: Column, predicted: Column, blocks: Ints, many: int) -> Doubles:
        each = metric.sums(gold, predicted, np.arange(len(gold)), len(gold))
        return sum_blocks(each * _example_weights(gold, weights)[:, None], blocks, many)

    return Metric(f"{metric.name}, expected", sums, metric.value, metric.least)


def compute_advantages(metric: Metric, gold: Column, rows: Ints) -> Metric | None:
    """How much higher the score of a subset, `rows`, is than expected by its label frequencies; of
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


def balance_label_weights(gold: Column, rows: Ints) -> dict[str, float] | None:
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
