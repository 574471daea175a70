"""Sent2Vec (Pagliardini et al. 2018) as it was published: a binary file of the fastText fork."""

from __future__ import annotations

import functools
import itertools
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe import DataProblem, Help, Sentence, Vectors
from lingprobe.extend import Floats, Ints, compute_offsets, gather_word_vectors
from lingprobe_extensions.archive.files import digest_of
from lingprobe_extensions.archive.sources import SENT2VEC_SOURCE

_FASTTEXT = struct.pack("<i", 793712314)  # the first four bytes of a fastText model
_WIDEST = 1 << 20  # numbers of a vector; a file that says more is none
_HEAD = struct.Struct("<4s i 5i i 2i 4i d")
_DICTIONARY = struct.Struct("<3i 2q")
_ENTRY = struct.Struct("<q b")  # behind a word and its zero byte: its count, and 0 for a word
_TABLE = struct.Struct("<? 2q")
_VERSIONS, _MODEL, _HASH = (11, 12), 4, 116049371


@dataclass(frozen=True)
class Sent2Vec:
    """Sent2Vec (Pagliardini et al. 2018) by its binary file: the mean of the vectors of words and
    n-grams of words.
    """

    file: Path
    lowercase: Annotated[
        bool,
        Help("whether words are made lower case first, as in the texts of the published models"),
    ] = field(default=True, kw_only=True)
    pool: Annotated[
        Literal["mean", "none"],
        Help("mean as published, or none for the vector of each word"),
    ] = field(default="mean", kw_only=True)
    takes = "sentences"

    @property
    def name(self) -> str:
        return f"sent2vec:{self.file}"

    @property
    def fingerprint(self) -> str:
        """The digest of the file."""
        return digest_of(self.file, "a Sent2Vec model", SENT2VEC_SOURCE)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        model = _model(self.file, self.fingerprint)
        ids = self._ids(model, list(itertools.chain.from_iterable(s.words for s in sentences)))
        counts = np.array([len(s.words) for s in sentences], np.int64)
        if self.pool == "none":
            return gather_word_vectors(model.vectors, ids, counts)
        return Vectors(
            (model.means(ids[ids >= 0], compute_offsets(ids >= 0)[compute_offsets(counts)]),)
        )

    def unknown(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Which words the model lacks."""
        return self._ids(_model(self.file, self.fingerprint), words) < 0

    def _ids(self, model: WordBucketVectors, words: Sequence[str]) -> Ints:
        """The number of each word, -1 for one that the model lacks."""
        find = model.numbers.get
        numbers = {w: find(w.lower() if self.lowercase else w, -1) for w in set(words)}
        return np.fromiter(map(numbers.__getitem__, words), np.int64, len(words))


class ModelHeader(NamedTuple):
    """What the head of a file says: numbers of a vector, the longest n-gram, and how many buckets
    there are for n-grams.
    """

    dim: int
    longest: int
    buckets: int


@dataclass(frozen=True)
class WordBucketVectors:
    """Vectors of words, then those of buckets of n-grams [words + buckets, dim], mapped into
    memory.
    """

    numbers: Mapping[str, int]
    vectors: Floats
    settings: ModelHeader
    words: int

    def means(self, ids: Ints, starts: Ints) -> Floats:
        """The mean over words and n-grams of each sentence, by its known words; zeros for one
        without.
        """
        import torch
        from torch.nn.functional import embedding_bag

        rows = np.stack(
            [ids, *ngram_rows(ids, starts, self.words, self.settings)],
            1,
        )
        units = compute_offsets((rows >= 0).sum(1))[starts]
        there = torch.from_numpy(rows[rows >= 0])
        with torch.inference_mode():  # reads each row where it lies, and gathers none
            table, firsts = torch.from_numpy(self.vectors), torch.from_numpy(units[:-1])
            pooled: Floats = embedding_bag(there, table, firsts, mode="mean").numpy()
        return pooled


def ngram_rows(ids: Ints, starts: Ints, words: int, settings: ModelHeader) -> list[Ints]:
    """For two words up to the longest n-gram, the row of the n-gram that begins at each word; -1
    where the sentence ends before it does.

    The number of an n-gram is h = h * 116049371 + id over the words from its second, in 64 bits,
    begun with the first one's id, and taken modulo the buckets (`addNgrams` of the fork).
    """
    stops = np.repeat(starts[1:], np.diff(starts))
    hashes, rows = ids.astype(np.uint64), []
    places = np.arange(len(ids))
    for size in range(1, settings.longest if settings.buckets else 1):
        after = np.zeros(len(ids), np.uint64)
        after[: max(len(ids) - size, 0)] = ids[size:].astype(np.uint64)
        hashes = hashes * np.uint64(_HASH) + after  # wraps round, as theirs
        numbers = (hashes % np.uint64(settings.buckets)).astype(np.int64)
        rows.append(np.where(places + size < stops, words + numbers, -1))
    return rows


@functools.lru_cache(maxsize=2)
def _model(path: Path, mark: str) -> WordBucketVectors:
    """The model of a file, of which `mark` is the digest."""
    file = path.expanduser()
    size = file.stat().st_size
    with file.open("rb") as stream:
        settings = _read_header(path, stream)
        numbers, words = _read_dictionary(path, stream, size)
        shape = _shape(path, stream, words, settings)
        place = stream.tell()
    if place + shape[0] * shape[1] * 4 > size:
        raise _make_truncation_problem(path)
    # copied where it is written, which nobody does: torch wants no table that is read-only
    vectors = np.memmap(file, "<f4", "c", place, shape)
    return WordBucketVectors(numbers, vectors, settings, words)


def _shape(path: Path, stream: IO[bytes], words: int, settings: ModelHeader) -> tuple[int, int]:
    """Rows and numbers of the table that comes next; DataProblem where they are not the model's."""
    head = stream.read(_TABLE.size)
    if len(head) < _TABLE.size:
        raise _make_truncation_problem(path)
    quantised, rows, dim = _TABLE.unpack(head)
    if quantised:
        raise DataProblem(f"{path} is quantised, which is not read; download the .bin of the model")
    # the authors' program has written a row more, which no text reaches, since March 2019
    if dim != settings.dim or rows - words - settings.buckets not in (0, 1):
        raise DataProblem(
            f"{path}: a table of {rows:,} vectors of {dim:,} dimensions is not one of {words:,}"
            f" words and {settings.buckets:,} buckets of {settings.dim:,}; download it again"
        )
    return rows, dim


def _make_truncation_problem(path: Path) -> DataProblem:
    return DataProblem(f"{path}: a Sent2Vec model that is cut short; is the download complete?")


def _read_header(path: Path, stream: IO[bytes]) -> ModelHeader:
    head = stream.read(_HEAD.size)
    if head[:4] != _FASTTEXT:
        raise DataProblem(f"{path} is not a Sent2Vec model: it does not begin as fastText files do")
    if len(head) < _HEAD.size:
        raise _make_truncation_problem(path)
    _, version, dim, _, _, _, _, longest, _, model, buckets, *_ = _HEAD.unpack(head)
    if version not in _VERSIONS or model != _MODEL:
        raise DataProblem(
            f"{path} is a fastText model, not one of Sent2Vec; for its word vectors write"
            f" static:{path}"
        )
    if not (0 < dim <= _WIDEST and 0 < longest <= 1000 and buckets >= 0):
        raise DataProblem(
            f"{path}: vectors of {dim:,} dimensions and n-grams of {longest:,} words in {buckets:,}"
            " buckets are none of a Sent2Vec model; download it again"
        )
    return ModelHeader(dim, longest, buckets)


def _read_dictionary(path: Path, stream: IO[bytes], size: int) -> tuple[dict[str, int], int]:
    """The number of each word of the dictionary, and how many words there are."""
    head = stream.read(_DICTIONARY.size)
    if len(head) < _DICTIONARY.size:
        raise _make_truncation_problem(path)
    entries, words, _, _, pruned = _DICTIONARY.unpack(head)
    if pruned > 0:
        raise DataProblem(f"{path} is pruned, which is not read; download the .bin of the model")
    if not 0 < words <= entries <= size:
        raise DataProblem(
            f"{path}: a dictionary of {words:,} words in {size:,} bytes; download it again"
        )
    numbers: dict[str, int] = {}
    held, at = b"", 0
    for number in range(entries):
        while (end := held.find(b"\0", at)) < 0 or len(held) < end + 1 + _ENTRY.size:
            more = stream.read(1 << 22)
            if not more:
                raise _make_truncation_problem(path)
            held, at = held[at:] + more, 0
        if held[end + _ENTRY.size] == 0:
            numbers.setdefault(held[at:end].decode("utf-8", "surrogateescape"), number)
        at = end + 1 + _ENTRY.size
    stream.seek(at - len(held), 1)
    return numbers, words
