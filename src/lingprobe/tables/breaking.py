"""Tables in LaTeX that are longer than a page, in several floats, of which all but the first say
that they go on: `longtable` cannot be used in two columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from lingprobe.data.printing import strip_unprintable
from lingprobe.tables.table import (
    Table,
    TableSection,
)

_TALL = 530.0  # points of a float with its caption: of a page of `article`, the lowest of all
_LINE = 12.0  # points from a line of a caption to the next
_LETTER = 5.0  # points of a letter of a caption, about
SECTION_HEADING_POINTS = 26.0  # points of a section's rules and heading
Height = Callable[[Sequence[str]], float]


def break_rows(table: Table, points: float, height: Height) -> list[Table]:
    """The table as tables that are no higher than so many points, if each row alone is not."""
    pages: list[list[TableSection]] = [[]]
    left = points
    for section in table.sections:
        first, left = 0, left - SECTION_HEADING_POINTS
        for r, row in enumerate(section.rows):
            left -= height(row)
            if left < 0 and (r or pages[-1]):
                pages[-1] += [_slice_section(section, first, r)] * (r > first)
                pages.append([])
                first, left = r, points - SECTION_HEADING_POINTS - height(row)
        pages[-1].append(_slice_section(section, first, len(section.rows)))
    return [replace(table, sections=tuple(page)) for page in pages] if pages[1:] else [table]


def _slice_section(section: TableSection, first: int, after: int) -> TableSection:
    """Some of the rows of a section."""
    more = " (continued)" if first and section.heading else ""
    return TableSection(
        section.heading + more,
        section.rows[first:after],
        section.line,
        frozenset((r - first, c) for r, c in section.strong if first <= r < after),
        section.apart and not first,
        frozenset(r - first for r in section.rules if first < r < after),
    )


def compute_caption_room(table: Table, wide: float) -> float:
    """The points that a caption of such a width leaves to the rows of a float."""
    return _TALL - _LINE * (1 + math.ceil(len(table.caption) * _LETTER / wide))


def format_caption(table: Table, place: int, tex: Callable[[str], str]) -> Iterator[str]:
    """The caption of a float; those that go on have the number of the first."""
    if place:
        yield from ("\\addtocounter{table}{-1}", "\\caption{(continued)}")
        return
    yield f"\\caption{{{tex(strip_unprintable(table.caption))}}}"
    if table.label:
        yield f"\\label{{{table.label}}}"
