"""How a row of Polish chunks hangs together: all structures of a skeleton such as "N,KAN,A"; the
words are not looked at.

One letter a chunk: N a noun with what stands before it, R "siebie", A and P an active and a passive
verb group, d an adverb, n a preposition, b "przez", K "który", C "że", & "i", and the comma. The
order of what a clause has is free: case tells who is who. A clause inside ends with a comma unless
the sentence ends there, and where two end together they share it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import permutations
from typing import NamedTuple

from lingprobe_extensions.compose.readings.structure import (
    RAISED_HEADS,
    ChunkConstraint,
    ChunkStructure,
    Heads,
    Parts,
    PendingFact,
    collect_distinct_structures,
    make_statements,
    replace_raised,
)

_LIKELY = frozenset({"fits"})


class PolishNounPhrase(NamedTuple):
    """A noun phrase up to `stop`; `open` where it still wants the comma that ends a clause in it.

    pronoun    the place of the relative pronoun that stands for the nouns; -1 where they are there
               themselves
    owned      whether it begins with "whose"
    """

    stop: int
    heads: Heads
    parts: Parts = ()
    open: bool = False
    pronoun: int = -1
    owned: bool = False


class PolishClause(NamedTuple):
    """A clause up to `stop`, its verbs (several where they are joined) and its subject.

    before   adverbs before its verb
    ends     object and "przez" of its last verb
    raised   which of these it borrows from the verb that is joined to it
    """

    stop: int
    verbs: Heads
    subject: Heads
    parts: Parts
    open: bool
    before: Heads = ()
    ends: tuple[tuple[str, Heads], ...] = ()
    raised: str = ""


class ClauseInterpretation(NamedTuple):
    """What a clause that has been read may mean: who is subject and object, and by whom something
    is done.
    """

    subject: PolishNounPhrase | None
    goal: PolishNounPhrase | None
    by: Heads
    raised: str = ""


class ClauseOpening(NamedTuple):
    """What a clause begins with: its kind, its relative phrase, and the subject if it shares
    one.
    """

    clause: str
    begun: PolishNounPhrase | None = None
    shared: Heads = ()


class PartialClause(NamedTuple):
    """A clause as far as it is read."""

    stop: int
    open: bool
    nominals: tuple[PolishNounPhrase, ...] = ()
    verb: int = -1
    by: Heads = ()
    content: Heads = ()
    adverbs: Heads = ()
    places: tuple[tuple[int, Heads], ...] = ()
    parts: Parts = ()


@lru_cache(maxsize=1 << 14)
def list_polish_structures(skeleton: str) -> tuple[ChunkStructure, ...]:
    """All structures of a skeleton, none twice."""
    clauses = _Parser(skeleton).clauses(0, ClauseOpening("main"))
    return collect_distinct_structures(
        (c.parts for c in clauses if c.stop == len(skeleton)), _LIKELY
    )


class _Parser:
    """The grammar over one skeleton; each question is answered once."""

    def __init__(self, skeleton: str) -> None:
        self.skeleton = skeleton + ".."
        self.nominals = cache(lambda start: tuple(self._nominals(start)))
        self.clauses = cache(lambda start, around: tuple(self._clauses(start, around)))

    def _skip_comma(self, stop: int, *, open: bool) -> int:
        """Where to go on after something that may still want a comma: behind the comma; -1 where
        there is none.
        """
        if not open:
            return stop
        return stop + 1 if self.skeleton[stop] == "," else -1

    def _clauses(self, start: int, around: ClauseOpening) -> Iterator[PolishClause]:
        """A clause, or several verbs with what belongs to them that share the subject."""
        begun = around.begun
        first = (
            PartialClause(start, False)
            if begun is None
            else PartialClause(begun.stop, begun.open, (begun,), parts=begun.parts)
        )
        for part in self._parts(first):
            for clause in self._clause_readings(part, around):
                if not clause.raised:
                    yield clause
                yield from self._join_clauses(clause, around)

    def _join_clauses(self, clause: PolishClause, around: ClauseOpening) -> Iterator[PolishClause]:
        """The clause and what is joined to it: adverbs before the first verb may be of all, and
        what ends the last of the first.
        """
        link = self._skip_comma(clause.stop, open=clause.open)
        if not clause.subject or self.skeleton[link] != "&":
            return
        for other in self.clauses(link + 1, ClauseOpening(around.clause, None, clause.subject)):
            ends = dict(other.ends)
            if clause.raised and clause.raised not in ends:
                continue
            joined = PendingFact(clause.verbs[0], "and", other.verbs[0])
            parts = (
                *replace_raised(clause.parts, ends.get(clause.raised, ())),
                joined,
                *other.parts,
            )
            for n in range(len(clause.before) + 1):
                shared = make_statements(other.verbs, "adverb", clause.before[:n])
                verbs = clause.verbs + other.verbs
                yield PolishClause(
                    other.stop,
                    verbs,
                    clause.subject,
                    parts + shared,
                    other.open,
                    clause.before,
                    other.ends,
                )

    def _parts(self, part: PartialClause) -> Iterator[PartialClause]:
        """A clause read on, in any order, as far as it goes; each time that it could end there."""
        if part.verb >= 0:
            yield part
        if self.skeleton[part.stop : part.stop + 2] == ",C" and part.verb >= 0 and not part.content:
            for inner in self.clauses(part.stop + 2, ClauseOpening("content")):
                grown = part._replace(
                    stop=inner.stop, open=True, content=inner.verbs, parts=part.parts + inner.parts
                )
                yield from self._parts(grown)
        at = self._skip_comma(part.stop, open=part.open)
        if at >= 0:
            for grown in self._grown(part._replace(stop=at + 1, open=False), at):
                yield from self._parts(grown)

    def _grown(self, part: PartialClause, at: int) -> Iterator[PartialClause]:
        kind = self.skeleton[at]
        if kind == "d":
            yield part._replace(adverbs=(*part.adverbs, at))
        elif kind in "AP" and part.verb < 0:
            yield part._replace(verb=at)
        elif kind == "n" or (kind == "b" and not part.by):
            yield from self._add_phrase(kind, part, at)
        elif kind in "NR" and len(part.nominals) < 2:
            for nominal in self.nominals(at) if kind == "N" else (PolishNounPhrase(at + 1, (at,)),):
                yield part._replace(
                    stop=nominal.stop,
                    open=nominal.open,
                    nominals=(*part.nominals, nominal),
                    parts=part.parts + nominal.parts,
                )

    def _add_phrase(self, kind: str, part: PartialClause, at: int) -> Iterator[PartialClause]:
        """The clause with what a preposition or "przez" begins."""
        for nominal in self.nominals(at + 1):
            heads = nominal.heads
            rule = (
                ChunkConstraint("governs", at, heads)
                if kind == "n"
                else ChunkConstraint("case", 0, heads, "acc")
            )
            grown = part._replace(
                stop=nominal.stop, open=nominal.open, parts=(*part.parts, *nominal.parts, rule)
            )
            if kind == "n":
                yield grown._replace(places=(*part.places, (at, heads)))
            else:
                yield grown._replace(by=heads)

    def _clause_readings(
        self, part: PartialClause, around: ClauseOpening
    ) -> Iterator[PolishClause]:
        """The ways to understand a clause that has been read."""
        passive = self.skeleton[part.verb] == "P"
        if part.by and not passive:
            return
        common = self._common(part, around)
        before = tuple(adverb for adverb in part.adverbs if adverb < part.verb)
        for meant in self._ways(part, around):
            if meant.goal is not None and (passive or part.content):
                continue
            heads = meant.subject.heads if meant.subject else ()
            parts = (
                common
                + self._subject(part, meant.subject, around)
                + self._object(part, meant.goal, heads)
            )
            if meant.by:
                parts += (
                    *make_statements((part.verb,), "agent", meant.by),
                    ChunkConstraint("fits", part.verb, meant.by, "agent"),
                )
            named = meant.goal is not None and meant.goal.pronoun < 0 and meant.goal.heads
            ends = tuple((name, end) for name, end in (("object", named), ("by", meant.by)) if end)
            yield PolishClause(
                part.stop, (part.verb,), heads, parts, part.open, before, ends, meant.raised
            )

    def _common(self, part: PartialClause, around: ClauseOpening) -> Parts:
        """What a clause says whoever is its subject."""
        verb = (part.verb,)
        return (
            *part.parts,
            PendingFact(part.verb, "clause", around.clause),
            *make_statements(verb, "adverb", part.adverbs),
            *(one for place, heads in part.places for one in make_statements(verb, place, heads)),
            *make_statements(verb, "content", part.content),
        )

    def _ways(self, part: PartialClause, around: ClauseOpening) -> Iterator[ClauseInterpretation]:
        """Who may be who, things borrowed from the verb after "i" included."""
        link = self._skip_comma(part.stop, open=part.open)
        for subject, goal in self._roles(part, around):
            yield ClauseInterpretation(subject, goal, part.by)
            if self.skeleton[link] == "&" and subject is not None and goal is None:
                if self.skeleton[part.verb] == "P" and not part.by:
                    yield ClauseInterpretation(subject, None, RAISED_HEADS, "by")
                elif self.skeleton[part.verb] == "A":
                    yield ClauseInterpretation(
                        subject, PolishNounPhrase(part.stop, RAISED_HEADS), part.by, "object"
                    )

    def _roles(
        self, part: PartialClause, around: ClauseOpening
    ) -> Iterator[tuple[PolishNounPhrase | None, PolishNounPhrase | None]]:
        """Subject and object, as far as there are any."""
        if around.shared:
            subject = PolishNounPhrase(0, around.shared, pronoun=-2)
            if len(part.nominals) < 2:
                yield subject, part.nominals[0] if part.nominals else None
        elif len(part.nominals) == 1:
            yield part.nominals[0], None
            if part.nominals[0].owned:
                yield None, part.nominals[0]
        elif len(part.nominals) == 2:
            yield from permutations(part.nominals)

    def _subject(
        self, part: PartialClause, subject: PolishNounPhrase | None, around: ClauseOpening
    ) -> Parts:
        """What the subject must be and what it says; a subject that was shared has its case from
        elsewhere.
        """
        if subject is None:
            return ()
        role = "patient" if self.skeleton[part.verb] == "P" else "agent"
        parts: Parts = (
            ChunkConstraint("agrees", part.verb, subject.heads),
            *make_statements((part.verb,), role, subject.heads),
        )
        if subject.pronoun >= 0:
            return (*parts, ChunkConstraint("relative", subject.pronoun, subject.heads, "nom"))
        return (
            parts if around.shared else (*parts, ChunkConstraint("case", 0, subject.heads, "nom"))
        )

    def _object(self, part: PartialClause, goal: PolishNounPhrase | None, subject: Heads) -> Parts:
        passive = self.skeleton[part.verb] == "P"
        frame = "clausal" if part.content else ("transitive" if goal or passive else "intransitive")
        parts: Parts = (ChunkConstraint("frame", part.verb, (), frame),)
        if goal is None:
            return parts
        parts += (ChunkConstraint("fits", part.verb, subject, "agent"),)
        if goal.pronoun >= 0:
            rule = ChunkConstraint("relative object", goal.pronoun, (part.verb, *goal.heads))
            return (*parts, rule, *make_statements((part.verb,), "patient", goal.heads))
        if goal.heads != RAISED_HEADS and self.skeleton[goal.heads[0]] == "R":
            return (
                *parts,
                PendingFact(part.verb, "reflexive", "patient"),
                *make_statements((part.verb,), "patient", subject),
            )
        return (
            *parts,
            ChunkConstraint("object", part.verb, goal.heads),
            *make_statements((part.verb,), "patient", goal.heads),
        )

    def _nominals(self, start: int) -> Iterator[PolishNounPhrase]:
        """A noun phrase with all that may follow its noun, or several joined by "i", with what may
        follow them all.
        """
        for one in self._single(start):
            yield one
            yield from self._pairs(one, one.heads)

    def _pairs(self, begun: PolishNounPhrase, last: Heads) -> Iterator[PolishNounPhrase]:
        link = self._skip_comma(begun.stop, open=begun.open)
        if self.skeleton[link] != "&":
            return
        for one in self._single(link + 1):
            statement = PendingFact(last[0], "and", one.heads[0])
            both = PolishNounPhrase(
                one.stop, begun.heads + one.heads, (*begun.parts, *one.parts, statement), one.open
            )
            yield both
            if not one.open:
                yield from self._add_modifiers(both)
            yield from self._pairs(both, one.heads)

    def _single(self, start: int) -> Iterator[PolishNounPhrase]:
        if self.skeleton[start] == "N":
            yield (bare := PolishNounPhrase(start + 1, (start,)))
            yield from self._add_modifiers(bare)

    def _add_modifiers(self, noun: PolishNounPhrase) -> Iterator[PolishNounPhrase]:
        """The noun, or nouns, with a genitive, modifiers and then perhaps a relative clause; at
        least one of them.
        """
        at = noun.stop
        kind = self.skeleton[at]
        if kind in "nN":
            for other in self.nominals(at + (kind == "n")):
                rule = (
                    ChunkConstraint("governs", at, other.heads)
                    if kind == "n"
                    else ChunkConstraint("case", 0, other.heads, "gen")
                )
                near = make_statements(noun.heads, at if kind == "n" else "of", other.heads)
                parts = (*noun.parts, *other.parts, rule, *near)
                yield (modified := PolishNounPhrase(other.stop, noun.heads, parts, other.open))
                if not other.open:
                    yield from self._add_modifiers(modified)
        elif self.skeleton[at : at + 2] == ",K":
            for clause in self._relatives(at + 1, noun.heads):
                linked = make_statements(noun.heads, "relative", clause.verbs)
                yield PolishNounPhrase(
                    clause.stop, noun.heads, noun.parts + clause.parts + linked, open=True
                )

    def _relatives(self, pronoun: int, heads: Heads) -> Iterator[PolishClause]:
        """A relative clause whose pronoun is an argument, or says whose something is."""
        yield from self.clauses(
            pronoun,
            ClauseOpening("relative", PolishNounPhrase(pronoun + 1, heads, pronoun=pronoun)),
        )
        for owned in self.nominals(pronoun + 1):
            parts: Parts = (
                ChunkConstraint("relative", pronoun, heads, "gen"),
                *make_statements(owned.heads, "of", heads),
            )
            parts += tuple(
                rule
                for one in owned.heads
                for rule in (
                    ChunkConstraint("fits", one, heads, "owner"),
                    ChunkConstraint("owned", one),
                )
            )
            yield from self.clauses(
                pronoun,
                ClauseOpening("relative", owned._replace(parts=owned.parts + parts, owned=True)),
            )
