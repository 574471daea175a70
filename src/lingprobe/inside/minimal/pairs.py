"""Files of minimal pairs, by the layouts in which they are published: tables with both sentences in
a row (BLiMP and its kin, RuBLiMP, MultiBLiMP, TurBLiMP), tables of sentences that say which is
the better one (BLiMP-NL), and pairs of lines (CLAMS).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from lingprobe.corpora import text
from lingprobe.corpora.files import (
    CorpusPart,
    digest_files,
    read_text_lines,
    uncompressed_path,
)
from lingprobe.data.core import DataProblem
from lingprobe.datasets.formats.row_sources import open_source
from lingprobe.datasets.formats.rows import RowCells
from lingprobe.datasets.formats.usual_columns import Columns as TableColumns
from lingprobe.datasets.formats.usual_columns import normalise_heading

_TABLES = (".jsonl", ".json", ".ndjson", ".csv", ".tsv", ".parquet", ".arrow", ".feather")
_SUFFIXES = (*_TABLES, ".txt")
_GOOD = frozenset(
    (
        *("good", "grammatical", "acceptable", "correct", "right", "valid", "pos", "positive"),
        *("expected", "congruent", "chosen", "original", "source", "control"),
    )
)
_BAD = frozenset(
    (
        *("bad", "ungrammatical", "unacceptable", "incorrect", "wrong", "invalid", "neg"),
        *("negative", "unexpected", "incongruent", "rejected", "corrupted", "target", "violation"),
    )
)
"""Words that a heading has beside those of a sentence: of the better one, and of the worse."""
_BARE = ("sen",)
"""Headings of the better sentence that say so by having none of these words."""
_VAGUE = ("source", "target")  # alone they say where something is from, or a label
_OF_SENTENCES = frozenset(
    ("sentence", "sentences", "sen", "sent", "text", "s", "prefix", "minimal", "pair", "one")
)
_SENTENCE = ("sentence", "text", "sent")
_MARK = (
    *("grammaticality", "acceptability", "grammatical", "acceptable", "is_grammatical"),
    *("is_acceptable", "judgment", "judgement", "label"),
)
_GROUP = ("uid", "pid", "paradigm", "phenomenon_subset", "group")
_PHENOMENON = ("linguistics_term", "phenomenon")
_LANGUAGE = ("lang", "language")
_LEMMA = ("lemma", "verb_lemma", "verb")
_STRATA = {
    "field": ("field", "level"),
    "phenomenon": _PHENOMENON,
    "subtype": ("subtype",),
    "domain": ("domain",),
    "language": _LANGUAGE,
    "lemma": _LEMMA,
}
"""What is reported by, and the columns that say it."""
_SIDES = {
    **dict.fromkeys(("true", "1", "good", "grammatical", "acceptable", "correct", "yes"), True),
    **dict.fromkeys(("false", "0", "bad", "ungrammatical", "unacceptable", "incorrect"), False),
    "no": False,
}
_HEADED = TableColumns(text="sentence")  # a named column: files of pairs have headings
_NAMELESS = ("data", "train", "test", "dev", "validation", "all")


class MinimalPair(NamedTuple):
    """Two sentences that differ in what makes one the better; the paradigm, and more tags."""

    good: str
    bad: str
    group: str
    tags: Mapping[str, str]

    @property
    def words(self) -> set[str]:
        """Those of both sentences, without capitals."""
        return {
            word.casefold() for each in (self.good, self.bad) for word in text.split_words(each)
        }


class PairFile(NamedTuple):
    """A file of pairs, and what its pairs are a paradigm of where nothing in it says so; one of
    several tells its paradigms from those of the others by it.
    """

    part: CorpusPart
    paradigm: str
    is_alone: bool = True


@dataclass(frozen=True)
class PairColumns:
    """Which columns are read, '' for those with usual names."""

    good: str = ""
    bad: str = ""
    group: str = ""

    def of(self, row: Mapping[str, str], where: str, file: PairFile) -> MinimalPair:
        """The pair of a row; DataProblem where it has no two different sentences."""
        good, bad = self.good or find_side((*row,), _GOOD), self.bad or find_side((*row,), _BAD)
        good = good or next((name for name in row if normalise_heading(name) in _BARE), "")
        cells = []
        for name, what in ((good, "good"), (bad, "bad")):
            if not name or not row.get(name, ""):  # a column may have no heading
                raise DataProblem(f"{where}: no {what} sentence{_propose(row, what)}")
            cells.append(row[name].strip())
        return MinimalPair(cells[0], cells[1], *self.tags(row, where, file))

    def tags(
        self, row: Mapping[str, str], where: str, file: PairFile
    ) -> tuple[str, dict[str, str]]:
        """The paradigm of a row, by the column that names it, and the phenomenon and the like as
        subgroups. Without such a column it is the phenomenon in a language and in a file of
        several.
        """
        tags = {tag: cell for tag, names in _STRATA.items() if (cell := _find(row, names[::-1]))}
        if self.group:
            group = row.get(self.group, "")
            if not group:
                raise DataProblem(f"{where}: no column {self.group!r}; it has {', '.join(row)}")
            return group, tags
        if group := _find(row, _GROUP):
            return group, tags
        own = "" if file.is_alone else file.paradigm
        parts = (tags.get("language", ""), own, tags.get("phenomenon", ""))
        return " ".join(dict.fromkeys(filter(None, parts))) or file.paradigm, tags

    def is_of_sentences(self, names: Iterable[str]) -> bool:
        """Whether a table with these headings has one sentence a row, and says which is better."""
        there = {normalise_heading(name) for name in names}
        has = {key: bool(there & {*map(normalise_heading, key)}) for key in (_SENTENCE, _MARK)}
        is_paired = self.good or self.bad or find_side((*names,), _BAD)
        return not is_paired and has[_SENTENCE] and has[_MARK]


@lru_cache(maxsize=64)
def find_side(names: tuple[str, ...], side: frozenset[str]) -> str:
    """The heading that says that it is the better sentence, or the worse: the one that has a word
    for a sentence as well, or else the only one; '' for none, or several.
    """
    called: list[str] = []
    bare: list[str] = []
    for name in names:
        words = {word.casefold() for word in re.findall(r"[^\W_]+", name)}
        rest = words - _OF_SENTENCES
        if len(rest) == 1 and rest <= side:
            (called if rest < words else bare).append(name)
    found = called or [name for name in bare if normalise_heading(name) not in _VAGUE]
    return found[0] if len(found) == 1 else ""


def _propose(row: Mapping[str, str], what: str) -> str:
    """What would name the columns of both sentences: those with several words."""
    texts = [name for name, cell in row.items() if len(cell.split()) > 1][:2]
    if len(texts) < 2:
        return f"; name its column with {what}=, of {', '.join(row)}"
    good, bad = texts
    return f": add good={good},bad={bad} to the task, or the other way round"


def _find(row: Mapping[str, str], names: Iterable[str]) -> str:
    """The first cell that is there under one of some usual names; ''."""
    cells = {normalise_heading(name): cell for name, cell in row.items() if cell.strip()}
    return next((cells[key] for name in names if (key := normalise_heading(name)) in cells), "")


def list_pair_files(path: Path) -> list[PairFile]:
    """The files that a path names: one, or all of a folder and the folders in it. A paradigm is
    called after its file, or after its folder where files of several are called alike or 'data'.
    """
    place = path.expanduser()
    if place.is_file():
        return [PairFile(CorpusPart("", place), _stem(place))]
    inside = (p for p in sorted(place.rglob("*")) if uncompressed_path(p).suffix in _SUFFIXES)
    every = [p for p in inside if p.is_file()]
    if not every:
        raise DataProblem(f"{path}: no file of minimal pairs ({', '.join(_SUFFIXES)})")
    stems = Counter(map(_stem, every))
    names = [
        str(p.parent.relative_to(place)) if stems[_stem(p)] > 1 or _is_nameless(p) else _stem(p)
        for p in every
    ]
    return [
        PairFile(CorpusPart("", p), _stem(p) if name == "." else name, len(every) == 1)
        for p, name in zip(every, names, strict=True)
    ]


def _stem(path: Path) -> str:
    return uncompressed_path(path).stem


def _is_nameless(path: Path) -> bool:
    """Whether a file is called as splits are, such as train-00000-of-00001."""
    return _stem(path).casefold().partition("-")[0] in _NAMELESS


def read_minimal_pairs(file: PairFile, columns: PairColumns) -> Iterator[MinimalPair]:
    """The pairs of a file, in order. DataProblem names the line that is wrong."""
    path = file.part.path
    if uncompressed_path(path).suffix.lower() == ".txt":
        yield from _marked_lines(path, file.paradigm)
        return
    source = open_source(path, _HEADED)
    rows = ((f"{path}{source.unit}{row.number}", row) for row in source.rows([*source.names]))
    checked = ((where, _cells_of(row, where)) for where, row in rows)
    if columns.is_of_sentences(source.names):
        yield from _sentence_rows(checked, columns, file)
        return
    for where, cells in checked:
        yield columns.of(cells, where, file)


def _cells_of(row: RowCells, where: str) -> dict[str, str]:
    """The cells of a row as text, '' for none."""
    if row.problem:
        raise DataProblem(f"{where}: {row.problem}")
    return {name: "" if cell is None else str(cell) for name, cell in row.cells.items()}


class _Sentence(NamedTuple):
    """One of a pair, and the row that says so."""

    text: str
    group: str
    tags: Mapping[str, str]


def _sentence_rows(
    rows: Iterable[tuple[str, Mapping[str, str]]], columns: PairColumns, file: PairFile
) -> Iterator[MinimalPair]:
    """Pairs of a table with a sentence a row, which stand below each other, the better one and the
    worse one in either order.
    """
    sides: dict[bool, _Sentence] = {}
    where = str(file.part.path)
    for where, row in rows:
        side = _SIDES.get(_find(row, _MARK).strip().casefold())
        sentence = _find(row, _SENTENCE).strip()
        if side is None or not sentence or side in sides:
            raise DataProblem(
                f"{where}: pairs in rows of their own are a grammatical sentence and an"
                " ungrammatical one below each other, and this row is neither's second"
            )
        sides[side] = _Sentence(sentence, *columns.tags(row, where, file))
        if len(sides) == 2:
            yield MinimalPair(
                sides[True].text, sides[False].text, sides[True].group, sides[True].tags
            )
            sides = {}
    if sides:
        raise DataProblem(f"{where}: the last pair has no second sentence")


def read_vocabulary(path: Path) -> frozenset[str]:
    """The words of a text, one sentence a line, without capitals."""
    return _words_of(path, digest_files([path]))


@lru_cache(maxsize=2)
def _words_of(path: Path, content: str) -> frozenset[str]:
    found = {word for sentence in text.read_running_text(path) for word in sentence.words}
    return frozenset(word.casefold() for word in found)


def _marked_lines(path: Path, paradigm: str) -> Iterator[MinimalPair]:
    """Pairs of lines `True`, tab, sentence, and `False`, tab, sentence, below each other."""
    good = ""
    for number, line in read_text_lines(path):
        if not line.strip():
            continue
        mark, tab, sentence = line.partition("\t")
        side = _SIDES.get(mark.strip().lower())
        if side is None or not tab or side is bool(good):
            raise DataProblem(
                f"{path}:{number}: pairs in text are `True`, tab, sentence, and below it `False`,"
                " tab, sentence"
            )
        if side:
            good = sentence.strip()
        else:
            yield MinimalPair(good, sentence.strip(), paradigm, {})
            good = ""
    if good:
        raise DataProblem(f"{path}:{number}: the last pair has no second sentence")
