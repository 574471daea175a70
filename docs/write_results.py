"""Write the results anew: the CSV of runs that only their notes hold, and from the CSV files the
tables of the pages of results and the figures in the prose of all pages: `make docs`. A test holds
the files to each other.

A figure in prose stands between `<!-- value FILE CELL -->` and `<!-- /value -->`. FILE is in
`results`, and CELL is an entry of FILE in `results/values.toml`, which says how it is found.
Figures that only a note has are in `quoted.tsv`, with the words of the note; figures and tables
that a page alone published, in `published.tsv` and `published-tables.tsv`, with page and commit.
"""

from __future__ import annotations

import csv
import functools
import io
import re
import string
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
DATA, TABLES = DOCS / "results", DOCS / "results" / "tables.toml"
VALUES, QUOTED, PUBLISHED = (DATA / name for name in ("values.toml", "quoted.tsv", "published.tsv"))
PUBLISHED_TABLES = DATA / "published-tables.tsv"
NOTES = [DOCS.parent / "benchmarks" / "results" / f"{name}.md" for name in ("edge", "papersize")]
COLUMNS = ("section", "table", "row", "column", "value", "low", "high")
VALUE = re.compile(r"([-+]?\d[\d,.]*)(?: \(([-+]?[\d.]+) (?:-|to) ([-+]?[\d.]+)\))?")
HOW = ("file", "show", "interval")  # what says how a cell is shown, not which line it shows
TABLE = re.compile(r"(<!-- table (\w+) -->\n)(?:\|.*\n)*")
MARKED = re.compile(r"(<!-- value (\S+) (\S+) -->)((?:(?!<!--).)*)(<!-- /value -->)", re.S)
AS_TEXT = ("text", "of", "fall", "less", "bound", "none", "all")  # the same of a figure in prose
BOUND = re.compile(r"([<>]=?)(-?[\d.]+)")
COUNTED = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def tables() -> dict[str, Any]:
    """What each table shows, by its name."""
    return tomllib.loads(TABLES.read_text("utf-8"))


def page(text: str) -> str:
    """A page with its tables as the files of results have them."""
    made = tables()

    def written(at: re.Match[str]) -> str:
        table = made.get(at[2])
        return at[1] + (_markdown(table) if table else format_published_table(at[2]))

    return TABLE.sub(written, text)


def published_tables() -> set[str]:
    """The names of the tables that a page alone published."""
    return {line["table"] for line in _read(PUBLISHED_TABLES.name)}


def format_published_table(name: str) -> str:
    """Such a table in Markdown: columns of numbers are aligned to the right; KeyError where the
    file has no table of the name.
    """
    rows: dict[str, dict[str, str]] = {}
    for line in _read(PUBLISHED_TABLES.name):
        if line["table"] == name:
            rows.setdefault(line["row"], {})[line["column"]] = line["value"]
    if not rows:
        raise KeyError(name)
    head = list(next(iter(rows.values())))
    columns = [[row[column] for row in rows.values()] for column in head]
    rules = ["---:" if all(map(_is_figure, column)) else "---" for column in columns]
    lines = [head, *(row.values() for row in rows.values())]
    shown = [f"| {' | '.join(cells)} |" for cells in lines]
    return "\n".join([shown[0], f"|{'|'.join(rules)}|", *shown[1:]]) + "\n"


def _is_figure(cell: str) -> bool:
    return not cell or cell.lstrip("*-")[:1].isdigit()


def _markdown(table: Mapping[str, Any]) -> str:
    head = ["", *table["columns"]]
    lines = [f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1)]
    for name, row in table["rows"].items():
        cells = [
            _cell({"file": table["file"], **table["where"], **row, **column})
            for column in table["columns"].values()
        ]
        lines.append(f"| {' | '.join([name, *cells])} |")
    return "\n".join(lines) + "\n"


def _cell(asked: Mapping[str, Any]) -> str:
    """The one line that has what is asked for, as text; none if no line has it."""
    wanted = {key: pattern for key, pattern in asked.items() if key not in HOW}
    found = [row for row in _read(asked["file"]) if _fits(row, wanted)]
    shown = {row[asked.get("show", "score")] for row in found}
    assert len(shown) <= 1, f"several lines of {asked['file']} have {wanted}"
    if not shown:
        return ""
    (value,) = shown
    if asked.get("interval"):
        low, high = (f"{float(found[0][key]):.1f}" for key in ("low", "high"))
        return f"{float(value):+.1f} ({low} to {high})"
    is_score = re.fullmatch(r"[-+]?[\d.]+", value) and asked.get("show") not in ("n", "made")
    return f"{float(value):.1f}" if is_score else value


@functools.cache
def _read(name: str) -> list[dict[str, str]]:
    text = (DATA / name).read_text("utf-8")
    return list(csv.DictReader(io.StringIO(text), delimiter="\t" if name.endswith(".tsv") else ","))


def _fits(row: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    return all(fnmatchcase(row.get(key, ""), pattern) for key, pattern in wanted.items())


def prose_pages() -> list[Path]:
    """The pages whose prose shows figures from files."""
    tutorials = sorted((DOCS / "tutorials").glob("*.md"))
    paper = DOCS.parent / "paper" / "paper.md"
    findings = sorted(DATA.glob("*.md"))
    return [DOCS.parent / "README.md", paper, *sorted(DOCS.glob("*.md")), *tutorials, *findings]


def fill_values(text: str) -> str:
    """A page with the figures of its prose as the files have them; KeyError where a figure has no
    entry, FileNotFoundError where its file is missing, ValueError where not exactly one line fits.
    """
    cells = values()
    stated = {
        file: {line["name"]: line["value"] for line in _read(file)}
        for file in (QUOTED.name, PUBLISHED.name)
    }

    def figure(found: re.Match[str]) -> str:
        _, file, name, _, _ = found.groups()
        return stated[file][name] if file in stated else format_value(file, cells[file][name])

    return MARKED.sub(lambda found: f"{found[1]}{figure(found)}{found[5]}", text)


def values() -> dict[str, dict[str, Any]]:
    """How each figure is found, by its file and its name, with what holds for all of its file."""
    return {
        file: {
            name: {**cells.get("every", {}), **cell}
            for name, cell in cells.items()
            if name != "every"
        }
        for file, cells in tomllib.loads(VALUES.read_text("utf-8")).items()
    }


def format_value(file: str, cell: Mapping[str, Any]) -> str:
    """A figure as text: columns of the one line that fits, or what is counted over several."""
    wanted = {key: pattern for key, pattern in cell.items() if key not in AS_TEXT}
    of = cell.get("of", "score")
    lines = _lines(file, wanted)
    if cell.get("fall"):
        lines = [_fall(line, of) for line in lines]
    numbers = [float(line[of]) for line in lines if of in line]
    known: dict[str, Any] = {"count": len(lines), "words": _in_words(len(lines))}
    if numbers:
        known |= {"max": max(numbers), "min": min(numbers)}
    if less := cell.get("less"):
        known["less"] = _number(file, of, wanted) - _number(file, of, {**wanted, **less})
    text = str(cell.get("text", "{score:.1f}"))
    if other := cell.get("bound"):
        bound = _number(file, of, {**wanted, **other})
        known["above"] = above = sum(number > bound for number in numbers)
        text = cell["none"] if not above else cell["all"] if above == len(lines) else text
    formats = {name: form for _, name, form, _ in string.Formatter().parse(text) if name}
    names = [name for name in formats if name not in known]
    if names:
        found = {tuple(line[name] for name in names) for line in lines}
        if len(found) != 1:
            raise ValueError(f"{len(found)} lines of {file} fit {wanted}, which should be one")
        shown = zip(names, *found, strict=True)
        known |= {name: float(value) if formats[name] else value for name, value in shown}
    return text.format(**known)


def _fall(line: Mapping[str, str], column: str) -> dict[str, str]:
    """The line with how far it falls in place of a difference and its interval."""
    low, high = (str(-float(line[name])) for name in ("high", "low"))
    return {**line, column: str(-float(line[column])), "low": low, "high": high}


def _number(file: str, column: str, wanted: Mapping[str, Any]) -> float:
    """The one number that the lines have in a column."""
    found = {float(line[column]) for line in _lines(file, wanted)}
    if len(found) != 1:
        raise ValueError(f"{len(found)} lines of {file} fit {wanted}, which should be one")
    return found.pop()


def _lines(file: str, wanted: Mapping[str, Any]) -> list[dict[str, str]]:
    """The lines of a file that have what is wanted: in each column a pattern (`!` before it: not
    that), a bound as `<0.05`, or one of several patterns.
    """
    return [
        line
        for line in _read(file)
        if all(_has(line[key], pattern) for key, pattern in wanted.items())
    ]


def _has(value: str, pattern: str | list[str]) -> bool:
    if isinstance(pattern, list):
        return any(_has(value, each) for each in pattern)
    if pattern.startswith("!"):
        return not _has(value, pattern[1:])
    if bound := BOUND.fullmatch(pattern):
        number, limit = float(value), float(bound[2])
        return {"<": number < limit, ">": number > limit, "<=": number <= limit}.get(
            bound[1], number >= limit
        )
    return fnmatchcase(value, pattern)


def _in_words(count: int) -> str:
    return COUNTED[count] if count < len(COUNTED) else f"{count:,}"


def text(note: str) -> str:
    """The tables of a note as CSV: section, number of the table in it, and the cell."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_cells(note))
    return file.getvalue()


def _cells(note: str) -> Iterator[tuple[str, ...]]:
    section, tables = "", Counter[str]()
    for part in re.split(r"\n\s*\n", note):
        lines = part.strip("\n").splitlines()
        if lines[0].startswith("#"):
            section = lines[0].lstrip("# ")
        if not lines[0].lstrip().startswith("|"):
            continue
        tables[section] += 1
        head, _, *rows = ([_plain(c) for c in line.strip()[1:-1].split("|")] for line in lines)
        for first, *cells in rows:
            for column, cell in zip(head[1:], cells, strict=True):
                if cell and column:
                    found = VALUE.fullmatch(cell)
                    values = [v or "" for v in found.groups()] if found else [cell, "", ""]
                    yield (section, str(tables[section]), first, column, *values)


def _plain(cell: str) -> str:
    """A cell without emphasis, and a number without commas."""
    plain = re.sub(r"[*`]", "", cell).strip()
    return plain.replace(",", "") if re.fullmatch(r"\d[\d,]*", plain) else plain


if __name__ == "__main__":
    for note in NOTES:
        (DATA / f"{note.stem}.csv").write_text(text(note.read_text("utf-8")), "utf-8")
    for path in prose_pages():
        path.write_text(fill_values(page(path.read_text("utf-8"))), "utf-8")
