"""How many units it takes: scores by the number of units, and the least number that reaches 95 % of
what all units have over the constant answer, with its interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from lingprobe.analysis.comparable import (
    constant,
    explain_mismatch,
    group_rows_by_task,
)
from lingprobe.analysis.comparison import (
    ComparisonQuestion,
    Decision,
    decide_comparisons,
)
from lingprobe.analysis.rows import MeasuredRow, get_encoder_kind
from lingprobe.data.core import Result
from lingprobe.data.oracles import Kind
from lingprobe.data.references import Reference, try_parse_reference
from lingprobe.inside.units.notes import UnitsRead
from lingprobe.metrics.metric import Doubles
from lingprobe.metrics.resampling import joint_draws

SHARE = 0.95  # of what all units have over the constant answer
DRAWS, LEVEL = 2_000, 0.95
FULL, SPARSE = "logreg", "sparse"


@dataclass(frozen=True)
class UnitRow:
    """The score of the k best units of one layer on one task, for programs; percent.

    by      how units were ranked
    rotate  the seed of the rotation, '' for the basis that the vectors have
    full    what all units score, NaN where that was not measured; `share` the share of this over
            the constant answer
    """

    task: str
    encoder: str
    layer: str
    by: str
    rotate: str
    k: int
    score: float
    low: float
    high: float
    full: float
    share: float
    n: int


class Least(NamedTuple):
    """The least number of units that reaches the share, with its 95 % interval; infinite where no
    number that was measured does.
    """

    k: float
    low: float
    high: float


class Curve(NamedTuple):
    """The scores of one layer by the number of units.

    width    how many units there are; `overlap` the share of its units that two seeds have in
             common, at the k that is asked most about, and `chance` that of drawn ones
    full     what all units score, None where that was not measured; `tells` whether that is
             significantly more than the constant answer
    least    None where there is nothing to reach
    units    the best units of each k, by how many seeds chose them
    """

    rows: list[UnitRow]
    measured: list[MeasuredRow]
    kind: Kind
    width: int
    majority: float
    full: MeasuredRow | None
    tells: bool
    least: Least | None

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What the curve shares with those of other bases."""
        row = self.rows[0]
        return row.task, row.encoder, row.layer, row.by

    @property
    def focus(self) -> MeasuredRow:
        """The fits of the least number of units that is enough; of the most where none is."""
        ks = [row.k for row in self.rows]
        k = self.least.k if self.least is not None else math.inf
        return self.measured[ks.index(int(k)) if k in ks else -1]

    def units(self) -> list[list[int]]:
        """The units of each fit of what is asked about, in the order of their rank."""
        return units_of(self.focus)

    @property
    def overlap(self) -> float:
        """The mean share of units that two fits of what is asked about have in common; NaN of one,
        and where they read all units, which no fit chose.
        """
        shares = [common_share(*pair) for pair in combinations(self.units(), 2)]
        return float(np.mean(shares)) if shares and self.is_chosen else math.nan

    @property
    def is_chosen(self) -> bool:
        """Whether what is asked about reads some units, and leaves others out."""
        return any(len(units) < self.width for units in self.units())


def curves(results: Sequence[Result]) -> list[Curve]:
    """The curves of all tasks, encoders, layers, rankings and bases, in the order of results."""
    made: list[Curve] = []
    for measured in group_rows_by_task(results):
        groups: dict[tuple[str, ...], list[MeasuredRow]] = {}
        for one in measured:
            if (probe := probe_of(one)) is not None and probe.name == SPARSE:
                told = option(probe, "by"), option(probe, "rotate")
                groups.setdefault((*_place(one), *told), []).append(one)
        made += [_curve(mine, measured) for mine in groups.values()]
    return made


def basis_decision(own: Curve, turned: Sequence[Curve]) -> Decision | None:
    """Whether the units that are asked about tell more than as many of each rotation; None where no
    rotation was measured with as many.
    """
    k = option(probe_of(own.focus), "k")
    others = [one for curve in turned for one in curve.measured if option(probe_of(one), "k") == k]
    others = [one for one in others if not explain_mismatch(own.focus, one)]
    return decide_comparisons([ComparisonQuestion(own.focus, tuple(others))])[0] if others else None


def probe_of(one: MeasuredRow) -> Reference | None:
    """The reference of a row's probe, with all its options."""
    return try_parse_reference(one.result.trial.probe)


def option(probe: Reference | None, name: str) -> str:
    """What a probe was given, '' for none."""
    value = "" if probe is None else dict(probe.options).get(name, "")
    return "" if value == "none" else value


def units_of(one: MeasuredRow) -> list[list[int]]:
    """The units that each fit of a row reads, in the order of their rank."""
    return [list(read_by(fold).units) for fit in one.fits for fold in fit]


def read_by(result: Result) -> UnitsRead:
    """What a sparse probe kept with a result."""
    return result.provenance.choice.part(UnitsRead) or UnitsRead()


def common_share(one: Sequence[int], other: Sequence[int]) -> float:
    """Which share of the units of the shorter list the other has, too."""
    size = min(len(one), len(other))
    return len(set(one) & set(other)) / size if size else math.nan


def _place(one: MeasuredRow) -> tuple[str, ...]:
    return one.row.task, one.row.encoder, one.row.layer


def _k(one: MeasuredRow) -> int:
    return int(option(probe_of(one), "k") or 1)


def _curve(mine: Sequence[MeasuredRow], measured: Sequence[MeasuredRow]) -> Curve:
    """The curve of the probes of one layer, ranking and basis."""
    ordered = sorted(mine, key=_k)
    first = ordered[0]
    full = next(
        (m for m in measured if _is_full(m, first) and not explain_mismatch(m, first)), None
    )
    floor, least, tells = constant(first), None, False
    if full is not None:
        draws = joint_draws(first.row.metric, [m.answers for m in (full, floor, *ordered)], DRAWS)
        tells = bool(np.quantile(draws[0] - draws[1], (1 - LEVEL) / 2) > 0)
        scores = np.array([m.row.score for m in (full, floor, *ordered)])
        least = _least([_k(m) for m in ordered], scores, draws) if tells else None
    width = read_by(first.result).width
    rows = [_row(m, full, floor) for m in ordered]
    kind = get_encoder_kind(first.result)
    return Curve(rows, ordered, kind, width, floor.row.score, full, tells, least)


def _is_full(one: MeasuredRow, of: MeasuredRow) -> bool:
    """Whether a row is the dense probe over the same vectors."""
    probe = probe_of(one)
    return probe is not None and probe.name == FULL and _place(one) == _place(of)


def _least(ks: Sequence[int], scores: Doubles, draws: Doubles) -> Least:
    """The least k of scores [full, constant, each k], and of draws of them [.., draws]."""
    drawn = np.sort(_first(ks, draws))
    beyond = int((1 - LEVEL) / 2 * len(drawn))
    value = float(_first(ks, scores[:, None])[0])
    return Least(value, float(drawn[beyond]), float(drawn[-1 - beyond]))


def _first(ks: Sequence[int], scores: Doubles) -> Doubles:
    """For each draw the first k whose score is enough, [draws]; infinity where none is."""
    wanted = scores[1] + SHARE * (scores[0] - scores[1])
    enough = scores[2:] >= wanted - 1e-9
    first = np.array(ks, np.float64)[enough.argmax(0)]
    return np.where(enough.any(0), first, math.inf)


def _row(one: MeasuredRow, full: MeasuredRow | None, floor: MeasuredRow) -> UnitRow:
    probe, row = probe_of(one), one.row
    most = math.nan if full is None else full.row.score
    gap = most - floor.row.score
    return UnitRow(
        row.task,
        row.encoder,
        row.layer,
        option(probe, "by"),
        option(probe, "rotate"),
        _k(one),
        row.score,
        row.low,
        row.high,
        most,
        (row.score - floor.row.score) / gap if gap > 0 else math.nan,
        row.n,
    )
