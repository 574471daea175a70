"""Published data sets that can be fetched: `collections.tsv` has them, and `catalogue.tsv` what is
known of their files, each with its source.

Facts are sizes, rows and checksums. What nobody could check is left open there, and never made up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple, cast

from lingprobe.data.core import DataProblem
from lingprobe.data.records import read_tab_separated

Kind = Literal["tables", "treebank", "files"]


class KnownFile(NamedTuple):
    """What is known of a file: rows in train, dev and test, bytes, SHA-256, Git's SHA-1; None where
    it is not known.
    """

    rows: tuple[int, int, int] | None = None
    size: int | None = None
    sha256: str | None = None
    blob: str | None = None


@dataclass(frozen=True, slots=True)
class Collection:
    """Files that are published together.

    name     what `lingprobe fetch` calls it
    page     its web page
    base     the address that the files' names are added to
    files    names below `base` and in the folder
    paper    what to cite
    remark   a warning to readers
    inside   names of files in an archive about which something is known
    licence  as its publishers state it; '' if unknown
    kind     what its files are checked for: tables with splits, treebanks, or files of any kind
    facts    known facts about its files (default: those in `catalogue.tsv`)
    below    its folder in the folder of data (default: the first part of its name)
    reached  whether a file was ever downloaded from `base`: so far none was
    """

    name: str
    page: str
    base: str
    files: tuple[str, ...]
    paper: str
    remark: str = ""
    inside: tuple[str, ...] = ()
    licence: str = ""
    kind: Kind = "tables"
    facts: Mapping[str, KnownFile] | None = None
    below: str = ""
    reached: bool = False

    @property
    def home(self) -> str:
        """Its folder in the folder of data."""
        return self.below or self.name.partition("/")[0]

    @property
    def terms(self) -> str:
        """The licence in words."""
        return self.licence or "licence unknown"

    def known_files(self) -> Mapping[str, KnownFile]:
        """Known facts about the files."""
        return _read_file_facts().get(self.home, {}) if self.facts is None else self.facts


@cache
def read_collections() -> Mapping[str, Collection]:
    """The collections of `collections.tsv`, by name."""
    _, lines = read_tab_separated(Path(__file__).with_name("collections.tsv"))
    return {name: _parse_collection(name, cells) for _, cells in lines for name in _each(cells[0])}


def _parse_collection(name: str, cells: Sequence[str]) -> Collection:
    """A collection of a line, which may have several."""
    _, paper, licence, kind, page, base, files, inside, remark = cells
    own = files.replace("{}", name.rpartition("/")[2])
    every, within = (
        tuple(chain.from_iterable(map(_each, texts.split()))) for texts in (own, inside)
    )
    return Collection(name, page, base, every, paper, remark, within, licence, cast("Kind", kind))


def _each(text: str) -> list[str]:
    """The texts that one with {a,b} stands for."""
    before, brace, rest = text.partition("{")
    if not brace:
        return [text]
    choices, _, after = rest.partition("}")
    return [before + choice + end for choice in choices.split(",") for end in _each(after)]


def get_collection(name: str) -> Collection:
    """The collection of that name. Raises DataProblem that lists them."""
    if name not in read_collections():
        raise DataProblem(
            f"nothing called {name!r} can be fetched; there are {', '.join(read_collections())},"
            " and treebanks, as ud/en_ewt"
        )
    return read_collections()[name]


@cache
def _read_file_facts() -> Mapping[str, Mapping[str, KnownFile]]:
    """Collection -> file -> what is known, from the table beside this module."""
    by_collection: dict[str, dict[str, KnownFile]] = {}
    _, lines = read_tab_separated(Path(__file__).with_suffix(".tsv"))
    for _, (owner, file, rows, size, sha256, _) in lines:
        counts = None if rows == "-" else tuple(map(int, rows.split("/")))
        assert counts is None or len(counts) == 3
        known = KnownFile(
            counts, None if size == "-" else int(size), None if sha256 == "-" else sha256
        )
        by_collection.setdefault(owner, {})[file] = known
    return by_collection
