"""The rows of tables that anybody wrote: CSV, TSV, JSON, Parquet and Arrow, as cells by the
headings of their columns.

Nothing is decided here but how a file is cut into cells. A row that cannot be cut says why, so that
a reader can leave it out and go on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from lingprobe.corpora.files import uncompressed_path
from lingprobe.corpora.strict import parse_json
from lingprobe.corpora.unpacking import check_unpacked, count_bytes, open_arrow, open_parquet
from lingprobe.datasets.formats.delimited_text import open_delimited
from lingprobe.datasets.formats.json_rows import open_json, says_one_thing
from lingprobe.datasets.formats.parallel_files import labels_beside, open_parallel
from lingprobe.datasets.formats.parquet import report_parquet_damage
from lingprobe.datasets.formats.rows import RowCells, TableSource, number_rows
from lingprobe.datasets.formats.text_folders import open_texts
from lingprobe.datasets.formats.usual_columns import Columns


def open_source(path: Path, columns: Columns, encoding: str = "") -> TableSource:
    """The table in a file, by the ending of its name; headings are looked for as the columns that
    are named need it. A folder is one of texts.
    """
    if path.is_dir():
        return open_texts(path, encoding)
    suffix = uncompressed_path(path).suffix.lower()
    if suffix in (".parquet", ".arrow", ".feather"):
        return _columnar(path, suffix)
    if suffix in (".json", ".jsonl", ".ndjson"):
        return open_json(path, suffix, columns, encoding)
    if labels := labels_beside(path):
        return open_parallel(path, labels, encoding)
    return open_delimited(path, columns, encoding)


def _columnar(path: Path, suffix: str) -> TableSource:
    """A table of Parquet, or of Arrow as a file or a stream."""
    import pyarrow as pa

    with path.open("rb") as file, report_parquet_damage(path):
        schema = open_columns(file, suffix, None)[0]
    names = list(flatten_structs(schema.empty_table()).schema.names)

    def rows(wanted: Collection[str]) -> Iterator[RowCells]:
        some = [name for name in names if name in wanted]
        whole = [n for n in schema.names if any(f"{name}.".startswith(f"{n}.") for name in some)]
        with path.open("rb") as file, report_parquet_damage(path):
            batches = open_columns(file, suffix, whole)[1]
            tables = (flatten_structs(pa.Table.from_batches([batch])) for batch in batches)
            columns = ([table.column(name) for name in some] for table in tables)
            yield from number_rows(_as_lists(path, columns), some)

    return TableSource(names, rows, ": row ", classes=class_names(schema))


def flatten_structs(table: Any) -> Any:
    """A table of pyarrow in which what lies in structs is a column of its own, as `data.text`; but
    for structs of numbers, which weigh labels, and of places in a text.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import types

    columns: list[Any] = []
    names: list[str] = []
    for field, cells in zip(table.schema, table.columns, strict=True):
        inner = list(field.type) if types.is_struct(field.type) else []
        kinds = {f.name: f.type for f in inner}
        are_numbers = all(types.is_floating(k) or types.is_integer(k) for k in kinds.values())
        are_lists = all(map(types.is_list, kinds.values()))  # a conversation, or options
        options = kinds.get("choices")
        has_options = _is_list_of_objects(options) if options is not None else False
        if not inner or are_lists or says_one_thing(kinds, are_numbers, has_options):
            columns.append(cells)
            names.append(field.name)
            continue
        columns += [pc.struct_field(cells, each.name) for each in inner]
        names += [f"{field.name}.{each.name}" for each in inner]
    flat = pa.table(columns, names=names).replace_schema_metadata(table.schema.metadata)
    return flat if flat.schema.names == table.schema.names else flatten_structs(flat)


def _is_list_of_objects(kind: Any) -> bool:
    """Whether a type of Arrow is that of lists of structs."""
    from pyarrow import types

    return bool(types.is_list(kind) and types.is_struct(kind.value_type))


def _as_lists(path: Path, batches: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Columns of tables of pyarrow as lists, unless strings that stand in them once make too many.
    DataProblem.
    """
    unpacked, packed = 0, path.stat().st_size
    for columns in batches:
        unpacked += sum(count_bytes(piece) for column in columns for piece in column.chunks)
        check_unpacked(path, packed, unpacked)
        yield [column.to_pylist() for column in columns]


def open_columns(
    file: BinaryIO, suffix: str, names: Sequence[str] | None
) -> tuple[Any, Iterator[Any]]:
    """The schema of an open file, and what it has in pieces."""
    import pyarrow as pa

    if suffix == ".parquet":
        table = open_parquet(file, () if names is None else names)
        return table.schema_arrow, table.iter_batches(columns=names)
    table = open_arrow(file)
    if isinstance(table, pa.RecordBatchStreamReader):
        return table.schema, iter(table)
    return table.schema, map(table.get_batch, range(table.num_record_batches))


def class_names(schema: Any) -> dict[str, list[str]]:
    """The names of classes that `datasets` numbers, which it keeps in the metadata, by column."""
    try:
        hub = parse_json((schema.metadata or {}).get(b"huggingface", b"{}").decode())
        features = hub["info"]["features"].items()
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
    found = {name: _feature_names(feature) for name, feature in features}
    return {name: names for name, names in found.items() if names}


def _feature_names(feature: Any) -> list[str]:
    """The names of classes of a feature, or of a list of it; [] where it has none."""
    if isinstance(feature, list) and len(feature) == 1:
        feature = feature[0]
    if not isinstance(feature, dict):
        return []
    inner = feature.get("feature")
    names = inner.get("names") if isinstance(inner, dict) else feature.get("names")
    return names if isinstance(names, list) and all(isinstance(n, str) for n in names) else []
