"""What figures share: panels beside each other, marks and what they mean, cells of heat maps."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lingprobe.tables.drawing import set_tooltip
from lingprobe.tables.printing import printed_width
from lingprobe.tables.style import DARK_GREY, INK_COLOUR, INK_ON_PALE_CELLS
from lingprobe.tables.table import fold_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure, FigureBase
    from matplotlib.lines import Line2D

LETTER_INCHES, NAME_ROW_INCHES = 0.075, 0.2  # inches of a letter, and of a row of names
BOLD_LETTER_INCHES = 0.086  # of a letter of a title
# on paper, where letters are smaller
_PRINTED = 0.068  # of a letter
MAX_NAME_WIDTH_SHARE, _MARGIN = (
    0.42,
    1.75,
)  # of the width, and inches at most, for names at the left
_LINES = 2  # of a name
_LINE = 0.13  # inches of a line
_SIGN = 0.5  # of a sign beside what it means
_STACKED = 4.5  # below which two panels stand below each other
_CELL, _ABOVE = 0.38, 24  # of a number in a heat map, and letters of a name above it
Size = tuple[float, float]


def make_figure(size: Size, about: str) -> Figure:
    """A figure of so many inches, without anything on it; `about` says what it shows. If it is
    printed, it is as wide as the paper says.
    """
    from matplotlib.figure import Figure

    return Figure((printed_width() or size[0], size[1]), layout="constrained", label=about)


def count_panels_abreast(
    panel_count: int, max_panels: int, min_width: float, beside: float = 0.0
) -> int:
    """How many panels stand beside each other: at most so many, and on paper as many as have the
    least inches next to what is `beside`.
    """
    wide = printed_width()
    return min(
        panel_count,
        max_panels if wide is None else max(1, min(max_panels, int((wide - beside) / min_width))),
    )


def get_letter_width() -> float:
    """About how many inches a letter takes."""
    return LETTER_INCHES if printed_width() is None else _PRINTED


def by_width(screen: float, share: float, unit: float = _PRINTED) -> int:
    """How many letters a text may have: on a screen so many, on paper as many as fit into a share
    of the width.
    """
    wide = printed_width()
    return int(screen) if wide is None else max(6, int(share * wide / unit))


def fold_names(
    names: Sequence[str], max_letters: int, share: float = MAX_NAME_WIDTH_SHARE
) -> list[str]:
    """Names for the left of a figure: on a screen with so many letters at most, on paper in lines
    that take a share of the width. Different names stay different.
    """
    if (wide := printed_width()) is None:
        return [shorten_name(name, max_letters) for name in names]
    letters = int(min(share * wide, _MARGIN) / _PRINTED)
    short = [_few_lines(name, letters) for name in names]
    whole = [fold_text(name, letters) for name in names]
    return short if len({*short}) == len({*names}) else whole


def _few_lines(name: str, letters: int) -> str:
    """A name in no more lines than there are, if need be without its middle."""
    tries = (
        fold_text(shorten_name(name, many), letters)
        for many in range(_LINES * letters, letters, -1)
    )
    return next(
        (lines for lines in tries if lines.count("\n") < _LINES), shorten_name(name, letters)
    )


def row_height(names: Sequence[str], row: float = NAME_ROW_INCHES) -> float:
    """Inches of a row of names, of which each may have several lines."""
    least = row if printed_width() is None else row - 0.03
    return least + _LINE * max((name.count("\n") for name in names), default=0)


def shorten_title(text: str, inches: float) -> str:
    """A title that is no wider than a panel: on a screen it loses its middle, on paper it has two
    lines where one is too short.
    """
    if printed_width() is None:
        return shorten_name(text, int(inches / BOLD_LETTER_INCHES))
    return break_text(text, inches, BOLD_LETTER_INCHES)


def break_text(text: str, inches: float, unit: float = _PRINTED) -> str:
    """A text in at most two lines of so many inches."""
    letters = max(6, int(inches / unit))
    return _few_lines(text, letters)


def make_panel_pair(
    size: Size, heights: Sequence[float], about: str, **looks: Any
) -> tuple[Figure, list[Axes]]:
    """A figure with two panels beside each other; in a narrow column below each other, as high as
    `heights`.
    """
    wide = printed_width()
    if wide is None or wide >= _STACKED:
        figure = make_figure(size, about)
        return figure, list(figure.subplots(1, 2, **looks))
    figure = make_figure((size[0], sum(heights)), about)
    return figure, list(figure.subplots(2, 1, height_ratios=heights, **looks))


def make_panels(figure: FigureBase, panel_count: int, across: int, **shared: Any) -> list[Axes]:
    """So many panels, row by row; all of them have numbers below."""
    down = math.ceil(panel_count / across)
    every = list(figure.subplots(down, across, squeeze=False, **shared).flat)
    for axes in every[panel_count:]:
        axes.remove()
    for axes in every[:panel_count]:
        axes.tick_params(labelbottom=True)
    return every[:panel_count]


def few_numbers(axes: Axes, inches: float) -> None:
    """No more numbers below than a panel of so many inches has room for on paper."""
    from matplotlib.ticker import MaxNLocator

    if printed_width() is not None:
        steps = [1, 2, 2.5, 5, 10]
        axes.xaxis.set_major_locator(MaxNLocator(max(1, min(9, int(inches / 0.4))), steps=steps))


def measure_names(names: Sequence[str]) -> float:
    """About how many inches names take."""
    return get_letter_width() * max(
        (len(line) for name in names for line in name.split("\n")), default=0
    )


def shorten_name(text: str, max_letters: int) -> str:
    """A name that is too long for its place, without its middle."""
    return (
        text
        if len(text) <= max_letters
        else f"{text[: max_letters // 2]}…{text[-(max_letters - max_letters // 2 - 1) :]}"
    )


def label_rows(axes: Axes, names: Sequence[str], grey: Sequence[bool] = ()) -> None:
    """Names at the left, the first on top; some in grey."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.yaxis.grid(visible=False)
    for text, is_grey in zip(axes.get_yticklabels(), grey, strict=False):
        text.set_color(DARK_GREY if is_grey else INK_COLOUR)


def make_legend_mark(
    marker: str, colour: str, name: str = "", hollow: bool = False, fill: Any = None
) -> Line2D:
    """A mark for a legend, filled with its colour or another one."""
    from matplotlib.lines import Line2D

    face = "none" if hollow else fill or colour
    return Line2D([], [], ls="none", marker=marker, color=colour, mfc=face, label=name)


def make_legend_line(colour: str, name: str, style: str = "-", marker: str = "") -> Line2D:
    """A line for a legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, ls=style, marker=marker, label=name)


def draw_legend(
    figure: FigureBase, signs: Sequence[Any], across: int, place: str = "lower"
) -> None:
    """What marks and lines mean, above or below everything; on paper as many beside each other as
    there is room for, and the figure becomes as much higher.
    """
    wide = printed_width()
    if wide is not None:
        labels = [textwrap.fill(sign.get_label(), int((wide - _SIGN) / _PRINTED)) for sign in signs]
        for sign, label in zip(signs, labels, strict=True):
            sign.set_label(label)
        across = count_panels_abreast(len(signs), across, _SIGN + measure_names(labels))
        lines = sum(1 + label.count("\n") for label in labels)
        whole = figure.get_figure(root=True)
        whole.set_figheight(whole.get_figheight() + _LINE * lines / across)
    figure.legend(handles=signs, loc=f"outside {place} left", ncols=across)


def add_notes_below(figure: Figure, notes: Sequence[str], size: int = 8) -> None:
    """Sentences that must not be overlooked below a figure, which becomes as much higher."""
    wide, tall = figure.get_size_inches()
    lines = [line for note in notes for line in textwrap.wrap(note, int(wide / get_letter_width()))]
    if lines:
        line = 0.16 if printed_width() is None else _LINE
        figure.set_size_inches(wide, tall + line * len(lines))
        before = filter(None, [figure.get_supxlabel()])
        figure.supxlabel("\n".join([*before, *lines]), x=0.01, ha="left", fontsize=size)


def draw_note_below(figure: Figure, axes: Axes, text: str) -> None:
    """What marks mean, below their axes; on paper below the whole figure."""
    if printed_width() is None:
        axes.set_xlabel(text, loc="left")
    else:
        add_notes_below(figure, [": ".join(filter(None, (axes.get_title(loc="left"), text)))])


def mark_point(axes: Axes, place: tuple[float, float], sign: Line2D, tooltip: str) -> None:
    """A mark at a place, which tells something to a pointer."""
    (mark,) = axes.plot(
        *place,
        sign.get_marker(),
        color=sign.get_color(),
        mfc=sign.get_markerfacecolor(),
        ms=sign.get_markersize(),
        zorder=3,
    )
    mark.set_in_layout(False)  # which would be looked at for each of many marks
    set_tooltip(mark, tooltip)


def draw_dot(
    axes: Axes, row: int, values: tuple[float, float, float], sign: Line2D, tooltip: str
) -> None:
    """A score on its interval, NaN for none."""
    value, low, high = values
    if not math.isnan(low):
        axes.hlines(row, low, high, colors=sign.get_color(), linewidth=1.6)
    if not math.isnan(value):
        mark_point(axes, (value, row), sign, tooltip)


def label_columns(axes: Axes, names: Sequence[str], column_count: int = 0) -> None:
    """Names above columns, upright on paper; `column_count` for room for so many columns."""
    slant: dict[str, Any] = {"rotation": 40, "ha": "left", "rotation_mode": "anchor"}
    axes.set_xticks(range(len(names)), names, **(slant if printed_width() is None else _UPRIGHT))
    axes.tick_params(top=False, labeltop=True, labelbottom=False, labelcolor=INK_COLOUR)
    axes.set_xlim(-0.5, max(column_count, len(names)) - 0.5)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)


_UPRIGHT = {"rotation": 90}


def in_bands(column_count: int, names: float) -> list[range]:
    """The columns of a heat map on paper, dealt out evenly over as few maps below each other as
    there is room for next to names; on a screen one.
    """
    wide = printed_width()
    room = column_count if wide is None else max(1, int((wide - names - 0.1) / _CELL))
    maps = math.ceil(column_count / room)
    each = math.ceil(column_count / maps)
    return [range(first, min(first + each, column_count)) for first in range(0, column_count, each)]


def map_height(columns: Sequence[str], rows: Sequence[str], row: float) -> float:
    """Inches of a heat map with names above and at the left."""
    above = 0.65 if printed_width() is None else 1
    return above * measure_names(column_names(columns)) + row_height(rows, row) * len(rows)


def column_names(names: Sequence[str]) -> list[str]:
    """Names above columns, on paper no longer than the width allows."""
    return (
        list(names) if printed_width() is None else [shorten_name(name, _ABOVE) for name in names]
    )


def draw_cell(
    axes: Axes, place: tuple[int, int], text: str, fill: Any, **looks: Any
) -> Iterator[Any]:
    """A cell with a text in the middle; gives both."""
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Rectangle

    red, green, blue = to_rgb(fill)
    is_dark = 0.3 * red + 0.59 * green + 0.11 * blue < 0.55
    across, down = place
    yield axes.add_patch(Rectangle((across - 0.48, down - 0.46), 0.96, 0.92, facecolor=fill))
    colour = "white" if is_dark else INK_ON_PALE_CELLS
    yield axes.text(
        *place, text, **{"ha": "center", "va": "center_baseline", "color": colour, **looks}
    )


def draw_colour_scale(
    figure: Figure,
    axes: Axes,
    colours: Colormap,
    low: tuple[float, str],
    high: tuple[float, str],
    note: str,
) -> None:
    """What colours from one value to another mean, below a heat map, with a note."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    shown = ScalarMappable(Normalize(low[0], high[0]), colours)
    part = min(0.6, 5 / len(axes.get_xticks()))
    if (wide := printed_width()) is not None and wide < _STACKED:
        part = 1
    bar = figure.colorbar(
        shown, ax=axes, location="bottom", aspect=16, shrink=part, anchor=(0, 1), pad=0.02
    )
    bar.set_ticks([low[0], high[0]], labels=[low[1], high[1]])
    bar.outline.set_visible(False)
    first, last = bar.ax.get_xticklabels()
    first.set_horizontalalignment("left")
    last.set_horizontalalignment("right")
    if printed_width() is None:
        bar.set_label(note, loc="left")
    else:
        add_notes_below(figure, [note])
