"""The rows of tables that anybody wrote: CSV, TSV, JSON, Parquet and Arrow, as cells by the
headings of their columns.

Nothing is decided here but how a file is cut into cells. A row that cannot be cut says why, so that
a reader can leave it out and go on.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from lingprobe.corpora.damage import open_arrow
from lingprobe.corpora.encodings import decoding_problem, text_lines
from lingprobe.corpora.files import uncompressed_path
from lingprobe.corpora.strict import Malformed, parse_json
from lingprobe.corpora.unpacking import check_unpacked, count_bytes, open_parquet
from lingprobe.data.core import DataProblem
from lingprobe.datasets.formats.parquet import readable
from lingprobe.datasets.formats.usual_columns import Columns, is_usual

HEAD = 1000  # rows by which headings and the kind of a file are decided
FEW = 10  # rows below which nobody can tell a heading from a label
DELIMITERS = ",;\t|"
SHORTEN = ", or, where its text is that long, write JSON lines or Parquet"
OBJECT = '{"text": ..., "label": ...}'
AGAIN = "the headings stand here again, as where two files were put together; remove that line"


class Row(NamedTuple):
    """The cells of a row by heading, from a line or row of that number, or what is wrong with
    it.
    """

    number: int
    cells: Mapping[str, Any]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A table that is read row by row.

    names    the headings, in order
    rows     the rows, of which these columns are wanted
    unit     what stands between the file and the number of a row
    untyped  whether every cell is text, also that of a number
    classes  the names of the classes that numbers of a column stand for
    columns  what its columns hold where their names say nothing and their cells do
    remark   what was decided about the file
    """

    names: Sequence[str]
    rows: Callable[[Collection[str]], Iterator[Row]]
    unit: str = ":"
    untyped: bool = False
    classes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    columns: Columns = field(default_factory=Columns)
    remark: str = ""


def open_source(path: Path, columns: Columns, encoding: str = "") -> Source:
    """The table in a file, by the ending of its name; headings are looked for as the columns that
    are named need it.
    """
    suffix = uncompressed_path(path).suffix.lower()
    if suffix in (".parquet", ".arrow", ".feather"):
        return _columnar(path, suffix)
    if suffix in (".json", ".jsonl", ".ndjson"):
        return _json(path, suffix, encoding)
    return _cells(path, columns, encoding)


def _json(path: Path, suffix: str, encoding: str) -> Source:
    """A list of objects, or an object a line."""
    first, *second = list(islice(filter(str.strip, text_lines(path, encoding)), 2)) or [""]
    begin = first.strip()
    is_whole = begin[:1] == "[" or begin == "{" or (suffix == ".json" and not second)
    rows = _list_rows(path, encoding) if is_whole else _objects(text_lines(path, encoding))
    unit = ": item " if is_whole else ":"
    head = list(islice(rows, HEAD))
    names = list(dict.fromkeys(name for row in head for name in row.cells))
    if head and not names:
        raise DataProblem(f"{path}{unit}{head[0].number}: {head[0].problem or 'an empty object'}")
    return Source(names, lambda wanted: chain(head, rows), unit)


def _list_rows(path: Path, encoding: str) -> Iterator[Row]:
    """JSON objects of one list, which is read at once."""
    lines = list(text_lines(path, encoding))
    for number, line in enumerate(lines, 1):
        if problem := decoding_problem(line):
            raise DataProblem(f"{path}:{number}: {problem}")
    try:
        values = parse_json("\n".join(lines) or "[]")
    except Malformed as malformed:
        raise DataProblem(f"{path}:{malformed.line or 1}: {malformed}") from None
    if not isinstance(values, list):
        raise DataProblem(
            f"{path}: one value, not a list of objects, [{OBJECT}, ...], as pandas writes it with"
            " to_json(orient='records'); a file with an object a line is called .jsonl"
        )
    for number, value in enumerate(values, 1):
        yield _object(number, value)


def _objects(lines: Iterable[str]) -> Iterator[Row]:
    """JSON objects, one a line; blank lines are passed over."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            problem = decoding_problem(line)
            try:
                value = {} if problem else parse_json(line)
            except Malformed as malformed:
                value, problem = {}, str(malformed)
            yield _object(number, value, problem)


def _object(number: int, value: Any, problem: str = "") -> Row:
    if problem or isinstance(value, dict):
        return Row(number, {} if problem else value, problem)
    return Row(number, {}, f"a row is an object, as {OBJECT}, not {type(value).__name__}")


def _cells(path: Path, columns: Columns, encoding: str) -> Source:
    """A table of text, with headings or without."""
    suffix, lines = uncompressed_path(path).suffix.lower(), text_lines(path, encoding)
    begin = list(islice(lines, 1))
    between = _delimiter(begin[0]) if begin and suffix == ".csv" else "\t"
    lines = chain(begin, lines)
    cut = _cut_quoted(lines, between) if suffix == ".csv" else _cut_tabs(lines)
    head = list(islice(cut, HEAD))
    good = [row for row in head if not row[2]]
    if head and not good:
        raise DataProblem(f"{path}:{head[0][0]}: {head[0][2]}")
    rows = [cells for _, cells, _ in good]
    has_headings = _has_headings(rows, columns)
    names = _headings(rows, has_headings)
    if has_headings:
        head.remove(good[0])
    guess = _by_shape(rows[has_headings:], names, columns)
    told = ("" if has_headings else "it has no headings") if rows else ""
    if guess.as_asked() and has_headings:
        told = "its headings are no usual ones"
    every = chain(head, cut)
    headings = rows[0] if has_headings else []
    return Source(
        names,
        lambda wanted: _by_name(every, names, between, headings),
        untyped=True,
        columns=guess,
        remark=told,
    )


def _headings(rows: Sequence[Sequence[str]], has_headings: bool) -> list[str]:
    """The first row; where that is an example, numbers from 1."""
    if has_headings:
        return [cell.strip() for cell in rows[0]]
    return [str(number) for number in range(1, len(rows[0]) + 1)] if rows else []


def _by_shape(rows: Sequence[Sequence[str]], names: Sequence[str], columns: Columns) -> Columns:
    """Which of two columns is the label, where no name says it: the one whose cells come again and
    again.
    """
    usual = any(map(is_usual, names))
    pairs = [row for row in rows if len(row) == len(names)]
    if len(names) != 2 or usual or columns.as_asked() or len(pairs) < FEW:
        return Columns()
    one, other = (len({row[place] for row in pairs}) for place in (0, 1))
    if one == other or 2 * min(one, other) > len(pairs):
        return Columns()
    text, label = names if other < one else reversed(names)
    return Columns(text=text, label=label)


def _delimiter(line: str) -> str:
    """What parts the cells of a line: what cuts it into most of them, a comma where nothing
    does.
    """
    return max(DELIMITERS, key=lambda mark: _width(line, mark))


def _width(line: str, mark: str) -> int:
    """How many cells a mark cuts a line into."""
    try:
        return len(next(csv.reader([line], delimiter=mark), []))
    except csv.Error:
        return 0


_Cut = tuple[int, list[str], str]


def _cut_tabs(lines: Iterable[str]) -> Iterator[_Cut]:
    """Cells with tabs between, in which quotes are data; blank lines are passed over."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, line.split("\t"), decoding_problem(line)


def _cut_quoted(lines: Iterable[str], between: str) -> Iterator[_Cut]:
    """Cells of CSV, which may be quoted and have ends of lines in them; blank lines are passed
    over.
    """
    last = ""

    def with_ends() -> Iterator[str]:
        nonlocal last
        for last in lines:
            yield last + "\n"

    reader = csv.reader(with_ends(), delimiter=between, strict=True)
    while True:
        number = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            why = "a carriage return outside quotes" if "new-line" in str(error) else str(error)
            mend = "mend the quotes of that row" + SHORTEN * ("larger" in why)
            yield number, [], decoding_problem(last) or f"{why}; {mend}"
            continue
        if cells:
            yield number, cells, decoding_problem("".join(cells))


def _by_name(
    rows: Iterable[_Cut], names: Sequence[str], between: str, headings: Sequence[str]
) -> Iterator[Row]:
    for number, cells, problem in rows:
        again = AGAIN if headings and cells == headings else ""
        wrong = problem or again or _width_problem(len(cells), len(names), between)
        yield Row(number, {} if wrong else dict(zip(names, cells, strict=True)), wrong)


def _width_problem(cells: int, wanted: int, between: str) -> str:
    if cells == wanted:
        return ""
    mark = "a tab" if between == "\t" else repr(between)
    quotes = "" if between == "\t" else "; put quotes around a text that has one in it"
    return f"{cells} cells, not {wanted}, with {mark} between{quotes}"


def _has_headings(rows: Sequence[Sequence[str]], columns: Columns) -> bool:
    """Whether a first row names columns: it has a name that is asked for, or a usual one, or what
    stands where labels come again and again comes only once.
    """
    if not rows:
        return False
    # headings may stand again where files were put together
    first, others = [cell.strip() for cell in rows[0]], [r for r in rows if r != rows[0]]
    if any(not name.isdecimal() for name in columns.as_asked().values()):
        return True
    for place, cell in enumerate(first):
        below = [row[place].strip() for row in others if place < len(row)]
        if cell in below:
            continue
        if is_usual(cell) or (len(below) >= FEW and 2 * len(set(below)) <= len(below)):
            return True
    return False


def _columnar(path: Path, suffix: str) -> Source:
    """A table of Parquet, or of Arrow as a file or a stream."""
    with path.open("rb") as file, readable(path):
        schema = open_columns(file, suffix, None)[0]
    names = list(schema.names)

    def rows(wanted: Collection[str]) -> Iterator[Row]:
        some = [name for name in names if name in wanted]
        with path.open("rb") as file, readable(path):
            batches = open_columns(file, suffix, some)[1]
            columns = ([batch.column(name) for name in some] for batch in batches)
            yield from number_rows(_as_lists(path, columns), some)

    return Source(names, rows, ": row ", classes=class_names(schema))


def _as_lists(path: Path, batches: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Columns of pyarrow as lists, unless strings that stand in them once make too many.
    DataProblem.
    """
    unpacked, packed = 0, path.stat().st_size
    for columns in batches:
        unpacked += sum(map(count_bytes, columns))
        check_unpacked(path, packed, unpacked)
        yield [column.to_pylist() for column in columns]


def number_rows(batches: Iterable[Sequence[Any]], names: Sequence[str]) -> Iterator[Row]:
    """The rows of columns that come in batches, in the order of the names."""
    cells = chain.from_iterable(zip(*columns, strict=True) for columns in batches)
    for number, row in enumerate(cells, 1):
        yield Row(number, dict(zip(names, row, strict=True)))


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
