"""Columns of words and span tags (B-PER I-PER O), as of CoNLL-2000, 2002, 2003, WNUT17, UNER and
LitBank, or of words and any labels; CoNLL-U and CoNLL-U Plus, too, whose columns have names.

Cells are separated by tabs or by spaces. IOB1, IOB2 and BIOES (BILOU, BMES) are read alike: a span
begins at B, S or U, and at I, M, E or L of another type than the word before has. Several columns
of tags are layers of nested spans. Where there is no raw text (`# text =`), words are closed up to
one as a reader would see it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, islice
from pathlib import Path
from sys import intern
from typing import NamedTuple

from lingprobe.corpora.conll2012 import LabelledSpan, UnescapedWords
from lingprobe.corpora.files import checked_lines, uncompressed_path
from lingprobe.corpora.rendering import render_words
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.data.core import DataProblem, Sentence

_TAG = re.compile(r"O|[BIMESLU]-\S+")
_CONLLU = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC"
_NAMES = re.compile(r"#\s*global\.columns\s*=\s*(.+)")
_SAMPLE = 2000  # rows that columns are told by
# of their cells are tags in a column of tags; the others are mistakes, which are named when they
# are read
_MOST = 0.9


@dataclass(frozen=True, slots=True)
class TagLayout:
    """Which columns hold what, by number from 0, -1 the last, or by the name that CoNLL-U Plus
    gives them; None and () are told by what stands in them.

    word     the column of words: FORM, or the second where rows are numbered, else the first
    tags     columns of tags: those of which nearly all cells are tags; where there are several: all
             if the words have no other column (LitBank's layers), else the last (`entities`) or the
             last but one (`chunks`, of CoNLL-2003)
    chunks   which of several is meant
    any_tag  whether tags are any labels, not such of spans alone; then of more than two columns
             one is named
    """

    word: int | str | None = None
    tags: tuple[int | str, ...] = ()
    chunks: bool = False
    encoding: str = "utf-8"
    any_tag: bool = False


class TaggedSentence(NamedTuple):
    """One sentence: its tags in layers, and the document that it belongs to ('' where the file says
    nothing of documents).
    """

    sentence: Sentence
    layers: tuple[tuple[str, ...], ...]
    document: str
    line: int


def read_tag_columns(
    path: str | Path,
    layout: TagLayout,
    on_error: OnError = "raise",
    tally: ProblemTally | None = None,
) -> Iterator[TaggedSentence]:
    """The sentences of a file in order; DataProblem with file and line."""
    tally = tally or ProblemTally()
    lines = checked_lines(path, layout.encoding)
    first = list(islice(lines, _SAMPLE))
    shape = _shape(first, layout, Path(path))
    # CoNLL-U has no escapes
    word: Callable[[str], str] = intern if shape.numbered else UnescapedWords().__getitem__
    for block in _group_lines(chain(first, lines, [(0, "", "")]), shape.tabbed):
        if shape.numbered:
            block.rows = [row for row in block.rows if not re.match(r"\d+[-.]", row[1][0])]
        if problem := block.problem or _wrong(block.rows, shape):
            tally.refuse(f"{path}:{problem}", on_error)
            continue
        tally.sentences += 1
        tally.words += len(block.rows)
        tokens = tuple(word(row[shape.word]) for _, row in block.rows)
        layers = tuple(tuple(row[k] for _, row in block.rows) for k in shape.tags)
        text = block.text or render_words(tokens)
        yield TaggedSentence(Sentence(tokens, text), layers, block.document, block.rows[0][0])


@dataclass(slots=True)
class _Block:
    """One sentence: the raw text and the document that comments name, the cells of each line by its
    number, and the first problem.
    """

    document: str = ""
    text: str = ""
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    problem: str = ""


def _group_lines(lines: Iterable[tuple[int, str, str]], tabbed: bool) -> Iterator[_Block]:
    """The sentences of a file whose last line is blank."""
    block, documents = _Block(), count(1)
    for number, line, wrong in lines:
        if wrong:
            block.problem = block.problem or f"{number}: {wrong}"
        elif _is_comment(line, tabbed):
            key, _, value = line.lstrip("# ").partition(" = ")
            if key.strip() == "text":
                block.text = value.strip()
            elif key.strip() == "newdoc id":
                block.document = value.strip()
        elif line.startswith("-DOCSTART-"):
            block.document = str(next(documents))
        elif line.strip():
            block.rows.append((number, _split_cells(line, tabbed)))
        elif block.rows or block.problem:
            yield block
            block = _Block(block.document)


def decode_spans(tags: Sequence[str]) -> tuple[list[LabelledSpan], int]:
    """The spans of one layer in order, and how many begin with I, M, E or L, as all do in IOB1 but
    none in IOB2.
    """
    labelled: list[LabelledSpan] = []
    inside, slips = "", 0
    for i, tag in enumerate(tags):
        mark, _, label = tag.partition("-")
        if mark == "O":
            inside = ""
            continue
        if mark in "BSU" or label != inside:
            labelled.append(LabelledSpan(label, i, i + 1))
            slips += mark in "IMEL"
        else:
            labelled[-1] = labelled[-1]._replace(stop=i + 1)
        inside = "" if mark in "SUEL" else label
    return labelled, slips


def _has_tabs(sample: list[str]) -> bool:
    """Whether tabs part the cells: they stand in most lines that are not blank."""
    filled = [text for text in sample if text.strip() and not text.startswith(("#", "-DOCSTART-"))]
    return 2 * sum("\t" in text for text in filled) > len(filled)


def _split_cells(line: str, tabbed: bool) -> list[str]:
    if not tabbed:
        return line.split()
    cells = line.split("\t")
    return cells[:-1] if len(cells) > 1 and not cells[-1] else cells


def _is_comment(line: str, tabbed: bool) -> bool:
    """Whether a line is a comment; a word may begin with # too, but has tags beside it."""
    return tabbed and line.startswith("#") and "\t" not in line


class _Shape(NamedTuple):
    """The column of words, those of tags, how many all rows have, and whether tabs part them.

    numbered  whether the first column numbers words, as in CoNLL-U: multiword tokens and empty
              nodes are no words
    any_tag   whether a tag may be any label
    """

    word: int
    tags: tuple[int, ...]
    width: int
    tabbed: bool
    numbered: bool
    any_tag: bool


def _shape(lines: list[tuple[int, str, str]], layout: TagLayout, path: Path) -> _Shape:
    """What the rows of a file have in common; DataProblem where no column holds tags."""
    tabbed = _has_tabs([text for _, text, _ in lines])
    whole = [
        cells
        for _, text, _ in lines
        if not _is_comment(text, tabbed) and _is_row(cells := _split_cells(text, tabbed))
    ]
    if not whole:
        unreadable = (f"{path}:{number}: {wrong}" for number, _, wrong in lines if wrong)
        raise DataProblem(next(unreadable, f"{path}: no rows of words and tags in it"))
    width = Counter(map(len, whole)).most_common(1)[0][0]
    whole = [row for row in whole if len(row) == width]
    names = _read_column_names(lines, path)
    word = (
        0
        if layout.word is None
        else _find_column_number(layout.word, names, width, f"{path}: word=")
    )
    if layout.word is None:
        by_name = names.index("FORM") if "FORM" in names else None
        numbered = width > 2 and all(_is_number(row[0]) for row in whole)
        word = int(numbered) if by_name is None else by_name
    tags = tuple(_find_column_number(tag, names, width, f"{path}: column=") for tag in layout.tags)
    tags = tags or _tags(whole, word, layout, str(path))
    return _Shape(word, tags, width, tabbed, names[:1] == ["ID"], layout.any_tag)


def _read_column_names(lines: list[tuple[int, str, str]], path: Path) -> list[str]:
    """The names of the columns: those that CoNLL-U Plus has in its first line, or of CoNLL-U; []
    where they have none.
    """
    said = _NAMES.fullmatch(lines[0][1].strip()) if lines else None
    if said is None and uncompressed_path(path).suffix.lower() == ".conllu":
        return _CONLLU.split()
    return said[1].split() if said else []


def _find_column_number(column: int | str, names: Sequence[str], width: int, option: str) -> int:
    """The number of a column from 0, -1 for the last."""
    if column in names:
        return names.index(str(column))
    if isinstance(column, str):
        shown = f"; its columns: {', '.join(names)}" if names else ", and columns have no names"
        raise DataProblem(f"{option}{column}: no column is called so{shown}")
    if not -width <= column < width:
        raise DataProblem(
            f"{option}{column}, but rows have {width} columns; write 0 to {width - 1}, or -1 for"
            " the last"
        )
    return column


def _is_row(cells: list[str]) -> bool:
    return len(cells) > 1 and any(map(str.strip, cells)) and not cells[0].startswith("-DOCSTART-")


def _is_number(cell: str) -> bool:
    return cell.replace("-", "").replace(".", "").isdigit()


def _tags(rows: list[list[str]], word: int, layout: TagLayout, path: str) -> tuple[int, ...]:
    """The columns of tags."""
    width, least = len(rows[0]), _MOST * len(rows)
    others = [k for k in range(width) if k != word % width]
    if layout.any_tag:
        if len(others) > 1:
            raise DataProblem(
                f"{path}: which of {width} columns has the labels? Name it by column=, the first is"
                " 0, the last -1"
            )
        return tuple(others)
    columns = [
        k for k in others if sum(_TAG.fullmatch(row[k]) is not None for row in rows) >= least
    ]
    if not columns:
        raise DataProblem(
            f"{path}: no column holds tags such as B-PER, I-PER and O throughout; name it by"
            " column=, the first is 0, or take edge/tags for labels of words"
        )
    if len(columns) > 1 and width - 1 > len(columns):
        return (columns[-2 if layout.chunks else -1],)
    return tuple(columns)


def _wrong(block: list[tuple[int, list[str]]], shape: _Shape) -> str:
    """The line of what is wrong with the rows of a sentence, and what; '' for nothing."""
    for number, row in block:
        if len(row) != shape.width:
            return f"{number}: {len(row)} columns, most rows have {shape.width}"
        if not row[shape.word].strip():
            return f"{number}: the word is empty"
        for k in () if shape.any_tag else shape.tags:
            if not _TAG.fullmatch(row[k]):
                return f"{number}: {row[k]!r} is not a tag such as B-PER, I-PER or O"
    return ""
