"""Tables for pages: Markdown and LaTeX. Whatever a name contains, the page shows it as it is."""

from __future__ import annotations

import re

from sonde.tables.table import Section, Table
from sonde.tables.text import printable

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
