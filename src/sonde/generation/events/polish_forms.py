"""Polish inflection in tables: cases, genders and what agrees with what.

Genders are those of the National Corpus of Polish: m1 personal, m2 animate, m3 other masculine, f,
n. In the plural only m1, which is called virile, differs from the others; its accusative is the
genitive, that of the others the nominative.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from sonde.generation.events.language import Form, Language, Numbers, Texts
from sonde.generation.events.lexicon import Entry

NOMINATIVE, GENITIVE, ACCUSATIVE, INSTRUMENTAL = range(4)
GENDERS = ("m1", "m2", "m3", "f", "n")
M1, M2, M3, F, N = range(5)

# what verbs and participles agree with: he, she, it, they with a man among them, they
HE, SHE, IT, VIRILE, OTHERS = range(5)
# [numbers, genders]
CONCORD = np.array([[HE, HE, HE, SHE, IT], [VIRILE, OTHERS, OTHERS, OTHERS, OTHERS]])
# of two joined by "i": [first is m1, second is m1]
TOGETHER = np.array([[OTHERS, VIRILE], [VIRILE, VIRILE]])

# places in the lexicon: of verbs after the lemma 3 sg, 3 pl, five of the past and four participles
PAST, PARTICIPLE = 3, 8
PARTICIPLES = (PARTICIPLE, PARTICIPLE + 1, PARTICIPLE + 2, PARTICIPLE + 3, PARTICIPLE + 2)
BE = {
    "past": ("był", "była", "było", "byli", "były"),
    "present": ("jest", "jest", "jest", "są", "są"),
    "future": ("będzie", "będzie", "będzie", "będą", "będą"),
}
BECOME = {
    "past": ("został", "została", "zostało", "zostali", "zostały"),
    "future": (*["zostanie"] * 3, *["zostaną"] * 2),
}


class Pronoun(NamedTuple):
    """The forms of a word that is declined like an adjective: nominatives, then by their endings;
    `she` is the feminine accusative.
    """

    he: str
    she_is: str
    it: str
    virile: str
    ego: str
    ym: str
    ej: str
    she: str
    ych: str
    ymi: str

    def form(self, case: int, plural: int, gender: int) -> str:
        """The form that agrees with a noun."""
        if plural:
            others = self.it if self.it != "to" else "te"
            nominative = self.virile if gender == M1 else others
            accusative = self.ych if gender == M1 else others
            return (nominative, self.ych, accusative, self.ymi)[case]
        if gender == F:
            return (self.she_is, self.ej, self.she, self.instrumental)[case]
        nominative = self.it if gender == N else self.he
        return (nominative, self.ego, self.ego if gender in (M1, M2) else nominative, self.ym)[case]

    @property
    def instrumental(self) -> str:
        """The feminine instrumental: the accusative, but of "ten" (tę, tą)."""
        return self.she.removesuffix("ę") + "ą" if self.she.endswith("ę") else self.she


TEN = Pronoun("ten", "ta", "to", "ci", "tego", "tym", "tej", "tę", "tych", "tymi")
KTORY = Pronoun(
    "który",
    "która",
    "które",
    "którzy",
    "którego",
    "którym",
    "której",
    "którą",
    "których",
    "którymi",
)
# has no plural
KAZDY = Pronoun("każdy", "każda", "każde", "", "każdego", "każdym", "każdej", "każdą", "", "")
DETERMINERS = {"ten": TEN, "każdy": KAZDY}


def declined(entry: Entry) -> Pronoun:
    """An adjective of the lexicon."""
    return Pronoun(*entry.forms)


def agreeing(pronoun: Pronoun) -> list[list[list[str]]]:
    """All forms: [cases, numbers, genders], each with a space after it."""
    return [
        [[f"{pronoun.form(case, n, g)} " for g in range(5)] for n in range(2)] for case in range(4)
    ]


def genders(language: Language) -> Numbers:
    """The gender of each noun."""
    return np.array(
        [
            next(i for i, gender in enumerate(GENDERS) if gender in e.flags)
            for e in language.values("noun")
        ],
        np.int64,
    )


class Group(NamedTuple):
    """A verb group: what stands before its adverbs with what that realises, and which form of the
    verb ends it.
    """

    before: tuple[tuple[str, str], ...]
    verb: int


def group(form: Form, voice: str, concord: int) -> Group:
    """The group of a form and voice that agrees: "nie będzie | spał", "nie została |
    zaproszona".
    """
    negation = (("nie", "negation"),) if form.polarity == "negative" else ()
    tense = str(form.tense)
    if voice == "passive":
        auxiliary = (BE if form.aspect == "imperfective" else BECOME)[tense][concord]
        return Group((*negation, (auxiliary, "auxiliary")), PARTICIPLES[concord])
    if tense == "future" and form.aspect == "imperfective":
        return Group((*negation, (BE[tense][concord], "auxiliary")), PAST + concord)
    return Group(negation, PAST + concord if tense == "past" else 1 + (concord >= VIRILE))


def groups(language: Language, voice: str) -> tuple[Texts, Texts, Texts]:
    """What stands before the adverbs, words and roles [forms, 5], and the verb [forms, 5,
    verbs].
    """
    shape = (len(language.forms), 5)
    words, roles = np.empty(shape, object), np.empty(shape, object)
    verbs = np.empty((*shape, language.count("verb")), object)
    for (i, form), concord in product(enumerate(language.forms), range(5)):
        verb_group = group(form, voice, concord)
        for k, table in enumerate((words, roles)):
            table[i, concord] = "".join(f"{word[k]} " for word in verb_group.before)
        # verbs without participles have no passive, so nothing is lost
        verbs[i, concord] = [
            f"{e.forms[verb_group.verb]} " if verb_group.verb < len(e.forms) else ""
            for e in language.values("verb")
        ]
    return words, roles, verbs
