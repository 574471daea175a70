"""What figures share: panels beside each other, marks and what they mean, cells of heat maps."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lingprobe.tables.drawing import tell
from lingprobe.tables.style import GREY, INK, ON_PALE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure, FigureBase
    from matplotlib.lines import Line2D

LETTER, ROW = 0.075, 0.2  # inches of a letter, and of a row of names
Size = tuple[float, float]


def blank(size: Size, about: str) -> Figure:
    """A figure of so many inches, without anything on it; `about` says what it shows."""
    from matplotlib.figure import Figure

    return Figure(size, layout="constrained", label=about)


def panels(figure: FigureBase, many: int, across: int, **shared: Any) -> list[Axes]:
    """So many panels, row by row; all of them have numbers below."""
    down = math.ceil(many / across)
    every = list(figure.subplots(down, across, squeeze=False, **shared).flat)
    for axes in every[many:]:
        axes.remove()
    for axes in every[:many]:
        axes.tick_params(labelbottom=True)
    return every[:many]


def room(names: Sequence[str]) -> float:
    """About how many inches names take."""
    return LETTER * max(map(len, names), default=0)


def cut(text: str, many: int) -> str:
    """A name that is too long for its place, without its middle."""
    return text if len(text) <= many else f"{text[: many // 2]}…{text[-(many - many // 2 - 1) :]}"


def label_rows(axes: Axes, names: Sequence[str], grey: Sequence[bool] = ()) -> None:
    """Names at the left, the first on top; some in grey."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.yaxis.grid(visible=False)
    for text, is_grey in zip(axes.get_yticklabels(), grey, strict=False):
        text.set_color(GREY if is_grey else INK)


def sign(marker: str, colour: str, name: str = "", hollow: bool = False) -> Line2D:
    """A mark for a legend."""
    from matplotlib.lines import Line2D

    face = "none" if hollow else colour
    return Line2D([], [], ls="none", marker=marker, color=colour, mfc=face, label=name)


def stroke(colour: str, name: str, style: str = "-", marker: str = "") -> Line2D:
    """A line for a legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, ls=style, marker=marker, label=name)


def key(figure: FigureBase, signs: Sequence[Any], across: int, place: str = "lower") -> None:
    """What marks and lines mean, above or below everything."""
    figure.legend(handles=signs, loc=f"outside {place} left", ncols=across)


def below(figure: Figure, notes: Sequence[str], size: int = 8) -> None:
    """Sentences that must not be overlooked below a figure, which becomes as much higher."""
    wide, tall = figure.get_size_inches()
    lines = [line for note in notes for line in textwrap.wrap(note, int(wide / LETTER))]
    if lines:
        figure.set_size_inches(wide, tall + 0.16 * len(lines))
        figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=size)


def point(axes: Axes, place: tuple[float, float], sign: Line2D, told: str) -> None:
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
    tell(mark, told)


def dot(axes: Axes, row: int, values: tuple[float, float, float], sign: Line2D, told: str) -> None:
    """A score on its interval, NaN for none."""
    value, low, high = values
    if not math.isnan(low):
        axes.hlines(row, low, high, colors=sign.get_color(), linewidth=1.6)
    if not math.isnan(value):
        point(axes, (value, row), sign, told)


def label_columns(axes: Axes, names: Sequence[str]) -> None:
    """Names above columns."""
    axes.set_xticks(range(len(names)), names, rotation=40, ha="left", rotation_mode="anchor")
    axes.tick_params(top=False, labeltop=True, labelbottom=False, labelcolor=INK)
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)


def cell(axes: Axes, place: tuple[int, int], text: str, fill: Any, **looks: Any) -> Iterator[Any]:
    """A cell with a text in the middle; gives both."""
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Rectangle

    red, green, blue = to_rgb(fill)
    is_dark = 0.3 * red + 0.59 * green + 0.11 * blue < 0.55
    across, down = place
    yield axes.add_patch(Rectangle((across - 0.48, down - 0.46), 0.96, 0.92, facecolor=fill))
    colour = "white" if is_dark else ON_PALE
    yield axes.text(
        *place, text, **{"ha": "center", "va": "center_baseline", "color": colour, **looks}
    )


def scale(axes: Axes, colours: Colormap, low: tuple[float, str], high: tuple[float, str]) -> Any:
    """What colours from one value to another mean, below a heat map."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    shown = ScalarMappable(Normalize(low[0], high[0]), colours)
    part = min(0.6, 5 / len(axes.get_xticks()))
    bar = axes.figure.colorbar(
        shown, ax=axes, location="bottom", aspect=16, shrink=part, anchor=(0, 1), pad=0.02
    )
    bar.set_ticks([low[0], high[0]], labels=[low[1], high[1]])
    bar.outline.set_visible(False)
    first, last = bar.ax.get_xticklabels()
    first.set_horizontalalignment("left")
    last.set_horizontalalignment("right")
    return bar
