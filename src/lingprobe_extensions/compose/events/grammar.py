"""Which shapes a request admits: every structure within its bounds, each exactly once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

from lingprobe_extensions.compose.events.meaning import DATIVE_FORMS, VERB_FRAMES
from lingprobe_extensions.compose.events.shapes import (
    ROLE_ORDERS,
    ArgumentHole,
    ClauseShape,
    CoordinatedPhrases,
    PhraseShape,
    Slot,
)

REQUEST_VOICES = ("active", "passive", "passive without agent")


@dataclass(frozen=True, slots=True)
class GrammarLimits:
    """How many of each may stand in one sentence, and how many of all together."""

    relatives: int = 0
    adjectives: int = 0
    modifiers: int = 0
    complements: int = 0
    pairs: int = 0
    conjuncts: int = 0
    reflexives: int = 0
    together: int = 99

    def less(self, **used: int) -> GrammarLimits:
        """What is left after some are used."""
        together = self.together - sum(used.values())
        return replace(
            self,
            together=together,
            **{key: min(self._remaining(key) - n, together) for key, n in used.items()},
        )

    def allow(self, key: str) -> bool:
        """Whether one more may stand there."""
        return min(self.together, self._remaining(key)) > 0

    def _remaining(self, key: str) -> int:
        return {
            "relatives": self.relatives,
            "adjectives": self.adjectives,
            "modifiers": self.modifiers,
            "complements": self.complements,
            "pairs": self.pairs,
            "conjuncts": self.conjuncts,
            "reflexives": self.reflexives,
        }[key]


@dataclass(frozen=True, slots=True)
class StructureInventory:
    """What structures may be made of.

    depth   how deep relative clauses may stand in relative clauses
    inner   the frames of relative clauses
    gaps    'subject' and 'object' relative clauses
    """

    frames: tuple[str, ...] = ("intransitive", "transitive")
    voices: tuple[str, ...] = ("active", "passive")
    datives: tuple[str, ...] = DATIVE_FORMS
    inner: tuple[str, ...] = ("intransitive", "transitive")
    inner_voices: tuple[str, ...] = ("active", "passive")
    gaps: tuple[str, ...] = ("subject", "object")
    depth: int = 1
    adverbs: bool = False
    bounds: GrammarLimits = GrammarLimits()


def list_shapes(grammar: StructureInventory) -> Iterator[ClauseShape]:
    """Every shape within bounds, in a fixed order."""
    for clause, _ in _clauses(grammar, grammar.bounds, grammar.depth, _MAIN):
        yield clause


class ClausePosition(NamedTuple):
    """Where a clause stands: is it relative, does it share its subject with the one before, may
    another be joined to it.
    """

    relative: bool = False
    shared: bool = False
    joins: bool = False


_MAIN, _CONTENT = ClausePosition(joins=True), ClausePosition()


Kinds = Iterator[tuple[str, str, str | None, tuple[str, ...]]]


def _kinds(grammar: StructureInventory, bounds: GrammarLimits, relative: bool) -> Kinds:
    """Frames with voice, dative and the roles that are said."""
    voices = grammar.inner_voices if relative else grammar.voices
    for frame in (f for f in VERB_FRAMES if f in (grammar.inner if relative else grammar.frames)):
        if frame == "clausal" and not bounds.allow("complements"):
            continue
        for voice in (v for v in REQUEST_VOICES if v in voices):
            for dative in grammar.datives if frame == "ditransitive" else (None,):
                roles = ROLE_ORDERS.get((frame, voice.split()[0], dative))
                if roles is not None:
                    yield (
                        frame,
                        voice.split()[0],
                        dative,
                        tuple(r for r in roles if r != "agent" or "without" not in voice),
                    )


def _clauses(
    grammar: StructureInventory, bounds: GrammarLimits, depth: int, where: ClausePosition
) -> Iterator[tuple[ClauseShape, GrammarLimits]]:
    for frame, voice, dative, roles in _kinds(grammar, bounds, where.relative):
        bare = ClauseShape(frame, voice, dative, adverbs=grammar.adverbs)
        for hole in _holes(grammar, bare, roles, where):
            left = bounds.less(complements=1) if frame == "clausal" else bounds
            for filled, rest in _fill_roles(
                grammar, bare, tuple((r, hole.get(r)) for r in roles), left, depth
            ):
                if frame != "clausal":
                    yield filled, rest
                    yield from _add_conjunct(grammar, (filled, rest), depth, where)
                    continue
                for content, last in _clauses(grammar, rest, depth, _CONTENT):
                    yield replace(filled, content=content), last


def _add_conjunct(
    grammar: StructureInventory,
    first: tuple[ClauseShape, GrammarLimits],
    depth: int,
    where: ClausePosition,
) -> Iterator[tuple[ClauseShape, GrammarLimits]]:
    """The clause with a second verb; not where that could be joined to the verb of a relative
    clause.
    """
    clause, bounds = first
    subject, *others = (clause.slot(role) for role in clause.order)
    if not where.joins or not bounds.allow("conjuncts") or any(_heavy(slot) for slot in others):
        return
    if isinstance(subject, ArgumentHole) == where.relative:
        # a "by" after the second verb would be theirs as well
        nobody = (clause.voice, clause.agent) == ("passive", None)
        for second, left in _clauses(
            grammar, bounds.less(conjuncts=1), depth, ClausePosition(where.relative, shared=True)
        ):
            if not (nobody and second.voice == "passive" and second.agent is not None):
                yield replace(clause, also=second), left


def _heavy(slot: Slot | None) -> bool:
    return isinstance(slot, PhraseShape) and slot.relative is not None


def _holes(
    grammar: StructureInventory, clause: ClauseShape, roles: tuple[str, ...], where: ClausePosition
) -> Iterator[Mapping[str, ArgumentHole]]:
    """Which roles are not said: a shared subject; in relative clauses the subject or an active
    verb's patient, lest "by" strand.
    """
    if where.shared:
        yield {roles[0]: ArgumentHole.SHARED}
    elif not where.relative:
        yield {}
    else:
        if "subject" in grammar.gaps:
            yield {roles[0]: ArgumentHole.GAP}
        if "object" in grammar.gaps and clause.voice == "active" and "patient" in roles:
            yield {"patient": ArgumentHole.GAP}


Roles = tuple[tuple[str, ArgumentHole | None], ...]
# between verb and end a phrase has neither modifier nor relative clause: what follows could belong
# to that
_LIGHT = -1


def _fill_roles(
    grammar: StructureInventory,
    clause: ClauseShape,
    roles: Roles,
    bounds: GrammarLimits,
    depth: int,
) -> Iterator[tuple[ClauseShape, GrammarLimits]]:
    """The clause with its roles filled in every way, and the bounds that are left; some are
    holes.
    """
    if not roles:
        yield clause, bounds
        return
    (role, hole), rest = roles[0], roles[1:]
    deep = depth if not rest or not clause.order else _LIGHT
    place = NounPhrasePlace(
        deep,
        subject=not clause.order,
        reflexive=role == "patient" and clause.frame == "transitive" and clause.voice == "active",
    )
    for slot, left in [(hole, bounds)] if hole else _slots(grammar, bounds, place):
        more = replace(clause, **{role: slot})  # type: ignore[arg-type]
        yield from _fill_roles(grammar, more, rest, left, depth)


class NounPhrasePlace(NamedTuple):
    """How deep relative clauses may go in a place, and whether it is the subject's, or one for a
    reflexive.
    """

    depth: int
    subject: bool
    reflexive: bool


def _slots(
    grammar: StructureInventory, bounds: GrammarLimits, place: NounPhrasePlace
) -> Iterator[tuple[Slot, GrammarLimits]]:
    yield from _list_noun_phrases(grammar, bounds, place)
    if bounds.allow("pairs"):
        yield CoordinatedPhrases((PhraseShape(), PhraseShape())), bounds.less(pairs=1)
    if place.reflexive and bounds.allow("reflexives"):
        yield ArgumentHole.REFLEXIVE, bounds.less(reflexives=1)


def _list_noun_phrases(
    grammar: StructureInventory, bounds: GrammarLimits, place: NounPhrasePlace
) -> Iterator[tuple[PhraseShape, GrammarLimits]]:
    """Phrases with at most one adjective; not with both a modifier and a relative clause, which
    could then belong to either noun.
    """
    for adjectives in range(bounds.allow("adjectives") + 1):
        left = bounds.less(adjectives=adjectives)
        bare = PhraseShape(adjectives)
        modified = (
            _add_modifier(bare, left) if left.allow("modifiers") and place.depth != _LIGHT else ()
        )
        inner = left.less(relatives=1)
        where = ClausePosition(relative=True, joins=place.subject)
        clauses = (
            _clauses(grammar, inner, place.depth - 1, where)
            if left.allow("relatives") and place.depth > 0
            else ()
        )
        related = ((replace(bare, relative=clause), rest) for clause, rest in clauses)
        yield from chain([(bare, left)], modified, related)


def _add_modifier(
    phrase: PhraseShape, bounds: GrammarLimits
) -> Iterator[tuple[PhraseShape, GrammarLimits]]:
    for adjectives in range(bounds.allow("adjectives") + 1):
        yield (
            replace(phrase, modifier=PhraseShape(adjectives)),
            bounds.less(modifiers=1, adjectives=adjectives),
        )
