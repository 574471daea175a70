"""CoNLL-U, read as a stream and checked as it is read: `read_conllu(path)` yields one `TreeColumns`
a sentence.

A block of lines is cut into columns at once and each column is checked as a whole; only what fails,
or has multiword tokens or empty nodes, is looked at line by line. With `on_error="skip"` a bad
sentence is counted in a `ProblemTally`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lingprobe.corpora.files import decode_text, read_chunks
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.corpora.trees import (
    MultiwordToken,
    TreeColumns,
    are_withheld,
    compute_tree_depth,
    is_spelled_by,
    parse_features,
    rebuild_text,
)
from lingprobe.data.core import DataProblem


class _Heads(dict[str, int]):
    """'0' -> -1, '1' -> 0, ...: only canonical numbers, which int() would be too generous about."""

    def __missing__(self, text: str) -> int:
        """The number, or a ValueError that holds the text."""
        if (
            not (text.isascii() and text.isdigit())
            or (len(text) > 1 and text[0] == "0")
            or len(text) > 9
        ):
            raise ValueError(text)
        self[text] = int(text) - 1
        return self[text]


CONLLU_SUFFIXES = (".conllu",)
TREE_SUFFIXES = (*CONLLU_SUFFIXES, ".conllup", ".cupt")
"""Endings of CoNLL-U, and of CoNLL-U Plus, whose first line names its columns."""
_STANDARD = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_NEEDED = ("ID", "FORM", "HEAD", "DEPREL")
_GLOBAL = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:#[^\n]*\n)*?# *global\.columns *=([^\r\n]*)")
Rows = tuple[tuple[str, ...], ...]

_BODY = re.compile(r"\n(?!#)")
_COMMENT = re.compile(r"#\s*(text|sent_id)\s*=\s*(.*\S)")
_KNOWN: set[str] = set()  # FEATS values that were found well-formed
_REMEMBERED = 1 << 16
HEAD_NUMBERS = _Heads()
_IDS: list[list[str]] = [[str(i + 1) for i in range(n)] for n in range(256)]


def read_conllu(
    path: str | Path, on_error: OnError = "raise", tally: ProblemTally | None = None
) -> Iterator[TreeColumns]:
    """The trees of one CoNLL-U file, in order; what is wrong with it is a DataProblem that names
    file and line.
    """
    source = ConlluFile(str(path), on_error, ProblemTally() if tally is None else tally)
    line = 1
    for data in standard_chunks(path):
        yield from parse_trees(data, line, source)
        line += data.count(b"\n")


def standard_chunks(path: str | Path) -> Iterator[bytes]:
    """A file in pieces that end between sentences, with the ten columns of CoNLL-U: where its first
    line names others (`# global.columns`), those of the ten that it has, in their order, and `_`
    for the rest. DataProblem where columns are missing without which there is no tree.
    """
    places: list[int] = []
    for number, data in enumerate(read_chunks(path, b"\n\n")):
        if number == 0 and (found := _GLOBAL.match(data)):
            names = found[1].decode("utf-8", "replace").split()
            if names != list(_STANDARD):
                places = _find_columns(names, path)
        yield _arrange_columns(data, places) if places else data


def _find_columns(names: Sequence[str], path: str | Path) -> list[int]:
    """The place of each of the ten columns, -1 for none; then how many columns there are."""
    if lacking := [name for name in _NEEDED if name not in names]:
        raise DataProblem(
            f"{path}:1: its global.columns have no {', '.join(lacking)}, so that it has no trees;"
            f" its words and labels are read as edge/tags:{path},column={names[-1]}"
        )
    return [*(names.index(name) if name in names else -1 for name in _STANDARD), len(names)]


def _arrange_columns(data: bytes, places: Sequence[int]) -> bytes:
    """Lines with the ten columns, in order; a line with fewer or more columns than the first line
    names has as many fewer or more than ten, and is found to be wrong.
    """
    *ten, width = places
    lines = data.split(b"\n")
    for i, line in enumerate(lines):
        cells = line.removesuffix(b"\r").split(b"\t")
        if not line.strip() or line.startswith(b"#"):
            continue
        kept = [cells[place] if 0 <= place < len(cells) else b"_" for place in ten]
        beyond = len(cells) - width
        lines[i] = b"\t".join([*kept[: max(10 + beyond, 1)], *[b"_"] * beyond])
    return b"\n".join(lines)


@dataclass(frozen=True, slots=True)
class ConlluFile:
    """What reading one file goes by; `forms` holds one string a distinct word, so that a long file
    does not hold each many times.
    """

    path: str
    on_error: OnError
    tally: ProblemTally
    forms: dict[str, str] = field(default_factory=dict)


def parse_trees(data: bytes, line: int, source: ConlluFile) -> Iterator[TreeColumns]:
    """The trees of a piece of a file that begins on `line` and ends between sentences."""
    for first, block in _split_at_blank_lines(data, line, source):
        try:
            tree = _tree(block, source, first)
        except DataProblem as problem:
            source.tally.refuse(problem, source.on_error)
            continue
        if tree is not None and are_withheld(tree.words, source.tally.withheld > 0):
            source.tally.withheld += 1
            source.tally.skip(
                f"{source.path}:{tree.line}: its words are withheld, and _ stands for them; get the"
                " text that belongs to the treebank"
            )
        elif tree is not None:
            source.tally.sentences += 1
            source.tally.words += len(tree.words)
            yield tree


def _split_at_blank_lines(data: bytes, line: int, source: ConlluFile) -> Iterator[tuple[int, str]]:
    """What lies between blank lines, with the number of its first line."""
    data = _clear_blank_lines(data, line, source)
    try:
        blocks = decode_text(data, source.path, line).split("\n\n")
    except DataProblem as problem:
        if source.on_error == "raise":
            source.tally.refuse(problem, source.on_error)
        blocks = _readable(data, source.path, line, source.tally)
    for block in blocks:
        if block and block[0] != "\n" and block[-1] != "\n":
            yield line, block
        elif stripped := block.strip("\n"):
            yield line + block.index(stripped[0]), stripped
        line += block.count("\n") + 2


_NEARLY_BLANK = re.compile(rb"^[ \t]+$", re.MULTILINE)


def _clear_blank_lines(data: bytes, line: int, source: ConlluFile) -> bytes:
    """The same bytes; lines of spaces and tabs are an error, or end a sentence as blank ones do,
    which is said.
    """
    match = _NEARLY_BLANK.search(data)
    if match is None:
        return data
    line += data.count(b"\n", 0, match.start())
    problem = (
        f"{source.path}:{line}: the line between sentences must be empty, without spaces or tabs"
    )
    if source.on_error == "raise":
        source.tally.refuse(problem, source.on_error)
    source.tally.say(f"{problem}; such lines were taken for empty ones", once=f"{source.path}:")
    return _NEARLY_BLANK.sub(b"", data)


def _readable(data: bytes, path: str, line: int, tally: ProblemTally) -> list[str]:
    """The blocks of a piece of a file, those that are not UTF-8 counted and left empty (as many
    lines long).
    """
    blocks = []
    for block in data.split(b"\n\n"):
        try:
            blocks.append(decode_text(block, path, line))
        except DataProblem as problem:
            tally.skip(str(problem))
            blocks.append("\n" * block.count(b"\n"))
        line += block.count(b"\n") + 2
    return blocks


def _tree(block: str, source: ConlluFile, line: int) -> TreeColumns | None:
    """One block as a tree; None where it holds comments only."""
    comments, body, text, sent_id = split_header(block)
    if not body:
        return None
    path, first, intern = source.path, line + len(comments), source.forms.setdefault
    cells, ranges, empty = _cut_into_cells(body, path, first)
    if not all(cells):
        raise DataProblem(_empty_cell(body, path, first))
    heads, deep = _parse_heads(cells[6::11], body, path, first)
    feats = tuple(cells[5::11])
    if not _KNOWN.issuperset(feats):
        _check_features(feats, body, path, first)
    forms = cells[1::11]
    words = tuple(map(intern, forms, forms))
    if not (text and is_spelled_by(text, words, ranges)):
        if text:
            source.tally.mistell(f"{path}:{line}")
        text = rebuild_text(words, cells[9::11], ranges)
    return TreeColumns(
        words,
        tuple(cells[3::11]),
        feats,
        heads,
        tuple(cells[7::11]),
        deep,
        ranges,
        empty,
        comments,
        text,
        sent_id,
        path,
        line,
        cells,
    )


def split_header(block: str) -> tuple[tuple[str, ...], str, str, str]:
    """The lines that begin with #, the rest, and what the comments tell: the raw string and the
    identifier ('' if untold).
    """
    if block[0] != "#":
        return (), block, "", ""
    body = _BODY.search(block)
    comments = tuple((block[: body.start()] if body else block).split("\n"))
    text = sent_id = ""
    for comment in comments:
        if comment.startswith("# text = "):
            text = comment[9:].strip()
        elif comment.startswith("# sent_id = "):
            sent_id = comment[12:].strip()
        elif match := _COMMENT.match(comment):
            text, sent_id = (match[2], sent_id) if match[1] == "text" else (text, match[2])
    return comments, block[body.end() :] if body else "", text, sent_id


def _cut_into_cells(
    body: str, path: str, first: int
) -> tuple[list[str], tuple[MultiwordToken, ...], Rows]:
    """The words' rows end to end, eleven cells a row (the last is a line end), multiword tokens,
    and rows of empty nodes.
    """
    cells = body.replace("\n", "\t\n\t").split("\t")
    cells.append("\n")
    size = len(cells) // 11
    if len(cells) == 11 * size and cells[10::11].count("\n") == size < len(_IDS):
        names = cells[::11]
        if names == _IDS[size]:
            return cells, (), ()
        others = [k for k, name in enumerate(names) if not name.isdigit()]
        rows = [cells[11 * k : 11 * k + 10] for k in others]
        for k in reversed(others):
            del cells[11 * k : 11 * k + 11]
        words = size - len(others)
        if 0 < words < size and cells[::11] == _IDS[words]:
            return cells, *_extras(others, rows, words, (path, first))
    return _read_rows_by_line(body, path, first)


def _extras(
    places: list[int], rows: list[list[str]], size: int, where: tuple[str, int]
) -> tuple[tuple[MultiwordToken, ...], Rows]:
    """The multiword tokens and the empty nodes among rows that are no words', by their places in a
    sentence of `size` words.
    """
    path, first = where
    extras: tuple[list[MultiwordToken], list[tuple[str, ...]]] = ([], [])
    for before, (place, row) in enumerate(zip(places, rows, strict=True)):
        add_extra_row(row, place - before, extras, f"{path}:{first + place}")
    return check_ranges(extras[0], size, f"{path}:{first}"), tuple(extras[1])


def _read_rows_by_line(
    body: str, path: str, first: int
) -> tuple[list[str], tuple[MultiwordToken, ...], Rows]:
    """The same, line by line: long sentences, and those in which something is out of order, which
    is named by its line.
    """
    cells: list[str] = []
    ranges: list[MultiwordToken] = []
    empty: list[tuple[str, ...]] = []
    n = 0
    for line, text in enumerate(body.split("\n"), first):
        row = text.split("\t")
        if len(row) != 10:
            raise DataProblem(f"{path}:{line}: {len(row)} columns instead of 10{_why(text)}")
        if row[0] == str(n + 1):
            cells += [*row, "\n"]
            n += 1
        else:
            add_extra_row(row, n, (ranges, empty), f"{path}:{line}")
    if not n:
        raise DataProblem(f"{path}:{first}: a sentence without words")
    return cells, check_ranges(ranges, n, f"{path}:{first}"), tuple(empty)


def add_extra_row(
    row: list[str],
    n: int,
    extras: tuple[list[MultiwordToken], list[tuple[str, ...]]],
    location: str,
) -> None:
    """Add a row that is not a word's, and that stands after n words, to the multiword tokens or to
    the empty nodes.
    """
    ranges, empty = extras
    name = row[0]
    if "-" in name:
        ranges.append(_range(row, n, ranges, location))
    elif "." in name:
        last = (
            int(empty[-1][0].partition(".")[2]) if empty and empty[-1][0].startswith(f"{n}.") else 0
        )
        if name != f"{n}.{last + 1}":
            raise DataProblem(
                f"{location}: id {name!r} instead of {n}.{last + 1} for an empty node; number them"
                " in order"
            )
        empty.append(tuple(row))
    else:
        raise DataProblem(
            f"{location}: id {name!r} instead of {n + 1}; words are numbered from 1, in order"
        )


def check_ranges(
    ranges: list[MultiwordToken], size: int, location: str
) -> tuple[MultiwordToken, ...]:
    """The multiword tokens of a sentence of `size` words, which the last must not go beyond."""
    if ranges and ranges[-1].stop > size:
        raise DataProblem(
            f"{location}: a multiword token ends with word {ranges[-1].stop}, the sentence with"
            f" word {size}"
        )
    return tuple(ranges)


def _why(text: str) -> str:
    if text.startswith("#"):
        return "; comments stand before the words"
    return "; columns are separated by single tabs"


def _range(row: list[str], words: int, before: list[MultiwordToken], where: str) -> MultiwordToken:
    start, _, stop = row[0].partition("-")
    try:
        token = MultiwordToken(HEAD_NUMBERS[start], HEAD_NUMBERS[stop] + 1, row[1], row[9])
    except ValueError:
        raise DataProblem(f"{where}: id {row[0]!r} is not a range such as 3-4") from None
    if (
        token.start != words
        or token.stop <= token.start
        or (before and before[-1].stop > token.start)
    ):
        raise DataProblem(
            f"{where}: the multiword token {row[0]} does not begin with the next word, {words + 1},"
            " or overlaps another"
        )
    return token


def _parse_heads(
    column: Sequence[str], body: str, path: str, first: int
) -> tuple[tuple[int, ...], int]:
    """The head column as indices, with the depth; not a tree is a DataProblem."""
    size = len(column)
    try:
        heads = tuple(map(HEAD_NUMBERS.__getitem__, column))
    except ValueError as error:
        i = list(column).index(str(error))
        raise DataProblem(
            f"{path}:{_find_word_line(body, i, first)}: head {str(error)!r} is not a number from"
            f" 0 to {size}"
        ) from None
    if max(heads) >= size:
        i = next(k for k, head in enumerate(heads) if head >= size)
        raise DataProblem(
            f"{path}:{_find_word_line(body, i, first)}: head {column[i]} is outside the sentence of"
            f" {size} words"
        )
    if heads.count(-1) != 1:
        roots = [k for k, head in enumerate(heads) if head < 0]
        line = _find_word_line(body, roots[1], first) if roots else first
        raise DataProblem(f"{path}:{line}: {len(roots) or 'no'} roots; exactly one word has head 0")
    deep = compute_tree_depth(heads)
    if not deep:
        raise DataProblem(f"{path}:{first}: the heads run in a circle, so this is not a tree")
    return heads, deep


def _check_features(column: tuple[str, ...], body: str, path: str, first: int) -> None:
    for raw in set(column) - _KNOWN:
        try:
            parse_features(raw)
        except ValueError as error:
            raise DataProblem(
                f"{path}:{_find_word_line(body, column.index(raw), first)}: FEATS: {error}"
            ) from None
        if len(_KNOWN) < _REMEMBERED:
            _KNOWN.add(raw)


def _find_word_line(body: str, word: int, first: int) -> int:
    """The line of word i, counting the rows of multiword tokens and empty nodes before it."""
    return next(
        k for k, row in enumerate(body.split("\n"), first) if row.split("\t", 1)[0] == str(word + 1)
    )


def _empty_cell(body: str, path: str, first: int) -> str:
    line = next(k for k, row in enumerate(body.split("\n"), first) if not all(row.split("\t")))
    return f"{path}:{line}: an empty column; an absent value is written _"
