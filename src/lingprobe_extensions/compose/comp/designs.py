"""What each question is asked of, language by language: words, forms and structures, and the rules
that must not give the answer away; and the contrasts of further questions: number of the subject,
tense, what an adjective describes, and what "no" is said of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import permutations
from typing import Any

from lingprobe_extensions.compose.comp import answers as comp_answers
from lingprobe_extensions.compose.comp import contrasts as comp_contrasts
from lingprobe_extensions.compose.comp import rules as comp_rules
from lingprobe_extensions.compose.comp.balance import Least
from lingprobe_extensions.compose.comp.build import MIN_CONSTRUCTION_SHARES, QuestionDesign
from lingprobe_extensions.compose.comp.contrasts import (
    ContrastQuestion,
    StructureContrast,
    Two,
    VariableSwap,
    are_built_alike,
    determiner_forms,
    exchange_verbs,
    get_noun_role,
    list_argument_forms,
    nouns,
    order,
    polarity_forms,
)
from lingprobe_extensions.compose.comp.negation import negations
from lingprobe_extensions.compose.comp.words import LARGER_LEXICON
from lingprobe_extensions.compose.events.language import ClauseForm, Language
from lingprobe_extensions.compose.events.shapes import ClauseAt, LinearisedShape


def exchange_numbers(placed: LinearisedShape, language: Language) -> Iterator[StructureContrast]:
    """The subject of a verb and a noun of the other number change places; the verbs have forms that
    show no number.

    The nearest noun before the verb is the subject in half of the sentences, and the other noun in
    half.
    """
    neutral = {f"{at.prefix}form": _neutral(at, language) for at in placed.clauses}
    one, many = (
        language.having("phrase", "number", (number,)) for number in ("singular", "plural")
    )
    places = order(placed, language)
    for at in placed.clauses:
        verb, subject = f"{at.prefix}predicate", placed.filler(at, at.clause.order[0])
        nearest = max(
            (n for n in nouns(placed) if places[n] < places[verb]), key=lambda n: places[n]
        ).removesuffix(".noun")
        for other in (n.removesuffix(".noun") for n in nouns(placed)):
            if other == subject or nearest not in (other, subject):
                continue
            kind = "the subject is nearest" if nearest == subject else "the other noun is nearest"
            swap = VariableSwap(
                f"{subject}.noun", f"{other}.noun", more=((f"{subject}.form", f"{other}.form"),)
            )
            for plural in (False, True):
                forms = {
                    f"{subject}.form": many if plural else one,
                    f"{other}.form": one if plural else many,
                }
                yield StructureContrast(
                    placed,
                    language,
                    swap,
                    (ContrastQuestion((verb,), plural, kind, at.prefix),),
                    {**neutral, **forms},
                )


def _neutral(at: ClauseAt, language: Language) -> int:
    """Forms that are the same whatever the number of the subject: "slept", "had slept", "had been
    helped".
    """

    def fits(form: ClauseForm) -> bool:
        return form.tense == "past" and (
            form.aspect == "perfect" or (form.aspect == "simple" and at.clause.voice == "active")
        )

    return language.mask("form", fits)


def exchange_tenses(placed: LinearisedShape, language: Language) -> Iterator[StructureContrast]:
    """Past and present of two clauses with the same auxiliary change places: "the man that the
    nurse was calling is sleeping".

    What is asked about is a noun that is the subject of one of them and of no other verb: the
    auxiliary next to it need not be its own.
    """
    for two, questions in _subjects(placed):
        for auxiliary in ("be", "have"):
            forms = (
                _auxiliary_forms(at, tense, auxiliary, language)
                for at, tense in zip(two, ("past", "present"), strict=True)
            )
            yield _tense_contrast(placed, language, two, questions, forms)


def futures(placed: LinearisedShape, language: Language) -> Iterator[StructureContrast]:
    """The same of past and future, where a present has no auxiliary: "lekarz, którego student
    będzie witał, tańczył"; in passives the two have "był" and "będzie".
    """
    for two, questions in _subjects(placed):
        for aspect in ("imperfective", "perfective"):
            voices = {at.clause.voice for at in two}
            if len(voices) == 1 and (voices == {"passive"} or aspect == "imperfective"):
                forms = (
                    language.having("form", "tense", (tense,))
                    & language.having("form", "aspect", (aspect,))
                    for tense in ("past", "future")
                )
                yield _tense_contrast(placed, language, two, questions, forms)


def _subjects(placed: LinearisedShape) -> Iterator[tuple[Two, tuple[ContrastQuestion, ...]]]:
    """Two clauses, and the questions about nouns that are the subject of one of them and of no
    other verb.
    """
    subjects = [placed.filler(at, at.clause.order[0]) for at in placed.clauses]
    single = {
        at.prefix: subject
        for at, subject in zip(placed.clauses, subjects, strict=True)
        if subjects.count(subject) == 1
    }
    for one, other in permutations(placed.clauses, 2):
        clauses = [(at, yes) for at, yes in ((one, True), (other, False)) if at.prefix in single]
        if clauses:
            yield (
                (one, other),
                tuple(
                    ContrastQuestion(
                        (f"{single[at.prefix]}.noun",), yes, _describe_asked_clause(at), at.prefix
                    )
                    for at, yes in clauses
                ),
            )


def _tense_contrast(
    placed: LinearisedShape,
    language: Language,
    two: Two,
    questions: tuple[ContrastQuestion, ...],
    forms: Iterator[int],
) -> StructureContrast:
    """The contrast of two clauses whose tenses change places; `forms` are those that each may
    have.
    """
    swap = VariableSwap(f"{two[0].prefix}form", f"{two[1].prefix}form", "tense")
    return StructureContrast(
        placed, language, swap, questions, dict(zip((swap.a, swap.b), forms, strict=True))
    )


def _auxiliary_forms(at: ClauseAt, tense: str, auxiliary: str, language: Language) -> int:
    """Forms of a tense whose first auxiliary is a form of "be" or of "have"."""

    def first(form: ClauseForm) -> str:
        if form.aspect.startswith("perfect"):
            return "have"
        return "be" if form.aspect == "progressive" or at.clause.voice == "passive" else ""

    return language.mask("form", lambda form: form.tense == tense and first(form) == auxiliary)


def _describe_asked_clause(at: ClauseAt) -> str:
    return "embedded" if at.prefix.endswith("content.") else "relative" if at.prefix else "main"


def adjectives(placed: LinearisedShape, language: Language) -> Iterator[StructureContrast]:
    """Two adjectives change places, or two nouns of which one has an adjective."""
    described = {
        path: f"{path}.adjectives.0" for path, phrase in placed.phrases if phrase.adjectives
    }
    places = order(placed, language)
    for one, adjective in described.items():
        for other, _ in placed.phrases:
            if other == one:
                continue
            noun, second = f"{one}.noun", f"{other}.noun"
            kind = (
                "the described noun is first"
                if places[noun] < places[second]
                else "the described noun is later"
            )
            question = ContrastQuestion((adjective, noun), True, kind, "")
            if other in described:
                swap = VariableSwap(adjective, described[other])
                yield StructureContrast(
                    placed,
                    language,
                    swap,
                    (question, ContrastQuestion((described[other], noun), False, kind, "")),
                    {},
                )
            else:
                swap = VariableSwap(noun, second)
                yield StructureContrast(
                    placed,
                    language,
                    swap,
                    (question, ContrastQuestion((adjective, second), False, kind, "")),
                    {},
                )


def scopes(placed: LinearisedShape, language: Language) -> Iterator[StructureContrast]:
    """The verbs of a clause with "no" and of another change places, or the nouns of two clauses
    that both have "no".

    The asked noun always has "no" before it, so that is no help. Which clause has the one "no" is
    its scope: the main clause, 'wide', or another one, 'narrow'.
    """
    for one, other in permutations(placed.clauses, 2):
        rest = {
            f"{path}.form": determiner_forms(language, language.plain) for path, _ in placed.phrases
        }
        rest |= {f"{at.prefix}form": polarity_forms(language, "positive") for at in placed.clauses}
        verb, second = f"{one.prefix}predicate", f"{other.prefix}predicate"
        for word in (d for d, force in language.forces.items() if force == "none"):
            none = determiner_forms(language, word)
            for a in list_argument_forms(one, placed):
                noun, limits = a.removesuffix("form") + "noun", {**rest, a: none}
                kind = (
                    "not of this verb, whose noun it is"
                    if get_noun_role(other, noun, placed) != "unrelated"
                    else "not of this verb"
                )
                build = partial(StructureContrast, placed, language)
                if are_built_alike((one, other)):
                    exchanged = (
                        ContrastQuestion((noun, verb), True, kind, one.prefix),
                        ContrastQuestion((noun, second), False, kind, other.prefix),
                    )
                    forms = VariableSwap(f"{one.prefix}form", f"{other.prefix}form", "polarity")
                    strata = {"marker": word, "scope": "narrow" if one.prefix else "wide"}
                    swap = exchange_verbs((one, other))
                    yield build(swap, exchanged, limits, tied=forms, strata=strata)
                for b in list_argument_forms(other, placed):
                    third = b.removesuffix("form") + "noun"
                    moved = (
                        ContrastQuestion((noun, verb), True, kind, one.prefix),
                        ContrastQuestion((third, verb), False, kind, one.prefix),
                    )
                    strata = {"marker": word, "scope": "one in each clause"}
                    yield build(
                        VariableSwap(noun, third), moved, {**limits, b: none}, strata=strata
                    )


_COMMON: Mapping[str, Any] = {
    **LARGER_LEXICON,
    "tense": ["past", "present"],
    "aspect": ["simple", "progressive", "perfect"],
    "polarity": ["positive"],
    "matched_number": True,
    "at_most": {"relatives": 2, "modifiers": 1, "conjuncts": 1, "together": 2, "adverbs": 1},
}
_NEGATED: Mapping[str, Any] = {
    **_COMMON,
    "polarity": ["positive", "negative"],
    "determiner": ["the", "no", "not one"],
    "adverbs": ["actually", "really", "truly"],
    "at_most": {"relatives": 2, "modifiers": 1, "together": 2, "adverbs": 1},
}
_SPOKEN = ["say", "claim", "announce", "report", "whisper", "mention", "admit", "declare"]
_EMBEDDED: Mapping[str, Any] = {
    **_COMMON,
    "verbs": {**_COMMON["verbs"], "clausal": _SPOKEN},
    "frames": ["intransitive", "transitive", "clausal"],
    "at_most": {"relatives": 2, "complements": 1, "together": 3, "adverbs": 1},
}
_ADJECTIVES = ["angry", "brave", "careful", "clever", "famous", "friendly", "happy", "honest"]
_ADJECTIVES += ["lonely", "nervous", "polite", "rich", "sad", "tall", "young"]
_DESCRIBED: Mapping[str, Any] = {
    **_COMMON,
    "adjectives": _ADJECTIVES,
    "at_most": {"relatives": 1, "adjectives": 2, "together": 3},
}
Designs = Mapping[str, QuestionDesign | str]
"""Task -> its design, or why the language has no sentences for it."""
# least shares of constructions, on top of what every set has
_MARKED: Least = {**MIN_CONSTRUCTION_SHARES, "marker": {"not": 0.35, "": 0.2}}
_PLAIN: Least = {"construction": {"active plain": 0.11, "passive plain": 0.11, "": 0.055}}
_SCOPED: Least = {**MIN_CONSTRUCTION_SHARES, "marker": {"": 0.3}, "scope": {"": 0.2}}
_ROLES, _NEGATIONS = comp_rules.ROLE_RULES, comp_rules.NEGATION_RULES
_ENGLISH: Designs = {
    "content1": QuestionDesign(
        comp_contrasts.contents1, _COMMON, comp_answers.is_verb_present, single=True
    ),
    "content2": QuestionDesign(comp_contrasts.contents2, _COMMON, comp_answers.both_present),
    "order": QuestionDesign(
        comp_contrasts.exchange_word_order,
        _COMMON,
        comp_answers.is_noun_before_verb,
        comp_rules.ORDER_RULES,
    ),
    "sem-role": QuestionDesign(
        comp_contrasts.exchange_roles,
        _COMMON,
        comp_answers.is_agent,
        _ROLES,
        features=True,
        least=_PLAIN,
    ),
    "negation": QuestionDesign(
        negations,
        _NEGATED,
        comp_answers.happens,
        _NEGATIONS,
        features=True,
        single=True,
        least=_MARKED,
    ),
    "agreement": QuestionDesign(
        exchange_numbers,
        {**_COMMON, "matched_number": False},
        comp_answers.is_subject_plural,
        features=True,
        single=True,
    ),
    "embedded-tense": QuestionDesign(
        exchange_tenses, _EMBEDDED, comp_answers.past, features=True, single=True
    ),
    "adjective": QuestionDesign(adjectives, _DESCRIBED, comp_answers.has_adjective),
    "quantifier-scope": QuestionDesign(
        scopes,
        {**_NEGATED, "polarity": ["positive"]},
        comp_answers.of_none,
        {**_NEGATIONS, **_ROLES},
        features=True,
        least=_SCOPED,
    ),
}

# Polish. All nouns are of men: their accusative is their genitive, so that "nie" changes no noun,
# and verbs and pronouns agree with all of them alike.
_POLISH_COMMON: Mapping[str, Any] = {
    "nouns": [
        *["lekarz", "student", "profesor", "nauczyciel", "aktor", "sąsiad", "pisarz", "malarz"],
        *["dziennikarz", "żołnierz", "prawnik", "rolnik", "dyrektor", "policjant", "kucharz"],
    ],
    "verbs": {
        "transitive": [
            *["chwalić", "zapraszać", "odwiedzać", "krytykować", "witać"],
            *["uratować", "obudzić", "pocałować", "zatrzymać", "oszukać"],
        ],
        "intransitive": ["tańczyć", "pracować", "milczeć", "zapłakać", "krzyknąć"],
    },
    "tense": ["past", "present", "future"],
    "polarity": ["positive"],
    "matched_number": True,
    "at_most": {"relatives": 2, "together": 2, "adverbs": 1},
}
_POLISH_NESTED: Mapping[str, Any] = {
    **_POLISH_COMMON,
    "relatives": {"depth": 2},
    "at_most": {"relatives": 2, "modifiers": 1, "together": 2, "adverbs": 1},
}
_POLISH_SPOKEN = ["mówić", "twierdzić", "sądzić", "wierzyć", "powiedzieć", "zauważyć", "ogłosić"]
_POLISH_ADJECTIVES = ["młody", "stary", "mądry", "bogaty", "biedny", "wysoki", "wesoły", "smutny"]
_POLISH_ADJECTIVES += ["odważny", "leniwy", "chory", "uczciwy", "głodny", "zmęczony", "silny"]
_POLISH: Designs = {
    "content1": QuestionDesign(
        comp_contrasts.contents1, _POLISH_COMMON, comp_answers.is_verb_present, single=True
    ),
    "content2": QuestionDesign(comp_contrasts.contents2, _POLISH_COMMON, comp_answers.both_present),
    "order": QuestionDesign(
        comp_contrasts.exchange_word_order,
        _POLISH_COMMON,
        comp_answers.is_noun_before_verb,
        comp_rules.ORDER_RULES,
    ),
    "sem-role": QuestionDesign(
        comp_contrasts.exchange_roles, _POLISH_NESTED, comp_answers.is_agent, _ROLES, features=True
    ),
    "negation": QuestionDesign(
        negations,
        {
            **_POLISH_COMMON,
            "tense": ["past", "present"],
            "polarity": ["positive", "negative"],
            "adverbs": ["naprawdę", "rzeczywiście", "faktycznie"],
        },
        comp_answers.happens,
        single=True,
    ),
    "embedded-tense": QuestionDesign(
        futures,
        {
            **_POLISH_COMMON,
            "verbs": {**_POLISH_COMMON["verbs"], "clausal": _POLISH_SPOKEN},
            "frames": _EMBEDDED["frames"],
            "at_most": _EMBEDDED["at_most"],
        },
        comp_answers.past,
        features=True,
        single=True,
    ),
    "adjective": QuestionDesign(
        adjectives,
        {**_POLISH_COMMON, "adjectives": _POLISH_ADJECTIVES, "at_most": _DESCRIBED["at_most"]},
        comp_answers.has_adjective,
    ),
    "agreement": "every verb shows the number of its subject, so no sentence leaves it open",
    "quantifier-scope": 'the verb of a clause with "żaden" has "nie", which identifies it',
}
DESIGNS_BY_LANGUAGE = {"english": _ENGLISH, "polish": _POLISH}
"""The designs of built-in languages, by name."""
