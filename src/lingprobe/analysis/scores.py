"""Scores as people take them: one for each task, encoder and layer, over all folds and seeds, with
the best baseline.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from lingprobe.analysis.comparison import (
    ComparisonDecision,
    ComparisonQuestion,
    decide_comparisons,
    describe_measurement,
    with_opponents,
)
from lingprobe.analysis.frame import FrameRow, ResultFrame
from lingprobe.analysis.row import NO_CONTROL
from lingprobe.data.oracles import BEYOND_SURFACE_QUESTION


@dataclass(frozen=True, slots=True)
class MeasuredScore:
    """What a row of the frame says of a score, in columns of these names."""

    task: str
    encoder: str
    layer: str
    probe: str
    metric: str
    score: float
    low: float
    high: float
    n: int
    seeds: int
    folds: int
    kind: str


@dataclass(frozen=True, slots=True)
class Score(MeasuredScore):
    """The score of an encoder on a task, at one layer and with one probe, over all folds and seeds.
    Scores and differences are percent.

    low, high       the 95 % interval of the score
    n               the test examples, of all folds
    kind            trained: an encoder that is judged; baseline, oracle: there for others to be
                    compared with
    baseline        the best baseline that needs no training, over the same test examples, or
                    '(constant)', and its score; '' and NaN where the row is not judged
    difference      how much higher the score is than that
    difference_low, difference_high, p, verdict  of the difference, as `compare` decides it, for all
                    comparisons together: whether the task is decodable; of the layers of an encoder
                    at the one that is best on dev, NaN and '' at others
    surface_...     the same of the best baseline that needs no model: whether it is beyond the
                    surface
    """

    baseline: str = ""
    baseline_score: float = math.nan
    difference: float = math.nan
    difference_low: float = math.nan
    difference_high: float = math.nan
    p: float = math.nan
    verdict: str = ""
    surface_baseline: str = ""
    surface_baseline_score: float = math.nan
    surface_difference: float = math.nan
    surface_difference_low: float = math.nan
    surface_difference_high: float = math.nan
    surface_p: float = math.nan
    surface_verdict: str = ""


def list_task_scores(
    scored: ResultFrame, decisions: Sequence[ComparisonDecision] = ()
) -> list[Score]:
    """The scores of tasks without controls, in the order in which they were measured; `decisions`
    are the decisions on them where they were made before.
    """
    plain = [row for row in scored if row.control == NO_CONTROL]
    questions = with_opponents(scored)
    posed: dict[tuple[str, ...], list[ComparisonQuestion]] = {}
    for question in questions.of_layers:
        posed.setdefault(describe_measurement(question.one.row), []).append(question)
    decided: dict[tuple[str, ...], list[ComparisonDecision]] = {}
    for decision in decisions or decide_comparisons(questions.asked):
        decided.setdefault(describe_measurement(decision.question.one.row), []).append(decision)
    return [
        _make_score(
            row,
            posed.get(describe_measurement(row), ()),
            decided.get(describe_measurement(row), ()),
        )
        for row in plain
    ]


def _make_score(
    row: FrameRow, questions: Sequence[ComparisonQuestion], decisions: Sequence[ComparisonDecision]
) -> Score:
    """The score of a row, with its baselines and what was decided."""
    values: dict[str, Any] = {}
    for question in questions:
        best, prefix = question.best, _prefix(question)
        values[f"{prefix}baseline"] = best.name
        values[f"{prefix}baseline_score"] = best.row.score
        values[f"{prefix}difference"] = row.score - best.row.score
    for decision in decisions:
        prefix = _prefix(decision.question)
        values[f"{prefix}difference_low"] = decision.low
        values[f"{prefix}difference_high"] = decision.high
        values[f"{prefix}p"] = decision.corrected
        values[f"{prefix}verdict"] = decision.verdict
    cells = row._asdict()
    return Score(**{each.name: cells[each.name] for each in fields(MeasuredScore)}, **values)


def _prefix(question: ComparisonQuestion) -> str:
    """How the columns of a question begin."""
    return "surface_" if question.asks == BEYOND_SURFACE_QUESTION else ""
