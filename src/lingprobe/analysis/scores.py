"""Scores as people take them: one for each task, encoder and layer, over all folds and seeds, with
the best baseline.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lingprobe.analysis.comparison import (
    ComparisonQuestion,
    Decision,
    decide_comparisons,
    what,
    with_baselines,
)
from lingprobe.analysis.row import NO_CONTROL, ResultRow
from lingprobe.analysis.rows import ResultFrame, rows
from lingprobe.data.core import Result


@dataclass(frozen=True, slots=True)
class Score:
    """The score of an encoder on a task, at one layer and with one probe, over all folds and seeds.
    Scores and differences are percent.

    low, high       the 95 % interval of the score
    n               the test examples, of all folds
    kind            trained: an encoder that is judged; baseline, oracle: there for others to be
                    compared with
    baseline        the best baseline over the same test examples, or '(constant)', and its score;
                    '' and NaN where the row is not judged
    difference      how much higher the score is than that
    difference_low, difference_high, p, verdict  of the difference, as `compare` decides it, for all
                    comparisons together; of the layers of an encoder at the one that is best on
                    dev, NaN and '' at others
    """

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
    baseline: str = ""
    baseline_score: float = math.nan
    difference: float = math.nan
    difference_low: float = math.nan
    difference_high: float = math.nan
    p: float = math.nan
    verdict: str = ""


def scores(results: Sequence[Result], known: Sequence[Decision] = ()) -> list[Score]:
    """The scores of tasks without controls, in the order in which they were measured; `known` are
    the decisions on them where they were made before.
    """
    frame = ResultFrame.of(results)
    plain = [row for row in rows(frame) if row.control == NO_CONTROL]
    questions = with_baselines(frame)
    posed = {what(question.one.row): question for question in questions.of_layers}
    made = known or decide_comparisons(questions.asked)
    decided = {what(decision.question.one.row): decision for decision in made}
    return [_score(row, posed.get(what(row)), decided.get(what(row))) for row in plain]


def _score(row: ResultRow, question: ComparisonQuestion | None, decision: Decision | None) -> Score:
    """The score of a row, with its baseline and what was decided."""
    score = Score(
        task=row.task,
        encoder=row.encoder,
        layer=row.layer,
        probe=row.probe,
        metric=row.metric,
        score=row.score,
        low=row.low,
        high=row.high,
        n=row.n,
        seeds=row.seeds,
        folds=row.folds,
        kind=row.kind,
    )
    if question is not None:
        best = question.best
        score = replace(
            score,
            baseline=best.name,
            baseline_score=best.row.score,
            difference=row.score - best.row.score,
        )
    if decision is not None:
        score = replace(
            score,
            difference_low=decision.low,
            difference_high=decision.high,
            p=decision.corrected,
            verdict=decision.verdict,
        )
    return score
