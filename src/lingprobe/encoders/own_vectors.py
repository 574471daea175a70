"""Vectors that somebody has made already, read from a file and matched by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.files import digest_files
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.digests import RunningDigest
from lingprobe.data.examples import EncoderStop
from lingprobe.data.options import Help
from lingprobe.data.vectors import Floats, Ints, Vectors, as_single
from lingprobe.encoders.own_vector_files import (
    VECTOR_FILE_FORMATS,
    VectorFileContent,
    check_sentences,
    read_npy,
)

Missing = Literal["error", "skip"]


class MatchedVectors:
    """Vectors that are there already, matched by a sentence's text, else by its words joined with
    spaces.
    """

    missing: Missing
    takes = "sentences"

    @property
    def where(self) -> str:
        """Where the vectors lie, for messages."""
        raise NotImplementedError

    @property
    def stored_vectors(self) -> VectorFileContent:
        """The vectors and their sentences."""
        raise NotImplementedError

    @property
    def slots(self) -> tuple[str, ...]:
        """The layers that are read."""
        return tuple(self.stored_vectors.layers)

    def find(self, sentences: Sequence[Sentence]) -> Ints:
        """Where sentences stand [n], -1 for those that are missing and left out (`missing=skip`);
        an error names others. EncoderStop.
        """
        rows = [self._row(sentence) for sentence in sentences]
        lacking = [s for s, row in zip(sentences, rows, strict=True) if row < 0]
        if lacking and self.missing == "error":
            raise EncoderStop(lacking_of(self.where, lacking, len(sentences), "vector"))
        return np.array(rows, np.int64)

    def check_there(self, sentences: Sequence[Sentence]) -> None:
        """Sentences that a file has no vectors for are an error before the run."""
        self.find(sentences)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        places = self.find(sentences)
        layers = [self.stored_vectors.layers[name] for name in self.slots]
        return Vectors(tuple(_take_layer_rows(layer, places) for layer in layers), self.slots)

    @cached_property
    def _squeezed_rows(self) -> dict[str, int]:
        """Where sentences stand whose white space is made single spaces; -1 for several that differ
        in nothing else.
        """
        rows: dict[str, int] = {}
        for sentence, row in self.stored_vectors.rows.items():
            key = " ".join(sentence.split())
            rows[key] = -1 if key in rows else row
        return rows

    def _row(self, sentence: Sentence) -> int:
        """Where the sentence stands in the file: by its text, that on one line, its words, or but
        for white space; -1 where it does not.
        """
        for key in (sentence.text, " ".join(sentence.text.split()), " ".join(sentence.words)):
            if (row := self.stored_vectors.rows.get(key, -1)) >= 0:
                return row
        return self._squeezed_rows.get(" ".join(sentence.text.split()), -1)


@dataclass(frozen=True)
class FileVectors(MatchedVectors):
    """Vectors of a file."""

    kind: str
    path: Path
    missing: Missing = field(default="error", kw_only=True)
    chosen: tuple[str, ...] = field(default=(), kw_only=True)
    sentences: Path | None = field(default=None, kw_only=True)  # beside a file that has none

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.path}"

    @property
    def where(self) -> str:
        return str(self.path)

    @property
    def fingerprint(self) -> str:
        """A digest of the file, and of that of its sentences."""
        if self.sentences is None:
            return digest_files([self.path])
        check_sentences(self.path, self.sentences)
        return digest_files([self.path, self.sentences])

    def __reduce__(self) -> tuple[Any, ...]:
        # what was read stays in the process that read it
        return _make_given, (self.kind, self.path, self.missing, self.chosen, self.sentences)

    @property
    def base(self) -> str:
        return self.kind

    @property
    def slots(self) -> tuple[str, ...]:
        """One a layer of the file; only its table of contents is read."""
        return self.chosen or tuple(self._layers)

    def asking(self, slots: tuple[str, ...]) -> FileVectors:
        return replace(self, chosen=slots)

    @cached_property
    def _layers(self) -> dict[str, str]:
        path = _there(self.path)
        return {"-": "-"} if self.sentences else VECTOR_FILE_FORMATS[self.kind].layers(path)

    @cached_property
    def stored_vectors(self) -> VectorFileContent:
        """The file, read once."""
        path = _there(self.path)
        if self.sentences:
            return read_npy(path, self.sentences.expanduser())
        return VECTOR_FILE_FORMATS[self.kind].read(path, self._layers)


@dataclass(frozen=True, eq=False)
class SessionVectors(MatchedVectors):
    """Vectors of a session, of sentences that are given with them."""

    stored: VectorFileContent
    name: str
    missing: Missing = "error"

    @property
    def where(self) -> str:
        return self.name

    @property
    def stored_vectors(self) -> VectorFileContent:
        """What was given."""
        return self.stored

    @cached_property
    def fingerprint(self) -> str:
        """A digest of sentences and vectors."""
        state = RunningDigest()
        state.add("\x1e".join(self.stored.rows))
        for name, layer in self.stored.layers.items():
            state.add(f"{name} {layer.dtype} {layer.shape}", layer)
        return state.hex()


def lacking_of(source: str, lacking: Sequence[Sentence], of: int, content: str) -> str:
    """That some of so many sentences have none of something, and what to do."""
    shown = ", ".join(repr(s.text[:60]) for s in lacking[:3])
    return (
        f"{source} has no {content} for {len(lacking)} of {of} sentences:"
        f" {shown}{', ...' if len(lacking) > 3 else ''} (add them: `lingprobe embed --list`"
        " writes the sentences of a task; or write missing=skip to leave them out)"
    )


def npz(path: Path, *, missing: Missing = "error") -> FileVectors:
    """Vectors that you have: a NumPy file with `sentences` [n] and `vectors` [n, dim] (or layer_0,
    layer_1, ...).
    """
    return FileVectors("npz", path, missing=missing)


def parquet(path: Path, *, missing: Missing = "error") -> FileVectors:
    """Vectors that you have: a Parquet table with the columns `sentence` and `vector` (or layer_0,
    layer_1, ...).
    """
    return FileVectors("parquet", path, missing=missing)


def arrow(path: Path, *, missing: Missing = "error") -> FileVectors:
    """Vectors that you have: an Arrow file (Feather too, and the files of `datasets`) with the
    columns `sentence` and `vector` (or layer_0, layer_1, ...).
    """
    return FileVectors("arrow", path, missing=missing)


def npy(
    path: Path,
    *,
    sentences: Annotated[
        Path | None,
        Help("the text file, one a line; FILE.txt without, for FILE.npy"),
    ] = None,
    missing: Missing = "error",
) -> FileVectors:
    """Vectors that you have: a NumPy array [n, dim], as np.save(FILE, model.encode(sentences))
    writes it, and a text file with the sentences.
    """
    return FileVectors(
        "npy", path, missing=missing, sentences=sentences or path.with_suffix(".txt")
    )


def _make_given(
    kind: str, path: Path, missing: Missing, chosen: tuple[str, ...], sentences: Path | None
) -> FileVectors:
    return FileVectors(kind, path, missing=missing, chosen=chosen, sentences=sentences)


def _there(path: Path) -> Path:
    if not path.expanduser().is_file():
        raise DataProblem(f"no file {str(path)!r} of vectors")
    return path.expanduser()


def _take_layer_rows(layer: Floats, rows: NDArray[Any]) -> Floats:
    """Rows of a layer, NaN where a row is -1: the sentence is then excluded and counted, as one
    that failed.
    """
    there = as_single(layer[rows[rows >= 0]])
    vectors = np.full((len(rows), layer.shape[1]), np.nan, there.dtype)
    vectors[rows >= 0] = there
    return vectors
