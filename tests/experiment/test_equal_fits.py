"""Cells that are trained on the same vectors and labels are fitted once, and no others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from lingprobe.data.core import Cell, Dataset, FitJob, ProbeNeeds, Sentence
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Vectors
from lingprobe.experiment import equal_fits
from lingprobe.experiment.equal_fits import FitCache

FITTED: list[int] = []


@dataclass(frozen=True)
class Counting:
    """A probe that counts its fits."""

    c: float = 1.0
    needs: ClassVar[ProbeNeeds] = ProbeNeeds(seeds=False)
    name: ClassVar[str] = "counting"

    def fit(self, train, dev, *, cells):
        FITTED.append(len(train))
        return [object() for _ in cells]


@dataclass(frozen=True)
class Drawing(Counting):
    """One whose fit depends on the seed."""

    needs: ClassVar[ProbeNeeds] = ProbeNeeds()


@dataclass(frozen=True)
class Stratified(Counting):
    """One that reads a stratum."""

    needs: ClassVar[ProbeNeeds] = ProbeNeeds(seeds=False, stratum="kind")


class Unhashable(Counting):
    """One that has no hash."""

    __hash__ = None  # type: ignore[assignment]


def readings(labels="xyxy", scale=1.0, note="matched") -> Readings:
    """Examples of one word each, with two numbers, as those of a matrix."""
    words = "abcd"
    dataset = Dataset.of_columns(
        [Sentence((word,), word) for word in words], np.arange(4), list(labels), [0] * 4
    )
    vectors = scale * np.arange(8.0, dtype=np.float32).reshape(4, 2)
    both = Vectors((vectors, 2 * vectors), ("lex", "top"))
    return Readings(dataset.with_notes(**{note: {}}), both)


def job(read="top", **options) -> FitJob:
    """A job whose dev is its train."""
    return FitJob(readings(**options), readings(**options), (Cell(read, 0),))


def fits(*jobs: tuple[object, FitJob]) -> tuple[int, list[object]]:
    """How many fits some jobs take, and the first predictor of each."""
    FITTED.clear()
    memory = FitCache()
    made = [memory.fit(*each)[0] for each in jobs]
    return len(FITTED), made


def test_the_same_examples_are_fitted_once_and_give_the_same_probe():
    count, made = fits((Counting(), job()), (Counting(), job()))
    assert count == 1
    assert made[0] is made[1]


@pytest.mark.parametrize(
    "other",
    [
        (Counting(2.0), job()),
        (Counting(), job(scale=2.0)),
        (Counting(), job(labels="yxyx")),
        (Counting(), job(labels="xyxz")),
        (Counting(), job(labels="zyzy")),
        (Counting(), job(read="lex")),
        (Counting(), FitJob(readings(), readings(labels="xxxy"), job().cells)),
        (Counting(), FitJob(readings(), readings(scale=3.0), job().cells)),
        (Counting(), FitJob(*job()[:2], (Cell("top", 1),))),
    ],
    ids=[
        *("option", "vectors", "labels", "label", "names", "read"),
        *("labels of dev", "vectors of dev", "seed"),
    ],
)
def test_what_differs_in_anything_is_fitted_anew(other):
    assert fits((Counting(), job()), other)[0] == 2


@pytest.mark.parametrize("probe", [Drawing(), Stratified(), Unhashable()])
def test_what_draws_or_reads_more_is_always_fitted(probe):
    assert fits((probe, job()), (probe, job()))[0] == 2


def test_data_sets_that_are_no_cells_of_a_matrix_are_always_fitted():
    assert fits((Counting(), job(note="other")), (Counting(), job(note="other")))[0] == 2


def test_weights_are_kept_within_bounds(monkeypatch):
    other = job(scale=5.0)
    one = 4 * 2 * 4  # bytes of two classes, and two features in each of two layers
    monkeypatch.setattr(equal_fits, "_ROOM", one)
    again = (Counting(), job()), (Counting(), other), (Counting(), job())
    assert fits(*again)[0] == 3
    monkeypatch.setattr(equal_fits, "_ROOM", 2 * one)
    assert fits(*again)[0] == 2
    monkeypatch.setattr(equal_fits, "_ROOM", one - 1)
    assert fits((Counting(), job()), (Counting(), job()))[0] == 2
