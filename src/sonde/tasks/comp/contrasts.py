"""Minimal pairs by structure: what changes places between two sentences, what is asked of both, and
what the answers are.

A contrast is about no words yet. Its two sentences have the same words; a question about it has
opposite answers in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sonde.generation.events.cells import Values
from sonde.generation.events.language import Language, Numbers
from sonde.generation.events.shapes import Box, Placed

# of other words only some are in a structure
LETTERS = {"noun": "N", "predicate": "V", "preposition": "P", "adjectives": "A"}
LINKING = ("gap", "marker", "complementiser", "conjunction")
SPARE = "spare"  # the path of a word that is in one sentence of a pair only


@dataclass(frozen=True, slots=True)
class Swap:
    """Two variables whose values change places; of forms only a field of the value, as 'polarity',
    where one is named.

    more  further variables that change places along with them, as a noun's form with the noun
    """

    a: str
    b: str
    field: str = ""
    more: tuple[tuple[str, str], ...] = ()

    def moved(self, path: str) -> str:
        """Where the word at a path of the first sentence stands in the second."""
        if self.field:
            return path
        return next(
            (
                one if path == other else other
                for one, other in ((self.a, self.b), *self.more)
                if path in (one, other)
            ),
            path,
        )


class Question(NamedTuple):
    """The variables whose words are asked about, by their paths in the first sentence, and what is
    told of the answer.

    first     whether the answer is yes in the first sentence; in the second it is the opposite
    negative  what kind of no it is
    clause    what the paths of the asked verb's clause begin with
    positive  what kind of yes it is, where yes and no have the same kinds and are to have the same
              shares of them
    """

    asked: tuple[str, ...]
    first: bool
    negative: str
    clause: str
    positive: str = ""


@dataclass(frozen=True)
class Contrast:
    """A structure of a language, a swap and questions.

    limits   values that variables may have, on top of what the task allows everywhere
    spare    the kind of a further word that one of the sentences has: 'noun' or 'verb', '' for
             pairs of the same words
    tied     forms that are made alike but for a field: the second becomes like the first
    """

    placed: Placed
    language: Language
    swap: Swap
    questions: tuple[Question, ...]
    limits: Mapping[str, int]
    spare: str = ""
    tied: Swap | None = None

    def mirrored(self, box: Box) -> Box:
        """A box of the second sentences, as one of the first."""
        return {self.swap.moved(path): mask for path, mask in box.items()}

    def with_ties(self, values: Values) -> Values:
        """Values with the tied forms made alike."""
        if self.tied is None:
            return values
        a, b = values[self.tied.a], values[self.tied.b]
        return {**values, self.tied.b: self._table(self.tied)[a, b]}

    def second(self, values: Values) -> Values:
        """The values of the second sentences."""
        if not self.swap.field:
            return {path: values[self.swap.moved(path)] for path in values}
        a, b = values[self.swap.a], values[self.swap.b]
        table = self._table(self.swap)
        return {**values, self.swap.a: table[a, b], self.swap.b: table[b, a]}

    def minimal(self, first: str, second: str) -> bool:
        """Whether two sentences have the same words, as they must where none is spare: where two
        words that change places have other forms there, as by case, a bag tells which is where.
        """
        return bool(self.spare) or sorted(words_of(first)) == sorted(words_of(second))

    def kind(self, path: str) -> str:
        """What kind of variable is at a path."""
        return (
            self.spare
            if path == SPARE
            else next(v.kind for v in self.placed.variables if v.path == path)
        )

    def lemma(self, path: str, number: int) -> str:
        """The word that a value stands for."""
        return str(self.language.values(self.kind(path))[number].lemma)

    def _table(self, swap: Swap) -> Numbers:
        return exchanged(self.language, self.kind(swap.a), swap.field)


def words_of(text: str) -> list[str]:
    """The words of a sentence as it is written; a comma is one."""
    return text.replace(",", " ,").split(" ")


def schema(text: str, roles: str) -> str:
    """The structure of a sentence in words, as "N that V N was V by N"; determiners, auxiliaries,
    adverbs and negations are left out.
    """
    named = zip(
        words_of(text),
        (path.rstrip(".0123456789").rpartition(".")[2] for path in roles.split(" ")),
        strict=True,
    )
    return " ".join(
        LETTERS.get(last, word) for word, last in named if last in LETTERS or last in LINKING
    )


@lru_cache(maxsize=32)
def exchanged(language: Language, kind: str, field: str) -> Numbers:
    """[values, values]: the first with the field of the second, -1 where the language has no such
    value.
    """
    known = language.values(kind)
    number = {value: i for i, value in enumerate(known)}
    return np.array(
        [
            [number.get(one._replace(**{field: other._asdict()[field]}), -1) for other in known]
            for one in known
        ],
        np.int64,
    )
