"""Erasers as files: safetensors of three arrays, with what they were fitted on as metadata."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.training_sentences import Hashes, hash_sentences
from lingprobe.data.cache import open_draft
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.digests import digest_texts
from lingprobe.inside.erase.erasers import AffineEraser

_FORMAT = "lingprobe eraser 1"
ERASER_SUFFIX = ".safetensors"
_SEEN = "seen"


def seen_in(sentences: Sequence[Sentence]) -> Hashes:
    """The hashes of sentences, each once, sorted."""
    hashes = np.unique(hash_sentences(sentences))
    return np.asarray(hashes[hashes != 0], np.uint64)


@dataclass(frozen=True)
class FittedEraser:
    """An eraser with what it was fitted on.

    method    leace, inlp or mean
    task      whose labels it erases
    encoder   whose vectors, of which layer
    n         examples that it was fitted on
    made_of   identities of task and encoder, and what stands for the sentences
    seen      hashes of the sentences, sorted; none in files of earlier versions
    """

    eraser: AffineEraser
    method: str
    task: str
    encoder: str
    layer: str
    n: int
    made_of: Mapping[str, str] = field(default_factory=dict)
    seen: Hashes = field(default_factory=lambda: np.zeros(0, np.uint64))

    @property
    def identity(self) -> str:
        """Stands for its numbers, and for what they were made of."""
        arrays = self.eraser.mean, self.eraser.left, self.eraser.right
        numbers = "".join(np.ascontiguousarray(each, "<f8").tobytes().hex() for each in arrays)
        numbers += np.ascontiguousarray(self.seen, "<u8").tobytes().hex()
        return digest_texts(self._facts, numbers)

    @property
    def _facts(self) -> str:
        facts: dict[str, Any] = {
            "method": self.method,
            "task": self.task,
            "encoder": self.encoder,
            "layer": self.layer,
            "n": self.n,
            "made_of": dict(self.made_of),
        }
        return json.dumps(facts, sort_keys=True)

    def save(self, path: Path) -> None:
        """Write it as safetensors. FileProblem for a full disk and the like."""
        from safetensors.numpy import save

        eraser = self.eraser
        arrays: dict[str, NDArray[Any]] = {_SEEN: self.seen}
        arrays |= {"mean": eraser.mean, "left": eraser.left, "right": eraser.right}
        told = {"format": _FORMAT, "facts": self._facts, "identity": self.identity}
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_draft(path) as part:
            part.write_bytes(save({k: np.ascontiguousarray(v) for k, v in arrays.items()}, told))


def read_eraser(path: Path) -> FittedEraser:
    """An eraser that `save` wrote. DataProblem for anything else, and where it was changed."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "np") as file:
            told = file.metadata() or {}
            if told.get("format") != _FORMAT:
                raise DataProblem(
                    f"{path} is not an eraser: `lingprobe erase --erasers FOLDER` makes some"
                )
            eraser = AffineEraser(*(file.get_tensor(name) for name in ("mean", "left", "right")))
            known = {_SEEN: file.get_tensor(_SEEN)} if _SEEN in file.keys() else {}  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise DataProblem(f"{path} cannot be read as an eraser: {error}") from error
    made = FittedEraser(eraser, **json.loads(told["facts"]), **known)
    if made.identity != told["identity"]:
        raise DataProblem(f"{path} was changed: its numbers are not those that were written")
    return made
