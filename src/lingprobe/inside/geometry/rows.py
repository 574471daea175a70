"""Where vectors are read from, a stretch of sentences at a time, so that memory does not grow with
their number; and intervals from what is left without each stretch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.reading import POOLS
from lingprobe.data.vectors import Ints, Vectors

Doubles = NDArray[np.float64]
_STRETCH = 2_048  # sentences that are in memory at a time
_GROUPS = 20  # stretches that are left out in turn
_LEVEL = 0.95


class LayerVectors(Protocol):
    """Vectors of sentences: a layer of an encoder.

    shape  sentences, and numbers of a vector
    """

    @property
    def shape(self) -> tuple[int, int]: ...

    def read(self, start: int, stop: int) -> Doubles:
        """The vectors of sentences start:stop, [stop - start, dim]."""


@dataclass(frozen=True)
class LayerRows:
    """One layer of stored vectors at some of its sentences; words and subwords are averaged.

    kept  [n] the sentences
    """

    vectors: Vectors
    layer: str
    kept: Ints

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.kept), self.vectors.layer(self.layer).shape[1]

    def read(self, start: int, stop: int) -> Doubles:
        rows, units = self.kept[start:stop], self.vectors.layer(self.layer)
        spans = self.vectors.spans
        if spans is None:
            return np.asarray(units[rows], np.float64)
        pooled = POOLS["mean"](units, spans.sentences[rows], spans.sentences[rows + 1])
        return np.asarray(pooled, np.float64)


class IntervalEstimate(NamedTuple):
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


NO_ESTIMATE = IntervalEstimate(np.nan, np.nan, np.nan)


def make_jackknife_groups(sentence_count: int) -> list[tuple[int, int]]:
    """Stretches of the text, which the jackknife leaves out in turn: neighbours stay together,
    since sentences of one text are no independent draws.
    """
    ends = (
        np.linspace(0, sentence_count, min(_GROUPS, sentence_count) + 1)
        .round()
        .astype(int)
        .tolist()
    )
    return list(pairwise(ends))


def split_into_stretches(start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Parts of start:stop that fit in memory."""
    for first in range(start, stop, _STRETCH):
        yield first, min(first + _STRETCH, stop)


def compute_jackknife_interval(values: Doubles) -> IntervalEstimate:
    """The interval of a statistic, from its value [0] and its values without each group [1:]: the
    jackknife with groups excluded (Efron & Tibshirani 1993, equation 11.5), and Student's t.

    No sentence occurs twice, as in a bootstrap: a copy is at no distance from its original, which
    every statistic of pairs takes for likeness.
    """
    from scipy.stats import t

    many = len(values) - 1
    value, left = float(values[0]), values[1:]
    if not np.isfinite(values).all():
        return IntervalEstimate(value, np.nan, np.nan)
    error = np.sqrt((many - 1) / many * ((left - left.mean()) ** 2).sum())
    half = float(t.ppf((1 + _LEVEL) / 2, many - 1) * error)
    return IntervalEstimate(value, value - half, value + half)


def without_each(
    sentence_count: int,
    sum_range: Callable[[int, int], Doubles],
    value: Callable[[Doubles], Doubles],
) -> Doubles:
    """A statistic of sums: of all, and without each group, [groups + 1, ...].

    sum_range  the sums over sentences start:stop
    value      the statistic of sums
    """
    parts = [sum_range(start, stop) for start, stop in make_jackknife_groups(sentence_count)]
    total = np.sum(parts, 0)
    return np.array([value(total), *(value(total - each) for each in parts)])
