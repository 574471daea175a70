"""All readings of a sentence, from its words alone.

Words are cut into chunks, and the letters of the chunks are a skeleton. All structures of a
skeleton are found once and kept, so a sentence costs the look-up of its chunks (kept, too) and the
rules of the structures that its skeleton has.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import product
from typing import NamedTuple, TypeVar

from lingprobe import DataProblem
from lingprobe_extensions.compose.readings import (
    english_chunks,
    english_grammar,
    english_words,
    polish_chunks,
    polish_grammar,
)
from lingprobe_extensions.compose.readings.reading import SentenceReading, common_answer
from lingprobe_extensions.compose.readings.structure import (
    ChunkStructure,
    Rules,
    WordChunk,
    resolve_facts,
)
from lingprobe_extensions.compose.readings.words import Extra, UserLexeme

Answer = TypeVar("Answer", bound=Hashable)


class ReadingGrammar(NamedTuple):
    """What reads a language: how words are cut, what structures a skeleton has, and what those ask
    of words.

    markers  words before a noun -> the role that they mark, as "by"
    denying  determiners of which nothing is left, as "no"
    further  words of a user's table as this reader has words; None where it can read none
    """

    rows: Callable[[Sequence[str], Extra], Sequence[tuple[WordChunk, ...]]]
    structures: Callable[[str], Sequence[ChunkStructure]]
    rules: Rules
    markers: Mapping[str, str] = {}
    denying: frozenset[str] = frozenset()
    further: Callable[[Iterable[UserLexeme]], Extra] | None = None


READING_GRAMMARS: Mapping[str, ReadingGrammar] = {
    "english": ReadingGrammar(
        english_chunks.english_rows,
        english_grammar.list_english_structures,
        english_chunks.ENGLISH_CHUNK_RULES,
        {"by": "agent", "to": "recipient"},
        frozenset({"no", "not one"}),
        english_words.add_user_words,
    ),
    "polish": ReadingGrammar(
        polish_chunks.polish_rows,
        polish_grammar.list_polish_structures,
        polish_chunks.POLISH_CHUNK_RULES,
        {"przez": "agent"},
    ),
}
"""The readers that are built in, by name."""


def get_grammar(reader: str | ReadingGrammar) -> ReadingGrammar:
    """A reader by name, or itself; DataProblem where there is none."""
    if isinstance(reader, ReadingGrammar):
        return reader
    if reader not in READING_GRAMMARS:
        raise DataProblem(f"no readings of {reader!r}; there are {', '.join(READING_GRAMMARS)}")
    return READING_GRAMMARS[reader]


def find_readings(
    words: Sequence[str],
    reader: str | ReadingGrammar = "english",
    *,
    odd: bool = False,
    extra_words: Extra = (),
) -> tuple[SentenceReading, ...]:
    """All readings of a sentence, none twice; none at all where the words are no sentence of the
    language, as far as the reader knows.

    odd          whether to keep readings in which a thing is given something or does something
                 although others are left without that: sentences that were generated without regard
                 to selection may mean it
    extra_words  words that the reader's own table lacks: forms with what they are
    """
    reads = get_grammar(reader)
    by_oddity: dict[int, dict[SentenceReading, None]] = {}
    for chunks in reads.rows(words, extra_words):
        for structure in reads.structures("".join(chunk.kind for chunk in chunks)):
            if all(reads.rules[rule.name](chunks, rule) for rule in structure.rules):
                oddity = (
                    0
                    if odd
                    else sum(not reads.rules[rule.name](chunks, rule) for rule in structure.likely)
                )
                by_oddity.setdefault(oddity, {}).update(
                    dict.fromkeys(_readings(chunks, structure, reads.denying))
                )
    return tuple(by_oddity[min(by_oddity)]) if by_oddity else ()


def find_agreed_answer(
    words: Sequence[str],
    answer: Callable[[SentenceReading], Answer | None],
    reader: str | ReadingGrammar = "english",
    *,
    extra_words: Extra = (),
) -> Answer | None:
    """What all readings of a sentence answer; None where they differ, where one has no answer, or
    where there is no reading.
    """
    return common_answer(find_readings(words, reader, extra_words=extra_words), answer)


def _readings(
    chunks: tuple[WordChunk, ...], structure: ChunkStructure, denying: frozenset[str]
) -> list[SentenceReading]:
    """A reading for each way to take the chunks themselves."""
    facts, words = (
        resolve_facts(structure.facts, chunks),
        tuple(word for chunk in chunks for word in chunk.words),
    )
    return [
        SentenceReading(facts.union(*way), words, denying)
        for way in product(*(chunk.facts for chunk in chunks))
    ]
