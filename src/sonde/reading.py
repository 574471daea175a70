"""Examples x vectors -> readings: what a probe sees. Nothing is copied until features are asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sonde.core import Cell, Dataset, Predictions, Sentence
from sonde.targets import Column
from sonde.vectors import Floats, Ints, Vectors, ranges


class ReadingProblem(ValueError):
    """Vectors that cannot be read as the task asks; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Readings:
    """The examples of a data set beside the vectors of its sentences, all layers kept.

    `vectors` are in the order of `dataset.sentences`; `view` says how sites become one row of features.
    """

    dataset: Dataset
    vectors: Vectors
    view: str = "mean"

    def __len__(self) -> int:
        return len(self.dataset)

    @property
    def labels(self) -> Column:
        """The label column of these examples."""
        return self.dataset.labels

    def take(self, rows: Ints) -> Readings:
        """Some of the examples; vectors are shared."""
        return replace(self, dataset=self.dataset.take(rows))

    def split(self, name: str) -> Readings:
        """The examples of one split."""
        return self.take(self.dataset.rows(name))

    def sentence(self, i: int, site: int = 0) -> Sentence:
        """The sentence of one site of example i, for baselines that read words."""
        return self.dataset.sentences[int(self.dataset.sites[i, site, 0])]

    def units(self, site: int) -> tuple[Ints, Ints]:
        """The units that each example reads at a site, as starts and stops [examples]."""
        sentence, start, stop = self.dataset.sites[:, site].T
        spans = self.vectors.spans
        if spans is None:
            if (start >= 0).any():
                raise ReadingProblem("the task asks about spans, but the encoder gives one vector a sentence; write pool=none")
            return sentence, sentence + 1
        starts, stops = spans.sentences[sentence].copy(), spans.sentences[sentence + 1].copy()
        parts = np.flatnonzero(start >= 0)
        first = spans.first_word[sentence[parts]]
        starts[parts], stops[parts] = _units_of_words(spans.words, first + start[parts], first + stop[parts])
        return starts, stops

    def features(self, read: str) -> Floats:
        """One row an example, [examples, features] float32: a layer by name, or `cat` of all layers (`cat:0+6` of some)."""
        head, _, rest = read.partition(":")
        if head == "cat":
            names = rest.split("+") if rest else self.vectors.names
            return np.concatenate([self.features(name) for name in names], 1)
        if read not in self.vectors.names:
            raise ReadingProblem(f"no layer called {read!r}: the encoder gives {', '.join(self.vectors.names)}")
        return view(self.view)(self, self.vectors.layer(read))


View = Callable[[Readings, Floats], Floats]
"""Readings and one layer [units, dim] -> [examples, features]."""


class Predictor(Protocol):
    """A fitted probe."""

    def predict(self, readings: Readings) -> Predictions:
        """Scores of every example, and what they decode to."""
        ...


class Probe(Protocol):
    """Settings of a classifier that reads vectors; fitting returns predictors and changes nothing here."""

    @property
    def name(self) -> str: ...

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        """One predictor a cell, in order. Cells share their input, so a whole grid, all seeds and layers go in one pass."""
        ...


def view(name: str) -> View:
    """The view that `pool[+contrast][+asked]` names: how units are pooled, sites combined, and asked words added."""
    pool, *parts = name.split("+")
    if pool not in POOLS or not set(parts) <= {"contrast", "asked"}:
        raise ReadingProblem(f"no view called {name!r}: write one of {', '.join(POOLS)}, then +contrast and +asked if wanted")

    def read(readings: Readings, units: Floats) -> Floats:
        sites = [POOLS[pool](units, *readings.units(k)) for k in range(readings.dataset.sites.shape[1])]
        combined = _contrast(sites) if "contrast" in parts else np.concatenate(sites, 1) if len(sites) > 1 else sites[0]
        return np.concatenate([combined, _asked(readings.dataset)], 1) if "asked" in parts else combined

    return read


def _units_of_words(words: Ints, first: Ints, stop: Ints) -> tuple[Ints, Ints]:
    """From the first to the last unit that words first:stop have; words that have none are passed over."""
    aligned = np.flatnonzero(words[:, 1] > words[:, 0])
    left, right = np.searchsorted(aligned, first), np.searchsorted(aligned, stop) - 1
    starts, stops = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
    some = left <= right
    starts[some], stops[some] = words[aligned[left[some]], 0], words[aligned[right[some]], 1]
    return starts, stops


def _mean(units: Floats, starts: Ints, stops: Ints) -> Floats:
    """Mean over each range of units; zeros where the range is empty."""
    lengths = stops - starts
    if (lengths == 1).all():
        return np.asarray(units[starts], np.float32)
    sums = _reduced(np.add, units, starts, stops)
    return np.asarray(sums / np.maximum(lengths, 1)[:, None], np.float32)


def _max(units: Floats, starts: Ints, stops: Ints) -> Floats:
    return _reduced(np.maximum, units, starts, stops)


def _first(units: Floats, starts: Ints, stops: Ints) -> Floats:
    return _at(units, starts, stops > starts)


def _last(units: Floats, starts: Ints, stops: Ints) -> Floats:
    return _at(units, stops - 1, stops > starts)


def _endpoints(units: Floats, starts: Ints, stops: Ints) -> Floats:
    return np.concatenate([_first(units, starts, stops), _last(units, starts, stops)], 1)


def _at(units: Floats, where: Ints, some: NDArray[np.bool_]) -> Floats:
    """The units at some places, zeros where `some` is false."""
    found = np.zeros((len(where), units.shape[1]), np.float32)
    found[some] = units[where[some]]
    return found


def _reduced(operation: np.ufunc, units: Floats, starts: Ints, stops: Ints) -> Floats:
    """A ufunc over each range of units, [ranges, dim]; zeros where the range is empty."""
    result = np.zeros((len(starts), units.shape[1]), np.float32)
    some = np.flatnonzero(stops > starts)
    if len(some):
        rows, offsets = ranges(starts[some], stops[some])
        result[some] = operation.reduceat(np.asarray(units[rows], np.float32), offsets[:-1], axis=0)
    return result


POOLS: dict[str, Callable[[Floats, Ints, Ints], Floats]] = {
    "mean": _mean,
    "max": _max,
    "first": _first,
    "last": _last,
    "endpoints": _endpoints,
}


def _contrast(sites: list[Floats]) -> Floats:
    """|u - v| ; u * v of two sites, as SentEval and Krasnowska-Kieraś & Wróblewska read pairs."""
    if len(sites) != 2:
        raise ReadingProblem(f"contrast reads two sites, the task has {len(sites)}")
    return np.concatenate([np.abs(sites[0] - sites[1]), sites[0] * sites[1]], 1)


def _asked(dataset: Dataset) -> Floats:
    """The asked words one-hot, one block a slot (Ettinger et al. 2018, section 5)."""
    size = len(dataset.vocabulary)
    hot = np.zeros((len(dataset), dataset.asked.shape[1] * size), np.float32)
    for slot, words in enumerate(dataset.asked.T):
        hot[np.arange(len(dataset)), slot * size + words] = 1
    return hot
