"""Data sets as Parquet: one row an example, readable by pandas, Polars or `datasets`; the schema's
metadata hold the rest.

Columns: split; label (or labels and weights); text, words, start, stop of the first site, text2 ...
of the second; asked; `strata.NAME` for each tag. Tables from elsewhere need split, label and text;
words are then cut at spaces.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np

from lingprobe.corpora.damage import report_damage
from lingprobe.corpora.strict import parse_json
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.corpora.unpacking import open_parquet
from lingprobe.data.core import DATA_SPLITS, DataProblem, Dataset, Example, Sentence, Site
from lingprobe.data.labels import Column, Label, Loss, build_column
from lingprobe.datasets.formats.header import (
    apply_header,
    check_examples,
    check_header,
    make_header,
    note_table_files,
    read_split,
)
from lingprobe.datasets.formats.kinds import Asked

FILE_METADATA_KEY = b"sonde"
_OWN = (frozenset({"text", "words"}), frozenset({"labels", "weights"}))
"""Columns that no table but ours has beside each other and `split`."""


def write_parquet(dataset: Dataset, path: Path) -> dict[str, int]:
    """Write every example; returns how many."""
    import pyarrow as pa

    columns: dict[str, Any] = {
        "split": pa.array(DATA_SPLITS).take(pa.array(dataset.splits)),
        **_label_columns(dataset.labels),
        **site_columns(dataset),
    }
    write_table(pa.table(columns), {FILE_METADATA_KEY: header_text(dataset)}, path)
    return {"examples": len(dataset)}


def write_table(table: Any, metadata: Mapping[bytes, str], path: Path) -> None:
    """Write a table of pyarrow with the metadata of its schema."""
    import pyarrow.parquet as pq

    table = table.replace_schema_metadata({key: text.encode() for key, text in metadata.items()})
    with path.open("wb") as file:  # pyarrow itself opens no path that is not UTF-8
        pq.write_table(table, file, compression="zstd", write_page_checksum=True)


def header_text(dataset: Dataset) -> str:
    """What the rows alone would not bring back, as JSON."""
    return json.dumps(make_header(dataset), ensure_ascii=False, allow_nan=False)


def site_columns(dataset: Dataset) -> dict[str, Any]:
    """The columns of each example but those of its label and split: text, words and span of each
    site, asked words, strata.
    """
    return {**_site_columns(dataset), **_build_tag_columns(dataset)}


def _build_tag_columns(dataset: Dataset) -> dict[str, Any]:
    """Asked words, where there are some, and strata."""
    import pyarrow as pa

    columns = {}
    if dataset.asked.shape[1]:
        asked = [[dataset.vocabulary[w] for w in row] for row in dataset.asked]
        columns["asked"] = pa.array(asked, pa.list_(pa.string()))
    for key, tags in dataset.strata.items():
        codes = pa.array(tags.codes, mask=tags.codes < 0)
        columns[f"strata.{key}"] = pa.array(tags.names, pa.string()).take(codes)
    return columns


def _site_columns(dataset: Dataset) -> dict[str, Any]:
    """Text and words of each site, and the span where some example has one."""
    import pyarrow as pa

    columns = {}
    texts = pa.array([s.text for s in dataset.sentences], pa.string())
    words = pa.array([list(s.words) for s in dataset.sentences], pa.list_(pa.string()))
    for k in range(dataset.sites.shape[1]):
        number, start, stop = dataset.sites[:, k].T
        suffix = str(k + 1) if k else ""
        columns["text" + suffix] = texts.take(pa.array(number))
        columns["words" + suffix] = words.take(pa.array(number))
        if (start >= 0).any():
            columns["start" + suffix] = pa.array(start, pa.int64(), mask=start < 0)
            columns["stop" + suffix] = pa.array(stop, pa.int64(), mask=start < 0)
    return columns


def read_parquet_dataset(
    path: Path, labels: Asked | None = None, on_error: OnError = "raise"
) -> Dataset:
    """The examples of a file; rows are numbered from 1 in what is said about them."""
    with path.open("rb") as file, report_parquet_damage(path):
        table = open_parquet(file).read()
        header = header_of(table.schema)
    _check_names(set(table.column_names), path)
    check_types(table.schema, path)
    with report_parquet_damage(path):
        columns = {name: table.column(name).to_pylist() for name in table.column_names}
    tally = ProblemTally()
    examples = list(read_row_examples(columns, table.num_rows, path, on_error, tally))
    return put_together(examples, header, path, labels, tally)


def header_of(schema: Any) -> dict[str, Any]:
    """The header that a schema has; {} without one."""
    header: dict[str, Any] = parse_json(
        (schema.metadata or {}).get(FILE_METADATA_KEY, b"{}").decode()
    )
    return header


def put_together(
    examples: list[Example],
    header: dict[str, Any],
    path: Path,
    labels: Asked | None,
    tally: ProblemTally,
) -> Dataset:
    """The data set of some examples and what its header says."""
    check_examples(examples, path, tally)
    try:
        dataset = apply_header(
            Dataset.of(examples),
            check_header(header, "its metadata") if header else {},
            "its rows",
            labels,
        )
    except DataProblem as error:
        raise DataProblem(f"{path}: {error}") from None
    return dataset.with_notes(**note_table_files([path], tally)) if tally.skipped else dataset


def read_row_examples(
    columns: Mapping[str, list[Any]], rows: int, path: Path, on_error: OnError, tally: ProblemTally
) -> Iterator[Example]:
    """The examples of some rows, of which a bad one is refused or counted."""
    known: dict[tuple[str | None, tuple[str, ...]], Sentence] = {}
    for i in range(rows):
        try:
            example = _example(columns, i, f"{path}: row {i + 1}", known)
        except DataProblem as problem:
            if on_error == "raise":
                raise
            tally.skip(str(problem))
        else:
            yield example


def _check_names(names: set[str], path: Path) -> None:
    labelled = {"label"} if "label" in names else {"labels"}
    missing = sorted(({"split"} | labelled) - names)
    missing += [] if {"text", "words"} & names else ["text"]
    if missing:
        raise DataProblem(
            f"{path}: no column {' nor '.join(missing)}; a table of examples has split, label and"
            " text (or words)"
        )


def report_parquet_damage(path: Path) -> AbstractContextManager[None]:
    """What pyarrow raises over damaged bytes, which may be anything, is a DataProblem."""
    kind = path.suffix.lstrip(".").capitalize()
    return report_damage(path, f"{'an' if kind == 'Arrow' else 'a'} {kind} file")


def check_types(schema: Any, path: Path) -> None:
    """Refuse columns of another type than what they stand for: pyarrow would take a string for a
    list of letters.
    """
    import pyarrow.types as kinds

    for field in schema:
        name = field.name if field.name in ("label", "labels") else field.name.rstrip("0123456789")
        what, right = _EXPECTED.get(name, ("", lambda _: True))
        if not (right(field.type) or kinds.is_null(field.type)):
            raise DataProblem(
                f"{path}: column {field.name!r} holds {field.type}, expected {what}; build it again"
            )


def _is_whole(kind: Any) -> bool:
    import pyarrow.types as kinds

    return bool(kinds.is_integer(kind))


def _is_text_type(kind: Any) -> bool:
    import pyarrow.types as kinds

    if kinds.is_dictionary(kind):
        return _is_text_type(kind.value_type)
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind))


def _is_number(kind: Any) -> bool:
    import pyarrow.types as kinds

    return _is_whole(kind) or bool(kinds.is_floating(kind))


def _are(right: Callable[[Any], bool], kind: Any) -> bool:
    """Whether a type is that of lists of something."""
    import pyarrow.types as kinds

    listed = kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind)
    return bool(listed) and right(kind.value_type)


_EXPECTED: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "split": ("strings", _is_text_type),
    "text": ("strings", _is_text_type),
    "label": ("strings or numbers", lambda kind: _is_text_type(kind) or _is_number(kind)),
    "labels": ("lists of strings", lambda kind: _are(_is_text_type, kind)),
    "weights": ("lists of numbers", lambda kind: _are(_is_number, kind)),
    "words": ("lists of strings", lambda kind: _are(_is_text_type, kind)),
    "asked": ("lists of strings", lambda kind: _are(_is_text_type, kind)),
    "start": ("whole numbers", _is_whole),
    "stop": ("whole numbers", _is_whole),
}
"""What each column holds, in words and as a test of its type."""


def is_own_parquet(path: Path) -> bool:
    """Whether a file was written here, or by hand with columns that only we read."""
    import pyarrow.parquet as pq

    with path.open("rb") as file, report_parquet_damage(path):
        schema = pq.read_schema(file)
    names = set(schema.names)
    ours = any(own <= names for own in _OWN) or any(name.startswith("strata.") for name in names)
    return FILE_METADATA_KEY in (schema.metadata or {}) or ("split" in names and ours)


def find_parquet_loss(path: Path) -> Loss:
    """The kind of the labels, by the schema; by all of them where they are numbers and it does not
    say of what.
    """
    import pyarrow.parquet as pq

    with path.open("rb") as file, report_parquet_damage(path):
        schema = pq.read_schema(file)
    if "label" not in schema.names:
        return build_column([frozenset()]).loss
    if not _is_number(schema.field("label").type):
        return build_column([""]).loss
    is_ours = FILE_METADATA_KEY in (schema.metadata or {})
    return build_column([0.0]).loss if is_ours else read_parquet_dataset(path).labels.loss


def _label_columns(labels: Column) -> dict[str, Any]:
    import pyarrow as pa

    if labels.numbers is not None:
        return {"label": pa.array(labels.numbers, pa.float64())}
    names = pa.array(labels.names, pa.string())
    if labels.classes is not None:
        return {"label": names.take(pa.array(labels.classes))}
    sets = labels.sets()
    offsets = pa.array(sets.offsets.astype(np.int32))
    return {
        "labels": pa.ListArray.from_arrays(offsets, names.take(pa.array(sets.ids))),
        "weights": pa.ListArray.from_arrays(offsets, pa.array(sets.weights, pa.float32())),
    }


def _example(
    columns: Mapping[str, list[Any]], i: int, where: str, known: dict[Any, Sentence]
) -> Example:
    split = read_split(columns["split"][i], where)
    suffixes = [
        "",
        *(
            str(k)
            for k in range(2, 1 + len(columns))
            if f"text{k}" in columns or f"words{k}" in columns
        ),
    ]
    sites = tuple(_site(columns, suffix, i, where, known) for suffix in suffixes)
    strata = {
        key.removeprefix("strata."): str(v[i])
        for key, v in columns.items()
        if key.startswith("strata.") and v[i] is not None
    }
    asked = _strings(columns["asked"][i] or (), "asked", where) if "asked" in columns else ()
    return Example(sites, _read_column_label(columns, i, where), split, asked, strata)


def _site(
    columns: Mapping[str, list[Any]], suffix: str, i: int, where: str, known: dict[Any, Sentence]
) -> Site:
    text = columns["text" + suffix][i] if "text" + suffix in columns else None
    words = columns["words" + suffix][i] if "words" + suffix in columns else None
    if not isinstance(text, str) and words is None:
        raise DataProblem(f"{where}: no text{suffix} and no words{suffix}")
    tokens = tuple(str(text).split()) if words is None else _strings(words, "words" + suffix, where)
    sentence = known.setdefault((text, tokens), Sentence.of(tokens, text))
    start = columns["start" + suffix][i] if "start" + suffix in columns else None
    if start is None:
        return Site(sentence)
    stop = columns["stop" + suffix][i] if "stop" + suffix in columns else None
    if stop is None or not 0 <= start < stop <= len(tokens):
        raise DataProblem(
            f"{where}: start{suffix} {start} and stop{suffix} {stop} are not a span of words 0 to"
            f" {len(tokens)}"
        )
    return Site(sentence, (int(start), int(stop)))


def _read_column_label(columns: Mapping[str, list[Any]], i: int, where: str) -> Label:
    if "label" in columns:
        label = columns["label"][i]
        if isinstance(label, bool) or not isinstance(label, str | int | float) or label != label:  # noqa: PLR0124
            raise DataProblem(f"{where}: label {label!r} is neither a string nor a number")
        return label if isinstance(label, str) else float(label)
    names, weighted = columns["labels"][i], "weights" in columns
    if names is None:
        raise DataProblem(f"{where}: no labels; write an empty list where there are none")
    known = _strings(names, "labels", where)
    if len(set(known)) < len(known):
        raise DataProblem(f"{where}: a label occurs twice in {list(known)}")
    if not weighted:
        return frozenset(known)
    weights = columns["weights"][i]
    if (
        not isinstance(weights, list)
        or len(weights) != len(known)
        or not all(map(_is_finite, weights))
    ):
        raise DataProblem(
            f"{where}: {len(known)} labels with weights {weights}; each needs a number"
        )
    return dict(zip(known, weights, strict=True))


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _strings(values: Sequence[Any], what: str, where: str) -> tuple[str, ...]:
    if not all(isinstance(value, str) for value in values):
        raise DataProblem(f"{where}: {what} is null where a string is expected")
    return tuple(values)
