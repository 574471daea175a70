"""How many bits the training labels take for one who has the vectors: online code length (Voita & Titov 2020, section 3.2).

Labels are sent block by block: the first under equal chances, each further one by a probe trained on all blocks before. What
the vectors make regular is then cheap, and soon; a probe that needs many examples pays for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sonde.core import Cell, Predictions
from sonde.probes import PROBES
from sonde.reading import Predictor, Probe, ReadingProblem, Readings
from sonde.targets import code_length, uniform_length
from sonde.vectors import Ints

FRACTIONS = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.0625, 0.125, 0.25, 0.5, 1.0)
"""Of the training examples: where blocks end (the authors' code)."""
LEAST = 8  # examples of the first block; a probe trained on fewer says nothing


def online(probe: str) -> Online:
    """A probe and, beside its score, the code length of the training labels in bits (Voita & Titov 2020).

    probe  a reference; its commas are written %2C, as online:logreg%2Cc=1
    """
    canonical = PROBES.canonical(probe)
    return Online(PROBES.make(canonical), canonical)


@dataclass(frozen=True, slots=True)
class Online:
    """A probe that is trained on growing shares of train, in an order drawn for each seed, and then on all of it."""

    inner: Probe
    reference: str
    random: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return f"online-{self.inner.name}"

    @property
    def reads(self) -> str:
        return str(getattr(self.inner, "reads", "vectors"))

    @property
    def needs(self) -> str:
        return str(getattr(self.inner, "needs", ""))

    @property
    def mixes(self) -> bool:
        return bool(getattr(self.inner, "mixes", False))

    @property
    def fingerprint(self) -> str:
        """The probe's reference with all its options."""
        return self.reference

    def fit(self, train: Readings, dev: Readings, *, cells: tuple[Cell, ...]) -> list[Predictor]:
        if train.labels.loss == "squared":
            raise ReadingProblem("numbers have no code of a length in bits: online: is for classes and label sets")
        codes: dict[Cell, dict[str, Any]] = {}
        for seed in dict.fromkeys(cell.seed for cell in cells):
            mine = tuple(dict.fromkeys(cell for cell in cells if cell.seed == seed))
            order = np.random.default_rng([seed, 16]).permutation(len(train))
            codes |= dict(zip(mine, self._codes(train.take(order), dev, mine), strict=True))
        return [Coded(p, codes[cell]) for cell, p in zip(cells, self.inner.fit(train, dev, cells=cells), strict=True)]

    def _codes(self, train: Readings, dev: Readings, cells: tuple[Cell, ...]) -> list[dict[str, Any]]:
        """The code of each cell for labels in this order."""
        uniform = uniform_length(train.labels)
        stops = ends(len(train))
        bits = [[float(uniform[: stops[0]].sum())] for _ in cells]
        for start, stop in zip(stops[:-1].tolist(), stops[1:].tolist(), strict=True):
            block = train.take(np.arange(start, stop))
            for mine, predictor in zip(bits, self.inner.fit(train.take(np.arange(start)), dev, cells=cells), strict=True):
                mine.append(float(code_length(block.labels, predictor.predict(block).scores).sum()))
        total = float(uniform.sum())
        return [{"bits": sum(b), "uniform": total, "compression": total / sum(b), "ends": stops.tolist(), "blocks": b} for b in bits]


@dataclass(frozen=True, slots=True)
class Coded:
    """A fitted probe, and the code that its kind makes of the training labels, in bits."""

    predictor: Predictor
    code: Mapping[str, Any]

    @property
    def choice(self) -> Mapping[str, Any]:
        """What the probe says of itself, and the code."""
        return {**getattr(self.predictor, "choice", {}), "code": dict(self.code)}

    def predict(self, readings: Readings) -> Predictions:
        return self.predictor.predict(readings)


def ends(n: int) -> Ints:
    """Where the blocks of n examples end; the last is n, the first holds at least eight examples (or all there are)."""
    found = np.unique(np.ceil(np.array(FRACTIONS) * n).astype(np.int64))
    return np.asarray(found[(found >= LEAST) | (found == n)], np.int64)
