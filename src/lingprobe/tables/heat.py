"""Heat maps: cells with a text and a colour each, and what the colours mean below."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from lingprobe.tables.drawing import set_tooltip
from lingprobe.tables.panels import (
    column_names,
    count_panels_abreast,
    draw_cell,
    draw_colour_scale,
    fold_names,
    in_bands,
    label_columns,
    label_rows,
    make_figure,
    make_panels,
    map_height,
    measure_names,
    shorten_title,
)
from lingprobe.tables.printing import printed_width
from lingprobe.tables.style import DARK_GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

BLUE_SHADES = "#ecf2f7", "#104673"
RED_SHADES = "#f7f0ec", "#8c2d19"
_FAINT_FILL, _FAINT_TEXT = "#d8dde1", "#5f6b74"
_ABREAST, _LEAST, _WIDEST = 2, 3.0, 5.5  # maps beside each other, and inches of one of them
_LONGEST = 1000  # letters of a name on a screen


class HeatCell(NamedTuple):
    """A cell: its names at the left and above, its text, how far it is from the first colour (0) to
    the last (1), NaN for a cell that stays empty; grey where it is faint, and what a pointer reads.
    """

    row: str
    column: str
    text: str
    share: float
    is_bold: bool = False
    is_faint: bool = False
    told: str = ""


@dataclass(frozen=True)
class HeatMap:
    """A matrix of cells with a title, '' for none.

    kinds  of the rows, in order: a rule stands between two kinds, and what is no 'trained' encoder
           has its name in grey; () for rows of one kind
    """

    title: str
    cells: Sequence[HeatCell]
    kinds: Sequence[str] = ()

    @property
    def rows(self) -> list[str]:
        """The names at the left, in order."""
        return list(dict.fromkeys(cell.row for cell in self.cells))

    @property
    def columns(self) -> list[str]:
        """The names above, in order."""
        return list(dict.fromkeys(cell.column for cell in self.cells))


@dataclass(frozen=True)
class HeatLook:
    """How heat maps look: what the figure shows, its colours, inches of a column and of a row, and
    below it what the first and the last colour mean, with a note; without `ends` nothing.
    """

    about: str
    colours: Sequence[str] = BLUE_SHADES
    wide: float = 0.62
    tall: float = 0.27
    ends: tuple[str, str] | None = None
    note: str = ""


def draw_heat_maps(maps: Sequence[HeatMap], look: HeatLook) -> Figure:
    """Some matrices, two beside each other at most; on paper one that is too wide is cut into
    several below each other.
    """
    from matplotlib.colors import LinearSegmentedColormap

    fits = all(_measure_heat_map(one, look, _ABREAST)[0] <= _WIDEST for one in maps)
    across = count_panels_abreast(len(maps), _ABREAST if fits else 1, _LEAST)
    if across == 1:
        names = measure_names([name for one in maps for name in _row_names(one, across)])
        maps = [part for one in maps for part in _bands(one, names)]
    sizes = [_measure_heat_map(one, look, across) for one in maps]
    tall = [max(h for _, h in sizes[i : i + across]) for i in range(0, len(maps), across)]
    wide = max(*(w for w, _ in sizes), 3.3 if look.ends else 0.0)
    figure = make_figure((across * wide, sum(tall) + (0.6 if look.ends else 0.1)), look.about)
    colours = LinearSegmentedColormap.from_list("heat", list(look.colours))
    every = make_panels(figure, len(maps), across, height_ratios=tall)
    inches = figure.get_figwidth() / across
    most = max(len(one.columns) for one in maps)
    for axes, one in zip(every, maps, strict=True):
        if one.title:
            axes.set_title(shorten_title(one.title, inches))
        label_columns(axes, column_names(one.columns), most)
        label_rows(axes, _row_names(one, across), [kind != "trained" for kind in one.kinds])
        for i in range(1, len(one.kinds)):
            if one.kinds[i] != one.kinds[i - 1]:
                axes.axhline(i - 0.5, color=DARK_GREY, lw=0.5)
        _draw_cells(axes, one, colours, look.wide)
    if look.ends:
        first, last = look.ends
        draw_colour_scale(figure, every[-1], colours, (0.0, first), (1.0, last), look.note)
    return figure


def _row_names(one: HeatMap, across: int) -> list[str]:
    return fold_names(one.rows, _LONGEST, 0.42 / across)


def _measure_heat_map(one: HeatMap, look: HeatLook, across: int) -> tuple[float, float]:
    """Inches of a map with its names."""
    rows, columns = _row_names(one, across), one.columns
    wide = measure_names(rows) + look.wide * len(columns) + 0.6 * measure_names(columns[-1:]) + 0.2
    return wide, map_height(columns, rows, look.tall) + (0.3 if one.title else 0.1)


def _bands(one: HeatMap, names: float) -> Iterator[HeatMap]:
    """The map, or on paper its columns dealt out over several; a row that has no cell in the
    columns of a part is excluded there.
    """
    columns = one.columns
    bands = in_bands(len(columns), names)
    for places in bands:
        mine = {columns[i] for i in places}
        yield (
            one
            if len(bands) == 1
            else replace(one, cells=[cell for cell in one.cells if cell.column in mine])
        )


def _draw_cells(axes: Axes, one: HeatMap, colours: Colormap, wide: float) -> None:
    rows, columns = ({name: i for i, name in enumerate(names)} for names in (one.rows, one.columns))
    size: dict[str, Any] = {} if printed_width() or wide > 0.55 else {"fontsize": 13 * wide}
    for each in one.cells:
        if math.isnan(each.share):
            continue
        looks: dict[str, Any] = {"weight": "bold" if each.is_bold else "normal", **size}
        if each.is_faint:
            looks |= {"color": _FAINT_TEXT, "style": "italic"}
        fill = _FAINT_FILL if each.is_faint else colours(min(max(each.share, 0.0), 1.0))
        place = columns[each.column], rows[each.row]
        for mark in draw_cell(axes, place, each.text, fill, **looks):
            if each.told:
                set_tooltip(mark, each.told)
