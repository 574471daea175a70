"""The files that vectors come in which somebody has made: NumPy, Parquet and Arrow, each with its
sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.array_files import ArrayFile
from lingprobe.corpora.damage import report_damage
from lingprobe.corpora.files import read_text_lines
from lingprobe.corpora.unpacking import open_arrow, open_parquet
from lingprobe.data.core import DataProblem
from lingprobe.data.vectors import Floats

_SENTENCES = ("sentence", "sentences", "text", "texts")
_VECTORS = ("vector", "vectors", "embedding", "embeddings", "emb")
"""What columns and arrays are usually called; that of the documentation comes first."""
_TABLE = "a Parquet or Arrow file"
_PARQUET = b"PAR1"  # what such a file begins with


@dataclass(frozen=True)
class VectorFileContent:
    """What a file holds: the row of each sentence, and one array [rows, dim] a layer."""

    rows: dict[str, int]
    layers: dict[str, Floats]


class VectorFileFormat(NamedTuple):
    """How a kind of file is read.

    keys    the names of what it holds, without reading it
    single  what vectors of one layer are called
    read    what it holds of some layers (name -> key)
    """

    keys: Callable[[Path], Sequence[str]]
    single: str
    read: Callable[[Path, dict[str, str]], VectorFileContent]

    def layers(self, path: Path) -> dict[str, str]:
        """Layer name -> key, as a file has them."""
        keys = self.keys(path)
        return _layer_names(path, keys, _find_usual(path, keys, self.single, _VECTORS))


def read_npy(path: Path, sentences: Path) -> VectorFileContent:
    """A NumPy array of vectors [n, dim], and its sentences in a text file, one a line."""
    check_sentences(path, sentences)
    texts = [text for _, text in read_text_lines(sentences)]
    file = ArrayFile(path)
    if not file.is_single:
        raise DataProblem(f"{path} has several arrays: read it as npz:{path}")
    array = file[""]
    if len(np.shape(array)) == 2 and len(array) != len(texts):
        raise DataProblem(
            f"{path} has {len(array):,} rows, and {sentences} {len(texts):,} lines: they must be"
            " as many, in the same order"
        )
    return check_stored(path, texts, {"-": array})


def check_sentences(path: Path, sentences: Path) -> None:
    """DataProblem where there is no file with the sentences of vectors."""
    if not sentences.expanduser().is_file():
        raise DataProblem(
            f"{path}: its sentences are not there, no file {str(sentences)!r}: write one a line, or"
            " say where they are with sentences=FILE"
        )


def _npz_keys(path: Path) -> list[str]:
    file = ArrayFile(path)
    if file.is_single:
        raise DataProblem(
            f"{path} is one array: read it as npy:{path}, with its sentences in a text file"
        )
    return list(file)


def _read_npz(path: Path, layers: dict[str, str]) -> VectorFileContent:
    file = ArrayFile(path)
    name = _find_usual(path, list(file), "sentences", _SENTENCES)
    if name not in file:
        raise DataProblem(f"{path}: no array 'sentences' (it has: {', '.join(file)})")
    sentences = file[name]
    arrays = {name: file[key] for name, key in layers.items()}
    if sentences.ndim != 1 or sentences.dtype.kind != "U":
        raise DataProblem(
            f"{path}: {name!r} is {sentences.dtype} {list(sentences.shape)}, expected one string"
            " a sentence"
        )
    return check_stored(path, sentences.tolist(), arrays)


def _open_table(file: BinaryIO) -> tuple[list[str], Callable[[list[str]], Any]]:
    """The names of the columns of a Parquet or Arrow file, which its first bytes tell apart, and
    what reads some of them. From an open file, as pyarrow opens no path that is not UTF-8.
    """
    mark = file.read(len(_PARQUET))
    file.seek(0)
    if mark == _PARQUET:
        columns = open_parquet(file, ())
        return columns.schema_arrow.names, lambda names: open_parquet(file, names).read(names)
    stream = open_arrow(file)
    return stream.schema.names, lambda names: stream.read_all().select(names)


def _table_keys(path: Path) -> list[str]:
    with report_damage(path, _TABLE), path.open("rb") as file:
        return _open_table(file)[0]


def _read_table(path: Path, layers: dict[str, str]) -> VectorFileContent:
    """The columns of a table that are asked for, beside its sentences."""
    with report_damage(path, _TABLE), path.open("rb") as file:
        columns, read = _open_table(file)
        name = _find_usual(path, columns, "sentence", _SENTENCES)
        if name not in columns:
            raise DataProblem(f"{path}: no column 'sentence' (it has: {', '.join(columns)})")
        table = read([name, *layers.values()])
        sentences = table.column(name).to_pylist()
        arrays = {name: _matrix(path, key, table.column(key)) for name, key in layers.items()}
    if not all(isinstance(s, str) for s in sentences):
        raise DataProblem(f"{path}: column {name!r} holds something else than strings")
    return check_stored(path, sentences, arrays)


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


def _find_usual(path: Path, names: Sequence[str], first: str, usual: Sequence[str]) -> str:
    """The name that is there of those that are usual, `first` before others, and where none is;
    DataProblem where several others are.
    """
    found = [name for name in usual if name in names]
    if first in found or not found:
        return first
    if len(found) > 1:
        raise DataProblem(
            f"{path}: {' and '.join(map(repr, found))} may both be meant: call one {first!r}"
        )
    return found[0]


def _layer_names(path: Path, keys: Sequence[str], single: str) -> dict[str, str]:
    """Layer name -> key: '-' for the one array, or the numbers of layer_0, layer_1, ..."""
    numbers = sorted(
        int(k.removeprefix("layer_")) for k in keys if re.fullmatch(r"layer_(0|[1-9][0-9]{0,3})", k)
    )
    if single in keys and numbers:
        raise DataProblem(
            f"{path} has both {single!r} and layer_{numbers[0]}: rename {single!r} to a number, as"
            " layer_99, or leave it out"
        )
    if single in keys:
        return {"-": single}
    if not numbers:
        raise DataProblem(
            f"{path}: neither {single!r} nor layer_0, layer_1, ... (it has: {', '.join(keys)})"
        )
    return {str(n): f"layer_{n}" for n in numbers}


def check_stored(
    path: Path | str, sentences: list[str], arrays: dict[str, NDArray[Any]]
) -> VectorFileContent:
    """Vectors of sentences; two different vectors for one sentence are an error, and so is another
    number of vectors. DataProblem.
    """
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
    return VectorFileContent(rows, arrays)


VECTOR_FILE_FORMATS = {
    "npz": VectorFileFormat(_npz_keys, "vectors", _read_npz),
    **dict.fromkeys(("parquet", "arrow"), VectorFileFormat(_table_keys, "vector", _read_table)),
}
"""Kinds of files that hold their own sentences."""
