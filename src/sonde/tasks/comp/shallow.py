"""What a reader sees who knows words by their form and where they stand, and no structure: what
shallow rules are learnt from.

Nouns and verbs are told by their form alone (singular, plural; -s, -ed, -ing), adverbs, adjectives
and prepositions by their kind; every other word is itself. Of the asked words there is what stands
around them and nearest to them, how many of each kind come before and after them, and which of two
comes first. What stands between two asked words is nearly a parse, so it is kept apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sonde.generation.events.lexicon import Lexicon
from sonde.generation.events.polish_forms import KTORY
from sonde.vectors import Ints

Flags = NDArray[np.bool_]
Tags = Sequence[str]
ENGLISH_NOUNS, ENGLISH_VERBS = ("noun", "nouns"), ("verb", "verb-s", "verb-ed", "verb-ing")
CASES = ("nominative", "genitive", "accusative", "instrumental")
POLISH_NOUNS = tuple(f"{noun} {case}" for noun in ("noun", "nouns") for case in CASES)
POLISH_VERBS = (
    *("infinitive", "verb-i", "verb-ą", "verb-ł", "verb-ła", "verb-ło", "verb-li", "verb-ły"),
    *("verb-ny", "verb-na", "verb-ne", "verb-ni"),
)
FORMS = {
    ("noun", 2): ENGLISH_NOUNS,
    ("verb", 5): ("verb", "verb-s", "verb-ed", "verb-ed", "verb-ing"),
    ("noun", 8): POLISH_NOUNS,
    ("verb", 8): POLISH_VERBS[:8],
    ("verb", 12): POLISH_VERBS,
}
"""Kind of word and number of its forms, which tells the languages apart -> their tags; of a form
that is several the first.
"""
# below English and Polish side by side: no word of one is a word of the other
NOUNS, VERBS = ENGLISH_NOUNS + POLISH_NOUNS, ENGLISH_VERBS + POLISH_VERBS
PLURAL = (ENGLISH_NOUNS[1], *POLISH_NOUNS[len(CASES) :])
NOT, BY = ("not", "nie"), ("by", "przez")
NEGATIONS = ("not", "no", "nie")
RELATIVES = tuple(KTORY)
LINKS = ("that", "who", "że", *RELATIVES)
FINITE = (
    *("is", "are", "was", "were", "has", "have", "had", "does", "do", "did"),
    *("jest", "są", "był", "byli", "będzie", "będą", "został", "zostali", "zostanie", "zostaną"),
)
NEAREST: Mapping[str, Tags] = {
    "noun": NOUNS,
    "auxiliary": FINITE,
    "verb or negation": (*VERBS, *NEGATIONS),
    "relative pronoun": RELATIVES,
}
COUNTED: Mapping[str, Tags] = {
    "nouns": NOUNS,
    "verbs": VERBS,
    "that": LINKS,
    "by": BY,
    "and": ("and", "i"),
    "not or no": NEGATIONS,
}
AROUND = (-2, -1, 1, 2)  # places of words around an asked one
MOST = 3  # of a kind before, after or between are told apart
FAR = 8  # words before an asked one are counted up to here
BETWEEN = "between"  # begins the names of features that say what stands between two asked words
END = "the end"


class Seen(NamedTuple):
    """Examples as a shallow reader has them: the tags of their words, and the places of the asked
    ones.

    codes   [n, length] into tags, -1 beyond the end of a sentence
    places  [n, slots]
    """

    codes: Ints
    tags: tuple[str, ...]
    places: Ints

    @classmethod
    def of(cls, sentences: Sequence[Tags], places: Sequence[Sequence[int]]) -> Seen:
        """The same of tags and places one by one."""
        numbers: dict[str, int] = {}
        codes = np.full((len(sentences), max(map(len, sentences), default=0)), -1, np.int64)
        for row, tags in zip(codes, sentences, strict=True):
            row[: len(tags)] = [numbers.setdefault(tag, len(numbers)) for tag in tags]
        return cls(
            codes,
            tuple(numbers),
            np.array(places, np.int64).reshape(len(sentences), -1 if len(places) else 0),
        )

    def take(self, rows: Ints) -> Seen:
        """Some of the examples."""
        return self._replace(codes=self.codes[rows], places=self.places[rows])

    def are(self, some: Tags) -> Flags:
        """Which words have one of some tags [n, length]."""
        return np.append(np.isin(self.tags, some), False)[self.codes]

    def at(self, places: Ints) -> NDArray[np.str_]:
        """The tags at some places [n]; beyond a sentence there is its end."""
        inside = (places >= 0) & (places < (self.codes >= 0).sum(1))
        codes = self.codes[np.arange(len(self.codes)), np.where(inside, places, 0)]
        tags: NDArray[np.str_] = np.where(inside, np.array([*self.tags, END])[codes], END)
        return tags


class Features(NamedTuple):
    """What holds of each example [n, features], by name."""

    holds: Flags
    names: tuple[str, ...]

    @property
    def apart(self) -> Flags:
        """Which features say nothing of what stands between two asked words [features]."""
        return np.array([not name.startswith(BETWEEN) for name in self.names], bool)


def features(seen: Seen) -> Features:
    """All that rules may use and that tells some examples from others; of two that always agree, or
    never, the first.
    """
    by_name = {name: holds for name, holds in _all(seen) if holds.any() and not holds.all()}
    if not by_name:
        return Features(np.zeros((len(seen.codes), 0), bool), ())
    holds = np.stack(list(by_name.values()), 1)
    _, first = np.unique(np.packbits(holds ^ holds[:1], axis=0), axis=1, return_index=True)
    columns = np.sort(first)
    return Features(holds[:, columns], tuple(np.array(list(by_name))[columns].tolist()))


def same_features(seen: Seen, names: Sequence[str]) -> Features:
    """Those of some names, of other examples; one of a tag that they lack holds nowhere."""
    by_name = dict(_all(seen))
    nowhere = np.zeros(len(seen.codes), bool)
    return Features(
        (
            np.stack([by_name.get(name, nowhere) for name in names], 1)
            if names
            else nowhere[:, None][:, :0]
        ),
        tuple(names),
    )


def _all(seen: Seen) -> Iterator[tuple[str, Flags]]:
    index, of = (
        np.arange(seen.codes.shape[1]),
        {name: seen.are(some) for name, some in {**NEAREST, **COUNTED}.items()},
    )
    several = seen.places.shape[1] > 1
    for k, place in enumerate(seen.places.T):
        what = f"asked word {k + 1}" if several else "the asked word"
        for away in AROUND:
            tag = seen.at(place + away)
            yield from (
                (f"{away:+d} of {what} is {name!r}", tag == name) for name in (*seen.tags, END)
            )
        for side, where in (("before", index < place[:, None]), ("after", index > place[:, None])):
            for name, some in NEAREST.items():
                tag = seen.at(_first(of[name] & where, last=side == "before"))
                yield from (
                    (f"nearest {name} {side} {what} is {one!r}", tag == one)
                    for one in (*(one for one in some if one in seen.tags), END)
                )
            for name in COUNTED:
                yield from _at_least((of[name] & where).sum(1), f"{name} {side} {what}", MOST)
        yield from _at_least(place, f"words before {what}", FAR)
    for side in ("first", "last"):
        tag = seen.at(_first(of["noun"], last=side == "last"))
        yield f"the {side} noun is plural", np.isin(tag, PLURAL)
    if several:
        yield "asked word 1 is before asked word 2", seen.places[:, 0] < seen.places[:, 1]
        low, high = seen.places.min(1)[:, None], seen.places.max(1)[:, None]
        for name in COUNTED:
            yield from _at_least(
                (of[name] & (index > low) & (index < high)).sum(1), f"{BETWEEN}: {name}", MOST
            )
        yield from _at_least((high - low).ravel() - 1, f"{BETWEEN}: words", FAR)


def _first(where: Flags, *, last: bool) -> Ints:
    """The first place (or the last) at which something holds [n]; -1 where it holds nowhere."""
    at = where.shape[1] - 1 - where[:, ::-1].argmax(1) if last else where.argmax(1)
    return np.where(where.any(1), at, -1)


def _at_least(counts: Ints, name: str, most: int) -> Iterator[tuple[str, Flags]]:
    yield from ((f"{name}: {least} or more", counts >= least) for least in range(1, most + 1))


@lru_cache(maxsize=8)
def tags_of(lexicon: Lexicon) -> Mapping[str, str]:
    """The tag of each form of a lexicon; a form that is a noun's and a verb's counts as the
    noun's.
    """
    tags: dict[str, str] = {}
    for kind in ("noun", "verb", "adverb", "adjective", "preposition"):
        for entry in lexicon.entries[kind]:
            n = len(entry.forms)
            for form, tag in zip(entry.forms, FORMS.get((kind, n), (kind,) * n), strict=True):
                tags.setdefault(form, tag)
    return tags
