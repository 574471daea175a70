"""The reader's English words, and those with which sentences are built, with their inflection: by
rule, and from a list of what no rule gives.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain

from lingprobe_extensions.compose.readings.words import (
    Extra,
    FormAnalysis,
    LexiconLine,
    UserLexeme,
    Words,
    read_word_table,
    words_by_form,
)

_VOWELS = "aeiou"
Irregular = Mapping[str, tuple[tuple[str, ...], ...]]


def add_plural_ending(noun: str) -> str:
    """The regular plural, which is also how a verb gets its -s."""
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in _VOWELS:
        return noun[:-1] + "ies"
    return noun + "s"


def inflect_progressive(verb: str, *, doubling: bool) -> str:
    """The form of the progressive."""
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return verb[:-1] + "ing"
    return _stem(verb, doubling=doubling) + "ing"


def inflect_past(verb: str, *, doubling: bool) -> str:
    """The regular past."""
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return verb[:-1] + "ied"
    return _stem(verb, doubling=doubling) + "ed"


def _stem(verb: str, *, doubling: bool) -> str:
    return verb + verb[-1] if doubling else verb


def inflect_english_noun(lemma: str, irregular: Irregular) -> Iterator[tuple[str, str]]:
    """Form and number."""
    yield lemma, "singular"
    for (many,) in irregular.get(lemma, ((add_plural_ending(lemma),),)):
        yield many, "plural"


def inflect_english_verb(
    lemma: str, irregular: Irregular, *, doubling: bool
) -> Iterator[tuple[str, str]]:
    """Form and name of the form: base, singular (present), past, participle, ing; a verb may have
    several pasts.
    """
    yield lemma, "base"
    yield add_plural_ending(lemma), "singular"
    yield inflect_progressive(lemma, doubling=doubling), "ing"
    regular = inflect_past(lemma, doubling=doubling)
    for past, participle in irregular.get(lemma, ((regular, regular),)):
        yield past, "past"
        yield participle, "participle"


def choose_article(word: str) -> str:
    """The indefinite article that goes before a word."""
    if word.startswith(("honest", "hour", "heir")):
        return "an"
    return (
        "an" if word[0] in _VOWELS and not word.startswith(("uni", "use", "euro", "one")) else "a"
    )


_BOTH = ("singular", "plural")
DETERMINER_FORMS = {
    "the": ("the", _BOTH),
    "a": ("a", ("singular",)),
    "an": ("a", ("singular",)),
    "some": ("some", _BOTH),
    "every": ("every", ("singular",)),
    "no": ("no", _BOTH),
    "one": ("one", ("singular",)),
    "not one": ("not one", ("singular",)),
    "this": ("this", ("singular",)),
    "these": ("these", ("plural",)),
    "that": ("that", ("singular",)),
    "those": ("those", ("plural",)),
}
MODAL_VERBS = ("will", "would", "can", "could", "may", "might", "must", "shall", "should")
HELPER_FORMS = {  # lemma, form, number that it wants of the subject
    "do": ("do", "present", "plural"),
    "does": ("do", "present", "singular"),
    "did": ("do", "past", None),
    "have": ("have", "present", "plural"),
    "has": ("have", "present", "singular"),
    "had": ("have", "past", None),
    "are": ("be", "present", "plural"),
    "is": ("be", "present", "singular"),
    "was": ("be", "past", "singular"),
    "were": ("be", "past", "plural"),
}
LINKING_WORD_CODES = {"that": "T", "who": "W", "which": "H", "and": "&", "by": "b", "to": "t"}
REFLEXIVE_PRONOUNS = {
    "himself": "masculine",
    "herself": "feminine",
    "itself": "neuter",
    "themselves": "plural",
}


@lru_cache(maxsize=8)
def english_words(extra_words: Extra = ()) -> Words:
    """For each form all that it can be, the words of the closed classes excluded; with some that
    the table lacks.
    """
    return words_by_form(
        chain(_list_english_forms(list(read_word_table("english.tsv"))), extra_words)
    )


_FORMS = {
    "noun": ("singular", "plural"),
    "verb": ("base", "singular", "past", "participle", "ing"),
    "adverb": ("",),
    "adjective": ("",),
    "preposition": ("",),
}
"""Kinds of words -> what their forms are called, in the order of a user's table."""


def add_user_words(entries: Iterable[UserLexeme]) -> Extra:
    """Words of a user's table, as the reader has words; what there is to say of them, that table
    says.
    """
    return tuple(
        (form, FormAnalysis(entry.kind, entry.lemma, name, _of_entry(entry)))
        for entry in entries
        for form, name in zip(entry.forms, _FORMS[entry.kind], strict=True)
    )


def _of_entry(entry: UserLexeme) -> frozenset[str]:
    if entry.kind == "noun":
        alive = {"person", "animal"} & {*entry.classes}
        return frozenset((alive or {"thing"}) | (entry.flags & {"masculine", "feminine"}))
    if entry.kind == "verb":
        return frozenset({*entry.classes, *(["to"] if "ditransitive" in entry.classes else [])})
    return (
        frozenset({"late", "degree"})
        if entry.kind == "adverb" and "manner" in entry.classes
        else frozenset()
    )


def _list_english_forms(lines: list[LexiconLine]) -> Iterator[tuple[str, FormAnalysis]]:
    doubling = {lemma for line in lines if line.kind == "doubling" for lemma in line.lemmas}
    irregular = {kind: _irregular(lines, kind) for kind in ("noun", "verb")}
    for (kind, lemma), traits in _traits(lines).items():
        if kind == "noun":
            forms = inflect_english_noun(lemma, irregular["noun"])
        elif kind == "verb":
            forms = inflect_english_verb(lemma, irregular["verb"], doubling=lemma in doubling)
        else:
            forms = iter([(lemma, "")])
        yield from ((form, FormAnalysis(kind, lemma, name, traits)) for form, name in forms)


def _traits(lines: list[LexiconLine]) -> dict[tuple[str, str], frozenset[str]]:
    """For each word what its lines say of it: nouns and adverbs several words, verbs a frame a
    line.
    """
    by_word: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for line in lines:
        if line.kind in ("noun", "verb", "adjective", "adverb", "preposition"):
            for lemma in line.lemmas:
                by_word[line.kind, lemma] |= (
                    {line.of} if line.kind == "verb" else {*line.of.split()} - {"-"}
                )
    return {word: frozenset(traits) for word, traits in by_word.items()}


def _irregular(lines: list[LexiconLine], kind: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Forms that no rule gives, "lemma:form:form"; a word may have several sets of them."""
    by_lemma: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for line in lines:
        if line.of == kind and line.kind == "irregular":
            for entry in line.lemmas:
                lemma, *forms = entry.split(":")
                by_lemma[lemma].append(tuple(forms))
    return {lemma: tuple(forms) for lemma, forms in by_lemma.items()}
