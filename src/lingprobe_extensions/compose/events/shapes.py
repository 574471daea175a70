"""The bare structure of a sentence: which clauses and phrases there are, and how they hang
together, before any word is chosen; and sets of the sentences of one shape.

A shape mirrors an event with the words and features taken out. `LinearisedShape` lists what a shape
leaves open, as variables named by their path in the event: `agent.noun`,
`agent.relative.predicate`, `form` (tense, modal, aspect and polarity of the main clause).

A box is a set of values, in bits, for each of some variables; the others are free. Whatever a
request requires or forbids is a box or several: a prohibited event, a stative verb in the
progressive, a verb with a noun that it does not take.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache
from typing import NamedTuple, Union

from lingprobe_extensions.compose.events.meaning import SEMANTIC_ROLES


class ArgumentHole(Enum):
    """An argument without a phrase of its own."""

    GAP = "gap"
    REFLEXIVE = "reflexive"
    SHARED = "shared"


@dataclass(frozen=True, slots=True)
class PhraseShape:
    """A noun with a determiner, so many adjectives, and perhaps a modifier or a relative clause."""

    adjectives: int = 0
    modifier: PhraseShape | None = None
    relative: ClauseShape | None = None


@dataclass(frozen=True, slots=True)
class CoordinatedPhrases:
    """Two phrases joined by "and"."""

    both: tuple[PhraseShape, PhraseShape]


Slot = Union[PhraseShape, CoordinatedPhrases, ArgumentHole]  # noqa: UP007


@dataclass(frozen=True, slots=True)
class ClauseShape:
    """A verb of some frame with its arguments; `adverbs` says whether there may be some."""

    frame: str
    voice: str = "active"
    dative: str | None = None
    agent: Slot | None = None
    patient: Slot | None = None
    recipient: Slot | None = None
    content: ClauseShape | None = None
    also: ClauseShape | None = None
    adverbs: bool = False

    def slot(self, role: str) -> Slot | None:
        """What fills a role."""
        return {"agent": self.agent, "patient": self.patient, "recipient": self.recipient}[role]

    def inner(self, key: str) -> ClauseShape | None:
        """The clause that is the content, or that has the second verb."""
        return {"content": self.content, "also": self.also}[key]

    @property
    def order(self) -> tuple[str, ...]:
        """The roles in the order in which they are said, the subject first; roles that are not
        filled are excluded.
        """
        roles = [
            role
            for role in ROLE_ORDERS[self.frame, self.voice, self.dative]
            if self.slot(role) is not None
        ]
        return tuple(roles)


ROLE_ORDERS = {
    ("intransitive", "active", None): ("agent",),
    ("transitive", "active", None): ("agent", "patient"),
    ("transitive", "passive", None): ("patient", "agent"),
    ("ditransitive", "active", "object"): ("agent", "recipient", "patient"),
    ("ditransitive", "active", "to"): ("agent", "patient", "recipient"),
    ("ditransitive", "passive", "object"): ("recipient", "patient", "agent"),
    ("ditransitive", "passive", "to"): ("patient", "recipient", "agent"),
    ("clausal", "active", None): ("agent",),
}


class ShapeVariable(NamedTuple):
    """Something that a shape leaves open, by its path; kinds are those of the lexicon, and form,
    phrase, adverbs, relativiser.
    """

    path: str
    kind: str


class ClauseAt(NamedTuple):
    """A clause, what its paths begin with, and where the head is if it is relative, or the subject
    if that is shared.
    """

    prefix: str
    clause: ClauseShape
    head: str

    @property
    def gap(self) -> str | None:
        """The role that is a gap, if one is."""
        clause = self.clause
        return next((role for role in clause.order if clause.slot(role) is ArgumentHole.GAP), None)


class PhraseAt(NamedTuple):
    """A phrase and its path."""

    path: str
    phrase: PhraseShape


@dataclass(frozen=True)
class LinearisedShape:
    """A shape with everything in it listed from left to right in the event."""

    shape: ClauseShape

    @cached_property
    def parts(self) -> tuple[ClauseAt | PhraseAt, ...]:
        """All clauses and phrases, those nearer the top first, so that what hangs together stands
        together.
        """
        parts = list(_clause_parts("", self.shape, ""))
        return tuple(
            sorted(
                parts,
                key=lambda part: (part.prefix if isinstance(part, ClauseAt) else part.path).count(
                    "relative"
                ),
            )
        )

    @cached_property
    def clauses(self) -> tuple[ClauseAt, ...]:
        """All clauses, the main one first."""
        return tuple(p for p in self.parts if isinstance(p, ClauseAt))

    @cached_property
    def phrases(self) -> tuple[PhraseAt, ...]:
        """All phrases."""
        return tuple(p for p in self.parts if isinstance(p, PhraseAt))

    @cached_property
    def variables(self) -> tuple[ShapeVariable, ...]:
        """All that is open, in a fixed order."""
        return tuple(
            v
            for part in self.parts
            for v in (_clause_open(part) if isinstance(part, ClauseAt) else _phrase_open(part))
        )

    def filler(self, at: ClauseAt, role: str) -> str:
        """The path of what fills a role: of a gap its head, of a shared subject the first one, of a
        reflexive what it refers to.
        """
        slot = at.clause.slot(role)
        if slot is ArgumentHole.REFLEXIVE:
            return self.filler(at, "agent")
        return at.head if isinstance(slot, ArgumentHole) else f"{at.prefix}{role}"

    def arguments(self, at: ClauseAt) -> Iterator[tuple[str, bool]]:
        """The paths of what is said in a clause, in the order said, and which is the subject; a
        shared one is that of the first verb.
        """
        for i, role in enumerate(at.clause.order):
            slot = at.clause.slot(role)
            if slot is ArgumentHole.SHARED:
                yield from (
                    (path, True)
                    for path, subject in self.arguments(
                        self.clause(at.prefix.removesuffix("also."))
                    )
                    if subject
                )
            elif not isinstance(slot, ArgumentHole):
                yield f"{at.prefix}{role}", i == 0

    def clause(self, prefix: str) -> ClauseAt:
        """The clause whose paths begin so."""
        return next(at for at in self.clauses if at.prefix == prefix)

    def has_pair(self, path: str) -> bool:
        """Whether two phrases stand at a path."""
        return f"{path}.both.0" in self._paths

    @cached_property
    def _paths(self) -> frozenset[str]:
        return frozenset(p.path for p in self.phrases)

    def nouns(self, path: str) -> tuple[str, ...]:
        """The paths of the phrases that fill a place: two where they are joined."""
        return (f"{path}.both.0", f"{path}.both.1") if self.has_pair(path) else (path,)


@lru_cache(maxsize=4096)
def linearise_shape(shape: ClauseShape) -> LinearisedShape:
    """The shape with its parts listed; remembered, because many sentences share it."""
    return LinearisedShape(shape)


def _clause_parts(prefix: str, clause: ClauseShape, head: str) -> Iterator[ClauseAt | PhraseAt]:
    yield ClauseAt(prefix, clause, head)
    for role in SEMANTIC_ROLES:
        slot = clause.slot(role)
        if isinstance(slot, CoordinatedPhrases):
            for i, phrase in enumerate(slot.both):
                yield from _phrase_parts(f"{prefix}{role}.both.{i}", phrase)
        elif isinstance(slot, PhraseShape):
            yield from _phrase_parts(f"{prefix}{role}", slot)
    if clause.content is not None:
        yield from _clause_parts(f"{prefix}content.", clause.content, "")
    if clause.also is not None:
        subject = clause.order[0]
        yield from _clause_parts(
            f"{prefix}also.",
            clause.also,
            head if clause.slot(subject) is ArgumentHole.GAP else f"{prefix}{subject}",
        )


def _phrase_parts(path: str, phrase: PhraseShape) -> Iterator[ClauseAt | PhraseAt]:
    yield PhraseAt(path, phrase)
    if phrase.modifier is not None:
        yield from _phrase_parts(f"{path}.modifier.participant", phrase.modifier)
    if phrase.relative is not None:
        yield from _clause_parts(f"{path}.relative.", phrase.relative, path)


def _clause_open(at: ClauseAt) -> Iterator[ShapeVariable]:
    yield ShapeVariable(f"{at.prefix}predicate", "verb")
    yield ShapeVariable(f"{at.prefix}form", "form")
    if at.clause.adverbs:
        yield ShapeVariable(f"{at.prefix}adverbs", "adverbs")
    for role in SEMANTIC_ROLES:
        if at.clause.slot(role) is ArgumentHole.GAP:
            yield ShapeVariable(f"{at.prefix}{role}.gap", "relativiser")


def _phrase_open(at: PhraseAt) -> Iterator[ShapeVariable]:
    yield ShapeVariable(f"{at.path}.noun", "noun")
    yield ShapeVariable(f"{at.path}.form", "phrase")
    for i in range(at.phrase.adjectives):
        yield ShapeVariable(f"{at.path}.adjectives.{i}", "adjective")
    if at.phrase.modifier is not None:
        yield ShapeVariable(f"{at.path}.modifier.preposition", "preposition")


Box = Mapping[str, int]


def intersect_boxes(box: Box, other_box: Box) -> Box | None:
    """What is in both boxes; a variable that a box does not name is free there. None where nothing
    is.
    """
    both = dict(box)
    for path, mask in other_box.items():
        both[path] = both.get(path, mask) & mask
        if not both[path]:
            return None
    return both


def cross_boxes(boxes: Iterable[Box], others: Sequence[Box]) -> list[Box]:
    """Every box met with every other; they may overlap."""
    return [
        both
        for box in boxes
        for other in others
        if (both := intersect_boxes(box, other)) is not None
    ]


@lru_cache(maxsize=4096)
def list_members(mask: int) -> tuple[int, ...]:
    """The numbers of the bits that are set."""
    return tuple(i for i, bit in enumerate(reversed(f"{mask:b}")) if bit == "1")
