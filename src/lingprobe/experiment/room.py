"""How much room on the disk the vectors of a run take, and whether it is there."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lingprobe.data.cache import size
from lingprobe.data.core import Encoder, Sentence
from lingprobe.experiment.measure import Group
from lingprobe.experiment.units import width
from lingprobe.store.blocks import StoreProblem
from lingprobe.store.folder import keys_of
from lingprobe.store.vectors import VectorStore

PIECES = 1.3  # word pieces a word


class Pass(NamedTuple):
    """What is encoded for groups before they are measured: their distinct sentences, in all slots
    that any of them reads, kept under a key.
    """

    key: str
    encoder: Encoder
    slots: tuple[str, ...]
    sentences: list[Sentence]
    groups: Sequence[Group]


def left_of(one: Pass, store: VectorStore) -> list[Sentence]:
    """The sentences that still have to be encoded."""
    lacking = store.lacking(one.key, one.slots, keys_of(one.sentences))
    return [one.sentences[i] for i in np.flatnonzero(lacking.any(0)).tolist()]


def bytes_of(one: Pass, sentences: Sequence[Sentence], store: VectorStore) -> int:
    """About how many bytes the vectors of sentences take, as far as their width is known."""
    pieces = any(slot.endswith(".none") for slot in one.slots)
    units = sum(len(s.words) for s in sentences) * PIECES if pieces else len(sentences)
    known = next(iter(store.widths(one.key).values()), store.kept.width(width(one.encoder)))
    return int(units * known * store.kept.stored.itemsize * len(one.slots))


def check_room(passes: Iterable[Pass], store: VectorStore) -> None:
    """Refuse vectors for which the disk has no room. StoreProblem."""
    needed = sum(bytes_of(one, left_of(one, store), store) for one in passes)
    there = next(folder for folder in (store.root, *store.root.parents) if folder.is_dir())
    if needed > (free := free_below(there)):
        raise StoreProblem(
            f"the vectors of this run take about {size(needed)}, and {there} has {size(free)} free:"
            " ask for fewer layers (layers=every:8), keep them with --store bfloat16 or"
            " --project 256, or name another --cache"
        )


def free_below(folder: Path) -> int:
    """Bytes that are free on the disk of a folder."""
    return shutil.disk_usage(folder).free
