"""Write the results anew: the CSV of runs that only their notes hold, and the tables of the pages
of results from the CSV files: `make docs`. A test holds the files to each other.
"""

from __future__ import annotations

import csv
import functools
import io
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
DATA, TABLES = DOCS / "results", DOCS / "results" / "tables.toml"
PAGES = [DOCS / f"results{name}.md" for name in ("", "-inside", "-language-models")]
NOTES = [DOCS.parent / "benchmarks" / "results" / f"{name}.md" for name in ("edge", "papersize")]
COLUMNS = ("section", "table", "row", "column", "value", "low", "high")
VALUE = re.compile(r"([-+]?\d[\d,.]*)(?: \(([-+]?[\d.]+) (?:-|to) ([-+]?[\d.]+)\))?")
HOW = ("file", "show", "interval")  # what says how a cell is shown, not which line it shows


def tables() -> dict[str, Any]:
    """What each table shows, by its name."""
    return tomllib.loads(TABLES.read_text("utf-8"))


def page(text: str) -> str:
    """A page with its tables as the CSV files have them."""
    for name, table in tables().items():
        place = re.compile(rf"(<!-- table {name} -->\n)(?:\|.*\n)*")
        text = place.sub(lambda at, table=table: at[1] + _markdown(table), text)
    return text


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
    is_score = re.fullmatch(r"[-+]?[\d.]+", value) and asked.get("show") != "n"
    return f"{float(value):.1f}" if is_score else value


@functools.cache
def _read(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((DATA / name).read_text("utf-8"))))


def _fits(row: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    return all(fnmatchcase(row.get(key, ""), pattern) for key, pattern in wanted.items())


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
    for path in PAGES:
        path.write_text(page(path.read_text("utf-8")), "utf-8")
