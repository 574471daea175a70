"""Results as the cells of a table of scores: encoders that are judged or trivial, without controls
and oracles, each task, probe and metric a column.
"""

from __future__ import annotations

import math
from pathlib import PurePath

import numpy as np

from lingprobe.analysis.frame import RUN_KEYS, ResultFrame
from lingprobe.analysis.row import NO_CONTROL, PERCENT_SCALE, said_of
from lingprobe.analysis.score_table import MeasuredTask, ScoreCell, derive_encoder_name
from lingprobe.analysis.statistics import ExampleMarks
from lingprobe.data.core import DataProblem
from lingprobe.data.references import Reference, try_parse_reference
from lingprobe.tasks.baselines import FEATURE_ENCODERS
from lingprobe.tasks.languages import UNKNOWN_LANGUAGE

_SOURCE = "lingprobe"

SCORE_CELL_EXTRAS = ("languages", "origin")
_TASK = ("task", "metric")


def scores_of(frame: ResultFrame) -> tuple[list[ScoreCell], list[str]]:
    """The scores of a frame with `SCORE_CELL_EXTRAS`, and what was excluded; DataProblem where
    nothing is left.
    """
    averaged = frame.where(control=NO_CONTROL).average_repeats(RUN_KEYS)
    rows = averaged.with_columns({"score": list(map(averaged.score, range(len(averaged))))})
    remarks: list[str] = []
    for select in (_select_embeddings, _select_comparable, _drop_constant_encoders):
        rows, more = select(rows)
        remarks += more
    if not len(rows):
        raise DataProblem("no encoder has a score here: oracles and controls are not correlated")
    scores = [
        ScoreCell(
            derive_encoder_name(row.encoder, said_of(row.layer)),
            column,
            row.score,
            _noise(rows, number),
        )
        for number, (row, column) in enumerate(zip(rows, _name_columns(rows), strict=True))
    ]
    return scores, remarks


def _select_embeddings(rows: ResultFrame) -> tuple[ResultFrame, list[str]]:
    """Baselines that are not embeddings, and oracles, are excluded: the rows of encoders that have
    a score.
    """
    left = dict.fromkeys(row.encoder for row in rows if _name_kind(row.encoder) in FEATURE_ENCODERS)
    kept = [
        number
        for number, row in enumerate(rows)
        if row.encoder not in left and row.role != "oracle" and not math.isnan(row.score)
    ]
    remarks = [f"{', '.join(left)}: excluded, they are not embeddings"] if left else []
    return rows.take(kept), remarks


def _name_kind(encoder: str) -> str:
    return encoder.partition(":")[0].partition(",")[0]


def _select_comparable(rows: ResultFrame) -> tuple[ResultFrame, list[str]]:
    """Those over the test examples that most rows of their task are over."""
    signs = ExampleMarks("mark", _TASK).compute(rows, rows)["mark"]
    remarks = [
        f"{task}: {other:,} scores over different test examples are excluded"
        for (task, _), numbers in rows.groups(_TASK).items()
        if (other := sum(bool(signs[number]) for number in numbers))
    ]
    kept = [k for numbers in rows.groups(_TASK).values() for k in numbers if not signs[k]]
    return rows.take(kept), remarks


def _drop_constant_encoders(rows: ResultFrame) -> tuple[ResultFrame, list[str]]:
    """Without encoders that answer every example of every task alike, as constant vectors do."""
    encoders = rows.groups(("encoder", "layer")).items()
    constant = [key for key, numbers in encoders if all(_is_constant(rows, k) for k in numbers)]
    left = [f"{encoder}{said_of(layer)}" for encoder, layer in constant]
    kept = [k for k, row in enumerate(rows) if (row.encoder, row.layer) not in constant]
    why = "excluded, because the vectors are constant and every example gets the same prediction"
    return rows.take(kept), [f"{', '.join(left)}: {why}"] if left else []


def _is_constant(rows: ResultFrame, number: int) -> bool:
    """Whether each fit of a row answers all examples of a fold alike."""
    for fold in (fold for folds in rows.folds(number) for fold in folds):
        said = fold.predicted
        values = said.numbers if said.numbers is not None else said.classes
        if values is None or len(np.unique(values)) > 1:
            return False
    return True


def _noise(rows: ResultFrame, number: int) -> float:
    """The variance of the mean over seeds, in percent squared."""
    scores = rows.score_fits(number)
    if len(scores) < 2:
        return math.nan
    return float(np.var(np.array(scores) * PERCENT_SCALE, ddof=1)) / len(scores)


def _name_columns(rows: ResultFrame) -> list[MeasuredTask]:
    """The column of each row, called by its question alone where that, with its language, tells it
    apart; else by its data, too.
    """
    probes: dict[str, set[str]] = {}
    for row in rows:
        probes.setdefault(row.task, set()).add(row.probe)
    columns = []
    for row in rows:
        probe = f", {row.probe}" if len(probes[row.task]) > 1 else ""
        language = row.languages[0]
        code = "" if language == UNKNOWN_LANGUAGE else language.partition("-")[0]
        task = f"{_parse_task(row.task).name}{probe}"
        name = task.rpartition("/")[2]
        columns.append(MeasuredTask(name, _SOURCE, task, code, row.metric))
    tasks: dict[MeasuredTask, set[str]] = {}
    for column, row in zip(columns, rows, strict=True):
        tasks.setdefault(column, set()).add(row.task)
    return [
        column if len(tasks[column]) == 1 else column._replace(name=_in_full(column.name, row.task))
        for column, row in zip(columns, rows, strict=True)
    ]


def _parse_task(task: str) -> Reference:
    return try_parse_reference(task) or Reference(task)


def _in_full(name: str, task: str) -> str:
    """A column's name with its data and options, paths by their last part."""
    parsed = _parse_task(task)
    data = PurePath(parsed.argument).name if parsed.argument else None
    return str(Reference(name, data, parsed.options))
