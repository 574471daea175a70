"""Whether encoders are better than baselines, task by task, and what would decide it where that
cannot be told. The decisions are those of `comparison`; what is said of them is in `pages`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from lingprobe.analysis.comparison import (
    Decision,
    decide_comparisons,
    with_baselines,
)
from lingprobe.analysis.row import (
    NO_CONTROL,
    PERCENT,
    ResultRow,
)
from lingprobe.analysis.rows import get_encoder_kind, option_of
from lingprobe.data.core import Result
from lingprobe.tasks.limits import LIMIT

Answer = Literal["better", "worse", "cannot be told", "answered by a baseline"]
POINT = 1.0  # percent: the smallest difference that is worth looking for


class TaskVerdict(NamedTuple):
    """What can be said of an encoder on a task.

    decision  the difference from the best baseline, with its interval and p; the row is that of the
              layer which was chosen on dev, or of the best of all layers that were compared
    layers    how many the row's was chosen from
    on_dev    whether it was chosen on dev; otherwise the family counts each layer
    """

    decision: Decision
    layers: int = 1
    on_dev: bool = True

    @property
    def row(self) -> ResultRow:
        """The score of the encoder."""
        return self.decision.question.one.row

    @property
    def baseline(self) -> ResultRow:
        """The best baseline."""
        return self.decision.question.best.row

    @property
    def verdict(self) -> Answer:
        """Better than every baseline, worse than one, or neither; nothing is said of an encoder
        where a baseline answers the task by itself.
        """
        return "answered by a baseline" if self.decision.is_answered else self.decision.verdict

    @property
    def needed_examples(self) -> int:
        """About how many test examples would show a difference as large as the one observed, or of
        a point if it is smaller, with a power of 80 %.
        """
        looked_for = max(abs(self.decision.difference), POINT) / PERCENT
        return math.ceil(self.row.n * self.decision.student.times(self.decision.level, looked_for))

    @property
    def is_small(self) -> bool:
        """Whether nothing was told although the test examples are enough to tell a point."""
        return self.verdict == "cannot be told" and self.decision.detectable <= POINT


class EncoderVerdict(NamedTuple):
    """What can be said of an encoder on each task.

    probe  the one that read it, where tasks were read by several; '' where each had its own
    """

    encoder: str
    probe: str
    tasks: tuple[TaskVerdict, ...]

    def where(self, verdict: Answer) -> list[TaskVerdict]:
        """The tasks with a verdict."""
        return [task for task in self.tasks if task.verdict == verdict]


class Verdicts(NamedTuple):
    """What can be said of each encoder.

    encoders   the encoders that are judged, in the order of the results
    family     what p values and intervals are corrected for
    limit      the most examples of a task that were used, for a first look; 0 for all
    decisions  all comparisons of the family, which are of each layer where dev did not choose
    """

    encoders: tuple[EncoderVerdict, ...]
    family: str
    limit: int
    decisions: tuple[Decision, ...] = ()

    @property
    def comparisons(self) -> int:
        """How many p values and intervals are corrected for."""
        return len(self.decisions)

    @property
    def layers(self) -> int:
        """From how many layers of an encoder, at most, one was chosen on dev; 1 where dev did not
        choose every time.
        """
        tasks = [task for one in self.encoders for task in one.tasks]
        chose = all(task.on_dev for task in tasks)
        return max((task.layers for task in tasks), default=1) if chose else 1

    def at_chosen_layers(self, rows: Sequence[ResultRow]) -> list[ResultRow]:
        """Of the rows of an encoder's layers the one that is judged, of those of a baseline the
        best; all other rows as they are.
        """
        baselines = [row for row in rows if row.kind == "baseline" and row.control == NO_CONTROL]
        judged = [task.row for one in self.encoders for task in one.tasks]
        ranked = sorted(baselines, key=lambda row: row.score)
        layers = {_without_layer(row): row.layer for row in (*ranked, *judged)}
        return [row for row in rows if layers.get(_without_layer(row), row.layer) == row.layer]


def _without_layer(row: ResultRow) -> tuple[str, ...]:
    return row.task, row.encoder, row.probe, row.kind


def judge_encoders(results: Sequence[Result]) -> Verdicts:
    """The verdict on each encoder; none where only baselines were measured."""
    limit = max(map(_limit, results), default=0)
    if not any(get_encoder_kind(result) == "trained" for result in results):
        return Verdicts((), "", limit)
    questions = with_baselines(results)
    asked: dict[tuple[str, str, str], list[Decision]] = {}
    decided = decide_comparisons(questions.asked)
    for decision in decided:
        row = decision.question.one.row
        asked.setdefault((row.encoder, row.probe, row.task), []).append(decision)
    several = len({(encoder, task) for encoder, _, task in asked}) < len(asked)
    encoders: dict[tuple[str, str], list[TaskVerdict]] = {}
    for (encoder, probe, _), mine in asked.items():
        key = encoder, probe if several else ""
        encoders.setdefault(key, []).append(_task_verdict(mine))
    judged = tuple(EncoderVerdict(*what, tuple(tasks)) for what, tasks in encoders.items())
    return Verdicts(judged, questions.family, limit, tuple(decided))


def _task_verdict(mine: Sequence[Decision]) -> TaskVerdict:
    """Of the layers that were compared that with the highest score, since all are in the family."""
    best = max(mine, key=lambda decision: decision.question.one.row.score)
    on_dev = len(mine) == 1
    return TaskVerdict(best, best.question.layers if on_dev else len(mine), on_dev)


def _limit(result: Result) -> int:
    """The most examples that were used of a result's task; 0 for all."""
    limit = option_of(result.trial.task, LIMIT)
    return int(limit) if limit.isdecimal() else 0
