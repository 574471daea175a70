"""What each question is asked of, language by language: words, forms and structures, and the rules
that must not give the answer away.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sonde.tasks.comp import answers as comp_answers
from sonde.tasks.comp import asks as comp_asks
from sonde.tasks.comp import rules as comp_rules
from sonde.tasks.comp.build import Design
from sonde.tasks.comp.more import adjectives, futures, numbers, scopes, tenses
from sonde.tasks.comp.words import ASKED

COMMON: Mapping[str, Any] = {
    "language": "english",
    **ASKED,
    "tense": ["past", "present"],
    "aspect": ["simple", "progressive", "perfect"],
    "polarity": ["positive"],
    "matched_number": True,
    "at_most": {"relatives": 2, "modifiers": 1, "conjuncts": 1, "together": 2, "adverbs": 1},
}
NEGATED: Mapping[str, Any] = {
    **COMMON,
    "polarity": ["positive", "negative"],
    "determiner": ["the", "no", "not one"],
    "adverbs": ["actually", "really", "truly"],
    "at_most": {"relatives": 2, "modifiers": 1, "together": 2, "adverbs": 1},
}
SPOKEN = ["say", "claim", "announce", "report", "whisper", "mention", "admit", "declare"]
EMBEDDED: Mapping[str, Any] = {
    **COMMON,
    "verbs": {**COMMON["verbs"], "clausal": SPOKEN},
    "frames": ["intransitive", "transitive", "clausal"],
    "at_most": {"relatives": 2, "complements": 1, "together": 3, "adverbs": 1},
}
ADJECTIVES = ["angry", "brave", "careful", "clever", "famous", "friendly", "happy", "honest"]
ADJECTIVES += ["lonely", "nervous", "polite", "rich", "sad", "tall", "young"]
DESCRIBED: Mapping[str, Any] = {
    **COMMON,
    "adjectives": ADJECTIVES,
    "at_most": {"relatives": 1, "adjectives": 2, "together": 3},
}
ROLES, NEGATIONS = comp_rules.ROLE_RULES, comp_rules.NEGATION_RULES
ENGLISH: Mapping[str, Design] = {
    "content1": Design(comp_asks.contents1, COMMON, comp_answers.present, single=True),
    "content2": Design(comp_asks.contents2, COMMON, comp_answers.both_present),
    "order": Design(comp_asks.orders, COMMON, comp_answers.before, comp_rules.ORDER_RULES),
    "sem-role": Design(comp_asks.roles, COMMON, comp_answers.role, ROLES, learn=True),
    "negation": Design(
        comp_asks.negations, NEGATED, comp_answers.positive, NEGATIONS, learn=True, single=True
    ),
    "agreement": Design(
        numbers,
        {**COMMON, "matched_number": False},
        comp_answers.plural,
        learn=True,
        single=True,
    ),
    "embedded-tense": Design(
        tenses, EMBEDDED, comp_answers.past, learn=True, single=True
    ),
    "adjective": Design(adjectives, DESCRIBED, comp_answers.described),
    "quantifier-scope": Design(
        scopes,
        {**NEGATED, "polarity": ["positive"]},
        comp_answers.of_none,
        {**NEGATIONS, **ROLES},
        learn=True,
    ),
}

# Polish. All nouns are of men: their accusative is their genitive, so that "nie" changes no noun,
# and verbs and pronouns agree with all of them alike.
POLISH_COMMON: Mapping[str, Any] = {
    "language": "polish",
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
POLISH_NESTED: Mapping[str, Any] = {
    **POLISH_COMMON,
    "relatives": {"depth": 2},
    "at_most": {"relatives": 2, "modifiers": 1, "together": 2, "adverbs": 1},
}
POLISH_SPOKEN = ["mówić", "twierdzić", "sądzić", "wierzyć", "powiedzieć", "zauważyć", "ogłosić"]
POLISH_ADJECTIVES = ["młody", "stary", "mądry", "bogaty", "biedny", "wysoki", "wesoły", "smutny"]
POLISH_ADJECTIVES += ["odważny", "leniwy", "chory", "uczciwy", "głodny", "zmęczony", "silny"]
POLISH: Mapping[str, Design] = {
    "content1": Design(comp_asks.contents1, POLISH_COMMON, comp_answers.present, single=True),
    "content2": Design(comp_asks.contents2, POLISH_COMMON, comp_answers.both_present),
    "order": Design(comp_asks.orders, POLISH_COMMON, comp_answers.before, comp_rules.ORDER_RULES),
    "sem-role": Design(comp_asks.roles, POLISH_NESTED, comp_answers.role, ROLES, learn=True),
    "negation": Design(
        comp_asks.negations,
        {
            **POLISH_COMMON,
            "polarity": ["positive", "negative"],
            "adverbs": ["naprawdę", "rzeczywiście", "faktycznie"],
        },
        comp_answers.positive,
        single=True,
    ),
    "embedded-tense": Design(
        futures,
        {
            **POLISH_COMMON,
            "verbs": {**POLISH_COMMON["verbs"], "clausal": POLISH_SPOKEN},
            "frames": EMBEDDED["frames"],
            "at_most": EMBEDDED["at_most"],
        },
        comp_answers.past,
        learn=True,
        single=True,
    ),
    "adjective": Design(
        adjectives,
        {**POLISH_COMMON, "adjectives": POLISH_ADJECTIVES, "at_most": DESCRIBED["at_most"]},
        comp_answers.described,
    ),
}
DESIGNS = {"english": ENGLISH, "polish": POLISH}
"""Language -> task -> its design."""
LACKING: Mapping[str, Mapping[str, str]] = {
    "english": {},
    "polish": {
        "agreement": "every verb shows the number of its subject, so no sentence leaves it open",
        "quantifier-scope": 'the verb of a clause with "żaden" has "nie", which tells it',
    },
}
"""Language -> tasks that it has no sentences for, and why."""
