"""A question, a request and sizes -> a data set of minimal pairs in which no rule is right more often than wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from sonde.core import DataProblem
from sonde.sources.events.cells import Cell
from sonde.sources.events.grammar import Bounds, Grammar, shapes
from sonde.sources.events.request import Request
from sonde.sources.events.shapes import Clause, Hole, Phrase, Slot, place
from sonde.sources.events.space import admitted
from sonde.tasks.comp.answers import Answer
from sonde.tasks.comp.asks import Asks
from sonde.tasks.comp.contrasts import Line, lines, schema
from sonde.tasks.comp.draw import Drawn, Pairs, Wanted, cell, domain, pairs, room, sample
from sonde.tasks.comp.rules import Rule
from sonde.tasks.comp.shares import Matrix, counted, shares
from sonde.tasks.comp.words import Part, anything, widened

EXACT, LOOSE = 2e-4, 0.1  # slack of balances that are to be zero, and of those that are to be near it
SOME, MANY, OFTEN = 32, 256, 0.015  # sentences by which contrasts are judged, and those that have such a share (words lie
# nearer or farther apart with forms and adverbs, so a contrast alone does not say how right a rule is)
NEW = 12  # about so many structures are held out for test


TWO_RELATIVES = Bounds(relatives=2, together=2)


@dataclass(frozen=True)
class Design:
    """What a question asks, and what must not give the answer away.

    asks      the contrasts of a structure
    request   what is asked of the generator beside words
    rules     rules that are right half of the time
    loosely   rules that are held near that where it costs no construction; strict sets hold them, too, and all pairs of rules
    single    whether one word is asked about
    adverbs   how often a clause has adverbs
    against   whether a rule that holds speaks for no
    new       how much structures may have that are held out for test; they have more than those of the request
    answer    what a reading of a sentence answers, where that is more than a matter of its words
    """

    asks: Asks
    request: Mapping[str, Any]
    rules: Mapping[str, Rule]
    loosely: Mapping[str, Rule]
    single: bool = False
    adverbs: float = 0.5
    against: bool = False
    new: Bounds = TWO_RELATIVES
    answer: Answer | None = None


class Judged(NamedTuple):
    """A contrast with what is asked about it and all sentences of its structure, the structure in words, and the balances of the rules."""

    wanted: Wanted
    schema: str
    balances: Matrix


class Made(NamedTuple):
    """The pairs of a part, with the structure of each run of them."""

    part: Part
    runs: tuple[tuple[str, Pairs], ...]

    def asked(self) -> dict[str, int]:
        """For each kind the words that are asked about, in bits."""
        found: dict[str, int] = {}
        for _, run in self.runs:
            for path in {path for question in run.questions for path in question.asked} if run.first else ():
                kind = run.contrast.kind(path)
                found[kind] = found.get(kind, 0) | sum(1 << int(number) for number in np.unique(run.values[path]))
        return found


@dataclass(frozen=True)
class Plan:
    """How a set is built, whatever its size and its seed.

    design        what is asked
    own           the request
    strict        whether all rules are held, and all pairs of them
    per_sentence  how many questions each sentence is asked
    memo, cells   what was found out about structures, and about parts of the space of sentences
    """

    design: Design
    own: Request
    strict: bool
    per_sentence: int
    memo: dict[bool, list[Judged]] = field(default_factory=dict, repr=False, compare=False)
    cells: dict[object, Cell] = field(default_factory=dict, repr=False, compare=False)

    @property
    def rules(self) -> dict[str, Rule]:
        """All rules by name."""
        return {**self.design.rules, **self.design.loosely}

    def structures(self, *, new: bool) -> list[Clause]:
        """The structures of the request, or those with two relative clauses that it lacks."""
        seen = list(shapes(self.own.grammar))
        if not new:
            return seen
        known = set(seen)
        fresh = (shape for shape in wider(self.own.grammar, self.design.new, embedded=self.strict) if shape not in known)
        found = [shape for shape in fresh if any(True for _ in self.design.asks(place(shape), self.own.language))]
        return found if self.strict else found[:: max(1, len(found) // NEW)]

    def judged(self, *, new: bool) -> list[Judged]:
        """All contrasts of these structures; those that would come often are judged by more sentences."""
        if new not in self.memo:
            found = [self._judge(wanted, SOME if self.rules else 1) for wanted in self._wanted(new)]
            for _ in range(2 if self.rules and found else 0):
                often = self.shares(found) > OFTEN
                found = [self._judge(f.wanted, MANY) if more else f for f, more in zip(found, often.tolist(), strict=True)]
            self.memo[new] = found
        return self.memo[new]

    def _wanted(self, new: bool) -> Iterator[Wanted]:
        every, part = widened(self.own), anything(self.own)
        for shape in self.structures(new=new):
            known = admitted(shape, every)
            if known is None:
                continue
            for contrast in self.design.asks(place(shape), every.language):
                wanted = Wanted(contrast, contrast.questions[: self.per_sentence], part, known)
                if all(domain(wanted).values()) and cell(wanted, self.cells).size:
                    yield wanted

    def _judge(self, wanted: Wanted, n: int) -> Judged:
        found = lines(wanted.contrast, sample(cell(wanted, self.cells), wanted.contrast, n, self.design.adverbs))
        return Judged(wanted, schema(next(iter(found))[0]), self._balances(wanted, found))

    def filled(self, part: Part, drawn: Drawn) -> list[Judged]:
        """The contrasts that a part has words for."""
        found = (f._replace(wanted=f.wanted._replace(part=part)) for f in self.judged(new=part.name == "structures"))
        return [f for f in found if all(domain(f.wanted).values()) and room(f.wanted, cell(f.wanted, drawn.cells))]

    def shares(self, found: Sequence[Judged]) -> Matrix:
        """How often each comes."""
        return shares(self._weighed(found), np.concatenate([self._slack(), np.full(_kinds(found).shape[1], EXACT)]))

    def _weighed(self, found: Sequence[Judged]) -> Matrix:
        """The balances that are to be zero or near it."""
        return np.hstack([np.stack([f.balances for f in found]), _kinds(found)])

    def made(self, part: Part, items: int, drawn: Drawn, number: int) -> Made:
        """So many items of a part, whole pairs; too few sentences are an error."""
        found = self.filled(part, drawn)
        if not found:
            raise DataProblem(f"no structure of the request has anything to ask in {part.name}; widen frames, voices or at_most")
        weights = self.shares(found)
        asked = np.array([len(f.wanted.questions) for f in found])
        counts = counted(weights, max(1, round(items / 2 / float(asked @ weights))), self._weighed(found))
        runs = []
        for k, (one, n) in enumerate(zip(found, counts.tolist(), strict=True)):
            run = pairs(one.wanted, n, (number, k), drawn)
            if len(run.first) < n:
                raise DataProblem(
                    f"{n:,} pairs of {one.schema!r} are asked for in {part.name}, and its words and forms give {len(run.first):,}; "
                    "ask for fewer sentences, or for more words or forms"
                )
            runs.append((one.schema, run))
        return Made(part, tuple(runs))

    def _slack(self) -> Matrix:
        """How far each balance may be from zero: those of the rules, and of each two of them."""
        n, more = len(self.design.rules), len(self.design.loosely)
        if self.strict:
            return np.full((n + more) * (n + more + 1) // 2, EXACT)
        return np.array([*[EXACT] * n, *[LOOSE] * more])

    def _balances(self, wanted: Wanted, found: Counter[tuple[Line, Line]]) -> Matrix:
        """For each rule, in strict sets then for each two, how much oftener they say yes where that is right, over one pair's questions."""
        total = np.zeros(len(self._slack()))
        for (first, second), n in found.items():
            for question in wanted.questions:
                sign = n if question.first != self.design.against else -n
                total += sign * self._said(first, question.asked)
                total -= sign * self._said(second, tuple(map(wanted.contrast.swap.moved, question.asked)))
        return total / found.total()

    def _said(self, line: Line, asked: tuple[str, ...]) -> Matrix:
        """What each rule says, 1 for yes, and in strict sets where each two of them do; nothing where an asked word is not there."""
        if not set(asked) <= set(line.paths):
            return np.zeros(len(self._slack()))
        places = tuple(map(line.at, asked))
        alone = [float(rule(line.tags, places)) for rule in self.rules.values()]
        return np.array([*alone, *((a * b for a, b in combinations(alone, 2)) if self.strict else ())])


def _kinds(found: Sequence[Judged]) -> Matrix:
    """Balances that are zero where every kind of no has the same share, and as often stands for yes where yes has kinds too."""
    asked = [f.wanted.questions for f in found]
    kinds = sorted({q.negative for questions in asked for q in questions})
    even = [[sum((q.negative == kind) - 1 / len(kinds) for q in questions) for kind in kinds] for questions in asked]
    crossed = [[sum((q.positive == kind) - (q.negative == kind) for q in questions if q.positive) for kind in kinds] for questions in asked]
    return np.hstack([np.array(even, float), np.array(crossed, float)])


def wider(grammar: Grammar, bounds: Bounds, *, embedded: bool) -> Iterator[Clause]:
    """Structures within bounds, with relative clauses perhaps in one another; not all, so that there are not too many.

    Embedded twice they are hard to read, but strict sets cannot do without.
    """
    some = shapes(replace(grammar, bounds=bounds, voices=("active",), inner=("transitive",), depth=2))
    return (shape for shape in some if embedded or not any(_embedded(slot) for slot in (shape.agent, shape.patient)))


def _embedded(slot: Slot | None) -> bool:
    """Whether a clause stands in the middle of another in the middle of a third: "the man that the woman that slept met left"."""
    inner = slot.relative if isinstance(slot, Phrase) else None
    if inner is None or inner.voice == "passive" or inner.patient is not Hole.GAP:
        return False
    return isinstance(inner.agent, Phrase) and inner.agent.relative is not None
