"""Scores by a metric that is code in a file: as they were submitted, since nothing of a submission
is run. They are neither computed anew nor compared.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lingprobe import Result, ResultFrame
from lingprobe.extend import compute_scores, is_code_allowed
from lingprobe_extensions.board.frame import fold_of, row_place


class ResultsByMetric(NamedTuple):
    """Results whose metric can be computed here, and the others."""

    computable: tuple[Result, ...]
    others: tuple[Result, ...]


def divide_by_metric(results: Sequence[Result]) -> ResultsByMetric:
    """Results by whether their metric may be run here."""
    known = {metric: is_code_allowed(metric) for metric in {one.metric for one in results}}
    return ResultsByMetric(
        tuple(one for one in results if known[one.metric]),
        tuple(one for one in results if not known[one.metric]),
    )


class SubmittedRow(NamedTuple):
    """A row, its results, and what dev says of its layer."""

    row: Any
    results: Sequence[Result]
    on_dev: float


def submitted_row(row: Any, results: Sequence[Result]) -> SubmittedRow:
    """A row whose score was computed here, of these results."""
    return SubmittedRow(row, results, _score_on_dev(results))


def submitted_rows(results: Sequence[Result]) -> list[SubmittedRow]:
    """A row for all seeds and folds of each thing, without controls. The score is their mean, in
    percent, folds weighted by their examples; the interval is that of a single fit, and NaN for
    several, whose together needs the metric.
    """
    plain = [one for one in results if one.trial.control == "none"]
    groups: dict[tuple[str, ...], list[Result]] = {}
    for one in plain:
        groups.setdefault(row_place(one), []).append(one)
    return [
        SubmittedRow(_build_fit_row(group), group, _score_on_dev(group))
        for group in groups.values()
    ]


def _build_fit_row(group: Sequence[Result]) -> Any:
    first = group[0]
    # without a score nothing of the row is computed by the metric
    row = compute_scores(ResultFrame.of([replace(first, score=math.nan)]))[0]
    seeds = {one.trial.seed for one in group}
    folds = {fold_of(one.trial.task) for one in group}
    is_one = len(group) == 1
    return row._replace(
        score=100.0 * float(np.average([r.score for r in group], weights=[r.n for r in group])),
        low=100.0 * first.low if is_one else math.nan,
        high=100.0 * first.high if is_one else math.nan,
        majority=100.0 * float(np.mean([r.majority for r in group])),
        n=sum(one.n for one in group) // len(seeds),
        seeds=len(seeds),
        folds=len(folds),
    )


def _score_on_dev(group: Sequence[Result]) -> float:
    """The mean score on dev; NaN of folds, where a dev example of one is a test example of
    another.
    """
    has_folds = any("/" in fold_of(one.trial.task) for one in group)
    scores = [one.provenance.choice.dev for one in group]
    return math.nan if has_folds else float(np.mean(scores))
