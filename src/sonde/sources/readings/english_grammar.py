"""How a row of English chunks hangs together: all structures of a skeleton such as "NTNAPbN"; the words are not looked at.

One letter a chunk: N a noun with what stands before it, R a reflexive, A and P an active and a passive verb group, d an adverb,
n a preposition, t "to", b "by", T "that", W "who", H "which", & "and". A skeleton is parsed once, however many sentences have it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

from sonde.sources.readings.structure import Heads, Parts, Rule, Said, Structure, structure

FRAMES = {  # objects (in the passive, the subject is the first), "to", content -> frame, roles of the objects
    (0, False, False): ("intransitive", ()),
    (1, False, False): ("transitive", ("patient",)),
    (2, False, False): ("ditransitive", ("recipient", "patient")),
    (1, True, False): ("to", ("patient",)),
    (0, True, False): ("speaking to", ()),
    (0, False, True): ("clausal", ()),
    (1, False, True): ("telling", ("recipient",)),
    (0, True, True): ("telling to", ()),
}

LIKELY = frozenset({"fits"})


class Nominal(NamedTuple):
    """A noun phrase up to `stop`; several heads where nouns are joined."""

    stop: int
    heads: Heads
    parts: Parts = ()


class Clause(NamedTuple):
    """A clause or a verb phrase up to `stop`; several verbs where they are joined."""

    stop: int
    verbs: Heads
    parts: Parts = ()


class Around(NamedTuple):
    """What the words before say about a verb phrase: its subject, the noun that a gap in it stands for, and what clause it is in."""

    subject: Heads
    gap: Heads
    clause: str


class Tail(NamedTuple):
    """What has been read after a verb: objects, "to" and "by", and content clauses; `gap` is the noun whose gap has not come yet."""

    stop: int
    subject: Heads
    gap: Heads
    objects: tuple[Heads, ...] = ()
    to: Heads = ()
    by: Heads = ()
    content: Heads = ()
    parts: Parts = ()


@lru_cache(maxsize=1 << 16)
def structures(skeleton: str) -> tuple[Structure, ...]:
    """All structures of a skeleton, none twice."""
    clauses = _Parser(skeleton).clauses(0, Around((), (), "main"))
    found = (structure(clause.parts, LIKELY) for clause in clauses if clause.stop == len(skeleton))
    return tuple(dict.fromkeys(found))


class _Parser:
    """The grammar over one skeleton; each question is answered once."""

    def __init__(self, skeleton: str) -> None:
        self.skeleton = skeleton + "."
        self.nominals = cache(lambda start: tuple(self._nominals(start)))
        self.phrases = cache(lambda start, around: tuple(self._phrases(start, around)))
        self.after = cache(lambda verb, tail: tuple(self._after(verb, tail)))

    def clauses(self, start: int, around: Around) -> Iterator[Clause]:
        """Subject and verb phrase."""
        for subject in self.nominals(start):
            for found in self.phrases(subject.stop, around._replace(subject=subject.heads)):
                yield found._replace(parts=subject.parts + found.parts)

    def _phrases(self, start: int, around: Around) -> Iterator[Clause]:
        """A verb phrase, or several that share their subject (and their gap)."""
        for first in self._simple_phrases(start, around):
            yield first
            if self.skeleton[first.stop] == "&":
                for second in self.phrases(first.stop + 1, around):
                    joined = Said(first.verbs[0], "and", second.verbs[0])
                    yield Clause(second.stop, first.verbs + second.verbs, (*first.parts, joined, *second.parts))

    def _simple_phrases(self, start: int, around: Around) -> Iterator[Clause]:
        verb = start
        while self.skeleton[verb] == "d":
            verb += 1
        if self.skeleton[verb] not in "AP":
            return
        told: Parts = (Rule("agrees", verb, around.subject), Said(verb, "clause", around.clause))
        told += tuple(Said(verb, "adverb", adverb) for adverb in range(start, verb))
        objects = (around.subject,) if self.skeleton[verb] == "P" else ()
        for tail in self._objects(verb, Tail(verb + 1, around.subject, around.gap, objects)):
            if not tail.gap:
                yield from (Clause(tail.stop, (verb,), told + tail.parts + parts) for parts in self._framed(verb, tail))

    def _objects(self, verb: int, tail: Tail) -> Iterator[Tail]:
        """Objects, of which a gap may be one, and then the rest."""
        yield from self.after(verb, tail)
        if len(tail.objects) < 2:
            for found, gap in self._named_or_gap(tail.stop, tail.gap):
                grown = tail._replace(stop=found.stop, gap=gap, objects=(*tail.objects, found.heads), parts=tail.parts + found.parts)
                yield from self._objects(verb, grown)

    def _after(self, verb: int, tail: Tail) -> Iterator[Tail]:
        """Adverbs, "himself" that stresses the subject, prepositions, "to", "by" and a content clause, in any order."""
        yield tail
        for grown in self._grown(verb, tail):
            yield from self.after(verb, grown)

    def _grown(self, verb: int, tail: Tail) -> Iterator[Tail]:
        kind, start = self.skeleton[tail.stop], tail.stop + 1
        if kind == "d":
            told: Parts = (Said(verb, "adverb", tail.stop), Rule("late", tail.stop))
            yield tail._replace(stop=start, parts=tail.parts + told)
        elif kind == "R":
            stress = (Said(head, "emphatic", tail.stop) for head in tail.subject)
            yield tail._replace(stop=start, parts=(*tail.parts, Rule("reflexive", tail.stop, tail.subject), *stress))
        elif kind == "n" or (kind == "t" and not tail.to) or (kind == "b" and not tail.by and self.skeleton[verb] == "P"):
            for found, gap in self._named_or_gap(start, tail.gap):
                grown = tail._replace(stop=found.stop, gap=gap, parts=tail.parts + found.parts)
                if kind == "n":
                    yield grown._replace(parts=grown.parts + tuple(Said(verb, tail.stop, head) for head in found.heads))
                else:
                    yield grown._replace(to=found.heads) if kind == "t" else grown._replace(by=found.heads)
        elif kind == "T" and not tail.content:
            for gap in dict.fromkeys(((), tail.gap)):
                for clause in self.clauses(start, Around((), gap, "content")):
                    left = () if gap else tail.gap
                    yield tail._replace(stop=clause.stop, gap=left, content=clause.verbs, parts=tail.parts + clause.parts)

    def _named_or_gap(self, start: int, gap: Heads) -> Iterator[tuple[Nominal, Heads]]:
        """A noun phrase, a reflexive or the gap, if it has not come yet; and the gap that is still to come."""
        yield from ((found, gap) for found in self.nominals(start))
        if self.skeleton[start] == "R":
            yield Nominal(start + 1, (start,)), gap
        if gap:
            yield Nominal(start, gap), ()

    def _framed(self, verb: int, tail: Tail) -> Iterator[Parts]:
        """What a verb with such a tail says of its arguments, once for each way to understand its reflexives."""
        framed = FRAMES.get((len(tail.objects), bool(tail.to), bool(tail.content)))
        if framed is None:
            return
        frame, roles = framed
        passive = self.skeleton[verb] == "P"
        filled = dict(zip(roles, tail.objects, strict=True))
        if tail.to:
            filled["recipient"] = tail.to
        agent = tail.by if passive else tail.subject
        if agent:
            filled["agent"] = agent
        told: Parts = (Rule("frame", verb, (), frame), *(Said(verb, "content", inner) for inner in tail.content))
        odd = {"recipient": "recipient", "patient": "gift" if frame == "ditransitive" else "patient"}
        told += tuple(Rule("fits", verb, filled[role], name) for role, name in odd.items() if role in filled)
        named = [heads for heads in filled.values() if not self._reflexive(heads)]
        ways = [self._filled(verb, role, heads, tail.subject, named) for role, heads in filled.items()]
        for way in product(*ways):
            yield told + tuple(part for parts in way for part in parts)

    def _filled(self, verb: int, role: str, heads: Heads, subject: Heads, named: list[Heads]) -> list[Parts]:
        """What it says that something fills a role; a reflexive is one of the others, which must stand before it."""
        if not self._reflexive(heads):
            return [tuple(Said(verb, role, head) for head in heads)]
        before = dict.fromkeys((subject, *(other for other in named if other[0] < heads[0])))
        own = Said(verb, "reflexive", role)
        return [(Rule("reflexive", heads[0], other), own, *(Said(verb, role, head) for head in other)) for other in before]

    def _reflexive(self, heads: Heads) -> bool:
        return self.skeleton[heads[0]] == "R"

    def _nominals(self, start: int) -> Iterator[Nominal]:
        """A noun phrase with all that may follow its noun, or several joined by "and", with what may follow them all."""
        for one in self._single(start):
            yield one
            yield from self._joined(one, [one.heads])

    def _joined(self, begun: Nominal, conjuncts: list[Heads]) -> Iterator[Nominal]:
        if self.skeleton[begun.stop] != "&":
            return
        for one in self._single(begun.stop + 1):
            told = (Said(conjuncts[-1][0], "and", one.heads[0]),)
            both = Nominal(one.stop, begun.heads + one.heads, begun.parts + one.parts + told)
            yield both
            yield from self._followed(both)
            yield from self._joined(both, [*conjuncts, one.heads])

    def _single(self, start: int) -> Iterator[Nominal]:
        if self.skeleton[start] != "N":
            return
        yield (bare := Nominal(start + 1, (start,)))
        yield from self._followed(bare)
        if self.skeleton[start + 1] == "R":
            told = (Rule("reflexive", start + 1, (start,)), Said(start, "emphatic", start + 1))
            yield (stressed := Nominal(start + 2, (start,), told))
            yield from self._followed(stressed)

    def _followed(self, noun: Nominal) -> Iterator[Nominal]:
        """The noun, or nouns, with modifiers and then perhaps a relative clause; at least one of them."""
        where, kind = noun.stop, self.skeleton[noun.stop]
        if kind == "n":
            for place in self.nominals(where + 1):
                near = tuple(Said(head, where, other) for head in noun.heads for other in place.heads)
                yield (found := Nominal(place.stop, noun.heads, noun.parts + place.parts + near))
                yield from self._followed(found)
        elif kind in "TWH":
            for clause in self._relatives(where + 1, noun.heads):
                linked: Parts = (Rule("relative", where, noun.heads), *(Said(h, "relative", v) for h in noun.heads for v in clause.verbs))
                yield Nominal(clause.stop, noun.heads, noun.parts + clause.parts + linked)

    def _relatives(self, start: int, heads: Heads) -> Iterator[Clause]:
        yield from self.phrases(start, Around(heads, (), "relative"))
        yield from self.clauses(start, Around((), heads, "relative"))
