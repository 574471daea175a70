"""Views as declarations: what of a frame is shown, what is computed of it, and how it is laid out.
And their pages: rows are computed, then laid out by the view's templates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lingprobe.analysis.frame import ResultFrame, RunExtra
from lingprobe.analysis.statistics import FrameStatistic
from lingprobe.data.core import DataProblem, Result
from lingprobe.pages.captions import shorten_task
from lingprobe.pages.records import format_frame_csv
from lingprobe.pages.view_figures import DotFigure, HeatFigure, LineFigure
from lingprobe.pages.view_text import ViewText, compile_expression
from lingprobe.pages.views import ViewArguments
from lingprobe.tables.drawing import PlotProblem
from lingprobe.tables.page import Page
from lingprobe.tables.table import Table, TableSection

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ViewFigure = DotFigure | HeatFigure | LineFigure


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


class ViewColumn(NamedTuple):
    """A column of a list.

    heading  of the column; a template, where there is one for each value
    macro    that has the text of a cell
    when     an expression of the `rows` of the table: whether it is there
    strong   an expression: whether a cell is in bold
    each     there is one for each of the values of this column of the frame, in order
    value    the one of them
    """

    heading: str
    macro: str
    when: str = "true"
    strong: str = "false"
    each: str = ""
    value: Any = None


@dataclass(frozen=True)
class ListTable:
    """A table with a line for each of some rows of the frame.

    columns   as of `ViewColumn`
    rows      an expression: which rows there are
    sections  a section for each of the values of these columns
    words     the headings of columns that have words
    lines     rows with the same values of these columns are one line: macros are given all of them
    tables    a table for each of the values of these columns
    heading, line  of sections, as of `ViewSection`
    apart     an expression of the first row: whether a rule stands above a section
    above     what stands above the lines of a section: the column that has a list of names, the
              macro of a label, of a name, and that of a cell, of a row and a name
    mark      of bold cells, where text has no bold
    title, lead, notes  as of `MatrixTable`
    """

    columns: Sequence[tuple[str, ...]]
    rows: str
    sections: Sequence[str]
    words: Sequence[str]
    lines: Sequence[str] = ()
    tables: Sequence[str] = ()
    heading: str = "{{ task|task }}"
    line: str = ""
    apart: str = "false"
    above: tuple[str, str, str] = ("", "", "")
    mark: str = ""
    title: str = "title"
    lead: str = "lead"
    notes: str = "notes"


@dataclass(frozen=True)
class ViewSpread:
    """Rows with the same keys as one, as `ResultFrame.spread` makes them."""

    keys: Sequence[str]
    by: str
    values: Sequence[str]
    columns: Sequence[str]


@dataclass(frozen=True)
class FrameView:
    """What of a frame is shown, what is computed of it, and how it is laid out.

    about       in a sentence what it shows, as lists have it
    keys        the columns of the frame that tell rows apart; others are averaged over
    extra       what is read of results beside the columns of all, as of `RunExtra`
    prepare     what further columns and rows are made of the frame first
    where       which rows are shown, by the values of columns; statistics may read the others
    first       an expression: which of them stand before the others
    statistics  add columns, in this order
    expand      what rows are made of these, as means beside them
    spread      which rows are one then
    order       how they are arranged, as `ResultFrame.arrange` says it
    listed      an expression: which of them programs get
    nothing     what to say where they get none, as a DataProblem
    fields      columns for programs (CSV, `Page.content`), as they are called in the frame, or
                `NAME=COLUMN` where they are called otherwise
    sentences   a template with the macros that are named
    names       how encoders are called
    is_scored   whether probabilities are read, where these were kept
    variants    other views of the same, by what stands after the name, as in `units:overlap`
    """

    name: str
    about: str
    keys: tuple[str, ...]
    where: Mapping[str, Any]
    statistics: Sequence[FrameStatistic]
    tables: Sequence[MatrixTable | ListTable]
    fields: Sequence[str]
    sentences: Path
    names: Callable[[Iterable[str]], Mapping[str, str]]
    first: str = "true"
    figure: ViewFigure | None = None
    prepare: Callable[[ResultFrame], ResultFrame] | None = None
    is_scored: bool = False
    extra: Sequence[RunExtra] = ()
    expand: Callable[[ResultFrame], ResultFrame] | None = None
    nothing: str = ""
    spread: ViewSpread | None = None
    order: Sequence[str | tuple[str, ...]] = ()
    listed: str = "true"
    variants: Mapping[str, FrameView] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", self.about)  # as of views that are functions

    def __call__(self, results: Iterable[Result], arguments: ViewArguments) -> Page[ResultFrame]:
        """The page of results."""
        view = self.variants.get(arguments.argument, self)
        scored = arguments.scored if view.is_scored else None
        return show_frame(view, ResultFrame.of(results if scored is None else scored(), view.extra))


@dataclass(frozen=True)
class PageView:
    """A view by a function of a frame, whose page has more than tables of rows.

    extra  what the frame has, as of `FrameView`
    """

    make: Callable[[ResultFrame, ViewArguments], Page[Any]]
    extra: Sequence[RunExtra] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", self.make.__doc__)

    def __call__(self, results: Iterable[Result], arguments: ViewArguments) -> Page[Any]:
        """The page of results."""
        return self.make(ResultFrame.of(results, self.extra), arguments)


def show_frame(
    view: FrameView, frame: ResultFrame, facts: Mapping[str, Any] | None = None
) -> Page[ResultFrame]:
    """The page of a view of a frame; `facts` are further values for its sentences."""
    return show_rows(view, compute_rows(view, frame), facts)


def compute_rows(view: FrameView, frame: ResultFrame) -> ResultFrame:
    """The rows that a view shows, with the columns that its statistics add."""
    prepared = frame if view.prepare is None else view.prepare(frame)
    averaged = prepared.average_repeats(view.keys)
    shown = averaged.where(**view.where)
    for statistic in view.statistics:
        shown = shown.with_columns(statistic.compute(shown, averaged))
    if view.nothing and not len(_select(shown, view.listed)):
        raise DataProblem(view.nothing)
    if view.expand is not None:
        shown = view.expand(shown)
    if spread := view.spread:
        shown = shown.spread(spread.keys, spread.by, spread.values, spread.columns)
    return shown.arrange(*view.order) if view.order else shown


def _select(rows: ResultFrame, expression: str) -> ResultFrame:
    """The rows of which an expression holds."""
    if expression == "true":
        return rows
    is_selected = compile_expression(expression)
    return rows.take([k for k, row in enumerate(rows) if is_selected(row._asdict())])


def show_rows(
    view: FrameView, shown: ResultFrame, facts: Mapping[str, Any] | None = None
) -> Page[ResultFrame]:
    """The page of rows that were computed."""
    layout, figure = ViewLayout.of(view, shown, facts or {}), view.figure
    pairs = [name.partition("=") for name in view.fields]
    fields = _select(shown, view.listed).select({new: name or new for new, _, name in pairs})
    return Page(
        fields,
        lambda: list(layout.tables()),
        {"csv": partial(format_frame_csv, fields)},
        figure=(lambda: figure.draw(layout.shown, layout.text)) if figure else None,
    )


def draw_view_figure(view: FrameView, shown: ResultFrame) -> Figure:
    """The figure of rows that have the columns which it shows; PlotProblem where there is none."""
    if view.figure is None:
        raise PlotProblem(f"the view {view.name} has no figure")
    layout = ViewLayout.of(view, shown, {})
    return view.figure.draw(layout.shown, layout.text)


class ViewLayout(NamedTuple):
    """The rows of a view, and what it says of them."""

    view: FrameView
    shown: ResultFrame
    text: ViewText

    @classmethod
    def of(cls, view: FrameView, shown: ResultFrame, facts: Mapping[str, Any]) -> ViewLayout:
        """That of some rows."""
        names = view.names(dict.fromkeys(shown.column("encoder")))
        is_first = compile_expression(view.first)
        order = sorted(range(len(shown)), key=lambda number: not is_first(shown[number]._asdict()))
        return cls(view, shown.take(order), ViewText.read(view.sentences, names, facts))

    def tables(self) -> Iterator[Table]:
        """The tables in which something is, in the order of rows."""
        for table in self.view.tables:
            make = self._lists if isinstance(table, ListTable) else self._matrices
            groups = list(self.shown.groups(table.tables).values())
            for numbers in groups:
                whole = self.shown.take(numbers)
                if (made := make(table, whole)).sections:
                    yield self._around(table, whole, made, numbers is groups[-1])

    def _lists(self, table: Any, whole: ResultFrame) -> Table:
        """A table with a line for each of some rows."""
        rows = whole.take([k for k, row in enumerate(whole) if self.text.decide(table.rows, row)])
        columns = list(self._columns(table, whole))
        sections = tuple(
            self._list_section(table, rows.take(part), columns)
            for part in rows.groups(table.sections).values()
        )
        heads = tuple(column.heading for column in columns)
        return Table(heads, sections, frozenset(table.words), mark=table.mark)

    def _columns(self, table: ListTable, whole: ResultFrame) -> Iterator[ViewColumn]:
        """The columns that are there, one for each of the values where there are several."""
        for column in (ViewColumn(*each) for each in table.columns):
            if not column.each:
                if self.text.decide(column.when, whole[0], rows=whole.rows):
                    yield column
                continue
            values = whole.groups((column.each,))
            for (value,), numbers in sorted(values.items()):
                part = whole.take(numbers)
                if self.text.decide(column.when, part[0], rows=whole.rows):
                    heading = self.text.render(column.heading, part)
                    yield column._replace(heading=heading, value=value)

    def _list_section(
        self, table: ListTable, part: ResultFrame, columns: Sequence[ViewColumn]
    ) -> TableSection:
        """A line for each row, or for all rows with the same values of some columns."""
        lines: list[Any] = list(part)
        if table.lines:
            lines = [[part[k] for k in some] for some in part.groups(table.lines).values()]
        above = list(self._above(table, part, columns))
        strong = frozenset(
            (len(above) + place, number)
            for place, line in enumerate(lines)
            for number, column in enumerate(columns)
            if column.strong != "false"
            and self.text.decide(column.strong, line[0] if table.lines else line)
        )
        return TableSection(
            self.text.render(table.heading, part),
            (*above, *(tuple(self._cell(column, line) for column in columns) for line in lines)),
            self.text.render(table.line, part),
            strong,
            bool(self.text.decide(table.apart, part[0])),
            rules=frozenset({len(above)} if above else ()),
        )

    def _above(
        self, table: ListTable, part: ResultFrame, columns: Sequence[ViewColumn]
    ) -> Iterator[tuple[str, ...]]:
        """What stands above the lines of a section: a line for each name in a column of names."""
        names, label, cell = table.above
        for name in getattr(part[0], names) if names else ():
            known = {
                (column.each, column.value): self.text.fill(cell, row, name)
                for column in columns
                if column.each
                for row in part.rows
                if getattr(row, column.each) == column.value
            }
            cells = [known.get((column.each, column.value), "") for column in columns[1:]]
            yield self.text.fill(label, name), *cells

    def _cell(self, column: ViewColumn, line: Any) -> str:
        """The text of a cell, of a row or of several, or of that which has its value."""
        if column.each:
            rows = [row for row in line if getattr(row, column.each) == column.value]
            return self.text.fill(column.macro, rows[0]) if rows else ""
        return self.text.fill(column.macro, line)

    def _around(
        self, table: ListTable | MatrixTable, rows: ResultFrame, made: Table, is_last: bool
    ) -> Table:
        """A table with its title, lead and notes."""
        return replace(
            made,
            title=self.text.fill(table.title, rows[0]),
            lead=self.text.list_lines(table.lead, rows.rows),
            notes=self.text.list_lines(table.notes, rows.rows, self.shown.rows, is_last),
        )

    def _matrices(self, table: Any, whole: ResultFrame) -> Table:
        """A table with a cell for each row and column."""
        parts = [whole.take(part) for part in whole.groups(table.parts).values()]
        columns = list(dict.fromkeys(c for part in parts for c in part.column(table.columns)))
        return Table(
            (table.corner, *map(shorten_task, columns)),
            tuple(s for part in parts for s in self._sections(table, part, whole, columns)),
            frozenset({table.corner}),
        )

    def _sections(
        self, table: MatrixTable, part: ResultFrame, whole: ResultFrame, columns: Sequence[str]
    ) -> Iterator[TableSection]:
        """The sections of some rows of a table."""
        first, text = part[0], self.text
        places = part.find_places(table.rows, table.columns)
        names = list(dict.fromkeys(name for name, _ in places))
        strong = frozenset(
            (names.index(name), columns.index(column) + 1)
            for (name, column), row in places.items()
            if text.decide(table.strong, row)
        )
        for section in table.sections:
            if text.decide(section.when, first, rows=whole.rows):
                cells = {place: text.fill(section.cell, row) for place, row in places.items()}
                rows = tuple(
                    (
                        shorten_task(name),
                        *(cells.get((name, each), table.missing) for each in columns),
                    )
                    for name in names
                )
                heading, line = (text.render(t, part) for t in (section.heading, section.line))
                yield TableSection(heading, rows, line, strong)
