"""What a language brings: a lexicon, the values that features may have, what goes with what, and
how a shape is said.

The rest of the package knows no language. Values of a variable are numbers: entries of the lexicon,
or positions in the tuples here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import or_
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe import DataProblem
from lingprobe_extensions.compose.events.lexicon import EventLexicon
from lingprobe_extensions.compose.events.shapes import Box, LinearisedShape

Texts = NDArray[np.object_]
Numbers = NDArray[np.int64]


class ClauseForm(NamedTuple):
    """How a clause is put: a tense or a modal, an aspect and a polarity."""

    tense: str | None
    modal: str | None
    aspect: str
    polarity: str


class PhraseForm(NamedTuple):
    """How a phrase is put."""

    number: str
    determiner: str


class VariableKey(NamedTuple):
    """A variable, and what its value is turned into before it looks something up; None leaves it as
    it is.
    """

    path: str
    through: Numbers | None = None


@dataclass(frozen=True)
class WordColumn:
    """One place in a sentence: words, each with a space after it, for every combination of values
    of its keys.

    roles   what the words realise, in the same layout: paths in the event, each with a space after
            it
    """

    words: Texts
    roles: Texts
    keys: tuple[VariableKey, ...]


class ExcludedBox(NamedTuple):
    """Sentences that are not said: all of them in a box. The name is what a request may allow; ''
    can never be allowed.
    """

    box: Box
    name: str


@dataclass(frozen=True, eq=False)
class Language:
    """A language: tables, and two functions of a shape.

    adverbs   the rows of adverbs that may stand in a clause, as numbers of adverbs; the first is
              empty
    defaults  the values of features that a request has if it says nothing
    leaning   words that are written without a space before them, as commas
    tags      kind of word -> what each of its forms is called where lemmas do not matter: 'noun',
              'nouns'; verbs of fewer forms have the first ones
    signs     the small words that shallow rules look for, by what they are signs of: 'not',
              'negation', 'by', 'link', 'relative', 'auxiliary', 'and'
    forces    determiners that are not definite: 'none', 'every' or 'some' of what they stand before
    allowed   names of rules that a request may lift, with what they keep out
    reader    what reads its sentences, to check them: a name of
              `lingprobe_extensions.compose.readings.find.READING_GRAMMARS`, or a ReadingGrammar; ''
              for nothing
    known     the lexicon that the reader was written for; without, the language's own
    designs   what tasks of comp/ ask of its sentences: a name of `DESIGNS` in
              `lingprobe_extensions.compose.comp.designs`, or a table of this kind; '' for nothing
    code      its code by ISO 639, as 'en'
    """

    name: str
    lexicon: EventLexicon
    forms: tuple[ClauseForm, ...]
    phrases: tuple[PhraseForm, ...]
    relativisers: tuple[str, ...]
    adverbs: tuple[tuple[int, ...], ...]
    forces: Mapping[str, str]
    defaults: Mapping[str, tuple[str, ...]]
    leaning: tuple[str, ...]
    tags: Mapping[str, tuple[str, ...]]
    signs: Mapping[str, tuple[str, ...]]
    allowed: Mapping[str, str]
    rules: Callable[[LinearisedShape], Iterable[ExcludedBox]]
    columns: Callable[[LinearisedShape], list[WordColumn]]
    reader: Any = ""
    known: EventLexicon | None = None
    designs: Any = ""
    code: str = ""

    @property
    def denying(self) -> frozenset[str]:
        """The determiners of which nothing is left: "no", "not one"."""
        return frozenset(word for word, force in self.forces.items() if force == "none")

    @property
    def plain(self) -> str:
        """The determiner of phrases of which nothing else is asked."""
        return self.defaults["determiner"][0]

    def count(self, kind: str) -> int:
        """How many values a kind of variable has."""
        return len(self.values(kind))

    def values(self, kind: str) -> tuple[Any, ...]:
        """The values of a kind of variable by number."""
        tables: dict[str, tuple[Any, ...]] = {
            "form": self.forms,
            "phrase": self.phrases,
            "relativiser": self.relativisers,
            "adverbs": self.adverbs,
        }
        return tables[kind] if kind in tables else self.lexicon.entries[kind]

    def mask(self, kind: str, test: Callable[[Any], bool]) -> int:
        """The values of a kind that pass a test, in bits."""
        return sum(1 << i for i, value in enumerate(self.values(kind)) if test(value))

    def words(self, kind: str, lemmas: Iterable[str]) -> int:
        """Lemmas of a kind, in bits; verbs in all their frames. One that is not there is named."""
        return reduce(or_, (_lemma(self, kind, lemma) for lemma in lemmas), 0)

    def having(self, kind: str, field: str, values: Iterable[str | None]) -> int:
        """Forms or phrase forms of which a field is one of some values; a value that none has is
        named.
        """
        return reduce(or_, (_having(self, kind, field, one) for one in values), 0)


@lru_cache(maxsize=4096)
def _lemma(language: Language, kind: str, lemma: str) -> int:
    mask = language.mask(kind, lambda entry: entry.lemma == lemma)
    if not mask:
        language.lexicon.number(kind, lemma)  # complains
    return mask


@lru_cache(maxsize=512)
def _having(language: Language, kind: str, field: str, choice: str | None) -> int:
    mask = language.mask(kind, lambda value: value._asdict()[field] == choice)
    if not mask:
        known = dict.fromkeys(
            str(other)
            for value in language.values(kind)
            if (other := value._asdict()[field]) is not None
        )
        raise DataProblem(
            f"{field} {choice!r} is not there in {language.name}; there are {', '.join(known)}"
        )
    return mask


def make_constant_word(text: str, role: str) -> WordColumn:
    """One word that is always the same."""
    return WordColumn(np.array(f"{text} ", object), np.array(f"{role} ", object), ())


def space_words(words: Iterable[str]) -> Texts:
    """Words as columns have them, each with a space after it; nothing stays nothing."""
    return np.array([f"{text} " if text else "" for text in words], object)


def repeat_role(role: str, shape: Sequence[int]) -> Texts:
    """One role whatever the words are."""
    return np.broadcast_to(np.array(f"{role} ", object), tuple(shape))


def build_word_column(words: Texts, role: str, *keys: VariableKey) -> WordColumn:
    """Words that realise the same whatever they are."""
    return WordColumn(words, repeat_role(role, words.shape), keys)


def list_prepositions(path: str, language: Language) -> WordColumn:
    """The preposition at a path."""
    return build_word_column(
        space_words(e.lemma for e in language.values("preposition")), path, VariableKey(path)
    )


def mark_plurals(language: Language) -> Numbers:
    """Which forms of phrases are plural, as 0 or 1."""
    return np.array([form.number == "plural" for form in language.phrases], np.int64)


def prefix_roles(roles: Texts, prefix: str) -> Texts:
    """Roles with a prefix before each."""
    if not prefix:
        return roles
    prefixed = np.frompyfunc(lambda text: "".join(f"{prefix}{r} " for r in text.split()), 1, 1)
    return prefixed(roles)  # type: ignore[no-any-return]
