"""The structural probe of Hewitt & Manning (2019): a linear map under which the squared distance of
two words is their distance in the tree, or the squared norm of a word its depth.

Training is in `fits`: all reads of a task, and probes of all ranks, are trained on the same
batches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.checks import check_number
from lingprobe.data.core import Cell, FitJob, Predictions, Predictor, ProbeNeeds
from lingprobe.data.options import Help
from lingprobe.data.reading import ReadingProblem, Readings, read_of
from lingprobe.data.vectors import Floats
from lingprobe.inside.structure.words import (
    AdamSchedule,
    lists_of,
    make_predictions,
    select_complete_examples,
    words_of_sentence,
)
from lingprobe.nets import precision as machine
from lingprobe.nets.device import DeviceAwareProbe, check_device


@dataclass(frozen=True, slots=True)
class StructuralProbe(DeviceAwareProbe):
    """Distances, or depths, as squared lengths under a linear map; the loss is the mean absolute
    error of a sentence's pairs, or words (Hewitt & Manning 2019).
    """

    _: KW_ONLY
    rank: Annotated[
        int | None,
        Help("of the map; none: as many dimensions as the vectors have"),
    ] = None
    epochs: Annotated[int, Help("at most")] = 40
    batch: Annotated[
        int,
        Help(
            "sentences of a batch; take fewer where train has few hundred sentences, or training"
            " ends before the map has moved"
        ),
    ] = 20
    needs: ClassVar[ProbeNeeds] = ProbeNeeds()

    def __post_init__(self) -> None:
        numbers = ("rank", self.rank), ("epochs", self.epochs), ("batch", self.batch)
        for name, value in numbers:
            check_number(f"structural,{name}", value, "1")

    @property
    def name(self) -> str:
        return "structural" if self.rank is None else f"structural-{self.rank}"

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        return self.fit_all([FitJob(train, dev, cells, self)])[0]

    @property
    def kin(self) -> str:
        """Maps of all ranks are trained on the same batches."""
        return f"structural,batch={self.batch},epochs={self.epochs}"

    def fit_all(self, jobs: Sequence[FitJob]) -> list[list[Predictor]]:
        """The cells of each job; jobs over the same examples and vectors are one pass."""
        check_device(self.device)
        machine.spare_torch()
        found: dict[MapRequest, Predictor] = {}
        for alike in _group_equal_jobs(jobs):
            wishes = [
                MapRequest(k, cell.read, cell.seed, _rank(jobs[k]))
                for k in alike
                for cell in jobs[k].cells
            ]
            for seed in dict.fromkeys(wish.seed for wish in wishes):
                mine = list(dict.fromkeys(wish for wish in wishes if wish.seed == seed))
                found |= zip(mine, self._fit(jobs[alike[0]], mine, seed), strict=True)
        return [
            [found[MapRequest(k, cell.read, cell.seed, _rank(job))] for cell in job.cells]
            for k, job in enumerate(jobs)
        ]

    def _fit(self, job: FitJob, wishes: Sequence[MapRequest], seed: int) -> list[Predictor]:
        """A map for each of some wishes, all on the same batches of a job's examples."""
        from lingprobe.inside.structure.fits import train_fits

        train, dev = (select_complete_examples(part, self.name) for part in (job.train, job.dev))
        if not len(train.starts) or not len(dev.starts):
            raise ReadingProblem(
                f"{self.name} learns from train and is stopped by dev, and there are"
                f" {len(train.bounds) - 1} and {len(dev.bounds) - 1} sentences all of whose words"
                " have vectors"
            )
        inputs = {wish.read: self._layers(job.train, wish.read) for wish in wishes}
        schedule = AdamSchedule(batch=self.batch, epochs=self.epochs)
        maps = [(wish.read, wish.rank) for wish in wishes]
        fits = train_fits(inputs, maps, (train, dev), (seed, schedule, self.device))
        pairs = zip(wishes, fits, strict=True)
        return [
            StructuralPredictor(self.name, wish.read, fit.weights, fit.choice)
            for wish, fit in pairs
        ]

    def _layers(self, readings: Readings, text: str) -> list[Floats]:
        """The layers of a read, which are read side by side."""
        read = read_of(text, readings.vectors.names)
        if read.how == "mix":
            raise ReadingProblem(
                f"{self.name} reads layers as they are, and {text!r} would be learnt; read layers"
            )
        return [readings.vectors.layer(name) for name in read.layers]


class MapRequest(NamedTuple):
    """A map that is asked for: by which job, of which read, under which seed, of which rank."""

    job: int
    read: str
    seed: int
    rank: int | None


def _rank(job: FitJob) -> int | None:
    """The rank that a job asks for."""
    assert isinstance(job.probe, StructuralProbe)
    return job.probe.rank


def _group_equal_jobs(jobs: Sequence[FitJob]) -> list[list[int]]:
    """The numbers of the jobs that ask about the same examples and vectors, together."""
    groups: list[list[int]] = []
    for k, job in enumerate(jobs):
        for group in groups:
            first = jobs[group[0]]
            if _same(first.train, job.train) and _same(first.dev, job.dev):
                group.append(k)
                break
        else:
            groups.append([k])
    return groups


def _same(one: Readings, other: Readings) -> bool:
    """Whether two readings have the same examples, labels and vectors."""
    if one.vectors is not other.vectors or len(one) != len(other):
        return False
    mine, theirs = lists_of(one, "structural"), lists_of(other, "structural")
    return np.array_equal(one.dataset.sites, other.dataset.sites) and np.array_equal(
        mine.values, theirs.values
    )


@dataclass(frozen=True, slots=True)
class StructuralPredictor:
    """A fitted probe: weights [dim, rank]; `choice` says which epoch was best on dev."""

    probe: str
    read: str
    weights: Floats
    choice: Mapping[str, Any]

    def predict(self, readings: Readings) -> Predictions:
        from scipy.spatial.distance import pdist

        labels, vectors = lists_of(readings, self.probe), readings.vectors
        layers = [vectors.layer(name) for name in read_of(self.read, vectors.names).layers]
        said: list[NDArray[Any]] = []
        for sentence in readings.dataset.sites[:, 0, 0].tolist():
            mapped = words_of_sentence(readings, sentence, layers) @ self.weights
            depth = labels.names == ("depth",)
            said.append(np.square(mapped).sum(1) if depth else pdist(mapped, "sqeuclidean"))
        return make_predictions(labels, said)
