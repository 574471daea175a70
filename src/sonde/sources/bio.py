"""Columns of words and span tags (B-PER I-PER O), as of CoNLL-2000, 2002, 2003, WNUT17, UNER and LitBank.

Cells are separated by tabs or by spaces. IOB1, IOB2 and BIOES (BILOU) are read alike: a span begins at B, S or U, and at I, E or L of
another type than the word before has. Several columns of tags are layers of nested spans. Where there is no raw text (`# text =`), words
are closed up to one as a reader would see it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, islice
from pathlib import Path
from typing import NamedTuple

from sonde.core import DataProblem, Sentence
from sonde.sources.conll2012 import Labelled, Words
from sonde.sources.conllu import OnError, Tally
from sonde.sources.files import chunks, decoded
from sonde.sources.rendering import rendered

TAG = re.compile(r"O|[BIESLU]-\S+")
SAMPLE = 2000  # rows that columns are told by


@dataclass(frozen=True, slots=True)
class Layout:
    """Which columns hold what, from 0, -1 the last; None and () are told by what stands in them.

    word     the column of words: the second where rows are numbered, else the first
    tags     columns of tags: those of which all cells are tags; where there are several: all if the words have no other column (LitBank's
             layers), else the last (`entities`) or the last but one (`chunks`, of CoNLL-2003)
    chunks   which of several is meant
    """

    word: int | None = None
    tags: tuple[int, ...] = ()
    chunks: bool = False
    encoding: str = "utf-8"


class Tagged(NamedTuple):
    """One sentence: its tags in layers, and the document that it belongs to ('' where the file says nothing of documents)."""

    sentence: Sentence
    layers: tuple[tuple[str, ...], ...]
    document: str
    line: int


def read(path: str | Path, layout: Layout, on_error: OnError = "raise", tally: Tally | None = None) -> Iterator[Tagged]:
    """The sentences of a file in order; DataProblem with file and line."""
    tally = Tally() if tally is None else tally
    rows = _rows(path, layout.encoding)
    first = list(islice(rows, SAMPLE))
    tabbed = any("\t" in text for _, text in first)
    word, tags = _columns([_cells(text, tabbed) for _, text in first], layout, str(path))
    block: list[tuple[int, list[str]]] = []
    text, document, documents, words = "", "", count(1), Words()
    for number, line in chain(first, rows, [(0, "")]):
        if _told(line, tabbed):
            key, _, value = line.lstrip("# ").partition(" = ")
            text = value.strip() if key.strip() == "text" else text
            document = value.strip() if key.strip() == "newdoc id" else document
        elif line.startswith("-DOCSTART-"):
            document = str(next(documents))
        elif line.strip():
            block.append((number, _cells(line, tabbed)))
        elif block:
            if wrong := _wrong(block, word, tags):
                if on_error == "raise":
                    raise DataProblem(f"{path}:{wrong}")
                tally.skip(f"{path}:{wrong}")
            else:
                tally.sentences += 1
                tally.words += len(block)
                found = tuple(words[row[word]] for _, row in block)
                layers = tuple(tuple(row[k] for _, row in block) for k in tags)
                yield Tagged(Sentence(found, text or rendered(found)), layers, document, block[0][0])
            block, text = [], ""


def spans(tags: Sequence[str]) -> tuple[list[Labelled], int]:
    """The spans of one layer in order, and how many begin with I, E or L, as all do in IOB1 but none in IOB2."""
    found: list[Labelled] = []
    inside, slips = "", 0
    for i, tag in enumerate(tags):
        mark, _, label = tag.partition("-")
        if mark == "O":
            inside = ""
            continue
        if mark in "BSU" or label != inside:
            found.append(Labelled(label, i, i + 1))
            slips += mark in "IEL"
        else:
            found[-1] = found[-1]._replace(stop=i + 1)
        inside = "" if mark in "SUEL" else label
    return found, slips


def _rows(path: str | Path, encoding: str) -> Iterator[tuple[int, str]]:
    number = 1
    for data in chunks(path):
        try:
            text = decoded(data, path, number) if encoding.lower() in ("utf-8", "utf8") else data.decode(encoding)
        except LookupError:
            raise DataProblem(f"no encoding called {encoding!r}; write encoding=latin-1, for example") from None
        except UnicodeDecodeError as error:
            line = number + data.count(b"\n", 0, error.start)
            raise DataProblem(f"{path}:{line}: byte 0x{data[error.start]:02x} is not {encoding}") from None
        split = text.removesuffix("\n").split("\n")
        yield from enumerate(split, number)
        number += len(split)


def _cells(line: str, tabbed: bool) -> list[str]:
    if not tabbed:
        return line.split()
    cells = line.split("\t")
    return cells[:-1] if len(cells) > 1 and not cells[-1] else cells


def _told(line: str, tabbed: bool) -> bool:
    """Whether a line is a comment; a word may begin with # too, but has tags beside it."""
    return tabbed and line.startswith("#") and "\t" not in line


def _columns(rows: list[list[str]], layout: Layout, path: str) -> tuple[int, tuple[int, ...]]:
    """The column of words and those of tags."""
    whole = [row for row in rows if len(row) > 1 and "".join(row).strip() and not row[0].startswith("-DOCSTART-")]
    if not whole:
        raise DataProblem(f"{path}: no rows of words and tags in it")
    word = layout.word
    if word is None:
        word = int(len(whole[0]) > 2 and all(row[0].replace("-", "").replace(".", "").isdigit() for row in whole))
    if layout.tags:
        return word, layout.tags
    width = min(map(len, whole))
    found = [k for k in range(width) if k != word and all(TAG.fullmatch(row[k]) for row in whole)]
    if not found:
        raise DataProblem(f"{path}: no column holds tags such as B-PER, I-PER and O throughout; name it by column=, the first is 0")
    if len(found) > 1 and width - 1 > len(found):
        return word, (found[-2 if layout.chunks else -1],)
    return word, tuple(found)


def _wrong(block: list[tuple[int, list[str]]], word: int, tags: tuple[int, ...]) -> str:
    """The line of what is wrong with the rows of a sentence, and what; '' for nothing."""
    for number, row in block:
        least = max(word, *tags) + 1
        if len(row) < least:
            return f"{number}: {len(row)} columns, not at least {least}"
        if not row[word].strip():
            return f"{number}: the word is empty"
        for k in tags:
            if not TAG.fullmatch(row[k]):
                return f"{number}: {row[k]!r} is not a tag such as B-PER, I-PER or O"
    return ""
