"""All readings of a sentence, from its words alone.

Words are cut into chunks, and the letters of the chunks are a skeleton. All structures of a
skeleton are found once and kept, so a sentence costs the look-up of its chunks (kept, too) and the
rules of the structures that its skeleton has.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import product
from typing import NamedTuple, TypeVar

from lingprobe.data.core import DataProblem
from lingprobe.generation.readings import (
    english_chunks,
    english_grammar,
    polish_chunks,
    polish_grammar,
)
from lingprobe.generation.readings.reading import Reading, agreed
from lingprobe.generation.readings.structure import Chunk, Rules, Structure, stated
from lingprobe.generation.readings.words import Extra

Answer = TypeVar("Answer", bound=Hashable)


class Grammar(NamedTuple):
    """What a language brings: how words are cut, what structures a skeleton has, and what those ask
    of words.
    """

    rows: Callable[[Sequence[str], Extra], Sequence[tuple[Chunk, ...]]]
    structures: Callable[[str], Sequence[Structure]]
    rules: Rules


GRAMMARS = {
    "english": Grammar(
        english_chunks.english_rows, english_grammar.structures, english_chunks.RULES
    ),
    "polish": Grammar(polish_chunks.polish_rows, polish_grammar.structures, polish_chunks.RULES),
}


def readings(
    words: Sequence[str], language: str = "english", *, odd: bool = False, more: Extra = ()
) -> tuple[Reading, ...]:
    """All readings of a sentence, none twice; none at all where the words are no sentence of the
    language, as far as is known here.

    odd   whether to keep readings in which a thing is given something or does something although
          others are left without that: sentences that were generated without regard to selection
          may mean it
    more  words that the reader's own table lacks: forms with what they are
    """
    if language not in GRAMMARS:
        raise DataProblem(f"no readings of {language!r}; there are {', '.join(GRAMMARS)}")
    grammar = GRAMMARS[language]
    by_oddity: dict[int, dict[Reading, None]] = {}
    for chunks in grammar.rows(words, more):
        for structure in grammar.structures("".join(chunk.kind for chunk in chunks)):
            if all(grammar.rules[rule.name](chunks, rule) for rule in structure.rules):
                oddity = (
                    0
                    if odd
                    else sum(
                        not grammar.rules[rule.name](chunks, rule) for rule in structure.likely
                    )
                )
                by_oddity.setdefault(oddity, {}).update(dict.fromkeys(_readings(chunks, structure)))
    return tuple(by_oddity[min(by_oddity)]) if by_oddity else ()


def agreeing(
    words: Sequence[str],
    answer: Callable[[Reading], Answer | None],
    language: str = "english",
    *,
    more: Extra = (),
) -> Answer | None:
    """What all readings of a sentence answer; None where they differ, where one has no answer, or
    where there is no reading.
    """
    return agreed(readings(words, language, more=more), answer)


def _readings(chunks: tuple[Chunk, ...], structure: Structure) -> list[Reading]:
    """A reading for each way to take the chunks themselves."""
    facts, words = (
        stated(structure.facts, chunks),
        tuple(word for chunk in chunks for word in chunk.words),
    )
    return [
        Reading(facts.union(*way), words) for way in product(*(chunk.facts for chunk in chunks))
    ]
