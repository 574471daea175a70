"""What no language of ours says, as boxes: words that do not go together, one lemma twice,
negations that are two or of unclear scope.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from lingprobe_extensions.compose.events.language import ExcludedBox, Language
from lingprobe_extensions.compose.events.meaning import SEMANTIC_ROLES
from lingprobe_extensions.compose.events.shapes import ClauseAt, LinearisedShape

ALLOWED_PHENOMENA = {
    "selection": "any noun with any verb, adjective or preposition",
    "double negation": "two negations in one clause",
    "ambiguous scope": (
        "a negation with a quantifier (in Polish also an adverb) that may or may not be inside it"
    ),
    "manner of states": "adverbs of manner with verbs of state",
}


def list_common_exclusions(placed: LinearisedShape, language: Language) -> Iterator[ExcludedBox]:
    """What is never written in any language: words that do not go together, one lemma twice, two
    negations, passives of some verbs, manner of states.
    """
    for at in placed.clauses:
        yield from _selection(at, placed, language)
        yield from _scope(at, placed, language)
        if at.clause.voice == "passive":
            yield ExcludedBox(
                {f"{at.prefix}predicate": language.lexicon.mask("verb", flag="unpassive")}, ""
            )
        if at.clause.adverbs:
            states, manner = (
                language.lexicon.mask("verb", flag="stative"),
                select_adverbs(language, "manner"),
            )
            yield ExcludedBox(
                {f"{at.prefix}predicate": states, f"{at.prefix}adverbs": manner}, "manner of states"
            )
    for first, second in combinations(placed.clauses, 2):
        for one, other in _shared_verbs(language, first.clause.frame, second.clause.frame):
            yield ExcludedBox(
                {f"{first.prefix}predicate": one, f"{second.prefix}predicate": other}, ""
            )
    yield from _phrases(placed, language)


def _phrases(placed: LinearisedShape, language: Language) -> Iterator[ExcludedBox]:
    quantified = select_force(language, "none") | select_force(language, "every")
    for path, phrase in placed.phrases:
        if path.endswith((".both.0", ".both.1")):
            # "every man and every woman" is singular, and "no man and the woman" unclear
            yield ExcludedBox({f"{path}.form": quantified}, "")
        for i in range(phrase.adjectives):
            yield from _fit(f"{path}.adjectives.{i}", "adjective", [f"{path}.noun"], language)
        if phrase.modifier is not None:
            inside = f"{path}.modifier.participant"
            yield from _fit(
                f"{path}.modifier.preposition",
                "preposition",
                [f"{path}.noun", f"{inside}.noun"],
                language,
            )


@lru_cache(maxsize=32)
def select_force(language: Language, name: str) -> int:
    """Phrase forms whose determiner has a force."""
    return language.mask("phrase", lambda phrase: language.forces.get(phrase.determiner) == name)


@lru_cache(maxsize=32)
def select_adverbs(language: Language, kind: str) -> int:
    """Rows with an adverb of a kind."""
    entries = language.values("adverb")
    return language.mask("adverbs", lambda row: any(kind in entries[i].classes for i in row))


@lru_cache(maxsize=32)
def _shared_verbs(language: Language, first: str, second: str) -> tuple[tuple[int, int], ...]:
    """Verbs that two different frames share: no verb occurs twice in a sentence."""
    places = language.lexicon.places
    lemmas = (
        {lemma for kind, lemma, frame in places if kind == "verb" and frame == first}
        if first != second
        else set()
    )
    both = sorted(lemma for lemma in lemmas if ("verb", lemma, second) in places)
    return tuple(
        (1 << places["verb", lemma, first], 1 << places["verb", lemma, second]) for lemma in both
    )


def _selection(at: ClauseAt, placed: LinearisedShape, language: Language) -> Iterator[ExcludedBox]:
    """Selection: what verbs do not take as agent or patient, as *the cake followed the man*."""
    for role in SEMANTIC_ROLES:
        if at.clause.slot(role) is not None:
            for verbs, others in _refused_nouns(language, role):
                for path in placed.nouns(placed.filler(at, role)):
                    yield ExcludedBox(
                        {f"{at.prefix}predicate": verbs, f"{path}.noun": others}, "selection"
                    )


def exclude_nouns(language: Language, nouns: int) -> int:
    """All nouns but some."""
    return ((1 << language.count("noun")) - 1) & ~nouns


@lru_cache(maxsize=64)
def _refused_nouns(language: Language, role: str) -> tuple[tuple[int, int], ...]:
    """Verbs that take the same classes in a role, with the nouns that they do not take."""
    groups: dict[frozenset[str], int] = {}
    for i, entry in enumerate(language.values("verb")):
        if role in entry.takes:
            groups[entry.takes[role]] = groups.get(entry.takes[role], 0) | 1 << i
    pairs = (
        (verbs, exclude_nouns(language, language.lexicon.mask("noun", classes=taken)))
        for taken, verbs in groups.items()
    )
    return tuple((verbs, nouns) for verbs, nouns in pairs if nouns)


def _fit(path: str, kind: str, nouns: list[str], language: Language) -> Iterator[ExcludedBox]:
    """Words that go with some classes of nouns only."""
    for words, others in _unfit(language, kind):
        for noun in nouns:
            yield ExcludedBox({path: words, noun: others}, "selection")


@lru_cache(maxsize=16)
def _unfit(language: Language, kind: str) -> tuple[tuple[int, int], ...]:
    groups: dict[tuple[str, ...], int] = {}
    for i, entry in enumerate(language.values(kind)):
        groups[entry.classes] = groups.get(entry.classes, 0) | 1 << i
    pairs = (
        (words, exclude_nouns(language, language.lexicon.mask("noun", classes=classes)))
        for classes, words in groups.items()
    )
    return tuple((words, nouns) for words, nouns in pairs if nouns)


def _scope(at: ClauseAt, placed: LinearisedShape, language: Language) -> Iterator[ExcludedBox]:
    """One negation a clause, and none of ambiguous scope; a head noun belongs to the clause
    above.
    """
    form, negative = f"{at.prefix}form", language.having("form", "polarity", ("negative",))
    none, every = select_force(language, "none"), select_force(language, "every")
    preceding: list[str] = []
    for path, subject in placed.arguments(at):
        for phrase in (f"{noun}.form" for noun in placed.nouns(path)):
            yield ExcludedBox({phrase: none, form: negative}, "double negation")
            if subject:
                yield ExcludedBox({phrase: every, form: negative}, "ambiguous scope")
            yield from (
                ExcludedBox({earlier: none, phrase: none}, "double negation")
                for earlier in preceding
            )
            for earlier in preceding:
                yield ExcludedBox({earlier: none, phrase: every}, "ambiguous scope")
                yield ExcludedBox({earlier: every, phrase: none}, "ambiguous scope")
            preceding.append(phrase)
