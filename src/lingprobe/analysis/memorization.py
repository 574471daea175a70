"""Of a control that remembering words can answer: how it fares on words that train has and has
not, and how much better the task itself does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lingprobe.analysis.answers import RunPredictions, digest_test_set, join_predictions
from lingprobe.data.notes import ControlNote
from lingprobe.datasets.controls import KEY_SEEN
from lingprobe.metrics import METRICS, compute_difference

Folds = Sequence[RunPredictions]


def measure_memorization(
    metric: str, control: Sequence[Folds], plain: Sequence[Folds]
) -> dict[str, Any]:
    """Of a control that tags its keys: selectivity over the results without it, and scores by
    whether a key was seen; percent.
    """
    if any(KEY_SEEN not in fold.strata for folds in control for fold in folds):
        return {}
    answers = join_predictions(control)
    seen = np.stack([np.concatenate([_seen_keys(fold) for fold in folds]) for folds in control])
    control_note = control[0][0].about.notes.part(ControlNote)
    measures: dict[str, Any] = {
        "keyed": (control_note and control_note.definition) or "",
        "keys_seen": 100 * float(seen.mean()),
    }
    for name, chosen in (("on_seen", seen), ("on_unseen", ~seen)):
        parts = [
            METRICS.make(metric)(gold.take(rows), predicted.take(rows))
            for gold, predicted, rows in zip(
                answers.golds, answers.predicted, map(np.flatnonzero, chosen), strict=True
            )
            if len(rows)
        ]
        if parts:
            measures[name] = 100 * float(np.mean(parts))
    if (
        plain
        and digest_test_set(plain[0]) == digest_test_set(control[0])
        and len((beside := join_predictions(plain)).gold) == len(answers.gold)
    ):
        value, low, high, *_ = compute_difference(metric, beside, answers)
        measures |= {
            "selectivity": 100 * value,
            "selective_low": 100 * low,
            "selective_high": 100 * high,
        }
    return measures


def _seen_keys(fold: RunPredictions) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Whether train has the key of each test example, [n]."""
    tags = fold.strata[KEY_SEEN]
    return np.array([name == "yes" for name in tags.names])[tags.codes]
