"""The tokens of examples, and one vector of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from lingprobe.data.reading import ReadingProblem, Readings, read_of
from lingprobe.data.vectors import (
    Floats,
    Ints,
    expand_ranges,
)
from lingprobe.probes.features import AffineScaling

Pool = Literal["attention", "mean", "max", "last"]


def gather_units(readings: Readings, read: str, rows: Ints) -> Floats:
    """Some tokens in all layers of a read, [rows, dim] float32."""
    known = read_of(read, readings.vectors.names)
    if known.how == "mix":
        raise ReadingProblem(f"attention reads layers as they are, and {read!r} would be learnt")
    layers = [readings.vectors.layer(name)[rows] for name in known.layers]
    return np.concatenate([np.asarray(each, np.float32) for each in layers], 1)


@dataclass(frozen=True, slots=True)
class TokenUnits:
    """The tokens of examples at their sites: rows starts:stops [sites, examples] of the units of a
    read, which are brought to one scale as they are read.
    """

    readings: Readings
    read: str
    scaling: AffineScaling
    starts: Ints
    stops: Ints

    @classmethod
    def of(cls, readings: Readings, read: str, scaling: AffineScaling) -> TokenUnits:
        """The tokens of all examples."""
        sites = range(readings.dataset.sites.shape[1])
        starts, stops = (np.stack(each) for each in zip(*map(readings.units, sites), strict=True))
        return cls(readings, read, scaling, starts, stops)

    def take(self, rows: Ints) -> tuple[Floats, Ints]:
        """The tokens of some examples, site by site [sites x rows, longest, dim], 0 behind the
        last; and how many each has.
        """
        starts, stops = self.starts[:, rows].ravel(), self.stops[:, rows].ravel()
        lengths = stops - starts
        where, _ = expand_ranges(starts, stops)
        units = self.scaling(gather_units(self.readings, self.read, where))
        longest = int(lengths.max(initial=1))
        padded = np.zeros((len(starts), longest, units.shape[1]), np.float32)
        filled = np.arange(longest) < lengths[:, None]
        padded[filled] = units
        return padded, lengths

    def weigh(self, query: Floats) -> list[Floats]:
        """The weight of each token of the first site of each example."""
        weights = []
        for row in range(self.starts.shape[1]):
            where = np.arange(self.starts[0, row], self.stops[0, row])
            logits = self.scaling(gather_units(self.readings, self.read, where)) @ query[0]
            powers = np.exp(logits - logits.max(initial=0))
            weights.append((powers / max(powers.sum(), 1e-30)).astype(np.float32))
        return weights


def pool_tokens(padded: Floats, lengths: Ints, pool: Pool, query: Floats) -> Floats:
    """One vector for each example, sites side by side [rows, sites x dim]; 0 where a site has no
    token.
    """
    sites, some = len(query), np.arange(padded.shape[1]) < lengths[:, None]
    if pool == "max":
        pooled = np.where(some[..., None], padded, -np.inf).max(1)
        pooled[lengths == 0] = 0
    elif pool == "last":
        pooled = padded[np.arange(len(padded)), np.maximum(lengths - 1, 0)]
    else:
        rows = len(padded) // sites
        logits = np.einsum("nld,nd->nl", padded, np.repeat(query, rows, 0))
        logits = np.where(some, logits, -np.inf)
        powers = np.where(some, np.exp(logits - np.where(some, logits, 0).max(1, keepdims=True)), 0)
        weights = powers / np.maximum(powers.sum(1, keepdims=True), 1e-30)
        pooled = np.einsum("nl,nld->nd", weights, padded)
    side = pooled.reshape(sites, -1, pooled.shape[1]).transpose(1, 0, 2)
    return np.ascontiguousarray(side.reshape(side.shape[0], -1), np.float32)
