"""Files of minimal pairs, by the layouts in which they are published: JSON lines (BLiMP), pairs of
lines (CLAMS), tables (RuBLiMP).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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
from lingprobe.corpora.strict import Malformed, parse_json
from lingprobe.data.core import DataProblem

SUFFIXES = (".jsonl", ".csv", ".tsv", ".txt")
GOOD = ("sentence_good", "good", "source_sentence", "grammatical", "acceptable")
BAD = ("sentence_bad", "bad", "target_sentence", "ungrammatical", "unacceptable")
GROUP = ("UID", "PID", "paradigm", "phenomenon_subset", "group")
STRATA = {
    "field": ("field", "level"),
    "phenomenon": ("linguistics_term", "phenomenon"),
    "subtype": ("subtype",),
    "domain": ("domain",),
}
"""What is reported by, and the columns that say it."""
SIDES = {"true": True, "false": False}


class Pair(NamedTuple):
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


@dataclass(frozen=True)
class Columns:
    """Which columns are read, '' for those with usual names."""

    good: str = ""
    bad: str = ""
    group: str = ""
    taken: dict[str, str] = field(default_factory=dict)

    def of(self, row: Mapping[str, str], where: str, paradigm: str) -> Pair:
        """The pair of a row; DataProblem where it has no two different sentences."""
        good, bad = (
            self._cell(row, asked, usual, what, where)
            for asked, usual, what in ((self.good, GOOD, "good"), (self.bad, BAD, "bad"))
        )
        group = next((row[n] for n in ([self.group] if self.group else GROUP) if row.get(n)), "")
        if self.group and not group:
            raise DataProblem(f"{where}: no column {self.group!r}; it has {', '.join(row)}")
        tags = {
            tag: row[name] for tag, names in STRATA.items() for name in names[::-1] if row.get(name)
        }
        return Pair(good, bad, group or paradigm, tags)

    @staticmethod
    def _cell(
        row: Mapping[str, str], asked: str, usual: tuple[str, ...], what: str, where: str
    ) -> str:
        name = next((n for n in ([asked] if asked else usual) if row.get(n)), None)
        if name is None:
            raise DataProblem(
                f"{where}: no {what} sentence; name its column with {what}=, of {', '.join(row)}"
            )
        return row[name].strip()


def files(path: Path) -> list[CorpusPart]:
    """The files that a path names: one, or all of a folder and the folders in it."""
    place = path.expanduser()
    if place.is_file():
        return [CorpusPart("", place)]
    inside = (p for p in sorted(place.rglob("*")) if uncompressed_path(p).suffix in SUFFIXES)
    every = [CorpusPart("", p) for p in inside if p.is_file()]
    if not every:
        raise DataProblem(f"{path}: no file of minimal pairs ({', '.join(SUFFIXES)})")
    return every


def read(path: Path, columns: Columns) -> Iterator[Pair]:
    """The pairs of a file, in order. DataProblem names the line that is wrong."""
    bare = uncompressed_path(path)
    if bare.suffix in (".csv", ".tsv"):
        rows = _table(path, "\t" if bare.suffix == ".tsv" else ",")
    elif bare.suffix == ".jsonl":
        rows = _json(path)
    else:
        yield from _marks(path, bare.stem)
        return
    for where, row in rows:
        yield columns.of(row, where, bare.stem)


def words_of(path: Path) -> frozenset[str]:
    """The words of a text, one sentence a line, without capitals."""
    return _words_of(path, digest_files([path]))


@lru_cache(maxsize=2)
def _words_of(path: Path, content: str) -> frozenset[str]:
    found = {word for sentence in text.read_running_text(path) for word in sentence.words}
    return frozenset(word.casefold() for word in found)


def _json(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    for number, line in read_text_lines(path):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            row = parse_json(line)
        except Malformed as problem:
            raise DataProblem(f"{where}: {problem}") from None
        if not isinstance(row, dict):
            raise DataProblem(
                f"{where}: a line of pairs is an object, as {{'good': ..., 'bad': ...}}"
            )
        yield where, {key: str(value) for key, value in row.items()}


def _table(path: Path, between: str) -> Iterator[tuple[str, dict[str, str]]]:
    reader = csv.DictReader((line + "\n" for _, line in read_text_lines(path)), delimiter=between)
    for row in reader:
        where = f"{path}:{reader.line_num}"
        if None in row or None in row.values():
            raise DataProblem(f"{where}: another number of cells than the heading has")
        yield where, row


def _marks(path: Path, paradigm: str) -> Iterator[Pair]:
    """Lines of `True` or `False`, a tab and a sentence, the two of a pair after each other."""
    good = ""
    for number, line in read_text_lines(path):
        if not line.strip():
            continue
        mark, tab, sentence = line.partition("\t")
        side = SIDES.get(mark.strip().lower())
        if side is None or not tab or side is bool(good):
            raise DataProblem(
                f"{path}:{number}: pairs in text are `True`, tab, sentence, and below it `False`,"
                " tab, sentence"
            )
        if side:
            good = sentence.strip()
        else:
            yield Pair(good, sentence.strip(), paradigm, {})
            good = ""
    if good:
        raise DataProblem(f"{path}:{number}: the last pair has no second sentence")
