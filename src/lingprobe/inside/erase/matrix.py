"""Erase one task, measure another: the fits behind each cell of the matrix."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from lingprobe.analysis.answers import RunPredictions
from lingprobe.analysis.frame import ProbeRun
from lingprobe.analysis.row import NO_CONTROL, PERCENT_SCALE
from lingprobe.data.core import Cell, Predictor, Probe
from lingprobe.data.labels import Column
from lingprobe.data.oracles import Kind
from lingprobe.data.reading import Readings
from lingprobe.datasets.splits import code_shared_groups
from lingprobe.inside.erase.change import (
    collateral_change,
    compute_completeness,
    compute_probabilities,
)
from lingprobe.inside.erase.division import FourWaySplit, LabelPairing
from lingprobe.inside.erase.erasers import AffineEraser, principal_angles
from lingprobe.inside.erase.fitting import EraserBaselines, EraserData, erase_layer, fit_eraser
from lingprobe.metrics.constant import best_constant, choose_constants

ORDINARY_PROBE, _OF_FLOORS, NONLINEAR_PROBE = "ordinary", "floors", "nonlinear"
ERASER_CONTROL_NAMES = {
    "rank": "random-rank",
    "variance": "random-variance",
    "shuffled": "shuffled-labels",
}
"""What stands in for an eraser, by the kind of floor."""
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_NAN = math.nan
_EXTRA = (
    *("method", "asked", "rank", "fitted", "selection", "dependence", "angle"),
    *("completeness", "collateral"),
)
"""The columns that only erasures have.

asked         the rank that was asked for, 0 for what is needed; `rank` is that of the eraser
fitted        examples that the eraser was fitted on
selection     of the examples that are measured, as `CellPlan` has it
dependence    Cramér's V of the two tasks' labels
angle         the smallest between the erased subspaces of the two tasks, in degrees
completeness, collateral  as `change` defines them, percent
"""


@dataclass(frozen=True)
class ErasureTask:
    """A task over one layer of an encoder, with its data in three parts.

    seed  draws its baselines: stands for its data, wherever they lie
    """

    task: str
    seed: str
    metric: str
    read: str
    readings: Readings
    division: FourWaySplit

    @property
    def source(self) -> EraserData:
        """What its eraser is fitted on."""
        return EraserData.of(self.readings.take(self.division.eraser), self.read)


class ProbeOutcome(NamedTuple):
    """What a probe answered on test, and the state of it that is best by loss."""

    predicted: Column
    likely: Predictor


@dataclass
class ProbeFitter:
    """Fits probes, and counts how many of each sort were fitted; `names` has what they are called,
    by sort.
    """

    probe: Probe
    nonlinear: Probe | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def fit(
        self, readings: Readings, division: FourWaySplit, read: str, sort: str = ORDINARY_PROBE
    ) -> ProbeOutcome:
        """The probe's answers after it was fitted to the probe's part."""
        probe = self.nonlinear if sort == NONLINEAR_PROBE else self.probe
        assert probe is not None
        self.counts[sort] += 1
        cells = (Cell(read, 0), Cell(read, 0, "loss"))
        train, dev = readings.take(division.train), readings.take(division.dev)
        best, likely = probe.fit(train, dev, cells=cells)
        return ProbeOutcome(best.predict(readings.take(division.test)).decoded, likely)


class CellPlan(NamedTuple):
    """How a task is erased and another measured: the eraser, its floors by kind, the division, and
    what is known of the pair of tasks.

    fitted     examples that the eraser was fitted on
    selection  of examples: all; independent: those in which the labels of both tasks are;
               dependent: they are not, and there are too few such examples; unknown: too few
               examples have both labels
    """

    eraser: AffineEraser
    floors: Sequence[tuple[str, AffineEraser]]
    division: FourWaySplit
    fitted: int
    selection: str = "all"
    dependence: float = 0.0

    @property
    def is_independent(self) -> bool:
        """Whether examples are those in which the labels of both tasks are independent."""
        return self.selection == "independent"


@dataclass
class ErasureMatrix:
    """All pairs of tasks that are erased and tasks that are measured, over one layer.

    encoder  whose vectors, as frames name it, and what it is in a table
    rank     of erasers; None for what each method needs
    draws    of each kind of baseline
    """

    bench: ProbeFitter
    encoder: tuple[str, Kind]
    erased: Sequence[ErasureTask]
    measured: Sequence[ErasureTask]
    method: str = "leace"
    rank: int | None = None
    draws: int = 5
    erasers: dict[str, AffineEraser] = field(default_factory=dict)
    befores: dict[str, ProbeOutcome] = field(default_factory=dict)

    def runs(self) -> Iterator[list[ProbeRun]]:
        """The probes that are trained for each cell, row by row."""
        for subject in {each.task: each for each in (*self.erased, *self.measured)}.values():
            self.erasers[subject.task] = fit_eraser(subject.source, self.method, self.rank)
        for erased in self.erased:
            floors = self._floors(erased.source, self.erasers[erased.task], erased)
            for measured in self.measured:
                yield list(self._cell(erased, measured, self._plan(erased, measured, floors)))

    def _floors(
        self, source: EraserData, eraser: AffineEraser, erased: ErasureTask
    ) -> list[tuple[str, AffineEraser]]:
        return list(
            EraserBaselines.of(source, self.method, eraser, erased.seed).draw_all(self.draws)
        )

    def _plan(
        self, erased: ErasureTask, measured: ErasureTask, floors: list[tuple[str, AffineEraser]]
    ) -> CellPlan:
        """The eraser and examples of a cell; where labels of two tasks depend on each other, those
        of examples in which they do not.
        """
        eraser = self.erasers[erased.task]
        usual = CellPlan(eraser, floors, measured.division, len(erased.division.eraser))
        if erased.task == measured.task:
            return usual
        pairing = LabelPairing.of(erased.readings.dataset, measured.readings.dataset)
        related = pairing.dependence
        usual = usual._replace(dependence=related.v)
        if not related.is_clear:
            return usual if related.is_known else usual._replace(selection="unknown")
        drawn = pairing.independent(erased.division, measured.division)
        if drawn is None:
            return usual._replace(selection="dependent")
        rows, division = drawn
        source = EraserData.of(erased.readings.take(rows), erased.read)
        eraser = fit_eraser(source, self.method, self.rank)
        floors = self._floors(source, eraser, erased)
        return CellPlan(eraser, floors, division, len(rows), "independent", related.v)

    def _cell(
        self, erased: ErasureTask, measured: ErasureTask, how: CellPlan
    ) -> Iterator[ProbeRun]:
        """A probe retrained on the erased vectors, and those before and after each baseline; where
        the task is its own, nonlinear probes as well.
        """
        is_own, read, bench = erased.task == measured.task, measured.read, self.bench
        make = RunMaker.of(self, erased, measured, how)
        before, is_new = self._before(measured, how)
        if is_new:
            yield make.run(before.predicted)
        after = erase_layer(measured.readings, read, how.eraser)
        test = measured.readings.take(how.division.test)
        plain = compute_probabilities(before.likely.predict(test))
        moved = compute_probabilities(before.likely.predict(after.take(how.division.test)))
        angles = principal_angles(self.erasers[erased.task], self.erasers[measured.task])
        extra = {
            "rank": how.eraser.rank,
            "fitted": how.fitted,
            "selection": how.selection,
            "dependence": how.dependence,
            "completeness": PERCENT_SCALE * compute_completeness(moved) if is_own else _NAN,
            "collateral": _NAN if is_own else PERCENT_SCALE * collateral_change(plain, moved),
            "angle": float(angles[0]) if len(angles) and not is_own else _NAN,
        }
        yield make.run(bench.fit(after, how.division, read).predicted, {**make.own, **extra})
        for number, (kind, floor) in enumerate(how.floors):
            beside = erase_layer(measured.readings, read, floor)
            fitted = bench.fit(beside, how.division, read, _OF_FLOORS)
            other = compute_probabilities(before.likely.predict(beside.take(how.division.test)))
            keys = {
                "control": ERASER_CONTROL_NAMES[kind],
                "control_sample": f"{number % self.draws}",
            }
            change = _NAN if is_own else PERCENT_SCALE * collateral_change(plain, other)
            yield make.run(fitted.predicted, {**make.own, **keys, "collateral": change})
        if is_own and bench.nonlinear is not None:
            for own, each in ((_NOTHING, measured.readings), (make.own, after)):
                fitted = bench.fit(each, how.division, read, NONLINEAR_PROBE)
                yield make.run(fitted.predicted, {**own, "probe": bench.names[NONLINEAR_PROBE]})

    def _before(self, measured: ErasureTask, how: CellPlan) -> tuple[ProbeOutcome, bool]:
        """A probe on vectors as they are, and whether it is trained now; on all examples there is
        one for all cells.
        """
        if not how.is_independent and measured.task in self.befores:
            return self.befores[measured.task], False
        fitted = self.bench.fit(measured.readings, how.division, measured.read)
        if not how.is_independent:
            self.befores[measured.task] = fitted
        return fitted, True


class RunMaker(NamedTuple):
    """Makes the rows of a cell: what they have in common, and what those of erased vectors have."""

    common: Mapping[str, Any]
    own: Mapping[str, Any]
    predictions: RunPredictions

    @classmethod
    def of(
        cls, matrix: ErasureMatrix, erased: ErasureTask, measured: ErasureTask, plan: CellPlan
    ) -> RunMaker:
        """That of a pair of tasks."""
        test = measured.readings.take(plan.division.test)
        train = measured.readings.take(plan.division.train).labels
        given = (
            test.labels,
            test.labels,
            code_shared_groups(test.dataset),
            choose_constants(train, measured.metric),
        )
        common = {
            "task": measured.task,
            "encoder": matrix.encoder[0],
            "role": matrix.encoder[1],
            "layer": measured.read,
            "probe": matrix.bench.names[ORDINARY_PROBE],
            "control": NO_CONTROL,
            "metric": measured.metric,
            "subgroup": f"independent of {erased.task}" if plan.is_independent else "",
            "constant_score": PERCENT_SCALE * best_constant(train, test.labels, measured.metric),
            "method": matrix.method,
            "asked": matrix.rank or 0,
        }
        return cls(common, {"erased": erased.task}, RunPredictions(*given, n_train=len(train)))

    def run(self, predicted: Column, values: Mapping[str, Any] = _NOTHING) -> ProbeRun:
        """A probe with these answers, and with further keys and numbers."""
        every = {**self.common, **values}
        extra = {name: every[name] for name in _EXTRA if name in every}
        keys = {name: value for name, value in every.items() if name not in _EXTRA}
        return ProbeRun(keys, {}, replace(self.predictions, predicted=predicted), extra)
