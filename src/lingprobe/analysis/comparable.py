"""Rows of scores with their predictions, so that they can be compared: over the same test examples
or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from lingprobe.analysis.answers import find_mismatch, join_constants
from lingprobe.analysis.frame import Folds, FrameRow, ResultFrame
from lingprobe.analysis.row import CONSTANT_ENCODER, NO_CONTROL, PERCENT_SCALE, place_among, said_of
from lingprobe.data.notes import ResultProvenance
from lingprobe.metrics import FitAnswers


class ComparedRow(NamedTuple):
    """A row of scores with the predictions behind it.

    answers  of all fits over all test examples
    fits     for each fit the predictions of all folds
    copies   how many untrained copies of a model the fits are of; 0 for other rows
    """

    row: FrameRow
    answers: FitAnswers
    fits: Sequence[Folds]
    copies: int = 0

    @property
    def name(self) -> str:
        """What it is called in a comparison."""
        if self.row.encoder == CONSTANT_ENCODER:
            return CONSTANT_ENCODER
        return f"{self.row.encoder}{said_of(self.row.layer)}, {self.row.probe}"

    @property
    def encoder(self) -> str:
        """The encoder's reference with all options."""
        return self.fits[0][0].trial.encoder

    @property
    def about(self) -> ResultProvenance:
        """How the first of its probes was measured."""
        return self.fits[0][0].about


def list_compared(scored: ResultFrame) -> list[ComparedRow]:
    """Rows of scores, each with its predictions."""
    return [
        ComparedRow(row, scored.answers(number), scored.folds(number))
        for number, row in enumerate(scored)
    ]


def group_rows_by_task(
    scored: ResultFrame, also: Callable[[ComparedRow], bool] | None = None
) -> list[list[ComparedRow]]:
    """The rows of each task and metric in the order of tables, without controls, and without
    oracles but those that are asked for, `also`.
    """
    tasks: dict[tuple[str, str], list[ComparedRow]] = {}
    for one in list_compared(scored):
        is_plain = one.row.control == NO_CONTROL
        if is_plain and (one.row.kind != "oracle" or (also is not None and also(one))):
            tasks.setdefault((one.row.task, one.row.metric), []).append(one)
    return [sorted(mine, key=lambda one: place_among(one.row)) for mine in tasks.values()]


def get_constant_answer(compared_row: ComparedRow) -> ComparedRow:
    """The best constant answer of train over the test examples of a row: a class, or a set where
    the row may answer with sets; of scores one number for all folds, whose means may differ.
    """
    folds = compared_row.fits[0]
    answers = replace(join_constants(folds), gold=compared_row.answers.gold)
    (score,) = answers.scores(compared_row.row.metric)
    row = compared_row.row._replace(
        encoder=CONSTANT_ENCODER, kind="baseline", layer="-", is_seeded=False
    )
    row = row._replace(score=PERCENT_SCALE * score, low=math.nan, high=math.nan)
    return ComparedRow(row, answers, [folds])


def explain_mismatch(first: ComparedRow, second: ComparedRow) -> str:
    """Why two rows cannot be compared, '' where they can."""
    rows, golds = (first.row, second.row), (first.answers.gold, second.answers.gold)
    return find_mismatch([row.score for row in rows], golds, [row.tested for row in rows])
