"""What views compute of detectors: how frequent the class is that they look for, how much of it
they find at a rate of false positives, and how a score differs from one over other examples.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.analysis.answers import RunPredictions, join_predictions
from lingprobe.analysis.frame import Columns, Folds, ResultFrame
from lingprobe.analysis.row import PERCENT_SCALE
from lingprobe.data.vectors import Ints
from lingprobe.metrics import interval
from lingprobe.metrics.independent import compare_independent

Flags = NDArray[np.bool_]
_NONE = (math.nan, math.nan, math.nan)
_ENDS = ("", "_low", "_high")


@dataclass(frozen=True)
class PositiveShare:
    """How frequent the class is that thresholds are set for, the rarer one of two in dev, in
    percent of the test examples (`NAME`), which it is (`positive`), and whether rows differ in it
    (`positive_varies`); NaN and '' for none.
    """

    name: str

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        shares, classes = list[float](), list[str]()
        for number in range(len(shown)):
            folds = shown.folds(number)[0]
            positive = folds[0].thresholds.positive
            known = [_find_positive(fold) for fold in folds] if positive else []
            shares.append(
                PERCENT_SCALE * float(np.concatenate(known).mean()) if known else math.nan
            )
            classes.append(positive)
        varies = [len({*classes} - {""}) > 1] * len(classes)
        return {self.name: shares, "positive": classes, "positive_varies": varies}


@dataclass(frozen=True)
class RecallAtThreshold:
    """Which percent of the positive test examples lie above the threshold that was set on dev for a
    rate of false positives (`NAME`), and of the others (`NAME_false`), each with its interval over
    what was sampled together; NaN where scores or the threshold were not kept.
    """

    name: str
    rate: float

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        rows = [self._rate(shown.folds(number)) for number in range(len(shown))]
        found: dict[str, list[float]] = {}
        for place, name in enumerate((self.name, f"{self.name}_false")):
            cells = [row[place] for row in rows]
            found |= {f"{name}{end}": [c[i] for c in cells] for i, end in enumerate(_ENDS)}
        return found

    def _rate(self, fits: Sequence[Folds]) -> Sequence[tuple[float, ...]]:
        flags = [[self._flag(fold) for fold in folds] for folds in fits]
        if any(each is None for folds in flags for each in folds):
            return _NONE, _NONE
        above = np.stack([np.concatenate([f for f in folds if f is not None]) for folds in flags])
        is_positive = np.concatenate([_find_positive(fold) for fold in fits[0]])
        clusters = join_predictions(fits[:1]).clusters
        return [rate_among(above, among, clusters) for among in (is_positive, ~is_positive)]

    def _flag(self, fold: RunPredictions) -> Flags | None:
        """Which test examples of a fold lie above the threshold; None where that is not known."""
        cut = fold.thresholds.at.get(f"{self.rate:g}")
        if cut is None or fold.logits is None:
            return None
        place = fold.gold.names.index(fold.thresholds.positive)
        scores = fold.logits.values.astype(np.float64)
        return np.asarray(scores[:, place] - scores[:, 1 - place] > cut)


@dataclass(frozen=True)
class UnpairedDifference:
    """How much higher a score is than that of the row with the same keys but for some, which is
    over other examples, with its interval: `NAME`, `NAME_low`, `NAME_high`; NaN where there is
    none.
    """

    name: str
    other: Mapping[str, Any]

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        rows = list[tuple[float, ...]]()
        runs, known = shown.column("run_id"), frame.column("run_id")
        for number, others in enumerate(frame.find_others(shown, self.other)):
            apart = [k for k in others if known[k] != runs[number]]
            if not apart:
                rows.append(_NONE)
                continue
            one = shown.score(number), *shown.interval(number)
            rows.append(
                compare_independent(one, (frame.score(apart[0]), *frame.interval(apart[0])))
            )
        return {f"{self.name}{end}": [row[i] for row in rows] for i, end in enumerate(_ENDS)}


def _find_positive(fold: RunPredictions) -> Flags:
    """Which test examples of a fold are of the positive class."""
    names, positive = fold.gold.names, fold.thresholds.positive
    code = names.index(positive) if positive in names else -1
    return np.asarray(fold.gold.matrix() == code)


def rate_among(
    flags: Flags, among: Flags, clusters: Mapping[str, Ints]
) -> tuple[float, float, float]:
    """The share of flags [fits, examples] among some examples, with its interval, in percent."""
    if not among.any():
        return _NONE
    some = flags[:, among].astype(np.float64)
    low, high = interval(some, clusters={k: codes[among] for k, codes in clusters.items()})
    return PERCENT_SCALE * float(some.mean()), PERCENT_SCALE * low, PERCENT_SCALE * high
