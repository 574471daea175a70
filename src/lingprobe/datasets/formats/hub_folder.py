"""Data sets as folders of the Hugging Face hub: a Parquet file a split, which `datasets` loads, and
which is read here without loss.

The columns are those of `parquet` but for the split, which the file's name says; labels are numbers
of classes, whose names are in the schema's metadata, where `datasets` looks for them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from lingprobe.corpora.files import CorpusPart
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.data.core import Dataset, Example
from lingprobe.data.labels import Column, Loss, build_column
from lingprobe.data.notes import DatasetNotes, SourceNote
from lingprobe.datasets.formats import parquet
from lingprobe.datasets.formats.folders import split_in_name
from lingprobe.datasets.formats.header import note_table_files
from lingprobe.datasets.formats.kinds import Asked, check_writable
from lingprobe.datasets.formats.row_sources import class_names, open_columns

HUB_SPLIT_NAMES = {"train": "train", "dev": "validation", "test": "test"}
"""What each split is called on the hub."""
_HUB = b"huggingface"
_LABELS = ("label", "labels")
_COLUMN = re.compile(r"(text|words|start|stop)\d*|asked|labels?|weights|strata\..+")


def write_hub_folder(dataset: Dataset, folder: Path) -> dict[str, int]:
    """Write a file for each split that has examples; file -> examples."""
    import pyarrow as pa

    check_writable(dataset.labels, folder.name)
    table = pa.table({**_numbered_labels(dataset.labels), **parquet.site_columns(dataset)})
    features = {f.name: _feature(f.name, f.type, dataset.labels) for f in table.schema}
    metadata = {
        parquet.FILE_METADATA_KEY: parquet.header_text(dataset),
        _HUB: json.dumps({"info": {"features": features}}, ensure_ascii=False),
    }
    written = {}
    for split, name in HUB_SPLIT_NAMES.items():
        if len(rows := dataset.rows(split)):
            place = folder / f"{name}.parquet"
            parquet.write_table(table.take(pa.array(rows)), metadata, place)
            written[place.name] = len(rows)
    return written


def _numbered_labels(labels: Column) -> dict[str, Any]:
    """The labels as numbers into their names; scores as they are."""
    import pyarrow as pa

    if labels.numbers is not None:
        return {"label": pa.array(labels.numbers, pa.float64())}
    if labels.classes is not None:
        return {"label": pa.array(labels.classes, pa.int64())}
    sets = labels.sets()
    offsets = pa.array(sets.offsets.astype(np.int32))
    columns = {"labels": pa.ListArray.from_arrays(offsets, pa.array(sets.ids, pa.int64()))}
    if sets.partial or (sets.weights != 1).any():
        weights = pa.array(sets.weights, pa.float32())
        columns["weights"] = pa.ListArray.from_arrays(offsets, weights)
    return columns


def _feature(name: str, kind: Any, labels: Column) -> Any:
    """A column as `datasets` describes it in every version: a list of one thing is a list."""
    import pyarrow.types as kinds

    if kinds.is_list(kind):
        return [_feature(name, kind.value_type, labels)]
    if name in _LABELS and kinds.is_integer(kind):
        return {"names": list(labels.names), "_type": "ClassLabel"}
    names = {"double": "float64", "float": "float32"}
    return {"dtype": names.get(str(kind), str(kind)), "_type": "Value"}


def without_folders(dataset: Dataset) -> Dataset:
    """The data set with names of files in place of paths in its notes, which mean nothing on other
    machines.
    """
    return replace(dataset, notes=strip_folders(dataset.notes))


def strip_folders(notes: DatasetNotes) -> DatasetNotes:
    """No path of your machine: notes with names of files in place of paths."""
    sources = notes.part(SourceNote)
    files = {str(file): PurePath(file).name for file in sources.files} if sources else {}
    return DatasetNotes({key: _shorten(value, files) for key, value in notes.items()})


def _shorten(value: Any, files: Mapping[str, str]) -> Any:
    """The value with names in place of the paths in it."""
    if isinstance(value, str):
        for path, name in files.items():
            value = value.replace(path, name)
        return value
    if isinstance(value, Mapping):
        return {key: _shorten(inner, files) for key, inner in value.items()}
    return [_shorten(inner, files) for inner in value] if isinstance(value, list | tuple) else value


def is_own_folder(files: Sequence[CorpusPart]) -> bool:
    """Whether files, in Parquet or as `datasets` keeps them, have the columns that
    `write_hub_folder` writes, and no others.
    """
    return all(_get_part_split(part) and _has_own_columns(part.path) for part in files)


def _get_part_split(part: CorpusPart) -> str:
    return part.split or split_in_name(part.path.stem)


def _has_own_columns(path: Path) -> bool:
    import pyarrow.types as kinds

    if path.suffix not in (".parquet", ".arrow"):
        return False
    schema = _schema(path)
    if not {"text", "words"} <= set(schema.names) or not all(map(_COLUMN.fullmatch, schema.names)):
        return False
    numbered = {f.name for f in schema if f.name == "label" and kinds.is_integer(f.type)}
    return kinds.is_list(schema.field("words").type) and numbered <= class_names(schema).keys()


def _schema(path: Path) -> Any:
    with path.open("rb") as file, parquet.report_parquet_damage(path):
        return open_columns(file, path.suffix, None)[0]


def find_folder_loss(files: Sequence[CorpusPart]) -> Loss:
    """The kind of the labels, by the schema."""
    import pyarrow.types as kinds

    schema = _schema(files[0].path)
    if "label" not in schema.names:
        return build_column([frozenset()]).loss
    return build_column([0.0 if kinds.is_floating(schema.field("label").type) else ""]).loss


def has_text_pairs(files: Sequence[CorpusPart]) -> bool:
    """Whether the labels are about two whole texts."""
    names = _schema(files[0].path).names
    return "text2" in names and "start" not in names


def read_hub_folder(
    files: Sequence[CorpusPart], labels: Asked | None, on_error: OnError
) -> Dataset:
    """The examples of the files; rows are numbered from 1 in what is said about them."""
    import pyarrow as pa

    tally, examples, header = ProblemTally(), list[Example](), dict[str, Any]()
    for part in files:
        with part.path.open("rb") as file, parquet.report_parquet_damage(part.path):
            schema, pieces = open_columns(file, part.path.suffix, None)
            table = pa.Table.from_batches(pieces, schema)
        parquet.check_types(pa.schema([f for f in schema if f.name not in _LABELS]), part.path)
        header = header or parquet.header_of(schema)
        columns = {name: table.column(name).to_pylist() for name in table.column_names}
        examples += _examples(part, columns, class_names(schema), on_error, tally)
    place = files[0].path.parent
    dataset = parquet.put_together(examples, header, place, labels, tally)
    if header or tally.skipped:
        return dataset
    return dataset.with_notes(**note_table_files([part.path for part in files], tally))


def _examples(
    part: CorpusPart,
    columns: dict[str, list[Any]],
    names: Mapping[str, Sequence[str]],
    on_error: OnError,
    tally: ProblemTally,
) -> Iterator[Example]:
    """The examples of a file, whose labels are named."""
    for name in _LABELS:
        if name in columns and name in names:
            columns[name] = [_name_label(cell, names[name]) for cell in columns[name]]
    rows = len(columns["text"])
    columns["split"] = [_get_part_split(part)] * rows
    return parquet.read_row_examples(columns, rows, part.path, on_error, tally)


def _name_label(cell: Any, names: Sequence[str]) -> Any:
    """The class of a number, or those of a list of numbers; None, which is refused with its row,
    where there is none.
    """
    if isinstance(cell, list):
        return [_name_label(each, names) for each in cell]
    return names[cell] if isinstance(cell, int) and 0 <= cell < len(names) else None
