"""Structures: rows of chunks that words are cut into, what a way to hang them together asks of the
words in them, and what it says once they are there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from lingprobe_extensions.compose.readings.reading import LemmaFact

Heads = tuple[int, ...]
# nouns that are only known when the verb that they are borrowed from has been read
RAISED_HEADS: Final[Heads] = (-1,)
# of a verb: all that the words of another verb say of that one, its adverbs apart
SAME_AS_VERB: Final = "="
_SHARED: Final = ("tense", "modal", "aspect", "polarity", "voice")


class WordChunk(NamedTuple):
    """Some words that can hang together in one way only: an adjective has no choice but the noun
    that it stands before.

    kind     the letter that the skeleton has for it
    lemma    of its head
    number   singular or plural, or None where it may be either
    traits   what rules ask about: classes and gender of a noun, frames of a verb, whether an adverb
             may stand late
    facts    what it says by itself; several sets where it has several readings of its own ("really
             often")
    words    what each of its words is: of which lemma, what, and which word where that is not the
             lemma's
    """

    kind: str
    lemma: str
    number: str | None = None
    traits: frozenset[str] = frozenset()
    facts: tuple[frozenset[LemmaFact], ...] = (frozenset(),)
    words: tuple[LemmaFact, ...] = ()


class ChunkConstraint(NamedTuple):
    """What must hold of the chunks at some places of the row; `name` is one of a grammar's
    rules.
    """

    name: str
    place: int
    others: Heads = ()
    detail: str = ""


class PendingFact(NamedTuple):
    """A fact in waiting: of the lemma at a place; `says` is a text or the place of a chunk whose
    lemma says it, and so is `value`.
    """

    of: int
    says: int | str
    value: int | str


Row = tuple[WordChunk, ...]
Parts = tuple[ChunkConstraint | PendingFact, ...]
Rules = Mapping[str, Callable[[Sequence[WordChunk], ChunkConstraint], bool]]


class ChunkStructure(NamedTuple):
    """A way to hang chunks together.

    rules    what must hold
    likely   what holds in the readings that are kept, if it holds in any
    facts    what it says beyond what each chunk says
    """

    rules: tuple[ChunkConstraint, ...]
    likely: tuple[ChunkConstraint, ...]
    facts: tuple[PendingFact, ...]


def make_statements(of: Iterable[int], says: int | str, values: Iterable[int]) -> Parts:
    """The same fact of each of some places, with each of some values."""
    values = tuple(values)
    return tuple(PendingFact(place, says, value) for place in of for value in values)


def collect_distinct_structures(
    part_lists: Iterable[Parts], likely: frozenset[str]
) -> tuple[ChunkStructure, ...]:
    """The structures with these parts, none twice."""
    return tuple(dict.fromkeys(_structure(each, likely) for each in part_lists))


def _structure(parts: Parts, likely: frozenset[str]) -> ChunkStructure:
    """Parts put in order, each once, so that the same structure found in two ways is the same
    value.
    """
    rules = sorted({part for part in parts if isinstance(part, ChunkConstraint)})
    facts = sorted({part for part in parts if isinstance(part, PendingFact)}, key=repr)
    return ChunkStructure(
        tuple(r for r in rules if r.name not in likely),
        tuple(r for r in rules if r.name in likely),
        tuple(facts),
    )


def resolve_facts(
    waiting: Sequence[PendingFact], chunks: Sequence[WordChunk]
) -> frozenset[LemmaFact]:
    """The facts, with the lemmas in their places."""
    facts = {
        LemmaFact(chunks[of].lemma, _resolve_text(says, chunks), _resolve_text(value, chunks))
        for of, says, value in waiting
        if says != SAME_AS_VERB
    }
    for of, says, value in waiting:
        if says == SAME_AS_VERB and isinstance(value, int):
            facts |= {
                fact._replace(of=chunks[of].lemma)
                for fact in chunks[value].facts[0]
                if fact.says in _SHARED
            }
    return frozenset(facts)


def replace_raised(structure_parts: Parts, heads: Heads) -> Parts:
    """The parts with nouns in the place of `RAISED_HEADS`."""
    if not heads:
        return structure_parts
    replaced: list[ChunkConstraint | PendingFact] = []
    for part in structure_parts:
        if isinstance(part, ChunkConstraint):
            replaced.append(part._replace(others=heads) if part.others == RAISED_HEADS else part)
        elif part.value == RAISED_HEADS[0]:
            replaced += (part._replace(value=head) for head in heads)
        else:
            replaced.append(part)
    return tuple(replaced)


def _resolve_text(value: int | str, chunks: Sequence[WordChunk]) -> str:
    return value if isinstance(value, str) else chunks[value].lemma


def get_number(chunks: Sequence[WordChunk], heads: Heads) -> str | None:
    """The number of nouns; joined ones are plural."""
    return "plural" if len(heads) > 1 else chunks[heads[0]].number


def fits_frame(chunks: Sequence[WordChunk], rule: ChunkConstraint) -> bool:
    """Whether a verb may stand in a frame."""
    return rule.detail in chunks[rule.place].traits


def cut_into_chunks(
    words: Sequence[str], beginning: Callable[[Sequence[str], int], Iterable[tuple[int, WordChunk]]]
) -> list[Row]:
    """All ways to cut words into chunks; `beginning` gives those that can begin at a word, each
    with the word after it.
    """
    cuts: dict[int, list[Row]] = {len(words): [()]}

    def after(start: int) -> list[Row]:
        if start not in cuts:
            cuts[start] = [
                (chunk, *rest) for stop, chunk in beginning(words, start) for rest in after(stop)
            ]
        return cuts[start]

    return after(0)


def verb_facts(
    verb: str, features: Mapping[str, str], ways: Iterable[tuple[str, ...]]
) -> tuple[frozenset[LemmaFact], ...]:
    """What a verb group says of its verb, once for each way to take its adverbs."""
    facts = {LemmaFact(verb, key, value) for key, value in features.items()}
    return tuple(
        frozenset(facts | {LemmaFact(verb, "adverb", adverb) for adverb in way}) for way in ways
    )


def may_grade(first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether an adverb may say how much another holds, by their traits: "really often"."""
    return "grading" in first and "degree" in second


def list_grades(
    adverbs: Sequence[str], graded: Callable[[str, str], bool]
) -> list[tuple[str, ...]]:
    """The ways to take adverbs in a row: each for itself, or one as the grade of the next, as in
    "really often".
    """
    if len(adverbs) < 2:
        return [tuple(adverbs)]
    first, second, *others = adverbs
    ways = [(first, *rest) for rest in list_grades(adverbs[1:], graded)]
    if graded(first, second):
        ways += [(f"{first} {second}", *rest) for rest in list_grades(others, graded)]
    return ways
