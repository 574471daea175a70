"""Partial events as patterns: the keys of an event, any of them left out, and what a pattern says
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

from sonde.core import DataProblem
from sonde.generation.events.boxes import Box, crossed
from sonde.generation.events.language import Language
from sonde.generation.events.meaning import ROLES
from sonde.generation.events.shapes import ClauseAt, Hole, Phrase, Placed
from sonde.generation.events.written import (
    CHOICES,
    EVENT,
    INNER,
    MODIFIER,
    PARTICIPANT,
    chosen,
    keyed,
    text,
    words,
)

HOLES = ("gap", "reflexive", "shared")
ANY: Box = {}
FEATURES = ("tense", "modal", "aspect", "polarity")


@dataclass(frozen=True, slots=True)
class Partial:
    """A partial event, participant or modifier; `source` is how it was written.

    fields   alternatives as a set of texts, words that must be there as a tuple, parts as a
             Partial, yes or no, None for none
    """

    fields: Mapping[str, Any]
    source: str = ""


def partial(value: object, path: str) -> Partial:
    """The pattern that JSON values describe; what is wrong is named with its path."""
    fields = keyed(value, EVENT, path)
    found: dict[str, Any] = {}
    for key, inner in fields.items():
        where = f"{path}.{key}"
        if inner is None:
            found[key] = None
        elif key in ROLES:
            found[key] = _participant(inner, where)
        elif key in INNER:
            found[key] = partial(inner, where)
        else:
            found[key] = _plain(inner, key, where)
    return Partial(found)


def _participant(value: object, path: str) -> Partial:
    fields = keyed(value, (*PARTICIPANT, *HOLES), path)
    found: dict[str, Any] = {}
    for key, inner in fields.items():
        where = f"{path}.{key}"
        if key in HOLES:
            if not isinstance(inner, bool):
                raise DataProblem(f"{where}: is true or false")
            found[key] = inner
        elif inner is None:
            found[key] = None
        elif key == "relative":
            found[key] = partial(inner, where)
        elif key == "modifier":
            parts = keyed(inner, MODIFIER, where)
            read = {
                k: (
                    _participant(v, f"{where}.{k}")
                    if k == "participant"
                    else _plain(v, k, f"{where}.{k}")
                )
                for k, v in parts.items()
            }
            found[key] = Partial(read)
        else:
            found[key] = _plain(inner, key, where)
    return Partial(found)


def _plain(value: object, key: str, path: str) -> Any:
    if key in ("adverbs", "adjectives"):
        return words(value, path)
    options = value if isinstance(value, list) else [value]
    if not options:
        raise DataProblem(
            f"{path}: an empty list leaves nothing; leave {key!r} out, or give null for none"
        )
    found = [
        None if o is None else chosen(o, key, path) if key in CHOICES else text(o, path)
        for o in options
    ]
    return frozenset(found)


def boxes(pattern: Partial, placed: Placed, language: Language, *, main: bool = False) -> list[Box]:
    """The sentences of a shape in which some clause (or the main one) is as the pattern says, one
    box or more for each clause.
    """
    clauses = placed.clauses[:1] if main else placed.clauses
    return [box for at in clauses for box in clause_boxes(pattern, at, placed, language)]


def clause_boxes(pattern: Partial, at: ClauseAt, placed: Placed, language: Language) -> list[Box]:
    """The sentences in which one clause is as the pattern says."""
    found: list[Box] = [ANY]
    for key, wanted in pattern.fields.items():
        found = crossed(found, _clause_field(key, wanted, at, placed, language))
    return found


def _clause_field(
    key: str, wanted: Any, at: ClauseAt, placed: Placed, language: Language
) -> list[Box]:
    clause, prefix = at.clause, at.prefix
    if key in ("frame", "voice", "dative"):
        said = {"frame": clause.frame, "voice": clause.voice, "dative": clause.dative}[key]
        return [ANY] if said in (wanted or (None,)) else []
    if key == "predicate" and wanted:
        return [{f"{prefix}predicate": language.words("verb", wanted)}]
    if key in FEATURES:
        return [{f"{prefix}form": language.having("form", key, wanted or (None,))}]
    if key == "adverbs":
        return _adverbs(wanted, at, language)
    if key in INNER:
        return _inner(key, wanted, at, placed, language)
    return _role_boxes(key, wanted, at, placed, language) if key in ROLES else []


def _inner(
    key: str, wanted: Partial | None, at: ClauseAt, placed: Placed, language: Language
) -> list[Box]:
    if at.clause.inner(key) is None or wanted is None:
        return [ANY] if at.clause.inner(key) is None and wanted is None else []
    return clause_boxes(wanted, placed.clause(f"{at.prefix}{key}."), placed, language)


def _adverbs(wanted: tuple[str, ...] | None, at: ClauseAt, language: Language) -> list[Box]:
    numbers = {language.lexicon.number("adverb", word) for word in wanted or ()}
    path = f"{at.prefix}adverbs"
    if not at.clause.adverbs:
        return [] if numbers else [ANY]
    if not numbers:
        return [{path: language.mask("adverbs", lambda row: not row)}]
    return [{path: language.mask("adverbs", lambda row: numbers <= set(row))}]


def _role_boxes(
    role: str, wanted: Partial | None, at: ClauseAt, placed: Placed, language: Language
) -> list[Box]:
    slot = at.clause.slot(role)
    if slot is None or wanted is None:
        return [ANY] if slot is None and wanted is None else []
    fields = dict(wanted.fields)
    for key, hole in zip(HOLES, Hole, strict=True):
        if fields.pop(key, slot is hole) != (slot is hole):
            return []
    path = placed.filler(at, role)
    some = [_phrase_boxes(Partial(fields), p, placed, language) for p in placed.nouns(path)]
    return [box for found in some for box in found]


def _phrase_boxes(pattern: Partial, path: str, placed: Placed, language: Language) -> list[Box]:
    found: list[Box] = [ANY]
    phrase = next(p.phrase for p in placed.phrases if p.path == path)
    for key, wanted in pattern.fields.items():
        found = crossed(found, _phrase_field(key, wanted, (path, phrase), placed, language))
    return found


def _phrase_field(
    key: str, wanted: Any, at: tuple[str, Phrase], placed: Placed, language: Language
) -> list[Box]:
    path, phrase = at
    if key == "noun":
        return [{f"{path}.noun": language.words("noun", wanted)}] if wanted else []
    if key in ("number", "determiner"):
        return [{f"{path}.form": language.having("phrase", key, wanted)}] if wanted else []
    if key == "adjectives":
        return _adjectives(wanted or (), at, language)
    inner = {"modifier": phrase.modifier, "relative": phrase.relative}[key]
    if inner is None or wanted is None:
        return [ANY] if inner is None and wanted is None else []
    if key == "relative":
        return clause_boxes(wanted, placed.clause(f"{path}.relative."), placed, language)
    found: list[Box] = [ANY]
    if "preposition" in wanted.fields:
        found = crossed(
            found,
            [
                {
                    f"{path}.modifier.preposition": language.words(
                        "preposition", wanted.fields["preposition"]
                    )
                }
            ],
        )
    if wanted.fields.get("participant") is not None:
        found = crossed(
            found,
            _phrase_boxes(
                wanted.fields["participant"], f"{path}.modifier.participant", placed, language
            ),
        )
    return found


def _adjectives(wanted: tuple[str, ...], at: tuple[str, Phrase], language: Language) -> list[Box]:
    path, phrase = at
    if not wanted:
        return [] if phrase.adjectives else [ANY]
    masks = [language.words("adjective", [word]) for word in wanted]
    places = permutations(range(phrase.adjectives), len(masks))
    return [
        {f"{path}.adjectives.{i}": mask for i, mask in zip(order, masks, strict=True)}
        for order in places
    ]
