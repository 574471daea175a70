"""Events of a shape: from values to an event, and from an event back to its shape and values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lingprobe import DataProblem
from lingprobe_extensions.compose.events.language import ClauseForm, Language, PhraseForm
from lingprobe_extensions.compose.events.meaning import (
    SEMANTIC_ROLES,
    Argument,
    EventParticipant,
    ParticipantModifier,
    ParticipantPair,
    ReflexiveParticipant,
    RelativeGap,
    SentenceEvent,
    SharedSubject,
)
from lingprobe_extensions.compose.events.shapes import (
    ROLE_ORDERS,
    ArgumentHole,
    ClauseShape,
    CoordinatedPhrases,
    LinearisedShape,
    PhraseShape,
    Slot,
    linearise_shape,
)

Row = Mapping[str, int]


def make_event(placed: LinearisedShape, row: Row, language: Language) -> SentenceEvent:
    """The event of one sentence."""
    return _event(placed.shape, "", row, language)


def _event(clause: ClauseShape, prefix: str, row: Row, language: Language) -> SentenceEvent:
    form: ClauseForm = language.forms[row[f"{prefix}form"]]
    adverbs = language.adverbs[row[f"{prefix}adverbs"]] if clause.adverbs else ()
    slots = {role: clause.slot(role) for role in SEMANTIC_ROLES}
    return SentenceEvent(
        predicate=language.values("verb")[row[f"{prefix}predicate"]].lemma,
        frame=clause.frame,
        tense=form.tense,
        aspect=form.aspect,
        polarity=form.polarity,
        voice=clause.voice,
        modal=form.modal,
        dative=clause.dative,
        adverbs=tuple(language.values("adverb")[i].lemma for i in adverbs),
        content=(
            None
            if clause.content is None
            else _event(clause.content, f"{prefix}content.", row, language)
        ),
        also=None if clause.also is None else _event(clause.also, f"{prefix}also.", row, language),
        **{
            role: _argument(slot, f"{prefix}{role}", row, language)
            for role, slot in slots.items()
            if slot is not None
        },
    )


def _argument(slot: Slot, path: str, row: Row, language: Language) -> Argument:
    if slot is ArgumentHole.GAP:
        return RelativeGap(language.relativisers[row[f"{path}.gap"]])
    if isinstance(slot, ArgumentHole):
        return ReflexiveParticipant() if slot is ArgumentHole.REFLEXIVE else SharedSubject()
    if isinstance(slot, CoordinatedPhrases):
        first, second = (
            _participant(p, f"{path}.both.{i}", row, language) for i, p in enumerate(slot.both)
        )
        return ParticipantPair((first, second))
    return _participant(slot, path, row, language)


def _participant(phrase: PhraseShape, path: str, row: Row, language: Language) -> EventParticipant:
    form = language.phrases[row[f"{path}.form"]]
    adjectives = tuple(
        language.values("adjective")[row[f"{path}.adjectives.{i}"]].lemma
        for i in range(phrase.adjectives)
    )
    modifier = relative = None
    if phrase.modifier is not None:
        preposition = language.values("preposition")[row[f"{path}.modifier.preposition"]].lemma
        modifier = ParticipantModifier(
            preposition,
            _participant(phrase.modifier, f"{path}.modifier.participant", row, language),
        )
    if phrase.relative is not None:
        relative = _event(phrase.relative, f"{path}.relative.", row, language)
    noun = language.values("noun")[row[f"{path}.noun"]].lemma
    return EventParticipant(noun, form.number, form.determiner, adjectives, modifier, relative)


def analyze_event(
    event: SentenceEvent, language: Language
) -> tuple[LinearisedShape, dict[str, int]]:
    """The shape of an event and the values of its variables; a word or a value that the language
    lacks is named.
    """
    row: dict[str, int] = {}
    _check_event(event, "event", None)
    return linearise_shape(_number_clause(event, "", row, language)), row


_HOLES: Mapping[type | None, str] = {
    None: "only a relative clause has a gap, and only a second verb a shared subject",
    RelativeGap: "one participant of a relative clause is a gap",
    SharedSubject: "of a second verb the subject, and nothing else, is shared",
}


def _check_event(event: SentenceEvent, path: str, hole: type | None) -> None:
    """Raise what is wrong with the roles and holes of a clause, and of those within it."""
    arguments = [(role, event.argument(role)) for role in _roles(event, path)]
    holes = [type(a) for _, a in arguments if isinstance(a, RelativeGap | SharedSubject)]
    if holes != ([hole] if hole else []) or (
        hole is SharedSubject and not isinstance(arguments[0][1], SharedSubject)
    ):
        raise DataProblem(f"{path}: {_HOLES[hole]}")
    if event.content is not None:
        _check_event(event.content, f"{path}.content", None)
    if event.also is not None:
        of_gap = hole is not RelativeGap or isinstance(arguments[0][1], RelativeGap)
        if event.also.also is not None or hole is SharedSubject or not of_gap:
            raise DataProblem(
                f"{path}: two verbs at most share a subject, in a relative clause its gap"
            )
        _check_event(event.also, f"{path}.also", SharedSubject)
    for role, argument in arguments:
        several = (
            enumerate(argument.both)
            if isinstance(argument, ParticipantPair)
            else ((None, argument),)
        )
        for i, one in several:
            if isinstance(one, EventParticipant) and one.relative is not None:
                place = "relative" if i is None else f"both.{i}.relative"
                _check_event(one.relative, f"{path}.{role}.{place}", RelativeGap)


def _roles(event: SentenceEvent, path: str) -> list[str]:
    """The roles of a clause in the order of its frame and voice; a DataProblem where it lacks one
    or has another.
    """
    roles = ROLE_ORDERS.get((event.frame, event.voice, event.dative))
    if roles is None:
        raise DataProblem(
            f"{path}: there is no {event.voice} {event.frame} with dative"
            f" {event.dative or 'left out'}"
        )
    required = {*roles, *(["content"] if event.frame == "clausal" else [])}
    filled = {role for role in SEMANTIC_ROLES if event.argument(role) is not None}
    filled |= {"content"} if event.content is not None else set()
    if filled != required and not (event.voice == "passive" and filled | {"agent"} == required):
        names = ", ".join(sorted(filled)) or "nothing"
        raise DataProblem(
            f"{path}: {event.voice} {event.frame} takes {', '.join(sorted(required))}; there is"
            f" {names}"
        )
    return [role for role in roles if role in filled]


def _number_clause(
    event: SentenceEvent, prefix: str, row: dict[str, int], language: Language
) -> ClauseShape:
    row[f"{prefix}predicate"] = language.lexicon.number("verb", event.predicate, event.frame)
    form = ClauseForm(event.tense, event.modal, event.aspect, event.polarity)
    row[f"{prefix}form"] = _look_up_number(language, "form", form, f"{prefix}form")
    if event.adverbs:
        adverbs = tuple(language.lexicon.number("adverb", word) for word in event.adverbs)
        row[f"{prefix}adverbs"] = _look_up_number(language, "adverbs", adverbs, f"{prefix}adverbs")
    slots = {
        role: _slot(event.argument(role), f"{prefix}{role}", row, language)
        for role in SEMANTIC_ROLES
    }
    content = (
        None
        if event.content is None
        else _number_clause(event.content, f"{prefix}content.", row, language)
    )
    also = (
        None if event.also is None else _number_clause(event.also, f"{prefix}also.", row, language)
    )
    return ClauseShape(
        event.frame,
        event.voice,
        event.dative,
        **slots,
        content=content,
        also=also,
        adverbs=bool(event.adverbs),
    )


def _slot(
    argument: Argument | None, path: str, row: dict[str, int], language: Language
) -> Slot | None:
    if isinstance(argument, RelativeGap):
        row[f"{path}.gap"] = _look_up_number(
            language, "relativiser", argument.relativiser, f"{path}.gap"
        )
        return ArgumentHole.GAP
    if isinstance(argument, ParticipantPair):
        first, second = (
            _phrase(p, f"{path}.both.{i}", row, language) for i, p in enumerate(argument.both)
        )
        return CoordinatedPhrases((first, second))
    if isinstance(argument, EventParticipant):
        return _phrase(argument, path, row, language)
    holes = {ReflexiveParticipant: ArgumentHole.REFLEXIVE, SharedSubject: ArgumentHole.SHARED}
    return None if argument is None else holes[type(argument)]


def _phrase(
    participant: EventParticipant, path: str, row: dict[str, int], language: Language
) -> PhraseShape:
    row[f"{path}.noun"] = language.lexicon.number("noun", participant.noun)
    row[f"{path}.form"] = _look_up_number(
        language, "phrase", PhraseForm(participant.number, participant.determiner), f"{path}"
    )
    for i, adjective in enumerate(participant.adjectives):
        row[f"{path}.adjectives.{i}"] = language.lexicon.number("adjective", adjective)
    inner = relative = None
    if participant.modifier is not None:
        row[f"{path}.modifier.preposition"] = language.lexicon.number(
            "preposition", participant.modifier.preposition
        )
        inner = _phrase(
            participant.modifier.participant, f"{path}.modifier.participant", row, language
        )
    if participant.relative is not None:
        relative = _number_clause(participant.relative, f"{path}.relative.", row, language)
    return PhraseShape(len(participant.adjectives), inner, relative)


def _look_up_number(language: Language, kind: str, value: Any, path: str) -> int:
    values = language.values(kind)
    if value not in values:
        text = (
            " ".join(str(v) for v in value if v is not None)
            if isinstance(value, tuple) and kind != "adverbs"
            else str(value)
        )
        raise DataProblem(f"{path}: {language.name} has no {kind} {text!r}")
    return values.index(value)
