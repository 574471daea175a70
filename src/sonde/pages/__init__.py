"""Results -> table, figures, page. `render` and `write` are the way in; rows and tables are made
first, formats only lay them out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from sonde.analysis.constants import constant_rows
from sonde.analysis.row import Row
from sonde.analysis.rows import rows
from sonde.cache import write_text
from sonde.core import Result
from sonde.pages.by_class import classes
from sonde.pages.mteb import mteb_folder, mteb_lines
from sonde.pages.records import csv, parquet
from sonde.pages.scores import scores
from sonde.pages.strata import by_stratum, strata_table
from sonde.tables.html import html
from sonde.tables.markup import latex, markdown
from sonde.tables.table import Table
from sonde.tables.terminal import terminal

PAGES: dict[str, Callable[[Table], str]] = {
    "terminal": terminal,
    "markdown": markdown,
    "latex": latex,
    "html": html,
}
LISTS: dict[str, Callable[[Sequence[Result]], str]] = {
    "csv": lambda results: csv(rows(results)),
    "mteb": mteb_lines,
}
FILES: dict[str, Callable[[Sequence[Result], Path], None]] = {
    "parquet": lambda results, to: parquet(rows(results), to),
    "mteb": mteb_folder,
}
FORMATS = ("terminal", "markdown", "csv", "parquet", "latex", "html", "mteb")

__all__ = [
    "FORMATS",
    "Row",
    "Table",
    "by_stratum",
    "classes",
    "page",
    "render",
    "rows",
    "scores",
    "strata_table",
    "write",
]


def page(results: Sequence[Result], questions: dict[str, str] | None = None) -> Table:
    """The scores of results as a table, constant answers among the floors."""
    return scores([*constant_rows(results), *rows(results)], questions)


def render(
    results: Sequence[Result], form: str = "terminal", questions: dict[str, str] | None = None
) -> str:
    """Results as text in one of the formats; parquet is not text, so it has to be written."""
    if form in PAGES:
        return PAGES[form](page(results, questions))
    if form in LISTS:
        return LISTS[form](results)
    can = ", ".join(f for f in FORMATS if f in PAGES or f in LISTS)
    raise ValueError(
        f"no text format called {form!r}: choose one of {can}, or give a file for parquet"
    )


def write(results: Sequence[Result], form: str, to: Path) -> None:
    """Results as a file in one of the formats (for mteb, a folder of files)."""
    to.parent.mkdir(parents=True, exist_ok=True)
    if form in FILES:
        FILES[form](results, to)
    else:
        write_text(to, render(results, form))
