"""How much room on the disk the vectors of a run take, and whether it is there."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lingprobe.data.abilities import EncoderWithWidth
from lingprobe.data.cache import format_bytes
from lingprobe.data.core import Encoder, Sentence
from lingprobe.encoders.sites import is_site
from lingprobe.experiment.groups import TrialGroup
from lingprobe.experiment.units import width_of
from lingprobe.store.blocks import StoreProblem
from lingprobe.store.folder import keys_of
from lingprobe.store.vectors import VectorStore

SUBWORDS_PER_WORD = 1.3


class EncodingPass(NamedTuple):
    """What is encoded for groups before they are measured: their distinct sentences, in all slots
    that any of them reads, kept under a key.
    """

    key: str
    encoder: Encoder
    slots: tuple[str, ...]
    sentences: list[Sentence]
    groups: Sequence[TrialGroup]


def left_of(encoding: EncodingPass, store: VectorStore) -> list[Sentence]:
    """The sentences that still have to be encoded."""
    lacking = store.lacking(encoding.key, encoding.slots, keys_of(encoding.sentences))
    return [encoding.sentences[i] for i in np.flatnonzero(lacking.any(0)).tolist()]


def bytes_of(encoding: EncodingPass, sentences: Sequence[Sentence], store: VectorStore) -> int:
    """How much disk the vectors of sentences take, in bytes, as far as their width is known."""
    return _numbers(encoding, encoding.slots, sentences, store) * store.kept.stored.itemsize


def _numbers(
    one: EncodingPass, slots: Sequence[str], sentences: Sequence[Sentence], store: VectorStore
) -> int:
    pieces = any(slot.endswith(".none") for slot in slots)
    if pieces or (isinstance(one.encoder, EncoderWithWidth) and one.encoder.by_word):
        units = sum(len(s.words) for s in sentences) * (SUBWORDS_PER_WORD if pieces else 1)
    else:
        units = len(sentences)
    known = store.widths(one.key)
    encoder = one.groups[0].encoder if one.groups else one.encoder
    usual = next((wide for slot, wide in known.items() if not is_site(slot)), None)

    def wide(slot: str) -> int:
        if not is_site(slot) and usual is not None:
            return usual
        return known.get(slot) or store.kept.width(width_of(encoder, slot.rpartition(".")[0]))

    return int(units * sum(map(wide, slots)))


def check_disk_space(passes: Sequence[EncodingPass], store: VectorStore) -> None:
    """A run whose vectors do not fit on the disk is refused before it begins. StoreProblem."""
    left = sum(bytes_of(one, left_of(one, store), store) for one in passes)
    there = next(folder for folder in (store.root, *store.root.parents) if folder.is_dir())
    if left > (free := free_below(there)):
        raise StoreProblem(
            f"the vectors of this run take about {format_bytes(left)}, and {there} has"
            f" {format_bytes(free)} free: ask for fewer layers (layers=every:8), keep them with"
            " --dtype bfloat16 or --project 256, or name another --cache"
        )


def free_below(folder: Path) -> int:
    """Bytes that are free on the disk of a folder."""
    return shutil.disk_usage(folder).free
