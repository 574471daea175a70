"""What tables show to compare scores with: where baselines end and oracles begin, and what there is
to say of oracles.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sonde.analysis.row import NO_CONTROL, Row

PASSED = 95.0  # of a hundred, from which on an oracle passes its task


def ordered(rows: Sequence[Row]) -> list[Row]:
    """Rows of one task: baselines first, oracles last."""
    return sorted(rows, key=lambda row: row.place)


def rules(rows: Sequence[Row]) -> frozenset[int]:
    """Above which rows a rule stands, since they are of another kind than those before."""
    return frozenset(i for i, (one, two) in enumerate(pairwise(rows), 1) if one.kind != two.kind)


def notes(rows: Sequence[Row]) -> list[str]:
    """What the oracles hold, and the tasks that they do not pass."""
    oracles = [row for row in rows if row.kind == "oracle" and row.control == NO_CONTROL]
    if not oracles:
        return []
    holds = {(row.encoder, row.holds): None for row in oracles if row.holds}
    best: dict[tuple[str, str], float] = {}
    for row in oracles:
        best[row.task, row.probe] = max(best.get((row.task, row.probe), row.score), row.score)
    failed = [
        f"{task}: read by {probe}, its oracle scores {score:.1f}; a lower score says nothing about"
        " an encoder."
        for (task, probe), score in best.items()
        if score < PASSED
    ]
    return [
        (
            "Baselines stand first: what is trivial. Oracles stand last: what is possible, with"
            " vectors that hold the annotation."
        ),
        *(f"{encoder}: {what}." for encoder, what in holds),
        *failed,
    ]
