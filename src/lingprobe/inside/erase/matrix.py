"""Erase one task, measure another: the fits behind each cell of the matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from lingprobe.data.core import Cell, Predictor, Probe
from lingprobe.data.labels import Column
from lingprobe.data.reading import Readings
from lingprobe.datasets import together
from lingprobe.inside.erase.change import collateral_change, completeness, probabilities
from lingprobe.inside.erase.division import Dependence, Division, Pairing
from lingprobe.inside.erase.erasers import Eraser, principal_angles
from lingprobe.inside.erase.fitting import Floors, Source, erase_layer, fit_eraser
from lingprobe.metrics.intervals import Answers

ORDINARY, OF_FLOORS, NONLINEAR = "ordinary", "floors", "nonlinear"


@dataclass(frozen=True)
class Subject:
    """A task over one layer of an encoder, with its data in three parts.

    seed  draws its baselines: stands for its data, wherever they lie
    """

    task: str
    seed: str
    metric: str
    read: str
    readings: Readings
    division: Division

    @property
    def source(self) -> Source:
        """What its eraser is fitted on."""
        return Source.of(self.readings.take(self.division.eraser), self.read)


class Fitted(NamedTuple):
    """What a probe answered on test, and the state of it that is best by loss."""

    predicted: Column
    likely: Predictor


@dataclass
class Bench:
    """Fits probes, and counts how many of each sort were fitted."""

    probe: Probe
    nonlinear: Probe | None = None
    counts: Counter[str] = field(default_factory=Counter)

    def fit(
        self, readings: Readings, division: Division, read: str, sort: str = ORDINARY
    ) -> Fitted:
        """The probe's answers after it was fitted to the probe's part."""
        probe = self.nonlinear if sort == NONLINEAR else self.probe
        assert probe is not None
        self.counts[sort] += 1
        cells = (Cell(read, 0), Cell(read, 0, "loss"))
        train, dev = readings.take(division.train), readings.take(division.dev)
        best, likely = probe.fit(train, dev, cells=cells)
        return Fitted(best.predict(readings.take(division.test)).decoded, likely)


@dataclass(frozen=True)
class Outcome:
    """The answers behind a cell.

    fitted     examples that the eraser was fitted on
    train      the labels of the probe's part
    answers    before and after, and after each kind of floor, of which there are several draws;
               with what a nonlinear probe says before and after
    complete   completeness, where the erased task is the one that is measured
    collateral collateral change, where it is another, and the mean over each kind of baseline
    sample     all, independent, dependent, or unknown: whether the two tasks' labels depend on
               each other in what was measured
    angle      the smallest between the two erased subspaces, in degrees
    """

    erased: str
    measured: str
    metric: str
    read: str
    rank: int
    fitted: int
    train: Column
    test: int
    answers: Mapping[str, Answers]
    complete: float
    collateral: Mapping[str, float]
    dependence: Dependence
    sample: str
    angle: float


@dataclass
class Matrix:
    """All pairs of tasks that are erased and tasks that are measured, over one layer.

    rank   of erasers; None for what each method needs
    draws  of each kind of baseline
    """

    bench: Bench
    erased: Sequence[Subject]
    measured: Sequence[Subject]
    method: str = "leace"
    rank: int | None = None
    draws: int = 5
    erasers: dict[str, Eraser] = field(default_factory=dict)
    befores: dict[str, Fitted] = field(default_factory=dict)

    def outcomes(self) -> Iterator[Outcome]:
        """The answers of each cell, row by row."""
        for subject in {each.task: each for each in (*self.erased, *self.measured)}.values():
            self.erasers[subject.task] = fit_eraser(subject.source, self.method, self.rank)
        for erased in self.erased:
            floors = self._floors(erased.source, self.erasers[erased.task], erased)
            for measured in self.measured:
                yield self._cell(erased, measured, floors)

    def _floors(self, source: Source, eraser: Eraser, erased: Subject) -> list[tuple[str, Eraser]]:
        return list(Floors.of(source, self.method, eraser, erased.seed).every(self.draws))

    def _cell(
        self, erased: Subject, measured: Subject, floors: list[tuple[str, Eraser]]
    ) -> Outcome:
        eraser, division, sample = self.erasers[erased.task], measured.division, "all"
        related, fitted = Dependence(0.0, 1.0, 0), len(erased.division.eraser)
        if erased.task != measured.task:
            pairing = Pairing.of(erased.readings.dataset, measured.readings.dataset)
            related = pairing.dependence
            sample = "all" if related.is_known else "unknown"
            drawn = None
            if related.is_clear:
                drawn = pairing.independent(erased.division, measured.division)
                sample = "dependent" if drawn is None else "independent"
            if drawn is not None:
                rows, division = drawn
                fitted = len(rows)
                source = Source.of(erased.readings.take(rows), erased.read)
                eraser = fit_eraser(source, self.method, self.rank)
                floors = self._floors(source, eraser, erased)
        before = self._before(measured, division, sample)
        outcome = self._compare(
            erased, measured, before, (eraser, floors, division, sample, related)
        )
        return replace(outcome, fitted=fitted)

    def _before(self, measured: Subject, division: Division, sample: str) -> Fitted:
        """A probe on vectors as they are; on all examples it is fitted once."""
        if sample == "independent":
            return self.bench.fit(measured.readings, division, measured.read)
        if measured.task not in self.befores:
            self.befores[measured.task] = self.bench.fit(measured.readings, division, measured.read)
        return self.befores[measured.task]

    def _compare(
        self,
        erased: Subject,
        measured: Subject,
        before: Fitted,
        made: tuple[Eraser, list[tuple[str, Eraser]], Division, str, Dependence],
    ) -> Outcome:
        eraser, floors, division, sample, related = made
        is_own, read = erased.task == measured.task, measured.read
        test = measured.readings.take(division.test)
        clusters = together(test.dataset)
        after = erase_layer(measured.readings, read, eraser)
        fits = {"before": [before.predicted], "after": []}
        fits["after"] = [self.bench.fit(after, division, read).predicted]
        plain = probabilities(before.likely.predict(test))
        moved = probabilities(before.likely.predict(after.take(division.test)))
        collateral = {} if is_own else {"after": collateral_change(plain, moved)}
        for kind, floor in floors:
            beside = erase_layer(measured.readings, read, floor)
            fitted = self.bench.fit(beside, division, read, OF_FLOORS)
            fits.setdefault(kind, []).append(fitted.predicted)
            if not is_own:
                other = probabilities(before.likely.predict(beside.take(division.test)))
                change = collateral_change(plain, other) / self.draws
                collateral[kind] = collateral.get(kind, 0.0) + change
        if is_own and self.bench.nonlinear is not None:
            for name, each in (("nonlinear before", measured.readings), ("nonlinear after", after)):
                fits[name] = [self.bench.fit(each, division, read, NONLINEAR).predicted]
        angles = principal_angles(self.erasers[erased.task], self.erasers[measured.task])
        return Outcome(
            *(erased.task, measured.task, measured.metric, read, eraser.rank, 0),
            measured.readings.take(division.train).labels,
            len(test),
            {name: Answers(test.labels, each, clusters) for name, each in fits.items()},
            completeness(moved) if is_own else float("nan"),
            collateral,
            related,
            sample,
            float(angles[0]) if len(angles) and not is_own else float("nan"),
        )
