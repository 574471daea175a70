"""Vectors that somebody has made already, read from a file and matched by sentence."""

from __future__ import annotations

import math
import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sonde._hosted import one_line
from sonde.core import DataProblem, EncoderStop, Sentence
from sonde.corpora.files import digest
from sonde.vectors import Floats, Vectors

Missing = Literal["error", "skip"]


@dataclass(frozen=True)
class Stored:
    """What a file holds: the row of each sentence, and one array [rows, dim] a layer."""

    rows: dict[str, int]
    layers: dict[str, Floats]


@dataclass(frozen=True)
class Given:
    """Vectors of a file, matched by a sentence's text, else by its words joined with spaces."""

    kind: str
    path: Path
    missing: Missing = field(default="error", kw_only=True)
    chosen: tuple[str, ...] = field(default=(), kw_only=True)

    takes = "sentences"

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.path}"

    @property
    def fingerprint(self) -> str:
        """A digest of the file."""
        return digest([self.path])

    def __reduce__(self) -> tuple[Any, ...]:
        # what was read stays in the process that read it
        return _given, (self.kind, self.path, self.missing, self.chosen)

    @property
    def base(self) -> str:
        return self.kind

    @property
    def slots(self) -> tuple[str, ...]:
        """One a layer of the file; only its table of contents is read."""
        return self.chosen or tuple(self._layers)

    def asking(self, slots: tuple[str, ...]) -> Given:
        return replace(self, chosen=slots)

    @cached_property
    def _layers(self) -> dict[str, str]:
        path = _there(self.path)
        return (
            _layer_names(path, _npz_keys(path), "vectors")
            if self.kind == "npz"
            else _layer_names(path, _columns(path), "vector")
        )

    @cached_property
    def stored(self) -> Stored:
        """The file, read once."""
        path = _there(self.path)
        return (
            _read_npz(path, self._layers)
            if self.kind == "npz"
            else _read_parquet(path, self._layers)
        )

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        rows = [self._row(sentence) for sentence in sentences]
        lacking = [s for s, row in zip(sentences, rows, strict=True) if row < 0]
        if lacking and self.missing == "error":
            shown = ", ".join(repr(s.text[:60]) for s in lacking[:3])
            raise EncoderStop(
                f"{self.path} has no vector for {len(lacking)} of {len(sentences)} sentences:"
                f" {shown}{', ...' if len(lacking) > 3 else ''} (add them: `sonde embed --list`"
                " writes the sentences of a task; or write missing=skip to leave them out)"
            )
        places = np.array(rows, np.int64)
        layers = [self.stored.layers[name] for name in self.slots]
        return Vectors(tuple(_rows(layer, places) for layer in layers), self.slots)

    def _row(self, sentence: Sentence) -> int:
        """Where the sentence stands in the file: by its text, that on one line, or its words; -1
        where it does not.
        """
        for key in (sentence.text, " ".join(sentence.text.split()), " ".join(sentence.words)):
            if (row := self.stored.rows.get(key, -1)) >= 0:
                return row
        return -1


def npz(path: Path, *, missing: Missing = "error") -> Given:
    """Vectors that you have: a NumPy file with `sentences` [n] and `vectors` [n, dim] (or layer_0,
    layer_1, ...).
    """
    return Given("npz", path, missing=missing)


def parquet(path: Path, *, missing: Missing = "error") -> Given:
    """Vectors that you have: a Parquet table with the columns `sentence` and `vector` (or layer_0,
    layer_1, ...).
    """
    return Given("parquet", path, missing=missing)


def _given(kind: str, path: Path, missing: Missing, chosen: tuple[str, ...]) -> Given:
    return Given(kind, path, missing=missing, chosen=chosen)


def _there(path: Path) -> Path:
    if not path.expanduser().is_file():
        raise DataProblem(f"no file {str(path)!r} of vectors")
    return path.expanduser()


def _rows(layer: Floats, rows: NDArray[Any]) -> Floats:
    """Rows of a layer, NaN where a row is -1: the sentence is then left out and counted, as one
    that failed.
    """
    vectors = np.full((len(rows), layer.shape[1]), np.nan, np.float32)
    vectors[rows >= 0] = layer[rows[rows >= 0]]
    return vectors


def _npz_keys(path: Path) -> list[str]:
    with _numpy(path), np.load(path, allow_pickle=False) as file:
        return list(file)


def _read_npz(path: Path, layers: dict[str, str]) -> Stored:
    with _numpy(path):
        _check_sizes(path)
        with np.load(path, allow_pickle=False) as file:
            if "sentences" not in file:
                raise DataProblem(f"{path}: no array 'sentences' (it has: {', '.join(file)})")
            sentences = file["sentences"]
            arrays = {name: file[key] for name, key in layers.items()}
    if sentences.ndim != 1 or sentences.dtype.kind != "U":
        raise DataProblem(
            f"{path}: 'sentences' is {sentences.dtype} {list(sentences.shape)}, expected one string"
            " a sentence"
        )
    return _checked(path, sentences.tolist(), arrays)


@contextmanager
def _numpy(path: Path) -> Iterator[None]:
    """What numpy raises over damaged bytes, which may be anything, is a DataProblem."""
    try:
        yield
    except DataProblem:
        raise
    except Exception as error:
        if "bject arrays" in str(error):
            raise DataProblem(
                f"{path} holds Python objects, and reading those could run code; save"
                " sentences=np.array(list_of_str), vectors as numbers"
            ) from error
        raise DataProblem(
            f"{path}: not a NumPy .npz file that can be read: {one_line(error)}"
        ) from error


def _check_sizes(path: Path) -> None:
    """Refuse arrays that say they are larger than what there is of them, before memory is taken for
    them.
    """
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            with archive.open(member) as file:
                version = np.lib.format.read_magic(file)
                read = (
                    np.lib.format.read_array_header_1_0
                    if version == (1, 0)
                    else np.lib.format.read_array_header_2_0
                )
                shape, _, dtype = read(file)
                if math.prod(shape) * dtype.itemsize > member.file_size:
                    raise DataProblem(
                        f"{path}: {member.filename} says it is {dtype} {list(shape)}, and is"
                        " shorter; save it again"
                    )


@contextmanager
def _arrow(path: Path) -> Iterator[None]:
    """What pyarrow raises over damaged bytes, which may be anything, is a DataProblem."""
    try:
        yield
    except Exception as error:
        raise DataProblem(
            f"{path}: not a Parquet file that can be read: {one_line(error)}"
        ) from error


def _columns(path: Path) -> list[str]:
    import pyarrow.parquet as pq

    with _arrow(path), path.open("rb") as file:  # pyarrow itself opens no path that is not UTF-8
        return list(pq.read_schema(file).names)


def _read_parquet(path: Path, layers: dict[str, str]) -> Stored:
    import pyarrow.parquet as pq

    if "sentence" not in (columns := _columns(path)):
        raise DataProblem(f"{path}: no column 'sentence' (it has: {', '.join(columns)})")
    with _arrow(path), path.open("rb") as file:
        table = pq.read_table(
            file, columns=["sentence", *layers.values()], page_checksum_verification=True
        )
        sentences = table.column("sentence").to_pylist()
    if not all(isinstance(s, str) for s in sentences):
        raise DataProblem(f"{path}: column 'sentence' holds something else than strings")
    return _checked(
        path,
        sentences,
        {name: _matrix(path, key, table.column(key)) for name, key in layers.items()},
    )


def _matrix(path: Path, key: str, column: Any) -> NDArray[Any]:
    """A column of equally long lists as an array [rows, dim]."""
    import pyarrow as pa

    lists = any(
        is_a(column.type)
        for is_a in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    )
    whole = column.combine_chunks()
    widths: set[Any] = set(whole.value_lengths().to_pylist()) if lists else {None}
    if None in widths or len(widths) > 1 or whole.flatten().null_count:
        raise DataProblem(
            f"{path}: column {key!r} is {column.type}, expected one list of numbers a row, all"
            " equally long"
        )
    return np.asarray(whole.flatten().to_numpy(zero_copy_only=False)).reshape(
        len(whole), *(widths or {0})
    )


def _layer_names(path: Path, keys: Sequence[str], single: str) -> dict[str, str]:
    """Layer name -> key: '-' for the one array, or the numbers of layer_0, layer_1, ..."""
    if single in keys:
        return {"-": single}
    numbers = sorted(
        int(k.removeprefix("layer_")) for k in keys if re.fullmatch(r"layer_(0|[1-9][0-9]{0,3})", k)
    )
    if not numbers:
        raise DataProblem(
            f"{path}: neither {single!r} nor layer_0, layer_1, ... (it has: {', '.join(keys)})"
        )
    return {str(n): f"layer_{n}" for n in numbers}


def _checked(path: Path, sentences: list[str], arrays: dict[str, NDArray[Any]]) -> Stored:
    for name, array in arrays.items():
        if (
            array.ndim != 2
            or len(array) != len(sentences)
            or array.dtype.kind not in "fiu"
            or not array.shape[1]
        ):
            raise DataProblem(
                f"{path}: the vectors{'' if name == '-' else ' of layer ' + name} are {array.dtype}"
                f" {list(array.shape)}, expected numbers [{len(sentences)}, dim]"
            )
    rows: dict[str, int] = {}
    for i, sentence in enumerate(sentences):
        first = rows.setdefault(sentence, i)
        if first != i and any(
            not np.array_equal(a[first], a[i], equal_nan=True) for a in arrays.values()
        ):
            raise DataProblem(
                f"{path}: rows {first} and {i} give two different vectors for {sentence[:60]!r};"
                " keep one"
            )
    return Stored(rows, arrays)
