"""The composition tasks of Ettinger et al. 2018 on sentences of our own: minimal pairs that words and rules of thumb cannot tell apart.

docs/tasks-comp.md says what is balanced and how; docs/design/composition.md why.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from sonde.core import DataProblem, Dataset
from sonde.naming import Place
from sonde.sources.events.english import english
from sonde.sources.events.grammar import Bounds
from sonde.sources.files import digest
from sonde.tasks.comp import answers as comp_answers
from sonde.tasks.comp import asks as comp_asks
from sonde.tasks.comp import more as comp_more
from sonde.tasks.comp import paper as comp_paper
from sonde.tasks.comp import rules as comp_rules
from sonde.tasks.comp.build import Design, Made, Plan
from sonde.tasks.comp.data import dataset
from sonde.tasks.comp.draw import Drawn
from sonde.tasks.comp.held import right
from sonde.tasks.comp.words import ASKED, parts, read, wanted
from sonde.tasks.questions import factory

PROBE = "mlp,protocol=ettinger"


@dataclass(frozen=True, slots=True)
class Options:
    """What every task of composition takes.

    mode          controlled: minimal pairs, nothing given away; paper: as the paper's sets were built
    strict        (controlled) every rule and every pair of rules is right half of the time, whatever constructions that costs
    size          training items
    dev, test     items of dev and test; without test 3,000, in paper mode 1,000
    seed          of everything that is drawn
    per_sentence  questions about each sentence, at most: 1 without, in paper mode as many as can be even
    readings      all: an item whose label not all readings of its sentence give is left out; none: nothing is checked, for speed
    request       a file with what is asked of the generator, in place of the usual words, forms and structures
    language      that the sentences are in; the questions need English's relative clauses and passives
    """

    mode: Literal["controlled", "paper"] = field(default="controlled", kw_only=True)
    strict: bool = field(default=False, kw_only=True)
    size: int = field(default=4000, kw_only=True)
    dev: int = field(default=1000, kw_only=True)
    test: int | None = field(default=None, kw_only=True)
    seed: int = field(default=0, kw_only=True)
    per_sentence: int | None = field(default=None, kw_only=True)
    readings: Literal["all", "none"] = field(default="all", kw_only=True)
    request: Place | None = field(default=None, kw_only=True)
    language: Literal["english"] = field(default="english", kw_only=True)

    @property
    def items(self) -> int:
        """How many items test has."""
        return self.test or (1000 if self.mode == "paper" else 3000)


COMMON: Mapping[str, Any] = {
    **ASKED,
    "tense": ["past", "present"],
    "aspect": ["simple", "progressive", "perfect"],
    "polarity": ["positive"],
    "matched_number": True,
    "at_most": {"relatives": 1, "modifiers": 1, "conjuncts": 1, "together": 1, "adverbs": 1},
}
NEGATED: Mapping[str, Any] = {
    **COMMON,
    "polarity": ["positive", "negative"],
    "determiner": ["the", "no", "not one"],
    "adverbs": ["actually", "really", "truly"],
    "at_most": {"relatives": 1, "adverbs": 1},
}
SPOKEN = ["say", "claim", "announce", "report", "whisper", "mention", "admit", "declare"]
EMBEDDED: Mapping[str, Any] = {
    **COMMON,
    "verbs": {**COMMON["verbs"], "clausal": SPOKEN},
    "frames": ["intransitive", "transitive", "clausal"],
    "at_most": {"relatives": 1, "complements": 1, "together": 1, "adverbs": 1},
}
ADJECTIVES = ["angry", "brave", "careful", "clever", "famous", "friendly", "happy", "honest"]
ADJECTIVES += ["lonely", "nervous", "polite", "rich", "sad", "tall", "young"]
DESCRIBED: Mapping[str, Any] = {
    **COMMON,
    "adjectives": ADJECTIVES,
    "at_most": {"relatives": 1, "adjectives": 2, "together": 3},
}
ROLES, NEGATIONS = comp_rules.split(comp_rules.ROLE_RULES, 4), comp_rules.split(comp_rules.NEGATION_RULES, 2)
SCOPES = (NEGATIONS[0], {**NEGATIONS[1], **comp_rules.ROLE_RULES})
DESIGNS: Mapping[str, Design] = {
    "content1": Design(comp_asks.contents1, COMMON, {}, {}, single=True),
    "content2": Design(comp_asks.contents2, COMMON, {}, {}),
    "order": Design(comp_asks.orders, COMMON, comp_rules.ORDER_RULES, {}),
    "sem-role": Design(comp_asks.roles, COMMON, *ROLES, answer=comp_answers.role),
    "negation": Design(comp_asks.negations, NEGATED, *NEGATIONS, single=True, against=True, answer=comp_answers.positive),
    "agreement": Design(comp_more.numbers, {**COMMON, "matched_number": False}, {}, {}, single=True, answer=comp_answers.plural),
    "embedded-tense": Design(
        comp_more.tenses, EMBEDDED, {}, {}, single=True, answer=comp_answers.past, new=Bounds(relatives=1, complements=1, together=2)
    ),
    "adjective": Design(
        comp_more.adjectives, DESCRIBED, {}, {}, answer=comp_answers.described, new=Bounds(relatives=2, adjectives=2, together=4)
    ),
    "quantifier-scope": Design(comp_more.scopes, {**NEGATED, "polarity": ["positive"]}, *SCOPES, answer=comp_answers.of_none),
}


@dataclass(frozen=True, slots=True)
class CompTask:
    """A question about who did what to whom, or what did not happen."""

    name: str
    options: Options
    metric: str = "accuracy"
    probe: str = PROBE
    view: str = "mean+asked"

    @property
    def question(self) -> str:
        """What is asked."""
        return QUESTIONS[self.name]

    @property
    def fingerprint(self) -> str:
        """The file of a request of one's own."""
        return "own" if self.options.request is None else digest([self.options.request])

    def load(self) -> Dataset:
        """The items, built now: the same for the same options."""
        _check(self.options)
        found = _built(self.name.rpartition("/")[2], self.options)
        return found.noted(rules=right(found))


def _check(options: Options) -> None:
    for name, n in (("size", options.size), ("dev", options.dev), ("test", options.items)):
        if n < 6:
            raise DataProblem(f"{name}={n}: a set needs at least 6 items in each split")
    if options.strict and options.mode == "paper":
        raise DataProblem("strict=true is about mode=controlled: leave out one of them")
    if options.per_sentence is not None and options.per_sentence < 1:
        raise DataProblem(f"per_sentence={options.per_sentence}: ask for at least 1 question about each sentence")


def _built(name: str, options: Options) -> Dataset:
    if options.mode == "paper":
        if name not in comp_paper.REQUESTS:
            raise DataProblem(f"the paper has no set for comp/{name}: leave out mode=paper")
        return _as_published(name, options)
    usual = wanted(options.request, DESIGNS[name].request)
    plan = _plan(name, json.dumps(usual), options.request, options.strict, options.per_sentence or 1)
    design = plan.design
    every = parts(plan.own, options.seed, single=design.single)
    drawn = Drawn(options.seed, design.adverbs, design.answer if options.readings == "all" else None, [], set(), {})
    fresh = sum(part.split == 2 for part in every)
    sizes = {1: options.dev, 2: options.items // fresh}
    *rest, train = every
    made = [plan.made(train, options.size, drawn, len(rest))]
    seen = made[0].asked()
    made += [plan.made(dataclasses.replace(part, seen=seen), sizes[part.split], drawn, number) for number, part in enumerate(rest)]
    unclear = {"pairs": len(drawn.unclear), "as": drawn.unclear[:5]}
    return dataset(made, plan.own.language, options.seed, {**_notes(made), "unclear": unclear})


@lru_cache(maxsize=16)
def _plan(name: str, request: str, file: str | None, strict: bool, per_sentence: int) -> Plan:
    """A plan with all that it finds out: sets of other sizes and seeds need it, too."""
    return Plan(DESIGNS[name], read(json.loads(request), file), strict, per_sentence)


def _as_published(name: str, options: Options) -> Dataset:
    """The set as the paper's was built; of its adverbs the first three fifths are for train."""
    usual = comp_paper.REQUESTS[name]
    adverbs = [entry.lemma for entry in english().values("adverb")]
    order = np.random.default_rng([options.seed, 2]).permutation(len(adverbs))
    cut = round(0.6 * len(adverbs))
    sides = {"train": order[:cut], "test": order[cut:]}
    own = wanted(options.request, {}) if options.request else {}
    asked = {s: read({**usual, "adverbs": [adverbs[i] for i in sorted(rows)], **own}, options.request) for s, rows in sides.items()}
    return comp_paper.built(name, asked, (options.size, options.dev, options.items), options.seed, options.per_sentence)


def _notes(made: Sequence[Made]) -> dict[str, Any]:
    """How many pairs and structures each part has."""
    pairs = {m.part.name: sum(len(run.first) for _, run in m.runs) for m in made}
    structures = {m.part.name: len({schema for schema, run in m.runs if run.first}) for m in made}
    return {"pairs": pairs, "structures": structures}


QUESTIONS: dict[str, str] = {}


def _task(name: str, asks: str) -> Callable[..., CompTask]:
    QUESTIONS[f"comp/{name}"] = asks
    return factory(f"comp/{name}", asks, Options, CompTask)


content1 = _task("content1", "Does the asked verb occur in the sentence?")
content2 = _task("content2", "Do both the asked noun and the asked verb occur in the sentence?")
order = _task("order", "Does the asked noun come before the asked verb?")
sem_role = _task("sem-role", "Is the asked noun the agent of the asked verb?")
negation = _task("negation", "Is the asked verb positive, or is what it says told not to happen?")
agreement = _task("agreement", "Is the subject of the asked verb plural?")
embedded_tense = _task("embedded-tense", "Is the asked verb in the past, where another clause is in the present?")
adjective = _task("adjective", "Does the asked adjective describe the asked noun?")
quantifier_scope = _task("quantifier-scope", "Is it of no asked noun that the asked verb is said?")
