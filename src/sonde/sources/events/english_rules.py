"""What English does not say, as boxes: some of it never, some of it unless a request allows it by name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from sonde.sources.events.boxes import Box
from sonde.sources.events.language import Language, Rule
from sonde.sources.events.meaning import ROLES
from sonde.sources.events.shapes import ClauseAt, Hole, Placed

ALLOWED = {
    "stative progressives": '"is knowing the man"',
    "long passives": '"has been being helped", "will be being helped"',
    "selection": 'any noun with any verb, adjective or preposition: "the cake followed the man"',
    "double negation": '"no man did not help", "no man helped no woman"',
    "ambiguous scope": '"every man did not help", "no man helped every woman", "the man did not help some women"',
    "manner of states": '"quietly knew the man"',
    "odd places": '"the man near no woman"',
}


def rules(placed: Placed, language: Language) -> Iterator[Rule]:
    """Everything about a shape that is not said."""
    for at in placed.clauses:
        yield from _verb_rules(at, language)
        yield from _argument_rules(at, placed, language)
        yield from _scope_rules(at, placed, language)
        if at.clause.also is not None:
            yield from _sharing_rules(at, placed, language)
    for first, second in combinations(placed.clauses, 2):
        for one, other in _shared(language, first.clause.frame, second.clause.frame):
            yield Rule({f"{first.prefix}predicate": one, f"{second.prefix}predicate": other}, "")
    quantified = language.having("phrase", "determiner", ("no", "every"))
    for path, phrase in placed.phrases:
        if path.endswith((".both.0", ".both.1")):
            yield Rule({f"{path}.form": quantified}, "")  # "every man and every woman" is singular, and "no man and the woman" unclear
        for i in range(phrase.adjectives):
            yield from _fit(f"{path}.adjectives.{i}", "adjective", [f"{path}.noun"], language)
        if phrase.modifier is not None:
            inside = f"{path}.modifier.participant"
            yield from _fit(f"{path}.modifier.preposition", "preposition", [f"{path}.noun", f"{inside}.noun"], language)
            yield Rule({f"{inside}.form": quantified}, "odd places")


@lru_cache(maxsize=32)
def _shared(language: Language, first: str, second: str) -> tuple[tuple[int, int], ...]:
    """Verbs that two different frames share: the same lemma does not come twice."""
    places = language.lexicon.places
    lemmas = {lemma for kind, lemma, frame in places if kind == "verb" and frame == first} if first != second else set()
    both = sorted(lemma for lemma in lemmas if ("verb", lemma, second) in places)
    return tuple((1 << places["verb", lemma, first], 1 << places["verb", lemma, second]) for lemma in both)


def _verb_rules(at: ClauseAt, language: Language) -> Iterator[Rule]:
    predicate, form = f"{at.prefix}predicate", f"{at.prefix}form"
    states = language.lexicon.mask("verb", flag="stative")
    yield Rule({predicate: states, form: language.having("form", "aspect", ("progressive", "perfect progressive"))}, "stative progressives")
    if at.clause.voice == "passive":
        heavy = language.mask("form", lambda f: f.aspect == "perfect progressive" or (f.modal is not None and f.aspect == "progressive"))
        yield Rule({form: heavy}, "long passives")
        yield Rule({predicate: language.lexicon.mask("verb", flag="unpassive")}, "")
    if at.clause.adverbs:
        manner = _manner(language)
        yield Rule({predicate: states, f"{at.prefix}adverbs": manner}, "manner of states")


@lru_cache(maxsize=8)
def _manner(language: Language) -> int:
    entries = language.values("adverb")
    return language.mask("adverbs", lambda row: any("manner" in entries[i].classes for i in row))


def _argument_rules(at: ClauseAt, placed: Placed, language: Language) -> Iterator[Rule]:
    for role in ROLES:
        slot = getattr(at.clause, role)
        if slot is None:
            continue
        nouns = placed.nouns(placed.filler(at, role))
        for verbs, others in _refused(language, role):
            for path in nouns:
                yield Rule({f"{at.prefix}predicate": verbs, f"{path}.noun": others}, "selection")
        if slot is Hole.GAP:
            people = language.lexicon.mask("noun", classes=["person"])
            who = language.mask("relativiser", lambda word: word == "who")
            yield Rule({f"{at.prefix}{role}.gap": who, f"{nouns[0]}.noun": _others(language, people)}, "")
        if slot is Hole.REFLEXIVE and len(nouns) == 1:
            singular = language.having("phrase", "number", ("singular",))
            yield Rule({f"{nouns[0]}.noun": _ungendered(language), f"{nouns[0]}.form": singular}, "")


def _others(language: Language, nouns: int) -> int:
    return ((1 << language.count("noun")) - 1) & ~nouns


@lru_cache(maxsize=8)
def _ungendered(language: Language) -> int:
    """People of whom neither "himself" nor "herself" can be said without knowing more."""
    return language.mask("noun", lambda e: "person" in e.classes and not e.flags & {"masculine", "feminine"})


@lru_cache(maxsize=64)
def _refused(language: Language, role: str) -> tuple[tuple[int, int], ...]:
    """Verbs that take the same classes in a role, with the nouns that they do not take."""
    groups: dict[frozenset[str], int] = {}
    for i, entry in enumerate(language.values("verb")):
        if role in entry.takes:
            groups[entry.takes[role]] = groups.get(entry.takes[role], 0) | 1 << i
    found = ((verbs, _others(language, language.lexicon.mask("noun", classes=taken))) for taken, verbs in groups.items())
    return tuple((verbs, nouns) for verbs, nouns in found if nouns)


def _fit(path: str, kind: str, nouns: list[str], language: Language) -> Iterator[Rule]:
    """Words that go with some classes of nouns only."""
    for words, others in _unfit(language, kind):
        for noun in nouns:
            yield Rule({path: words, noun: others}, "selection")


@lru_cache(maxsize=16)
def _unfit(language: Language, kind: str) -> tuple[tuple[int, int], ...]:
    groups: dict[tuple[str, ...], int] = {}
    for i, entry in enumerate(language.values(kind)):
        groups[entry.classes] = groups.get(entry.classes, 0) | 1 << i
    found = ((words, _others(language, language.lexicon.mask("noun", classes=classes))) for classes, words in groups.items())
    return tuple((words, nouns) for words, nouns in found if nouns)


def _scope_rules(at: ClauseAt, placed: Placed, language: Language) -> Iterator[Rule]:
    """One negation a clause, and none that could be read with either scope; a head noun belongs to the clause above."""
    negative = language.having("form", "polarity", ("negative",))
    none = language.having("phrase", "determiner", ("no",))
    every, some = (language.having("phrase", "determiner", (word,)) for word in ("every", "some"))
    form = f"{at.prefix}form"
    said: list[str] = []
    for path, subject in placed.said(at):
        for phrase in (f"{noun}.form" for noun in placed.nouns(path)):
            yield Rule({phrase: none, form: negative}, "double negation")
            yield Rule({phrase: every if subject else some, form: negative}, "ambiguous scope")
            yield from (Rule({earlier: none, phrase: none}, "double negation") for earlier in said)
            yield from (Rule({earlier: none, phrase: every}, "ambiguous scope") for earlier in said)
            said.append(phrase)


def _sharing_rules(at: ClauseAt, placed: Placed, language: Language) -> Iterator[Rule]:
    """Second verbs that could share the auxiliary, the negation or the adverbs of the first: "the men did not help and meet"."""
    first, second = f"{at.prefix}form", f"{at.prefix}also.form"
    single = language.mask("form", lambda f: f.tense is not None and (f.aspect, f.polarity) == ("simple", "positive"))
    present, past = (language.having("form", "tense", (tense,)) for tense in ("present", "past"))
    having = language.mask("form", lambda f: f.tense == "present" and f.aspect.startswith("perfect"))
    modal = language.mask("form", lambda f: f.modal is not None)
    doing = language.mask("form", lambda f: f.tense is not None and (f.aspect, f.polarity) == ("simple", "negative"))
    perfect = language.mask("form", lambda f: f.aspect.startswith("perfect"))
    several = _plural(placed.filler(at, at.clause.order[0]), placed, language)
    yield Rule({first: modal, second: having, **several}, "")
    if at.clause.also is not None and at.clause.also.voice == "active":
        yield Rule({first: modal, second: single & present, **several}, "")
        if at.clause.voice == "active":
            yield Rule({first: doing, second: single & present, **several}, "")
        alike = language.mask("verb", lambda e: e.forms[2] == e.forms[3])
        yield Rule({first: perfect, second: single & past, f"{at.prefix}also.predicate": alike}, "")
        if at.clause.voice == "passive" and at.clause.also.frame == "clausal":
            yield Rule({second: single & past}, "")  # "was helped and promised that ..."
    if at.clause.adverbs and at.clause.voice == "active":
        yield Rule({first: single, f"{at.prefix}adverbs": language.mask("adverbs", bool)}, "")


def _plural(path: str, placed: Placed, language: Language) -> Box:
    return {} if placed.paired(path) else {f"{path}.form": language.having("phrase", "number", ("plural",))}
