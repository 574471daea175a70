"""English inflection by rule, with a list of what no rule gives: all forms of a noun or verb."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

VOWELS = "aeiou"
Irregular = Mapping[str, tuple[tuple[str, ...], ...]]


def plural(noun: str) -> str:
    """The regular plural, which is also how a verb gets its -s."""
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in VOWELS:
        return noun[:-1] + "ies"
    return noun + "s"


def ing(verb: str, *, doubling: bool) -> str:
    """The form of the progressive."""
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return verb[:-1] + "ing"
    return _stem(verb, doubling=doubling) + "ing"


def ed(verb: str, *, doubling: bool) -> str:
    """The regular past."""
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in VOWELS:
        return verb[:-1] + "ied"
    return _stem(verb, doubling=doubling) + "ed"


def _stem(verb: str, *, doubling: bool) -> str:
    return verb + verb[-1] if doubling else verb


def noun_forms(lemma: str, irregular: Irregular) -> Iterator[tuple[str, str]]:
    """Form and number."""
    yield lemma, "singular"
    for (many,) in irregular.get(lemma, ((plural(lemma),),)):
        yield many, "plural"


def verb_forms(lemma: str, irregular: Irregular, *, doubling: bool) -> Iterator[tuple[str, str]]:
    """Form and name of the form: base, singular (present), past, participle, ing; a verb may have
    several pasts.
    """
    yield lemma, "base"
    yield plural(lemma), "singular"
    yield ing(lemma, doubling=doubling), "ing"
    regular = ed(lemma, doubling=doubling)
    for past, participle in irregular.get(lemma, ((regular, regular),)):
        yield past, "past"
        yield participle, "participle"


def article(word: str) -> str:
    """The indefinite article that goes before a word."""
    if word.startswith(("honest", "hour", "heir")):
        return "an"
    return "an" if word[0] in VOWELS and not word.startswith(("uni", "use", "euro", "one")) else "a"
