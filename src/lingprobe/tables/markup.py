"""Tables as Markdown and as LaTeX, for other people's pages. Whatever a name contains, it is shown
as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from lingprobe.data.printing import strip_unprintable
from lingprobe.tables.breaking import break_rows, compute_caption_room, format_caption
from lingprobe.tables.table import (
    Table,
    TableSection,
)

_MINUS = re.compile(r"(?<![^ (\[])-(?=\d)")
_WIDE, _ROW, _HEADS = 345.0, 11.0, 44.0  # points of `article`: its width, a small line, and heads
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
    "•": r"\textbullet{}",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "×": r"$\times$",
    "→": r"$\rightarrow$",
    "−": r"$-$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


def format_markdown(table: Table) -> str:
    """A Markdown page: one pipe table a section; of several groups, columns bear the names, since
    pipe tables have one line of heads.
    """
    parts = [f"# {_md(table.title)}"] if table.title else []
    parts += map(_md, table.lead)
    groups = {name for name in table.groups if name}
    if len(groups) == 1:
        parts.append(f"**{_md(groups.pop())}**")
        table = replace(table, groups=())
    for section in table.sections:
        parts += ["---"] if section.apart else []
        if section.heading:
            parts.append(
                f"**{_md(section.heading)}**" + (f" {_md(section.line)}" if section.line else "")
            )
        parts.append("\n".join(_pipes(table, section)))
    parts += [_md(note) for note in table.notes]
    return "\n\n".join(parts) + "\n"


def _pipes(table: Table, section: TableSection) -> list[str]:
    rule = ["---" if name in table.words else "---:" for name in table.columns]
    rows = [list(map(_md, row)) for row in section.rows]
    for r, c in section.strong:
        rows[r][c] = f"**{rows[r][c]}**"
    for r in sorted(section.rules, reverse=True):
        rows.insert(r, ["—", *[""] * (len(table.columns) - 1)])  # pipe tables have no other rule
    groups = [f"{group} " if group else "" for group in table.groups or [""] * len(table.columns)]
    head = [_md(group + name) for group, name in zip(groups, table.columns, strict=True)]
    return ["| " + " | ".join(row) + " |" for row in (head, rule, *rows)]


def _md(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", strip_unprintable(text))


def format_latex(table: Table) -> str:
    """A LaTeX tabular in the manner of booktabs, one block a section; in floats where the table has
    a caption, one if it is no higher than a page.
    """
    lines = [f"% {note}" for note in map(strip_unprintable, (*table.lead, *table.notes))]
    lines.append("% \\usepackage{booktabs}")
    if not table.caption:
        return "\n".join([*lines, *_tabular(table)]) + "\n"
    for place, page in enumerate(
        break_rows(table, compute_caption_room(table, _WIDE) - _HEADS, lambda _: _ROW)
    ):
        lines += ["\\begin{table*}", "\\centering", "\\small", "\\setlength{\\tabcolsep}{4pt}"]
        lines += [*_tabular(page), *format_caption(table, place, escape_latex), "\\end{table*}"]
    return "\n".join(lines) + "\n"


def _tabular(table: Table) -> Iterator[str]:
    align = "".join("l" if name in table.words else "r" for name in table.columns)
    yield from (f"\\begin{{tabular}}{{{align}}}", "\\toprule")
    yield from _tex_groups(table)
    yield _tex_row(table.columns)
    for section in table.sections:
        yield from ["\\midrule"] * (1 + section.apart)
        if section.heading:
            heading = f"\\textbf{{{escape_latex(section.heading)}}}"
            yield f"\\multicolumn{{{len(table.columns)}}}{{l}}{{{heading}}} \\\\"
        for r, row in enumerate(section.rows):
            yield from [f"\\cmidrule(lr){{1-{len(table.columns)}}}"] * (r in section.rules)
            yield _tex_row(row, frozenset(c for at, c in section.strong if at == r))
    yield from ("\\bottomrule", "\\end{tabular}")


def _tex_groups(table: Table) -> Iterator[str]:
    """A line with the names of the groups above a rule for each, where there are some."""
    if any(table.groups):
        cells = [
            f"\\multicolumn{{{after - first}}}{{c}}{{{escape_latex(name)}}}"
            for name, first, after in table.spans
        ]
        yield " & ".join(cells) + r" \\"
        yield " ".join(
            f"\\cmidrule(lr){{{first + 1}-{after}}}" for name, first, after in table.spans if name
        )


def _tex_row(cells: tuple[str, ...], strong: frozenset[int] = frozenset()) -> str:
    return (
        " & ".join(
            f"\\textbf{{{escape_latex(cell)}}}" if c in strong else escape_latex(cell)
            for c, cell in enumerate(cells)
        )
        + r" \\"
    )


def escape_latex(text: str) -> str:
    """A text as LaTeX sets it; a hyphen before a number is a minus sign."""
    return "".join(_LATEX.get(c, c) for c in _MINUS.sub("−", strip_unprintable(text)))
