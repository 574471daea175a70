"""What Polish does not say, as boxes: some of it never, some of it unless a request allows it by name."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from sonde.sources.events import rules as common
from sonde.sources.events.boxes import Box, meet
from sonde.sources.events.language import Language, Rule
from sonde.sources.events.polish_forms import ACCUSATIVE, GENITIVE, NOMINATIVE
from sonde.sources.events.shapes import ClauseAt, Hole, Placed

ALLOWED = {
    **common.ALLOWED,
    "ambiguous case": '"dziewczyny widziały kobiety", where either may be the subject',
}
NUMBERS = ("singular", "plural")
SAME = {"singular": {"m3", "n"}, "plural": {"m2", "m3", "f", "n"}}  # genders of which the accusative is the nominative


def rules(placed: Placed, language: Language) -> Iterator[Rule]:
    """Everything about a shape that is not said."""
    yield from common.rules(placed, language)
    for at in placed.clauses:
        yield from _verb_rules(at, language)
        if at.clause.voice == "active" and at.clause.patient not in (None, Hole.REFLEXIVE):
            yield from _case_rules(at, placed, language)
        if at.clause.also is not None:
            yield from _sharing_rules(at, language)
        role = at.clause.order[0]
        if placed.paired(f"{at.prefix}{role}"):
            yield from _mixed_pairs(placed.nouns(f"{at.prefix}{role}"), language)


def _verb_rules(at: ClauseAt, language: Language) -> Iterator[Rule]:
    """Verbs go with the forms of their aspect; what is often or usually done is not perfective."""
    predicate, form = f"{at.prefix}predicate", f"{at.prefix}form"
    perfective = language.lexicon.mask("verb", flag="perfective")
    done, going_on = (language.having("form", "aspect", (aspect,)) for aspect in ("perfective", "imperfective"))
    yield Rule({predicate: perfective, form: going_on}, "")
    yield Rule({predicate: language.mask("verb", lambda e: "perfective" not in e.flags), form: done}, "")
    if at.clause.adverbs:
        often, manner = (common.adverbs(language, kind) for kind in ("frequency", "manner"))
        yield Rule({form: done, f"{at.prefix}adverbs": often}, "")
        negative = language.having("form", "polarity", ("negative",))
        yield Rule({form: negative, f"{at.prefix}adverbs": often | manner}, "ambiguous scope")


def _sharing_rules(at: ClauseAt, language: Language) -> Iterator[Rule]:
    """Second verbs that could share the auxiliary or the adverbs of the first: "będzie spał i tańczył"."""
    if at.clause.also is not None and (at.clause.voice, at.clause.also.voice) == ("active", "active"):
        future = language.mask("form", lambda f: (f.tense, f.aspect) == ("future", "imperfective"))
        past = language.mask("form", lambda f: (f.tense, f.aspect, f.polarity) == ("past", "imperfective", "positive"))
        yield Rule({f"{at.prefix}form": future, f"{at.prefix}also.form": past}, "")
    if at.clause.adverbs:
        yield Rule({f"{at.prefix}adverbs": language.mask("adverbs", bool)}, "")


def _mixed_pairs(nouns: tuple[str, ...], language: Language) -> Iterator[Rule]:
    """Pairs of which speakers do not agree whether they are virile: "kobieta i pies szli" or "szły"."""
    animate = language.mask("noun", lambda e: "m2" in e.flags)
    others = language.mask("noun", lambda e: bool(e.flags & {"f", "n"}))
    first, second = (f"{noun}.noun" for noun in nouns)
    yield Rule({first: animate, second: others}, "")
    yield Rule({first: others, second: animate}, "")


def _case_rules(at: ClauseAt, placed: Placed, language: Language) -> Iterator[Rule]:
    """Clauses in which the object could be the subject and the subject the object, were the order free; determiners are not looked at."""
    form = f"{at.prefix}form"
    for polarity, case in (("positive", ACCUSATIVE), ("negative", GENITIVE)):
        asked = {form: language.having("form", "polarity", (polarity,))}
        subjects = list(_turned(at, at.clause.order[0], placed, (NOMINATIVE, case), language))
        objects = list(_turned(at, "patient", placed, (case, NOMINATIVE), language))
        for (number, _, one), (_, number_then, other) in product(subjects, objects):
            both = meet(one, other)
            if number == number_then and both is not None:
                yield Rule({**asked, **both}, "ambiguous case")


Turn = tuple[int, int]  # a case, and another in which the form may be the same


def _turned(at: ClauseAt, role: str, placed: Placed, turn: Turn, language: Language) -> Iterator[tuple[int, int, Box]]:
    """How what fills a role could be read in the other case: its number, the number that it then has, and the words and forms."""
    slot = getattr(at.clause, role)
    if slot is Hole.SHARED:
        return
    path = placed.filler(at, role)
    nouns = placed.nouns(path)
    if slot is Hole.GAP:
        yield from ((n, n, box) for n, box in _pronoun(path, turn, language))
    elif len(nouns) == 2:
        for numbers in product(range(2), repeat=4):
            boxes = [_noun(noun, numbers[2 * i : 2 * i + 2], turn, language) for i, noun in enumerate(nouns)]
            both = meet(boxes[0], boxes[1])
            if both is not None and all(both.values()):
                yield 1, 1, both
    else:
        for number, number_then in product(range(2), repeat=2):
            box = _noun(path, (number, number_then), turn, language)
            if all(box.values()):
                yield number, number_then, box


def _noun(path: str, numbers: tuple[int, ...], turn: Turn, language: Language) -> Box:
    here, there = (4 * number + case for number, case in zip(numbers, turn, strict=True))
    nouns = language.mask("noun", lambda e: e.forms[here] == e.forms[there])
    return {f"{path}.noun": nouns, f"{path}.form": language.having("phrase", "number", (NUMBERS[numbers[0]],))}


def _pronoun(path: str, turn: Turn, language: Language) -> Iterator[tuple[int, Box]]:
    """Where "który" is its own accusative; it is never its own genitive."""
    for number, name in enumerate(NUMBERS if GENITIVE not in turn else ()):
        nouns = language.mask("noun", lambda e: bool(e.flags & SAME[name]))  # noqa: B023 (used at once)
        yield number, {f"{path}.noun": nouns, f"{path}.form": language.having("phrase", "number", (name,))}
