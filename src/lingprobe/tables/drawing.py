"""Figures of matplotlib in the style of the house, as SVG without scripts, PNG or PDF. What they
show is decided elsewhere, by functions that return one; its label says it in a sentence.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from html import escape
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lingprobe.data.cache import open_draft, write_text
from lingprobe.data.errors import LingprobeError
from lingprobe.data.printing import printable_lines, strip_unprintable
from lingprobe.tables.fonts import find_absent_letters, find_font_families, warn_absent
from lingprobe.tables.printing import PRINT_STYLE, printed_at, printed_width
from lingprobe.tables.style import DARK_GREY, FIGURE_STYLE, INK_COLOUR, LINE_COLOURS, PALE_GREY
from lingprobe.tables.table import rename_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SUFFIXES = (".png", ".svg", ".pdf")
_TOLD = "told:"  # begins the ids of marks that tell something to a pointer
_TONES = (*LINE_COLOURS, DARK_GREY, PALE_GREY)
_COLOUR = re.compile(r"\b(fill|stroke): (#[0-9a-f]{6})")
# of all that may stand in an SVG of matplotlib what a page cannot have twice or should not have
_LEFT_OUT = re.compile(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", re.DOTALL)


class PlotProblem(LingprobeError, RuntimeError):
    """A figure that cannot be drawn; the message says what to give."""


def set_tooltip(mark: Any, text: str) -> None:
    """Say something to a pointer on a mark, in SVG."""
    mark.set_gid(_TOLD + strip_unprintable(text))


@contextmanager
def house_style(width: float | None = None) -> Iterator[None]:
    """Matplotlib's own settings with the style of the house, whatever is set outside; with a width
    in inches that of figures for paper.
    """
    import matplotlib.style

    style = FIGURE_STYLE | PRINT_STYLE if width else FIGURE_STYLE
    with (
        matplotlib.style.context(["default", style]),
        printed_at(width),
        warnings.catch_warnings(),
    ):
        # readers' fonts have letters that the one which measures has not
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        log = logging.getLogger("matplotlib.font_manager")
        before = log.level
        log.setLevel(logging.ERROR)  # a font of other letters need not be bold
        try:
            yield
        finally:
            log.setLevel(before)


def render_svg(draw: Callable[[], Figure]) -> str:
    """A figure as an SVG element for a page, whose ink is that of the text around; `--figure-0` and
    so on may replace its colours.
    """
    return _COLOUR.sub(lambda found: f"{found[1]}: {_tone(found[2])}", _svg(draw, "none"))


def _tone(colour: str) -> str:
    """A colour that a page may replace."""
    if colour == INK_COLOUR:
        return "currentColor"
    return f"var(--figure-{_TONES.index(colour)}, {colour})" if colour in _TONES else colour


def save_figure(draw: Callable[[], Figure], to: Path, width: float | None = None) -> None:
    """Write a figure as the kind of file that its name says, as wide as it likes or so many inches;
    PlotProblem for one that is no figure. The same figure gives the same file.
    """
    kind = to.suffix.lower()
    if kind not in _SUFFIXES:
        raise PlotProblem(f"{to}: the name of a figure must end in {', '.join(_SUFFIXES)}")
    if kind == ".svg":
        write_text(to, _svg(draw, "white", width))
        return
    dated = {"CreationDate": None} if kind == ".pdf" else None
    with house_style(width), open_draft(to) as part:
        made = lay_out_figure(draw())
        if lacking := find_absent_letters(made):
            made = _drawn_with(lacking, draw, to)
        made.savefig(part, format=kind.removeprefix("."), facecolor="white", metadata=dated)


def _drawn_with(lacking: Set[int], draw: Callable[[], Figure], to: Path) -> Figure:
    """The figure once more, with fonts that have these code points."""
    import matplotlib as mpl

    more, left = find_font_families(lacking)
    if left:
        warn_absent(left, to)
    mpl.rcParams["font.family"] = [*mpl.rcParams["font.family"], *more]  # until the style is left
    return lay_out_figure(draw())


def lay_out_figure(figure: Figure) -> Figure:
    """The figure with plain names and the width that it is printed at, if it does not know it."""
    wide = printed_width()
    if wide and figure.get_figwidth() != wide:
        figure.set_figwidth(wide)
    return _escape_names(figure)


def _svg(draw: Callable[[], Figure], ground: str, width: float | None = None) -> str:
    text = StringIO()
    with house_style(width):
        made = lay_out_figure(draw())
        made.savefig(text, format="svg", facecolor=ground, metadata={"Date": None})
    _, start, rest = _LEFT_OUT.sub("", text.getvalue()).partition("<svg")
    head, end, rest = rest.partition(">")
    about = f"{end}\n<title>{escape(strip_unprintable(str(made.get_label())), quote=False)}</title>"
    strokes = ' role="img" style="stroke-linejoin: round; stroke-linecap: butt"'
    if not width:
        head = head.replace('pt"', '"')  # of a page, whose letters are as large
    return start + head + strokes + about + _ids_to_titles(rest)


def _ids_to_titles(text: str) -> str:
    """Ids that tell something as titles; others go, since a page may hold several figures."""
    told = re.sub(rf"<g id=(['\"]){_TOLD}(.*?)\1([^>]*)>", r"<g\3><title>\2</title>", text)
    return re.sub(r"<g id=(['\"]).*?\1", "<g", told)


def _escape_names(figure: Figure) -> Figure:
    """The figure with names that no device takes for commands."""
    from matplotlib.text import Text
    from matplotlib.ticker import FuncFormatter

    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            said = axis.get_major_formatter()
            if isinstance(said, FuncFormatter):  # of given names, which are looked up as they are
                axis.set_major_formatter(FuncFormatter(_printable_label(said.func)))
    for text in figure.findobj(Text):
        text.set_text(printable_lines(text.get_text()))
    return figure


def rename_figure(draw: Callable[[], Figure], names: Mapping[str, str]) -> Figure:
    """A figure with each whole name in its texts and legends replaced."""
    from matplotlib.text import Text

    made = draw()
    for text in made.findobj(Text):
        text.set_text(rename_text(text.get_text(), names))
    for axes in made.axes:
        labels = [text.get_text() for text in axes.get_yticklabels()]
        if any(rename_text(label, names) != label for label in labels):
            axes.set_yticks(axes.get_yticks(), [rename_text(label, names) for label in labels])
    return made


def _printable_label(name: Callable[..., str]) -> Callable[..., str]:
    return lambda value, place=None: printable_lines(name(value, place))
