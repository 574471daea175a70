"""Contrasts of negation: which of two clauses a sentence says not to have happened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import permutations

import numpy as np

from lingprobe_extensions.compose.comp.contrasts import (
    ContrastQuestion,
    StructureContrast,
    Two,
    VariableSwap,
    are_built_alike,
    determiner_forms,
    exchange_verbs,
    list_argument_forms,
    polarity_forms,
)
from lingprobe_extensions.compose.events.assertions import OPEN_STATUS, find_assertions
from lingprobe_extensions.compose.events.language import Language
from lingprobe_extensions.compose.events.shapes import ClauseAt, LinearisedShape, list_members


def negations(placed: LinearisedShape, language: Language) -> Iterator[StructureContrast]:
    """One of two clauses is negated: the negation moves to the other one, or their verbs change
    places.

    A verb is asked about where both sentences say whether it happened: not in the restriction of
    "no", for one, which leaves that open.
    """
    for one, other in permutations(placed.clauses, 2):
        rest = {
            f"{c.prefix}form": polarity_forms(language, "positive")
            for c in placed.clauses
            if c not in (one, other)
        }
        plain = {
            f"{path}.form": determiner_forms(language, language.plain) for path, _ in placed.phrases
        }
        positive = {f"{c.prefix}form": polarity_forms(language, "positive") for c in placed.clauses}
        for contrast in (
            *_not(placed, (one, other), {**rest, **plain}, language),
            *_no(placed, (one, other), {**positive, **plain}, language),
        ):
            questions = tuple(q for q in contrast.questions if not _open(contrast, q))
            if questions:
                yield replace(contrast, questions=questions)


def _open(contrast: StructureContrast, question: ContrastQuestion) -> bool:
    """Whether one of the two sentences leaves open what the asked verb says; its words do not
    matter for that.
    """
    masks = {v.path: contrast.limits.get(v.path, 1) for v in contrast.placed.variables}
    first = contrast.with_ties({path: np.array([list_members(m)[0]]) for path, m in masks.items()})
    [path] = question.asked
    return any(
        find_assertions(contrast.placed, values, contrast.language)[verb.removesuffix("predicate")]
        == OPEN_STATUS
        for verb, values in (
            (path, first),
            (contrast.swap.counterpart(path), contrast.second(first)),
        )
    )


def _not(
    placed: LinearisedShape, two: Two, limits: Mapping[str, int], language: Language
) -> Iterator[StructureContrast]:
    """The verb of one clause is negated, with "not"."""
    one, other = two
    a, b = (f"{at.prefix}form" for at in two)
    forms = {
        **limits,
        a: polarity_forms(language, "negative", one),
        b: polarity_forms(language, "positive", other),
    }
    strata = {"marker": language.signs["not"][0]}
    polarity = VariableSwap(a, b, "polarity")
    yield StructureContrast(
        placed, language, polarity, _negation_questions(two), forms, strata=strata
    )
    if are_built_alike(two):
        yield StructureContrast(
            placed,
            language,
            exchange_verbs(two),
            _verb_questions(two),
            forms,
            tied=polarity,
            strata=strata,
        )


def _no(
    placed: LinearisedShape, two: Two, limits: Mapping[str, int], language: Language
) -> Iterator[StructureContrast]:
    """An argument of one clause is negated, with "no" or "not one"."""
    one, other = two
    tied = VariableSwap(f"{one.prefix}form", f"{other.prefix}form", "polarity")
    for word in (d for d, force in language.forces.items() if force == "none"):
        strata, negative = {"marker": word}, determiner_forms(language, word)
        for a in list_argument_forms(one, placed):
            forms = {**limits, a: negative}
            for b in list_argument_forms(other, placed):
                moved = VariableSwap(a, b, "determiner")
                yield StructureContrast(
                    placed, language, moved, _negation_questions(two), forms, strata=strata
                )
            if are_built_alike(two):
                yield StructureContrast(
                    placed,
                    language,
                    exchange_verbs(two),
                    _verb_questions(two),
                    forms,
                    tied=tied,
                    strata=strata,
                )


def _negation_questions(two: Two) -> tuple[ContrastQuestion, ContrastQuestion]:
    """Questions where the negation moves: each verb stays in its clause, and what it says happens
    where the other one is negated.
    """
    one, other = two
    return (
        ContrastQuestion((f"{one.prefix}predicate",), False, _find_negated_verb(one), one.prefix),
        ContrastQuestion(
            (f"{other.prefix}predicate",), True, _find_negated_verb(other), other.prefix
        ),
    )


def _verb_questions(two: Two) -> tuple[ContrastQuestion, ContrastQuestion]:
    """Questions where the verbs change places, and the first clause is negated in both
    sentences.
    """
    one, other = two
    return (
        ContrastQuestion((f"{one.prefix}predicate",), False, _find_negated_verb(one), one.prefix),
        ContrastQuestion(
            (f"{other.prefix}predicate",), True, _find_negated_verb(one), other.prefix
        ),
    )


def _find_negated_verb(negated: ClauseAt) -> str:
    """Where the asked verb stands when it is negated."""
    return "relative" if negated.prefix else "main"
