"""Heat maps of this part: cells with a text each, pale where nothing is reached, dark where all is.

One drawing serves treebanks by task, sources by target, and features by layer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PALE, DARK = "#ecf2f7", "#104673"


class Cell(NamedTuple):
    """A cell: its names at the left and above, its text, and how dark it is, from 0 to 1."""

    row: str
    column: str
    text: str
    part: float
    is_bold: bool = False


@dataclass(frozen=True)
class Map:
    """A matrix of cells with a title, '' for none."""

    title: str
    cells: Sequence[Cell]

    @property
    def rows(self) -> list[str]:
        """The names at the left, in order."""
        return list(dict.fromkeys(cell.row for cell in self.cells))

    @property
    def columns(self) -> list[str]:
        """The names above, in order."""
        return list(dict.fromkeys(cell.column for cell in self.cells))


def draw(maps: Sequence[Map], about: str, wide: float, tall: float) -> Figure:
    """Some matrices, two beside each other at most; columns are so many inches wide, rows so
    tall.
    """
    from matplotlib.colors import LinearSegmentedColormap

    from lingprobe.tables.panels import (
        abreast,
        blank,
        cell,
        label_columns,
        label_rows,
        map_height,
        panels,
        room,
    )

    across = abreast(len(maps), 2, 3.0)
    width = max(wide * len(one.columns) + room(one.rows) for one in maps) + 0.8
    height = max(map_height(one.columns, one.rows, tall) for one in maps) + 0.5
    figure = blank((across * width, math.ceil(len(maps) / across) * height), about)
    blues = LinearSegmentedColormap.from_list("blues", [PALE, DARK])
    for axes, one in zip(panels(figure, len(maps), across), maps, strict=True):
        rows, columns = one.rows, one.columns
        axes.set_title(one.title, fontsize=8)
        label_columns(axes, columns)
        label_rows(axes, rows)
        for each in one.cells:
            place = columns.index(each.column), rows.index(each.row)
            fill = blues(min(max(each.part, 0.0), 1.0))
            weight = "bold" if each.is_bold else "normal"
            list(cell(axes, place, each.text, fill, fontsize=7, weight=weight))
    return figure
