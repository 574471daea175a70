"""Events of a shape: from values to an event, and from an event back to its shape and values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sonde.core import DataProblem
from sonde.sources.events.language import Form, Language, PhraseForm
from sonde.sources.events.meaning import ROLES, Argument, Event, Gap, Modifier, Pair, Participant, Reflexive
from sonde.sources.events.shapes import Clause, Hole, Phrase, Placed, Slot, Twins, place

Row = Mapping[str, int]


def event(placed: Placed, row: Row, language: Language) -> Event:
    """The event of one sentence."""
    return _event(placed.shape, "", row, language)


def _event(clause: Clause, prefix: str, row: Row, language: Language) -> Event:
    form: Form = language.forms[row[f"{prefix}form"]]
    adverbs = language.adverbs[row[f"{prefix}adverbs"]] if clause.adverbs else ()
    slots = {role: getattr(clause, role) for role in ROLES}
    return Event(
        predicate=language.values("verb")[row[f"{prefix}predicate"]].lemma,
        frame=clause.frame,
        tense=form.tense,
        aspect=form.aspect,
        polarity=form.polarity,
        voice=clause.voice,
        modal=form.modal,
        dative=clause.dative,
        adverbs=tuple(language.values("adverb")[i].lemma for i in adverbs),
        content=None if clause.content is None else _event(clause.content, f"{prefix}content.", row, language),
        **{role: _argument(slot, f"{prefix}{role}", row, language) for role, slot in slots.items() if slot is not None},
    )


def _argument(slot: Slot, path: str, row: Row, language: Language) -> Argument:
    if slot is Hole.GAP:
        return Gap(language.relativisers[row[f"{path}.gap"]])
    if isinstance(slot, Hole):
        return Reflexive()
    if isinstance(slot, Twins):
        first, second = (_participant(p, f"{path}.both.{i}", row, language) for i, p in enumerate(slot.both))
        return Pair((first, second))
    return _participant(slot, path, row, language)


def _participant(phrase: Phrase, path: str, row: Row, language: Language) -> Participant:
    form = language.phrases[row[f"{path}.form"]]
    adjectives = tuple(language.values("adjective")[row[f"{path}.adjectives.{i}"]].lemma for i in range(phrase.adjectives))
    modifier = relative = None
    if phrase.modifier is not None:
        preposition = language.values("preposition")[row[f"{path}.modifier.preposition"]].lemma
        modifier = Modifier(preposition, _participant(phrase.modifier, f"{path}.modifier.participant", row, language))
    if phrase.relative is not None:
        relative = _event(phrase.relative, f"{path}.relative.", row, language)
    noun = language.values("noun")[row[f"{path}.noun"]].lemma
    return Participant(noun, form.number, form.determiner, adjectives, modifier, relative)


def analysed(event: Event, language: Language) -> tuple[Placed, dict[str, int]]:
    """The shape of an event and the values of its variables; a word or a value that the language lacks is named."""
    row: dict[str, int] = {}
    return place(_clause(event, "", row, language)), row


def _clause(event: Event, prefix: str, row: dict[str, int], language: Language) -> Clause:
    row[f"{prefix}predicate"] = language.lexicon.number("verb", event.predicate, event.frame)
    form = Form(event.tense, event.modal, event.aspect, event.polarity)
    row[f"{prefix}form"] = _found(language, "form", form, f"{prefix}form")
    if event.adverbs:
        adverbs = tuple(language.lexicon.number("adverb", word) for word in event.adverbs)
        row[f"{prefix}adverbs"] = _found(language, "adverbs", adverbs, f"{prefix}adverbs")
    slots = {role: _slot(getattr(event, role), f"{prefix}{role}", row, language) for role in ROLES}
    content = None if event.content is None else _clause(event.content, f"{prefix}content.", row, language)
    return Clause(event.frame, event.voice, event.dative, **slots, content=content, adverbs=bool(event.adverbs))


def _slot(argument: Argument | None, path: str, row: dict[str, int], language: Language) -> Slot | None:
    if isinstance(argument, Gap):
        row[f"{path}.gap"] = _found(language, "relativiser", argument.relativiser, f"{path}.gap")
        return Hole.GAP
    if isinstance(argument, Pair):
        first, second = (_phrase(p, f"{path}.both.{i}", row, language) for i, p in enumerate(argument.both))
        return Twins((first, second))
    if isinstance(argument, Participant):
        return _phrase(argument, path, row, language)
    return None if argument is None else Hole.REFLEXIVE


def _phrase(participant: Participant, path: str, row: dict[str, int], language: Language) -> Phrase:
    row[f"{path}.noun"] = language.lexicon.number("noun", participant.noun)
    row[f"{path}.form"] = _found(language, "phrase", PhraseForm(participant.number, participant.determiner), f"{path}")
    for i, adjective in enumerate(participant.adjectives):
        row[f"{path}.adjectives.{i}"] = language.lexicon.number("adjective", adjective)
    inner = relative = None
    if participant.modifier is not None:
        row[f"{path}.modifier.preposition"] = language.lexicon.number("preposition", participant.modifier.preposition)
        inner = _phrase(participant.modifier.participant, f"{path}.modifier.participant", row, language)
    if participant.relative is not None:
        relative = _clause(participant.relative, f"{path}.relative.", row, language)
    return Phrase(len(participant.adjectives), inner, relative)


def _found(language: Language, kind: str, value: Any, path: str) -> int:
    values = language.values(kind)
    if value not in values:
        said = " ".join(str(v) for v in value if v is not None) if isinstance(value, tuple) and kind != "adverbs" else str(value)
        raise DataProblem(f"{path}: {language.name} has no {kind} {said!r}")
    return values.index(value)
