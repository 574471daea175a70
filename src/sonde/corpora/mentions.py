"""Mentions of entities in the MISC column of CoNLL-U (`Entity=`), as GUM and CorefUD write them.

    # global.Entity = GRP-etype-infstat-salience-centering-minspan-link-identity
    1  The   ...  Entity=(4-person-new-nnnnn-cf1-2-coref
    2  king  ...  Entity=4)

A mention opens with its fields, joined by hyphens, and closes by its group; mentions nest.
`e1[1/2]` is a part of a mention in pieces.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sonde.core import DataProblem
from sonde.corpora.trees import Tree

USUAL = ("GRP", "etype")
_GLOBAL = re.compile(r"#\s*global\.Entity\s*=\s*(\S+)")
_ITEM = re.compile(r"\(([^()]+)\)|\(([^()]+)|([^()]+)\)|([^()]+|.)")
_PIECE = re.compile(r"\[\d+/\d+\]$")


class Mention(NamedTuple):
    """The words [start, stop), the entity (group) that they name, and its type ('' where none is
    written).
    """

    start: int
    stop: int
    group: str
    type: str


@dataclass
class Mentions:
    """Reads the mentions of trees in the order of a file; what a comment says of the fields holds
    from there on.

    unfinished  mentions that their sentence does not close, or that are in pieces: they are left
                out and counted here
    """

    fields: tuple[str, ...] = USUAL
    unfinished: int = 0

    def of(self, tree: Tree) -> list[Mention]:
        """The mentions of a sentence by start, stop and group; each once."""
        for comment in tree.comments:
            if match := _GLOBAL.match(comment):
                self.fields = tuple(match[1].split("-"))
        mentions: set[Mention] = set()
        open_: dict[str, list[tuple[int, str]]] = {}
        for i, misc in enumerate(tree.misc):
            if "Entity=" in misc:
                self._word(i, _value(misc), (open_, mentions), tree)
        self.unfinished += sum(map(len, open_.values()))
        return sorted(mentions)

    def _word(
        self,
        i: int,
        value: str,
        state: tuple[dict[str, list[tuple[int, str]]], set[Mention]],
        tree: Tree,
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
                mentions.add(Mention(i, i + 1, group, self._type(whole)))
            elif opened:
                open_.setdefault(group, []).append((i, self._type(opened)))
            elif open_.get(group):
                start, kind = open_[group].pop()
                mentions.add(Mention(start, i + 1, group, kind))
            else:
                self.unfinished += 1

    def _type(self, item: str) -> str:
        return self._field(item, self.fields.index("etype")) if "etype" in self.fields else ""

    def _field(self, item: str, number: int) -> str:
        """One field of a mention; the group is the first, whatever a header says."""
        fields: Sequence[str] = item.split("-")
        return fields[number] if number < len(fields) else ""


def _value(misc: str) -> str:
    return next((item[7:] for item in misc.split("|") if item.startswith("Entity=")), "")
