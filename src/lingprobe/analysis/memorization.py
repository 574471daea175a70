"""Of a control that remembering words can answer: how it fares on words that train has and has
not, and how much better the task itself does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lingprobe.analysis.answers import (
    Repeats,
    digest_test_set,
    join_answers,
)
from lingprobe.data.core import Result
from lingprobe.data.notes import Controlled
from lingprobe.datasets.controls import KEY_SEEN
from lingprobe.metrics import METRICS, difference


def measure_memorization(metric: str, control: Repeats, plain: Repeats) -> dict[str, Any]:
    """Of a control that tags its keys: selectivity over the results without it, and scores by
    whether a key was seen; percent.
    """
    if any(KEY_SEEN not in result.strata for each in control for result in each):
        return {}
    answers = join_answers(control)
    seen = np.stack([np.concatenate([_seen_keys(result) for result in folds]) for folds in control])
    control_note = control[0][0].provenance.notes.part(Controlled)
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
        and len((beside := join_answers(plain)).gold) == len(answers.gold)
    ):
        value, low, high, *_ = difference(metric, beside, answers)
        measures |= {
            "selectivity": 100 * value,
            "selective_low": 100 * low,
            "selective_high": 100 * high,
        }
    return measures


def _seen_keys(result: Result) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Whether train has the key of each test example, [n]."""
    tags = result.strata[KEY_SEEN]
    return np.array([name == "yes" for name in tags.names])[tags.codes]
