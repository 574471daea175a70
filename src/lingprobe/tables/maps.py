"""A map of the world with a mark at each of some places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.records import read_tab_separated
from lingprobe.tables.drawing import set_tooltip
from lingprobe.tables.heat import BLUE_SHADES
from lingprobe.tables.panels import draw_legend, make_figure, make_legend_mark
from lingprobe.tables.printing import printed_width
from lingprobe.tables.style import INK_COLOUR, PALE_GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

Doubles = NDArray[np.float64]
_INCHES = 9.0
_MARGIN = 8.0  # degrees around the outermost marks
_LEAST = 60.0, 40.0  # degrees of longitude and of latitude that a map shows
_BOUNDS = (-180.0, 180.0), (-58.0, 84.0)
_CLEAR_POINTS = 7  # between a name and the marks of others, so that it is not taken for theirs
_CORNERS = ((5, 4, "left"), (-5, 4, "right"), (5, -9, "left"), (-5, -9, "right"))
"""Where a name may stand: points from its mark, and the side that it begins at."""


class MapMark(NamedTuple):
    """A mark on a map: where it is, its name, how far its colour is from the first (0) to the last
    (1), and what a pointer reads.
    """

    longitude: float
    latitude: float
    name: str
    share: float
    told: str = ""


def draw_map(places: Sequence[MapMark], about: str, ends: tuple[str, str]) -> Figure:
    """The part of the world in which places are, with a mark at each, and what the first and the
    last colour mean. A name that would cover another one is left out: a pointer reads it.
    """
    from matplotlib.colors import LinearSegmentedColormap

    (west, east), (south, north) = _frame(places)
    wide = printed_width() or _INCHES
    figure = make_figure((wide, wide * (north - south) / (east - west) + 0.3), about)
    axes = figure.subplots()
    axes.set(xlim=(west, east), ylim=(south, north), aspect="equal", xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    axes.grid(visible=False)
    for longitudes, latitudes in _read_outlines():
        axes.fill(longitudes, latitudes, facecolor=PALE_GREY, edgecolor="none", zorder=1)
    colours = LinearSegmentedColormap.from_list("map", list(BLUE_SHADES))
    for place in sorted(places, key=lambda each: each.share):
        (mark,) = axes.plot(
            place.longitude,
            place.latitude,
            "o",
            color=colours(place.share),
            markeredgecolor=INK_COLOUR,
            markeredgewidth=0.5,
            markersize=_mark_points(),
            zorder=3,
        )
        set_tooltip(mark, place.told or place.name)
    first, last = (
        make_legend_mark("o", INK_COLOUR, name, fill=colours(share))
        for name, share in zip(ends, (0.0, 1.0), strict=True)
    )
    draw_legend(figure, [first, last], 2)
    figure.draw_without_rendering()
    _label_places(axes, places)
    return figure


def _frame(places: Sequence[MapMark]) -> Iterator[tuple[float, float]]:
    """The longitudes and the latitudes that a map shows: all places with a margin."""
    for values, least, (lowest, highest) in zip(
        ([p.longitude for p in places], [p.latitude for p in places]), _LEAST, _BOUNDS, strict=True
    ):
        low = min(values, default=lowest) - _MARGIN
        high = max(values, default=highest) + _MARGIN
        wide = min(max(least, high - low), highest - lowest)
        start = min(max(lowest, (low + high - wide) / 2), highest - wide)
        yield start, start + wide


def _label_places(axes: Axes, places: Sequence[MapMark]) -> None:
    """Names beside their marks, the darkest first, each where it covers no mark and no name."""
    room = axes.get_window_extent()
    marks = axes.transData.transform([(p.longitude, p.latitude) for p in places])
    written: list[Bbox] = []
    darkest = sorted(
        zip(places, marks, strict=True), key=lambda each: (-each[0].share, each[0].name)
    )
    for place, own in darkest:
        for right, up, side in _CORNERS:
            text = axes.annotate(
                place.name,
                (place.longitude, place.latitude),
                (right, up),
                textcoords="offset points",
                ha=side,
                fontsize=6.5 if printed_width() is None else 5,
                color=INK_COLOUR,
                zorder=4,
            )
            box = text.get_window_extent()
            near = box.padded(_CLEAR_POINTS * axes.figure.dpi / 72)
            free = not any(map(box.overlaps, written))
            inside = room.contains(box.x0, box.y0) and room.contains(box.x1, box.y1)
            if free and inside and not _covers(near, marks, own):
                written.append(box)
                text.set_in_layout(False)
                break
            text.remove()


def _covers(box: Bbox, marks: Doubles, own: Doubles) -> bool:
    """Whether a box has marks in it beside its own."""
    others = marks[(marks != own).any(1)]
    return bool(len(others) and box.count_contains(others))


def _mark_points() -> float:
    return 6 if printed_width() is None else 3.5


@cache
def _read_outlines() -> tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]:
    """Longitudes and latitudes of the outlines of land."""
    _, rows = read_tab_separated(Path(__file__).with_name("land.tsv"))
    return tuple(
        (tuple(map(float, longitudes.split())), tuple(map(float, latitudes.split())))
        for _, (_, longitudes, latitudes) in rows
    )
