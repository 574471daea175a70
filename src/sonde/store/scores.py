"""Scores of results on disk, one file beside that of the results of a unit of work: read only by
those who ask for them.

3f8a01c2d4e5f607-91ab23cd45ef6789.scores    of the trials in the file of results of that name
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sonde._logits import Logits
from sonde.core import Result
from sonde.store.blocks import Damaged, Gone, listed, opened, set_aside, write
from sonde.store.results import EXPERIMENT, SCORES, SUFFIX, Kept, likely, unit_name


def write_scores(root: Path, results: Sequence[tuple[str, Result]]) -> None:
    """Keep the scores of one unit of work (trial id, result); that a result has none is kept,
    too.
    """
    kept = Kept()
    rows = [_row(trial_id, result.scores, kept) for trial_id, result in results]
    name = unit_name([trial_id for trial_id, _ in results])
    write(root / (name + SCORES), "scores", {"scores": rows, **kept.facts}, kept.arrays, keep=True)


def find_scores(root: Path, ids: Iterable[str]) -> dict[str, Logits | None]:
    """The scores of those of the trial ids that were fitted with them; None for a probe or labels
    that have no probabilities.
    """
    sought, scores = set(ids), dict[str, Logits | None]()
    may_hold = likely(sought)
    for _, name in listed(
        root,
        SCORES,
        SUFFIX,
        EXPERIMENT,
        chosen=lambda name: name.endswith(SCORES) and may_hold(name),
    ):
        for row, arrays in _rows(root / name, sought - scores.keys()):
            scores[row["id"]] = Logits(**arrays, link=row["link"]) if arrays else None
    return scores


def _row(trial_id: str, scores: Logits | None, kept: Kept) -> dict[str, Any]:
    if scores is None:
        return {"id": trial_id}
    arrays = {
        "values": kept.plain(scores.values),
        "null": kept.plain(scores.null),
        "rows": kept.plain(scores.rows),
    }
    return {"id": trial_id, "link": scores.link, "arrays": arrays}


def _rows(path: Path, ids: set[str]) -> list[tuple[Mapping[str, Any], dict[str, Any]]]:
    """The rows of a file about some trials, each with its arrays; nothing where it is damaged, and
    set aside now.
    """
    block = opened(path)
    rows = [] if block is None else [row for row in block.facts["scores"] if row["id"] in ids]
    try:
        return [
            (row, {key: _array(block, number) for key, number in row.get("arrays", {}).items()})
            for row in rows
        ]
    except Gone:
        return []
    except Damaged as damage:
        set_aside(path, damage)
        return []


def _array(block: Any, number: int) -> Any:
    return np.array(block.array(f"{number}:plain").astype(block.facts["plain"][number]))
