"""Tables as JSON: an object a line, objects over several lines one after the other, a list of
objects, or as libraries arrange tables (columns, rows of lists, splits, a list under a key).

What lies in an object of a row is a column of its own, `data.text`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from lingprobe.corpora.encodings import decoding_problem, text_lines
from lingprobe.corpora.strict import MalformedJson, parse_json
from lingprobe.data.core import DataProblem
from lingprobe.datasets.formats.column_shapes import MIN_HEADING_ROWS, ColumnShape, guess_columns
from lingprobe.datasets.formats.conversations import is_talk_of_lists
from lingprobe.datasets.formats.folders import split_in_name
from lingprobe.datasets.formats.rows import HEAD_ROWS, RowCells, TableSource
from lingprobe.datasets.formats.usual_columns import LABEL_COLUMNS, Columns, normalise_heading

_OBJECT = '{"text": ..., "label": ...}'
_PLACES = frozenset(("start", "end", "stop", "start_offset", "end_offset", "choices"))
"""Keys of an object that says one thing: a span, or what was chosen."""
_DEEPEST = 4  # objects in objects that are columns


def open_json(path: Path, suffix: str, columns: Columns, encoding: str = "") -> TableSource:
    """A list of objects, an object a line, or a table as a library arranges it."""
    first, *second = list(islice(filter(str.strip, text_lines(path, encoding)), 2)) or [""]
    begin = first.strip()
    is_lines = begin[:1] == "[" and begin[-1:] == "]" and second and second[0].strip()[:1] == "["
    is_whole = (begin[:1] == "[" and not is_lines) or begin == "{"
    if not is_whole and not (suffix == ".json" and not second):
        return _open_rows(_read_lines(text_lines(path, encoding)), ":", path, columns)
    value = _read_whole(path, encoding)
    rows, remark = _arrange(value, path)
    return _open_rows(enumerate(rows, 1), ": item ", path, columns, remark)


def flatten_cells(row: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """The cells of a row; what lies in an object is a cell of its own. Objects of numbers, which
    weigh labels, and of places in a text stay.
    """
    cells: dict[str, Any] = {}
    for name, cell in row.items():
        if isinstance(cell, dict) and depth < _DEEPEST and _is_nested(str(name), cell):
            inner = flatten_cells(cell, depth + 1)
            cells |= {f"{name}.{key}": value for key, value in inner.items()}
        else:
            cells[str(name)] = cell
    return cells


def _is_nested(name: str, cell: Mapping[str, Any]) -> bool:
    """Whether the cell of that column is an object of further cells."""
    if not cell or is_talk_of_lists(cell):
        return False
    if normalise_heading(name) in LABEL_COLUMNS[1] and not isinstance(cell.get("name"), str):
        return False
    options = cell.get("choices")
    has_options = isinstance(options, list) and any(isinstance(each, dict) for each in options)
    are_numbers = all(isinstance(value, int | float) for value in cell.values())
    return not says_one_thing(cell, are_numbers, has_options)


def says_one_thing(keys: Collection[str], are_numbers: bool, has_options: bool) -> bool:
    """Whether an object in a cell stays whole: weights of labels, a place in a text, or what was
    chosen.

    are_numbers  whether all its values are
    has_options  whether its `choices` are objects, those of a question
    """
    return are_numbers or (not _PLACES.isdisjoint(keys) and not has_options)


_Numbered = Iterable[tuple[int, Any] | tuple[int, Any, str]]


def _open_rows(
    values: _Numbered, unit: str, path: Path, columns: Columns, remark: str = ""
) -> TableSource:
    """The table of some values, each a row."""
    numbered = iter(values)
    start = list(islice(numbered, HEAD_ROWS))
    names, told, guess = _name_lists([value[1] for value in start], columns)
    rows = (_make_row_cells(names, *value) for value in chain(start, numbered))
    head = list(islice(rows, HEAD_ROWS))
    keys = list(dict.fromkeys(name for row in head for name in row.cells))
    if head and not keys:
        raise DataProblem(f"{path}{unit}{head[0].number}: {head[0].problem or 'an empty object'}")

    def every(wanted: Collection[str]) -> Iterator[RowCells]:
        return chain(head, rows)

    return TableSource(keys, every, unit, columns=guess, remark=remark or told)


def _name_lists(values: Sequence[Any], columns: Columns) -> tuple[list[str], str, Columns]:
    """The headings of rows that are lists, numbers from 1, and what its columns hold; [] for
    other rows.
    """
    lists = [value for value in values if isinstance(value, list)]
    if not lists or len(lists) < len(values) or any(_is_annotated(row) for row in lists):
        return [], "", Columns()
    names = [str(place) for place in range(1, len(lists[0]) + 1)]
    return names, "it has no headings", guess_columns(lists, names, columns)


def _is_annotated(row: Any) -> bool:
    """Whether a row is a text and what was annotated in it, as spaCy has examples."""
    is_pair = isinstance(row, list) and len(row) == 2
    return is_pair and isinstance(row[0], str) and isinstance(row[1], dict)


def _make_row_cells(names: Sequence[str], number: int, value: Any, problem: str = "") -> RowCells:
    if problem:
        return RowCells(number, {}, problem)
    if isinstance(value, dict):
        return RowCells(number, flatten_cells(value))
    if _is_annotated(value):
        return RowCells(number, flatten_cells({"text": value[0], **value[1]}))
    if names and isinstance(value, list):
        cells = dict(zip(names, value, strict=False))
        wrong = f"{len(value)} cells, not {len(names)}" if len(value) != len(names) else ""
        return RowCells(number, {} if wrong else cells, wrong)
    return RowCells(number, {}, f"a row is an object, as {_OBJECT}, not {type(value).__name__}")


def _read_lines(lines: Iterable[str]) -> Iterator[tuple[int, Any, str]]:
    """JSON values, one a line; blank lines are passed over."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            problem = decoding_problem(line)
            try:
                value = {} if problem else parse_json(line, nan=True)
            except MalformedJson as malformed:
                value, problem = {}, str(malformed)
            yield number, value, problem


def _read_whole(path: Path, encoding: str) -> Any:
    """The one value of a file, which is read at once; a list of several objects, each over lines of
    its own.
    """
    lines = list(text_lines(path, encoding))
    for number, line in enumerate(lines, 1):
        if problem := decoding_problem(line):
            raise DataProblem(f"{path}:{number}: {problem}")
    objects, values = _cut_objects(lines), []
    for first, part in objects:
        try:
            values.append(parse_json("\n".join(part) or "[]", nan=True))
        except MalformedJson as malformed:
            number = first + (malformed.line or 1)
            raise DataProblem(f"{path}:{number}: {malformed}") from None
    return values if len(objects) > 1 else values[0]


def _cut_objects(lines: Sequence[str]) -> list[tuple[int, Sequence[str]]]:
    """The lines of each object, and how many come before; all lines where there is one value."""
    ends = [number for number, line in enumerate(lines, 1) if line.rstrip() == "}"]
    starts = [0, *ends]
    parts = [(a, lines[a:b]) for a, b in zip(starts, [*ends, len(lines)], strict=True)]
    filled = [(a, part) for a, part in parts if any(map(str.strip, part))]
    are_objects = all("".join(part).lstrip().startswith("{") for _, part in filled)
    return filled if len(filled) > 1 and are_objects else [(0, lines)]


def _arrange(value: Any, path: Path) -> tuple[list[Any], str]:
    """The rows of a table as a library arranges it, and what was decided."""
    if isinstance(value, list):
        return value, ""
    rows = None
    if isinstance(value, dict) and value:
        rows = _rows_of_splits(value) or _rows_below_headings(value) or _rows_of_columns(value)
        if rows is None and _is_indexed(value):
            rows = list(value.values())
        if rows is not None:
            return rows, ""
        lists = _choose_tables(dict(_find_tables(value)))
        if len(lists) == 1:
            ((key, rows),) = lists.items()
            rows = [row["row"] if _is_viewed(row) else row for row in rows]
            return rows, f"what stands under its key {key!r} was read"
        if pairs := _rows_of_pairs(value):
            return pairs, "its keys are the texts, and their values the labels"
        if lists:
            raise DataProblem(
                f"{path}: several lists of objects, under {', '.join(map(repr, [*lists][:5]))}:"
                " write each to a file of its own"
            )
        if all(isinstance(part, dict) for part in value.values()):
            return list(value.values()), ""
        if _is_one_row(value):
            return [value], ""
    raise DataProblem(
        f"{path}: one value, and no table as libraries write them: write a list of objects,"
        f" [{_OBJECT}, ...], as pandas does with to_json(orient='records')"
    )


def _is_indexed(value: Mapping[str, Any]) -> bool:
    """Whether an object has a row under the name of each, all with the same headings."""
    rows = [row for row in value.values() if isinstance(row, dict)]
    return (
        len(value) >= MIN_HEADING_ROWS
        and len(rows) == len(value)
        and len(set(map(frozenset, rows))) == 1
    )


def _is_one_row(value: Mapping[str, Any]) -> bool:
    """Whether an object is the only row of a file."""
    return any(isinstance(cell, str) for cell in value.values())


def _is_viewed(row: Any) -> bool:
    """Whether a row is as the hub's viewer sends it."""
    return isinstance(row, dict) and isinstance(row.get("row"), dict) and "row_idx" in row


def _is_table(part: Any) -> bool:
    """Whether a list holds rows."""
    return (
        isinstance(part, list)
        and bool(part)
        and all(isinstance(row, dict) or _is_annotated(row) for row in part)
    )


def _choose_tables(lists: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """Those that are rows as the hub's viewer sends them, if any; not what a schema lists, as of
    pandas' orient='table'.
    """
    viewed = {key: part for key, part in lists.items() if _is_viewed(part[0])}
    return viewed or {k: part for k, part in lists.items() if not k.startswith("schema.")}


def _find_tables(value: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, list[Any]]]:
    """The lists of objects in an object, and in objects in it, by their keys."""
    for key, part in value.items():
        if _is_table(part):
            yield key, part
        elif isinstance(part, dict) and depth < _DEEPEST:
            yield from ((f"{key}.{name}", found) for name, found in _find_tables(part, depth + 1))


def _rows_of_pairs(value: Mapping[str, Any]) -> list[Any]:
    """The rows of an object that has texts for keys and labels for values; [] for any other."""
    are_labels = all(isinstance(label, str | int | float) for label in value.values())
    if not are_labels or not ColumnShape(list(value)).is_text or len(value) < MIN_HEADING_ROWS:
        return []
    return [{"text": text, "label": label} for text, label in value.items()]


def _rows_of_splits(value: Mapping[str, Any]) -> list[Any] | None:
    """The rows of an object that has a list for each split, each with its split; None for any
    other.
    """
    parts: dict[str, list[Any]] = {}
    for key, part in value.items():
        found = _rows_of_columns(part) if isinstance(part, dict) else part
        if isinstance(found, list):
            parts[key] = found
    if len(parts) < len(value) or not all(map(split_in_name, parts)):
        return None
    rows: list[Any] = []
    for key, part in parts.items():
        for row in part:
            if isinstance(row, dict):
                rows.append({**row, "split": split_in_name(key)})
            elif isinstance(row, list) and len(row) == 2:
                rows.append({"text": row[0], "label": row[1], "split": split_in_name(key)})
            else:
                return None
    return rows


def _rows_below_headings(value: Mapping[str, Any]) -> list[Any] | None:
    """The rows of {"columns": [...], "data": [[...], ...]}; None for any other object."""
    names, rows = value.get("columns"), value.get("data")
    if not isinstance(names, list) or not isinstance(rows, list):
        return None
    if not all(isinstance(row, list) and len(row) == len(names) for row in rows):
        return None
    return [dict(zip(map(str, names), row, strict=True)) for row in rows]


def _rows_of_columns(value: Mapping[str, Any]) -> list[Any] | None:
    """The rows of an object that has its columns as lists, or as objects by the numbers of rows;
    None for any other.
    """
    columns = []
    for column in value.values():
        if isinstance(column, dict) and all(str(key).isdecimal() for key in column):
            columns.append(list(column.values()))
        elif isinstance(column, list) and not _is_table(column):
            columns.append(column)
        else:
            return None
    if len(columns) < 2 or len({len(column) for column in columns}) != 1 or not columns[0]:
        return None
    return [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]
