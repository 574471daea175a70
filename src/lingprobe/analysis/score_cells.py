"""Results as the cells of a table of scores: encoders that are judged or trivial, without controls
and oracles, each task, probe and metric a column.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import PurePath

import numpy as np

from lingprobe.analysis.answers import join_answers, mark_test_sets
from lingprobe.analysis.row import (
    NO_CONTROL,
    PERCENT,
    ResultRow,
    said_of,
)
from lingprobe.analysis.rows import groups_of, repeats, rows
from lingprobe.analysis.score_table import Measure, Score, of_encoder
from lingprobe.data.core import DataProblem, Result
from lingprobe.data.references import Reference, try_parse_reference
from lingprobe.tasks.baselines import NO_EMBEDDINGS
from lingprobe.tasks.languages import UNKNOWN, list_languages

SOURCE = "lingprobe"

Group = tuple[ResultRow, Sequence[Result]]


def scores_of(results: Sequence[Result]) -> tuple[list[Score], list[str]]:
    """The scores of results, and what was excluded; DataProblem where nothing is left."""
    groups, remarks = _plain(results)
    groups, more = _comparable(groups)
    groups, constant = _drop_constant_encoders(groups)
    if not groups:
        raise DataProblem("no encoder has a score here: oracles and controls are not correlated")
    named = _columns([row for row, _ in groups], [mine for _, mine in groups])
    scores = [
        Score(of_encoder(row.encoder, said_of(row.layer)), column, row.score, _noise(mine))
        for (row, mine), column in zip(groups, named, strict=True)
    ]
    return scores, [*remarks, *more, *constant]


def _plain(results: Sequence[Result]) -> tuple[list[Group], list[str]]:
    """Rows of encoders with their results; without oracles, and what gives no embeddings."""
    groups: list[Group] = []
    left: dict[str, None] = {}
    for mine in groups_of(r for r in results if r.trial.control == NO_CONTROL).values():
        row = rows(mine)[0]
        name = row.encoder.partition(":")[0].partition(",")[0]
        if name in NO_EMBEDDINGS:
            left[row.encoder] = None
        elif row.kind != "oracle" and not math.isnan(row.score):
            groups.append((row, mine))
    return groups, [f"{', '.join(left)}: excluded, they are not embeddings"] if left else []


def _comparable(groups: Sequence[Group]) -> tuple[list[Group], list[str]]:
    """Those over the test examples that most rows of their task are over."""
    tasks: dict[tuple[str, str], list[Group]] = {}
    for row, mine in groups:
        tasks.setdefault((row.task, row.metric), []).append((row, mine))
    kept, remarks = [], []
    for (task, _), these in tasks.items():
        signs = mark_test_sets([row for row, _ in these])
        kept += [group for group, sign in zip(these, signs, strict=True) if not sign]
        if other := sum(map(bool, signs)):
            remarks.append(f"{task}: {other:,} scores over different test examples are excluded")
    return kept, remarks


def _drop_constant_encoders(groups: Sequence[Group]) -> tuple[list[Group], list[str]]:
    """Without encoders that answer every example of every task alike, as constant vectors do."""
    constant: dict[tuple[str, str], bool] = {}
    for row, mine in groups:
        key = row.encoder, row.layer
        constant[key] = constant.get(key, True) and all(map(_is_constant, mine))
    left = [f"{encoder}{said_of(layer)}" for (encoder, layer), flat in constant.items() if flat]
    kept = [(row, mine) for row, mine in groups if not constant[row.encoder, row.layer]]
    why = "excluded, because the vectors are constant and every example gets the same prediction"
    return kept, [f"{', '.join(left)}: {why}"] if left else []


def _is_constant(result: Result) -> bool:
    said = result.predicted
    values = said.numbers if said.numbers is not None else said.classes
    return values is not None and len(np.unique(values)) < 2


def _noise(mine: Sequence[Result]) -> float:
    """The variance of the mean over seeds, in percent squared."""
    whole = repeats(mine)
    if len(whole) < 2:
        return math.nan
    scores = (
        join_answers(whole).scores(mine[0].metric)
        if len(whole[0]) > 1
        else [r[0].score for r in whole]
    )
    return float(np.var(np.array(scores) * PERCENT, ddof=1)) / len(scores)


def _columns(found: Sequence[ResultRow], groups: Sequence[Sequence[Result]]) -> list[Measure]:
    """The column of each row, called by its question alone where that, with its language, tells it
    apart; else by its data, too.
    """
    probes: dict[str, set[str]] = {}
    for row in found:
        probes.setdefault(row.task, set()).add(row.probe)
    columns = []
    for row, mine in zip(found, groups, strict=True):
        probe = f", {row.probe}" if len(probes[row.task]) > 1 else ""
        language = list_languages(mine)[0]
        code = "" if language == UNKNOWN else language.partition("-")[0]
        task = f"{_parse_task(row.task).name}{probe}"
        name = task.rpartition("/")[2]
        columns.append(Measure(name, SOURCE, task, code, row.metric))
    tasks: dict[Measure, set[str]] = {}
    for column, row in zip(columns, found, strict=True):
        tasks.setdefault(column, set()).add(row.task)
    return [
        column if len(tasks[column]) == 1 else column._replace(name=_in_full(column.name, row.task))
        for column, row in zip(columns, found, strict=True)
    ]


def _parse_task(task: str) -> Reference:
    return try_parse_reference(task) or Reference(task)


def _in_full(name: str, task: str) -> str:
    """A column's name with its data and options, paths by their last part."""
    parsed = _parse_task(task)
    data = PurePath(parsed.argument).name if parsed.argument else None
    return str(Reference(name, data, parsed.options))
