"""What is shown of probabilities: how much vectors tell of labels, in bits (V-information; Xu et
al. 2020), and calibration. Of results that kept scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lingprobe.analysis.frame import RUN_KEYS, Columns, Folds, ResultFrame
from lingprobe.analysis.row import NO_CONTROL
from lingprobe.analysis.statistics import ExampleDigest, ExampleMarks
from lingprobe.data.core import DataProblem
from lingprobe.metrics import FitAnswers
from lingprobe.metrics.information import (
    calibration_error,
    compute_pointwise_information,
    mean_over,
)
from lingprobe.pages.captions import label_encoders
from lingprobe.pages.view_page import FrameView, ListTable

NO_SCORES_PROBLEM = (
    "no result here has stored scores: measure with `lingprobe run --keep-scores` (not for labels"
    " that are numbers)"
)


def select_scored(frame: ResultFrame) -> ResultFrame:
    """The rows of fits whose probabilities were kept, without controls; DataProblem where there
    are none.
    """
    runs, plain = frame.column("run_id"), frame.column("control")
    scored = frame.take(
        [
            number
            for number, run in enumerate(runs)
            if plain[number] == NO_CONTROL and frame.predictions[run][0][0].logits is not None
        ]
    )
    if not len(scored):
        raise DataProblem(NO_SCORES_PROBLEM)
    return scored


@dataclass(frozen=True)
class LabelInformation:
    """What vectors tell of the labels, in bits a test example: those that labels take under their
    shares in train (`null`), and under the probe (`bits`); the difference, with its 95 % interval
    (`information`, `information_low`, `information_high`); and the expected calibration error, 0
    to 1 (`error`).
    """

    def compute(self, shown: ResultFrame, frame: ResultFrame) -> Columns:
        numbers = range(len(shown))
        rows = [self._inform(shown.folds(number), shown.answers(number)) for number in numbers]
        names = ("null", "bits", "information", "information_low", "information_high", "error")
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}

    def _inform(self, fits: Sequence[Folds], answers: FitAnswers) -> tuple[float, ...]:
        pairs = [
            [(fold.gold, fold.logits) for fold in folds if fold.logits is not None]
            for folds in fits
        ]
        pvi = np.stack(
            [
                np.concatenate([compute_pointwise_information(*pair) for pair in fit])
                for fit in pairs
            ]
        )
        null = float(np.concatenate([logits.null_bits(gold) for gold, logits in pairs[0]]).mean())
        mean = mean_over(pvi, answers.clusters)
        sizes = [len(gold) for gold, _ in pairs[0]]
        errors = [
            float(np.average([calibration_error(*pair) for pair in fit], weights=sizes))
            for fit in pairs
        ]
        return (null, null - mean.value, *mean, float(np.mean(errors)))


_CELLS: tuple[tuple[str, ...], ...] = (
    *(("encoder", "encoder"), ("layer", "layer"), ("probe", "probe"), ("H(Y)", "null")),
    *(("H(Y|X)", "bits"), ("V-information", "information"), ("95 % interval", "interval")),
    *(("share", "share"), ("ECE", "error"), ("n", "n")),
)
BITS_VIEW = FrameView(
    name="bits",
    about="V-information and calibration, for results that kept scores.",
    keys=RUN_KEYS,
    prepare=select_scored,
    where={},
    statistics=(LabelInformation(), ExampleDigest("tested"), ExampleMarks("mark", ("task",))),
    tables=(
        ListTable(
            columns=_CELLS,
            rows="true",
            sections=("task",),
            words=("encoder", "probe"),
            title="",
            lead="",
        ),
    ),
    fields=(
        *("task", "encoder", "layer", "probe", "null", "bits", "information"),
        *("low=information_low", "high=information_high", "error", "n=n_test", "seeds"),
        *("tested", "missing"),
    ),
    sentences=Path(__file__).with_name("bits.j2"),
    names=label_encoders,
    is_scored=True,
)
