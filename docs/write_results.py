"""Write the tables of results pages whose runs are not kept as CSV, a line for each cell: `make
docs`. A test holds the files to the pages.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

PAGES = [Path(__file__).parent / "results" / f"{name}.md" for name in ("edge", "papersize")]
COLUMNS = ("section", "table", "row", "column", "value", "low", "high")
VALUE = re.compile(r"([-+]?\d[\d,.]*)(?: \(([-+]?[\d.]+) (?:-|to) ([-+]?[\d.]+)\))?")


def text(page: str) -> str:
    """The tables of a page as CSV: section, number of the table in it, and the cell."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_cells(page))
    return file.getvalue()


def _cells(page: str) -> Iterator[tuple[str, ...]]:
    section, tables = "", Counter[str]()
    for part in re.split(r"\n\s*\n", page):
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
    for file in PAGES:
        file.with_suffix(".csv").write_text(text(file.read_text("utf-8")), "utf-8")
