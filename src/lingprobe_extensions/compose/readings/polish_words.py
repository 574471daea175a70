"""The reader's Polish words and those with which sentences are built, with their inflection: all
forms of nouns, adjectives and verbs, from as few given forms as the rules allow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from lingprobe_extensions.compose.readings.words import read_word_table

_CASES = ("nom", "gen", "acc", "ins")
_HARDENED = "kg"  # before -e these are followed by i
_SOFTENED = {"d": "dzi", "t": "ci", "r": "rzy", "k": "cy", "g": "dzy", "ł": "li", "ż": "zi"}


class NominalForm(NamedTuple):
    """A form of a noun or adjective: case, number, and the genders that it may have."""

    text: str
    case: str
    number: str
    genders: tuple[str, ...]


def inflect_polish_noun(
    lemma: str, principal_parts: Sequence[str], gender: str
) -> Iterator[NominalForm]:
    """The forms of a noun; given are genitive, nominative and genitive plural, and an instrumental
    plural that has not -ami.
    """
    genitive, plural, plural_genitive, *rest = principal_parts
    accusative, instrumental = _singular(lemma, genitive, gender)
    stem = plural[:-1] if gender == "n" else (lemma[:-1] if lemma[-1] in "aiy" else _stem(genitive))
    stem = lemma if lemma.endswith("i") else stem
    forms = {
        "singular": (lemma, genitive, accusative, instrumental),
        "plural": (
            plural,
            plural_genitive,
            plural_genitive if gender == "m1" else plural,
            rest[0] if rest else stem + "ami",
        ),
    }
    for number, each in forms.items():
        yield from (
            NominalForm(form, case, number, (gender,))
            for case, form in zip(_CASES, each, strict=True)
        )


def _singular(lemma: str, genitive: str, gender: str) -> tuple[str, str]:
    """Accusative and instrumental."""
    if lemma.endswith("a"):
        return (lemma[:-1] + ("ą" if genitive.endswith("ej") else "ę"), lemma[:-1] + "ą")
    if gender == "f":
        return (lemma + "ę", lemma + "ą") if lemma.endswith("i") else (lemma, _stem(genitive) + "ą")
    stem = _stem(genitive)
    return (
        genitive if gender in ("m1", "m2") else lemma,
        stem + ("iem" if stem[-1] in _HARDENED else "em"),
    )


def _stem(form: str) -> str:
    return form[:-1]


def adjective_forms(lemma: str) -> Iterator[NominalForm]:
    """The forms of an adjective, or of a word that goes like one."""
    stem = lemma[:-1]
    soft = "i" if stem[-1] in _HARDENED else ""
    thin = "i" if soft else "y"
    e = stem + soft + "e"
    for gender, oblique in (("m1", "ego"), ("m2", "ego"), ("m3", ""), ("n", "")):
        own = e if gender == "n" else lemma
        genitive = stem + soft + "ego"
        yield from _decline_row(
            (own, genitive, genitive if oblique else own, stem + thin + "m"), "singular", gender
        )
    yield from _decline_row(
        (stem + "a", stem + soft + "ej", stem + "ą", stem + "ą"), "singular", "f"
    )
    many = stem + thin + "ch"
    yield from _decline_row((inflect_virile(lemma), many, many, stem + thin + "mi"), "plural", "m1")
    for gender in ("m2", "m3", "f", "n"):
        yield from _decline_row((e, many, e, stem + thin + "mi"), "plural", gender)


def _decline_row(forms: Sequence[str], number: str, gender: str) -> Iterator[NominalForm]:
    yield from (
        NominalForm(form, case, number, (gender,)) for case, form in zip(_CASES, forms, strict=True)
    )


def inflect_virile(lemma: str) -> str:
    """The nominative plural of an adjective or participle about groups with men."""
    if lemma.endswith("ony") and lemma != "czerwony":
        return lemma.removesuffix("ony") + "eni"
    if lemma.endswith("oły"):
        return lemma.removesuffix("oły") + "eli"
    stem = lemma[:-1]
    return stem[:-1] + _SOFTENED[stem[-1]] if stem[-1] in _SOFTENED else stem + "i"


class VerbForm(NamedTuple):
    """A form of a verb: nonpast, past, infinitive or passive; its number, and the genders of the
    subject that it may have.
    """

    text: str
    name: str
    number: str | None
    genders: tuple[str, ...]


_MASCULINE, _OTHERS = ("m1", "m2", "m3"), ("m2", "m3", "f", "n")
_ALL = (*_MASCULINE, "f", "n")


def inflect_polish_verb(lemma: str, principal_parts: Sequence[str]) -> Iterator[VerbForm]:
    """The forms of a verb; given are nonpast singular and plural, past masculine, feminine and
    virile, and a passive participle or none.
    """
    one, many, masculine, feminine, men, *passive = principal_parts
    yield VerbForm(lemma, "infinitive", None, _ALL)
    yield VerbForm(one, "nonpast", "singular", _ALL)
    yield VerbForm(many, "nonpast", "plural", _ALL)
    yield from _by_gender("past", masculine, feminine, men)
    for participle in passive:
        yield from _by_gender(
            "passive", participle, participle[:-1] + "a", inflect_virile(participle), "e"
        )


def _by_gender(
    name: str, masculine: str, feminine: str, men: str, neuter: str = ""
) -> Iterator[VerbForm]:
    stem = feminine[:-1]
    yield VerbForm(masculine, name, "singular", _MASCULINE)
    yield VerbForm(feminine, name, "singular", ("f",))
    yield VerbForm(stem + (neuter or "o"), name, "singular", ("n",))
    yield VerbForm(men, name, "plural", ("m1",))
    yield VerbForm(stem + (neuter or "y"), name, "plural", _OTHERS)


def make_regular_verb(lemma: str) -> tuple[str, ...]:
    """What `inflect_polish_verb` wants of a verb in -ować, -ywać, -ać, -yć or -ić."""
    past = (lemma[:-1] + "ł", lemma[:-1] + "ła", lemma[:-1] + "li")
    for ending in ("ować", "ywać", "iwać"):
        if lemma.endswith(ending):
            stem = lemma.removesuffix(ending)
            return (stem + "uje", stem + "ują", *past, lemma[:-1] + "ny")
    stem = lemma[:-2]
    if lemma.endswith("ać"):
        return (stem + "a", stem + "ają", *past, stem + "any")
    if lemma.endswith("yć"):
        return (stem + "y", stem + "ą", *past, stem + "ony")
    soft = (
        stem[:-1] + "sz"
        if stem.endswith("s")
        else (stem if stem.endswith(("l", "dz")) else stem + "i")
    )
    return (stem + "i", soft + "ą", *past, soft + "ony")


POLISH_GENDERS = frozenset({"m1", "m2", "m3", "f", "n"})


class PolishAnalysis(NamedTuple):
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
def polish_words() -> dict[str, tuple[PolishAnalysis, ...]]:
    """For each form all that it can be; determiners and the relative pronoun too."""
    words: defaultdict[str, dict[PolishAnalysis, None]] = defaultdict(dict)
    for form, word in _list_polish_forms():
        words[form][word] = None
    return {form: tuple(of) for form, of in words.items()}


def _list_polish_forms() -> Iterator[tuple[str, PolishAnalysis]]:
    verbs: defaultdict[str, set[str]] = defaultdict(set)
    principal_parts: dict[str, tuple[str, ...]] = {}
    for kind, of, entries in read_word_table("polish.tsv"):
        traits = frozenset(of.split())
        for entry in entries:
            lemma, *forms = entry.split(":")
            if kind in ("verb", "irregular"):
                verbs[lemma] |= traits
                principal_parts[lemma] = max(
                    principal_parts.get(lemma, ()),
                    tuple(forms) or make_regular_verb(lemma),
                    key=len,
                )
            elif kind == "noun":
                (gender,) = traits & POLISH_GENDERS
                for form in inflect_polish_noun(lemma, forms, gender):
                    yield (
                        form.text,
                        PolishAnalysis(
                            kind, lemma, form.case, form.number, frozenset(form.genders), traits
                        ),
                    )
            elif kind == "adjective":
                yield from _decline_adjective(kind, lemma)
            else:
                yield lemma, PolishAnalysis(kind, lemma, "", None, POLISH_GENDERS, traits - {"-"})
    for lemma, frames in verbs.items():
        for verb in inflect_polish_verb(
            lemma, principal_parts[lemma] if "transitive" in frames else principal_parts[lemma][:5]
        ):
            yield (
                verb.text,
                PolishAnalysis(
                    "verb",
                    lemma,
                    verb.name,
                    verb.number,
                    frozenset(verb.genders),
                    frozenset(frames),
                ),
            )
    yield from _decline_adjective("relative", "który")
    yield from _determiners()


def _decline_adjective(kind: str, lemma: str) -> Iterator[tuple[str, PolishAnalysis]]:
    for form in adjective_forms(lemma):
        yield (
            form.text,
            PolishAnalysis(
                kind, lemma, form.case, form.number, frozenset(form.genders), frozenset()
            ),
        )


def _determiners() -> Iterator[tuple[str, PolishAnalysis]]:
    """The forms of "ten", which goes like an adjective but for three of them, and of "każdy"."""
    for form, word in _decline_adjective("determiner", "ty"):
        own = {("ty", word.form): "ten", ("tą", "acc"): "tę"}
        text = (
            "to" if form == "te" and word.number == "singular" else own.get((form, word.form), form)
        )
        yield text, word._replace(lemma="ten")
    for form, word in _decline_adjective("determiner", "każdy"):
        if word.number == "singular":
            yield form, word
