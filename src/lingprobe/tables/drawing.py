"""A drawing: strokes, shapes, dots and labels at places, as SVG without scripts, or as PNG or PDF
by matplotlib. What a figure shows is decided elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Literal

from lingprobe.data.cache import draft, write_text
from lingprobe.data.errors import LingprobeError, to_install
from lingprobe.tables.table import printable

SUFFIXES = (".png", ".svg", ".pdf")
INK = "currentColor"  # that of the text around, so that a figure is read on dark pages, too
PRINTED = "#1c2328"  # the same where there is no text around
EM = 0.6  # of the size of a letter, its width on average
POINTS = 72  # an inch

Anchor = Literal["start", "middle", "end"]


class PlotProblem(LingprobeError, RuntimeError):
    """A figure that cannot be drawn here; the message says what to install or to give."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    colour: str = INK
    width: float = 1.0
    dashed: bool = False
    faint: float = 1.0


@dataclass(frozen=True, slots=True)
class Shape:
    """A filled polygon; `title` is what a pointer on it is told."""

    points: tuple[tuple[float, float], ...]
    fill: str
    faint: float = 1.0
    title: str = ""


@dataclass(frozen=True, slots=True)
class Dot:
    """A circle; hollow where nothing fills it."""

    x: float
    y: float
    radius: float
    colour: str
    hollow: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """A text whose baseline lies at y."""

    x: float
    y: float
    text: str
    size: float = 9.0
    anchor: Anchor = "start"
    colour: str = INK
    bold: bool = False
    slant: float = 0.0


Mark = Stroke | Shape | Dot | Label


@dataclass(frozen=True, slots=True)
class Drawing:
    """Marks on so many points across and down, and what they show in a sentence."""

    width: float
    height: float
    marks: tuple[Mark, ...]
    about: str


def breadth(text: str, size: float = 9.0) -> float:
    """About how wide a text is."""
    return EM * size * len(text)


def diamond(x: float, y: float, radius: float, fill: str, title: str = "") -> Shape:
    """A square that stands on its corner."""
    corners = (x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)
    return Shape(corners, fill, title=title)


def box(x: float, y: float, width: float, height: float) -> tuple[tuple[float, float], ...]:
    """The corners of a rectangle."""
    return (x, y), (x + width, y), (x + width, y + height), (x, y + height)


def svg(drawing: Drawing) -> str:
    """The drawing as an SVG element."""
    size = f"{_number(drawing.width)} {_number(drawing.height)}"
    width, height = size.split()
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{width}"'
            f' height="{height}" role="img" font-family="system-ui, sans-serif">',
            f"<title>{_text(drawing.about)}</title>",
            *map(_element, drawing.marks),
            "</svg>\n",
        ]
    )


def _element(mark: Mark) -> str:
    if isinstance(mark, Stroke):
        dash = ' stroke-dasharray="3 3"' if mark.dashed else ""
        return (
            f'<polyline points="{_points(mark.points)}" fill="none" stroke="{mark.colour}"'
            f' stroke-width="{_number(mark.width)}"{dash}{_opacity(mark.faint)}/>'
        )
    if isinstance(mark, Shape):
        return _titled(
            f'polygon points="{_points(mark.points)}" fill="{mark.fill}"{_opacity(mark.faint)}',
            mark.title,
        )
    if isinstance(mark, Dot):
        paint = (
            f'fill="none" stroke="{mark.colour}" stroke-width="1.4"'
            if mark.hollow
            else f'fill="{mark.colour}"'
        )
        place = f'cx="{_number(mark.x)}" cy="{_number(mark.y)}" r="{_number(mark.radius)}"'
        return _titled(f"circle {place} {paint}", mark.title)
    x, y = _number(mark.x), _number(mark.y)
    turn = f' transform="rotate({_number(mark.slant)} {x} {y})"' if mark.slant else ""
    bold = ' font-weight="bold"' if mark.bold else ""
    return (
        f'<text x="{x}" y="{y}" font-size="{_number(mark.size)}" text-anchor="{mark.anchor}"'
        f' fill="{mark.colour}"{bold}{turn}>{_text(mark.text)}</text>'
    )


def _titled(tag: str, title: str) -> str:
    name = tag.partition(" ")[0]
    return f"<{tag}><title>{_text(title)}</title></{name}>" if title else f"<{tag}/>"


def _opacity(faint: float) -> str:
    return "" if faint == 1 else f' opacity="{_number(faint)}"'


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _text(text: str) -> str:
    return escape(printable(text))


def save(drawing: Drawing, to: Path) -> None:
    """Write the drawing as the kind of file that its name says; PlotProblem for one that is no
    figure, and for PNG and PDF without matplotlib.
    """
    kind = to.suffix.lower()
    if kind not in SUFFIXES:
        raise PlotProblem(f"{to}: the name of a figure must end in {', '.join(SUFFIXES)}")
    if kind == ".svg":
        # a file has no text around, whose colour it could take
        write_text(to, svg(drawing).replace(INK, PRINTED))
        return
    figure = _figure(drawing)
    # the same results give the same file
    dated = {"CreationDate": None} if kind == ".pdf" else None
    with draft(to) as part:
        figure.savefig(part, dpi=200, format=kind.removeprefix("."), metadata=dated)


def _figure(drawing: Drawing) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise PlotProblem(
            f"PNG and PDF need matplotlib: {to_install('plots')}; or write a .svg, which"
            " needs nothing"
        ) from None
    figure = Figure(figsize=(drawing.width / POINTS, drawing.height / POINTS))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, drawing.width)
    axes.set_ylim(drawing.height, 0)
    axes.axis("off")
    for place, mark in enumerate(drawing.marks):
        axes.add_artist(_artist(mark, place))
    return figure


def _artist(mark: Mark, place: int) -> Any:
    """A mark for matplotlib; those that come later lie above."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Circle, Polygon
    from matplotlib.text import Text

    if isinstance(mark, Stroke):
        x, y = zip(*mark.points, strict=True)
        style = "--" if mark.dashed else "-"
        line = Line2D(x, y, linestyle=style, zorder=place, alpha=mark.faint)
        line.set(color=_ink(mark.colour), linewidth=mark.width)
        return line
    if isinstance(mark, Shape):
        return Polygon(
            mark.points, facecolor=_ink(mark.fill), linewidth=0, alpha=mark.faint, zorder=place
        )
    if isinstance(mark, Dot):
        face = "none" if mark.hollow else _ink(mark.colour)
        circle = Circle((mark.x, mark.y), mark.radius, facecolor=face, zorder=place)
        circle.set(edgecolor=_ink(mark.colour), linewidth=1.4 if mark.hollow else 0)
        return circle
    text = Text(mark.x, mark.y, printable(mark.text), parse_math=False, zorder=place)
    text.set(
        fontsize=mark.size,
        color=_ink(mark.colour),
        fontweight="bold" if mark.bold else "normal",
        horizontalalignment={"start": "left", "middle": "center", "end": "right"}[mark.anchor],
        rotation=-mark.slant,
        rotation_mode="anchor",
    )
    return text


def _ink(colour: str) -> str:
    return PRINTED if colour == INK else colour


def ticks(low: float, high: float, many: int = 5) -> Iterator[float]:
    """Round numbers from low to high, about so many."""
    rough = max(high - low, 1e-9) / many
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * k for k in (1, 2, 2.5, 5, 10) if power * k >= rough)
    for i in range(math.ceil(low / step), math.floor(high / step) + 1):
        yield i * step
