"""The reader's Polish words, and those with which sentences are built."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from sonde.generation.readings.polish_forms import adjective_forms, noun_forms, regular, verb_forms
from sonde.generation.readings.words import table

GENDERS = frozenset({"m1", "m2", "m3", "f", "n"})


class Word(NamedTuple):
    """One thing that a form can be: of a kind and lemma, which form of it (of nouns and adjectives
    the case), and for what genders.
    """

    kind: str
    lemma: str
    form: str
    number: str | None
    genders: frozenset[str]
    traits: frozenset[str]


@cache
def polish_words() -> dict[str, tuple[Word, ...]]:
    """For each form all that it can be; determiners and the relative pronoun too."""
    words: defaultdict[str, dict[Word, None]] = defaultdict(dict)
    for form, word in _forms():
        words[form][word] = None
    return {form: tuple(of) for form, of in words.items()}


def _forms() -> Iterator[tuple[str, Word]]:
    verbs: defaultdict[str, set[str]] = defaultdict(set)
    given: dict[str, tuple[str, ...]] = {}
    for kind, of, entries in table("polish.tsv"):
        traits = frozenset(of.split())
        for entry in entries:
            lemma, *forms = entry.split(":")
            if kind in ("verb", "irregular"):
                verbs[lemma] |= traits
                given[lemma] = max(given.get(lemma, ()), tuple(forms) or regular(lemma), key=len)
            elif kind == "noun":
                (gender,) = traits & GENDERS
                for form in noun_forms(lemma, forms, gender):
                    yield (
                        form.text,
                        Word(kind, lemma, form.case, form.number, frozenset(form.genders), traits),
                    )
            elif kind == "adjective":
                yield from _declined(kind, lemma)
            else:
                yield lemma, Word(kind, lemma, "", None, GENDERS, traits - {"-"})
    for lemma, frames in verbs.items():
        for verb in verb_forms(lemma, given[lemma] if "transitive" in frames else given[lemma][:5]):
            yield (
                verb.text,
                Word(
                    "verb",
                    lemma,
                    verb.name,
                    verb.number,
                    frozenset(verb.genders),
                    frozenset(frames),
                ),
            )
    yield from _declined("relative", "który")
    yield from _determiners()


def _declined(kind: str, lemma: str) -> Iterator[tuple[str, Word]]:
    for form in adjective_forms(lemma):
        yield (
            form.text,
            Word(kind, lemma, form.case, form.number, frozenset(form.genders), frozenset()),
        )


def _determiners() -> Iterator[tuple[str, Word]]:
    """The forms of "ten", which goes like an adjective but for three of them, and of "każdy"."""
    for form, word in _declined("determiner", "ty"):
        own = {("ty", word.form): "ten", ("tą", "acc"): "tę"}
        text = (
            "to" if form == "te" and word.number == "singular" else own.get((form, word.form), form)
        )
        yield text, word._replace(lemma="ten")
    for form, word in _declined("determiner", "każdy"):
        if word.number == "singular":
            yield form, word
