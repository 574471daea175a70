"""Tables for pages: HTML without scripts, Markdown and LaTeX. Whatever a name contains, the page
shows it as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

from sonde.tables.table import Section, Table, printable

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
        yield (f'<p class="note">{_text(section.line)}</p>' if section.line else "") + _html_table(
            table, section
        )
    yield from (f'<p class="note">{_text(note)}</p>' for note in table.notes)


def _html_table(table: Table, section: Section) -> str:
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


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "±": r"$\pm$",
    "▸": r"$\triangleright$",
}


def markdown(table: Table) -> str:
    """A Markdown page: one pipe table a section."""
    parts = [f"# {_md(table.title)}"] if table.title else []
    for section in table.sections:
        parts += ["---"] if section.apart else []
        if section.heading:
            parts.append(
                f"**{_md(section.heading)}**" + (f" {_md(section.line)}" if section.line else "")
            )
        parts.append("\n".join(_pipes(table, section)))
    parts += [_md(note) for note in table.notes]
    return "\n\n".join(parts) + "\n"


def _pipes(table: Table, section: Section) -> list[str]:
    rule = ["---" if name in table.words else "---:" for name in table.columns]
    rows = [list(map(_md, row)) for row in section.rows]
    for r, c in section.strong:
        rows[r][c] = f"**{rows[r][c]}**"
    for r in sorted(section.rules, reverse=True):
        rows.insert(r, ["—", *[""] * (len(table.columns) - 1)])  # pipe tables have no other rule
    return ["| " + " | ".join(row) + " |" for row in (map(_md, table.columns), rule, *rows)]


def _md(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", printable(text))


def latex(table: Table) -> str:
    """A LaTeX tabular in the manner of booktabs, one block a section."""
    align = "".join("l" if name in table.words else "r" for name in table.columns)
    lines = [f"% {note}" for note in map(printable, table.notes)]
    lines += [
        "% \\usepackage{booktabs}",
        f"\\begin{{tabular}}{{{align}}}",
        "\\toprule",
        _tex_row(table.columns),
    ]
    for section in table.sections:
        lines += ["\\midrule"] * (1 + section.apart)
        if section.heading:
            lines.append(
                f"\\multicolumn{{{len(table.columns)}}}{{l}}{{\\textbf{{{_tex(section.heading)}}}}}"
                " \\\\"
            )
        for r, row in enumerate(section.rows):
            lines += [f"\\cmidrule(lr){{1-{len(table.columns)}}}"] * (r in section.rules)
            lines.append(_tex_row(row, frozenset(c for at, c in section.strong if at == r)))
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}"]) + "\n"


def _tex_row(cells: tuple[str, ...], strong: frozenset[int] = frozenset()) -> str:
    return (
        " & ".join(
            f"\\textbf{{{_tex(cell)}}}" if c in strong else _tex(cell)
            for c, cell in enumerate(cells)
        )
        + r" \\"
    )


def _tex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in printable(text))
