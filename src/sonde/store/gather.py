"""One layer of some sentences, gathered from the blocks that hold them: in memory, or, where that
is much, in a file without a name.

Sentences lie in blocks by length, a task wants them in its own order, and a probe reads rows at
random; so they are put in order once, in pieces that fit in a cache, and mapped from there: pages
that nobody reads take no memory. The file has no name from the start and vanishes with its last
reader.
"""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sonde.store.blocks import StoreProblem
from sonde.store.folder import BlockFolder, Places
from sonde.vectors import Ints, Spans, ranges

LARGE = 64 << 20  # bytes of all layers together from which on they are mapped
PART = 16 << 20  # bytes that are put in order at a time


@dataclass(frozen=True)
class Layer:
    """Sentences in order: where each lies in the blocks of a folder, and where its units begin once
    they are gathered [sentences + 1].
    """

    folder: BlockFolder
    slot: str
    places: Places
    offsets: Ints
    ragged: bool

    @classmethod
    def of(cls, folder: BlockFolder, slot: str, places: Places, spans: Spans | None) -> Layer:
        """A slot of the sentences at some places."""
        offsets = np.arange(len(places.blocks) + 1) if spans is None else spans.sentences
        return cls(folder, slot, places, offsets, spans is not None)

    @property
    def shape(self) -> tuple[int, int]:
        """Units, and how many numbers each has."""
        blocks = self.folder.blocks
        width = next(
            (
                b.arrays[f"layer:{self.slot}"]["shape"][1]
                for b in blocks
                if self.slot in b.facts["slots"]
            ),
            0,
        )
        return int(self.offsets[-1]), int(width)

    @property
    def source(self) -> tuple[object, ...]:
        """Where its bytes lie: the same for slots of which the blocks keep one copy."""
        starts = [
            (n, self.folder.blocks[n].arrays[f"layer:{self.slot}"]["start"])
            for n, _, _ in self.places.by_block()
        ]
        return *self.shape, self.places.blocks.tobytes(), self.places.rows.tobytes(), *starts

    def parts(self, rows: int) -> Iterator[Layer]:
        """The same in parts of about so many units."""
        start = 0
        while start < len(self.offsets) - 1:
            full = int(np.searchsorted(self.offsets, self.offsets[start] + rows, "right")) - 1
            stop = max(start + 1, full)
            places = Places(self.places.blocks[start:stop], self.places.rows[start:stop])
            offsets = self.offsets[start : stop + 1] - self.offsets[start]
            yield Layer(self.folder, self.slot, places, offsets, self.ragged)
            start = stop

    def copied(self, dtype: Any) -> NDArray[Any]:
        """The units in memory; zeros for sentences that lie nowhere."""
        units = np.zeros(self.shape, dtype)
        for number, where, rows in self.places.by_block():
            layer = self.folder.blocks[number].array(f"layer:{self.slot}")
            if not self.ragged:
                units[where] = layer[rows]
                continue
            starts = self.folder.blocks[number].array("spans:sentences")
            source, lengths = ranges(starts[rows], starts[rows + 1])
            target, expected = ranges(self.offsets[where], self.offsets[where + 1])
            if not np.array_equal(lengths, expected):
                raise StoreProblem(
                    f"{self.folder.path}: layers disagree on how many units a sentence has; remove"
                    " the folder and run again"
                )
            units[target] = layer[source]
        return units


def mapped(layers: Sequence[Layer], dtype: np.dtype[Any], folder: Path) -> list[NDArray[Any]]:
    """The units of several layers as read-only memory-mapped arrays of the store's own type; a full
    disk is a StoreProblem.

    They share one file, since open files are few on some machines. It is written as any file is,
    not through the map, where a full disk would kill the process.
    """
    sizes = [units * width * dtype.itemsize for units, width in (w.shape for w in layers)]
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            for layer in layers:
                for part in layer.parts(max(1, PART // max(1, layer.shape[1] * dtype.itemsize))):
                    file.write(part.copied(dtype).data)
            file.flush()
            whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise StoreProblem(
            f"cannot put {sum(sizes) / 1e9:.1f} GB of vectors in order in {folder}:"
            f" {error.strerror or error}; make room, choose another cache folder, or keep vectors"
            " in half precision, and run the same again"
        ) from error
    starts = [0, *accumulate(sizes)]
    return [
        np.frombuffer(whole, dtype, int(np.prod(w.shape)), start).reshape(w.shape)
        for w, start in zip(layers, starts, strict=False)
    ]
