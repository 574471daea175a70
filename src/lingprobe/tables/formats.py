"""Tables for terminals. Whatever a name contains, it is shown as it is."""

from __future__ import annotations

import io
import math
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table as Grid
from rich.text import Text

from lingprobe.data.printing import strip_unprintable
from lingprobe.tables.table import (
    Table,
    TableSection,
    take_columns,
)

# a line below the head, a thin one between kinds of rows
_RULED = box.Box("    \n    \n ── \n    \n ╌╌ \n    \n    \n    \n")
_GAP = 3  # cells between two columns
# cells that a column of words keeps, however narrow the terminal; what does not fit is folded
_LABEL = 12


def render_table(table: Table, room: int | None = None) -> Group:
    """The table as something that a rich console of `room` cells prints; number columns that do not
    fit beside each other follow below.
    """
    parts: list[RenderableType] = []
    table = _mark_strong_cells(table)
    parts += [
        Text(strip_unprintable(line)) for line in (*table.lead, *([""] if table.lead else []))
    ]
    if table.title:
        parts.append(Text(strip_unprintable(table.title), style="bold"))
    for piece in _pieces(table, room):
        parts += _fit_sections(piece, room)
    if table.notes:
        parts.append(
            Padding(
                Group(*(Text(strip_unprintable(note), style="dim") for note in table.notes)),
                (1, 0, 0, 0),
            )
        )
    return Group(*parts)


def _mark_strong_cells(table: Table) -> Table:
    """The table with its mark before strong cells."""
    if not table.mark:
        return table
    sections = [
        replace(
            section,
            rows=tuple(
                tuple(
                    table.mark + cell if (r, c) in section.strong else cell
                    for c, cell in enumerate(row)
                )
                for r, row in enumerate(section.rows)
            ),
        )
        for section in table.sections
    ]
    return replace(table, sections=tuple(sections))


def _pieces(table: Table, room: int | None) -> list[Table]:
    """The table itself where it fits; otherwise its words with as many columns of numbers at a time
    as fit beside them.
    """
    widths = [width + _GAP for width in _widths(table)]
    words = [i for i, name in enumerate(table.columns) if name in table.words]
    numbers = [i for i, name in enumerate(table.columns) if name not in table.words]
    left = sum(min(widths[i], _LABEL + _GAP) for i in words) - _GAP
    if room is None or left + sum(widths[i] for i in numbers) <= room:
        return [table]
    left = sum(min(widths[i], 2 * _LABEL + _GAP) for i in words) - _GAP
    groups = _groups(numbers, widths, room - left)
    return [take_columns(table, sorted([*words, *group])) for group in groups]


def _groups(columns: Sequence[int], widths: Sequence[int], room: int) -> list[list[int]]:
    """As many columns at a time as fit, but one at least."""
    groups: list[list[int]] = []
    for i in columns:
        if groups and sum(widths[k] for k in (*groups[-1], i)) <= room:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups


def _fit_sections(table: Table, room: int | None) -> list[RenderableType]:
    parts: list[RenderableType] = []
    widths = _fit_widths(table, room)
    for section in table.sections:
        if section.apart:
            parts += [Text(""), Rule(characters="━")]
        if section.heading:
            parts.append(
                Text.assemble(
                    "\n",
                    (strip_unprintable(section.heading), "bold cyan"),
                    "  ",
                    (strip_unprintable(section.line), "italic"),
                )
            )
        if any(table.groups):
            parts.append(Text(_groups_line(table, widths), style="bold"))
        parts.append(_grid(table, section, widths))
    return parts


def _fit_widths(table: Table, room: int | None) -> list[int]:
    """The widths of the columns; where there is not room for all, those of words share what the
    others leave.
    """
    widths = _widths(table)
    words = [i for i, name in enumerate(table.columns) if name in table.words]
    left = math.inf if room is None else room - sum(widths) - _GAP * (len(widths) - 1)
    if left >= 0:
        return widths
    free = int(left) + sum(widths[i] for i in words)
    for done, i in enumerate(sorted(words, key=lambda i: widths[i])):
        widths[i] = min(widths[i], max(_LABEL, free // (len(words) - done)))
        free -= widths[i]
    return widths


def _groups_line(table: Table, widths: Sequence[int]) -> str:
    """The names of the groups, each over its columns."""
    parts = []
    for name, first, after in table.spans:
        room = sum(widths[first:after]) + _GAP * (after - first - 1)
        text = Text(f" {strip_unprintable(name)} ")
        text.truncate(room, overflow="ellipsis")
        parts.append(text.plain.center(room, "─") if name else " " * room)
    return (" " * _GAP).join(parts).rstrip()


def _widths(table: Table) -> list[int]:
    """The widest cell of each column over all sections, so that sections stand in line."""
    every = [table.columns, *(row for section in table.sections for row in section.rows)]
    return [
        max(Text(strip_unprintable(row[i])).cell_len for row in every)
        for i in range(len(table.columns))
    ]


def _grid(table: Table, section: TableSection, widths: list[int]) -> Grid:
    """One section; each column is just as wide as told."""
    grid = Grid(box=_RULED, pad_edge=False, padding=(0, 1), show_edge=False)
    for name, width in zip(table.columns, widths, strict=True):
        justify: Literal["left", "right"] = "left" if name in table.words else "right"
        grid.add_column(
            Text(name),
            justify=justify,
            overflow="fold",
            width=width,
        )
    for r, row in enumerate(section.rows):
        if r in section.rules:
            grid.add_section()
        styles = [
            "bold" if name == "score" or (r, c) in section.strong else ""
            for c, name in enumerate(table.columns)
        ]
        grid.add_row(
            *(
                Text(_broken(strip_unprintable(cell), width), style=style, overflow="fold")
                for cell, style, width in zip(row, styles, widths, strict=True)
            )
        )
    return grid


def _broken(cell: str, room: int) -> str:
    """A cell whose words that do not fit, as names with options and paths, are broken after commas
    and slashes.
    """
    words = [word if cell_len(word) <= room else _in_parts(word, room) for word in cell.split(" ")]
    return " ".join(words)


def _in_parts(word: str, room: int) -> str:
    lines = [""]
    for part in re.split(r"(?<=[,/])", word):
        if lines[-1] and cell_len(lines[-1] + part) > room:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def format_terminal_table(table: Table, width: int | None = None) -> str:
    """The table as plain text; without a width it is as wide as it needs to be."""
    content = render_table(table, width)
    measuring = Console(width=10_000, file=io.StringIO())
    natural = max(
        (
            Measurement.get(measuring, measuring.options, part).maximum
            for part in content.renderables
        ),
        default=80,
    )
    out = io.StringIO()
    Console(
        file=out, width=width or max(natural, 80), color_system=None, force_terminal=False
    ).print(content)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def print_table(table: Table, width: int | None = None) -> None:
    """Print the table on standard output, in colour where there is a terminal; elsewhere as wide as
    it is told or needs to be.
    """
    console = Console()
    if console.is_terminal:
        console.print(render_table(table, console.width))
    else:
        sys.stdout.write(format_terminal_table(table, width))
