"""Batches of an edge probe: which units the spans of some examples read, gathered once for all
networks that read them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lingprobe.data.vectors import Ints, expand_ranges
from lingprobe.probes.span.spans import SpanUnitPairs, make_ragged

_LONGEST = 2**24  # units of a span, so that start and length make one number


@dataclass(frozen=True, slots=True)
class SplitExamples:
    """The examples of one split.

    layers   by name, each [units, dim] float32 or float16, in memory or memory-mapped
    starts   [sides, examples]  units that each example reads at each side are starts:stops; the bag
             of a sentence is one more side
    stops    [sides, examples]
    groups   [examples]  the sentence that each example is counted to; a batch takes whole sentences
    bounds   [sentences + 1]  where the units of each sentence begin
    wanted   what some of the examples should be answered with, as a tensor
    describe an example in words, for messages
    single   whether each example has exactly one label, so that its chances sum to one
    device   what networks read them on; `wanted` is there, too
    """

    layers: Mapping[str, NDArray[Any]]
    starts: Ints
    stops: Ints
    groups: Ints
    bounds: Ints
    wanted: Callable[[Ints], Tensor]
    describe: Callable[[int], str]
    single: bool = False
    device: str = "cpu"
    order: Ints = field(init=False)
    ends: Ints = field(init=False)

    def __post_init__(self) -> None:
        order = np.argsort(self.groups, kind="stable")
        cuts = np.flatnonzero(np.diff(self.groups[order])) + 1
        object.__setattr__(self, "order", order)
        object.__setattr__(
            self,
            "ends",
            np.concatenate([np.zeros(1, np.int64), cuts, np.full(min(len(order), 1), len(order))]),
        )

    @property
    def sentences(self) -> int:
        """How many sentences have examples."""
        return len(self.ends) - 1

    def rows(self, sentences: Ints) -> Ints:
        """The examples of some of the sentences."""
        found, _ = expand_ranges(self.ends[sentences], self.ends[sentences + 1])
        return self.order[found]

    def passes(self, size: int, first: int | None = None) -> Iterator[Ints]:
        """All examples in order, the rows of so many sentences at a time; only those of the first
        sentences if told.
        """
        many = self.sentences if first is None else min(first, self.sentences)
        for start in range(0, many, size):
            yield self.rows(np.arange(start, min(start + size, many)))


class BatchSide(NamedTuple):
    """The distinct spans that a batch reads at one side: first those of one unit, then the others.

    wide   the units of the others, each once, and `place` [pairs] where among these the unit of
           each pair is
    which  the span of each example; None where example i has span i
    """

    ones: SpanUnitPairs
    more: SpanUnitPairs
    wide: Tensor
    place: Tensor
    which: SpanUnitPairs | None

    def on(self, device: str) -> BatchSide:
        """The same on a device."""
        which = None if self.which is None else self.which.on(device)
        units = self.wide.to(device), self.place.to(device)
        return BatchSide(self.ones.on(device), self.more.on(device), *units, which)


@dataclass(frozen=True, slots=True)
class ExampleBatch:
    """Some examples.

    rows    which examples, in an order that may differ from that in which they were asked for
    units   the rows of the layers that are gathered for them
    sides   the distinct spans of each side
    around  [2 * context + 1, units]  from each unit that a span has to its neighbours among
            `units`, -1 past the sentence
    """

    rows: Ints
    units: Ints
    sides: tuple[BatchSide, ...]
    around: Tensor | None


def batch_of(examples: SplitExamples, rows: Ints, context: int = 0) -> ExampleBatch:
    """The batch of some examples."""
    distinct = [
        _find_distinct_spans(a[rows], b[rows])
        for a, b in zip(examples.starts, examples.stops, strict=True)
    ]
    order = _in_order(distinct[0])
    flat = [expand_ranges(starts, stops) for starts, stops, _ in distinct]
    units = _sorted_units(np.concatenate([f for f, _ in flat]))
    sides = tuple(
        _side(units, f, offsets, which[order]).on(examples.device)
        for (f, offsets), (_, _, which) in zip(flat, distinct, strict=True)
    )
    around = None
    if context:
        units, around = _widen_units(examples.bounds, units, context)
        around = around.to(examples.device)
    return ExampleBatch(rows[order], units, sides, around)


def _widen_units(bounds: Ints, units: Ints, context: int) -> tuple[Ints, Tensor]:
    """Units with their neighbours in the sentence, and where among these each unit's lie."""
    sentence = np.searchsorted(bounds, units, "right") - 1
    near = units + np.arange(-context, context + 1)[:, None]
    inside = (bounds[sentence] <= near) & (near < bounds[sentence + 1])
    wider = _sorted_units(near[inside])
    return wider, torch.from_numpy(np.where(inside, np.searchsorted(wider, near), -1))


def _in_order(distinct: tuple[Ints, Ints, Ints]) -> Ints:
    """An order of the examples in which each has the span of its number, where no two share one;
    otherwise as they are.
    """
    starts, _, which = distinct
    return np.argsort(which) if len(starts) == len(which) else np.arange(len(which))


def _sorted_units(units: Ints) -> Ints:
    """The distinct units, ascending; without a sort where they lie close together."""
    if not len(units):
        return units
    low, high = int(units.min()), int(units.max())
    if high - low > 64 * len(units):
        return np.unique(units)
    seen = np.zeros(high - low + 1, np.bool_)
    seen[units - low] = True
    return np.flatnonzero(seen) + low


def _find_distinct_spans(starts: Ints, stops: Ints) -> tuple[Ints, Ints, Ints]:
    """Starts and stops of the distinct spans, those of one unit first, and which of them each
    example has.
    """
    keys, which = np.unique(starts * _LONGEST + (stops - starts), return_inverse=True)
    starts, lengths = keys // _LONGEST, keys % _LONGEST
    order = np.argsort(lengths != 1, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return starts[order], (starts + lengths)[order], place[which.ravel()]


def _side(units: Ints, flat: Ints, offsets: Ints, which: Ints) -> BatchSide:
    """The spans of one side, as pairs with the batch's units, and of the examples with them."""
    local, spans = np.searchsorted(units, flat), len(offsets) - 1
    ones = int((np.diff(offsets) == 1).sum())
    wide = _sorted_units(local[ones:])
    place = torch.from_numpy(np.searchsorted(wide, local[ones:]))
    single = make_ragged(local[:ones], np.arange(ones + 1), len(units))
    more = make_ragged(local[ones:], offsets[ones:] - ones, len(units))
    same = spans == len(which) and bool((which == np.arange(spans)).all())
    return BatchSide(
        single,
        more,
        torch.from_numpy(wide),
        place,
        None if same else make_ragged(which, np.arange(len(which) + 1), spans),
    )


class GatheredVectors:
    """The vectors of a batch's units, each layer gathered and brought to float32 once however many
    networks read it.

    Numbers that are not finite are a ValueError, unless they were checked in an earlier pass.
    """

    def __init__(
        self,
        examples: SplitExamples,
        batch: ExampleBatch,
        layer_norm: bool = False,
        checked: bool = False,
    ) -> None:
        self.examples, self.batch, self.layer_norm, self.checked = (
            examples,
            batch,
            layer_norm,
            checked,
        )
        self._found: dict[object, Tensor] = {}

    def layer(self, name: str) -> Tensor:
        """One layer, [units, dim]."""
        if name not in self._found:
            taken = np.take(self.examples.layers[name], self.batch.units, axis=0)
            given = torch.from_numpy(taken)
            # looked at before it is on a device that would have to be waited for
            if not self.checked and not torch.isfinite(given.sum(dtype=torch.float32)):
                self._complain(name, given)
            self._found[name] = given.to(self.examples.device).float()
        return self._found[name]

    def side_by_side(self, names: tuple[str, ...]) -> Tensor:
        """Several layers, [units, sum of dims]."""
        if len(names) == 1:
            return self.layer(names[0])
        if ("cat", *names) not in self._found:
            self._found["cat", *names] = torch.cat([self.layer(name) for name in names], 1)
        return self._found["cat", *names]

    def stack_layers(self, names: tuple[str, ...]) -> Tensor:
        """Several layers of one width, [layers, units, dim], normalised if that was asked for."""
        if ("mix", *names) not in self._found:
            longer = next(
                (
                    k
                    for k in self._found
                    if isinstance(k, tuple) and k[0] == "mix" and k[1 : len(names) + 1] == names
                ),
                None,
            )
            if longer is not None:
                return self._found[longer][: len(names)]
            found = torch.stack([self.layer(name) for name in names])
            if self.layer_norm:
                found = torch.nn.functional.layer_norm(found, found.shape[-1:])
            self._found["mix", *names] = found
        return self._found["mix", *names]

    def _complain(self, name: str, found: Tensor) -> None:
        bad = set(self.batch.units[(~torch.isfinite(found).all(1)).numpy()].tolist())
        starts, stops = (
            self.examples.starts[:, self.batch.rows],
            self.examples.stops[:, self.batch.rows],
        )
        reads = (
            any(unit in bad for a, b in zip(*spans, strict=True) for unit in range(a, b))
            for spans in zip(starts.T, stops.T, strict=True)
        )
        row = next(
            (int(row) for row, bad_one in zip(self.batch.rows, reads, strict=True) if bad_one),
            int(self.batch.rows[0]),
        )
        where = self.examples.describe(row)
        raise ValueError(
            f"layer {name!r} has NaN or infinite values, first in {where}; check the output of the"
            " encoder there"
        )
