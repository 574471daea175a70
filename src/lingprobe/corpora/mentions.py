"""Mentions of entities, as GUM, OntoGUM and CorefUD write them.

In the MISC column of CoNLL-U (`Entity=`) a mention opens with its fields, joined by hyphens, and
closes by its group; mentions nest. `e1[1/2]` is a part of a mention in pieces.

    # global.Entity = GRP-etype-infstat-salience-centering-minspan-link-identity
    1  The   ...  Entity=(4-person-new-nnnnn-cf1-2-coref
    2  king  ...  Entity=4)

Columns of number, word and mentions are of documents whose sentences are told elsewhere:

    # begin document GUM_academic_census
    0   Tenured    (1
    1   faculty    1)

The words are those of the treebank, which has the sentences: of the document of that name, which
the line before it or the file says (`GUM_academic_census.conll`), or, where documents have no
names, one after another in the same order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lingprobe.corpora.conll2012 import LabelledSpan, parse_chains
from lingprobe.corpora.files import checked_lines, uncompressed_path
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.corpora.trees import TreeColumns
from lingprobe.data.core import DataProblem, Sentence

_USUAL = ("GRP", "etype")
_GLOBAL = re.compile(r"#\s*global\.Entity\s*=\s*(\S+)")
_ITEM = re.compile(r"\(([^()]+)\)|\(([^()]+)|([^()]+)\)|([^()]+|.)")
_PIECE = re.compile(r"\[\d+/\d+\]$")


class EntityMention(NamedTuple):
    """The words [start, stop), the entity (group) that they name, and its type ('' where none is
    written).
    """

    start: int
    stop: int
    group: str
    type: str


@dataclass
class MentionReader:
    """Reads the mentions of trees in the order of a file; what a comment says of the fields holds
    from there on.

    unfinished  mentions that their sentence does not close, or that are in pieces: they are left
                out and counted here
    """

    fields: tuple[str, ...] = _USUAL
    unfinished: int = 0

    def of(self, tree: TreeColumns) -> list[EntityMention]:
        """The mentions of a sentence by start, stop and group; each once."""
        for comment in tree.comments:
            if match := _GLOBAL.match(comment):
                self.fields = tuple(match[1].split("-"))
        mentions: set[EntityMention] = set()
        open_: dict[str, list[tuple[int, str]]] = {}
        for i, misc in enumerate(tree.misc):
            if "Entity=" in misc:
                self._word(i, _parse_mention_value(misc), (open_, mentions), tree)
        self.unfinished += sum(map(len, open_.values()))
        return sorted(mentions)

    def _word(
        self,
        i: int,
        value: str,
        state: tuple[dict[str, list[tuple[int, str]]], set[EntityMention]],
        tree: TreeColumns,
    ) -> None:
        open_, mentions = state
        for whole, opened, closed, other in _ITEM.findall(value):
            group = _PIECE.sub("", self._field(whole or opened or closed, 0))
            piece = _PIECE.search(self._field(whole or opened or closed, 0)) is not None
            if other:
                raise DataProblem(
                    f"{tree.file}:{tree.line}: word {i + 1}: Entity={value} is not mentions in"
                    " round brackets"
                )
            if piece:
                self.unfinished += bool(whole or opened)
            elif whole:
                mentions.add(EntityMention(i, i + 1, group, self._type(whole)))
            elif opened:
                open_.setdefault(group, []).append((i, self._type(opened)))
            elif open_.get(group):
                start, kind = open_[group].pop()
                mentions.add(EntityMention(start, i + 1, group, kind))
            else:
                self.unfinished += 1

    def _type(self, item: str) -> str:
        return self._field(item, self.fields.index("etype")) if "etype" in self.fields else ""

    def _field(self, item: str, number: int) -> str:
        """One field of a mention; the group is the first, whatever a header says."""
        fields: Sequence[str] = item.split("-")
        return fields[number] if number < len(fields) else ""


def _parse_mention_value(misc: str) -> str:
    return next((item[7:] for item in misc.split("|") if item.startswith("Entity=")), "")


class CorefDocument(NamedTuple):
    """A document: its name, words ('' for what cannot be read) and cells of mentions, where its
    first word stands, and what is wrong.
    """

    name: str
    words: list[str]
    cells: list[str]
    file: str
    line: int
    wrong: list[str]

    def mentions(self) -> list[LabelledSpan]:
        """The mentions, numbered in the words of the document; DataProblem where they are
        malformed.
        """
        if self.wrong:
            raise DataProblem(self.wrong[0])
        return parse_chains(self.cells, f"{self.file}:{self.line}")


def read_documents(path: str | Path) -> Iterator[CorefDocument]:
    """The documents of a file in order; a row that is malformed is a word all the same."""
    stem = uncompressed_path(Path(path)).stem
    document = CorefDocument(stem, [], [], str(path), 1, [])
    for number, line, unreadable in checked_lines(path):
        if not unreadable and (line.startswith("#") or not line.strip()):
            if begun := _BEGIN.match(line):
                if document.words:
                    yield document
                document = CorefDocument(begun[1] or stem, [], [], str(path), number + 1, [])
            continue
        cells = line.split("\t")
        if problem := unreadable or (
            "" if len(cells) == 3 else f"{len(cells)} columns instead of 3 (number, word, mentions)"
        ):
            document.wrong.append(f"{path}:{number}: {problem}")
            cells = ["", "", ""]
        document = document if document.words else document._replace(line=number)
        document.words.append(cells[1])
        document.cells.append(cells[2])
    if document.words:
        yield document


_BEGIN = re.compile(r"#\s*begin(?:\s+document)?\s*\(?([^\s();]*)")


def assign_mentions(
    document: CorefDocument, coming: Iterator[Sentence], on_error: OnError, tally: ProblemTally
) -> Iterator[tuple[Sentence, list[LabelledSpan], int]]:
    """Each sentence of a document with its mentions, and how many of them go beyond it; words that
    differ are a DataProblem.
    """
    try:
        mentions, wrong = document.mentions(), ""
    except DataProblem as problem:
        mentions, wrong = [], str(problem)
    place = 0
    while place < len(document.words):
        sentence = next(coming, None)
        if sentence is None:
            raise DataProblem(
                f"{document.file}:{document.line + place}: the treebank has no sentence for"
                f" {document.words[place]!r}"
            )
        _check_words(document, place, sentence)
        first, place = place, place + len(sentence.words)
        if wrong:
            tally.refuse(wrong, on_error)
            continue
        mine = [m for m in mentions if first <= m.start < place]
        inside = [
            m._replace(start=m.start - first, stop=m.stop - first) for m in mine if m.stop <= place
        ]
        yield sentence, inside, len(mine) - len(inside)


def _check_words(document: CorefDocument, place: int, sentence: Sentence) -> None:
    """DataProblem where a treebank's sentence has other words than the document from there on."""
    words = document.words[place : place + len(sentence.words)]
    for k, (word, other) in enumerate(zip(words, sentence.words, strict=False)):
        if word not in (other, ""):
            raise DataProblem(
                f"{document.file}:{document.line + place + k}: {word!r} is {other!r} in the"
                " treebank; their documents differ: name them alike (# newdoc id = NAME there,"
                " # begin document NAME or NAME.conll here), or put them in one order"
            )
