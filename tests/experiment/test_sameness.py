"""Groups that are trained on the same vectors and labels are fitted once, and no others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from lingprobe.data.core import Cell, Dataset, Job, Needs, Sentence
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Vectors
from lingprobe.experiment import sameness
from lingprobe.experiment.sameness import Fits

FITTED: list[int] = []


@dataclass(frozen=True)
class Counting:
    """A probe that counts its fits."""

    c: float = 1.0
    needs: ClassVar[Needs] = Needs(seeds=False)
    name: ClassVar[str] = "counting"

    def fit(self, train, dev, *, cells):
        FITTED.append(len(train))
        return [object() for _ in cells]


@dataclass(frozen=True)
class Drawing(Counting):
    """One whose fit depends on the seed."""

    needs: ClassVar[Needs] = Needs()


@dataclass(frozen=True)
class Stratified(Counting):
    """One that reads a stratum."""

    needs: ClassVar[Needs] = Needs(seeds=False, stratum="kind")


class Unhashable(Counting):
    """One that has no hash."""

    __hash__ = None  # type: ignore[assignment]


def readings(words="abcd", labels="xyxy", scale=1.0, view="mean") -> Readings:
    """Examples of one word each, with two numbers."""
    dataset = Dataset.of_columns(
        [Sentence((word,), word) for word in words],
        np.arange(len(words)),
        list(labels),
        [0] * len(words),
    )
    vectors = scale * np.arange(2.0 * len(words), dtype=np.float32).reshape(-1, 2)
    return Readings(dataset, Vectors((vectors,), ("top",)), view)


def fits(*jobs: tuple[object, Job, str]) -> tuple[int, list[object]]:
    """How many fits some jobs take, and the first predictor of each."""
    FITTED.clear()
    memory = Fits()
    made = [memory.fit(*job)[0] for job in jobs]
    return len(FITTED), made


def job(read="top", **options) -> Job:
    """A job whose dev is its train."""
    return Job(readings(**options), readings(**options), (Cell(read, 0),))


def test_the_same_examples_are_fitted_once_and_give_the_same_probe():
    count, made = fits((Counting(), job(), "e"), (Counting(), job(), "e"))
    assert count == 1
    assert made[0] is made[1]


@pytest.mark.parametrize(
    "other",
    [
        (Counting(2.0), job(), "e"),
        (Counting(), job(), "another encoder"),
        (Counting(), job(labels="yxyx"), "e"),
        (Counting(), job(labels="xyxz"), "e"),
        (Counting(), job(words="abce"), "e"),
        (Counting(), job(words="bacd"), "e"),
        (Counting(), job(view="max"), "e"),
        (Counting(), job(read="lex"), "e"),
        (Counting(), Job(readings(), readings(labels="xxxy"), job().cells), "e"),
    ],
    ids=["option", "encoder", "labels", "names", "words", "order", "view", "read", "dev"],
)
def test_what_differs_in_anything_is_fitted_anew(other):
    assert fits((Counting(), job(), "e"), other)[0] == 2


@pytest.mark.parametrize("probe", [Drawing(), Stratified(), Unhashable()])
def test_what_draws_or_reads_more_is_always_fitted(probe):
    assert fits((probe, job(), "e"), (probe, job(), "e"))[0] == 2


def test_vectors_that_depend_on_the_task_are_compared_by_their_numbers():
    assert fits((Counting(), job(), ""), (Counting(), job(), ""))[0] == 1
    assert fits((Counting(), job(), ""), (Counting(), job(scale=2.0), ""))[0] == 2


def test_weights_are_kept_within_bounds(monkeypatch):
    other = job(words="efgh")
    one = 4 * 2 * 2  # bytes of two classes and two features
    monkeypatch.setattr(sameness, "ROOM", one)
    again = (Counting(), job(), "e"), (Counting(), other, "e"), (Counting(), job(), "e")
    assert fits(*again)[0] == 3
    monkeypatch.setattr(sameness, "ROOM", 2 * one)
    assert fits(*again)[0] == 2
    monkeypatch.setattr(sameness, "ROOM", one - 1)
    assert fits((Counting(), job(), "e"), (Counting(), job(), "e"))[0] == 2
