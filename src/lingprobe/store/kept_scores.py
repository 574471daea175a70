"""Scores of examples beside results, read only by those who ask for them: a file for each unit of
work (`results`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lingprobe.data._logits import Logits
from lingprobe.data.core import Result
from lingprobe.store.blocks import (
    RESULTS,
    Damaged,
    Gone,
    list_files,
    open_block,
    set_aside,
    write,
)
from lingprobe.store.results import SCORES, ArrayPool, likely, unit_name


def write_scores(root: Path, results: Sequence[tuple[str, Result]]) -> None:
    """Keep the scores of one unit of work (trial id, result); that a result has none is kept,
    too.
    """
    pool = ArrayPool()
    rows = [_row_of_scores(trial_id, result.scores, pool) for trial_id, result in results]
    name = unit_name([trial_id for trial_id, _ in results])
    write(root / (name + SCORES), "scores", {"scores": rows, **pool.facts}, pool.arrays, keep=True)


def any_scores(root: Path) -> bool:
    """Whether some results were kept with scores."""
    return bool(list_files(root, *RESULTS, chosen=lambda name: name.endswith(SCORES)))


def find_scores(root: Path, ids: Iterable[str]) -> dict[str, Logits | None]:
    """The scores of those of the trial ids that were fitted with them; None for a probe or labels
    that have no probabilities.
    """
    sought, scores = set(ids), dict[str, Logits | None]()
    may_hold = likely(sought)
    for _, name in list_files(
        root,
        *RESULTS,
        chosen=lambda name: name.endswith(SCORES) and may_hold(name),
    ):
        scores |= scores_in(root / name, sought - scores.keys())
    return scores


def scores_in(path: Path, ids: set[str]) -> dict[str, Logits | None]:
    """The scores that a file has of some trials."""
    return {
        row["id"]: Logits(**arrays, link=row["link"]) if arrays else None
        for row, arrays in _rows_of_scores(path, ids)
    }


def _row_of_scores(trial_id: str, scores: Logits | None, pool: ArrayPool) -> dict[str, Any]:
    if scores is None:
        return {"id": trial_id}
    arrays = {
        "values": pool.plain(scores.values),
        "null": pool.plain(scores.null),
        "rows": pool.plain(scores.rows),
    }
    return {"id": trial_id, "link": scores.link, "arrays": arrays}


def _rows_of_scores(path: Path, ids: set[str]) -> list[tuple[Mapping[str, Any], dict[str, Any]]]:
    """The rows of a file about some trials, each with its arrays; nothing where it is damaged, and
    set aside now.
    """
    block = open_block(path)
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
