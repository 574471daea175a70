"""What a sentence means, as frozen values: who did what to whom, and what did not happen (Ettinger
et al. 2018, section 4.1, Figure 1); and the same as JSON.

A full event leads to one sentence. Lemmas carry the meaning; voice, tense and the like stand beside
them, so that nothing has to be guessed on the way to the surface. JSON has the same keys as the
values, nothing that is empty; what is wrong is named with its path.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Union

from lingprobe import DataProblem

VERB_FRAMES: Final = ("intransitive", "transitive", "ditransitive", "clausal")
_TENSES: Final = ("past", "present", "future")
_ASPECTS: Final = (
    "simple",
    "progressive",
    "perfect",
    "perfect progressive",
    "imperfective",
    "perfective",
)
EVENT_POLARITIES: Final = ("positive", "negative")
_VOICES: Final = ("active", "passive")
GRAMMATICAL_NUMBERS: Final = ("singular", "plural")
DATIVE_FORMS: Final = ("object", "to")
SEMANTIC_ROLES: Final = ("agent", "patient", "recipient")


@dataclass(frozen=True, slots=True)
class EventParticipant:
    """Somebody or something in an event.

    modifier   where it is, as in "the man near the women"; its noun is an agreement attractor
    relative   an event in which one participant is a `RelativeGap`, which this one fills
    """

    noun: str
    number: str
    determiner: str
    adjectives: tuple[str, ...] = ()
    modifier: ParticipantModifier | None = None
    relative: SentenceEvent | None = None


@dataclass(frozen=True, slots=True)
class ParticipantModifier:
    """A preposition and its participant."""

    preposition: str
    participant: EventParticipant


@dataclass(frozen=True, slots=True)
class ParticipantPair:
    """Two participants that take one role together: "the man and the woman"."""

    both: tuple[EventParticipant, EventParticipant]


@dataclass(frozen=True, slots=True)
class ReflexiveParticipant:
    """The participant that is also the agent: "himself"."""


@dataclass(frozen=True, slots=True)
class RelativeGap:
    """The participant of a relative clause that its head noun fills, and the word that links
    them.
    """

    relativiser: str


@dataclass(frozen=True, slots=True)
class SharedSubject:
    """The subject of a second verb that is also the subject of the first: "the man slept and helped
    the woman".
    """


Argument = Union[  # noqa: UP007
    EventParticipant, ParticipantPair, ReflexiveParticipant, RelativeGap, SharedSubject
]


@dataclass(frozen=True, slots=True)
class SentenceEvent:
    """What happened, or is said not to have happened.

    tense    None where a modal stands in its place
    voice    'passive' without an agent is "the man was helped"
    dative   of ditransitives: 'object' as in "gave the girl the book", 'to' as in "gave the book to
             the girl"; in the passive it says who is the subject, the recipient or the patient
    content  what is said or thought, for clausal frames
    also     what the subject did besides: a second verb with its own arguments, form and adverbs,
             and `SharedSubject` as its subject
    """

    predicate: str
    frame: str
    tense: str | None
    aspect: str
    polarity: str
    voice: str = "active"
    modal: str | None = None
    dative: str | None = None
    adverbs: tuple[str, ...] = ()
    agent: Argument | None = None
    patient: Argument | None = None
    recipient: Argument | None = None
    content: SentenceEvent | None = None
    also: SentenceEvent | None = None

    def argument(self, role: str) -> Argument | None:
        """Who has a role."""
        return {"agent": self.agent, "patient": self.patient, "recipient": self.recipient}[role]


FIELD_CHOICES: Mapping[str, tuple[str, ...]] = {
    "frame": VERB_FRAMES,
    "tense": _TENSES,
    "aspect": _ASPECTS,
    "polarity": EVENT_POLARITIES,
    "voice": _VOICES,
    "dative": DATIVE_FORMS,
    "number": GRAMMATICAL_NUMBERS,
}
EVENT_FIELDS = (
    "predicate",
    "frame",
    "tense",
    "modal",
    "aspect",
    "polarity",
    "voice",
    "dative",
    "adverbs",
    *SEMANTIC_ROLES,
    "content",
    "also",
)
PARTICIPANT_FIELDS = ("noun", "number", "determiner", "adjectives", "modifier", "relative")
MODIFIER_FIELDS = ("preposition", "participant")
INNER_EVENT_FIELDS = ("content", "also")  # events in events
_HOLES: Mapping[str, type[ReflexiveParticipant | SharedSubject]] = {
    "reflexive": ReflexiveParticipant,
    "shared": SharedSubject,
}


def to_json(event: SentenceEvent) -> dict[str, Any]:
    """An event as plain JSON values, keys in a fixed order, without what is absent."""
    form = (event.tense, event.modal, event.aspect, event.polarity)
    plain = (event.predicate, event.frame, *form, event.voice, event.dative)
    fields: dict[str, Any] = dict(zip(EVENT_FIELDS, plain, strict=False))
    fields["adverbs"] = list(event.adverbs) or None
    for role in SEMANTIC_ROLES:
        argument = event.argument(role)
        fields[role] = None if argument is None else _argument_json(argument)
    for key, inner in zip(INNER_EVENT_FIELDS, (event.content, event.also), strict=True):
        fields[key] = None if inner is None else to_json(inner)
    return {key: value for key, value in fields.items() if value is not None}


def _argument_json(value: Argument) -> dict[str, Any]:
    if isinstance(value, RelativeGap):
        return {"gap": value.relativiser}
    if isinstance(value, ReflexiveParticipant | SharedSubject):
        return {key: True for key, hole in _HOLES.items() if isinstance(value, hole)}
    if isinstance(value, ParticipantPair):
        return {"both": [_argument_json(p) for p in value.both]}
    fields: dict[str, Any] = {
        "noun": value.noun,
        "number": value.number,
        "determiner": value.determiner,
    }
    if value.adjectives:
        fields["adjectives"] = list(value.adjectives)
    if value.modifier is not None:
        inner = _argument_json(value.modifier.participant)
        fields["modifier"] = {"preposition": value.modifier.preposition, "participant": inner}
    if value.relative is not None:
        fields["relative"] = to_json(value.relative)
    return fields


def from_json(value: object, path: str = "event") -> SentenceEvent:
    """The event that JSON values describe; a missing or unknown key, or a value out of range, is
    named with its path.
    """
    fields = check_keys(value, EVENT_FIELDS, path)
    require_keys(fields, ("predicate", "frame", "aspect", "polarity"), path)
    read: dict[str, Any] = {
        key: read_choice(fields[key], key, f"{path}.{key}")
        for key in fields
        if key in FIELD_CHOICES or key in ("predicate", "modal")
    }
    read.setdefault("tense", None)
    if (read["tense"] is None) == (read.get("modal") is None):
        raise DataProblem(f"{path}: give either a tense or a modal")
    read["adverbs"] = read_text_list(fields.get("adverbs", []), f"{path}.adverbs")
    for role in SEMANTIC_ROLES:
        if role in fields:
            read[role] = _read_argument(fields[role], f"{path}.{role}")
    for key in INNER_EVENT_FIELDS:
        if key in fields:
            read[key] = from_json(fields[key], f"{path}.{key}")
    return SentenceEvent(**read)


def _read_argument(value: object, path: str) -> Argument:
    if isinstance(value, Mapping) and "gap" in value:
        return RelativeGap(check_text(check_keys(value, ("gap",), path)["gap"], f"{path}.gap"))
    for key, hole in _HOLES.items():
        if isinstance(value, Mapping) and key in value:
            if check_keys(value, (key,), path)[key] is not True:
                raise DataProblem(f"{path}.{key}: must be true or absent")
            return hole()
    if isinstance(value, Mapping) and "both" in value:
        both = check_keys(value, ("both",), path)["both"]
        if not isinstance(both, list) or len(both) != 2:
            raise DataProblem(f"{path}.both: is a list of two participants")
        return ParticipantPair(
            (_participant(both[0], f"{path}.both.0"), _participant(both[1], f"{path}.both.1"))
        )
    return _participant(value, path)


def _participant(value: object, path: str) -> EventParticipant:
    fields = check_keys(value, PARTICIPANT_FIELDS, path)
    require_keys(fields, ("noun", "number", "determiner"), path)
    modifier = relative = None
    if "modifier" in fields:
        inner = check_keys(fields["modifier"], MODIFIER_FIELDS, f"{path}.modifier")
        require_keys(inner, MODIFIER_FIELDS, f"{path}.modifier")
        preposition = check_text(inner["preposition"], f"{path}.modifier.preposition")
        modifier = ParticipantModifier(
            preposition, _participant(inner["participant"], f"{path}.modifier.participant")
        )
    if "relative" in fields:
        relative = from_json(fields["relative"], f"{path}.relative")
    noun, determiner = (
        check_text(fields["noun"], f"{path}.noun"),
        check_text(fields["determiner"], f"{path}.determiner"),
    )
    adjectives = read_text_list(fields.get("adjectives", []), f"{path}.adjectives")
    return EventParticipant(
        noun,
        read_choice(fields["number"], "number", f"{path}.number"),
        determiner,
        adjectives,
        modifier,
        relative,
    )


def check_keys(value: object, allowed: tuple[str, ...], path: str) -> Mapping[str, Any]:
    """A JSON object that has none but the allowed keys."""
    if not isinstance(value, Mapping):
        raise DataProblem(
            f"{path}: is a JSON object with the keys {', '.join(allowed)}, not {value!r}"
        )
    for key in value:
        if key not in allowed:
            raise DataProblem(f"{path}: unknown key {key!r}; there are {', '.join(allowed)}")
    return value


def require_keys(fields: Mapping[str, Any], keys: tuple[str, ...], path: str) -> None:
    """Complain about the first key that is not there."""
    for key in keys:
        if key not in fields:
            raise DataProblem(f"{path}: {key!r} is missing")


def read_choice(value: object, key: str, path: str) -> str:
    """A text that is one of the values which a key may have."""
    choice = check_text(value, path)
    if key in FIELD_CHOICES and choice not in FIELD_CHOICES[key]:
        raise DataProblem(f"{path}: {choice!r} is not one of {', '.join(FIELD_CHOICES[key])}")
    return choice


def check_text(value: object, path: str) -> str:
    """A text that is not empty."""
    if not isinstance(value, str) or not value:
        raise DataProblem(f"{path}: is a text, not {value!r}")
    return value


def read_text_list(value: object, path: str) -> tuple[str, ...]:
    """A list of texts."""
    if not isinstance(value, list):
        raise DataProblem(f"{path}: is a list of words, not {value!r}")
    return tuple(check_text(word, f"{path}.{i}") for i, word in enumerate(value))
