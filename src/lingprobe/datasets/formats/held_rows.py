"""Tables in memory: what hands over its columns as Arrow does, and lists of texts and labels."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from lingprobe.data.core import DataProblem
from lingprobe.datasets.formats.json_rows import flatten_cells
from lingprobe.datasets.formats.row_sources import class_names, flatten_structs
from lingprobe.datasets.formats.rows import RowCells, TableSource, number_rows

_INDEX = "__index_level_"  # how pandas calls an index that is not a column
_BATCH = 10_000  # rows that are Python objects at a time


@runtime_checkable
class ArrowExportable(Protocol):
    """What hands over its columns through the C interface of Arrow: frames of pandas and polars,
    tables of pyarrow.
    """

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


@runtime_checkable
class FrameLike(Protocol):
    """What has columns, as a frame and not as a series."""

    @property
    def columns(self) -> Any: ...


@runtime_checkable
class HubDataset(Protocol):
    """A data set of the library `datasets`, which hands over its rows in a format."""

    @property
    def features(self) -> Any: ...
    def with_format(self, type: str) -> Any: ...
    def __len__(self) -> int: ...


@runtime_checkable
class ListConvertible(Protocol):
    """An array, a series or a tensor, which can be a list."""

    def tolist(self) -> Any: ...


@runtime_checkable
class ArrowColumn(Protocol):
    """A column of Arrow, whose cells are no things of Python's own."""

    def to_pylist(self) -> list[Any]: ...


def is_frame(rows: Any) -> bool:
    """Whether something has rows and columns that can be read."""
    in_columns = isinstance(rows, ArrowExportable) and isinstance(rows, FrameLike)
    return (in_columns or isinstance(rows, HubDataset)) and not isinstance(rows, type)


@dataclass(frozen=True, eq=False)
class HeldRows:
    """A table in memory, or one split of it.

    split    the split; '' where its rows say it, or nothing does
    path     what errors call it, as a path
    names    the headings
    columns  a table of Arrow, or the columns themselves
    """

    split: str
    path: Path
    names: Sequence[str]
    columns: Any

    def source(self) -> TableSource:
        """The table, as a file would be read."""
        classes = {} if self._is_listed else class_names(self.columns.schema)
        return TableSource(self.names, self._rows, ": row ", classes=classes)

    def batches(self, names: Collection[str]) -> Iterator[list[list[Any]]]:
        """The columns of these names, so many rows at a time, however they are stored."""
        for start in range(0, len(self.columns[0]), _BATCH):
            if self._is_listed:
                some = (c for n, c in zip(self.names, self.columns, strict=True) if n in names)
                yield [
                    [_convert_cell(cell) for cell in column[start : start + _BATCH]]
                    for column in some
                ]
            else:
                part = self.columns.slice(start, _BATCH)
                yield [part.column(name).to_pylist() for name in self.names if name in names]

    @property
    def _is_listed(self) -> bool:
        return isinstance(self.columns, tuple)

    def _rows(self, wanted: Collection[str]) -> Iterator[RowCells]:
        return number_rows(self.batches(wanted), [name for name in self.names if name in wanted])


def hold_frame(frame: Any, name: str, split: str = "") -> HeldRows:
    """The rows of a frame; DataProblem where it has columns that Arrow cannot hold."""
    import pyarrow as pa

    try:
        if isinstance(frame, HubDataset):
            table = frame.with_format("arrow")[:]
        else:
            table = pa.RecordBatchReader.from_stream(frame).read_all()
        table = flatten_structs(table)
    except (pa.ArrowException, TypeError, ValueError) as error:
        said = " ".join(str(error).split())
        raise DataProblem(
            f"a {type(frame).__name__} that cannot be converted to an Arrow table ({said[:160]}):"
            " fix that column, or give (texts, labels)"
        ) from None
    names = [name for name in table.schema.names if not name.startswith(_INDEX)]
    return HeldRows(split, Path(name, split), names, table)


def hold_lists(lists: tuple[Any, Any], name: str, split: str = "") -> HeldRows:
    """Texts, or pairs of them, and their labels as rows. DataProblem where they do not go
    together.
    """
    texts, labels = map(_as_list, lists)
    if len(texts) != len(labels):
        raise DataProblem(
            f"{len(texts):,} texts and {len(labels):,} labels: give a label for each text, as"
            " (texts, labels)"
        )
    pairs = [text for text in texts if isinstance(text, tuple)]
    if not pairs:
        return HeldRows(split, Path(name, split), ("text", "label"), (texts, labels))
    if len(pairs) < len(texts) or any(len(pair) != 2 for pair in pairs):
        raise DataProblem("some texts are pairs, and others are not: give two texts everywhere")
    one, other = zip(*pairs, strict=True)
    return HeldRows(split, Path(name, split), ("text", "text2", "label"), (one, other, labels))


def hold_objects(rows: Sequence[Mapping[str, Any]], name: str, split: str = "") -> HeldRows:
    """A list of mappings as rows."""
    flat = [flatten_cells(row) for row in rows]
    names = tuple(dict.fromkeys(key for row in flat for key in row))
    return HeldRows(split, Path(name, split), names, tuple([r.get(n) for r in flat] for n in names))


def hold_columns(columns: Mapping[str, Any], name: str, split: str = "") -> HeldRows:
    """A mapping of headings to columns as rows."""
    held = tuple(map(_as_list, columns.values()))
    return HeldRows(split, Path(name, split), tuple(map(str, columns)), held)


def _as_list(column: Any) -> Sequence[Any]:
    """A column as a list of Python's own things, where it knows them."""
    if isinstance(column, list | tuple):
        return column
    if isinstance(column, ArrowColumn):
        return column.to_pylist()
    return list(column.tolist() if isinstance(column, ListConvertible) else column)


def _convert_cell(cell: Any) -> Any:
    """A cell as a file would have it."""
    if isinstance(cell, np.generic):
        return cell.item()
    if isinstance(cell, set | frozenset):
        return sorted(cell, key=str)
    if isinstance(cell, tuple | np.ndarray):
        return list(cell)
    return cell
