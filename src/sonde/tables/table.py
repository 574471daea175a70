"""A table: columns, sections of rows, and notes. What a page shows is made here, how it looks is
made by the formats.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Section:
    """Rows that belong together, under a heading and a line that explains it.

    strong  cells (row, column) that are set in bold
    apart   whether a rule stands above, since the rows are not to be compared with those before
    rules   rows above which a thin rule stands, since they are of another kind
    """

    heading: str
    rows: tuple[tuple[str, ...], ...]
    line: str = ""
    strong: frozenset[tuple[int, int]] = frozenset()
    apart: bool = False
    rules: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Table:
    """What a page shows: column names (those in `words` hold words, the rest numbers), sections,
    and notes below.
    """

    columns: tuple[str, ...]
    sections: tuple[Section, ...]
    words: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    title: str = ""


def number(value: float) -> str:
    """One decimal; a dash for what cannot be computed."""
    return "–" if np.isnan(value) else f"{value:.1f}"
