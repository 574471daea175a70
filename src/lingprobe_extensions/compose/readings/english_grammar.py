"""How a row of English chunks hangs together: all structures of a skeleton such as "NTNAPbN"; the
words are not looked at.

One letter a chunk: N a noun with what stands before it, R a reflexive, A and P an active and a
passive verb group, B a verb after "and" that shares the helping verbs before it, d an adverb, n a
preposition, t "to", b "by", T "that", W "who", H "which", & "and". A skeleton is parsed once,
however many sentences have it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

from lingprobe_extensions.compose.readings.structure import (
    RAISED_HEADS,
    SAME_AS_VERB,
    ChunkConstraint,
    ChunkStructure,
    Heads,
    Parts,
    PendingFact,
    collect_distinct_structures,
    make_statements,
    replace_raised,
)

# objects (in the passive, the subject is the first), "to", content -> frame, roles of the objects
_FRAMES = {
    (0, False, False): ("intransitive", ()),
    (1, False, False): ("transitive", ("patient",)),
    (2, False, False): ("ditransitive", ("recipient", "patient")),
    (1, True, False): ("to", ("patient",)),
    (0, True, False): ("speaking to", ()),
    (0, False, True): ("clausal", ()),
    (1, False, True): ("telling", ("recipient",)),
    (0, True, True): ("telling to", ()),
}

_LIKELY = frozenset({"fits"})


class EnglishNounPhrase(NamedTuple):
    """A noun phrase up to `stop`; several heads where nouns are joined."""

    stop: int
    heads: Heads
    parts: Parts = ()


class EnglishClause(NamedTuple):
    """A clause or a verb phrase up to `stop`; several verbs where they are joined.

    ends     what the last verb has after it: object, "to", "by"
    raised   which of these the verb borrows from the one joined to it: "was helped and praised by
             the man"
    """

    stop: int
    verbs: Heads
    parts: Parts = ()
    ends: tuple[tuple[str, Heads], ...] = ()
    raised: str = ""


class VerbPhraseContext(NamedTuple):
    """What the words before say about a verb phrase: its subject, the noun that a gap in it stands
    for, and what clause it is in.

    helped   the verb before "and" whose auxiliary it may share
    """

    subject: Heads
    gap: Heads
    clause: str
    helped: int = -1


class VerbTail(NamedTuple):
    """What has been read after a verb: objects, "to" and "by", and content clauses; `gap` is the
    noun whose gap has not come yet.
    """

    stop: int
    subject: Heads
    gap: Heads
    passive: bool
    objects: tuple[Heads, ...] = ()
    to: Heads = ()
    by: Heads = ()
    content: Heads = ()
    parts: Parts = ()
    raised: str = ""


@lru_cache(maxsize=1 << 14)
def list_english_structures(skeleton: str) -> tuple[ChunkStructure, ...]:
    """All structures of a skeleton, none twice."""
    clauses = _Parser(skeleton).clauses(0, VerbPhraseContext((), (), "main"))
    return collect_distinct_structures(
        (c.parts for c in clauses if c.stop == len(skeleton)), _LIKELY
    )


class _Parser:
    """The grammar over one skeleton; each question is answered once."""

    def __init__(self, skeleton: str) -> None:
        self.skeleton = skeleton + "."
        self.nominals = cache(lambda start: tuple(self._nominals(start)))
        self.phrases = cache(lambda start, around: tuple(self._phrases(start, around)))
        self.after = cache(lambda verb, tail: tuple(self._after(verb, tail)))

    def clauses(self, start: int, around: VerbPhraseContext) -> Iterator[EnglishClause]:
        """Subject and verb phrase."""
        for subject in self.nominals(start):
            for predicate in self.phrases(subject.stop, around._replace(subject=subject.heads)):
                yield predicate._replace(parts=subject.parts + predicate.parts)

    def _phrases(self, start: int, around: VerbPhraseContext) -> Iterator[EnglishClause]:
        """A verb phrase, or several that share their subject (and their gap), and perhaps what
        stands before and after them.
        """
        for first in self._simple_phrases(start, around):
            if not first.raised:
                yield first
            if self.skeleton[first.stop] == "&":
                verb = first.verbs[0]
                helped = verb if self.skeleton[verb] in "AP" else around.helped
                for second in self.phrases(first.stop + 1, around._replace(helped=helped)):
                    yield from self._join_clauses(first, second, range(start, verb))

    def _join_clauses(
        self, first: EnglishClause, second: EnglishClause, adverbs: range
    ) -> Iterator[EnglishClause]:
        """Two verb phrases as one: the adverbs before the first may be of the second, too, and what
        ends the second of the first.
        """
        ends = dict(second.ends)
        if first.raised and first.raised not in ends:
            return
        parts = (
            *replace_raised(first.parts, ends.get(first.raised, ())),
            *second.parts,
            PendingFact(first.verbs[0], "and", second.verbs[0]),
        )
        verbs = first.verbs + second.verbs
        for n in range(len(adverbs) + 1):
            shared = make_statements(second.verbs, "adverb", adverbs[:n])
            yield (both := EnglishClause(second.stop, verbs, parts + shared, second.ends))
            yield from self._add_adjuncts(both)

    def _add_adjuncts(self, clause: EnglishClause) -> Iterator[EnglishClause]:
        """Adverbs and places after joined verbs, of all of them."""
        kind, start = self.skeleton[clause.stop], clause.stop + 1
        nominals = (
            [EnglishNounPhrase(start, (clause.stop,), (ChunkConstraint("late", clause.stop),))]
            if kind == "d"
            else []
        )
        nominals += self.nominals(start) if kind == "n" else []
        for one in nominals:
            says = "adverb" if kind == "d" else clause.stop
            parts = clause.parts + one.parts + make_statements(clause.verbs, says, one.heads)
            yield (grown := clause._replace(stop=one.stop, parts=parts))
            yield from self._add_adjuncts(grown)

    def _simple_phrases(self, start: int, around: VerbPhraseContext) -> Iterator[EnglishClause]:
        verb = start
        while self.skeleton[verb] == "d":
            verb += 1
        kind = self.skeleton[verb]
        if kind not in "APB" or (kind == "B" and around.helped < 0):
            return
        verb_parts: Parts = (
            PendingFact(verb, "clause", around.clause),
            *make_statements((verb,), "adverb", range(start, verb)),
        )
        if kind == "B":
            kind = self.skeleton[around.helped]
            verb_parts += (
                ChunkConstraint("shares", verb, (around.helped,)),
                PendingFact(verb, SAME_AS_VERB, around.helped),
            )
        else:
            verb_parts += (ChunkConstraint("agrees", verb, around.subject),)
        passive = kind == "P"
        begun = VerbTail(
            verb + 1, around.subject, around.gap, passive, (around.subject,) if passive else ()
        )
        for tail in self._objects(verb, begun):
            if not tail.gap:
                ends = tuple(
                    (name, heads) for name, heads in (("to", tail.to), ("by", tail.by)) if heads
                )
                if len(tail.objects) > passive and tail.objects[-1] != around.gap:
                    ends += (("object", tail.objects[-1]),)
                for parts in self._argument_parts(verb, tail):
                    yield EnglishClause(
                        tail.stop, (verb,), verb_parts + tail.parts + parts, ends, tail.raised
                    )

    def _objects(self, verb: int, tail: VerbTail) -> Iterator[VerbTail]:
        """Objects, of which a gap may be one and the last may be borrowed, and then the rest."""
        yield from self.after(verb, tail)
        if len(tail.objects) < 2 and self.skeleton[tail.stop] == "&":
            yield tail._replace(objects=(*tail.objects, RAISED_HEADS), raised="object")
        if len(tail.objects) < 2:
            for nominal, gap in self._named_or_gap(tail.stop, tail.gap):
                grown = tail._replace(
                    stop=nominal.stop,
                    gap=gap,
                    objects=(*tail.objects, nominal.heads),
                    parts=tail.parts + nominal.parts,
                )
                yield from self._objects(verb, grown)

    def _after(self, verb: int, tail: VerbTail) -> Iterator[VerbTail]:
        """Adverbs, "himself" that stresses the subject, prepositions, "to", "by" and a content
        clause, in any order.
        """
        yield tail
        if self.skeleton[tail.stop] == "&":
            yield from self._raise_argument(tail)
        for grown in self._grown(verb, tail):
            yield from self.after(verb, grown)

    def _raise_argument(self, tail: VerbTail) -> Iterator[VerbTail]:
        """The tail with one thing more, which will be found after the verb that "and" joins."""
        if not tail.to:
            yield tail._replace(to=RAISED_HEADS, raised="to")
        if tail.passive and not tail.by:
            yield tail._replace(by=RAISED_HEADS, raised="by")

    def _grown(self, verb: int, tail: VerbTail) -> Iterator[VerbTail]:
        kind, start = self.skeleton[tail.stop], tail.stop + 1
        if kind == "d":
            late = (PendingFact(verb, "adverb", tail.stop), ChunkConstraint("late", tail.stop))
            yield tail._replace(stop=start, parts=tail.parts + late)
        elif kind == "R":
            stress = make_statements(tail.subject, "emphatic", (tail.stop,))
            yield tail._replace(
                stop=start,
                parts=(*tail.parts, ChunkConstraint("reflexive", tail.stop, tail.subject), *stress),
            )
        elif kind in "ntb":
            yield from self._complements(kind, verb, tail)
        elif kind == "T" and not tail.content:
            yield from self._contents(tail)

    def _complements(self, kind: str, verb: int, tail: VerbTail) -> Iterator[VerbTail]:
        """The tail with what a preposition, "to" or "by" begins."""
        if (kind == "t" and tail.to) or (kind == "b" and (tail.by or not tail.passive)):
            return
        for nominal, gap in self._named_or_gap(tail.stop + 1, tail.gap):
            grown = tail._replace(stop=nominal.stop, gap=gap, parts=tail.parts + nominal.parts)
            if kind == "n":
                place = make_statements((verb,), tail.stop, nominal.heads)
                yield grown._replace(parts=grown.parts + place)
            elif kind == "t":
                yield grown._replace(to=nominal.heads)
            else:
                yield grown._replace(by=nominal.heads)

    def _contents(self, tail: VerbTail) -> Iterator[VerbTail]:
        """The tail with a clause that "that" begins; the gap may be in it."""
        for gap in dict.fromkeys(((), tail.gap)):
            for clause in self.clauses(tail.stop + 1, VerbPhraseContext((), gap, "content")):
                yield tail._replace(
                    stop=clause.stop,
                    gap=() if gap else tail.gap,
                    content=clause.verbs,
                    parts=tail.parts + clause.parts,
                )

    def _named_or_gap(self, start: int, gap: Heads) -> Iterator[tuple[EnglishNounPhrase, Heads]]:
        """A noun phrase, a reflexive or the gap, if it has not come yet; and the gap that is still
        to come.
        """
        yield from ((nominal, gap) for nominal in self.nominals(start))
        if self.skeleton[start] == "R":
            yield EnglishNounPhrase(start + 1, (start,)), gap
        if gap:
            yield EnglishNounPhrase(start, gap), ()

    def _argument_parts(self, verb: int, tail: VerbTail) -> Iterator[Parts]:
        """What a verb with such a tail says of its arguments, once for each way to understand its
        reflexives.
        """
        framed = _FRAMES.get((len(tail.objects), bool(tail.to), bool(tail.content)))
        if framed is None:
            return
        frame, roles = framed
        filled = dict(zip(roles, tail.objects, strict=True))
        if tail.to:
            filled["recipient"] = tail.to
        agent = tail.by if tail.passive else tail.subject
        if agent:
            filled["agent"] = agent
        common: Parts = (
            ChunkConstraint("frame", verb, (), frame),
            *make_statements((verb,), "content", tail.content),
        )
        odd = {
            "recipient": "recipient",
            "patient": "gift" if frame == "ditransitive" else "patient",
        }
        common += tuple(
            ChunkConstraint("fits", verb, filled[role], name)
            for role, name in odd.items()
            if role in filled
        )
        named = [heads for heads in filled.values() if not self._reflexive(heads)]
        ways = [
            self._role_parts(verb, role, heads, tail.subject, named)
            for role, heads in filled.items()
        ]
        for way in product(*ways):
            yield common + tuple(part for parts in way for part in parts)

    def _role_parts(
        self, verb: int, role: str, heads: Heads, subject: Heads, named: list[Heads]
    ) -> list[Parts]:
        """What it says that something fills a role; a reflexive is one of the others, which must
        stand before it.
        """
        if not self._reflexive(heads):
            return [make_statements((verb,), role, heads)]
        before = dict.fromkeys((subject, *(other for other in named if other[0] < heads[0])))
        own = PendingFact(verb, "reflexive", role)
        return [
            (
                ChunkConstraint("reflexive", heads[0], other),
                own,
                *make_statements((verb,), role, other),
            )
            for other in before
        ]

    def _reflexive(self, heads: Heads) -> bool:
        return heads != RAISED_HEADS and self.skeleton[heads[0]] == "R"

    def _nominals(self, start: int) -> Iterator[EnglishNounPhrase]:
        """A noun phrase with all that may follow its noun, or several joined by "and", with what
        may follow them all.
        """
        for one in self._single(start):
            yield one
            yield from self._pairs(one, [one.heads])

    def _pairs(
        self, begun: EnglishNounPhrase, conjuncts: list[Heads]
    ) -> Iterator[EnglishNounPhrase]:
        if self.skeleton[begun.stop] != "&":
            return
        for one in self._single(begun.stop + 1):
            statement = (PendingFact(conjuncts[-1][0], "and", one.heads[0]),)
            both = EnglishNounPhrase(
                one.stop, begun.heads + one.heads, begun.parts + one.parts + statement
            )
            yield both
            yield from self._add_modifiers(both)
            yield from self._pairs(both, [*conjuncts, one.heads])

    def _single(self, start: int) -> Iterator[EnglishNounPhrase]:
        if self.skeleton[start] != "N":
            return
        yield (bare := EnglishNounPhrase(start + 1, (start,)))
        yield from self._add_modifiers(bare)
        if self.skeleton[start + 1] == "R":
            parts = (
                ChunkConstraint("reflexive", start + 1, (start,)),
                PendingFact(start, "emphatic", start + 1),
            )
            yield (stressed := EnglishNounPhrase(start + 2, (start,), parts))
            yield from self._add_modifiers(stressed)

    def _add_modifiers(self, noun: EnglishNounPhrase) -> Iterator[EnglishNounPhrase]:
        """The noun, or nouns, with modifiers and then perhaps a relative clause; at least one of
        them.
        """
        where, kind = noun.stop, self.skeleton[noun.stop]
        if kind == "n":
            for place in self.nominals(where + 1):
                near = make_statements(noun.heads, where, place.heads)
                yield (
                    modified := EnglishNounPhrase(
                        place.stop, noun.heads, noun.parts + place.parts + near
                    )
                )
                yield from self._add_modifiers(modified)
        elif kind in "TWH":
            for clause in self._relatives(where + 1, noun.heads):
                linked: Parts = (
                    ChunkConstraint("relative", where, noun.heads),
                    *make_statements(noun.heads, "relative", clause.verbs),
                )
                yield EnglishNounPhrase(clause.stop, noun.heads, noun.parts + clause.parts + linked)

    def _relatives(self, start: int, heads: Heads) -> Iterator[EnglishClause]:
        yield from self.phrases(start, VerbPhraseContext(heads, (), "relative"))
        yield from self.clauses(start, VerbPhraseContext((), heads, "relative"))
