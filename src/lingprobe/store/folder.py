"""The blocks of one encoder, where in them each sentence lies, and layers gathered from them into
memory; where that is much, rows are read in place (`in_place`).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import Sentence
from lingprobe.data.vectors import (
    Ints,
    Spans,
    expand_ranges,
)
from lingprobe.store.blocks import (
    BlockFile,
    DamagedFile,
    StoreProblem,
    list_folder_files,
    open_block,
    set_aside,
)
from lingprobe.store.precision import StoragePrecision

Keys = NDArray[np.uint64]
"""Sentences by their sixteen-byte keys, [sentences, 2]."""

VECTORS_SUFFIX, FAILURE_SUFFIX = ".vectors", ".failed"


def keys_of(sentences: Sequence[Sentence] | Keys) -> Keys:
    """The keys of sentences; keys stand for themselves, so that they are computed once."""
    if isinstance(sentences, np.ndarray):
        return sentences
    return np.frombuffer(b"".join(s.key for s in sentences), "<u8").reshape(-1, 2)


@dataclass(frozen=True, slots=True)
class KeyIndex:
    """Keys sorted by their first half, and the number of each in the array that they came from."""

    first: NDArray[np.uint64]
    second: NDArray[np.uint64]
    number: Ints

    @classmethod
    def of(cls, keys: Keys) -> KeyIndex:
        """An index over keys; of equal ones the first is found."""
        order = np.argsort(keys[:, 0], kind="stable")
        return cls(keys[order, 0], keys[order, 1], order)

    def find(self, keys: Keys) -> Ints:
        """The number of each key, -1 for those that are not here."""
        numbers = np.full(len(keys), -1, np.int64)
        asked = np.argsort(keys[:, 0])  # sorted queries walk the index in order, which caches like
        at = np.searchsorted(self.first, keys[asked, 0])
        while len(asked):  # once, but for two sentences whose keys share their first half
            inside = at < len(self.first)
            asked, at = asked[inside], at[inside]
            same = self.first[at] == keys[asked, 0]
            asked, at = asked[same], at[same]
            hit = self.second[at] == keys[asked, 1]
            numbers[asked[hit]] = self.number[at[hit]]
            asked, at = asked[~hit], at[~hit] + 1
        return numbers


def find_first_keys(keys: Keys) -> tuple[Ints, Ints]:
    """Where each key occurs first, in order of occurrence, and for every key the number of its
    first, [keys].
    """
    at = KeyIndex.of(keys).find(keys)
    first = np.flatnonzero(at == np.arange(len(keys)))
    return first, np.searchsorted(first, at)


@dataclass(frozen=True)
class SentencePlaces:
    """Where sentences lie for one slot: block number (-1: nowhere) and row, [sentences] each."""

    blocks: Ints
    rows: Ints

    @functools.cached_property
    def by_block(self) -> list[tuple[int, Ints, Ints]]:
        """For each block: its number, which of the sentences it holds, and their rows in it."""
        order = np.argsort(self.blocks, kind="stable")
        order = order[np.searchsorted(self.blocks[order], 0) :]
        if not len(order):
            return []
        numbers, starts = np.unique(self.blocks[order], return_index=True)
        parts = np.split(order, starts[1:])
        return [(int(n), part, self.rows[part]) for n, part in zip(numbers, parts, strict=True)]


Holding = tuple[tuple[str, ...], ...]
"""The sets of slots of blocks that hold one of them."""


class BlockFolder:
    """The blocks of one folder, oldest first, and an index for each set of slots that blocks
    share.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.blocks: list[BlockFile] = []
        self.names: set[str] = set()
        self._expected: set[str] = set()
        self._keys: dict[str, Keys] = {}
        self._indexes: dict[tuple[str, ...], tuple[KeyIndex, SentencePlaces]] = {}

    def refresh(self) -> BlockFolder:
        """Open what was committed since, by this process or another, and let go of what was
        removed.
        """
        there = [
            name
            for _, name in list_folder_files(self.path, VECTORS_SUFFIX, FAILURE_SUFFIX, ".plan")
            if name.endswith(VECTORS_SUFFIX)
        ]
        there += sorted(
            name for name in self._expected.difference(there) if (self.path / name).exists()
        )
        if self.names.difference(there):
            self.names.intersection_update(there)
            self.blocks = [block for block in self.blocks if block.path.name in self.names]
            self._indexes.clear()
        fresh = [name for name in there if name not in self.names]
        for name in fresh:
            block = open_block(self.path / name)
            if block is not None:
                self._keep(block)
        if fresh:
            self._indexes.clear()
        return self

    def expect(self, names: Iterable[str]) -> None:
        """Look for these by name from now on: on a network file system, lists of what other
        machines wrote may be late by a minute.
        """
        self._expected.update(names)

    def _keep(self, block: BlockFile) -> None:
        try:
            self._keys[block.path.name] = np.array(block.array("keys"))
        except DamagedFile as damage:
            set_aside(block.path, damage)
        else:
            self.names.add(block.path.name)
            self.blocks.append(block)

    def drop(self, block: BlockFile, why: object) -> None:
        """Set a damaged block aside; what it held is missing from now on."""
        set_aside(block.path, why)
        self.names.discard(block.path.name)
        self.blocks.remove(block)
        self._indexes.clear()

    def locate(
        self, slot: str, keys: Keys, known: dict[Holding, SentencePlaces] | None = None
    ) -> SentencePlaces:
        """Where sentences lie for a slot; of several copies the oldest. `known` keeps what slots
        share between calls.
        """
        known = {} if known is None else known
        every = {tuple(block.facts["slots"]): None for block in self.blocks}
        holding = tuple(slots for slots in every if slot in slots)
        if holding not in known:
            for slots in holding:
                if (slots,) not in known:
                    known[slots,] = self._locate_keys(slots, keys)
            nowhere = np.full(len(keys), -1, np.int64)
            each = [known[slots,] for slots in holding] or [SentencePlaces(nowhere, nowhere)]
            known[holding] = functools.reduce(_older, each)
        return known[holding]

    def _locate_keys(self, slots: tuple[str, ...], keys: Keys) -> SentencePlaces:
        if slots not in self._indexes:
            chosen = [
                (n, self._keys[block.path.name])
                for n, block in enumerate(self.blocks)
                if tuple(block.facts["slots"]) == slots
            ]
            blocks = np.concatenate([np.full(len(held), n) for n, held in chosen])
            rows = np.concatenate([np.arange(len(held)) for _, held in chosen])
            self._indexes[slots] = (
                KeyIndex.of(np.concatenate([held for _, held in chosen])),
                SentencePlaces(
                    np.append(blocks, -1), np.append(rows, -1)
                ),  # what is nowhere is the last
            )
        index, places = self._indexes[slots]
        at = index.find(keys)
        return SentencePlaces(places.blocks[at], places.rows[at])


def _older(a: SentencePlaces, b: SentencePlaces) -> SentencePlaces:
    b_first = (b.blocks >= 0) & ((a.blocks < 0) | (b.blocks < a.blocks))
    return SentencePlaces(np.where(b_first, b.blocks, a.blocks), np.where(b_first, b.rows, a.rows))


MIN_MAPPED_VECTOR_BYTES = (
    64 << 20
)  # bytes of all layers together from which on they are read in place


@dataclass(frozen=True)
class StoredLayer:
    """Sentences in order: where each lies in the blocks of a folder, and where its units begin once
    they are gathered [sentences + 1].
    """

    folder: BlockFolder
    slot: str
    places: SentencePlaces
    offsets: Ints
    ragged: bool
    kept: StoragePrecision

    @classmethod
    def of(
        cls,
        folder: BlockFolder,
        slot: str,
        places: SentencePlaces,
        spans: Spans | None,
        kept: StoragePrecision,
    ) -> StoredLayer:
        """A slot of the sentences at some places."""
        offsets = np.arange(len(places.blocks) + 1) if spans is None else spans.sentences
        return cls(folder, slot, places, offsets, spans is not None, kept)

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
            for n, _, _ in self.places.by_block
        ]
        return *self.shape, self.places.blocks.tobytes(), self.places.rows.tobytes(), *starts

    def copy_units(self, dtype: Any) -> NDArray[Any]:
        """The units in memory; zeros for sentences that lie nowhere."""
        units = np.zeros(self.shape, dtype)
        for number, where, rows in self.places.by_block:
            layer = self.folder.blocks[number].array(f"layer:{self.slot}")
            if not self.ragged:
                units[where] = self.kept.unpack_values(layer[rows])
                continue
            starts = self.folder.blocks[number].array("spans:sentences")
            source, lengths = expand_ranges(starts[rows], starts[rows + 1])
            target, expected = expand_ranges(self.offsets[where], self.offsets[where + 1])
            if not np.array_equal(lengths, expected):
                raise StoreProblem(
                    f"{self.folder.path}: layers disagree on how many units a sentence has; remove"
                    " the folder and run again"
                )
            units[target] = self.kept.unpack_values(layer[source])
        return units
