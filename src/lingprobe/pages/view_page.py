"""Views as declarations: what of a frame is shown, what is computed of it, and how it is laid out.
And their pages: rows are computed, then laid out by the view's templates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.statistics import Statistic
from lingprobe.data.core import Result
from lingprobe.pages.captions import shorten_task
from lingprobe.pages.records import format_frame_csv
from lingprobe.pages.views import Asked
from lingprobe.tables.heat import HeatCell, HeatLook, HeatMap, draw_heat_maps
from lingprobe.tables.page import Page
from lingprobe.tables.table import Table, TableSection, format_number, format_p_value

_BARS = "▏▎▍▌▋▊▉█"
_BAR_LETTERS = 16  # of the longest bar

if TYPE_CHECKING:
    from jinja2 import Environment, Template
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class ViewSection:
    """A cell for each row and column, under a heading.

    heading, line  templates, of the first row that the section shows, and of its `rows`; the line
                   explains
    cell           the macro that has the text of a cell, of its row of the frame
    when           an expression: whether the section is there, of its first row, and of the `rows`
                   of the table
    """

    heading: str
    cell: str
    line: str = ""
    when: str = "true"


@dataclass(frozen=True)
class MatrixTable:
    """Tables with a row for each value of a column of the frame, and a column for each of another.

    rows, columns  the columns of the frame
    tables         a table for each of the values of these
    parts          within a table, the sections once for each of the values of these
    corner         what stands above the rows
    strong         an expression: whether a cell is in bold
    missing        what a cell has for which there is no row
    title, lead, notes  the macros that have what stands around each table, '' for none
    """

    rows: str
    columns: str
    tables: Sequence[str]
    sections: Sequence[ViewSection]
    parts: Sequence[str] = ()
    corner: str = ""
    strong: str = "false"
    missing: str = "–"
    title: str = "title"
    lead: str = "lead"
    notes: str = "notes"


@dataclass(frozen=True)
class ListTable:
    """A table with a line for each of some rows of the frame.

    columns   headings, each with the macro that has the text of a cell, and maybe an expression of
              the `rows` of the table: whether it is there
    rows      an expression: which rows there are
    sections  a section for each value of this column
    words     the headings of columns that have words
    lines     rows with the same values of these columns are one line: macros are given all of them
    tables    a table for each of the values of these columns
    heading, line  of sections, as of `ViewSection`
    title, lead, notes  as of `MatrixTable`
    """

    columns: Sequence[tuple[str, ...]]
    rows: str
    sections: str
    words: Sequence[str]
    lines: Sequence[str] = ()
    tables: Sequence[str] = ()
    heading: str = "{{ task|task }}"
    line: str = ""
    title: str = "title"
    lead: str = "lead"
    notes: str = "notes"


@dataclass(frozen=True)
class HeatFigure:
    """A heat map for each of the values of some columns: macros that have title and text,
    expressions of how far a cell is from the first colour to the last, of whether it is bold, and
    of whether a map is drawn, of its first row (if none is, all are). What the figure shows is a
    template of all `rows`; rows go from the lowest up where it is `upward`.
    """

    rows: str
    columns: str
    maps: Sequence[str]
    look: HeatLook
    title: str
    text: str
    share: str
    strong: str
    when: str = "true"
    is_upward: bool = False


@dataclass(frozen=True)
class ViewSpread:
    """Rows with the same keys as one, as `ResultFrame.spread` makes them."""

    keys: Sequence[str]
    by: str
    values: Sequence[str]
    columns: Sequence[str]


@dataclass(frozen=True)
class View:
    """What of a frame is shown, what is computed of it, and how it is laid out.

    about       in a sentence what it shows, as lists have it
    keys        the columns of the frame that tell rows apart; others are averaged over
    extra       what is read of results beside the columns of all, names of `RUN_EXTRAS`
    prepare     what further columns and rows are made of the frame first
    where       which rows are shown, by the values of columns; statistics may read the others
    first       an expression: which of them stand before the others
    statistics  add columns, in this order
    spread      which rows are one then
    order       how they are arranged, as `ResultFrame.arrange` says it
    listed      an expression: which of them programs get
    fields      columns for programs (CSV, `Page.content`), as they are called in the frame, or
                `NAME=COLUMN` where they are called otherwise
    sentences   a template with the macros that are named
    names       how encoders are called
    is_scored   whether probabilities are read, where these were kept
    """

    name: str
    about: str
    keys: tuple[str, ...]
    where: Mapping[str, Any]
    statistics: Sequence[Statistic]
    tables: Sequence[MatrixTable | ListTable]
    fields: Sequence[str]
    sentences: Path
    names: Callable[[Iterable[str]], Mapping[str, str]]
    first: str = "true"
    figure: HeatFigure | None = None
    prepare: Callable[[ResultFrame], ResultFrame] | None = None
    is_scored: bool = False
    extra: Sequence[str] = ()
    spread: ViewSpread | None = None
    order: Sequence[str | tuple[str, ...]] = ()
    listed: str = "true"

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", self.about)  # as of views that are functions

    def __call__(self, results: Iterable[Result], asked: Asked) -> Page[ResultFrame]:
        """The page of results."""
        scored = asked.beside.scored if self.is_scored else None
        return show_frame(
            self, ResultFrame.of(results if scored is None else scored(), self.extra)
        )


def show_frame(
    view: View, frame: ResultFrame, facts: Mapping[str, Any] | None = None
) -> Page[ResultFrame]:
    """The page of a view of a frame; `facts` are further values for its sentences."""
    return show_rows(view, compute_rows(view, frame), facts)


def compute_rows(view: View, frame: ResultFrame) -> ResultFrame:
    """The rows that a view shows, with the columns that its statistics add."""
    prepared = frame if view.prepare is None else view.prepare(frame)
    averaged = prepared.average_repeats(view.keys)
    shown = averaged.where(**view.where)
    for statistic in view.statistics:
        shown = shown.with_columns(statistic.compute(shown, averaged))
    if spread := view.spread:
        shown = shown.spread(spread.keys, spread.by, spread.values, spread.columns)
    return shown.arrange(*view.order) if view.order else shown


def show_rows(
    view: View, shown: ResultFrame, facts: Mapping[str, Any] | None = None
) -> Page[ResultFrame]:
    """The page of rows that were computed."""
    layout = ViewLayout.of(view, shown, facts or {})
    pairs = [name.partition("=") for name in view.fields]
    is_listed = _compile_expression(view.listed)
    listed = shown.take([k for k, row in enumerate(shown) if is_listed(row._asdict())])
    fields = listed.select({new: name or new for new, _, name in pairs})
    return Page(
        fields,
        lambda: list(layout.tables()),
        {"csv": partial(format_frame_csv, fields)},
        figure=layout.draw if view.figure else None,
    )


class ViewLayout(NamedTuple):
    """A view's templates, filled with rows.

    names   of encoders, as the view calls them
    macros  those of the view's template
    """

    view: View
    shown: ResultFrame
    names: Mapping[str, str]
    macros: Mapping[str, Callable[..., str]]

    @classmethod
    def of(cls, view: View, shown: ResultFrame, facts: Mapping[str, Any]) -> ViewLayout:
        """That of some rows."""
        names = view.names(dict.fromkeys(shown.column("encoder")))
        source = _environment().from_string(view.sentences.read_text("utf-8"))
        macros = vars(source.make_module({**facts, "names": names}))
        is_first = _compile_expression(view.first)
        order = sorted(range(len(shown)), key=lambda number: not is_first(shown[number]._asdict()))
        return cls(view, shown.take(order), names, macros)

    def tables(self) -> Iterator[Table]:
        """The tables, in the order of rows."""
        for table in self.view.tables:
            yield from (
                self._lists(table) if isinstance(table, ListTable) else self._matrices(table)
            )

    def _lists(self, table: ListTable) -> Iterator[Table]:
        """A table for each of the values of some columns, with a line for each of some rows."""
        for numbers in self.shown.groups(table.tables).values():
            whole = self.shown.take(numbers)
            chosen = [n for n, row in enumerate(whole) if self._decide(table.rows, row)]
            rows = whole.take(chosen)
            columns = [
                (heading, macro)
                for heading, macro, *when in table.columns
                if not when or self._decide(when[0], whole[0], rows=whole.rows)
            ]
            sections = tuple(
                self._list_section(table, rows.take(part), [macro for _, macro in columns])
                for part in rows.groups((table.sections,)).values()
            )
            head = tuple(heading for heading, _ in columns)
            yield self._around(table, whole, Table(head, sections, frozenset(table.words)))

    def _list_section(
        self, table: ListTable, part: ResultFrame, macros: Sequence[str]
    ) -> TableSection:
        """A line for each row, or for all rows with the same values of some columns."""
        lines: Iterable[Any] = part
        if table.lines:
            lines = [[part[k] for k in some] for some in part.groups(table.lines).values()]
        cells = tuple(tuple(self._fill(macro, line) for macro in macros) for line in lines)
        return TableSection(self._text(table.heading, part), cells, self._text(table.line, part))

    def _around(
        self, table: ListTable | MatrixTable, rows: ResultFrame, made: Table, is_last: bool = True
    ) -> Table:
        """A table with its title, lead and notes."""
        title = self.macros[table.title](rows[0]) if table.title else ""
        lead = self.macros[table.lead](rows.rows) if table.lead else ""
        notes = self.macros[table.notes](rows.rows, self.shown.rows, is_last) if table.notes else ""
        return replace(
            made, title=_join_line(title), lead=_split_lines(lead), notes=_split_lines(notes)
        )

    def _matrices(self, table: MatrixTable) -> Iterator[Table]:
        """A table for each of the values of some columns."""
        groups = list(self.shown.groups(table.tables).values())
        for numbers in groups:
            whole = self.shown.take(numbers)
            parts = [whole.take(part) for part in whole.groups(table.parts).values()]
            columns = list(dict.fromkeys(c for part in parts for c in part.column(table.columns)))
            made = Table(
                (table.corner, *map(shorten_task, columns)),
                tuple(s for part in parts for s in self._sections(table, part, whole, columns)),
                frozenset({table.corner}),
            )
            yield self._around(table, whole, made, numbers is groups[-1])

    def _sections(
        self, table: MatrixTable, part: ResultFrame, whole: ResultFrame, columns: Sequence[str]
    ) -> Iterator[TableSection]:
        """The sections of some rows of a table."""
        first = part[0]
        places = self._places(part, table.rows, table.columns)
        names = list(dict.fromkeys(name for name, _ in places))
        strong = frozenset(
            (names.index(name), columns.index(column) + 1)
            for (name, column), row in places.items()
            if self._decide(table.strong, row)
        )
        for section in table.sections:
            if self._decide(section.when, first, rows=whole.rows):
                cells = {place: self._fill(section.cell, row) for place, row in places.items()}
                rows = tuple(
                    (
                        shorten_task(name),
                        *(cells.get((name, each), table.missing) for each in columns),
                    )
                    for name in names
                )
                heading, line = (self._text(t, part) for t in (section.heading, section.line))
                yield TableSection(heading, rows, line, strong)

    def _places(self, part: ResultFrame, *names: str) -> dict[tuple[str, ...], Any]:
        """Rows by the values of some columns."""
        texts = [map(str, part.column(name)) for name in names]
        return dict(zip(zip(*texts, strict=True), part, strict=True))

    def _fill(self, macro: str, row: Any) -> str:
        """The text that a macro has for a row, or for several."""
        return _join_line(self.macros[macro](row))

    def _text(self, template: str, part: ResultFrame) -> str:
        """A template with the columns of the first of some rows."""
        known = {**self.macros, **part[0]._asdict(), "names": self.names, "rows": part.rows}
        return _join_line(_compile_template(template).render(known)) if template else ""

    def _decide(self, expression: str, row: Any, **known: Any) -> Any:
        """The value of an expression about the columns of a row."""
        return _compile_expression(expression)({**self.macros, **row._asdict(), **known})

    def draw(self) -> Figure:
        """The heat maps."""
        figure = self.view.figure
        assert figure is not None
        every = [self.shown.take(some) for some in self.shown.groups(figure.maps).values()]
        maps = []
        for part in [some for some in every if self._decide(figure.when, some[0])] or every:
            cells = [
                HeatCell(
                    shorten_task(name),
                    shorten_task(column),
                    self._fill(figure.text, row),
                    self._decide(figure.share, row),
                    self._decide(figure.strong, row),
                )
                for (name, column), row in self._places(part, figure.rows, figure.columns).items()
            ]
            if figure.is_upward:
                rows = list(dict.fromkeys(cell.row for cell in cells))
                cells.sort(key=lambda cell: -rows.index(cell.row))
            maps.append(HeatMap(self._fill(figure.title, part[0]), cells))
        look = replace(figure.look, about=self._text(figure.look.about, self.shown))
        return draw_heat_maps(maps, look)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, StrictUndefined

    made = Environment(
        autoescape=False,  # noqa: S701 - text, which each format escapes
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "number": format_number,
        "p_value": format_p_value,
        "task": shorten_task,
        "count": "{:,}".format,
        "bar": draw_bar,
    }
    made.filters |= {"group": _group_rows, "different": _select_different}
    made.tests["unknown"] = math.isnan
    return made


def draw_bar(share: float) -> str:
    """A bar of so much of the longest, in eighths of a character."""
    if math.isnan(share) or share <= 0:
        return ""
    eighths = max(1, round(share * _BAR_LETTERS * len(_BARS)))
    whole, rest = divmod(eighths, len(_BARS))
    return _BARS[-1] * whole + (_BARS[rest - 1] if rest else "")


def _group_rows(rows: Sequence[Any], name: str) -> list[tuple[Any, list[Any]]]:
    """Rows with the same value of a column together, in the order in which these come."""
    groups: dict[Any, list[Any]] = {}
    for row in rows:
        groups.setdefault(row._asdict()[name], []).append(row)
    return list(groups.items())


def _select_different(rows: Sequence[Any], one: str, other: str) -> list[Any]:
    """Rows with different values in two columns."""
    return [row for row in rows if row._asdict()[one] != row._asdict()[other]]


@cache
def _compile_template(template: str) -> Template:
    return _environment().from_string(template)


@cache
def _compile_expression(expression: str) -> Callable[..., Any]:
    return _environment().compile_expression(expression)


def _split_lines(text: str) -> tuple[str, ...]:
    """The paragraphs of a text, each as a line."""
    return tuple(map(_join_line, filter(str.strip, text.split("\n\n"))))


def _join_line(text: str) -> str:
    return " ".join(text.split())
