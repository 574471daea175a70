"""Byte pair encoding (Sennrich et al. 2016) as fastBPE applies it: merges in the order in which
they were learnt, and no piece that a vocabulary lacks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path

from lingprobe import DataProblem
from lingprobe.extend import report_damage

_END = "</w>"  # is part of the last piece of a word, in codes
_INSIDE = "@@"  # follows a piece that is not the last, in vocabularies and texts


@dataclass(frozen=True)
class BpeCodes:
    """Merges and vocabulary, and how words that were seen are cut.

    ranks  of each pair of pieces, its place among the merges
    known  the pieces that may stand in a text; none for all
    """

    ranks: Mapping[tuple[str, str], int]
    known: Set[str] = frozenset()
    _seen: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)

    def pieces(self, word: str) -> tuple[str, ...]:
        """The pieces of a word, '@@' behind all but the last."""
        if word not in self._seen:
            self._seen[word] = self._cut(word)
        return self._seen[word]

    def _cut(self, word: str) -> tuple[str, ...]:
        if not word:
            return ()
        parts = [*word[:-1], word[-1] + _END]
        while len(parts) > 1:
            pairs = list(itertools.pairwise(parts))
            best = min(pairs, key=lambda pair: self.ranks.get(pair, math.inf))
            if best not in self.ranks:
                break
            parts = _merge_pair(parts, best)
        if self.known:
            parts = [piece for part in parts for piece in self._split_unknown(part)]
        return tuple(map(_vocabulary_form, parts))

    def _split_unknown(self, part: str) -> list[str]:
        """A piece, or, where the vocabulary lacks it, the two that it was merged of, and so on."""
        if _vocabulary_form(part) in self.known or part not in self._halves:
            return [part]
        return [piece for half in self._halves[part] for piece in self._split_unknown(half)]

    @property
    def _halves(self) -> Mapping[str, tuple[str, str]]:
        """What each merged piece was made of; of two ways the first that was learnt."""
        if not self._parts:
            for pair in self.ranks:
                self._parts.setdefault("".join(pair), pair)
        return self._parts

    _parts: dict[str, tuple[str, str]] = field(default_factory=dict, repr=False, compare=False)


def _vocabulary_form(part: str) -> str:
    """A piece as vocabularies and texts have it."""
    return part.removesuffix(_END) if part.endswith(_END) else part + _INSIDE


def _merge_pair(parts: list[str], pair: tuple[str, str]) -> list[str]:
    """The parts with every occurrence of a pair made one, from the left."""
    made: list[str] = []
    at = 0
    while at < len(parts):
        found = at + 1 < len(parts) and (parts[at], parts[at + 1]) == pair
        made.append("".join(pair) if found else parts[at])
        at += 2 if found else 1
    return made


def read_codes(codes: Path, vocabulary: Path | None) -> BpeCodes:
    """The merges of a file (`left right count` a line), and the pieces of another (`piece count`)
    where there is one.
    """
    with report_damage(codes, "a UTF-8 text"):
        lines = codes.read_text("utf-8").removesuffix("\n").split("\n")
    ranks: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines, 1):
        fields = line.split(" ")
        if len(fields) not in (2, 3) or not all(fields) or not "".join(fields[2:] or "0").isdigit():
            raise DataProblem(
                f"{codes}:{number}: {line[:60]!r} is not a merge; a line has two subwords and a"
                " count"
            )
        ranks.setdefault((fields[0], fields[1]), number)
    if vocabulary is None:
        return BpeCodes(ranks)
    return BpeCodes(ranks, frozenset(vocabulary_of(vocabulary)))


def vocabulary_of(file: Path) -> list[str]:
    """The pieces of a file, `piece count` a line, in their order."""
    with report_damage(file, "a UTF-8 text"):
        lines = file.read_text("utf-8").removesuffix("\n").split("\n")
    pieces = []
    for number, line in enumerate(lines, 1):
        piece, _, count = line.rpartition(" ")
        if not piece or not count.isdigit():
            raise DataProblem(
                f"{file}:{number}: {line[:60]!r} is not a subword and its count; is the download"
                " complete?"
            )
        pieces.append(piece)
    return pieces
