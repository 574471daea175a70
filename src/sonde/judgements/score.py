"""Filled sheets -> a bound: what people score on the task by majority vote (Conneau et al. 2018,
section 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sonde.core import DataProblem
from sonde.experiment.data import content
from sonde.judgements.agreement import alpha, majority
from sonde.judgements.bound import Bound
from sonde.judgements.filled import Filled, misplaced, read
from sonde.judgements.sheet import YES, Sheet, drawn
from sonde.metrics import interval
from sonde.tasks import TASKS


def score(files: Sequence[Path]) -> Bound:
    """The bound that copies of one sheet, each filled in by one person, amount to. DataProblem
    where they do not fit together.
    """
    sheets = [read(file) for file in files]
    if not sheets:
        raise DataProblem("no sheet to score")
    sheet, judged = sheets[0].sheet, _votes(sheets)
    gold = _gold(sheet, sheets)
    winners = {key: majority(cast) for key, cast in judged.items()}
    right = {key: YES if sheet.mode == "check" else sheet.words[gold[key - 1]] for key in judged}
    worth = {key: (right[key] in won) / len(won) for key, won in winners.items()}
    low, high = interval([list(worth.values())])
    return Bound(
        task=sheet.task,
        data=sheet.data,
        mode=sheet.mode,
        annotators=len(sheets),
        n=len(judged),
        unjudged=sheet.n - len(judged),
        ties=sum(len(won) > 1 for won in winners.values()),
        score=float(np.mean(list(worth.values()))),
        low=low,
        high=high,
        alpha=alpha(judged.values()),
        classes=_by_class(gold, worth),
    )


def _votes(sheets: Sequence[Filled]) -> dict[int, list[str]]:
    """What the copies of one sheet say of each row that somebody judged."""
    first = sheets[0]
    for other in sheets[1:]:
        if other.sheet != first.sheet:
            raise DataProblem(
                f"{other.name} is another sheet than {first.name}: score copies of one sheet"
                " together"
            )
    votes = {
        key: [s.judgements[key] for s in sheets if key in s.judgements]
        for key in range(1, first.sheet.n + 1)
    }
    judged = {key: cast for key, cast in votes.items() if cast}
    if not judged:
        raise DataProblem(
            f"nobody judged anything in {', '.join(s.name for s in sheets)}: fill in the column"
            " 'judgement'"
        )
    return judged


def _gold(sheet: Sheet, sheets: Sequence[Filled]) -> list[str]:
    """The labels of the sheet's rows, drawn again; DataProblem where the data or the sheet's
    sentences are not the same any more.
    """
    dataset = TASKS.make(sheet.task).load()
    if content(dataset) != sheet.data:
        raise DataProblem(
            f"{sheet.task} has other examples than when the sheet was written: score it with the"
            " same data and version"
        )
    sentences, gold = drawn(dataset, sheet.n, sheet.seed)
    for filled in sheets:
        moved = next(misplaced(filled, sentences), None)
        if moved is not None:
            raise DataProblem(
                f"{filled.name}: row {moved} has another sentence than it was written with; was one"
                " column sorted alone?"
            )
    return gold


def _by_class(gold: Sequence[str], worth: dict[int, float]) -> dict[str, tuple[int, float]]:
    """For each gold label: how many sentences were judged, and the sum of what those count for."""
    found: dict[str, tuple[int, float]] = {}
    for key, value in worth.items():
        n, total = found.get(gold[key - 1], (0, 0.0))
        found[gold[key - 1]] = (n + 1, total + value)
    return dict(sorted(found.items()))
