"""The sparse probe: a linear probe that reads the k units of a vector that tell most (Gurnee et al.
2023), in the basis that the vector has or in one sampled at random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from lingprobe.data.checks import check_number
from lingprobe.data.core import Cell, FitJob, Predictions, Predictor, ProbeNeeds, choice_of
from lingprobe.data.options import Help
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.vectors import Floats, Ints
from lingprobe.inside.units.notes import UnitsRead
from lingprobe.inside.units.ranking import between_classes, half_of, order_of
from lingprobe.probes.features import AffineScaling, common_scale, read_finite_features
from lingprobe.probes.logreg import PENALTY_STRENGTHS, LogReg

_WIDEST = 8192  # units that can be turned
_SHOWN, _LETTERS = 4, 100  # units whose examples are kept, and how much of a sentence
By = Literal["difference", "l1"]


@dataclass(frozen=True, slots=True)
class SparseProbe:
    """Logistic regression on the k units that tell most (Gurnee et al. 2023). Units are ranked on
    one half of train, drawn by the seed; the regression is fitted on all of it.
    """

    _: KW_ONLY
    k: Annotated[int, Help("how many units")] = 1
    by: Annotated[
        By,
        Help(
            "difference: the share of a unit's variance that lies between classes, which of two"
            " classes is the standardised difference of means; l1: the order in which an L1"
            " penalty lets them in"
        ),
    ] = "difference"
    rotate: Annotated[
        int | None,
        Help("the seed of a random rotation: the same vectors with other axes", "0"),
    ] = None
    examples: Annotated[
        int,
        Help("how many sentences that drive a unit up, and down, are kept with the result"),
    ] = 0
    c: tuple[float, ...] = PENALTY_STRENGTHS
    needs: ClassVar[ProbeNeeds] = ProbeNeeds()

    def __post_init__(self) -> None:
        check_number("sparse,k", self.k, "1")
        check_number("sparse,examples", self.examples, "0")
        LogReg(c=self.c)  # refuses penalties that are none

    @property
    def name(self) -> str:
        turned = "" if self.rotate is None else f"-rotated-{self.rotate}"
        return f"sparse-{self.k}" + ("" if self.by == "difference" else "-l1") + turned

    @property
    def kin(self) -> str:
        """Probes of all k share the ranking of units."""
        return f"sparse,by={self.by},rotate={self.rotate}"

    @property
    def settings(self) -> Sequence[Mapping[str, Any]]:
        """Every C; units are chosen for the labels that are learnt."""
        return LogReg(c=self.c).settings

    def with_settings(self, settings: Mapping[str, Any]) -> SparseProbe:
        """The same with one C."""
        return replace(self, c=(settings["c"],))

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        return self.fit_all([FitJob(train, dev, cells, self)])[0]

    def fit_all(self, jobs: Sequence[FitJob]) -> list[list[Predictor]]:
        """The cells of each job; units are ranked once for all jobs over the same examples."""
        fits: dict[tuple[int, Cell], Predictor] = {}
        for group in _group_equal_jobs(jobs):
            for wish, made in self._fit_group(group):
                fits[wish] = made
        return [[fits[id(job), cell] for cell in job.cells] for job in jobs]

    def _fit_group(self, group: Sequence[FitJob]) -> Iterator[tuple[tuple[int, Cell], Predictor]]:
        """What each cell of some jobs over the same examples is fitted to."""
        train, dev = group[0].train, group[0].dev
        if not len(train):
            raise ReadingProblem(f"{self.name} has no training examples")
        for read in dict.fromkeys(cell.read for job in group for cell in job.cells):
            features = read_finite_features(train, read, "train")
            basis = self._basis(features)
            known = BasisUnits(read, basis, basis(features), None)
            if len(dev):
                known = known._replace(dev=basis(read_finite_features(dev, read, "dev")))
            mine = [(job, cell) for job in group for cell in job.cells if cell.read == read]
            for seed in dict.fromkeys(cell.seed for _, cell in mine):
                some = [each for each in mine if each[1].seed == seed]
                most = max(_probe_of(job).k for job, _ in some)
                order = self._rank(known.train, train, seed, most)
                for job, cell in some:
                    yield (id(job), cell), _fit(_probe_of(job), job, cell, known, order)

    def _basis(self, x: Floats) -> FeatureBasis:
        """The basis that units are ranked in."""
        return (
            FeatureBasis.draw(x, self.rotate)
            if self.rotate is not None
            else FeatureBasis(None, None)
        )

    def _rank(self, x: Floats, train: Readings, seed: int, most: int) -> Ints:
        """The best units, as many as are asked for."""
        rows = half_of(train, seed)
        labels = train.labels.take(rows)
        if self.by == "difference":
            return order_of(between_classes(x[rows], labels))[:most]
        from lingprobe.inside.units.path import path_order  # imports torch

        return path_order(x[rows], labels, most)


@dataclass(frozen=True, slots=True)
class FeatureBasis:
    """Axes that vectors are read along: their own, or a rotation [dim, dim] of what a linear probe
    would read, so that no loud unit drowns the others.
    """

    scaling: AffineScaling | None
    turn: Floats | None

    @classmethod
    def draw(cls, train: Floats, seed: int) -> FeatureBasis:
        """A rotation sampled at random, of all equally likely ones (Mezzadri 2007)."""
        width = train.shape[1]
        if width > _WIDEST:
            raise ReadingProblem(
                f"sparse,rotate={seed}: the vectors have {width:,} units, and at most {_WIDEST:,}"
                " can be turned; leave rotate out"
            )
        normal = np.random.default_rng([seed, 42]).normal(size=(width, width))
        basis, upper = np.linalg.qr(normal)
        return cls(common_scale(train), (basis * np.sign(np.diag(upper))).astype(np.float32))

    def __call__(self, x: Floats, units: Ints | None = None) -> Floats:
        """Vectors [n, dim] along these axes, or some of them, [n, units]."""
        if self.scaling is None or self.turn is None:
            return x if units is None else np.take(x, units, 1)
        return self.scaling(x) @ (self.turn if units is None else self.turn[:, units])


class BasisUnits(NamedTuple):
    """A read in its basis: units of train and dev [n, dim], None where there is no dev."""

    read: str
    basis: FeatureBasis
    train: Floats
    dev: Floats | None


@dataclass(frozen=True, slots=True)
class FittedSparse:
    """A fitted sparse probe: the units in the order of their rank, the basis that they are of, and
    the probe that reads them.
    """

    read: str
    basis: FeatureBasis
    units: Ints
    inner: Predictor
    choice: Mapping[str, Any]

    def predict(self, readings: Readings) -> Predictions:
        x = self.basis(readings.features(self.read), np.sort(self.units))
        return self.inner.predict(_with_features(readings, x))


def _probe_of(job: FitJob) -> SparseProbe:
    assert isinstance(job.probe, SparseProbe)
    return job.probe


def _fit(
    probe: SparseProbe, job: FitJob, cell: Cell, known: BasisUnits, order: Ints
) -> FittedSparse:
    """The probe of the best units of an order."""
    units = order[: probe.k]
    columns = np.sort(units)
    train = _with_features(job.train, np.take(known.train, columns, 1))
    dev = job.dev
    if known.dev is not None:
        dev = _with_features(dev, np.take(known.dev, columns, 1))
    inner = LogReg(c=probe.c).fit(train, dev, cells=(Cell(_any_layer(train), 0, cell.by),))[0]
    examples = None
    if probe.examples:
        examples = [
            find_drivers(job.train, known.train[:, u], probe.examples) for u in units[:_SHOWN]
        ]
    told = UnitsRead(units.tolist(), known.train.shape[1], examples)
    choice = {**choice_of(inner), told.key: told.plain()}
    return FittedSparse(known.read, known.basis, units, inner, choice)


def find_drivers(
    readings: Readings, values: Floats, example_count: int
) -> dict[str, list[list[Any]]]:
    """The training sentences in which a unit is highest and lowest (`examples=`), each with its
    value and its label; of the same sentence one.
    """
    order = np.argsort(values, kind="stable")
    return {
        "up": _first_texts(readings, values, order[::-1], example_count),
        "down": _first_texts(readings, values, order, example_count),
    }


def _first_texts(readings: Readings, values: Floats, order: Ints, many: int) -> list[list[Any]]:
    texts: dict[str, list[Any]] = {}
    for row in order.tolist():
        if len(texts) == many:
            break
        text = readings.sentence(row).text[:_LETTERS]
        label = str(readings.labels.label(row))
        texts.setdefault(text, [round(float(values[row]), 4), label, text])
    return list(texts.values())


def _with_features(readings: Readings, x: Floats) -> Readings:
    """The same examples with these features [n, units], whatever layer is read."""
    return replace(readings, view=partial(_ignore_units, x))


def _ignore_units(x: Floats, readings: Readings, units: Floats) -> Floats:
    return x


def _any_layer(readings: Readings) -> str:
    return readings.vectors.names[0]


def _group_equal_jobs(jobs: Sequence[FitJob]) -> list[list[FitJob]]:
    """Jobs over the same examples and vectors, together."""
    groups: list[list[FitJob]] = []
    for job in jobs:
        for group in groups:
            if _same(group[0].train, job.train) and _same(group[0].dev, job.dev):
                group.append(job)
                break
        else:
            groups.append([job])
    return groups


def _same(one: Readings, other: Readings) -> bool:
    """Whether two readings have the same examples, labels, vectors and view."""
    if one.vectors is not other.vectors or one.view != other.view or len(one) != len(other):
        return False
    mine, theirs = one.dataset, other.dataset
    if mine is theirs:
        return True
    same: Callable[[Any, Any], bool] = np.array_equal
    return same(mine.sites, theirs.sites) and np.array_equal(
        one.labels.matrix(), other.labels.matrix(), equal_nan=one.labels.classes is None
    )
