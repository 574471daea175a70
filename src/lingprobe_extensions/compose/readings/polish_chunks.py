"""Polish words to chunks (nouns with what agrees with them, verb groups, relative pronouns, and the
small words and commas between), and what structures ask of chunks.

A noun that may have several numbers is a chunk for each; its cases are traits, for the grammar to
choose from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from lingprobe import DataProblem
from lingprobe_extensions.compose.readings.polish_words import (
    POLISH_GENDERS,
    PolishAnalysis,
    polish_words,
)
from lingprobe_extensions.compose.readings.reading import LemmaFact
from lingprobe_extensions.compose.readings.structure import (
    ChunkConstraint,
    Heads,
    Row,
    Rules,
    WordChunk,
    cut_into_chunks,
    fits_frame,
    get_number,
    list_grades,
    may_grade,
    verb_facts,
)
from lingprobe_extensions.compose.readings.words import Extra

_ORDER = ("m1", "m2", "m3", "f", "n")


def _gender(chunk: WordChunk) -> str:
    return next(gender for gender in _ORDER if gender in chunk.traits)


def _genders(chunks: Sequence[WordChunk], heads: Heads) -> set[str]:
    """The genders that agree with nouns: for joined ones m1 if there is a man, perhaps if there is
    a male animal and a person.
    """
    genders = {_gender(chunks[head]) for head in heads}
    if len(heads) == 1:
        return genders
    if "m1" in genders:
        return {"m1"}
    people = any("person" in chunks[head].traits for head in heads)
    return {"f", "m1"} if people and genders & {"m2", "m3"} else {"f"}


def _agrees(chunks: Sequence[WordChunk], rule: ChunkConstraint) -> bool:
    """Whether a verb has the number, and in the past the gender, of its subject."""
    verb = chunks[rule.place]
    return verb.number == get_number(chunks, rule.others) and bool(
        _genders(chunks, rule.others) & verb.traits
    )


def _case(chunks: Sequence[WordChunk], rule: ChunkConstraint) -> bool:
    """Whether nouns can have a case."""
    return all(rule.detail in chunks[head].traits for head in rule.others)


def _object(chunks: Sequence[WordChunk], rule: ChunkConstraint) -> bool:
    """Whether nouns can be the object of the verb at a place: genitive where it is negated."""
    case = _objective(chunks[rule.place])
    return all(chunks[head].kind == "R" or case in chunks[head].traits for head in rule.others)


def _objective(verb: WordChunk) -> str:
    return "gen" if "negated" in verb.traits else "acc"


def _relative(chunks: Sequence[WordChunk], rule: ChunkConstraint) -> bool:
    """Whether the pronoun at a place can have a case and the number and gender of its nouns."""
    beginning, pronoun = (
        f"{rule.detail} {get_number(chunks, rule.others)}",
        chunks[rule.place].traits,
    )
    return any(f"{beginning} {gender}" in pronoun for gender in _genders(chunks, rule.others))


def _relative_object(chunks: Sequence[WordChunk], rule: ChunkConstraint) -> bool:
    """The same for the object of the verb that comes first among the others."""
    verb, *heads = rule.others
    return _relative(
        chunks, ChunkConstraint("relative", rule.place, tuple(heads), _objective(chunks[verb]))
    )


def _governs(chunks: Sequence[WordChunk], rule: ChunkConstraint) -> bool:
    """Whether nouns can have the case that a preposition wants."""
    return any(
        case in chunks[rule.place].traits
        and _case(chunks, ChunkConstraint("case", 0, rule.others, case))
        for case in ("gen", "ins")
    )


def _allows_whose(chunks: Sequence[WordChunk], rule: ChunkConstraint) -> bool:
    """Whether "whose" may stand before a noun: not before "ten"."""
    return not any(
        fact.says == "determiner" and fact.value == "ten" for fact in chunks[rule.place].facts[0]
    )


def _is_alive_agent(chunks: Sequence[WordChunk], rule: ChunkConstraint) -> bool:
    """Whether who does something to others, or has relatives, is alive."""
    if rule.detail == "owner" and "thing" in chunks[rule.place].traits:
        return True
    return all("thing" not in chunks[other].traits for other in rule.others)


POLISH_CHUNK_RULES: Rules = {
    "agrees": _agrees,
    "case": _case,
    "object": _object,
    "relative": _relative,
    "relative object": _relative_object,
    "governs": _governs,
    "frame": fits_frame,
    "owned": _allows_whose,
    "fits": _is_alive_agent,
}


_LINKS = {",": ",", "że": "C", "i": "&", "przez": "b", "siebie": "R"}
_SMALL = {",": "comma", "że": "link", "i": "conjunction", "przez": "marker", "siebie": "reflexive"}
_BEFORE = frozenset({"determiner", "adjective"})
_PAST = {
    "ł": ("singular", frozenset({"m1", "m2", "m3"})),
    "ła": ("singular", frozenset({"f"})),
    "ło": ("singular", frozenset({"n"})),
    "li": ("plural", frozenset({"m1"})),
    "ły": ("plural", POLISH_GENDERS - {"m1"}),
}
_HELPERS = {
    stem + ending: ("past", *who) for stem in ("by", "zosta") for ending, who in _PAST.items()
} | {
    "jest": ("present", "singular", POLISH_GENDERS),
    "są": ("present", "plural", POLISH_GENDERS),
    "będzie": ("future", "singular", POLISH_GENDERS),
    "będą": ("future", "plural", POLISH_GENDERS),
    "zostanie": ("future", "singular", POLISH_GENDERS),
    "zostaną": ("future", "plural", POLISH_GENDERS),
}


def polish_rows(words: Sequence[str], more: Extra = ()) -> list[Row]:
    """All ways to cut Polish words into chunks; commas are words of their own."""
    if more:
        raise DataProblem("your own words are supported in English only")
    return cut_into_chunks(words, _chunks)


def _chunks(words: Sequence[str], start: int) -> Iterator[tuple[int, WordChunk]]:
    """The chunks that can begin at a word, with the word after each."""
    word = words[start]
    small, kinds = _opening(word)
    yield from ((start + 1, chunk) for chunk in small)
    if start + 1 < len(words) and _is_grading(word, words[start + 1]):
        both = tuple(LemmaFact("", "adverb", one) for one in words[start : start + 2])
        yield (
            start + 2,
            WordChunk("d", f"{word} {words[start + 1]}", traits=frozenset({"degree"}), words=both),
        )
    if kinds & {*_BEFORE, "noun"}:
        for stop in _noun_stops(words, start):
            yield from ((stop, chunk) for chunk in _nouns(tuple(words[start:stop])))
    if "verb" in kinds:
        for stop in range(start + 1, _verb_end(words, start) + 1):
            yield from ((stop, chunk) for chunk in _verbs(tuple(words[start:stop])))


@cache
def _opening(word: str) -> tuple[tuple[WordChunk, ...], frozenset[str]]:
    """The chunks that a word is by itself, and the kinds and traits of all that it can be."""
    entries = polish_words().get(word, ())
    small = (
        [WordChunk(_LINKS[word], word, words=(LemmaFact("", _SMALL[word], word),))]
        if word in _LINKS
        else []
    )
    invariable = [
        (kind, letter, entry)
        for kind, letter in (("preposition", "n"), ("adverb", "d"))
        for entry in entries
        if entry.kind == kind
    ]
    small += [
        WordChunk(letter, word, traits=entry.traits, words=(LemmaFact("", kind, word),))
        for kind, letter, entry in invariable
    ]
    pronoun = {
        f"{entry.form} {entry.number} {gender}"
        for entry in entries
        if entry.kind == "relative"
        for gender in entry.genders
    }
    if pronoun:
        small.append(
            WordChunk(
                "K", "który", traits=frozenset(pronoun), words=(LemmaFact("", "link", "który"),)
            )
        )
    kinds = {kind for entry in entries for kind in (entry.kind, *entry.traits)}
    return tuple(small), frozenset(
        kinds | ({"verb"} if word == "nie" or word in _HELPERS else set())
    )


def _is_grading(first: str, second: str) -> bool:
    return may_grade(_opening(first)[1], _opening(second)[1])


def _noun_stops(words: Sequence[str], at: int) -> Iterator[int]:
    """Where a noun with determiner and adjectives before it may end."""
    while at < len(words):
        kinds = _opening(words[at])[1]
        at += 1
        if "noun" in kinds:
            yield at
        if not kinds & _BEFORE:
            return


@lru_cache(maxsize=1 << 15)
def _nouns(words: tuple[str, ...]) -> tuple[WordChunk, ...]:
    """A noun with a determiner or none, and adjectives, in each number with the cases in which all
    of them agree.
    """
    *before, noun = words
    chunks: dict[tuple[str, str], WordChunk] = {}
    for entry in polish_words()[noun]:
        described = _agreeing(before, entry) if entry.kind == "noun" else None
        if described is None or entry.number is None:
            continue
        key = (entry.lemma, entry.number)
        facts = frozenset({LemmaFact(entry.lemma, "number", entry.number), *described})
        cases = chunks[key].traits if key in chunks else frozenset()
        each = (*described[len(described) - len(before) :], LemmaFact(entry.lemma, "noun", ""))
        chunks[key] = WordChunk(
            "N", entry.lemma, entry.number, cases | entry.traits | {entry.form}, (facts,), each
        )
    return tuple(chunks.values())


def _agreeing(before: Sequence[str], noun: PolishAnalysis) -> list[LemmaFact] | None:
    """What the words before a noun say of it; None where one of them does not agree."""
    facts = []
    for place, word in enumerate(before):
        fitting = [
            entry
            for entry in polish_words()[word]
            if (entry.form, entry.number) == (noun.form, noun.number)
            and noun.genders & entry.genders
            and entry.kind in _BEFORE
        ]
        if not fitting or (fitting[0].kind == "determiner" and place > 0):
            return None
        facts.append(LemmaFact(noun.lemma, fitting[0].kind, fitting[0].lemma))
    return (
        facts
        if facts and facts[0].says == "determiner"
        else [LemmaFact(noun.lemma, "determiner", "bare"), *facts]
    )


def _verb_end(words: Sequence[str], at: int) -> int:
    """The word after the longest verb group that may begin at a word."""
    if words[at] == "nie":
        at += 1
    if at < len(words) and words[at] in _HELPERS:
        at += 1
        while at < len(words) and "adverb" in _opening(words[at])[1]:
            at += 1
    return min(at + 1, len(words))


@lru_cache(maxsize=1 << 15)
def _verbs(words: tuple[str, ...]) -> tuple[WordChunk, ...]:
    """Verb groups: perhaps "nie", perhaps a helping verb with adverbs after it, and a verb in a
    form that goes with it.
    """
    features = {"polarity": "negative" if words[0] == "nie" else "positive"}
    rest = words[1:] if words[0] == "nie" else words
    helper = rest[0] if len(rest) > 1 else ""
    if not rest or (helper and helper not in _HELPERS):
        return ()
    adverbs = rest[1:-1]
    if any("adverb" not in _opening(adverb)[1] for adverb in adverbs):
        return ()
    chunks = []
    for verb in polish_words().get(rest[-1], ()):
        finite = _finite(verb, helper) if verb.kind == "verb" else None
        if finite is not None:
            tense, number, genders = finite
            before = [*["negation"] * (words[0] == "nie"), *["auxiliary"] * bool(helper)]
            each = (
                *(LemmaFact(verb.lemma, kind, "") for kind in before),
                *(LemmaFact("", "adverb", word) for word in adverbs),
            )
            group = _group(verb, {**features, "tense": tense}, number, genders, adverbs)
            chunks.append(group._replace(words=(*each, LemmaFact(verb.lemma, "predicate", ""))))
    return tuple(dict.fromkeys(chunks))


def _finite(verb: PolishAnalysis, helper: str) -> tuple[str, str | None, frozenset[str]] | None:
    """Tense, number and genders of a verb form with a helping verb or none; None where they do not
    go together.
    """
    imperfective = "imperfective" in verb.traits
    if not helper:
        tense = {"past": "past", "nonpast": "present" if imperfective else "future"}.get(verb.form)
        return (tense, verb.number, verb.genders) if tense else None
    tense, number, genders = _HELPERS[helper]
    if verb.number not in (None, number) or not genders & verb.genders:
        return None
    future = helper in ("będzie", "będą") and imperfective and verb.form in ("infinitive", "past")
    passive = verb.form == "passive" and not (helper.startswith("zosta") and imperfective)
    return (tense, number, genders & verb.genders) if future or passive else None


def _group(
    verb: PolishAnalysis,
    features: dict[str, str],
    number: str | None,
    genders: frozenset[str],
    adverbs: Sequence[str],
) -> WordChunk:
    passive = verb.form == "passive"
    aspect = "imperfective" if "imperfective" in verb.traits else "perfective"
    all_features = {**features, "aspect": aspect, "voice": "passive" if passive else "active"}
    facts = verb_facts(verb.lemma, all_features, list_grades(adverbs, _is_grading))
    traits = verb.traits | genders | ({"negated"} if features["polarity"] == "negative" else set())
    return WordChunk("P" if passive else "A", verb.lemma, number, traits, facts)
