"""What a function shows: a value, and its tables in every format that they can be laid out in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from rich.console import Console, ConsoleOptions, RenderableType

from lingprobe.data.cache import write_text
from lingprobe.data.errors import UsageProblem
from lingprobe.tables.drawing import rename_figure, render_svg, save_figure
from lingprobe.tables.fitting import fit_table
from lingprobe.tables.formats import format_terminal_table, render_table
from lingprobe.tables.markup import format_latex, format_markdown
from lingprobe.tables.notes import select_notes
from lingprobe.tables.printing import parse_width
from lingprobe.tables.table import LATEX_FLOAT_LABEL, Table, rename_table, rename_text
from lingprobe.tables.web import render_notebook, tables_document

if TYPE_CHECKING:
    from matplotlib.figure import Figure

T = TypeVar("T")
_MARKUP = {"markdown": format_markdown, "latex": format_latex}
_SUFFIXES = {
    "": "terminal",
    ".txt": "terminal",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".csv": "csv",
    ".json": "json",
    ".parquet": "parquet",
}
_FIGURE, _LATEX = "figure", "latex"
_NO_WIDTH = "only a figure (.pdf, .svg, .png) and a table in LaTeX (.tex) have a width"
_FIGURES = (
    ".png",
    ".svg",
    ".pdf",
    ".jpg",
    ".jpeg",
    ".gif",
    ".webp",
    ".eps",
    ".tif",
    ".tiff",
    ".bmp",
)


@dataclass(frozen=True, repr=False)
class Page(Generic[T]):
    """A value with the tables that show it; printing it shows them, and so does a notebook.

    content  the value: results, an audit, the layers of encoders
    made     makes the tables when they are first needed
    texts    further formats, as functions that return the text: csv, mteb
    files    formats that are files, as functions that write one: parquet
    figure   draws what the page shows, for files and in HTML; None where there is nothing to draw
    html     a page for browsers that shows more than the tables
    remarks  further remarks: what was excluded, and why
    width    width of the tables as text, in characters (default: as wide as needed)
    all_notes  whether text has all notes, not the first six
    """

    content: T
    made: Callable[[], Sequence[Table]]
    texts: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    files: Mapping[str, Callable[[Path], None]] = field(default_factory=dict)
    figure: Callable[[], Figure] | None = None
    html: Callable[[], str] | None = None
    remarks: tuple[str, ...] = ()
    width: int | None = None
    all_notes: bool = False

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The tables, in order."""
        return tuple(self.made())

    @property
    def formats(self) -> tuple[str, ...]:
        """The formats that `write` takes."""
        return tuple(dict.fromkeys(("terminal", *_MARKUP, "html", *self.texts, *self.files)))

    def text(self, format: str = "terminal", *, width: str | float | None = None) -> str:
        """The page in one of its formats; UsageProblem for a format that is not text. With a width,
        as in `write`, LaTeX tables are set so that they fit.
        """
        if width is not None:
            if format != _LATEX:
                raise UsageProblem(_NO_WIDTH)
            tables = add_captions(self.tables)
            return "\n".join(fit_table(table, parse_width(width)) for table in tables)
        if format in self.texts:
            return self.texts[format]()
        if format == "terminal":
            return "".join(
                format_terminal_table(table, self.width) for table in self._shown_tables()
            )
        if format == "html":
            return self.html() if self.html else tables_document(self.tables, self.figure)
        if format in _MARKUP:
            tables = self._shown_tables()
            tables = add_captions(tables) if format == _LATEX else tables
            return "\n".join(map(_MARKUP[format], tables))
        if format in self.files:
            raise UsageProblem(f"{format} is not text: name a file to write")
        raise UsageProblem(f"no format {format!r} here: choose one of {', '.join(self.formats)}")

    def write(
        self, path: str | Path, format: str | None = None, *, width: str | float | None = None
    ) -> None:
        """Write the page to a file (default format: from its suffix).

        A name that ends in .png, .svg or .pdf asks for a figure; UsageProblem where there is none.
        `width` is that of a figure or LaTeX table in a paper: 'column' (77 mm), 'text' (139.7 mm)
        or millimetres.
        """
        to, style = Path(path), format or format_of(path)
        write = self.files.get(style)
        if width is not None and not is_figure(to) and style != _LATEX:
            raise UsageProblem(f"{to}: {_NO_WIDTH}")
        if self.figure is not None and is_figure(to):
            write = partial(
                save_figure, self.figure, width=None if width is None else parse_width(width)
            )
        if write is not None:
            to.parent.mkdir(parents=True, exist_ok=True)
            write(to)
        elif is_figure(to):
            raise UsageProblem(
                f"{to}: figures are made by `lingprobe report` (also with `--by`), `lingprobe"
                " layers`, `lingprobe relate` and `lingprobe results curve`, not from this table"
            )
        else:
            write_text(to, self.text(style, width=width))

    def draws(self, path: str | Path) -> bool:
        """Whether `write` draws a figure for a file of this name, instead of tables."""
        return self.figure is not None and is_figure(path)

    def svg(self) -> str:
        """The figure as an SVG element; '' for none, PlotProblem where it cannot be drawn."""
        return render_svg(self.figure) if self.figure else ""

    def with_all_notes(self) -> Page[T]:
        """The page with all notes in its text."""
        return replace(self, all_notes=True)

    def _shown_tables(self) -> list[Table]:
        """The tables with the notes that text shows."""
        return [select_notes(table, self.all_notes) for table in self.tables]

    def rename(self, names: Mapping[str, str]) -> Page[T]:
        """The page with other names of rows and columns; UsageProblem where no table has a name,
        and for HTML.
        """
        made, draw = self.made, self.figure

        def rename_tables() -> list[Table]:
            tables = made()
            shown = "\n".join(map(format_terminal_table, tables))
            if unknown := [name for name in names if rename_text(shown, {name: ""}) == shown]:
                raise UsageProblem(
                    f"nothing is called {unknown[0]!r} here: copy a name from the table"
                )
            return [rename_table(table, names) for table in tables]

        def refuse() -> str:
            raise UsageProblem("HTML shows names as they are: rename in text, LaTeX and figures")

        return replace(
            self,
            made=rename_tables,
            figure=draw and partial(rename_figure, draw, names),
            html=refuse,
        )

    def with_remarks(self, remarks: Sequence[str]) -> Page[T]:
        """The same page with more remarks."""
        return replace(self, remarks=(*self.remarks, *remarks))

    def with_lead(self, lines: Sequence[str]) -> Page[T]:
        """The same page with lines above its first table, before what stands there."""
        if not lines:
            return self
        return replace(self, made=partial(self._add_lead, tuple(lines)))

    def _add_lead(self, lines: tuple[str, ...]) -> list[Table]:
        first, *others = self.tables
        return [replace(first, lead=(*lines, *first.lead)), *others]

    def __repr__(self) -> str:
        return f"Page(print it, or write it as {', '.join(self.formats)})"

    def __str__(self) -> str:
        return self.text()

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        yield from (render_table(table, options.max_width) for table in self._shown_tables())

    def _repr_html_(self) -> str:
        return render_notebook(self.tables, self.figure)


def add_captions(tables: Sequence[Table]) -> list[Table]:
    """LaTeX tables are floats with a caption and a label: one without a caption of its own has its
    title and its first note, or the heading of its first section; one that has none of these stays
    a bare tabular.
    """
    found = []
    for number, table in enumerate(tables, 1):
        said = ". ".join(filter(None, (table.title.rstrip("."), *table.notes[:1])))
        said = said or next((f"{part.heading}." for part in table.sections if part.heading), "")
        if said and not table.caption:
            label = LATEX_FLOAT_LABEL + (f"-{number}" if number > 1 else "")
            table = replace(table, caption=said, label=label)  # noqa: PLW2901
        found.append(table)
    return found


def format_of(path: str | Path) -> str:
    """The format that a file's name asks for; UsageProblem where it asks for none."""
    suffix = Path(path).suffix.lower()
    if is_figure(path):
        return _FIGURE
    if suffix not in _SUFFIXES:
        known = ", ".join(filter(None, (*_SUFFIXES, ".png", ".svg", ".pdf")))
        raise UsageProblem(
            f"{path}: no format is called {suffix}; end the name in one of {known}, or name the"
            " format"
        )
    return _SUFFIXES[suffix]


def is_figure(path: str | Path | None) -> bool:
    """Whether a file's name asks for a figure."""
    return path is not None and Path(path).suffix.lower() in _FIGURES
