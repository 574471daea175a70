"""What a control tells that can be answered by remembering words: selectivity, and how it fares on
words that train has and has not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sonde.analysis.tested import tested
from sonde.analysis.together import together
from sonde.core import Result
from sonde.datasets.controls import KEY_SEEN
from sonde.metrics import METRICS, difference
from sonde.notes import Controlled

Repeats = Sequence[Sequence[Result]]
"""Results of one thing, for each fit those of all folds."""


def remembered(metric: str, control: Repeats, plain: Repeats) -> dict[str, Any]:
    """Of a control that tags its keys: selectivity over the results without it, and scores by
    whether a key was seen; percent.
    """
    if any(KEY_SEEN not in result.strata for each in control for result in each):
        return {}
    answers = together(control)
    seen = np.concatenate([_seen(result) for result in control[0]])
    noted = control[0][0].provenance.notes.part(Controlled)
    measures: dict[str, Any] = {
        "keyed": (noted and noted.definition) or "",
        "keys_seen": 100 * float(seen.mean()),
    }
    for name, rows in (("on_seen", np.flatnonzero(seen)), ("on_unseen", np.flatnonzero(~seen))):
        if len(rows):
            parts = [
                METRICS.make(metric)(answers.gold.take(rows), p.take(rows))
                for p in answers.predicted
            ]
            measures[name] = 100 * float(np.mean(parts))
    if (
        plain
        and tested(plain[0]) == tested(control[0])
        and len((beside := together(plain)).gold) == len(answers.gold)
    ):
        value, low, high, *_ = difference(metric, beside, answers)
        measures |= {
            "selectivity": 100 * value,
            "selective_low": 100 * low,
            "selective_high": 100 * high,
        }
    return measures


def _seen(result: Result) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Whether train has the key of each test example, [n]."""
    tags = result.strata[KEY_SEEN]
    return np.array([name == "yes" for name in tags.names])[tags.codes]
