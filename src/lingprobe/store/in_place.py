"""Layers of vectors that are read where they lie in the blocks of the store, by index: nothing is
put in order, and nothing written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.vectors import Ints, expand_ranges
from lingprobe.store.blocks import StoreProblem
from lingprobe.store.folder import SentencePlaces, StoredLayer

Part = tuple[int, Ints, Ints]


class UnitPlaces:
    """Where the units of sentences in some order lie: the block of each (-1: nowhere) and its row
    there, [units] each. Layers that lie alike share it.
    """

    def __init__(self, layer: StoredLayer) -> None:
        many = int(layer.offsets[-1])
        self.blocks, self.rows = np.full(many, -1, np.int32), np.zeros(many, np.int64)
        for number, where, rows in layer.places.by_block:
            target, lengths = expand_ranges(layer.offsets[where], layer.offsets[where + 1])
            source, expected = rows, np.ones(len(rows), np.int64)
            if layer.ragged:
                starts = layer.folder.blocks[number].array("spans:sentences")
                source, _ = expand_ranges(starts[rows], starts[rows + 1])
                expected = starts[rows + 1] - starts[rows]
            if not np.array_equal(np.diff(lengths), expected):
                raise StoreProblem(
                    f"{layer.folder.path}: layers disagree on how many units a sentence has; remove"
                    " the folder and run again"
                )
            self.blocks[target], self.rows[target] = number, source
        self._last: tuple[Ints, list[Part]] | None = None

    def parts(self, rows: Ints) -> list[Part]:
        """Where some units [n] lie: for each block, which of them and their rows there. What was
        asked for last is remembered, since all layers are asked for the units of a batch.
        """
        if (last := self._last) is not None and np.array_equal(last[0], rows):
            return last[1]
        blocks, places = self.blocks[rows], self.rows[rows]
        order = np.argsort(blocks, kind="stable")
        cuts = np.flatnonzero(np.diff(blocks[order])) + 1
        several = np.split(order, cuts) if len(rows) else []
        parts = [(int(blocks[some[0]]), some, places[some]) for some in several]
        self._last = rows.copy(), parts
        return parts


class InPlace:
    """A layer [units, dim] that takes rows from blocks, as an array does: by a slice, by numbers or
    by flags, and as a whole. Rows are of the type that the store is read in; zeros for units that
    lie nowhere.
    """

    ndim = 2

    def __init__(self, layer: StoredLayer, units: UnitPlaces) -> None:
        self.units, self.kept, self.dtype = units, layer.kept, layer.kept.read
        self.shape = layer.shape
        self.parts: dict[int, NDArray[Any]] = {
            number: layer.folder.blocks[number].mapped_array(f"layer:{layer.slot}")
            for number, _, _ in layer.places.by_block
        }

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def nbytes(self) -> int:
        """What all units would take in memory."""
        return self.shape[0] * self.shape[1] * self.dtype.itemsize

    def __getitem__(self, key: Any) -> NDArray[Any]:
        rows = self._rows(key)
        return self._gather(rows.ravel()).reshape(*rows.shape, self.shape[1])

    def take(
        self, indices: Ints, axis: int = 0, out: None = None, mode: str = "raise"
    ) -> NDArray[Any]:
        """Some of the units, as `numpy.take` asks for them."""
        return self[np.asarray(indices)]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        every = self[:]
        return every if dtype is None else every.astype(dtype, copy=False)

    def _rows(self, key: Any) -> Ints:
        """The numbers of units, in the shape that they were asked for in."""
        if isinstance(key, slice):
            return np.arange(*key.indices(len(self)))
        rows = np.asarray(key)
        if rows.dtype != np.bool_:
            return rows.astype(np.int64, copy=False)
        if len(rows) != len(self):
            raise IndexError(f"{len(rows)} flags for {len(self)} units")
        return np.flatnonzero(rows)

    def _gather(self, rows: Ints) -> NDArray[Any]:
        found = np.zeros((len(rows), self.shape[1]), self.dtype)
        for number, some, places in self.units.parts(rows):
            if number >= 0:
                found[some] = self.kept.unpack_values(self.parts[number][places])
        return found


def in_place(layers: Sequence[StoredLayer]) -> list[InPlace]:
    """Several layers of the same sentences, which share where their units lie if they can."""
    known: list[tuple[SentencePlaces, UnitPlaces]] = []

    def units_of(layer: StoredLayer) -> UnitPlaces:
        for places, units in known:
            if places is layer.places:
                return units
        known.append((layer.places, UnitPlaces(layer)))
        return known[-1][1]

    return [InPlace(layer, units_of(layer)) for layer in layers]
