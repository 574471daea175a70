"""What a sentence means, as frozen values: who did what to whom, and what did not happen (Ettinger
et al. 2018, section 4.1, Figure 1).

A full event leads to one sentence. Lemmas carry the meaning; voice, tense and the like stand beside
them, so that nothing has to be guessed on the way to the surface.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Union

FRAMES: Final = ("intransitive", "transitive", "ditransitive", "clausal")
TENSES: Final = ("past", "present", "future")
ASPECTS: Final = (
    "simple",
    "progressive",
    "perfect",
    "perfect progressive",
    "imperfective",
    "perfective",
)
POLARITIES: Final = ("positive", "negative")
VOICES: Final = ("active", "passive")
NUMBERS: Final = ("singular", "plural")
DATIVES: Final = ("object", "to")
ROLES: Final = ("agent", "patient", "recipient")


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody or something in an event.

    modifier   where it is, as in "the man near the women"; its noun is an agreement attractor
    relative   an event in which one participant is a `Gap`, which this one fills
    """

    noun: str
    number: str
    determiner: str
    adjectives: tuple[str, ...] = ()
    modifier: Modifier | None = None
    relative: Event | None = None


@dataclass(frozen=True, slots=True)
class Modifier:
    """A preposition and its participant."""

    preposition: str
    participant: Participant


@dataclass(frozen=True, slots=True)
class Pair:
    """Two participants that take one role together: "the man and the woman"."""

    both: tuple[Participant, Participant]


@dataclass(frozen=True, slots=True)
class Reflexive:
    """The participant that is also the agent: "himself"."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The participant of a relative clause that its head noun fills, and the word that links
    them.
    """

    relativiser: str


@dataclass(frozen=True, slots=True)
class Shared:
    """The subject of a second verb that is also the subject of the first: "the man slept and helped
    the woman".
    """


Argument = Union[Participant, Pair, Reflexive, Gap, Shared]  # noqa: UP007


@dataclass(frozen=True, slots=True)
class Event:
    """What happened, or is said not to have happened.

    tense    None where a modal stands in its place
    voice    'passive' without an agent is "the man was helped"
    dative   of ditransitives: 'object' as in "gave the girl the book", 'to' as in "gave the book to
             the girl"; in the passive it says who is the subject, the recipient or the patient
    content  what is said or thought, for clausal frames
    also     what the subject did besides: a second verb with its own arguments, form and adverbs,
             and `Shared` as its subject
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
    content: Event | None = None
    also: Event | None = None

    def argument(self, role: str) -> Argument | None:
        """Who has a role."""
        return {"agent": self.agent, "patient": self.patient, "recipient": self.recipient}[role]
