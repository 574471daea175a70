"""Partial events as patterns: the keys of an event, any of them excluded, and what a pattern says
about a shape, as boxes.

A value may be a list of alternatives, and null says that there is none: `{"voice": "passive",
"agent": null}` is a passive without "by". Gaps, reflexives and shared subjects count as what fills
them: in "the student that helps the man", student is the agent of help.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from lingprobe import DataProblem
from lingprobe_extensions.compose.events.language import Language
from lingprobe_extensions.compose.events.meaning import (
    EVENT_FIELDS,
    FIELD_CHOICES,
    INNER_EVENT_FIELDS,
    MODIFIER_FIELDS,
    PARTICIPANT_FIELDS,
    SEMANTIC_ROLES,
    check_keys,
    check_text,
    read_choice,
    read_text_list,
)
from lingprobe_extensions.compose.events.shapes import (
    ArgumentHole,
    Box,
    ClauseAt,
    LinearisedShape,
    PhraseShape,
    cross_boxes,
)

_HOLES = ("gap", "reflexive", "shared")
_ANY: Box = {}
_FEATURES = ("tense", "modal", "aspect", "polarity")


@dataclass(frozen=True, slots=True)
class PartialPattern:
    """A partial event, participant or modifier; `source` is how it was written.

    fields   alternatives as a set of texts, words that must be there as a tuple, parts as a
             PartialPattern, yes or no, None for none
    """

    fields: Mapping[str, Any]
    source: str = ""


def parse_pattern(value: object, path: str) -> PartialPattern:
    """The pattern that JSON values describe; what is wrong is named with its path."""
    fields = check_keys(value, EVENT_FIELDS, path)
    pattern: dict[str, Any] = {}
    for key, inner in fields.items():
        where = f"{path}.{key}"
        if inner is None:
            pattern[key] = None
        elif key in SEMANTIC_ROLES:
            pattern[key] = _participant(inner, where)
        elif key in INNER_EVENT_FIELDS:
            pattern[key] = parse_pattern(inner, where)
        else:
            pattern[key] = _read_pattern_value(inner, key, where)
    return PartialPattern(pattern)


def _participant(value: object, path: str) -> PartialPattern:
    fields = check_keys(value, (*PARTICIPANT_FIELDS, *_HOLES), path)
    pattern: dict[str, Any] = {}
    for key, inner in fields.items():
        where = f"{path}.{key}"
        if key in _HOLES:
            if not isinstance(inner, bool):
                raise DataProblem(f"{where}: is true or false")
            pattern[key] = inner
        elif inner is None:
            pattern[key] = None
        elif key == "relative":
            pattern[key] = parse_pattern(inner, where)
        elif key == "modifier":
            parts = check_keys(inner, MODIFIER_FIELDS, where)
            modifier = {
                k: (
                    _participant(v, f"{where}.{k}")
                    if k == "participant"
                    else _read_pattern_value(v, k, f"{where}.{k}")
                )
                for k, v in parts.items()
            }
            pattern[key] = PartialPattern(modifier)
        else:
            pattern[key] = _read_pattern_value(inner, key, where)
    return PartialPattern(pattern)


def _read_pattern_value(value: object, key: str, path: str) -> Any:
    if key in ("adverbs", "adjectives"):
        return read_text_list(value, path)
    options = value if isinstance(value, list) else [value]
    if not options:
        raise DataProblem(
            f"{path}: an empty list leaves nothing; leave {key!r} out, or give null for none"
        )
    alternatives = [
        None
        if o is None
        else read_choice(o, key, path)
        if key in FIELD_CHOICES
        else check_text(o, path)
        for o in options
    ]
    return frozenset(alternatives)


def find_boxes(
    pattern: PartialPattern, placed: LinearisedShape, language: Language, *, main: bool = False
) -> list[Box]:
    """The sentences of a shape in which some clause (or the main one) is as the pattern says, one
    box or more for each clause.
    """
    clauses = placed.clauses[:1] if main else placed.clauses
    return [box for at in clauses for box in clause_boxes(pattern, at, placed, language)]


def clause_boxes(
    pattern: PartialPattern, at: ClauseAt, placed: LinearisedShape, language: Language
) -> list[Box]:
    """The sentences in which one clause is as the pattern says."""
    admitted: list[Box] = [_ANY]
    for key, value in pattern.fields.items():
        admitted = cross_boxes(admitted, _clause_field(key, value, at, placed, language))
    return admitted


def _clause_field(
    key: str, value: Any, at: ClauseAt, placed: LinearisedShape, language: Language
) -> list[Box]:
    clause, prefix = at.clause, at.prefix
    if key in ("frame", "voice", "dative"):
        actual = {"frame": clause.frame, "voice": clause.voice, "dative": clause.dative}[key]
        return [_ANY] if actual in (value or (None,)) else []
    if key == "predicate" and value:
        return [{f"{prefix}predicate": language.words("verb", value)}]
    if key in _FEATURES:
        return [{f"{prefix}form": language.having("form", key, value or (None,))}]
    if key == "adverbs":
        return _adverbs(value, at, language)
    if key in INNER_EVENT_FIELDS:
        return _inner(key, value, at, placed, language)
    return _role_boxes(key, value, at, placed, language) if key in SEMANTIC_ROLES else []


def _inner(
    key: str,
    pattern: PartialPattern | None,
    at: ClauseAt,
    placed: LinearisedShape,
    language: Language,
) -> list[Box]:
    if at.clause.inner(key) is None or pattern is None:
        return [_ANY] if at.clause.inner(key) is None and pattern is None else []
    return clause_boxes(pattern, placed.clause(f"{at.prefix}{key}."), placed, language)


def _adverbs(lemmas: tuple[str, ...] | None, at: ClauseAt, language: Language) -> list[Box]:
    numbers = {language.lexicon.number("adverb", word) for word in lemmas or ()}
    path = f"{at.prefix}adverbs"
    if not at.clause.adverbs:
        return [] if numbers else [_ANY]
    if not numbers:
        return [{path: language.mask("adverbs", lambda row: not row)}]
    return [{path: language.mask("adverbs", lambda row: numbers <= set(row))}]


def _role_boxes(
    role: str,
    pattern: PartialPattern | None,
    at: ClauseAt,
    placed: LinearisedShape,
    language: Language,
) -> list[Box]:
    slot = at.clause.slot(role)
    if slot is None or pattern is None:
        return [_ANY] if slot is None and pattern is None else []
    fields = dict(pattern.fields)
    for key, hole in zip(_HOLES, ArgumentHole, strict=True):
        if fields.pop(key, slot is hole) != (slot is hole):
            return []
    path = placed.filler(at, role)
    some = [_phrase_boxes(PartialPattern(fields), p, placed, language) for p in placed.nouns(path)]
    return [box for alternatives in some for box in alternatives]


def _phrase_boxes(
    pattern: PartialPattern, path: str, placed: LinearisedShape, language: Language
) -> list[Box]:
    admitted: list[Box] = [_ANY]
    phrase = next(p.phrase for p in placed.phrases if p.path == path)
    for key, value in pattern.fields.items():
        admitted = cross_boxes(
            admitted, _phrase_field(key, value, (path, phrase), placed, language)
        )
    return admitted


def _phrase_field(
    key: str, value: Any, at: tuple[str, PhraseShape], placed: LinearisedShape, language: Language
) -> list[Box]:
    path, phrase = at
    if key == "noun":
        return [{f"{path}.noun": language.words("noun", value)}] if value else []
    if key in ("number", "determiner"):
        return [{f"{path}.form": language.having("phrase", key, value)}] if value else []
    if key == "adjectives":
        return _adjectives(value or (), at, language)
    inner = {"modifier": phrase.modifier, "relative": phrase.relative}[key]
    if inner is None or value is None:
        return [_ANY] if inner is None and value is None else []
    if key == "relative":
        return clause_boxes(value, placed.clause(f"{path}.relative."), placed, language)
    admitted: list[Box] = [_ANY]
    if "preposition" in value.fields:
        admitted = cross_boxes(
            admitted,
            [
                {
                    f"{path}.modifier.preposition": language.words(
                        "preposition", value.fields["preposition"]
                    )
                }
            ],
        )
    if value.fields.get("participant") is not None:
        admitted = cross_boxes(
            admitted,
            _phrase_boxes(
                value.fields["participant"], f"{path}.modifier.participant", placed, language
            ),
        )
    return admitted


def _adjectives(
    lemmas: tuple[str, ...], at: tuple[str, PhraseShape], language: Language
) -> list[Box]:
    path, phrase = at
    if not lemmas:
        return [] if phrase.adjectives else [_ANY]
    masks = [language.words("adjective", [word]) for word in lemmas]
    places = permutations(range(phrase.adjectives), len(masks))
    return [
        {f"{path}.adjectives.{i}": mask for i, mask in zip(order, masks, strict=True)}
        for order in places
    ]
