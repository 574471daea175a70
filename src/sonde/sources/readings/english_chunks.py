"""English words to chunks: nouns with what stands before them, verb groups, and the small words between.

Most strings are cut in one way; where words are ambiguous ("cook", "really often") in several, each a row of chunks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from sonde.sources.readings.english_forms import article
from sonde.sources.readings.english_rules import SHARING
from sonde.sources.readings.english_words import DETERMINERS, HELPERS, LINKS, MODALS, REFLEXIVES, english_words
from sonde.sources.readings.reading import Fact
from sonde.sources.readings.rows import Row, grades, rows
from sonde.sources.readings.structure import Chunk
from sonde.sources.readings.words import Word

NEXT = {  # what is wanted, the form that comes -> what is wanted then, and what that adds
    ("base", "have"): ("participle", "perfect"),
    ("base", "be"): ("predicate", ""),
    ("participle", "been"): ("predicate", "perfect"),
    ("predicate", "being"): ("passive", "progressive"),
}
ENDS = {  # what is wanted, the form of the verb -> what that adds; a verb group ends with it
    ("plain", "base"): (),
    ("base", "base"): (),
    ("participle", "participle"): ("perfect",),
    ("predicate", "ing"): ("progressive",),
    ("predicate", "participle"): ("passive",),
    ("passive", "participle"): ("passive",),
}
FINITE = {"base": ("present", "plural"), "singular": ("present", "singular"), "past": ("past", None)}


def english_rows(words: Sequence[str]) -> list[Row]:
    """All ways to cut English words into chunks."""
    return rows(words, _chunks)


def _chunks(words: Sequence[str], start: int) -> Iterator[tuple[int, Chunk]]:
    """The chunks that can begin at a word, with the word after each."""
    small, kinds = _opening(words[start])
    yield from ((start + 1, chunk) for chunk in small)
    if "determiner" in kinds:
        first = 2 if words[start] == "not" else 1
        for stop in _noun_stops(words, start + first):
            yield from ((stop, chunk) for chunk in _nouns((" ".join(words[start : start + first]), *words[start + first : stop])))
    if "verb" in kinds:
        stop = _verb_stop(words, start)
        yield from ((stop, chunk) for chunk in _verbs(tuple(words[start:stop])))
        if _joined(words, start):
            yield from ((start + 1, chunk) for chunk in _bare(words[start]))
    if start + 1 < len(words) and _graded(words[start], words[start + 1]):
        yield start + 2, Chunk("d", f"{words[start]} {words[start + 1]}", traits=_opening(words[start + 1])[1])


@cache
def _opening(word: str) -> tuple[tuple[Chunk, ...], frozenset[str]]:
    """The chunks that a word is by itself, and the kinds of longer ones that it may begin."""
    small = [Chunk(LINKS[word], word)] if word in LINKS else []
    if word in REFLEXIVES:
        small.append(Chunk("R", word, traits=frozenset({REFLEXIVES[word]})))
    found = english_words().get(word, ())
    small += [Chunk("n", word) for entry in found if entry.kind == "preposition"]
    small += [Chunk("d", word, traits=entry.traits) for entry in found if entry.kind == "adverb"]
    kinds = {kind for entry in found for kind in (entry.kind, *entry.traits)}
    kinds |= {"determiner"} if word in DETERMINERS or word == "not" else set()
    kinds |= {"verb"} if word in MODALS or word in HELPERS else set()
    return tuple(small), frozenset(kinds)


def _graded(first: str, second: str) -> bool:
    """Whether an adverb may say how much another holds: "really often"."""
    return "grading" in _opening(first)[1] and "degree" in _opening(second)[1]


def _noun_stops(words: Sequence[str], at: int) -> Iterator[int]:
    """Where a noun that a determiner begins may end: after nouns that only adjectives come before."""
    while at < len(words):
        kinds = _opening(words[at])[1]
        at += 1
        if "noun" in kinds:
            yield at
        if "adjective" not in kinds:
            return


@lru_cache(maxsize=1 << 15)
def _nouns(words: tuple[str, ...]) -> tuple[Chunk, ...]:
    """Determiner, adjectives and noun, in each number that all of them allow."""
    first, *adjectives, noun = words
    determiner, numbers = DETERMINERS.get(first, ("", ()))
    if determiner == "a" and article(words[1]) != first:
        return ()
    found = []
    for _, lemma, number, traits in (entry for entry in english_words()[noun] if entry.kind == "noun"):
        if number in numbers:
            facts = {Fact(lemma, "number", number), Fact(lemma, "determiner", determiner)}
            facts |= {Fact(lemma, "adjective", adjective) for adjective in adjectives}
            found.append(Chunk("N", lemma, number, traits, (frozenset(facts),)))
    return tuple(found)


def _verb_stop(words: Sequence[str], at: int) -> int:
    """The word after a verb group: a verb, or helping words and whatever is between them and the verb."""
    if words[at] in MODALS or words[at] in HELPERS:
        at += 1
        while at < len(words) - 1 and (words[at] in ("not", "have", "be", "been", "being") or _adverbs(words[at])):
            at += 1
    return min(at + 1, len(words))


@cache
def _adverbs(word: str) -> list[Word]:
    return [found for found in english_words().get(word, ()) if found.kind == "adverb"]


@lru_cache(maxsize=1 << 15)
def _verbs(words: tuple[str, ...]) -> tuple[Chunk, ...]:
    """Verb groups: a finite verb, or helping words, "not", adverbs and a verb in a row that English allows."""
    if words[0] in MODALS:
        return tuple(_helped(words[1:], "base", {"modal": words[0]}, None))
    if words[0] in HELPERS:
        lemma, tense, number = HELPERS[words[0]]
        wanted = {"do": "plain", "have": "participle", "be": "predicate"}[lemma]
        return tuple(_helped(words[1:], wanted, {"tense": tense}, number))
    found = []
    for verb in _main(words[0]):
        if verb.form in FINITE:
            tense, number = FINITE[verb.form]
            said = {"tense": tense, "aspect": "simple", "polarity": "positive", "voice": "active"}
            found.append(_group(verb, "A", number, said, [()]))
    return tuple(found)


def _helped(words: tuple[str, ...], wanted: str, said: dict[str, str], number: str | None) -> Iterator[Chunk]:
    """Verb groups that begin with a helping word; these words come after it."""
    added, adverbs, negative = [], [], False
    for word in words[:-1]:
        if word == "not" and not negative:
            negative = True
        elif (wanted, word) in NEXT:
            wanted, more = NEXT[wanted, word]
            added.append(more)
        elif _adverbs(word):
            adverbs.append(word)
        else:
            return
    for verb in _main(words[-1]) if words else ():
        if (wanted, verb.form) in ENDS:
            parts = [*added, *ENDS[wanted, verb.form]]
            aspect = " ".join(part for part in ("perfect", "progressive") if part in parts) or "simple"
            voice = "passive" if "passive" in parts else "active"
            polarity = "negative" if negative else "positive"
            told = {**said, "aspect": aspect, "polarity": polarity, "voice": voice}
            sharing = verb._replace(traits=verb.traits | {SHARING + verb.form})
            yield _group(sharing, voice[0].upper(), number, told, grades(adverbs, _graded))


def _joined(words: Sequence[str], at: int) -> bool:
    """Whether "and" stands before a word, or before the adverbs before it."""
    while at > 0 and _adverbs(words[at - 1]):
        at -= 1
    return at > 0 and words[at - 1] == "and"


@cache
def _bare(word: str) -> tuple[Chunk, ...]:
    """Verbs that would share the helping verbs of another: "has helped the man and seen the woman"."""
    forms = [verb for verb in _main(word) if verb.form in ("base", "participle", "ing")]
    return tuple(Chunk("B", verb.lemma, traits=verb.traits | {SHARING + verb.form}) for verb in forms)


def _main(word: str) -> list[Word]:
    return [found for found in english_words().get(word, ()) if found.kind == "verb"]


def _group(verb: Word, kind: str, number: str | None, said: dict[str, str], adverbs: Sequence[tuple[str, ...]]) -> Chunk:
    facts = {Fact(verb.lemma, key, value) for key, value in said.items()}
    each = tuple(frozenset(facts | {Fact(verb.lemma, "adverb", adverb) for adverb in way}) for way in adverbs)
    return Chunk(kind, verb.lemma, number, verb.traits, each)
