"""Rows with their answers, so that they can be compared: over the same test examples or not at
all.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lingprobe.analysis.answers import together
from lingprobe.analysis.row import CONSTANT, NO_CONTROL, PERCENT, Row, said_of
from lingprobe.analysis.rows import Repeats, groups_of, repeats, rows
from lingprobe.data.core import Result
from lingprobe.data.labels import column
from lingprobe.metrics import Answers, constant_result
from lingprobe.metrics.constant import CLASS, SET


class Measured(NamedTuple):
    """One row of a table with its answers, and the results that they are of, for each fit those of
    all folds; `chosen` where others are compared with it.
    """

    row: Row
    answers: Answers
    chosen: bool
    fits: Repeats

    @property
    def name(self) -> str:
        """What it is called in a comparison."""
        if self.row.encoder == CONSTANT:
            return CONSTANT
        return f"{self.row.encoder}{said_of(self.row.layer)}, {self.row.probe}"

    @property
    def result(self) -> Result:
        """The first of its results."""
        return self.fits[0][0]


def rows_by_task(
    results: Sequence[Result], against: Callable[[Result], bool] | None
) -> list[list[Measured]]:
    """The rows of each task and metric, those first that others stand to be compared with."""
    tasks: dict[tuple[str, str], list[Measured]] = {}
    for (task, *_, metric), group in groups_of(
        r for r in results if r.trial.control == NO_CONTROL
    ).items():
        group.sort(key=lambda r: (r.trial.seed, r.trial.task))
        chosen = against is not None and against(group[0])
        row = rows(group)[0]
        if chosen or row.kind != "oracle":
            fits = repeats(group)
            tasks.setdefault((task, metric), []).append(Measured(row, together(fits), chosen, fits))
    return [sorted(mine, key=lambda m: m.row.place) for mine in tasks.values()]


def constant(one: Measured) -> Measured:
    """The best constant answer of train over the test examples of a row: a class, or a set where
    the row may answer with sets; of scores their mean.
    """
    folds = [_constant(result) for result in one.fits[0]]
    answers = together([folds])
    (score,) = answers.scores(one.row.metric)
    row = replace(one.row, encoder=CONSTANT, kind="baseline", layer="-", is_seeded=False)
    row = replace(row, score=PERCENT * score, low=math.nan, high=math.nan)
    return Measured(row, answers, chosen=True, fits=[folds])


def _constant(result: Result) -> Result:
    answers, gold = result.provenance.constants or {}, result.gold
    if gold.numbers is not None:
        return replace(result, predicted=column([float(gold.numbers.mean())] * result.n))
    if not answers:  # version 0.1 did not keep them
        commonest = Counter(gold.class_names()).most_common(1)
        answers = {SET: ()} if gold.classes is None else {CLASS: (commonest[0][0],)}
        result = replace(result, provenance=replace(result.provenance, constants=answers))
    has_sets = SET in answers and (result.predicted.classes is None or gold.classes is None)
    return constant_result(result, SET if has_sets else CLASS)


def apart(first: Measured, second: Measured) -> str:
    """Why two rows cannot be compared, '' where they can."""
    if any(math.isnan(m.row.score) for m in (first, second)):
        return "one has no score"
    ones, others = first.answers.gold, second.answers.gold
    same = len(ones) == len(others) and ones.names == others.names
    same = same and all(
        np.array_equal(a, others.arrays()[k], equal_nan=a.dtype.kind == "f")
        for k, a in ones.arrays().items()
    )
    known = {first.row.tested, second.row.tested} - {""}
    if same and len(known) < 2:
        return ""
    return f"they are over different test examples ({first.row.n:,} and {second.row.n:,})"
