"""Tables for a terminal. Words are never cut: a column that does not fit is folded."""

from __future__ import annotations

import io
import sys
from typing import Literal

from rich import box
from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table as Grid
from rich.text import Text

from sonde.report.table import Section, Table, printable

LABEL = 24  # letters of a label that are kept on one line, however narrow the terminal


def shown(table: Table) -> Group:
    """The table as something that a rich console prints."""
    parts: list[RenderableType] = []
    if table.title:
        parts.append(Text(printable(table.title), style="bold"))
    widths = _widths(table)
    for section in table.sections:
        if section.apart:
            parts += [Text(""), Rule(characters="━")]
        if section.heading:
            parts.append(Text.assemble("\n", (printable(section.heading), "bold cyan"), "  ", (printable(section.line), "italic")))
        parts.append(_grid(table, section, widths))
    if table.notes:
        parts.append(Padding(Group(*(Text(printable(note), style="dim") for note in table.notes)), (1, 0, 0, 0)))
    return Group(*parts)


def _widths(table: Table) -> list[int]:
    """The widest cell of each column over all sections, so that sections stand in line."""
    every = [table.columns, *(row for section in table.sections for row in section.rows)]
    return [max(Text(printable(row[i])).cell_len for row in every) for i in range(len(table.columns))]


def _grid(table: Table, section: Section, widths: list[int]) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
    for name, width in zip(table.columns, widths, strict=True):
        words = name in table.words
        justify: Literal["left", "right"] = "left" if words else "right"
        least, most = (min(width, LABEL), None) if words else (width, width)
        grid.add_column(Text(name), justify=justify, overflow="fold", min_width=least, width=most)
    for r, row in enumerate(section.rows):
        styles = ["bold" if name == "score" or (r, c) in section.strong else "" for c, name in enumerate(table.columns)]
        grid.add_row(*(Text(printable(cell), style=style, overflow="fold") for cell, style in zip(row, styles, strict=True)))
    return grid


def terminal(table: Table, width: int | None = None) -> str:
    """The table as plain text; without a width it is as wide as it needs to be."""
    content = shown(table)
    measuring = Console(width=10_000, file=io.StringIO())
    natural = max((Measurement.get(measuring, measuring.options, part).maximum for part in content.renderables), default=80)
    out = io.StringIO()
    Console(file=out, width=width or max(natural, 80), color_system=None, force_terminal=False).print(content)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def show(table: Table, width: int | None = None) -> None:
    """Print the table on standard output, in colour where there is a terminal; elsewhere as wide as it is told or needs to be."""
    console = Console()
    if console.is_terminal:
        console.print(shown(table))
    else:
        sys.stdout.write(terminal(table, width))
