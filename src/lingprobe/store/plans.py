"""Which sentences are encoded together: written down before anything is encoded, never changed,
never thrown away.

Batches decide the last bits of a vector. A block that is missing, because a run was killed or
because it was damaged, is therefore encoded again as planned; the plan holds the sentences
themselves, so any later run can do it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import Sentence
from lingprobe.data.digests import digest_pieces
from lingprobe.data.vectors import Ints
from lingprobe.store.blocks import (
    BlockFile,
    DamagedFile,
    list_folder_files,
    open_block,
    set_aside,
    write_block_file,
)
from lingprobe.store.folder import FAILURE_SUFFIX, VECTORS_SUFFIX, Keys, keys_of


@dataclass(frozen=True, eq=False)
class EncodingPlan:
    """Sentences in the order in which they are encoded, for some slots; block b is sentences
    bounds[b]:bounds[b + 1].
    """

    file: BlockFile
    slots: tuple[str, ...]
    keys: Keys
    bounds: Ints

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def name(self, block: int) -> str:
        """The file name of a block's vectors."""
        return f"{self.file.path.stem}-{block:05d}{VECTORS_SUFFIX}"

    def place(self, block: int) -> Path:
        """The file of a block's vectors, which is there once they are."""
        return self.file.path.parent / self.name(block)

    def part(self, block: int) -> Keys:
        """The keys of a block's sentences."""
        return self.keys[self.bounds[block] : self.bounds[block + 1]]

    def sentences(self, block: int) -> list[Sentence]:
        """A block's sentences, read from the plan."""
        lines = json.loads(zlib.decompress(self.file.array(f"text:{block}").tobytes()))
        sentences = [Sentence.of(*line) for line in lines]
        if not np.array_equal(keys_of(sentences), self.part(block)):
            raise DamagedFile(f"the sentences of block {block} are not those that were planned")
        return sentences


def arrange_blocks(sentences: Sequence[Sentence], keys: Keys, slots: int) -> tuple[Ints, Ints]:
    """At most 2,048 sentences a block: an order of sentences, by length and then key, and the
    bounds of blocks in it; the order given plays no part.

    A block has at most 2,048 sentences, and about 64k words over all its slots (but at least 8k),
    which bounds its memory.
    """
    words = np.array([len(s.words) for s in sentences], np.int64)
    letters = np.array([len(s.text) for s in sentences], np.int64)
    order = np.lexsort((keys[:, 1], keys[:, 0], letters, words))
    budget = max(8192, 65536 // max(slots, 1))
    ends = np.cumsum(np.maximum(words[order], 1))
    bounds = [0]
    while bounds[-1] < len(order):
        start = bounds[-1]
        full = int(np.searchsorted(ends, (ends[start - 1] if start else 0) + budget, side="right"))
        bounds.append(max(start + 1, min(full, start + 2048)))
    return order, np.array(bounds, np.int64)


def draw_up(
    folder: Path, sentences: Sequence[Sentence], keys: Keys, slots: tuple[str, ...]
) -> EncodingPlan:
    """Plan how sentences are encoded, and write it down; the same sentences always give the same
    plan.
    """
    order, bounds = arrange_blocks(sentences, keys, len(slots))
    keys = keys[order]
    name = digest_pieces(json.dumps([slots, bounds.tolist()]), keys, size=8)
    path = folder / f"{name}.plan"
    if not path.exists():
        arrays: dict[str, NDArray[Any]] = {"keys": keys, "bounds": bounds}
        for block in range(len(bounds) - 1):
            chosen = order[bounds[block] : bounds[block + 1]]
            arrays[f"text:{block}"] = _pack_sentences([sentences[i] for i in chosen])
        write_block_file(path, "plan", {"slots": slots}, arrays, keep=True)
    plan = read_encoding_plan(path)
    assert plan is not None, f"{path} was damaged as soon as it was written"
    return plan


def _pack_sentences(sentences: Sequence[Sentence]) -> NDArray[np.uint8]:
    """Sentences as compressed JSON; a text that is the words alone is excluded."""
    lines = [sentence.plain for sentence in sentences]
    return np.frombuffer(zlib.compress(json.dumps(lines).encode(), 1), np.uint8)


def read_encoding_plan(path: Path) -> EncodingPlan | None:
    """A plan, or None where it is damaged and set aside now."""
    file = open_block(path)
    if file is None:
        return None
    try:
        file.check()
    except DamagedFile as damage:
        set_aside(path, damage)
        return None
    return EncodingPlan(
        file,
        tuple(file.facts["slots"]),
        np.array(file.array("keys")),
        np.array(file.array("bounds")),
    )


def unfinished_plans(folder: Path, committed: Set[str]) -> Iterator[tuple[EncodingPlan, list[int]]]:
    """Plans with the blocks that are not among the committed files, oldest first."""
    for _, name in list_folder_files(folder, ".plan", VECTORS_SUFFIX, FAILURE_SUFFIX):
        if name.endswith(".plan") and (plan := read_encoding_plan(folder / name)) is not None:
            left = [block for block in range(len(plan)) if plan.name(block) not in committed]
            if left:
                yield plan, left
