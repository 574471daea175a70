"""Cells that are refused since an encoder was trained on sentences that it would be probed on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.training_sentences import (
    Hashes,
    are_among,
    hash_sentences,
)
from lingprobe.data._closure import digest_code, root_of
from lingprobe.data.cache import recall_value, remember_value
from lingprobe.data.core import (
    DATA_SPLITS,
    DataProblem,
    Dataset,
    Encoder,
    Task,
    TrainingAwareEncoder,
)
from lingprobe.data.digests import digest_pieces, digest_texts
from lingprobe.data.identity import ContentIdentity
from lingprobe.experiment.data import load_dataset

_NAMED, _LONGEST = 2, 60  # sentences that a refusal names, and how much of each
_UNKNOWN = (
    "trained by a version that did not record the training sentences, so it may be probed on some"
    " of them"
)
_hashes: dict[str, Hashes] = {}


@dataclass(frozen=True)
class TrainingHashes:
    """What an encoder was trained on: hashes of sentences, sorted, and a digest of these; or what
    is wrong with them.
    """

    hashes: Hashes
    mark: str
    damage: str = ""

    @classmethod
    def of(cls, encoder: TrainingAwareEncoder) -> TrainingHashes | None:
        """That of an encoder; None where it is lost."""
        try:
            hashes = encoder.saw()
        except DataProblem as problem:
            return cls(np.empty(0, np.uint64), "", str(problem))
        if hashes is None:
            return None
        return cls(hashes, digest_pieces(hashes))

    def refusal(self, task: Task, identity: ContentIdentity, cache: Path) -> str:
        """Why an encoder that saw even one sentence of a task is not measured there; '' where it
        saw none. Remembered in the cache, so that a cached run reads no data.
        """
        if self.damage:
            return self.damage
        folder, key = (
            cache / "exposure",
            digest_texts(str(identity), self.mark, digest_code(root_of(_refusal))),
        )
        said = recall_value(folder, key)
        if said is None:
            said = _refusal(load_dataset(task, identity), self.hashes, str(identity))
            remember_value(folder, key, said)
        return str(said)


def list_memories(
    encoders: Mapping[str, Encoder],
) -> tuple[dict[str, TrainingHashes], dict[str, str]]:
    """The memories of encoders that were taught, by reference, and what there is to say of those
    whose memory is lost.
    """
    taught = {
        name: TrainingHashes.of(one)
        for name, one in encoders.items()
        if isinstance(one, TrainingAwareEncoder)
    }
    lost = {name: f"{name}: {_UNKNOWN}" for name, memory in taught.items() if memory is None}
    return {name: memory for name, memory in taught.items() if memory is not None}, lost


def _refusal(dataset: Dataset, seen: Hashes, known: str) -> str:
    if known not in _hashes:
        _hashes[known] = hash_sentences(dataset.sentences)
    bad = are_among(_hashes[known], seen)
    rows = np.flatnonzero(bad[dataset.sites[:, :, 0]].any(1))
    if not len(rows):
        return ""
    counts = np.bincount(dataset.splits[rows].clip(0), minlength=len(DATA_SPLITS)).tolist()
    parts = ", ".join(f"{n:,} of {name}" for name, n in zip(DATA_SPLITS, counts, strict=True) if n)
    named = " and ".join(islice(_quote_sentences(dataset, rows, bad), _NAMED))
    return (
        f"{len(rows):,} of {len(dataset):,} examples ({parts}) have sentences that this encoder was"
        f" trained on, such as {named}; train it without them (`lingprobe train --exclude CORPUS`,"
        " or `-t TASK`), or probe other sentences"
    )


def _quote_sentences(
    dataset: Dataset, rows: NDArray[np.int64], bad: NDArray[np.bool_]
) -> Iterator[str]:
    """The first sentences of some examples that were seen, cut short."""
    numbers = dataset.sites[rows, :, 0]
    for number in dict.fromkeys(numbers[bad[numbers]].tolist()):
        text = dataset.sentences[number].text
        yield repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
