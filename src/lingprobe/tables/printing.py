"""How wide a figure is printed: as a column, as the text, or so many millimetres. A figure for
paper is laid out for its width, so that its letters have on paper the size that is given here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from lingprobe.data.errors import UsageProblem

_MILLIMETRES = 25.4  # in an inch
_WIDTHS = {"column": 77.0, "text": 139.7}
"""Millimetres of a column of ACL and of the text of NeurIPS: others are as wide or wider."""
_LEAST, _MOST = 60.0, 600.0
# one size for everything, since a reader of a paper cannot zoom in
_FONT = dict.fromkeys(
    ("font.size", "axes.labelsize", "axes.titlesize", "legend.fontsize", "xtick.labelsize",
     "ytick.labelsize", "figure.labelsize"), 8,
)  # fmt: skip
PRINT_STYLE = {**_FONT, "lines.linewidth": 1.2, "lines.markersize": 4.0}

_width: ContextVar[float | None] = ContextVar("width", default=None)


def parse_width(width: str | float) -> float:
    """`--width` in inches: 'column' (77 mm), 'text' (139.7 mm), or millimetres as '90', '90mm' or a
    number; UsageProblem for another one.
    """
    if str(width) in _WIDTHS:
        return _WIDTHS[str(width)] / _MILLIMETRES
    said = re.fullmatch(r"(\d+(?:\.\d+)?) ?(?:mm)?", str(width))
    if said is None or not _LEAST <= float(said[1]) <= _MOST:
        raise UsageProblem(
            f"width {width}: give column ({_WIDTHS['column']:g} mm), text ({_WIDTHS['text']:g} mm)"
            f" or {_LEAST:g} to {_MOST:g} mm, as 90mm"
        )
    return float(said[1]) / _MILLIMETRES


@contextmanager
def printed_at(width: float | None) -> Iterator[None]:
    """What is drawn within is so many inches wide; None for as wide as it likes."""
    before = _width.set(width)
    try:
        yield
    finally:
        _width.reset(before)


def printed_width() -> float | None:
    """Inches that a figure has to be wide; None for a screen."""
    return _width.get()
