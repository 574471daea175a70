"""Rows with their answers, so that they can be compared: over the same test examples or not at
all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from lingprobe.analysis.answers import together
from lingprobe.analysis.row import NO_CONTROL, Row, said_of
from lingprobe.analysis.rows import groups_of, repeats, rows
from lingprobe.core import Result
from lingprobe.metrics import Answers


class Measured(NamedTuple):
    """One row of a table with its answers, and the first of its results; `chosen` where others are
    compared with it.
    """

    row: Row
    answers: Answers
    chosen: bool
    result: Result

    @property
    def name(self) -> str:
        """What it is called in a comparison."""
        return f"{self.row.encoder}{said_of(self.row.layer)}, {self.row.probe}"


def measured(
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
            tasks.setdefault((task, metric), []).append(
                Measured(row, together(repeats(group)), chosen, group[0])
            )
    return [sorted(mine, key=lambda m: m.row.place) for mine in tasks.values()]


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
