"""Vectors on disk, one entry for each sentence and slot ('layer.form') of an encoder.

    root / encoder.dtype / plan.plan             which sentences are encoded together
                           plan-00000.vectors    the vectors of one block of it, for all slots that
                                                 one pass filled
                           plan-00000.failed     why sentences of it could not be encoded

Several processes may write at once: a block's name follows from its plan, and of two copies of a
sentence the older is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import Sentence
from lingprobe.data.digests import digest_pieces, hash_bytes
from lingprobe.data.vectors import (
    Ints,
    Spans,
    Vectors,
    compute_offsets,
    expand_ranges,
)
from lingprobe.store.blocks import (
    DamagedFile,
    RemovedFile,
    StoreProblem,
    list_folder_files,
    open_block,
    write_block_file,
)
from lingprobe.store.flags import cut_in, lost_in, lost_units
from lingprobe.store.folder import (
    FAILURE_SUFFIX,
    MIN_MAPPED_VECTOR_BYTES,
    VECTORS_SUFFIX,
    BlockFolder,
    Holding,
    Keys,
    SentencePlaces,
    StoredLayer,
    keys_of,
)
from lingprobe.store.in_place import in_place
from lingprobe.store.precision import kept_as

_SPANS = ("sentences", "words", "first_word")


class VectorEntries(NamedTuple):
    """Vectors with one layer a slot, and for each slot the units that cannot be used, with the
    reason.
    """

    slots: Sequence[str]
    vectors: Vectors
    refused: Mapping[str, Mapping[int, str]]


def failures_in(folder: Path) -> dict[bytes, str]:
    """Sentences (by key) of an encoder's folder that could not be encoded at some time, with the
    newest reason.
    """
    failures = dict[bytes, str]()
    for _, name in list_folder_files(folder, FAILURE_SUFFIX, ".plan", VECTORS_SUFFIX):
        block = open_block(folder / name) if name.endswith(FAILURE_SUFFIX) else None
        if block is not None:
            failures |= {
                bytes.fromhex(key): reason for key, reason in block.facts["failed"].items()
            }
    return failures


class VectorStore:
    """Vectors by encoder base, slot and sentence, in the type that is asked for. Damaged blocks are
    set aside and count as missing.
    """

    def __init__(self, root: Path, dtype: str = "float32") -> None:
        self.kept = kept_as(dtype)
        self.root = Path(root)
        self._block_folders: dict[str, BlockFolder] = {}
        self._mapped: dict[tuple[object, ...], Vectors] = {}

    def folder(self, base: str) -> Path:
        """Where the vectors of an encoder lie; the name can be read, and differs for any two
        bases.
        """
        slug = re.sub(r"[^A-Za-z0-9]+", "-", base).strip("-")[:40]
        return self.root / f"{slug}-{digest_pieces(base, size=8)}.{self.kept.name}"

    def missing(
        self, base: str, slot: str, sentences: Sequence[Sentence] | Keys
    ) -> NDArray[np.bool_]:
        """Which sentences have no entry yet, [sentences]; what has one was read and checked."""
        return self.lacking(base, (slot,), sentences).ravel()

    def lacking(
        self, base: str, slots: Sequence[str], sentences: Sequence[Sentence] | Keys
    ) -> NDArray[np.bool_]:
        """Which sentences have no entry yet in which slots, [slots, sentences]; what has one was
        read and checked.
        """
        folder, keys = self._block_folder(base), keys_of(sentences)
        while True:
            places = _locate_slots(folder, slots, keys)
            damaged = _first_damaged(folder, slots, places)
            if damaged is None:
                return np.stack([p.blocks < 0 for p in places])
            folder.drop(folder.blocks[damaged[0]], damaged[1])

    def holds(
        self, base: str, slots: Sequence[str], sentences: Sequence[Sentence] | Keys
    ) -> NDArray[np.bool_]:
        """Which sentences have an entry in all slots, [sentences]; none of them is read."""
        places = _locate_slots(self._block_folder(base), slots, keys_of(sentences))
        held: NDArray[np.bool_] = np.stack([p.blocks for p in places]).min(0) >= 0
        return held

    def refusal_reasons(
        self, base: str, slots: Sequence[str], sentences: Sequence[Sentence] | Keys
    ) -> dict[int, str]:
        """Sentences that have an entry which cannot be used at all (its values are not finite),
        with the reason.
        """
        folder, refused = self._block_folder(base), dict[int, str]()
        for slot, places in zip(
            slots, _locate_slots(folder, slots, keys_of(sentences)), strict=True
        ):
            for number, where, rows in places.by_block:
                reasons = folder.blocks[number].facts["refused"].get(slot)
                if reasons:
                    refused |= {
                        int(i): reasons[str(row)]
                        for i, row in zip(where, rows, strict=True)
                        if str(row) in reasons
                    }
        return refused

    def loss_reasons(
        self, base: str, slots: Sequence[str], sentences: Sequence[Sentence] | Keys
    ) -> dict[int, str]:
        """Sentences of which some words or pieces cannot be used, with the reason."""
        folder = self._block_folder(base)
        with _as_found(folder):
            return lost_in(folder, slots, _locate_slots(folder, slots, keys_of(sentences)))

    def cut(
        self, base: str, slots: Sequence[str], sentences: Sequence[Sentence] | Keys
    ) -> NDArray[np.bool_]:
        """Which sentences were read only in part, [sentences]."""
        keys = keys_of(sentences)
        folder = self._block_folder(base)
        with _as_found(folder):
            cut = cut_in(folder, _locate_slots(folder, slots, keys), len(keys))
        return np.zeros(len(keys), bool) if cut is None else cut

    def committed_names(self, base: str) -> frozenset[str]:
        """The names of an encoder's blocks as `lacking` saw them last; what was committed since is
        excluded.
        """
        return (
            frozenset(self._block_folders[base].names)
            if base in self._block_folders
            else frozenset()
        )

    def expect(self, base: str, names: Iterable[str]) -> None:
        """Blocks of these names were committed, by this machine or another, whether or not a list
        of the folder shows them yet.
        """
        self._block_folder(base).expect(names)

    def record(self, base: str, name: str, failed: Mapping[bytes, str]) -> None:
        """Note why sentences (by key) of a block could not be encoded; they stay missing."""
        facts = {"base": base, "failed": {key.hex(): reason for key, reason in failed.items()}}
        write_block_file(
            (self.folder(base) / name).with_suffix(FAILURE_SUFFIX), "failed", facts, {}
        )

    def failures(self, base: str) -> dict[bytes, str]:
        """Sentences (by key) that could not be encoded at some time, with the newest reason."""
        return failures_in(self.folder(base))

    def widths(self, base: str) -> dict[str, int]:
        """How many numbers a vector has, for each slot that has been filled."""
        blocks = self._block_folder(base).blocks
        return {
            slot: int(b.arrays[f"layer:{slot}"]["shape"][1])
            for b in blocks
            for slot in b.facts["slots"]
        }

    def write(
        self, base: str, name: str, sentences: Sequence[Sentence] | Keys, entries: VectorEntries
    ) -> None:
        """Commit one block, under the name that its plan gives it."""
        slots, vectors, refused = entries
        arrays: dict[str, NDArray[np.generic]] = {"keys": keys_of(sentences)}
        if vectors.cut is not None:
            arrays["cut"] = vectors.cut
        if vectors.spans is not None:
            spans = vectors.spans
            parts = zip(_SPANS, (spans.sentences, spans.words, spans.first_word), strict=True)
            arrays |= {f"spans:{name}": array for name, array in parts}
        for slot, layer in zip(slots, vectors.layers, strict=True):
            arrays[f"layer:{slot}"] = self.kept.pack_values(layer)
        bad = {slot: dict(units) for slot, units in refused.items()}
        unusable = {"refused": bad} if vectors.spans is None else {"refused": {}, "lost": bad}
        facts = {"base": base, "slots": list(slots), **unusable}
        write_block_file(self.folder(base) / name, "vectors", facts, arrays, keep=True)

    def read(
        self,
        base: str,
        slots: Sequence[str],
        names: Sequence[str],
        sentences: Sequence[Sentence] | Keys,
        needed: NDArray[np.bool_] | None = None,
    ) -> Vectors:
        """The vectors of sentences in their order, one layer a slot; those that have none get
        zeros, or no units.

        Layers are float32; where they are large, rows are read where they lie, in the store's type.
        What was read last is kept. Where one of the `needed` sentences [sentences] has none, as
        when somebody removed files meanwhile, it is a StoreProblem.
        """
        folder, keys = self._block_folder(base), keys_of(sentences)
        asked = (
            base,
            tuple(slots),
            frozenset(folder.names),
            hash_bytes(keys.tobytes(), 64),
        )
        if asked in self._mapped:
            return replace(self._mapped[asked], names=tuple(names))
        self._mapped = {}
        with _as_found(folder):
            places = _sound(folder, slots, keys)
            if needed is not None and any((p.blocks[needed] < 0).any() for p in places):
                raise RemovedFile("some were removed")
            words = np.zeros(len(keys), np.int64)
            if not isinstance(sentences, np.ndarray):
                words = np.array([len(s.words) for s in sentences], np.int64)
            spans = _spans(folder, places, words)
            large, layers = self._layers(
                [
                    StoredLayer.of(folder, slot, p, spans, self.kept)
                    for slot, p in zip(slots, places, strict=True)
                ]
            )
            cut, lost = cut_in(folder, places, len(keys)), lost_units(folder, slots, places, spans)
            vectors = Vectors(layers, tuple(names), spans, cut, lost)
        if large:
            self._mapped[asked] = vectors
        return vectors

    def _layers(self, requested: Sequence[StoredLayer]) -> tuple[bool, tuple[Any, ...]]:
        """Layers in order, those that lie at one place once; first whether that is so much that
        they are read in place.
        """
        distinct = {one.source: one for one in requested}
        large = (
            sum(units * width for units, width in (w.shape for w in distinct.values()))
            * self.kept.read.itemsize
            >= MIN_MAPPED_VECTOR_BYTES
        )
        every = list(distinct.values())
        layers: dict[Any, Any] = dict(
            zip(
                distinct,
                in_place(every) if large else [w.copy_units(np.float32) for w in every],
                strict=True,
            )
        )
        return large, tuple(layers[one.source] for one in requested)

    def _block_folder(self, base: str) -> BlockFolder:
        if base not in self._block_folders:
            self._block_folders[base] = BlockFolder(self.folder(base))
        return self._block_folders[base].refresh()


@contextmanager
def _as_found(folder: BlockFolder) -> Iterator[None]:
    """Files that turn out to be damaged, or are gone, after they were checked are a
    StoreProblem.
    """
    try:
        yield
    except DamagedFile as damage:
        raise StoreProblem(
            f"{folder.path}: some vectors cannot be read ({damage}); run the same again, and they"
            " will be made again"
        ) from damage


def _locate_slots(folder: BlockFolder, slots: Sequence[str], keys: Keys) -> list[SentencePlaces]:
    known: dict[Holding, SentencePlaces] = {}
    return [folder.locate(slot, keys, known) for slot in slots]


def _first_damaged(
    folder: BlockFolder, slots: Sequence[str], places: Sequence[SentencePlaces]
) -> tuple[int, DamagedFile] | None:
    """Check what is about to be read; the first block whose bytes changed, and how."""
    layers: dict[int, set[str]] = {}
    for slot, place in zip(slots, places, strict=True):
        for number, _, _ in place.by_block:
            layers.setdefault(number, set()).add(f"layer:{slot}")
    for number, wanted in layers.items():
        block = folder.blocks[number]
        try:
            for name in block.arrays:
                if name in wanted or not name.startswith("layer:"):
                    block.array(name)
        except DamagedFile as damage:
            return number, damage
    return None


def _sound(folder: BlockFolder, slots: Sequence[str], keys: Keys) -> list[SentencePlaces]:
    """Where sentences lie in each slot; a damaged block is dropped, and its problem raised. One
    whose place another took is looked for anew.
    """
    while True:
        places = _locate_slots(folder, slots, keys)
        damaged = _first_damaged(folder, slots, places)
        if damaged is None:
            return places
        folder.drop(folder.blocks[damaged[0]], damaged[1])
        if not isinstance(damaged[1], RemovedFile):
            raise damaged[1]
        folder.refresh()


def _spans(folder: BlockFolder, places: Sequence[SentencePlaces], words: Ints) -> Spans | None:
    """Where the units of the sentences lie once they are put together; None where a unit is a
    sentence.

    `words` [sentences] counts the words of sentences that have no entry; each of theirs gets no
    units.
    """
    parts = [
        (folder.blocks[number], where, rows)
        for number, where, rows in (places[0].by_block if places else ())
    ]
    if not any("spans:words" in block.arrays for block, _, _ in parts):
        return None
    units, words = np.zeros(len(words), np.int64), words.copy()
    for block, where, rows in parts:
        units[where] = np.diff(block.array("spans:sentences"))[rows]
        words[where] = np.diff(block.array("spans:first_word"))[rows]
    sentences, first = compute_offsets(units), compute_offsets(words)
    words_at = np.repeat(sentences[:-1], words)[:, None].repeat(2, 1)
    for block, where, rows in parts:
        starts = block.array("spans:first_word")
        source, _ = expand_ranges(starts[rows], starts[rows + 1])
        target, _ = expand_ranges(first[where], first[where + 1])
        shift = np.repeat(sentences[where] - block.array("spans:sentences")[rows], words[where])
        words_at[target] = block.array("spans:words")[source] + shift[:, None]
    return Spans(sentences, words_at, first)
