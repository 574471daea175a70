"""V-information in bits (Xu et al. 2020), from results that kept scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sonde.analysis.row import NO_CONTROL
from sonde.analysis.rows import groups_of, repeats, without_fold
from sonde.analysis.tested import differences, marks, missing, tested
from sonde.analysis.together import together
from sonde.core import DataProblem, Result
from sonde.encoders import ENCODERS
from sonde.metrics.information import calibration_error, mean_over, pointwise
from sonde.pages.headings import short
from sonde.probes import PROBES
from sonde.references import brief
from sonde.tables.table import Section, Table
from sonde.tasks import TASKS

COLUMNS = (
    "encoder",
    "layer",
    "probe",
    "H(Y)",
    "H(Y|X)",
    "V-information",
    "95 % interval",
    "share",
    "ECE",
    "n",
)
NOTES = (
    (
        "Bits a test example. H(Y): what its labels take for one who knows how frequent they are in"
        " train; H(Y|X): for the probe, in the state with the lowest loss on dev."
    ),
    (
        "V-information (Xu et al. 2020): the difference, with its interval over seeds and test"
        " examples; share: of H(Y). Below 0 the probe is worse than label frequencies."
    ),
    (
        "ECE: expected calibration error, how far probabilities are from shares of what was right"
        " (Guo et al. 2017)."
    ),
)


@dataclass(frozen=True, slots=True)
class Bits:
    """What vectors tell of a task's labels, in bits a test example.

    null         that the labels take under their shares in train
    bits         that they take under the probe
    information  the difference, with its 95 % interval
    error        expected calibration error, 0 to 1
    tested, missing  a digest of the test examples, and folds that were not measured, as in a row of
                     scores
    """

    task: str
    encoder: str
    layer: str
    probe: str
    null: float
    bits: float
    information: float
    low: float
    high: float
    error: float
    n: int
    seeds: int
    tested: str = ""
    missing: str = ""


def bits(results: Sequence[Result]) -> list[Bits]:
    """What each thing measured tells, over all its seeds and folds; DataProblem where no result
    kept scores.
    """
    return [_bits(group) for group in groups_of(with_scores(results)).values()]


def with_scores(results: Sequence[Result]) -> list[Result]:
    """The results that kept scores, without controls; DataProblem where there is none."""
    chosen = [
        result
        for result in results
        if result.scores is not None and result.trial.control == NO_CONTROL
    ]
    if not chosen:
        raise DataProblem(
            "no result here kept scores: `sonde run --keep scores` measures with them (labels that"
            " are numbers have none)"
        )
    return chosen


def _bits(group: Sequence[Result]) -> Bits:
    every = repeats(group)
    whole = [
        [(result.gold, result.scores) for result in folds if result.scores is not None]
        for folds in every
    ]
    pvi = np.stack(
        [np.concatenate([pointwise(gold, scores) for gold, scores in each]) for each in whole]
    )
    null = float(np.concatenate([scores.null_bits(gold) for gold, scores in whole[0]]).mean())
    mean, trial = mean_over(pvi, together(every).clusters), group[0].trial
    errors = [
        float(
            np.average(
                [calibration_error(*pair) for pair in each], weights=[len(gold) for gold, _ in each]
            )
        )
        for each in whole
    ]
    names = (
        brief(TASKS, without_fold(trial.task)),
        brief(ENCODERS, trial.encoder),
        trial.read,
        brief(PROBES, trial.probe),
    )
    over = tested(every[0]), missing(every[0])
    return Bits(
        *names,
        null,
        null - mean.value,
        *mean,
        float(np.mean(errors)),
        pvi.shape[1],
        len(whole),
        *over,
    )


def bits_table(rows: Sequence[Bits]) -> Table:
    """The same as a table, one section a task."""
    sections, notes = [], list(NOTES)
    for task in dict.fromkeys(row.task for row in rows):
        mine = [row for row in rows if row.task == task]
        sections.append(
            Section(
                short(task),
                tuple(_cells(row, sign) for row, sign in zip(mine, marks(mine), strict=True)),
            )
        )
        notes += differences(mine, short(task))
    return Table(COLUMNS, tuple(sections), frozenset({"encoder", "probe"}), tuple(notes))


def _cells(row: Bits, sign: str) -> tuple[str, ...]:
    numbers = (
        f"{row.null:.3f}",
        f"{row.bits:.3f}",
        f"{row.information:.3f}{sign}",
        f"{row.low:.3f} – {row.high:.3f}",
    )
    share = f"{row.information / row.null:.1%}" if row.null > 0 else "–"
    return (row.encoder, row.layer, row.probe, *numbers, share, f"{row.error:.3f}", f"{row.n:,}")
