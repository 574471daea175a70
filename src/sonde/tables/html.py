"""Tables as a page for browsers: one file without scripts, in which every name is text and nothing
else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from sonde.tables.table import Section, Table
from sonde.tables.text import printable

STYLE = """body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem; color: #1c2328 }
table { border-collapse: collapse; margin: .4rem 0 1.6rem; font-variant-numeric: tabular-nums }
th, td { padding: .15rem .7rem; text-align: right; white-space: nowrap }
th { border-bottom: 1px solid #889 }
.w { text-align: left } .r td { border-top: 1px solid #bbc }
.note { color: #556; max-width: 60rem } svg { max-width: 100%; height: auto }"""
ROWS = {False: "<tr>", True: '<tr class="r">'}  # below a rule


def html(table: Table) -> str:
    """One table as a page."""
    return document([table])


def document(tables: Sequence[Table], figure: str = "") -> str:
    """Several tables as one page, below a figure (SVG, put in as it is)."""
    title = next((table.title for table in tables if table.title), "sonde")
    head = (
        '<!doctype html>\n<html lang="en">\n<meta'
        f' charset="utf-8">\n<title>{_text(title)}</title>\n<style>{STYLE}</style>\n'
    )
    return (
        head
        + figure
        + "\n".join(part for table in tables for part in _parts(table))
        + "\n</html>\n"
    )


def _parts(table: Table) -> Iterator[str]:
    if table.title:
        yield f"<h1>{_text(table.title)}</h1>"
    for section in table.sections:
        yield "<hr>" * section.apart + (
            f"<h2>{_text(section.heading)}</h2>" if section.heading else ""
        )
        yield (f'<p class="note">{_text(section.line)}</p>' if section.line else "") + _table(
            table, section
        )
    yield from (f'<p class="note">{_text(note)}</p>' for note in table.notes)


def _table(table: Table, section: Section) -> str:
    kinds = [' class="w"' if name in table.words else "" for name in table.columns]
    head = "".join(
        f"<th{kind}>{_text(name)}</th>" for kind, name in zip(kinds, table.columns, strict=True)
    )
    rows = []
    for r, row in enumerate(section.rows):
        cells = [
            f"<b>{_text(cell)}</b>" if (r, c) in section.strong else _text(cell)
            for c, cell in enumerate(row)
        ]
        rows.append(
            ROWS[r in section.rules]
            + "".join(f"<td{kind}>{cell}</td>" for kind, cell in zip(kinds, cells, strict=True))
            + "</tr>"
        )
    return "\n".join(["<table>", f"<tr>{head}</tr>", *rows, "</table>"])


def _text(text: str) -> str:
    return escape(printable(text))
