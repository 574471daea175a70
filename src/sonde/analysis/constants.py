"""Rows of answers that are the same for every example: what any encoder has to beat before its
score says anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sonde.analysis.row import CONSTANT, Row
from sonde.analysis.rows import repeats, rows, without_fold
from sonde.core import Result
from sonde.metrics import answered

SPOKEN = {"class": "one label", "prevalent": "the {} that half have", "set": "best set of {}"}


def constant_rows(results: Sequence[Result]) -> list[Row]:
    """A row for each constant answer of each task whose labels are sets, or may be answered with
    sets; chosen on train.
    """
    by_task: dict[str, list[Result]] = {}
    for result in results:
        if result.trial.control == "none" and "set" in (result.provenance.constants or ()):
            by_task.setdefault(without_fold(result.trial.task), []).append(result)
    return [row for mine in by_task.values() for row in _rows(mine)]


def _rows(mine: Sequence[Result]) -> list[Row]:
    """The constants of one task, each different answer once, the best set last."""
    first = mine[0].trial
    folds = repeats(
        r
        for r in mine
        if (r.trial.encoder, r.trial.read, r.trial.probe)
        == (first.encoder, first.read, first.probe)
    )[0]
    kinds: dict[tuple[str, ...], str] = {}
    constants = folds[0].provenance.constants or {}
    for kind in SPOKEN:
        kinds.setdefault(tuple(sorted(constants[kind])), kind)
    return [_row(folds, kind, len(labels)) for labels, kind in kinds.items() if labels]


def _row(folds: Sequence[Result], kind: str, many: int) -> Row:
    (row,) = rows(answered(fold, kind) for fold in folds)
    row = replace(
        row, encoder=CONSTANT, kind="baseline", layer="-", probe=SPOKEN[kind].format(many)
    )
    return replace(
        row,
        unusable=0,
        cut=0,
        unseen=0,
        beyond=0,
        unaligned=0,
        partial=0,
        beyond_are="",
        unaligned_are="",
    )
