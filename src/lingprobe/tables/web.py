"""Pages for browsers: chapters of text, tables and figures, laid out by one template in one file
that asks nobody for anything. Every text is escaped; what a page may do is in its security policy.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from lingprobe.data.digests import checksum_bytes
from lingprobe.data.printing import strip_unprintable
from lingprobe.tables.drawing import PlotProblem, render_svg
from lingprobe.tables.table import (
    Table,
    TableSection,
)

if TYPE_CHECKING:
    from jinja2 import Environment
    from matplotlib.figure import Figure

    Drawn = Callable[[], Figure]

_FOLDER = Path(__file__).parent / "templates"
_MANY = 12  # rows or columns, from which on a table can be filtered
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'; img-src data:;"
    " base-uri 'none'; form-action 'none'"
)
"""What a page may do: its own style and its own script, and no request whatsoever."""


@dataclass(frozen=True, slots=True)
class ProseBlock:
    """Paragraphs; of the tone 'finding' what is to be read first, of 'note' small print."""

    kind: ClassVar[str] = "prose"
    paragraphs: tuple[str, ...]
    tone: str = ""


@dataclass(frozen=True, slots=True)
class TermBlock:
    """Things with what is said of them."""

    kind: ClassVar[str] = "terms"
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Text to copy as it is, under what it is."""

    kind: ClassVar[str] = "code"
    text: str
    caption: str


@dataclass(frozen=True, slots=True)
class SvgPicture:
    """A figure, as an SVG element that our own writer made, and what stands below it."""

    kind: ClassVar[str] = "picture"
    svg: str
    caption: str = ""


class TableFacet(NamedTuple):
    """A choice of rows or columns by a value that they have.

    of      rows or columns, of the first section
    values  of each of them, in order; those with '' are always shown
    """

    label: str
    of: Literal["rows", "columns"]
    values: tuple[str, ...]


class TableVariants(NamedTuple):
    """Other contents of the cells of a table, one of which is shown when it is chosen.

    label  what is chosen, as 'Layer', and what cells show at first, as `usual`
    names  of the contents
    cells  of a row of the first section, by column: a text for each name, '' where there is none;
           without | and ;, which keep them apart
    """

    label: str
    usual: str
    names: tuple[str, ...]
    cells: Mapping[int, Mapping[int, tuple[str, ...]]]

    def of_row(self, row: int) -> str:
        """Those of a row as an attribute: columns apart by |, contents by ;."""
        mine = self.cells.get(row, {})
        return "|".join(f"{c};{';'.join(texts)}" for c, texts in mine.items())


@dataclass(frozen=True, slots=True)
class TableSheet:
    """A table that readers sort and filter.

    caption   what a section without a heading is called
    classes   of cells (section, row, column): how they look beside bold
    links     of cells: the address of a page on what they name
    facets    choices of rows and columns
    variants  other contents of cells; None for none
    """

    kind: ClassVar[str] = "sheet"
    table: Table
    caption: str = ""
    classes: Mapping[tuple[int, int, int], str] = field(default_factory=dict)
    links: Mapping[tuple[int, int, int], str] = field(default_factory=dict)
    facets: tuple[TableFacet, ...] = ()
    variants: TableVariants | None = None

    @property
    def choices(self) -> str:
        """What can be chosen, as JSON; '' for nothing."""
        made: dict[str, Any] = {}
        if self.facets:
            made["facets"] = [each._asdict() for each in self.facets]
        if self.variants:
            label, usual, names, _ = self.variants
            made["variants"] = {"label": label, "usual": usual, "names": names}
        return json.dumps(made, ensure_ascii=False) if made else ""


@dataclass(frozen=True, slots=True)
class TextDownload:
    """A text that a link saves as a file, which the page brings along."""

    kind: ClassVar[str] = "download"
    title: str
    name: str
    text: str

    @property
    def address(self) -> str:
        """The text as an address."""
        written = self.text.encode("utf-8", "replace")  # a name may have half of a character
        return f"data:text/plain;base64,{base64.b64encode(written).decode()}"


@dataclass(frozen=True, slots=True)
class LinkBlock:
    """Addresses of other pages with their titles, behind what they are for."""

    kind: ClassVar[str] = "links"
    text: str
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class FoldedBlock:
    """Blocks that are shown when somebody asks for them."""

    kind: ClassVar[str] = "folded"
    summary: str
    blocks: tuple[PageBlock, ...]


PageBlock = (
    ProseBlock
    | TermBlock
    | CodeBlock
    | SvgPicture
    | TableSheet
    | TextDownload
    | LinkBlock
    | FoldedBlock
)
"""What a chapter of a page for browsers may hold."""


class PageChapter(NamedTuple):
    """Blocks under a title; its anchor is what addresses of it end with."""

    anchor: str
    title: str
    blocks: tuple[PageBlock, ...]


class WebDocument(NamedTuple):
    """What a file for browsers shows: a title, what it is about in a line, and chapters."""

    title: str
    about: str
    chapters: tuple[PageChapter, ...]

    def text(self) -> str:
        """The whole file."""
        return _render_template("document.html", page=self)


class TemplateCell(NamedTuple):
    """A cell as the template lays it out."""

    text: str
    heads: bool
    look: str
    strong: bool
    link: str = ""


class TemplateRow(NamedTuple):
    """A row as the template lays it out, with the other contents of its cells."""

    cells: list[TemplateCell]
    variants: str


class SectionLayout(NamedTuple):
    """A section as the template lays it out: rows in bodies, between which rules stand."""

    caption: str
    line: str
    heads: tuple[tuple[str, bool], ...]
    spans: list[tuple[str, int, int]]
    bodies: list[list[TemplateRow]]
    rows: bool
    columns: bool
    choices: str


def tables_document(tables: Sequence[Table], figure: Drawn | None = None) -> str:
    """Tables below each other as a file, under a figure."""
    title = next((table.title for table in tables if table.title), "lingprobe")
    drawn = (picture(figure),) if figure else ()
    below = (replace(each, title="" if each.title == title else each.title) for each in tables)
    blocks = (block for table in below for block in _list_section_blocks(table))
    return WebDocument(title, "", (PageChapter("tables", "", (*drawn, *blocks)),)).text()


def render_notebook(tables: Sequence[Table], figure: Drawn | None = None) -> str:
    """The same as an element of a notebook's page, which has its own colours."""
    drawn = (picture(figure),) if figure else ()
    blocks = (block for table in tables for block in _list_section_blocks(table))
    return _render_template("notebook.html", blocks=(*drawn, *blocks))


def picture(draw: Drawn, caption: str = "") -> PageBlock:
    """A figure, or why there is none."""
    try:
        return SvgPicture(render_svg(draw), caption)
    except PlotProblem as problem:
        return ProseBlock((f"No figure: {problem}.",), "note")


def _list_section_blocks(table: Table) -> Iterator[PageBlock]:
    if table.lead:
        yield ProseBlock(table.lead, "finding")
    if table.sections:
        yield TableSheet(table)
    if table.notes:
        yield ProseBlock(table.notes, "note")


def _render_template(template: str, **values: Any) -> str:
    script = (_FOLDER / "page.js").read_text("utf-8")
    digest = base64.b64encode(checksum_bytes(script.encode())).decode()
    policy = _POLICY.format(digest)
    style = (_FOLDER / "page.css").read_text("utf-8")
    made = _templates().get_template(template)
    text = made.render(values, policy=policy, script=script, style=style)
    return text.rstrip() + "\n"


@cache
def _templates() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: strip_unprintable(value) if type(value) is str else value,
    )
    made.globals["laid"] = lay_out_sections
    return made


def lay_out_sections(sheet: TableSheet) -> Iterator[SectionLayout]:
    """The sections of a table, each as a table of its own."""
    table = sheet.table
    heads = tuple((name, name in table.words) for name in table.columns)
    for number, section in enumerate(table.sections):
        bodies = [
            [_build_template_row(sheet, number, section, r) for r in range(first, after)]
            for first, after in pairwise([0, *sorted(section.rules), len(section.rows)])
        ]
        yield SectionLayout(
            section.heading or sheet.caption,
            section.line,
            heads,
            table.spans if any(table.groups) else [],
            bodies,
            len(section.rows) >= _MANY,
            len(table.columns) - len(table.words) >= _MANY,
            "" if number else sheet.choices,
        )


def _build_template_row(
    sheet: TableSheet, number: int, section: TableSection, r: int
) -> TemplateRow:
    words = [name in sheet.table.words for name in sheet.table.columns]
    variants = sheet.variants.of_row(r) if sheet.variants and not number else ""
    cells = [
        TemplateCell(
            text,
            c == 0 and words[0],
            " ".join(
                filter(None, ("w" if words[c] else "", sheet.classes.get((number, r, c), "")))
            ),
            (r, c) in section.strong,
            sheet.links.get((number, r, c), ""),
        )
        for c, text in enumerate(section.rows[r])
    ]
    return TemplateRow(cells, variants)
