"""Tables in LaTeX that fit a column or a page: with names in lines, intervals below their values,
rows and columns exchanged, or in several parts, whichever is the first to fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from lingprobe.data.errors import UsageProblem
from lingprobe.data.printing import strip_unprintable
from lingprobe.tables.breaking import (
    SECTION_HEADING_POINTS,
    break_rows,
    compute_caption_room,
    format_caption,
)
from lingprobe.tables.markup import escape_latex
from lingprobe.tables.table import (
    Table,
    TableSection,
    fold_text,
    take_columns,
)

_POINTS = 72.27  # of TeX in an inch
_SIZES = (9.0, 8.0, 7.0)  # of letters
_HEAD = 12  # letters of a word in a head, beyond which it is broken
_STEP = 1.2  # from a line to the next, in sizes of letters
_GAP = 3.0  # points at each side of a column
_NARROW = 4.5  # inches, from which on a float spans both columns
_SPLITS = (" ±", " (", " → ")  # before which a cell goes on in another line
_WIDE, _THIN = frozenset("mwMW%@–→±"), frozenset("iljtfI.,:;|!'()[]-/ ")
_BOLD = 1.2  # as wide as plain letters, at most
_SMALL = 1.08  # letters of 7 points are wider for their size, in Computer Modern


@dataclass(frozen=True)
class TypesettingStyle:
    """How a table is set: size of letters; how many letters a line of words may have, 0 for any;
    whether heads are in lines, and intervals below values.
    """

    size: float
    words: int = 0
    heads: bool = False
    stacked: bool = False


def fit_table(table: Table, inches: float) -> str:
    """A LaTeX float or tabular that fits `--width`, no wider than so many inches: names go on in
    lines or further floats. UsageProblem if that cannot be.
    """
    for pieces, layout in _ways(table):
        if all(_width(piece, layout) <= inches * _POINTS for piece in pieces):
            return "\n".join(_floats(table, pieces, layout, inches))
    raise UsageProblem(
        f"this table cannot be as narrow as {inches * 25.4:.0f} mm: give another width, or choose"
        " tasks and encoders with -t and -e"
    )


def _ways(table: Table) -> Iterator[tuple[list[Table], TypesettingStyle]]:
    """Ways to set a table, the plainest first."""
    turned = [transpose_table(table)] if _can_turn(table) else []
    for size in _SIZES[:2]:
        yield [table], TypesettingStyle(size)
        for words in (30, 20):
            yield [table], TypesettingStyle(size, words, heads=True)
    for shape in ([table], turned):
        for size, words in ((9.0, 30), (8.0, 30), (8.0, 20), (7.0, 16)):
            if shape:
                yield shape, TypesettingStyle(size, words, heads=True, stacked=True)
    numbers = sum(name not in table.words for name in table.columns)
    for parts in range(2, numbers + 1):
        for words in (30, 20, 14):
            yield (
                _deal_columns(table, parts),
                TypesettingStyle(8.0, words, heads=True, stacked=True),
            )


def _can_turn(table: Table) -> bool:
    """Whether rows and columns can be exchanged: one column of words, one section."""
    return len(table.sections) == 1 and len(table.words & {*table.columns}) == 1


def transpose_table(table: Table) -> Table:
    """A row for each column of numbers, under a heading for each group, and a column for each
    row.
    """
    (section,) = table.sections
    (named,) = (i for i, name in enumerate(table.columns) if name in table.words)
    across = [c for c in range(len(table.columns)) if c != named]
    groups = table.groups or ("",) * len(table.columns)
    sections = []
    for group, columns in groupby(across, key=groups.__getitem__):
        mine = list(columns)
        rows = tuple((table.columns[c], *(row[c] for row in section.rows)) for c in mine)
        strong = frozenset((mine.index(c), r + 1) for r, c in section.strong if c in mine)
        sections.append(TableSection(group, rows, strong=strong))
    names = ("", *(row[named] for row in section.rows))
    return replace(table, columns=names, sections=tuple(sections), words=frozenset({""}), groups=())


def _deal_columns(table: Table, many: int) -> list[Table]:
    """The columns of numbers dealt out over so many tables, each with the words."""
    numbers = [i for i, name in enumerate(table.columns) if name not in table.words]
    words = [i for i, name in enumerate(table.columns) if name in table.words]
    each = -(-len(numbers) // many)
    return [
        take_columns(table, sorted([*words, *numbers[first : first + each]]))
        for first in range(0, len(numbers), each)
    ]


def _wrap_cell(cell: str, is_words: bool, layout: TypesettingStyle) -> list[str]:
    """The lines of a cell."""
    text = strip_unprintable(cell)
    if is_words:
        return fold_text(text, layout.words).split("\n") if layout.words else [text]
    if layout.stacked:
        for split in _SPLITS:
            first, sign, rest = text.partition(split)
            if sign and first:
                return [first, f"{split.strip()}{' ' * (split == _SPLITS[2])}{rest}"]
    return [text]


def _wrap_heads(table: Table, layout: TypesettingStyle) -> list[list[str]]:
    """The lines of each head, which with `heads` is no wider than what is below where it can be."""
    if not layout.heads:
        return [[strip_unprintable(name)] for name in table.columns]
    heads = []
    for c, name in enumerate(table.columns):
        below = [line for section in table.sections for row in section.rows
                 for line in _wrap_cell(row[c], name in table.words, layout)]  # fmt: skip
        letters = max((len(line) for line in below), default=1)
        heads.append(
            fold_text(strip_unprintable(name), max(letters, _longest_word(name))).split("\n")
        )
    return heads


def _points(text: str, size: float, bold: bool = False) -> float:
    """About how many points a text takes, rather too many."""
    ems = sum(
        0.36 if c in _THIN else 0.98 if c in _WIDE else 0.78 if c.isupper() else 0.54 for c in text
    )
    return ems * size * (_BOLD if bold else 1) * (_SMALL if size < _SIZES[1] else 1)


def _widths(table: Table, layout: TypesettingStyle) -> list[float]:
    """Points of each column."""
    widths = [
        max(_points(line, layout.size) for line in head) for head in _wrap_heads(table, layout)
    ]
    for section in table.sections:
        for r, row in enumerate(section.rows):
            for c, cell in enumerate(row):
                lines = _wrap_cell(cell, table.columns[c] in table.words, layout)
                bold = (r, c) in section.strong
                widths[c] = max(widths[c], *(_points(line, layout.size, bold) for line in lines))
    for name, first, after in table.spans:
        lack = 0.62 * layout.size * _longest_word(name) - _free(widths, first, after)
        widths[after - 1] += max(0.0, lack)
    return widths


def _free(widths: Sequence[float], first: int, after: int) -> float:
    """Points of some columns beside each other, with what is between them."""
    return sum(widths[first:after]) + 2 * _GAP * (after - first - 1)


def _longest_word(name: str) -> int:
    """Letters of the longest word of a head, up to those of one that is not broken."""
    words = (len(word.strip()) for word in re.split(r"(?<=[ ,/:=_-])", name))
    return min(max(words, default=0), _HEAD)


def _width(table: Table, layout: TypesettingStyle) -> float:
    widths = _widths(table, layout)
    return sum(widths) + 2 * _GAP * (len(widths) - 1)


def _floats(
    table: Table, pieces: Sequence[Table], layout: TypesettingStyle, inches: float
) -> Iterator[str]:
    """Notes as comments, and a float or a group, or several where one were higher than a page."""
    yield from (f"% {note}" for note in map(strip_unprintable, table.notes))
    yield "% \\usepackage{booktabs}"
    for place, page in enumerate(_pages(table, pieces, layout, inches)):
        yield from _float(table, page, layout, (inches, place))


def _pages(
    table: Table, pieces: Sequence[Table], layout: TypesettingStyle, inches: float
) -> list[list[Table]]:
    """The tables that go into each float."""
    points = compute_caption_room(table, inches * _POINTS)
    pages: list[list[Table]] = [[]]
    left = points
    for piece in pieces:
        height, top = partial(_height, piece, layout), _height(piece, layout)
        for part in break_rows(piece, points - top, height):
            rows = (row for section in part.sections for row in section.rows)
            tall = top + SECTION_HEADING_POINTS * len(part.sections) + sum(map(height, rows))
            if tall > left and pages[-1]:
                pages.append([])
                left = points
            pages[-1].append(part)
            left -= tall
    return pages


def _height(table: Table, layout: TypesettingStyle, row: Sequence[str] | None = None) -> float:
    """Points of a row, or of the heads with the space around the table."""
    if row is None:
        heads = max(map(len, _wrap_heads(table, layout))) + 2 * any(table.groups)
        return _STEP * layout.size * (heads + 2)
    named = zip(row, table.columns, strict=True)
    lines = (_wrap_cell(cell, name in table.words, layout) for cell, name in named)
    return _STEP * layout.size * max(map(len, lines))


def _float(
    table: Table, page: Sequence[Table], layout: TypesettingStyle, where: tuple[float, int]
) -> Iterator[str]:
    """Tables below each other in a float so many inches wide, the first of its table or a later
    one; in a group where there is no caption.
    """
    inches, place = where
    star = "*" * (inches >= _NARROW)
    yield from [f"\\begin{{table{star}}}", "\\centering"] if table.caption else ["\\begingroup"]
    yield f"\\fontsize{{{layout.size:g}}}{{{_STEP * layout.size:.1f}}}\\selectfont"
    yield f"\\setlength{{\\tabcolsep}}{{{_GAP:g}pt}}"
    for i, piece in enumerate(page):
        yield "\\par\\medskip\\noindent" if i else "\\par\\noindent"
        yield from _tabular(piece, layout)
    if not table.caption:
        yield "\\par\\endgroup\n"
        return
    yield from format_caption(table, place, escape_latex)
    yield f"\\end{{table{star}}}\n"


def _tabular(table: Table, layout: TypesettingStyle) -> Iterator[str]:
    many, whole = len(table.columns), _width(table, layout)
    align = "".join("l" if name in table.words else "r" for name in table.columns)
    yield from (f"\\begin{{tabular}}{{@{{}}{align}@{{}}}}", "\\toprule")
    yield from _format_group_line(table, layout)
    heads = zip(_wrap_heads(table, layout), align, strict=True)
    yield " & ".join(_format_latex_cell(lines, side, False, "b") for lines, side in heads) + r" \\"
    for section in table.sections:
        yield from ["\\midrule"] * (1 + section.apart)
        if section.heading:
            letters = int(whole / layout.size / 0.54 / _BOLD)
            lines = fold_text(strip_unprintable(section.heading), letters).split("\n")
            yield (
                f"\\multicolumn{{{many}}}{{@{{}}l@{{}}}}"
                f"{{{_format_latex_cell(lines, 'l', True)}}} \\\\"
            )
        for r, row in enumerate(section.rows):
            yield from [f"\\cmidrule(lr){{1-{many}}}"] * (r in section.rules)
            cells = (_wrap_cell(cell, align[c] == "l", layout) for c, cell in enumerate(row))
            yield (
                " & ".join(
                    _format_latex_cell(lines, align[c], (r, c) in section.strong)
                    for c, lines in enumerate(cells)
                )
                + r" \\"
            )
    yield from ("\\bottomrule", "\\end{tabular}")


def _format_group_line(table: Table, layout: TypesettingStyle) -> Iterator[str]:
    """A line with the names of the groups, each no wider than its columns."""
    if not any(table.groups):
        return
    widths, cells, rules = _widths(table, layout), [], []
    for name, first, after in table.spans:
        letters = int(_free(widths, first, after) / layout.size / 0.62)
        lines = fold_text(strip_unprintable(name), max(4, _longest_word(name), letters)).split("\n")
        cells.append(
            f"\\multicolumn{{{after - first}}}{{c}}{{{_format_latex_cell(lines, 'c', False, 'b')}}}"
        )
        rules += [f"\\cmidrule(lr){{{first + 1}-{after}}}"] * bool(name)
    yield " & ".join(cells) + r" \\"
    yield " ".join(rules)


def _format_latex_cell(lines: Sequence[str], side: str, bold: bool, place: str = "t") -> str:
    """A cell, in lines where it has several."""
    text = r" \\ ".join(map(escape_latex, lines))
    if len(lines) > 1:
        text = f"\\begin{{tabular}}[{place}]{{@{{}}{side}@{{}}}}{text}\\end{{tabular}}"
    return f"\\textbf{{{text}}}" if bold else text
