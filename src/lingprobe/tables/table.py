"""A table: columns, sections of rows, and notes. What a page shows is made here, how it looks is
made by the formats; with what keeps text harmless in terminals and spreadsheets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def escape_formula(text: str) -> str:
    """The text with a space in front where a spreadsheet would compute it; a dash alone is left as
    it is.
    """
    return f" {text}" if text.startswith(_FORMULA) and len(text) > 1 else text


@dataclass(frozen=True, slots=True)
class TableSection:
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


LATEX_FLOAT_LABEL = "tab:lingprobe"
"""Of a float in LaTeX."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table: column names (columns in `words` have words, the rest numbers), sections, and notes
    below.

    lead     what is to be read first, above the table
    groups   the group that each column belongs to, '' for none; () if there are no groups
    mark     the mark of bold cells in a terminal, where text has no bold
    caption  of a LaTeX float around the table, with `label`; without it, a bare tabular
    """

    columns: tuple[str, ...]
    sections: tuple[TableSection, ...]
    words: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    title: str = ""
    lead: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    mark: str = ""
    caption: str = ""
    label: str = ""

    @property
    def spans(self) -> list[tuple[str, int, int]]:
        """Each group with its first column and the one after its last."""
        spans: list[tuple[str, int, int]] = []
        for i, name in enumerate(self.groups):
            if spans and spans[-1][0] == name:
                spans[-1] = (name, spans[-1][1], i + 1)
            else:
                spans.append((name, i, i + 1))
        return spans


def take_columns(table: Table, numbers: Sequence[int]) -> Table:
    """The table with some of its columns."""
    sections = [
        replace(
            section,
            rows=tuple(tuple(row[i] for i in numbers) for row in section.rows),
            strong=frozenset((r, numbers.index(c)) for r, c in section.strong if c in numbers),
        )
        for section in table.sections
    ]
    return replace(
        table,
        columns=tuple(table.columns[i] for i in numbers),
        sections=tuple(sections),
        groups=tuple(table.groups[i] for i in numbers if table.groups),
    )


def rename_table(table: Table, names: Mapping[str, str]) -> Table:
    """The table with rows and columns renamed (`--rename`), wherever their names stand."""

    def rename(text: str) -> str:
        return rename_text(text, names)

    sections = [
        replace(
            section,
            heading=rename(section.heading),
            line=rename(section.line),
            rows=tuple(tuple(map(rename, row)) for row in section.rows),
        )
        for section in table.sections
    ]
    return replace(
        table,
        columns=tuple(map(rename, table.columns)),
        sections=tuple(sections),
        words=frozenset(map(rename, table.words)),
        notes=tuple(map(rename, table.notes)),
        title=rename(table.title),
        lead=tuple(map(rename, table.lead)),
        groups=tuple(map(rename, table.groups)),
        caption=rename(table.caption),
    )


def rename_text(text: str, names: Mapping[str, str]) -> str:
    """The text with each whole name replaced, the longest first."""
    longest = sorted(names, key=len, reverse=True)
    either = "|".join(map(re.escape, longest))
    return re.sub(rf"(?<![\w:/.-])(?:{either})(?![\w-])", lambda name: names[name[0]], text)


def fold_text(name: str, letters: int) -> str:
    """A name in lines, broken after signs where that is possible."""
    lines = [""]
    for piece in re.findall(r".*?(?:[ ,/:=_-]+|$)", name):
        for part in (piece[i : i + letters] for i in range(0, len(piece), letters)):
            if len((lines[-1] + part).rstrip()) > letters:
                lines.append("")
            lines[-1] += part
    return "\n".join(line.strip() for line in lines)


def format_number(value: float) -> str:
    """One decimal; a dash for what cannot be computed."""
    return "–" if np.isnan(value) else f"{value:.1f}"


def format_coefficient(value: float) -> str:
    """A correlation with two decimals; a dash for none."""
    return "–" if np.isnan(value) else f"{round(value, 2) + 0:.2f}".replace("-", "−")


_LEAST = 0.001  # p values below are told as such
_LEVEL = 0.05  # of significance, which no p value below it may seem to have reached


def format_p_value(value: float) -> str:
    """Three decimals, and on its side of the level; a dash for what cannot be computed."""
    if np.isnan(value):
        return "–"
    told = f"{value:.3f}"
    if value < _LEAST:
        return f"< {_LEAST:g}"
    return f"< {_LEVEL:g}" if value < _LEVEL <= float(told) else told
