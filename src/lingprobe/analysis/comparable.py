"""Rows with their answers, so that they can be compared: over the same test examples or not at
all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace

from lingprobe.analysis.answers import RunPredictions, join_constants, share_tests
from lingprobe.analysis.row import CONSTANT, NO_CONTROL, PERCENT
from lingprobe.analysis.rows import (
    MeasuredRow,
    measure,
    strip_fold,
)
from lingprobe.data.core import Result


def group_rows_by_task(
    results: Iterable[Result], also: Callable[[Result], bool] | None = None
) -> list[list[MeasuredRow]]:
    """The rows of each task and metric in the order of tables, without controls, and without
    oracles but those that are asked for, `also`.
    """
    tasks: dict[tuple[str, str], list[MeasuredRow]] = {}
    for one in measure(results):
        if one.row.control != NO_CONTROL:
            continue
        if one.row.kind != "oracle" or (also is not None and also(one.result)):
            key = strip_fold(one.result.trial.task), one.result.metric
            tasks.setdefault(key, []).append(one)
    return [sorted(mine, key=lambda one: one.row.place) for mine in tasks.values()]


def constant(one: MeasuredRow) -> MeasuredRow:
    """The best constant answer of train over the test examples of a row: a class, or a set where
    the row may answer with sets; of scores one number for all folds, whose means may differ.
    """
    folds = one.fits[0]
    answers = join_constants(list(map(RunPredictions.of, folds)))
    answers = replace(answers, gold=one.answers.gold)
    (score,) = answers.scores(one.row.metric)
    row = replace(one.row, encoder=CONSTANT, kind="baseline", layer="-", is_seeded=False)
    row = replace(row, score=PERCENT * score, low=math.nan, high=math.nan)
    return MeasuredRow(row, answers, [folds], folds)


def explain_mismatch(first: MeasuredRow, second: MeasuredRow) -> str:
    """Why two rows cannot be compared, '' where they can."""
    if any(math.isnan(m.row.score) for m in (first, second)):
        return "one has no score"
    tests = first.row.tested, second.row.tested
    if share_tests(first.answers.gold, second.answers.gold, tests):
        return ""
    return f"they are over different test examples ({first.row.n:,} and {second.row.n:,})"
