"""Coreference of documents whose sentences are told elsewhere: GUM's and OntoGUM's columns of number, word and mentions.

    # begin document GUM_academic_census
    0   Tenured    (1
    1   faculty    1)

The words are those of the treebank, document by document in the same order, which has the sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from sonde.core import DataProblem, Sentence
from sonde.sources.conll2012 import Labelled, chains
from sonde.sources.files import lines


class Document(NamedTuple):
    """A document: its words and cells of mentions, and where its first word stands."""

    words: list[str]
    cells: list[str]
    file: str
    line: int


def read(path: str | Path) -> Iterator[Document]:
    """The documents of a file in order; DataProblem with file and line."""
    found = Document([], [], str(path), 1)
    for number, line in lines(path):
        if line.startswith("#") or not line.strip():
            if found.words and line.startswith(("# begin", "#begin")):
                yield found
                found = Document([], [], str(path), number + 1)
            continue
        cells = line.split("\t")
        if len(cells) != 3:
            raise DataProblem(f"{path}:{number}: {len(cells)} columns instead of 3 (number, word, mentions)")
        found = found if found.words else found._replace(line=number)
        found.words.append(cells[1])
        found.cells.append(cells[2])
    if found.words:
        yield found


def cut(documents: Iterable[Document], sentences: Iterable[Sentence]) -> Iterator[tuple[Sentence, list[Labelled], str, int]]:
    """Each sentence with its mentions, its document, and how many mentions go beyond it; words that differ are a DataProblem."""
    coming = iter(sentences)
    for document in documents:
        mentions = chains(document.cells, f"{document.file}:{document.line}")
        place = 0
        while place < len(document.words):
            sentence = next(coming, None)
            if sentence is None:
                raise DataProblem(f"{document.file}:{document.line + place}: the treebank has no sentence for {document.words[place]!r}")
            stop = place + len(sentence.words)
            for k, (word, other) in enumerate(zip(document.words[place:stop], sentence.words, strict=False)):
                if word not in (other, ""):
                    raise DataProblem(
                        f"{document.file}:{document.line + place + k}: {word!r} is {other!r} in the treebank; their documents differ"
                    )
            mine = [m for m in mentions if place <= m.start < stop]
            inside = [m._replace(start=m.start - place, stop=m.stop - place) for m in mine if m.stop <= stop]
            yield sentence, inside, f"{document.file}: {document.line}", len(mine) - len(inside)
            place = stop
